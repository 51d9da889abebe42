/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What will and will not work on this machine and why, found out without loading anything: a table of checks, each
 * a probe that fills in a finding. Nothing here prints; the main job is: load the module, record.
 */
#ifndef KYMO_DOCTOR_H
#define KYMO_DOCTOR_H

#include <stdbool.h>

enum doctor_verdict {
	DOCTOR_GOOD,
	DOCTOR_NOTE,		/* the main job works, something beside it does not */
	DOCTOR_BAD,		/* the main job will not work */
};

/* What is looked at, and what several probes want to know. */
struct doctor_system {
	const char *root;	/* "" or a folder that holds another machine's files */
	char release[128];	/* of the kernel */
	char module[4096];	/* the file that fits this kernel; empty: none */
	bool module_signed;
	bool module_loaded;
};

struct doctor_finding {
	enum doctor_verdict verdict;
	char why[320];
	char fix[320];		/* empty: there is nothing to do */
};

struct doctor_check {
	const char *name;
	void (*probe)(const struct doctor_system *sys, struct doctor_finding *out);
};

/* release: NULL, the running kernel's */
void doctor_look(struct doctor_system *sys, const char *root, const char *release);

extern const struct doctor_check doctor_checks[];	/* for the module; the last one has no name */
extern const struct doctor_check doctor_bpf_checks[];	/* for BPF */

#endif
