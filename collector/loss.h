/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was lost, by event type and cause: from a session's counters to kymo_loss events in a ring of the collector's
 * own, which is read like any other. Knows neither the device nor files.
 */
#ifndef KYMO_LOSS_H
#define KYMO_LOSS_H

#include "catalogue.h"
#include "ring_reader.h"

struct loss;

/* Adds kymo_loss to the catalogue if it is not there. */
struct loss *loss_create(struct catalogue *catalogue, const uint8_t uuid[16], uint64_t instance);
void loss_destroy(struct loss *l);

/* The session starts: before that nothing was lost. */
void loss_begin(struct loss *l, uint64_t time_ns);

/* Writes an event for every counter that has grown since the last call. Reads are due after each call. */
int loss_update(struct loss *l, const struct catalogue *catalogue, const struct kymo_type_stats *stats,
		unsigned int count, uint64_t time_ns);

/* No more events will come: closes the open packet. */
void loss_finish(struct loss *l);

struct ring_reader *loss_reader(struct loss *l);
void loss_stream(const struct loss *l, struct input_stream *out);

uint64_t loss_total(const struct loss *l);	/* of all types and causes */
uint64_t loss_events(const struct loss *l);	/* kymo_loss events written */
const char *loss_cause(unsigned int cause);	/* its name, as in the trace */

#endif
