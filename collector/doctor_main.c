// SPDX-License-Identifier: GPL-2.0-or-later
/* kymo doctor: runs the checks and says in a sentence whether the main job will work here. Loads and changes nothing. */
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "doctor.h"
#include "main.h"
#include "text.h"

static const char *const verdict_word[] = { [DOCTOR_GOOD] = "ok", [DOCTOR_NOTE] = "note", [DOCTOR_BAD] = "BAD" };

static void usage(FILE *to)
{
	fputs("Usage: kymo doctor [OPTION]...\n"
	      "What will and will not work here, why, and what to do, before anything is loaded.\n\n"
	      "      --json          for programs\n"
	      "      --root DIR      look at the files below DIR, of another machine or an image\n"
	      "      --release VER   of that machine's kernel\n"
	      "  -h, --help          this text\n\n"
	      "Exit status: 0 the module can be loaded and can record here, 1 it cannot.\n", to);
}

/* Names of files and of the kernel are in it, which may be anything. */
static void clean(char *text, size_t bytes)
{
	char raw[320];

	snprintf(raw, sizeof(raw), "%s", text);
	text_clean(text, bytes, raw, strlen(raw));
}

static void print_text(const struct doctor_check *check, const struct doctor_finding *found)
{
	printf("%-5s %-20s %s\n", verdict_word[found->verdict], check->name, found->why);
	if (*found->fix)
		printf("%-26s -> %s\n", "", found->fix);
}

static json_t *to_json(const struct doctor_check *check, const struct doctor_finding *found)
{
	return json_pack("{s:s, s:s, s:s, s:s}", "check", check->name, "verdict", verdict_word[found->verdict],
			 "why", found->why, "fix", found->fix);
}

static int examine(const struct doctor_system *sys, bool as_json)
{
	struct doctor_finding first = { .verdict = DOCTOR_GOOD };
	json_t *list = json_array();

	for (const struct doctor_check *check = doctor_checks; check->name; check++) {
		struct doctor_finding found = { .verdict = DOCTOR_GOOD };

		check->probe(sys, &found);
		clean(found.why, sizeof(found.why));
		clean(found.fix, sizeof(found.fix));
		if (found.verdict == DOCTOR_BAD && first.verdict != DOCTOR_BAD)
			first = found;
		if (as_json)
			json_array_append_new(list, to_json(check, &found));
		else
			print_text(check, &found);
	}
	if (as_json) {
		char release[4 * sizeof(sys->release)];
		json_t *all = json_pack("{s:s, s:b, s:s, s:s, s:o}", "kernel",
					text_clean(release, sizeof(release), sys->release, strlen(sys->release)), "works",
					first.verdict != DOCTOR_BAD, "why", first.why, "fix", first.fix, "checks", list);

		json_dumpf(all, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(all);
	} else {
		json_decref(list);
		if (first.verdict == DOCTOR_BAD)
			printf("\nkymo record will not work here: %s.\nTo do: %s.\n", first.why, first.fix);
		else
			printf("\nkymo record will work here%s.\n", sys->module_loaded ? "" :
			       *sys->module ? " once the module is loaded" : " once the module is built and loaded");
	}
	return first.verdict == DOCTOR_BAD;
}

int doctor_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' }, { "root", required_argument, NULL, 'r' },
		{ "release", required_argument, NULL, 'k' }, { "help", no_argument, NULL, 'h' }, { 0 },
	};
	const char *root = "", *release = NULL;
	struct doctor_system sys;
	bool as_json = false;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'j': as_json = true; break;
		case 'r': root = optarg; break;
		case 'k': release = optarg; break;
		case 'h': usage(stdout); return 0;
		default: fputs("'kymo doctor --help' lists the options.\n", stderr); return 2;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "kymo doctor: unexpected argument '%s'. 'kymo doctor --help' tells how to use it.\n", argv[optind]);
		return 2;
	}
	doctor_look(&sys, root, release);
	return examine(&sys, as_json);
}
