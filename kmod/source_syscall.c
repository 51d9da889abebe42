// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls: a pair of event types for each, made at init from the kernel's table. One probe on sys_enter and one
 * on sys_exit serve all of them: while any is wanted, a call that nobody wants costs a table look-up. Calls by other
 * ABIs (32-bit, x32) and numbers that the table does not have go to syscall_entry_unknown and syscall_exit_unknown.
 *
 * Strings are copied without faulting: a path that is not in memory at that moment is empty in the event.
 */
#include <linux/compat.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>
#include <trace/events/syscalls.h>
#include "emit.h"
#include "hook.h"
#include "syscall_exec.h"
#include "syscall_table.h"

enum {
	SYSCALL_STRINGS = 3,		/* in one call */
	SYSCALL_STRING_BYTES = 1024,	/* with its NUL; all of them fit into the smallest packet */
	SYSCALL_CHUNK_BYTES = 64,
};

struct syscall_call {
	struct kymo_type entry, exit;
	u8 bytes[SYSCALL_ARGS];		/* as in struct syscall_arg */
	u8 args;
	bool described;
};

/* What one entry event is put together in. Used with preemption off by tasks only, so one for each CPU is enough. */
struct syscall_scratch {
	u8 fixed[SYSCALL_ARGS * sizeof(u64)];
	char string[SYSCALL_STRINGS][SYSCALL_STRING_BYTES];
};

static struct syscall_call *syscall_calls[SYSCALL_NUMBERS];	/* NULL: no such call */
static struct syscall_scratch __percpu *syscall_scratches;
static struct tracepoint *syscall_enter, *syscall_exit;
static unsigned int syscall_enter_users, syscall_exit_users;	/* types; under the catalogue's mutex */
static const struct kymo_field syscall_exit_field[] = {
	{ .name = "ret", .kind = KYMO_FIELD_SIGNED, .bytes = sizeof(s64), .count = 1 },
};

/* ---- probes: with preemption on from 6.13 ---- */

static bool syscall_is_compat(void)
{
#ifdef CONFIG_COMPAT
	return in_compat_syscall();
#else
	return false;
#endif
}

static struct syscall_call *syscall_call(long nr, bool compat)
{
	if (nr < 0 || nr >= SYSCALL_NUMBERS || compat)
		return NULL;
	return syscall_calls[nr];
}

/* Whole or empty; cut at the buffer's end. Returns the bytes with the NUL. */
static u32 syscall_copy_string(char *to, unsigned long from)
{
	u32 done = 0, n, length;

	while (done < SYSCALL_STRING_BYTES - 1) {
		n = min_t(u32, SYSCALL_CHUNK_BYTES, SYSCALL_STRING_BYTES - 1 - done);
		n = min_t(u32, n, PAGE_SIZE - offset_in_page(from + done));
		if (copy_from_user_nofault(to + done, (const void __user *)(from + done), n)) {
			done = 0;
			break;
		}
		length = strnlen(to + done, n);
		done += length;
		if (length < n)
			break;
	}
	to[done] = 0;
	return done + 1;
}

static u8 *syscall_put(u8 *to, unsigned long value, u8 bytes)
{
	const u8 byte = value;
	const u16 half = value;
	const u32 word = value;

	switch (bytes) {
	case 1:
		memcpy(to, &byte, 1);
		break;
	case 2:
		memcpy(to, &half, 2);
		break;
	case 4:
		memcpy(to, &word, 4);
		break;
	default:
		memcpy(to, &value, sizeof(value));
	}
	return to + bytes;
}

static void syscall_emit_entry(struct syscall_call *call, const unsigned long *args)
{
	struct syscall_scratch *scratch = this_cpu_ptr(syscall_scratches);
	struct kymo_part part[1 + SYSCALL_STRINGS] = { { .data = scratch->fixed } };
	unsigned int i, parts = 1;
	u8 *fixed = scratch->fixed;

	for (i = 0; i < call->args; i++) {
		if (call->bytes[i]) {
			fixed = syscall_put(fixed, args[i], call->bytes[i]);
		} else {
			part[parts].data = scratch->string[parts - 1];
			part[parts].bytes = syscall_copy_string(scratch->string[parts - 1], args[i]);
			parts++;
		}
	}
	part[0].bytes = fixed - scratch->fixed;
	kymo_emit_parts(&call->entry, part, parts);
}

static void syscall_emit_entry_unknown(long nr, bool compat, const unsigned long *args)
{
	const struct kymo_ev_syscall_entry_unknown ev = { .id = nr, .compat = compat };
	const u16 count = SYSCALL_ARGS;
	u64 values[SYSCALL_ARGS];
	const struct kymo_part part[] = { { &ev, sizeof(ev) }, { &count, sizeof(count) }, { values, sizeof(values) } };
	unsigned int i;

	for (i = 0; i < SYSCALL_ARGS; i++)
		values[i] = args[i];
	kymo_emit_parts(&kymo_type_syscall_entry_unknown, part, ARRAY_SIZE(part));
}

static void syscall_enter_probe(void *data, struct pt_regs *regs, long nr)
{
	const bool compat = syscall_is_compat();
	struct syscall_call *call = syscall_call(nr, compat);
	unsigned long args[SYSCALL_ARGS];

	syscall_exec_entered(nr, compat);
	if (!kymo_emit_wanted(call ? &call->entry : &kymo_type_syscall_entry_unknown))
		return;
	syscall_get_arguments(current, regs, args);
	preempt_disable_notrace();
	if (call)
		syscall_emit_entry(call, args);
	else
		syscall_emit_entry_unknown(nr, compat, args);
	preempt_enable_notrace();
}

static void syscall_exit_probe(void *data, struct pt_regs *regs, long ret)
{
	long nr = syscall_get_nr(current, regs);
	bool compat = syscall_is_compat();
	struct syscall_call *call;
	const s64 value = ret;
	const struct kymo_part part = { &value, sizeof(value) };
	struct kymo_ev_syscall_exit_unknown ev;

	syscall_exec_leaves(&nr, &compat);
	call = syscall_call(nr, compat);
	if (call) {
		if (kymo_emit_wanted(&call->exit))
			kymo_emit_parts(&call->exit, &part, 1);
	} else if (kymo_emit_wanted(&kymo_type_syscall_exit_unknown)) {
		ev.id = nr;
		ev.compat = compat;
		ev.ret = ret;
		kymo_emit(syscall_exit_unknown, &ev);
	}
}

/* ---- attaching ---- */

static bool syscall_is_entry(const struct kymo_type *type)
{
	return type->id < KYMO_ID_SYSCALL_EXIT && type != &kymo_type_syscall_exit_unknown;
}

static int syscall_watch(struct tracepoint *tracepoint, void *probe, unsigned int *users)
{
	int err = *users ? 0 : tracepoint_probe_register(tracepoint, probe, NULL);

	*users += !err;
	return err;
}

static void syscall_unwatch(struct tracepoint *tracepoint, void *probe, unsigned int *users)
{
	if (!--*users)
		tracepoint_probe_unregister(tracepoint, probe, NULL);
}

/* Exits need the entries, too: of an exec only its entry tells which call it was. */
static int syscall_type_on(struct kymo_type *type)
{
	int err;

	if (!syscall_enter_users)
		syscall_exec_init();
	err = syscall_watch(syscall_enter, syscall_enter_probe, &syscall_enter_users);
	if (err || syscall_is_entry(type))
		return err;
	err = syscall_watch(syscall_exit, syscall_exit_probe, &syscall_exit_users);
	if (err)
		syscall_unwatch(syscall_enter, syscall_enter_probe, &syscall_enter_users);
	return err;
}

static void syscall_type_off(struct kymo_type *type)
{
	if (!syscall_is_entry(type))
		syscall_unwatch(syscall_exit, syscall_exit_probe, &syscall_exit_users);
	syscall_unwatch(syscall_enter, syscall_enter_probe, &syscall_enter_users);
}

/* ---- the event types ---- */

static void syscall_describe_field(struct kymo_field *field, const struct syscall_arg *arg)
{
	strscpy(field->name, arg->name, sizeof(field->name));
	field->count = 1;
	if (!arg->bytes) {
		field->kind = KYMO_FIELD_STRING;
		field->bytes = 1;
		return;
	}
	field->kind = arg->is_signed ? KYMO_FIELD_SIGNED : KYMO_FIELD_UNSIGNED;
	field->bytes = arg->bytes;
	field->flags = arg->is_hex ? KYMO_FIELD_HEX : 0;
}

/* The fields of an entry: the values first, then the strings, as everywhere. NULL: no memory. */
static struct kymo_field *syscall_fields(struct syscall_call *call, struct syscall_arg *arg)
{
	struct kymo_field *field = kcalloc(call->args, sizeof(*field), GFP_KERNEL);
	unsigned int i, strings = 0, at = 0;

	if (!field)
		return NULL;
	for (i = 0; i < call->args; i++) {
		if (!arg[i].bytes && strings++ >= SYSCALL_STRINGS) {
			arg[i].bytes = sizeof(unsigned long);
			arg[i].is_hex = true;
		}
		call->bytes[i] = arg[i].bytes;
		if (arg[i].bytes)
			syscall_describe_field(&field[at++], &arg[i]);
	}
	for (i = 0; i < call->args; i++)
		if (!arg[i].bytes)
			syscall_describe_field(&field[at++], &arg[i]);
	return field;
}

/* Asking the kernel for the arguments of all calls takes longer than all else that loading the module does. */
static int syscall_describe(struct kymo_type *type)
{
	struct syscall_call *call = type->priv;
	struct syscall_arg arg[SYSCALL_ARGS];

	if (!call || call->described)
		return 0;
	call->args = syscall_table_args(type->id - KYMO_ID_SYSCALL_ENTRY, arg);
	type->field = call->args ? syscall_fields(call, arg) : NULL;
	if (call->args && !type->field)
		return -ENOMEM;
	type->fields = call->args;
	call->described = true;
	return 0;
}

static void syscall_call_destroy(struct syscall_call *call)
{
	kfree(call->entry.field);
	kfree(call->entry.name);
	kfree(call->exit.name);
	kfree(call);
}

static struct syscall_call *syscall_call_create(unsigned int nr)
{
	const char *name = syscall_table_name(nr);
	struct syscall_call *call = kzalloc(sizeof(*call), GFP_KERNEL);

	if (!call)
		return NULL;
	call->entry.id = KYMO_ID_SYSCALL_ENTRY + nr;
	call->entry.source = &kymo_source_syscall;
	call->entry.name = kasprintf(GFP_KERNEL, "syscall_entry_%s", name);
	call->entry.priv = call;
	call->exit.id = KYMO_ID_SYSCALL_EXIT + nr;
	call->exit.source = &kymo_source_syscall;
	call->exit.name = kasprintf(GFP_KERNEL, "syscall_exit_%s", name);
	call->exit.fields = ARRAY_SIZE(syscall_exit_field);
	call->exit.field = syscall_exit_field;
	if (call->entry.name && call->exit.name)
		return call;
	syscall_call_destroy(call);
	return NULL;
}

static void syscall_fini(void)
{
	unsigned int nr;

	for (nr = 0; nr < SYSCALL_NUMBERS; nr++) {
		if (syscall_calls[nr])
			syscall_call_destroy(syscall_calls[nr]);
		syscall_calls[nr] = NULL;
	}
	free_percpu(syscall_scratches);
}

static int syscall_add(unsigned int nr)
{
	struct syscall_call *call = syscall_call_create(nr);
	int err;

	if (!call)
		return -ENOMEM;
	err = kymo_type_add(&call->entry);
	if (!err)
		err = kymo_type_add(&call->exit);
	syscall_calls[nr] = call;
	return err;
}

static const char syscall_no_tracepoints[] = "this kernel does not have the tracepoints sys_enter and sys_exit";

static int syscall_source_init(void)
{
	unsigned int nr;
	int err = 0;

	syscall_enter = kymo_hook_find("sys_enter");
	syscall_exit = kymo_hook_find("sys_exit");
	if (!syscall_enter || !syscall_exit) {
		kymo_type_unavailable(&kymo_type_syscall_entry_unknown, syscall_no_tracepoints);
		kymo_type_unavailable(&kymo_type_syscall_exit_unknown, syscall_no_tracepoints);
		return 0;
	}
	syscall_scratches = alloc_percpu(struct syscall_scratch);
	if (!syscall_scratches)
		return -ENOMEM;
	for (nr = 0; nr < SYSCALL_NUMBERS && !err; nr++)
		if (syscall_table_name(nr))
			err = syscall_add(nr);
	/* Then the module does not come to be, and nobody looks at the types that were added. */
	if (err)
		syscall_fini();
	return err;
}

struct kymo_source kymo_source_syscall = {
	.name = "syscall",
	.init = syscall_source_init,
	.fini = syscall_fini,
	.type_on = syscall_type_on,
	.type_off = syscall_type_off,
	.describe = syscall_describe,
};
