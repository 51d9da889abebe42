// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names come from the table that the kernel itself is built from (calls are named after their functions, as in the
 * kernel's own events: newfstatat, newuname). Arguments come from the running kernel's description of its system
 * call events, where it has them (CONFIG_FTRACE_SYSCALLS).
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <trace/syscall.h>
#include "syscall_table.h"

static const char *const table_names[SYSCALL_NUMBERS] = {
#ifdef CONFIG_X86_64
#define __SYSCALL(nr, function) [nr] = #function,
#define __SYSCALL_NORETURN(nr, function) __SYSCALL(nr, function)
#include <asm/syscalls_64.h>
#endif
};

const char *syscall_table_name(unsigned int nr)
{
	const char *name = nr < SYSCALL_NUMBERS ? table_names[nr] : NULL;

	return name && !strncmp(name, "sys_", 4) && strcmp(name, "sys_ni_syscall") ? name + 4 : NULL;
}

/* The C types of arguments that are no addresses. Any other is taken as a whole register, shown in hex. */
static const struct table_type {
	const char *name;
	u8 bytes;
	bool is_signed;
} table_types[] = {
	{ "int", 4, true }, { "unsigned int", 4, false }, { "unsigned", 4, false }, { "long", 8, true },
	{ "unsigned long", 8, false }, { "size_t", 8, false }, { "ssize_t", 8, true }, { "loff_t", 8, true },
	{ "off_t", 8, true }, { "umode_t", 2, false }, { "mode_t", 4, false }, { "pid_t", 4, true },
	{ "uid_t", 4, false }, { "gid_t", 4, false }, { "qid_t", 4, false }, { "clockid_t", 4, true },
	{ "const clockid_t", 4, true }, { "timer_t", 4, true }, { "key_t", 4, true }, { "key_serial_t", 4, true },
	{ "mqd_t", 4, true }, { "rwf_t", 4, true }, { "u32", 4, false }, { "__u32", 4, false }, { "s32", 4, true },
	{ "__s32", 4, true }, { "u64", 8, false }, { "__u64", 8, false }, { "aio_context_t", 8, false },
	{ "unsigned char", 1, false }, { "short", 2, true }, { "unsigned short", 2, false },
};

/* Arguments of type `const char *` that are NUL-terminated strings (others are buffers: that of write(2)). */
static const char *const table_strings[] = {
	"filename", "pathname", "path", "oldname", "newname", "from_pathname", "to_pathname", "dev_name", "dir_name",
	"new_root", "put_old", "name", "specialfile", "special", "u_name", "uname", "_fs_name", "name_user",
	"library", "u_msg_name", "_type", "_description",
};

static bool table_is_string(const char *type, const char *name)
{
	unsigned int i;

	if (!strstr(type, "char") || strstr(type, "unsigned") ||
	    !strchr(type, '*') || strchr(type, '*') != strrchr(type, '*'))
		return false;
	/* mount(2) forgets the const; sethostname(2)'s name is no string. */
	if (!strstr(type, "const"))
		return !strcmp(name, "dev_name") || !strcmp(name, "dir_name");
	for (i = 0; i < ARRAY_SIZE(table_strings); i++)
		if (!strcmp(name, table_strings[i]))
			return true;
	return false;
}

static void table_describe(struct syscall_arg *arg, const char *type, const char *name)
{
	unsigned int i;

	strscpy(arg->name, name, sizeof(arg->name));
	arg->bytes = sizeof(unsigned long);
	arg->is_signed = false;
	arg->is_hex = true;
	if (table_is_string(type, name)) {
		arg->bytes = 0;
		return;
	}
	if (!strncmp(type, "enum ", 5))
		type = "int";
	for (i = 0; i < ARRAY_SIZE(table_types); i++)
		if (!strcmp(type, table_types[i].name)) {
			arg->bytes = min_t(u8, table_types[i].bytes, sizeof(unsigned long));
			arg->is_signed = table_types[i].is_signed;
			arg->is_hex = false;
		}
}

static unsigned int table_args_unknown(struct syscall_arg arg[SYSCALL_ARGS])
{
	unsigned int i;

	for (i = 0; i < SYSCALL_ARGS; i++) {
		snprintf(arg[i].name, sizeof(arg[i].name), "arg%u", i);
		arg[i].bytes = sizeof(unsigned long);
		arg[i].is_signed = false;
		arg[i].is_hex = true;
	}
	return SYSCALL_ARGS;
}

#ifdef CONFIG_FTRACE_SYSCALLS
unsigned int syscall_table_args(unsigned int nr, struct syscall_arg arg[SYSCALL_ARGS])
{
	const struct syscall_metadata *meta;
	struct trace_event_file *file;
	char event[64];
	unsigned int i, args;

	snprintf(event, sizeof(event), "sys_enter_%s", syscall_table_name(nr));
	file = trace_get_event_file(NULL, "syscalls", event);
	if (IS_ERR(file))
		return table_args_unknown(arg);
	if (file->event_call->flags & TRACE_EVENT_FL_DYNAMIC) { /* root's own event of that name: no such data */
		trace_put_event_file(file);
		return table_args_unknown(arg);
	}
	meta = file->event_call->data;
	args = min_t(unsigned int, meta->nb_args, SYSCALL_ARGS);
	for (i = 0; i < args; i++)
		table_describe(&arg[i], meta->types[i], meta->args[i]);
	trace_put_event_file(file);
	return args;
}
#else
unsigned int syscall_table_args(unsigned int nr, struct syscall_arg arg[SYSCALL_ARGS])
{
	return table_args_unknown(arg);
}
#endif
