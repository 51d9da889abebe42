// SPDX-License-Identifier: GPL-2.0-or-later
/* kymo report: options, progress bar, exit status. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "main.h"
#include "report.h"

enum { REPORT_BAR = 40 };

static void report_help(FILE *to)
{
	fprintf(to, "Usage: kymo report [OPTION]... DIR\n\n"
		"Reads a trace that 'kymo record -o DIR' made and shows what happened, in tables.\n\n"
		"  -V, --view VIEW  only this view:");
	for (unsigned int i = 0; i < views_count; i++)
		fprintf(to, "%s %s", i ? "," : "", views[i].name);
	fprintf(to, "\n"
		"      --top N      rows of each view; 0: all (JSON shows all by itself)\n"
		"      --json       JSON with raw numbers (ns, bytes)\n"
		"  -h, --help       this text\n\n"
		"Columns: CPU time is exact from the scheduler's switches; RUNQ is waiting for a CPU; THR+ and FORK+\n"
		"threads and processes created; RX, TX bytes of socket calls. Quantiles are right to 3.2 %%.\n"
		"Exit status: 0 done, 1 cannot read, 2 wrong usage, 3 done, but a part of the trace could not be read.\n");
}

struct report_options {
	const char *path;
	const struct view *only;
	unsigned int top;
	bool json;
};

/* 0; else the exit status + 1. */
static int report_options_parse(struct report_options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "view", required_argument, NULL, 'V' }, { "top", required_argument, NULL, 't' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 },
	};
	unsigned long n;
	char *end;
	int c;

	while ((c = getopt_long(argc, argv, "V:h", longs, NULL)) != -1) {
		switch (c) {
		case 'V':
			o->only = view_find(optarg);
			if (o->only)
				break;
			fprintf(stderr, "kymo report: there is no view '%s'. 'kymo report --help' lists them.\n", optarg);
			return 3;
		case 't':
			errno = 0;
			n = strtoul(optarg, &end, 10);
			if (*end || end == optarg || errno || *optarg == '-' || n >= UINT_MAX) {
				fprintf(stderr, "kymo report: --top takes a number of rows, not '%s'.\n", optarg);
				return 3;
			}
			o->top = n ? (unsigned int)n : UINT_MAX;
			break;
		case 'j':
			o->json = true;
			break;
		case 'h':
			report_help(stdout);
			return 1;
		default:
			fprintf(stderr, "'kymo report --help' lists the options.\n");
			return 3;
		}
	}
	if (optind + 1 != argc) {
		fprintf(stderr, optind == argc ? "kymo report: which trace? Give the directory that 'kymo record -o' made.\n"
					       : "kymo report: one trace at a time.\n");
		return 3;
	}
	o->path = argv[optind];
	return 0;
}

static void report_bar(void *context, uint64_t done, uint64_t of)
{
	int *shown = context;
	const int percent = of ? (int)((double)done * 100 / (double)of) : 100;
	char bar[REPORT_BAR + 1] = { 0 };

	if (percent == *shown)
		return;
	*shown = percent;
	memset(bar, ' ', REPORT_BAR);
	memset(bar, '#', (size_t)(percent < 100 ? percent : 100) * REPORT_BAR / 100);
	fprintf(stderr, "\rreading [%s] %3d %%", bar, percent);
}

int report_main(int argc, char **argv)
{
	struct report_options o = { 0 };
	char error[INPUT_TRACE_ERROR];
	int shown = -1, status;
	const struct report_progress progress = { report_bar, &shown };
	struct report r;

	setlocale(LC_CTYPE, "");
	status = report_options_parse(&o, argc, argv);
	if (status)
		return status - 1;
	status = report_read(&r, o.path, isatty(STDERR_FILENO) ? &progress : NULL, error);
	if (shown >= 0)
		fprintf(stderr, "\r\033[K");
	if (status) {
		fprintf(stderr, "kymo report: %s\n", error);
		return 1;
	}
	status = report_incomplete(&r) ? 3 : 0;
	if (o.json) {
		if (report_json(&r, o.only, o.top == UINT_MAX ? 0 : o.top, stdout))
			status = 1;
	} else {
		report_text(&r, o.path, o.only, o.top, stdout);
	}
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "kymo report: cannot write the report: %s.\n", strerror(errno));
		status = 1;
	}
	report_fini(&r);
	return status;
}
