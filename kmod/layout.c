// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tracepoint's class has its fields as an array of {type in C, name, size, alignment}; where each lies follows
 * from these by the rule that the kernel itself uses: after the common header, each aligned.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "layout.h"

/* Names are the kernel's. One that is cut must not become equal to another. */
static void layout_name(struct kymo_layout *layout, struct kymo_field *field, const char *name)
{
	if (strscpy(field->name, name, sizeof(field->name)) < 0)
		snprintf(field->name + sizeof(field->name) - 5, 5, "_%u", layout->fields);
}

static bool layout_add_field(struct kymo_layout *layout, const struct trace_event_fields *from, unsigned int offset)
{
	struct kymo_field *field = &layout->field[layout->fields];
	struct kymo_take *take = &layout->take[layout->takes];

	if (!from->size)
		return true;
	if (layout->fields == KYMO_LAYOUT_FIELDS_MAX || offset + from->size > U16_MAX)
		return false;
	layout_name(layout, field, from->name);
	take->offset = offset;
	kymo_tracepoint_describe(field, take, from->type, from->size, from->is_signed);
	layout->fields++;
	layout->takes++;
	return true;
}

/* sys_enter_*: as many arguments as the call has; the kernel keeps their list to itself. */
static bool layout_add_arguments(struct kymo_layout *layout, unsigned int offset)
{
	struct kymo_field *field;
	struct kymo_take *take;

	if (layout->fields == KYMO_LAYOUT_FIELDS_MAX)
		return false;
	field = &layout->field[layout->fields++];
	strscpy(field->name, "args", sizeof(field->name));
	take = &layout->take[layout->takes++];
	take->offset = ALIGN(offset, sizeof(long));
	kymo_tracepoint_describe_arguments(field, take);
	return true;
}

static const char layout_too_many[] = "it has more fields than fit into an event type";

static const char *layout_add_class(struct kymo_layout *layout, struct trace_event_call *call)
{
	/* Of the common header: who it was. */
	static const struct trace_event_fields pid = { .type = "int", .name = "common_pid", .size = 4, .is_signed = 1 };
	const struct trace_event_fields *from = call->class->fields_array;
	unsigned int offset = sizeof(struct trace_entry);
	const bool syscall = !strcmp(call->class->system, "syscalls") && !(call->flags & TRACE_EVENT_FL_DYNAMIC);

	if (!syscall && !((call->flags & TRACE_EVENT_FL_TRACEPOINT) && call->class->perf_probe))
		return "not a static tracepoint: events made at run time do not show their fields to modules";
	layout_add_field(layout, &pid, offsetof(struct trace_entry, pid));
	for (; from && from->type; from++) {
		if (from->type == TRACE_FUNCTION_TYPE)
			return syscall && layout_add_arguments(layout, offset) ? NULL :
			       "its fields are made by a function of the kernel and cannot be seen";
		offset = ALIGN(offset, from->align);
		if (!layout_add_field(layout, from, offset))
			return layout_too_many;
		offset += from->size;
	}
	return NULL;
}

/* The fixed ones to the front; neighbours in the record become one. False: too many pieces. */
static bool layout_arrange(struct kymo_layout *layout, const struct kymo_layout *from)
{
	unsigned int i, pass, parts = 0;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < from->takes; i++) {
			const struct kymo_take *take = &from->take[i];
			struct kymo_take *last = layout->takes ? &layout->take[layout->takes - 1] : NULL;

			if ((take->kind == KYMO_TAKE_FIXED) != !pass)
				continue;
			layout->field[layout->fields++] = from->field[i];
			if (!pass && last && last->offset + last->bytes == take->offset) {
				last->bytes += take->bytes;
				continue;
			}
			layout->take[layout->takes++] = *take;
			parts += pass ? 2 : 1;
		}
	return parts <= KYMO_LAYOUT_PARTS_MAX;
}

struct kymo_layout *kymo_layout_create(struct trace_event_call *call, const char **reason)
{
	struct kymo_layout *layout = kzalloc(sizeof(*layout), GFP_KERNEL);
	struct kymo_layout *found = kzalloc(sizeof(*found), GFP_KERNEL);
	int err = -ENOMEM;

	if (!layout || !found)
		goto out;
	err = -EOPNOTSUPP;
	*reason = layout_add_class(found, call);
	if (*reason)
		goto out;
	if (layout_arrange(layout, found))
		err = 0;
	else
		*reason = layout_too_many;
out:
	kfree(found);
	if (!err)
		return layout;
	kfree(layout);
	return ERR_PTR(err);
}

bool kymo_layout_equal(const struct kymo_layout *a, const struct kymo_layout *b)
{
	/* Both come zeroed from kymo_layout_create. */
	return !memcmp(a, b, sizeof(*a));
}

unsigned int kymo_layout_convert(const struct kymo_layout *layout, const void *record, u32 bytes, struct kymo_layout_parts *out)
{
	struct kymo_part *part = out->part;
	unsigned int i, lengths = 0;
	const void *data;
	u32 length;

	for (i = 0; i < layout->takes; i++) {
		const struct kymo_take *take = &layout->take[i];
		u32 own = take->kind == KYMO_TAKE_FIXED ? take->bytes : take->kind == KYMO_TAKE_REST ? 0 : sizeof(u32);

		if (take->offset + own > bytes)
			return 0;
		if (take->kind == KYMO_TAKE_FIXED) {
			*part++ = (struct kymo_part){ record + take->offset, take->bytes };
			continue;
		}
		if (take->kind == KYMO_TAKE_REST) {
			data = record + take->offset;
			length = bytes - take->offset;
		} else {
			data = kymo_tracepoint_locate(take, record, bytes, &length);
		}
		if (take->kind == KYMO_TAKE_STRING) {
			*part++ = (struct kymo_part){ data, strnlen(data, length) };
			*part++ = (struct kymo_part){ "", 1 };
			continue;
		}
		out->length[lengths] = length / take->bytes;
		*part++ = (struct kymo_part){ &out->length[lengths], sizeof(out->length[0]) };
		*part++ = (struct kymo_part){ data, out->length[lengths] * take->bytes };
		lengths++;
	}
	return part - out->part;
}
