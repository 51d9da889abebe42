/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The start dump: the tasks, mappings, modules, interrupts and network interfaces that are there already. Called
 * from KYMO_IOC_DUMP for a started session; may sleep. dump.c knows no rings: it is told when there is no room.
 */
#ifndef KYMO_DUMP_H
#define KYMO_DUMP_H

#include "emit.h"

/*
 * Writes on from dump->cursor until all is done (dump->done = 1) or the ring is full (0: call again with the same
 * cursor when the reader has made room). -EINTR: a fatal signal. The cursor comes from user space: any value is
 * safe, a wrong one only leaves something out.
 */
int kymo_dump(struct kymo_session *session, struct kymo_dump *dump);

/* ---- what dump.c asks of the session ---- */

/* The session's sub of this type, NULL if the type is not enabled in it. Valid as long as the session. */
struct kymo_sub *kymo_session_sub(struct kymo_session *session, const struct kymo_type *type);

/*
 * Writes into the ring of this CPU if a packet of it stays free after that; else writes nothing, counts nothing and
 * returns false. Any other loss (no ring) is counted and true: asking again would not help. May be called with
 * preemption off, under RCU.
 */
bool kymo_emit_dump(struct kymo_sub *sub, const struct kymo_part *part, unsigned int parts);

#endif
