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
	      "      --input NAME    only what concerns the module (kmod) or BPF (bpf)\n"
	      "      --json          for programs\n"
	      "      --root DIR      look at the files below DIR, of another machine or an image\n"
	      "      --release VER   of that machine's kernel\n"
	      "  -h, --help          this text\n\n"
	      "Exit status: 0 kymo can record here, by the module (once it is loaded) or by BPF; 1 it cannot.\n", to);
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

/* What stands against one way of recording: the first bad finding. */
static struct doctor_finding examine(const struct doctor_system *sys, const struct doctor_check *checks, json_t *list)
{
	struct doctor_finding first = { .verdict = DOCTOR_GOOD };

	for (const struct doctor_check *check = checks; check->name; check++) {
		struct doctor_finding found = { .verdict = DOCTOR_GOOD };

		check->probe(sys, &found);
		clean(found.why, sizeof(found.why));
		clean(found.fix, sizeof(found.fix));
		if (found.verdict == DOCTOR_BAD && first.verdict != DOCTOR_BAD)
			first = found;
		if (list)
			json_array_append_new(list, to_json(check, &found));
		else
			print_text(check, &found);
	}
	return first;
}

static const struct doctor_finding not_looked_at = { .verdict = DOCTOR_BAD };

static void conclude(const struct doctor_system *sys, const struct doctor_finding *kmod, const struct doctor_finding *bpf)
{
	const char *when = sys->module_loaded ? "" : *sys->module ? " once the module is loaded" :
			   " once the module is built and loaded";

	if (kmod->verdict != DOCTOR_BAD) {
		printf("\nkymo record will work here%s%s.\n", when,
		       *when && bpf->verdict != DOCTOR_BAD ? "; until then by BPF" : "");
	} else if (bpf->verdict != DOCTOR_BAD) {
		if (*kmod->why)
			printf("\nThe module will not work here: %s.\nTo do: %s.", kmod->why, kmod->fix);
		printf("\nkymo record will work here by BPF.\n");
	} else {
		const struct doctor_finding *first = *kmod->why ? kmod : bpf;

		printf("\nkymo record will not work here: %s.\nTo do: %s.\n", first->why, first->fix);
		if (first == kmod && *bpf->why)
			printf("Nor by BPF: %s.\nTo do: %s.\n", bpf->why, bpf->fix);
	}
}

static void conclude_json(const struct doctor_system *sys, const struct doctor_finding *kmod,
			  const struct doctor_finding *bpf, json_t *list)
{
	const bool by_kmod = kmod->verdict != DOCTOR_BAD, by_bpf = bpf->verdict != DOCTOR_BAD;
	const struct doctor_finding *first = by_kmod || *kmod->why ? kmod : bpf;
	char release[4 * sizeof(sys->release)];
	json_t *all = json_pack("{s:s, s:b, s:b, s:b, s:s, s:s, s:o}", "kernel",
				text_clean(release, sizeof(release), sys->release, strlen(sys->release)),
				"works", by_kmod || by_bpf, "works_kmod", by_kmod, "works_bpf", by_bpf,
				"why", first->why, "fix", first->fix, "checks", list);

	json_dumpf(all, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(all);
}

/* which: "kmod", "bpf", or NULL: both ways. */
static int examine_all(const struct doctor_system *sys, const char *which, bool as_json)
{
	json_t *list = as_json ? json_array() : NULL;
	struct doctor_finding kmod = not_looked_at, bpf = not_looked_at;

	if (!which || !strcmp(which, "kmod"))
		kmod = examine(sys, doctor_checks, list);
	if (!which || !strcmp(which, "bpf"))
		bpf = examine(sys, doctor_bpf_checks, list);
	if (as_json)
		conclude_json(sys, &kmod, &bpf, list);
	else
		conclude(sys, &kmod, &bpf);
	return kmod.verdict == DOCTOR_BAD && bpf.verdict == DOCTOR_BAD;
}

int doctor_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' }, { "root", required_argument, NULL, 'r' },
		{ "release", required_argument, NULL, 'k' }, { "input", required_argument, NULL, 'i' },
		{ "help", no_argument, NULL, 'h' }, { 0 },
	};
	const char *root = "", *release = NULL, *which = NULL;
	struct doctor_system sys;
	bool as_json = false;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'j': as_json = true; break;
		case 'r': root = optarg; break;
		case 'k': release = optarg; break;
		case 'i': which = optarg; break;
		case 'h': usage(stdout); return 0;
		default: fputs("'kymo doctor --help' lists the options.\n", stderr); return 2;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "kymo doctor: unexpected argument '%s'. 'kymo doctor --help' tells how to use it.\n", argv[optind]);
		return 2;
	}
	if (which && strcmp(which, "kmod") && strcmp(which, "bpf")) {
		fprintf(stderr, "kymo doctor: --input %s: there are kmod and bpf.\n", which);
		return 2;
	}
	doctor_look(&sys, root, release);
	return examine_all(&sys, which, as_json);
}
