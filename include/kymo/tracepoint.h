/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A field of a kernel tracepoint, told by its type in C, as a field of an event type; and from where in the kernel's
 * record it is taken. One text for the module, which asks the kernel, and for the BPF input, which reads tracefs, so
 * that a tracepoint has the same fields by both.
 */
#ifndef KYMO_TRACEPOINT_H
#define KYMO_TRACEPOINT_H

#include <uapi/kymo.h>

#ifdef __KERNEL__
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#endif

/*
 * Where a piece of the payload comes from. The fixed fields stand before those of variable size, each kind in the
 * kernel's order, so that neighbours are copied at once.
 */
enum kymo_take_kind {
	KYMO_TAKE_FIXED,		/* `bytes` at `offset` */
	KYMO_TAKE_STRING,		/* a __data_loc word at `offset` tells where; sent up to its first NUL */
	KYMO_TAKE_SEQUENCE,		/* the same with elements of `bytes` */
	KYMO_TAKE_REST,			/* elements of `bytes` from `offset` to the record's end */
};

struct kymo_take {
	__u16 offset;
	__u16 bytes;
	__u8 kind;			/* enum kymo_take_kind */
	bool relative;			/* __rel_loc: counted from the word's end */
};

/* The elements of arrays: the kernel tells their size in words only. Others become bytes. */
static const struct {
	const char *name;
	__u8 bytes;
} kymo_tracepoint_element[] = {
	{ "char", 1 }, { "unsigned char", 1 }, { "u8", 1 }, { "__u8", 1 }, { "uint8_t", 1 }, { "s8", 1 }, { "bool", 1 },
	{ "short", 2 }, { "unsigned short", 2 }, { "u16", 2 }, { "__u16", 2 }, { "uint16_t", 2 }, { "s16", 2 },
	{ "__be16", 2 }, { "__be32", 4 }, { "__be64", 8 },
	{ "int", 4 }, { "unsigned int", 4 }, { "unsigned", 4 }, { "u32", 4 }, { "__u32", 4 }, { "uint32_t", 4 }, { "s32", 4 },
	{ "__le32", 4 }, { "pid_t", 4 },
	{ "u64", 8 }, { "__u64", 8 }, { "uint64_t", 8 }, { "s64", 8 }, { "long long", 8 },
	{ "unsigned long long", 8 }, { "__le64", 8 },
	{ "long", sizeof(long) }, { "unsigned long", sizeof(long) }, { "size_t", sizeof(long) }, { "cpumask_t", sizeof(long) },
};

/* `type` up to `end` is the element's type. */
static inline void kymo_tracepoint_describe_element(struct kymo_field *field, const char *type, const char *end)
{
	unsigned int i;

	while (end > type && end[-1] == ' ')
		end--;
	field->kind = KYMO_FIELD_UNSIGNED;
	field->bytes = 1;
	field->flags |= KYMO_FIELD_HEX;
	for (i = 0; i < sizeof(kymo_tracepoint_element) / sizeof(kymo_tracepoint_element[0]); i++) {
		const char *name = kymo_tracepoint_element[i].name;

		if (strlen(name) != (size_t)(end - type) || strncmp(name, type, (size_t)(end - type)))
			continue;
		field->bytes = kymo_tracepoint_element[i].bytes;
		if (!strncmp(name, "__be", 4))
			field->flags |= KYMO_FIELD_BIG_ENDIAN;
	}
}

static inline bool kymo_tracepoint_is_char(const char *type, const char *end)
{
	return end - type == 4 && !strncmp(type, "char", 4);
}

/* A field in the record itself: number, array, or bytes of whatever it is. */
static inline void kymo_tracepoint_describe_fixed(struct kymo_field *field, const char *type, unsigned int size, bool is_signed)
{
	const char *bracket = strchr(type, '[');

	if (bracket && kymo_tracepoint_is_char(type, bracket)) {
		field->kind = KYMO_FIELD_TEXT;
		field->bytes = 1;
		field->count = size;
	} else if (bracket) {
		kymo_tracepoint_describe_element(field, type, bracket);
		if (size % field->bytes)
			field->bytes = 1;
		field->count = size / field->bytes;
	} else if (size == 1 || size == 2 || size == 4 || size == 8) {
		kymo_tracepoint_describe_element(field, type, type + strlen(type));
		field->bytes = (__u8)size;
		field->count = 1;
		if (!strchr(type, '*'))
			field->flags &= (__u16)~KYMO_FIELD_HEX;
		if (is_signed)
			field->kind = KYMO_FIELD_SIGNED;
	} else {
		kymo_tracepoint_describe_element(field, "", "");
		field->count = size;
	}
}

/* "__data_loc char[]", "__rel_loc u8[]": a word with length and offset of something at the record's end. */
static inline bool kymo_tracepoint_describe_located(struct kymo_field *field, struct kymo_take *take, const char *type,
						    unsigned int size)
{
	const char *end;

	if (size != sizeof(__u32))
		return false;
	if (!strncmp(type, "__rel_loc ", 10))
		take->relative = true;
	else if (strncmp(type, "__data_loc ", 11))
		return false;
	type = strchr(type, ' ') + 1;
	end = strchr(type, '[');
	if (!end)
		end = type + strlen(type);
	if (kymo_tracepoint_is_char(type, end)) {
		take->kind = KYMO_TAKE_STRING;
		field->kind = KYMO_FIELD_STRING;
		field->bytes = 1;
		field->count = 1;
	} else {
		take->kind = KYMO_TAKE_SEQUENCE;
		kymo_tracepoint_describe_element(field, type, end);
		field->flags |= KYMO_FIELD_SEQUENCE;
		take->bytes = field->bytes;
	}
	return true;
}

/* Both are zero at first; the name, and where the record has it, are the caller's. type: in C, with [N] of an array. */
static inline void kymo_tracepoint_describe(struct kymo_field *field, struct kymo_take *take, const char *type,
					    unsigned int size, bool is_signed)
{
	if (kymo_tracepoint_describe_located(field, take, type, size))
		return;
	kymo_tracepoint_describe_fixed(field, type, size, is_signed);
	take->kind = KYMO_TAKE_FIXED;
	take->bytes = (__u16)size;
}

/* Where the word at take->offset of a record of so many bytes points to, within it; else nothing. The length is not believed. */
static inline const void *kymo_tracepoint_locate(const struct kymo_take *take, const void *record, __u32 bytes, __u32 *length)
{
	__u32 word, at;

	memcpy(&word, (const char *)record + take->offset, sizeof(word));
	at = word & 0xffff;
	*length = word >> 16;
	if (take->relative)
		at += take->offset + (__u32)sizeof(word);
	if (at <= bytes && *length <= bytes - at)
		return (const char *)record + at;
	*length = 0;
	return record;
}

/* sys_enter_*: as many arguments as the call has. */
static inline void kymo_tracepoint_describe_arguments(struct kymo_field *field, struct kymo_take *take)
{
	static const char element[] = "unsigned long";

	kymo_tracepoint_describe_element(field, element, element + sizeof(element) - 1);
	field->flags |= KYMO_FIELD_SEQUENCE;
	take->kind = KYMO_TAKE_REST;
	take->bytes = sizeof(long);
}

#endif
