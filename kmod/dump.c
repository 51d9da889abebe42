// SPDX-License-Identifier: GPL-2.0-only
/* The start dump: its parts one after the other, between two events that say where it begins and ends. */
#include <linux/errno.h>
#include <linux/minmax.h>
#include "dump.h"
#include "dump_part.h"

/* cursor[0] is the part, [1] and [2] are the part's own. */
enum { DUMP_CURSOR_PART = 0, DUMP_CURSOR_OWN = 1, DUMP_CURSOR_OWN_WORDS = 2 };

bool dump_put(struct kymo_sub *sub, const void *ev, u32 bytes, const char *string, u32 string_bytes)
{
	const struct kymo_part part[] = {
		{ ev, bytes }, { string, string ? strnlen(string, string_bytes) : 0 }, { "", 1 },
	};

	return !sub || kymo_emit_dump(sub, part, string ? 3 : 1);
}

static int dump_mark(struct dump_out *out, const struct kymo_type *type)
{
	return dump_put(kymo_session_sub(out->session, type), NULL, 0, NULL, 0) ? 0 : DUMP_FULL;
}

static int dump_start(struct dump_out *out)
{
	return dump_mark(out, &kymo_type_lttng_statedump_start);
}

static int dump_end(struct dump_out *out)
{
	return dump_mark(out, &kymo_type_lttng_statedump_end);
}

static int (*const dump_part[])(struct dump_out *out) = {
	dump_start, dump_tasks, dump_mappings, dump_modules, dump_interrupts, dump_interfaces, dump_end,
};

int kymo_dump(struct kymo_session *session, struct kymo_dump *dump)
{
	struct dump_out out = { session, &dump->cursor[DUMP_CURSOR_OWN] };
	u64 part;
	int err;

	for (part = dump->cursor[DUMP_CURSOR_PART]; part < ARRAY_SIZE(dump_part); part++) {
		dump->cursor[DUMP_CURSOR_PART] = part;
		err = dump_part[part](&out);
		if (err) {
			dump->done = 0;
			return min(err, 0);
		}
		memset(out.cursor, 0, DUMP_CURSOR_OWN_WORDS * sizeof(*out.cursor));
	}
	dump->cursor[DUMP_CURSOR_PART] = part;
	dump->done = 1;
	return 0;
}
