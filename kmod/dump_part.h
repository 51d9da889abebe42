/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the parts of the start dump. Each part writes on from its cursor and can be left and entered anywhere. */
#ifndef KYMO_DUMP_PART_H
#define KYMO_DUMP_PART_H

#include "dump.h"

/* Of one part: two words, 0 when it begins. */
struct dump_out {
	struct kymo_session *session;
	u64 *cursor;
};

/* 0: this part is done; DUMP_FULL: no room now, the cursor says where to go on; -errno. */
enum { DUMP_FULL = 1 };

int dump_tasks(struct dump_out *out);
int dump_mappings(struct dump_out *out);
int dump_modules(struct dump_out *out);
int dump_interrupts(struct dump_out *out);
int dump_interfaces(struct dump_out *out);

/* True: written, or nobody wants it (sub is NULL). `string` may be NULL: no string; it is cut at `string_bytes`. */
bool dump_put(struct kymo_sub *sub, const void *ev, u32 bytes, const char *string, u32 string_bytes);

#endif
