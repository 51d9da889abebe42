/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording: a session of the module, pumped into a trace directory until somebody says stop. Brings input, record,
 * loss and guard together; prints nothing.
 */
#ifndef KYMO_RECORDING_H
#define KYMO_RECORDING_H

#include <signal.h>

#include "guard.h"
#include "input_kmod.h"
#include "loss.h"
#include "record.h"
#include "selection.h"

struct recording_options {
	const char *dir;
	char **events;			/* -e; none: the defaults */
	unsigned int events_count;
	uint64_t duration_ns;		/* 0: until a signal */
	uint64_t max_bytes;		/* 0: no limit */
	uint64_t buffer_bytes;		/* of ring memory for each CPU */
	uint32_t packet_bytes;
	uint64_t rate_hz;
	int argc;			/* as typed, for session.json */
	char **argv;
};

struct recording {
	const struct recording_options *options;
	struct input *input;
	struct selection selection;
	struct record *record;
	struct loss *loss;
	struct guard guard;
	struct clock_pair start_clock, stop_clock;
	uint64_t start_ns, stop_ns;	/* of the session; stop_ns is 0 while it runs */
	unsigned int sets, set_of_class[SELECTION_CLASSES];
	unsigned int *stream_of;	/* record's stream of each of the input's */
	unsigned int streams, own_stream;
	bool dumping;
	bool disk_failed;		/* nothing more is written */
	const struct kymo_type_stats *stats; /* the last */
	unsigned int stats_count;
	uint64_t kernel_base;		/* 0: unknown */
	char release[72], hostname[72];
	char why[1024];			/* a sentence, after an error */
};

/* Up to the first event. 0 or -errno, with a sentence in why. What the user got wrong is found before the directory is made. */
int recording_begin(struct recording *r, const struct recording_options *options);

/* Pumps until *stop or the duration is over. -errno: why the recording ended early. */
int recording_run(struct recording *r, const volatile sig_atomic_t *stop);

/* Stops the session, writes what is left, closes the trace. Also after an error of run. */
int recording_end(struct recording *r);

void recording_fini(struct recording *r);

#endif
