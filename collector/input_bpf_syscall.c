// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The event types of system calls: a pair for each number that the C library's headers know, named after the kernel's
 * functions as the module does. Arguments are whole registers.
 */
#include <errno.h>
#include <kymo/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input_bpf_internal.h"

static const char *const syscall_names[BPF_SYSCALLS] = {
#ifdef __x86_64__
#include "syscall_names.h"
#endif
};

enum { SYSCALL_ARGS = 6 };

/* Where the kernel's function is called otherwise than the call. */
static const char *syscall_function(const char *name)
{
	static const char *const functions[][2] = {
		{ "stat", "newstat" }, { "fstat", "newfstat" }, { "lstat", "newlstat" }, { "uname", "newuname" },
		{ "sendfile", "sendfile64" }, { "umount2", "umount" },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i][0], name))
			return functions[i][1];
	return name;
}

static size_t syscall_put(uint8_t *to, unsigned int id, const char *kind, const char *name, const struct kymo_field *field,
			  unsigned int fields)
{
	struct kymo_event_type t = { .id = (uint16_t)id, .fields = (uint16_t)fields, .source = "syscall" };

	t.size = (uint32_t)(sizeof(t) + fields * sizeof(*field));
	snprintf(t.name, sizeof(t.name), "syscall_%s_%.40s", kind, name);
	memcpy(to, &t, sizeof(t));
	memcpy(to + sizeof(t), field, fields * sizeof(*field));
	return t.size;
}

int bpf_syscalls_add(struct bpf *b)
{
	const struct kymo_field ret = { .name = "ret", .kind = KYMO_FIELD_SIGNED, .bytes = 8, .count = 1 };
	const size_t each = 2 * sizeof(struct kymo_event_type) + (SYSCALL_ARGS + 1) * sizeof(ret);
	struct kymo_field arg[SYSCALL_ARGS] = {};
	uint8_t *more = realloc(b->entries, b->entries_bytes + BPF_SYSCALLS * each);

	if (!more)
		return -ENOMEM;
	b->entries = more;
	for (unsigned int i = 0; i < SYSCALL_ARGS; i++) {
		arg[i] = (struct kymo_field){ .kind = KYMO_FIELD_UNSIGNED, .bytes = 8, .flags = KYMO_FIELD_HEX, .count = 1 };
		snprintf(arg[i].name, sizeof(arg[i].name), "arg%u", i);
	}
	for (unsigned int nr = 0; nr < BPF_SYSCALLS; nr++) {
		const char *name = syscall_names[nr] ? syscall_function(syscall_names[nr]) : NULL;

		if (!name)
			continue;
		bpf_programs_syscall(b->programs, nr);
		more = b->entries + b->entries_bytes;
		b->entries_bytes += syscall_put(more, KYMO_ID_SYSCALL_ENTRY + nr, "entry", name, arg, SYSCALL_ARGS);
		more = b->entries + b->entries_bytes;
		b->entries_bytes += syscall_put(more, KYMO_ID_SYSCALL_EXIT + nr, "exit", name, &ret, 1);
	}
	return 0;
}
