// SPDX-License-Identifier: GPL-2.0-or-later
/* ELF files by libelf, in read mode. */
#include "image.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xz.h"

enum {
	IMAGE_SEGMENTS = 64,		/* that are looked at; a program has about a dozen */
	IMAGE_NOTES_MAX = 1 << 16,
	IMAGE_SECTION_MAX = 256 << 20,	/* of symbols or their names */
	IMAGE_PACKED_MAX = 32 << 20,	/* of packed symbols, and of what they become */
};

struct image {
	Elf *elf;
	void *memory;			/* what was unpacked for it */
	int type;			/* ET_EXEC, ET_DYN */
	size_t names;			/* the section of section names */
	unsigned int segments;
	GElf_Phdr segment[IMAGE_SEGMENTS];	/* that are loaded */
};

/* libelf makes room for as many sections as the file says. Extended numbering is for object files, and for bombs. */
static bool image_sections_bounded(Elf *elf)
{
	GElf_Ehdr head;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &head) || (head.e_type != ET_EXEC && head.e_type != ET_DYN))
		return false;
	return head.e_phnum != PN_XNUM && (head.e_shnum || !head.e_shoff) && head.e_shstrndx != SHN_XINDEX;
}

/* The same before libelf sees the file: elf_begin() counts sections. */
static bool image_header_bounded(const unsigned char *head, size_t bytes)
{
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	if (bytes < sizeof(wide) || memcmp(head, ELFMAG, SELFMAG) || head[EI_DATA] != ELFDATA2LSB)
		return false;
	memcpy(&wide, head, sizeof(wide));
	memcpy(&narrow, head, sizeof(narrow));
	if (head[EI_CLASS] == ELFCLASS64)
		return wide.e_shnum || !wide.e_shoff;
	return head[EI_CLASS] == ELFCLASS32 && (narrow.e_shnum || !narrow.e_shoff);
}

static struct image *image_create(Elf *elf)
{
	struct image *image = elf && image_sections_bounded(elf) ? calloc(1, sizeof(*image)) : NULL;
	GElf_Ehdr head;
	size_t segments = 0;

	if (!image) {
		elf_end(elf);
		return NULL;
	}
	image->elf = elf;
	image->type = gelf_getehdr(elf, &head) ? head.e_type : ET_NONE;
	if (elf_getshdrstrndx(elf, &image->names))
		image->names = 0;
	if (elf_getphdrnum(elf, &segments))
		segments = 0;
	for (size_t i = 0; i < segments && image->segments < IMAGE_SEGMENTS; i++) {
		GElf_Phdr *p = &image->segment[image->segments];

		if (gelf_getphdr(elf, (int)i, p) && (p->p_type == PT_LOAD || p->p_type == PT_NOTE))
			image->segments++;
	}
	return image;
}

struct image *image_open(int fd)
{
	unsigned char head[sizeof(Elf64_Ehdr)];
	const ssize_t got = pread(fd, head, sizeof(head), 0);

	elf_version(EV_CURRENT);
	return got > 0 && image_header_bounded(head, (size_t)got) ? image_create(elf_begin(fd, ELF_C_READ, NULL)) : NULL;
}

struct image *image_open_memory(void *bytes, size_t count)
{
	elf_version(EV_CURRENT);
	return image_header_bounded(bytes, count) ? image_create(elf_memory(bytes, count)) : NULL;
}

void image_close(struct image *image)
{
	if (!image)
		return;
	elf_end(image->elf);
	free(image->memory);
	free(image);
}

/* ---- sections ---- */

/* Its bytes as they lie in the file; NULL: none, packed, or out of bounds. */
static Elf_Data *image_section_data(Elf_Scn *section, GElf_Shdr *head)
{
	Elf_Data *data;

	if (!gelf_getshdr(section, head) || head->sh_type == SHT_NOBITS || head->sh_flags & SHF_COMPRESSED ||
	    head->sh_size > IMAGE_SECTION_MAX)
		return NULL;
	data = elf_getdata(section, NULL);
	return data && data->d_buf && data->d_size ? data : NULL;
}

static Elf_Scn *image_section_of_type(const struct image *image, uint32_t type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;

	while ((section = elf_nextscn(image->elf, section)))
		if (gelf_getshdr(section, &head) && head.sh_type == type)
			return section;
	return NULL;
}

/* The names of sections are few, but a stranger's: not through elf_strptr(), which reads what the file says there is. */
static bool image_section_is(const struct image *image, Elf_Scn *section, const char *name)
{
	Elf_Scn *strings = image->names ? elf_getscn(image->elf, image->names) : NULL;
	GElf_Shdr head, names;
	Elf_Data *data = strings ? image_section_data(strings, &names) : NULL;
	const size_t bytes = strlen(name) + 1;

	return data && gelf_getshdr(section, &head) && head.sh_name < data->d_size && data->d_size - head.sh_name >= bytes &&
	       !memcmp((char *)data->d_buf + head.sh_name, name, bytes);
}

bool image_has_symtab(const struct image *image)
{
	Elf_Scn *section = image_section_of_type(image, SHT_SYMTAB);
	GElf_Shdr head;

	return section && gelf_getshdr(section, &head) && head.sh_size;
}

/* ---- build-id and debug link ---- */

static unsigned int image_note_id(Elf_Data *data, uint8_t id[BINARY_BUILD_ID])
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name, &desc)))
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp((char *)data->d_buf + name, "GNU", 4) &&
		    note.n_descsz && note.n_descsz <= BINARY_BUILD_ID) {
			memcpy(id, (char *)data->d_buf + desc, note.n_descsz);
			return note.n_descsz;
		}
	return 0;
}

/* By sections first: those of a debug file still have their notes, its segments do not lie where they say. */
unsigned int image_build_id(const struct image *image, uint8_t id[BINARY_BUILD_ID])
{
	Elf_Scn *section = NULL;
	unsigned int bytes = 0;
	Elf_Data *data;

	while (!bytes && (section = elf_nextscn(image->elf, section))) {
		GElf_Shdr head;

		if (!gelf_getshdr(section, &head) || head.sh_type != SHT_NOTE || head.sh_size > IMAGE_NOTES_MAX)
			continue;
		data = image_section_data(section, &head);
		bytes = data ? image_note_id(data, id) : 0;
	}
	for (unsigned int i = 0; !bytes && i < image->segments; i++) {
		const GElf_Phdr *p = &image->segment[i];

		if (p->p_type != PT_NOTE || p->p_filesz > IMAGE_NOTES_MAX)
			continue;
		data = elf_getdata_rawchunk(image->elf, (int64_t)p->p_offset, p->p_filesz,
					    p->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		bytes = data ? image_note_id(data, id) : 0;
	}
	return bytes;
}

/* The name, its NUL, padding to 4 bytes, the check sum. */
static bool image_link_parse(const Elf_Data *data, char name[IMAGE_LINK], uint32_t *crc)
{
	const size_t length = strnlen(data->d_buf, data->d_size), at = (length + 4) & ~(size_t)3;

	if (!length || length >= IMAGE_LINK || at + sizeof(*crc) > data->d_size || memchr(data->d_buf, '/', length))
		return false;
	memcpy(name, data->d_buf, length + 1);
	memcpy(crc, (char *)data->d_buf + at, sizeof(*crc));
	return true;
}

bool image_debug_link(const struct image *image, char name[IMAGE_LINK], uint32_t *crc)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(image->elf, section))) {
		GElf_Shdr head;
		Elf_Data *data;

		if (!image_section_is(image, section, ".gnu_debuglink"))
			continue;
		data = gelf_getshdr(section, &head) && head.sh_size <= 2 * IMAGE_LINK ? image_section_data(section, &head) : NULL;
		return data && image_link_parse(data, name, crc);
	}
	return false;
}

struct image *image_open_packed(const struct image *image)
{
	Elf_Scn *section = NULL;
	struct image *packed;
	GElf_Shdr head;
	Elf_Data *data;
	void *memory;
	size_t bytes;

	do
		section = elf_nextscn(image->elf, section);
	while (section && !image_section_is(image, section, ".gnu_debugdata"));
	if (!section || !gelf_getshdr(section, &head) || head.sh_size > IMAGE_PACKED_MAX)
		return NULL;
	data = image_section_data(section, &head);
	memory = data ? xz_unpack(data->d_buf, data->d_size, IMAGE_PACKED_MAX, &bytes) : NULL;
	packed = memory ? image_open_memory(memory, bytes) : NULL;
	if (packed)
		packed->memory = memory;
	else
		free(memory);
	return packed;
}

static void image_crc_table(uint32_t table[256])
{
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
}

bool image_crc(int fd, uint64_t bytes_max, uint32_t *crc)
{
	uint32_t table[256];
	uint8_t buffer[1 << 14];
	uint64_t at = 0;
	ssize_t got;

	image_crc_table(table);
	*crc = ~0u;
	while ((got = pread(fd, buffer, sizeof(buffer), (off_t)at)) > 0 && (at += (uint64_t)got) <= bytes_max)
		for (ssize_t i = 0; i < got; i++)
			*crc = *crc >> 8 ^ table[(uint8_t)*crc ^ buffer[i]];
	*crc = ~*crc;
	return !got;
}

/* ---- functions ---- */

/* Where in the file the code at an address is; false: it is no code of a loaded part. */
static bool image_offset(const struct image *image, uint64_t address, uint64_t *offset)
{
	for (unsigned int i = 0; i < image->segments; i++) {
		const GElf_Phdr *p = &image->segment[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || address < p->p_vaddr || address - p->p_vaddr >= p->p_filesz)
			continue;
		*offset = address - p->p_vaddr + p->p_offset;
		return true;
	}
	return false;
}

static bool image_symbol_rank(const GElf_Sym *symbol, const char *name, enum function_rank *rank)
{
	static const enum function_rank ranks[] = {
		[STB_LOCAL] = FUNCTION_LOCAL, [STB_GLOBAL] = FUNCTION_GLOBAL, [STB_WEAK] = FUNCTION_WEAK,
	};
	const unsigned int type = GELF_ST_TYPE(symbol->st_info), bind = GELF_ST_BIND(symbol->st_info);

	if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value)
		return false;
	*rank = bind <= STB_WEAK ? ranks[bind] : FUNCTION_GLOBAL;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	*rank = FUNCTION_UNTYPED;
	/* Assembly that forgot to say so. Names with a dot or a dollar are the tools' own marks. */
	return type == STT_NOTYPE && name[0] != '.' && name[0] != '$';
}

/* Without the version: "clock_gettime@@GLIBC_2.17" is clock_gettime. */
static size_t image_name_bytes(const char *name, size_t room)
{
	const size_t bytes = strnlen(name, room);
	const char *version = memchr(name, '@', bytes);

	return version ? (size_t)(version - name) : bytes;
}

static int image_section_functions(const struct image *layout, const struct image *image, uint32_t type,
				   struct functions *into)
{
	Elf_Scn *section = image_section_of_type(image, type), *strings;
	GElf_Shdr head, names_head;
	Elf_Data *data = section ? image_section_data(section, &head) : NULL, *names;
	const size_t each = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
	int err = 0;

	strings = data ? elf_getscn(image->elf, head.sh_link) : NULL;
	names = strings ? image_section_data(strings, &names_head) : NULL;
	for (size_t i = 1; names && i < data->d_size / each && !err; i++) {
		enum function_rank rank;
		uint64_t offset;
		GElf_Sym symbol;
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_name >= names->d_size)
			continue;
		name = (const char *)names->d_buf + symbol.st_name;
		if (image_symbol_rank(&symbol, name, &rank) && image_offset(layout, symbol.st_value, &offset))
			err = functions_add(into, offset, symbol.st_size, name,
					    image_name_bytes(name, names->d_size - symbol.st_name), rank);
	}
	return err;
}

int image_functions(const struct image *image, const struct image *debug, struct functions *into)
{
	int err = debug ? image_section_functions(image, debug, SHT_SYMTAB, into) : 0;

	if (!err)
		err = image_section_functions(image, image, SHT_SYMTAB, into);
	if (!err)
		err = image_section_functions(image, image, SHT_DYNSYM, into);
	functions_seal(into, false);
	return err;
}
