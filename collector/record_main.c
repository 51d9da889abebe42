// SPDX-License-Identifier: GPL-2.0-or-later
/* kymo record: options, signals, messages and the summary around a recording. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "catalogue.h"
#include "main.h"
#include "quantity.h"
#include "recording.h"

static volatile sig_atomic_t record_stop;

static void record_on_signal(int number)
{
	(void)number;
	record_stop++;	/* the second one cuts the end short */
}

static void record_signals(void)
{
	struct sigaction stop = { .sa_handler = record_on_signal }, ignore = { .sa_handler = SIG_IGN }, old;
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		/* nohup has it ignored. SIGINT is for every background job of a script, and ends a recording all the same. */
		if (numbers[i] != SIGHUP || (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN))
			sigaction(numbers[i], &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);	/* the limit of a file's size: write() tells */
}

/* A file for each ring: on a large machine more than a shell's limit. */
static void record_raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void record_help(void)
{
	printf("Usage: kymo record -o DIR [OPTION]...\n\n"
	       "Records the whole machine into DIR, a CTF 1.8 trace that babeltrace2, Trace Compass and 'kymo report' read.\n"
	       "Ctrl-C, SIGTERM or -s end it.\n\n"
	       "  -o, --output DIR      where to; made if it is not there, must be empty otherwise\n"
	       "  -e, --event GLOB      event types to record (several -e add up): a name with *, ?, [a-z]; the name of\n"
	       "                        a source ('kymo list' shows both); or tracepoint:SYSTEM:NAME for any of the\n"
	       "                        kernel's tracepoints. Without -e: %s\n"
	       "                        (no system calls and no timers: they come in floods; ask for 'syscall', 'irq').\n"
	       "                        'cpu' brings 'task' with it, which says whose the samples are\n"
	       "  -s, --seconds SECS    end after so long (0.5 is possible)\n"
	       "  -F, --frequency HZ    of cpu_sample on every CPU (99)\n"
	       "      --max-size BYTES  the trace never gets larger (K, M, G): the oldest files are deleted\n"
	       "      --buffer-size BYTES  ring memory for each CPU (4M)\n"
	       "      --packet-size BYTES  of which packets are made (64K)\n"
	       "      --input NAME      kmod: the module, bpf: BPF programs; without it the module where it is loaded, else BPF\n"
	       "      --allow-loss      lost events are reported, but the exit status is 0\n"
	       "  -q, --quiet           no summary\n\n"
	       "Exit status: 0 done, 1 failed, 2 wrong usage, 3 done, but events were lost.\n",
	       selection_defaults);
}

static int record_usage(const char *text, const char *value)
{
	fprintf(stderr, "kymo record: ");
	fprintf(stderr, text, value);
	fprintf(stderr, ". 'kymo record --help' shows how it is done.\n");
	return 2;
}

struct record_arguments {
	struct collection_options collection;
	struct recording_options recording;
	bool allow_loss, quiet;
};

enum { RECORD_MAX_SIZE = 256, RECORD_BUFFER_SIZE, RECORD_PACKET_SIZE, RECORD_ALLOW_LOSS, RECORD_INPUT };

static const struct option record_options[] = {
	{ "output", required_argument, NULL, 'o' }, { "event", required_argument, NULL, 'e' },
	{ "seconds", required_argument, NULL, 's' }, { "frequency", required_argument, NULL, 'F' },
	{ "max-size", required_argument, NULL, RECORD_MAX_SIZE }, { "buffer-size", required_argument, NULL, RECORD_BUFFER_SIZE },
	{ "packet-size", required_argument, NULL, RECORD_PACKET_SIZE }, { "allow-loss", no_argument, NULL, RECORD_ALLOW_LOSS },
	{ "input", required_argument, NULL, RECORD_INPUT },
	{ "quiet", no_argument, NULL, 'q' }, { "help", no_argument, NULL, 'h' }, {},
};

static int record_add_event(struct collection_options *o, char *arg)
{
	char **more = realloc(o->events, (o->events_count + 1) * sizeof(*more));

	if (!more)
		return record_usage("no memory for -e %s", arg);
	o->events = more;
	more[o->events_count++] = arg;
	return -1;
}

/* -1: go on; else the exit status. */
static int record_option(struct record_arguments *a, int letter)
{
	struct collection_options *c = &a->collection;
	struct recording_options *o = &a->recording;

	switch (letter) {
	case 'o':
		o->dir = optarg;
		return *optarg ? -1 : record_usage("-o needs a directory%s", "");
	case 'e':
		return record_add_event(c, optarg);
	case 's':
		o->duration_ns = quantity_ns(optarg);
		return o->duration_ns ? -1 : record_usage("-s %s is not a duration in seconds", optarg);
	case 'F':
		c->rate_hz = quantity_count(optarg);
		return c->rate_hz ? -1 : record_usage("-F %s is not a frequency in Hz", optarg);
	case RECORD_MAX_SIZE:
		o->max_bytes = quantity_bytes(optarg);
		return o->max_bytes ? -1 : record_usage("--max-size %s is not a size", optarg);
	case RECORD_BUFFER_SIZE:
		c->buffer_bytes = quantity_bytes(optarg);
		return c->buffer_bytes ? -1 : record_usage("--buffer-size %s is not a size", optarg);
	case RECORD_PACKET_SIZE: {
		uint64_t bytes = quantity_bytes(optarg);

		if (bytes < KYMO_PACKET_BYTES_MIN || bytes > KYMO_PACKET_BYTES_MAX || (bytes & (bytes - 1)))
			return record_usage("--packet-size %s is not a power of two from 4K to 1M", optarg);
		c->packet_bytes = (uint32_t)bytes;
		return -1;
	}
	case RECORD_ALLOW_LOSS:
		a->allow_loss = true;
		return -1;
	case RECORD_INPUT:
		c->input = optarg;
		return tracer_is_name(optarg) ? -1 : record_usage("--input %s: there are kmod and bpf", optarg);
	case 'q':
		a->quiet = true;
		return -1;
	case 'h':
		record_help();
		return 0;
	case ':':
		return record_usage("%s needs a value", optopt && optopt < 256 ? (char[]){ '-', (char)optopt, 0 } :
				    "the last option");
	default:
		return record_usage("unknown option '%s'", optopt && optopt < 256 ? (char[]){ '-', (char)optopt, 0 } : "--");
	}
}

/* -1: go on; else the exit status. */
static int record_parse(struct record_arguments *a, int argc, char **argv)
{
	int c, status = -1;

	a->collection = (struct collection_options){ .buffer_bytes = 4 << 20, .packet_bytes = 64 << 10 };
	a->recording = (struct recording_options){ .argc = argc, .argv = argv, .signals = &record_stop };
	opterr = 0;
	optind = 1;
	while (status < 0 && (c = getopt_long(argc, argv, ":o:e:s:F:qh", record_options, NULL)) != -1) {
		if (c == '?' && !optopt)
			return record_usage("unknown option '%s'", argv[optind - 1]);
		status = record_option(a, c);
	}
	if (status >= 0)
		return status;
	if (optind < argc)
		return record_usage("'%s' is not an option", argv[optind]);
	return a->recording.dir ? -1 : record_usage("-o DIR is missing: where is the trace to go?%s", "");
}

/* ---- the summary ---- */

static void record_print_type(const struct collection *c, const struct kymo_type_stats *s)
{
	const struct event_type *t = catalogue_by_id(c->in.catalogue, (uint16_t)s->id);

	printf("  %-40s %12" PRIu64, t ? t->name : "?", (uint64_t)s->hits);
	for (unsigned int cause = 0; cause < KYMO_LOSS_CAUSES; cause++)
		if (s->lost[cause])
			printf("  lost %" PRIu64 " (%s)", (uint64_t)s->lost[cause], loss_cause(cause));
	putchar('\n');
}

static int record_by_hits(const void *left, const void *right)
{
	const struct kymo_type_stats *a = left, *b = right;

	return a->hits > b->hits ? -1 : a->hits < b->hits;
}

static void record_summary(const struct recording *r)
{
	const struct collection *c = r->collection;
	struct kymo_type_stats *sorted = calloc(c->stats_count + 1, sizeof(*sorted));
	const struct rotation *rotation = record_rotation(r->record);
	const uint64_t lost = collection_lost(c);
	uint64_t events = 0;
	double seconds = (double)(c->stop_ns - c->start_ns) / 1e9;

	if (r->disk_failed)	/* the counters know what was in the rings, not what of it was written */
		printf("%.1f MB in %u files in %s, %.1f s; it ended early, and what was still in the rings is not in it\n",
		       (double)record_bytes(r->record) / 1e6, record_files(r->record), r->options->dir, seconds);
	if (!sorted || r->disk_failed) {
		free(sorted);
		return;
	}
	memcpy(sorted, c->stats, c->stats_count * sizeof(*sorted));
	qsort(sorted, c->stats_count, sizeof(*sorted), record_by_hits);
	for (unsigned int i = 0; i < c->stats_count; i++) {
		if (sorted[i].hits || memcmp(sorted[i].lost, (uint64_t[KYMO_LOSS_SLOTS]){}, sizeof(sorted[i].lost)))
			record_print_type(c, &sorted[i]);
		events += sorted[i].hits;
	}
	free(sorted);
	printf("%" PRIu64 " events, %.1f MB in %u files in %s, %.1f s", events, (double)record_bytes(r->record) / 1e6,
	       record_files(r->record), r->options->dir, seconds);
	if (lost)
		printf("; lost %" PRIu64 " (%.2f %%)", lost, 100.0 * (double)lost / (double)(events + lost));
	else
		printf("; nothing lost");
	putchar('\n');
	if (rotation->deleted_files)
		printf("--max-size: %u files with the first %.1f MB were deleted (up to %.1f s after the start)\n",
		       rotation->deleted_files, (double)rotation->deleted_bytes / 1e6,
		       ((double)rotation->deleted_until_ns - (double)c->start_ns) / 1e9);
}

/* What the defaults ask for and this machine does not have. */
static void record_unavailable(const struct collection *c)
{
	for (unsigned int i = 0; i < catalogue_count(c->in.catalogue); i++) {
		const struct event_type *t = catalogue_at(c->in.catalogue, i);

		if (collection_misses(c, t))
			fprintf(stderr, "kymo record: not recorded: %s: %s\n", t->name, t->reason);
	}
}

/* From the first event to the last; what is wrong stands in the collection's or the recording's why. */
static int record_run(struct record_arguments *a, struct collection *c, struct recording *r)
{
	int err = collection_open(c, &a->collection), run;

	if (!err)
		err = recording_begin(r, &a->recording, c);
	if (!err)
		err = collection_start(c);
	if (err) {
		recording_abandon(r);
		return err;
	}
	run = recording_run(r, &record_stop);
	err = recording_end(r);
	if (!a->quiet) {
		record_unavailable(c);
		record_summary(r);
	}
	return run ? run : err;
}

int record_main(int argc, char **argv)
{
	static struct collection collection;
	static struct recording recording = { .guard.pipe = -1 };
	struct record_arguments arguments = {};
	int status = record_parse(&arguments, argc, argv), err;
	uint64_t lost;

	if (status >= 0) {
		free(arguments.collection.events);
		return status;
	}
	record_signals();
	record_raise_files();
	err = record_run(&arguments, &collection, &recording);
	if (recording.symbols_cut)
		fprintf(stderr, "kymo record: cut short by a second signal: not all kernel addresses in the trace have names.\n");
	if (err)
		fprintf(stderr, "kymo record: %s.\n", recording.why[0] ? recording.why : collection.why[0] ? collection.why :
			strerror(-err));
	lost = collection_lost(&collection);
	status = err ? 1 : !arguments.allow_loss && lost ? 3 : 0;
	if (status == 3)
		fprintf(stderr, "kymo record: %" PRIu64 " events were lost (see above; a larger --buffer-size helps against "
			"'full')\n", lost);
	recording_fini(&recording);
	collection_fini(&collection);
	free(arguments.collection.events);
	return status;
}
