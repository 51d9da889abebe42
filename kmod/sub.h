/* SPDX-License-Identifier: GPL-2.0-only */
/* Event types in one session: enabled by glob, counted, taken down. All under the session's mutex. */
#ifndef KYMO_SUB_H
#define KYMO_SUB_H

#include "session.h"

int kymo_sub_enable(struct kymo_session *session, struct kymo_enable *enable);
int kymo_sub_disable(struct kymo_session *session, struct kymo_enable *enable);

/* Before the session counts; whenever exact counters are wanted, at the latest before it ends to count. */
void kymo_sub_session_starts(struct kymo_session *session);
void kymo_sub_ask_missed(struct kymo_session *session);

/* Fills at most `capacity` entries; returns how many there are. */
unsigned int kymo_sub_stats(struct kymo_session *session, struct kymo_type_stats *stats, unsigned int capacity);
u64 kymo_sub_bytes(struct kymo_session *session);

/* A CPU came online: sources with a hook for each CPU make the missing ones. From a work item. */
void kymo_sub_cpu_online(struct kymo_session *session, unsigned int cpu);

/* Takes everything down and frees it. Waits until no probe can see it. */
void kymo_sub_destroy_all(struct kymo_session *session);

#endif
