// SPDX-License-Identifier: GPL-2.0-or-later
/* ELF notes as the kernel shows them in /sys. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "notes.h"

static unsigned long notes_padded(uint32_t bytes)
{
	return ((unsigned long)bytes + 3) & ~3ul;
}

unsigned int notes_build_id(const uint8_t *notes, unsigned long bytes, uint8_t id[NOTES_BUILD_ID])
{
	Elf64_Nhdr head;	/* the same in 32 bits */

	while (bytes >= sizeof(head)) {
		memcpy(&head, notes, sizeof(head));
		notes += sizeof(head);
		bytes -= sizeof(head);
		if (notes_padded(head.n_namesz) + notes_padded(head.n_descsz) > bytes)
			return 0;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && !memcmp(notes, "GNU", 4) && head.n_descsz &&
		    head.n_descsz <= NOTES_BUILD_ID) {
			memcpy(id, notes + 4, head.n_descsz);
			return head.n_descsz;
		}
		bytes -= notes_padded(head.n_namesz) + notes_padded(head.n_descsz);
		notes += notes_padded(head.n_namesz) + notes_padded(head.n_descsz);
	}
	return 0;
}

static unsigned int notes_file(const char *path, uint8_t id[NOTES_BUILD_ID])
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t notes[4096];
	ssize_t n;

	memset(id, 0, NOTES_BUILD_ID);
	if (fd < 0)
		return 0;
	n = read(fd, notes, sizeof(notes));
	close(fd);
	return n > 0 ? notes_build_id(notes, (unsigned long)n, id) : 0;
}

unsigned int notes_kernel(uint8_t id[NOTES_BUILD_ID])
{
	return notes_file("/sys/kernel/notes", id);
}

unsigned int notes_module(const char *name, uint8_t id[NOTES_BUILD_ID])
{
	char path[256];

	memset(id, 0, NOTES_BUILD_ID);
	if (strchr(name, '/') ||
	    snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name) >= (int)sizeof(path))
		return 0;
	return notes_file(path, id);
}
