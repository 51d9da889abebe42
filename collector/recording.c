// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop of a recording. It waits for the module, writes whole packets as they are closed, those that are still
 * open at least every half second, asks for the counters, and in between lets the start dump go on: each step of it
 * fills what room there is, and the next comes after the rings were emptied.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "recording_internal.h"
#include "session_file.h"
#include "symbols.h"

enum {
	RECORDING_WAIT_MS = 100,
	RECORDING_FLUSH_MS = 250,	/* open packets; twice this is what a kill may cost */
	RECORDING_STATS_MS = 500,
	RECORDING_SYMBOLS_BYTES = 160 << 10, /* of text: a size limit keeps room for it */
};

#define RECORDING_SCAN_BYTES	(512ull << 20)	/* of the trace, for kernel addresses */

int recording_failed(struct recording *r, const char *what, int err)
{
	if (!r->why[0])
		input_kmod_sentence(r->input, what, err, r->why, sizeof(r->why));
	return err;
}

int recording_disk_failed(struct recording *r, int err)
{
	r->disk_failed = true;
	if (r->why[0])
		return err;
	if (err == -EFBIG && r->options->max_bytes)
		snprintf(r->why, sizeof(r->why), "--max-size is too small for %u streams: %s", record_streams(r->record),
			 record_where(r->record));
	else
		snprintf(r->why, sizeof(r->why), "cannot write %s: %s. All that was written before is whole and readable",
			 record_where(r->record), strerror(-err));
	return err;
}

/* ---- run ---- */

static int recording_drain_own(struct recording *r)
{
	struct ring_reader *reader = loss_reader(r->loss);
	struct stretch s;
	int err = 0;

	ring_reader_look(reader);
	while (!err && ring_reader_next(reader, true, &s)) {
		err = record_put(r->record, r->own_stream, &s);
		ring_reader_release(reader, &s);
	}
	return err ? recording_disk_failed(r, err) : 0;
}

/* One round. 0: all was taken that was there; -ENODATA: the end. */
static int recording_drain(struct recording *r, bool open_packets)
{
	const unsigned int known = catalogue_count(r->input->catalogue);
	struct stretch s;
	int err;

	input_kmod_open_packets(r->input, open_packets);
	err = recording_streams(r);
	while (!err && (err = r->input->ops->next(r->input, &s)) == 1) {
		/* The round has read the catalogue after the heads: nothing in it is of a type unknown now. */
		err = catalogue_count(r->input->catalogue) != known ? recording_types(r) : 0;
		if (!err && !r->disk_failed) {
			err = record_put(r->record, r->stream_of[s.stream], &s);
			if (err)
				recording_disk_failed(r, err);
		}
		r->input->ops->release(r->input, &s);
	}
	return err;
}

static int recording_account(struct recording *r)
{
	uint64_t time_ns;
	int err = input_kmod_stats(r->input, &r->stats, &r->stats_count, &time_ns);

	if (err)
		return recording_failed(r, "count", err);
	err = loss_update(r->loss, r->input->catalogue, r->stats, r->stats_count, time_ns);
	return err ? err : recording_drain_own(r);
}

/* Dump types are written into rings that this loop empties: a step, then a round. */
static int recording_dump(struct recording *r)
{
	bool done;
	int err = input_kmod_dump(r->input, &done);

	if (err && err != -EINTR)
		return recording_failed(r, "dump the state of", err);
	r->dumping = !done;
	return 0;
}

int recording_run(struct recording *r, const volatile sig_atomic_t *stop)
{
	const uint64_t ms = 1000000;
	uint64_t now = clock_now_ns(), flushed = now, counted = now;
	const uint64_t end = r->options->duration_ns ? r->start_ns + r->options->duration_ns : UINT64_MAX;
	int err = 0;

	while (!err && !*stop && now < end) {
		uint64_t wait_ms = r->dumping ? 0 : RECORDING_WAIT_MS;
		bool flush;

		if ((end - now) / ms < wait_ms)
			wait_ms = (end - now) / ms + 1;
		if (r->dumping)
			err = recording_dump(r);
		else
			err = r->input->ops->wait(r->input, (int)wait_ms);
		if (err && err != -EINTR)
			break;
		now = clock_now_ns();
		flush = r->dumping || now - flushed >= RECORDING_FLUSH_MS * ms;
		if (flush)
			flushed = now;
		err = recording_drain(r, flush);
		if (!err && now - counted >= RECORDING_STATS_MS * ms) {
			counted = now;
			err = recording_account(r);
		}
		now = clock_now_ns();
	}
	if (err && !r->why[0])
		snprintf(r->why, sizeof(r->why), "the recording ended early: %s", strerror(-err));
	return err;
}

/* ---- end ---- */

static int recording_finish_streams(struct recording *r)
{
	struct input_stream stream;
	int err = 0;

	for (unsigned int i = 0; i < r->streams && !err; i++) {
		r->input->ops->stream(r->input, i, &stream);
		err = record_finish(r->record, r->stream_of[i], r->stop_ns, stream.lost);
	}
	if (!err) {
		loss_finish(r->loss);
		err = recording_drain_own(r);
	}
	if (!err)
		err = record_finish(r->record, r->own_stream, r->stop_ns, 0);
	return err ? recording_disk_failed(r, err) : 0;
}

/* Without symbols addresses stay numbers: only a full disk is worth an error, and that has lost no event. */
static int recording_symbols(struct recording *r)
{
	const size_t most = r->options->max_bytes ? RECORDING_SYMBOLS_BYTES : SIZE_MAX;
	struct symbols symbols;
	int err = symbols_collect(&symbols, record_dir(r->record), RECORDING_SCAN_BYTES, most);

	r->kernel_base = symbols.kernel_base;
	if (!err)
		err = record_own_file(r->record, TRACE_SYMBOLS, symbols.text, symbols.bytes);
	free(symbols.text);
	if (err != -ENOSPC && err != -EDQUOT)
		return 0;
	snprintf(r->why, sizeof(r->why), "cannot write %s: %s. All events are in the trace, the kernel's symbols are not",
		 record_where(r->record), strerror(-err));
	return err;
}

static int recording_drain_rest(struct recording *r)
{
	int err;

	do
		err = recording_drain(r, true);
	while (!err);
	return err == -ENODATA ? 0 : err;
}

int recording_end(struct recording *r)
{
	int err;

	r->stop_ns = clock_now_ns();	/* STOP switches off first: what it waits for then is nobody's CPU time */
	err = input_kmod_stop(r->input);
	clock_pair_read(&r->stop_clock);
	if (err)
		return recording_failed(r, "stop", err);
	if (r->disk_failed) {
		struct trace_repair done;
		uint64_t time_ns;

		trace_repair(record_dir(r->record), true, &done);
		err = input_kmod_stats(r->input, &r->stats, &r->stats_count, &time_ns);
		session_file_write(r);	/* if there is room for it; else that of the beginning stays */
		return err;
	}
	err = recording_drain_rest(r);
	if (!err)
		err = recording_account(r);
	if (!err)
		err = recording_finish_streams(r);
	if (!err) {
		const int symbols = recording_symbols(r);

		err = session_file_write(r);
		err = err ? err : symbols;
	}
	return err;
}

void recording_fini(struct recording *r)
{
	guard_dismiss(&r->guard);
	record_destroy(r->record);
	loss_destroy(r->loss);
	selection_fini(&r->selection);
	free(r->stream_of);
	if (r->input)
		r->input->ops->destroy(r->input);
}
