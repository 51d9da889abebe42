// SPDX-License-Identifier: GPL-2.0-or-later
/* kymo top: options, signals, and what shows the snapshots. */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../main.h"
#include "../quantity.h"
#include "../selection.h"
#include "../tracer.h"
#include "batch.h"
#include "screen.h"
#include "top.h"

static volatile sig_atomic_t top_stop;

static void top_on_signal(int number)
{
	(void)number;
	top_stop = 1;
}

static void top_signals(void)
{
	struct sigaction stop = { .sa_handler = top_on_signal }, ignore = { .sa_handler = SIG_IGN };
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL);	/* the output's end is an error of writing */
	sigaction(SIGXFSZ, &ignore, NULL);
}

static void top_help(void)
{
	printf("Usage: kymo top [OPTION]...\n\n"
	       "Shows live what the machine does, or with --replay what a trace says that it did. h shows the keys.\n\n"
	       "  -d, --delay SECS      the interval (1)\n"
	       "  -s, --seconds SECS    end after so long\n"
	       "  -V, --view VIEW       which view:");
	for (unsigned int i = 0; i < views_count; i++)
		printf("%s %s", i ? "," : "", views[i].name);
	printf("\n"
	       "      --no-mouse        the mouse stays the terminal's\n"
	       "      --batch N         no screen: a table for each of N intervals\n"
	       "      --json            no screen: a JSON object for each interval, one a line; without -V all views\n"
	       "      --replay DIR      from a trace, at a virtual clock\n"
	       "  -o, --output DIR      record what is shown into a trace\n"
	       "      --max-size BYTES  the trace never gets larger (K, M, G)\n"
	       "  -e, --event GLOB      event types, as for 'kymo record'. Without -e: %s\n"
	       "  -F, --frequency HZ    of cpu_sample on every CPU (99)\n"
	       "      --input NAME      kmod: the module, bpf: BPF programs; without it the module where it is loaded, else BPF\n"
	       "      --buffer-size BYTES  ring memory for each CPU (2M)\n\n"
	       "Where standard output is no terminal, or TERM one that cannot place its cursor, there are tables as with\n"
	       "--batch, until it is interrupted or the trace ends. NO_COLOR is heeded.\n"
	       "Exit status: 0 done, 1 failed, 2 wrong usage.\n", selection_defaults);
}

static int top_usage(const char *text, const char *value)
{
	fprintf(stderr, "kymo top: ");
	fprintf(stderr, text, value);
	fprintf(stderr, ". 'kymo top --help' shows how it is done.\n");
	return 2;
}

struct top_arguments {
	struct feed_options feed;
	struct batch_options batch;
	const char *replay;
	bool no_screen, no_mouse;
};

enum { TOP_JSON = 256, TOP_BATCH, TOP_REPLAY, TOP_BUFFER_SIZE, TOP_MAX_SIZE, TOP_INPUT, TOP_NO_MOUSE };

static const struct option top_options[] = {
	{ "delay", required_argument, NULL, 'd' }, { "seconds", required_argument, NULL, 's' },
	{ "view", required_argument, NULL, 'V' },
	{ "json", no_argument, NULL, TOP_JSON }, { "batch", required_argument, NULL, TOP_BATCH },
	{ "replay", required_argument, NULL, TOP_REPLAY }, { "output", required_argument, NULL, 'o' },
	{ "event", required_argument, NULL, 'e' }, { "frequency", required_argument, NULL, 'F' },
	{ "buffer-size", required_argument, NULL, TOP_BUFFER_SIZE }, { "max-size", required_argument, NULL, TOP_MAX_SIZE },
	{ "no-mouse", no_argument, NULL, TOP_NO_MOUSE }, { "input", required_argument, NULL, TOP_INPUT },
	{ "help", no_argument, NULL, 'h' }, {},
};

static int top_add_event(struct feed_options *o, char *arg)
{
	char **more = realloc(o->events, (o->events_count + 1) * sizeof(*more));

	if (!more)
		return top_usage("no memory for -e %s", arg);
	o->events = more;
	more[o->events_count++] = arg;
	return -1;
}

/* -1: go on; else the exit status. */
static int top_option(struct top_arguments *a, int letter)
{
	switch (letter) {
	case 'd':
		a->batch.interval_ns = quantity_ns(optarg);
		return a->batch.interval_ns >= 10000000 ? -1 : top_usage("-d %s is not an interval of 0.01 s or more", optarg);
	case 'V':
		a->batch.view = view_find(optarg);
		return a->batch.view ? -1 : top_usage("there is no view '%s'", optarg);
	case 's':
		a->batch.duration_ns = quantity_ns(optarg);
		return a->batch.duration_ns ? -1 : top_usage("-s %s is not a duration in seconds", optarg);
	case 'o':
		a->feed.record_dir = optarg;
		return *optarg ? -1 : top_usage("-o needs a directory%s", "");
	case 'e':
		return top_add_event(&a->feed, optarg);
	case 'F':
		a->feed.rate_hz = quantity_count(optarg);
		return a->feed.rate_hz ? -1 : top_usage("-F %s is not a frequency in Hz", optarg);
	case TOP_BATCH:
		a->no_screen = true;
		a->batch.count = (unsigned int)quantity_count(optarg);
		return a->batch.count ? -1 : top_usage("--batch %s is not a number of intervals", optarg);
	case TOP_BUFFER_SIZE:
		a->feed.buffer_bytes = quantity_bytes(optarg);
		return a->feed.buffer_bytes ? -1 : top_usage("--buffer-size %s is not a size", optarg);
	case TOP_MAX_SIZE:
		a->feed.record_max_bytes = quantity_bytes(optarg);
		return a->feed.record_max_bytes ? -1 : top_usage("--max-size %s is not a size", optarg);
	case TOP_INPUT:
		a->feed.input = optarg;
		return tracer_is_name(optarg) ? -1 : top_usage("--input %s: there are kmod and bpf", optarg);
	case TOP_REPLAY:
		a->replay = optarg;
		return -1;
	case TOP_JSON:
		a->batch.json = a->no_screen = true;
		return -1;
	case TOP_NO_MOUSE:
		a->no_mouse = true;
		return -1;
	case 'h':
		top_help();
		return 0;
	case ':':
		return top_usage("%s needs a value", "the last option");
	default:
		return top_usage("unknown option '%s'", optopt && optopt < 256 ? (char[]){ '-', (char)optopt, 0 } : "--");
	}
}

/* -1: go on; else the exit status. */
static int top_parse(struct top_arguments *a, int argc, char **argv)
{
	int letter, status = -1;

	*a = (struct top_arguments){ .batch = { .interval_ns = 1000000000, .stop = &top_stop },
				     .feed = { .argc = argc, .argv = argv } };
	opterr = 0;
	optind = 1;
	while (status < 0 && (letter = getopt_long(argc, argv, ":d:s:V:o:e:F:h", top_options, NULL)) != -1) {
		if (letter == '?' && !optopt)
			return top_usage("unknown option '%s'", argv[optind - 1]);
		status = top_option(a, letter);
	}
	if (status >= 0)
		return status;
	if (optind < argc)
		return top_usage("'%s' is not an option", argv[optind]);
	if (a->replay && a->feed.record_dir)
		return top_usage("--replay shows a trace that is there: -o has nothing to record%s", "");
	return -1;
}

static int top_batch(struct top_arguments *a, struct feed *f)
{
	char why[FEED_WHY];
	int err;

	top_signals();
	err = batch_run(f, &a->batch, stdout, why);
	for (unsigned int i = 0; feed_note(f, i); i++)
		fprintf(stderr, "kymo top: %s\n", feed_note(f, i));
	if (err)
		fprintf(stderr, "kymo top: %s.\n", why);
	return err ? 1 : 0;
}

static int top_screen(const struct top_arguments *a, struct feed *f)
{
	const struct top_options options = {
		.view = a->batch.view ? a->batch.view : &views[0], .interval_ns = a->batch.interval_ns,
		.duration_ns = a->batch.duration_ns, .no_mouse = a->no_mouse,
	};
	const struct snapshot *last;
	char why[FEED_WHY];
	int err = top_run(f, &options, why);

	if (!err && feed_facts(f)->live) {
		err = feed_end(f, &last);
		if (err)
			snprintf(why, sizeof(why), "%s", feed_why(f));
	}
	if (err)
		fprintf(stderr, "kymo top: %s.\n", why);
	return err ? 1 : 0;
}

static int top_show(struct top_arguments *a, struct feed *f)
{
	char lacks[SCREEN_WHY];

	if (!a->no_screen && !screen_usable(lacks)) {
		fprintf(stderr, "kymo top: no screen here: %s. It goes on as with --batch.\n", lacks);
		a->no_screen = true;
	}
	return a->no_screen ? top_batch(a, f) : top_screen(a, f);
}

int top_main(int argc, char **argv)
{
	struct top_arguments arguments;
	char why[FEED_WHY];
	struct feed *f;
	int status;

	setlocale(LC_CTYPE, "");
	status = top_parse(&arguments, argc, argv);
	if (status >= 0) {
		free(arguments.feed.events);
		return status;
	}
	f = arguments.replay ? feed_trace(arguments.replay, why) : feed_live(&arguments.feed, why);
	if (f)
		status = top_show(&arguments, f);
	else
		fprintf(stderr, "kymo top: %s.\n", why);
	feed_destroy(f);
	free(arguments.feed.events);
	return f ? status : 1;
}
