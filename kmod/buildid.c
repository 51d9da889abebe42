// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads ELF header, program headers and notes out of the page cache. The file may change under us and may be
 * anything: each piece is copied, then checked, and every loop is bounded.
 */
#include <linux/elf.h>
#include <linux/err.h>
#include <linux/highmem.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "buildid.h"

enum {
	BUILDID_SEGMENTS = 64,		/* program headers looked at */
	BUILDID_NOTES = 16,		/* notes in a segment */
	BUILDID_NOTE_TYPE = 3,		/* NT_GNU_BUILD_ID */
};

static bool buildid_fetch_page(struct address_space *file, u64 at, void *to, u32 bytes)
{
	struct folio *folio = filemap_get_folio(file, at >> PAGE_SHIFT);
	bool present;
	void *from;

	/* Not there: NULL, from 6.4 on an error pointer. */
	if (IS_ERR_OR_NULL(folio))
		return false;
	present = folio_test_uptodate(folio);
	if (present) {
		from = kmap_local_folio(folio, offset_in_folio(folio, at));
		/* Pages of memfd_secret are in the page cache, but not in the kernel's map. */
		present = !copy_from_kernel_nofault(to, from, bytes);
		kunmap_local(from);
	}
	folio_put(folio);
	return present;
}

static bool buildid_fetch(struct address_space *file, u64 at, void *to, u32 bytes)
{
	u32 n;

	for (; bytes; bytes -= n, at += n, to += n) {
		n = min_t(u32, bytes, PAGE_SIZE - offset_in_page(at));
		if (!buildid_fetch_page(file, at, to, n))
			return false;
	}
	return true;
}

/* The notes in [at, at + bytes) of the file. */
static u8 buildid_in_notes(struct address_space *file, u64 at, u64 bytes, u8 id[BUILDID_BYTES])
{
	const u64 end = at + bytes;
	struct elf32_note note;		/* the same for 64 bits */
	unsigned int i;
	char name[4];
	u32 size;

	for (i = 0; i < BUILDID_NOTES && at + sizeof(note) <= end; i++) {
		if (!buildid_fetch(file, at, &note, sizeof(note)))
			return 0;
		at += sizeof(note);
		if (note.n_namesz > PAGE_SIZE || note.n_descsz > PAGE_SIZE)
			return 0;
		if (note.n_type == BUILDID_NOTE_TYPE && note.n_namesz == sizeof(name) && note.n_descsz &&
		    buildid_fetch(file, at, name, sizeof(name)) && !memcmp(name, "GNU", sizeof(name))) {
			size = min_t(u32, note.n_descsz, BUILDID_BYTES);
			return buildid_fetch(file, at + sizeof(name), id, size) ? size : 0;
		}
		at += ALIGN(note.n_namesz, 4) + ALIGN(note.n_descsz, 4);
	}
	return 0;
}

static u8 buildid_in_elf64(struct address_space *file, u8 id[BUILDID_BYTES])
{
	Elf64_Phdr segment;
	Elf64_Ehdr head;
	unsigned int i;
	u8 bytes = 0;

	if (!buildid_fetch(file, 0, &head, sizeof(head)) || head.e_phentsize != sizeof(segment) ||
	    head.e_phoff > LLONG_MAX / 2)
		return 0;
	for (i = 0; !bytes && i < min_t(u32, head.e_phnum, BUILDID_SEGMENTS); i++) {
		if (!buildid_fetch(file, head.e_phoff + i * sizeof(segment), &segment, sizeof(segment)))
			return 0;
		if (segment.p_type == PT_NOTE && segment.p_offset <= LLONG_MAX / 2 && segment.p_filesz <= INT_MAX)
			bytes = buildid_in_notes(file, segment.p_offset, segment.p_filesz, id);
	}
	return bytes;
}

static u8 buildid_in_elf32(struct address_space *file, u8 id[BUILDID_BYTES])
{
	Elf32_Phdr segment;
	Elf32_Ehdr head;
	unsigned int i;
	u8 bytes = 0;

	if (!buildid_fetch(file, 0, &head, sizeof(head)) || head.e_phentsize != sizeof(segment))
		return 0;
	for (i = 0; !bytes && i < min_t(u32, head.e_phnum, BUILDID_SEGMENTS); i++) {
		if (!buildid_fetch(file, (u64)head.e_phoff + i * sizeof(segment), &segment, sizeof(segment)))
			return 0;
		if (segment.p_type == PT_NOTE)
			bytes = buildid_in_notes(file, segment.p_offset, segment.p_filesz, id);
	}
	return bytes;
}

u8 buildid_read(struct address_space *file, u8 id[BUILDID_BYTES])
{
	u8 ident[EI_NIDENT];

	memset(id, 0, BUILDID_BYTES);
	if (!buildid_fetch(file, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG))
		return 0;
	if (ident[EI_CLASS] == ELFCLASS64)
		return buildid_in_elf64(file, id);
	return ident[EI_CLASS] == ELFCLASS32 ? buildid_in_elf32(file, id) : 0;
}
