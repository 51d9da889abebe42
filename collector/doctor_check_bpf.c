// SPDX-License-Identifier: GPL-2.0-or-later
/* The checks of doctor for the BPF input: what each looks at and what to do. The first bad one is the reason. */
#include <stdio.h>
#include <string.h>

#include "bpf_programs.h"
#include "doctor.h"
#include "doctor_file.h"

static void probe_built(const struct doctor_system *sys, struct doctor_finding *out)
{
	if (bpf_programs_built()) {
		SAY(out, DOCTOR_GOOD, "this kymo has its BPF programs in it");
		return;
	}
	SAY(out, DOCTOR_BAD, "this kymo was built without its BPF programs");
	FIX(out, "apt install clang bpftool libbpf-dev, and make");
}

static void probe_types(const struct doctor_system *sys, struct doctor_finding *out)
{
	if (doctor_exists(sys, "/sys/kernel/btf/vmlinux")) {
		SAY(out, DOCTOR_GOOD, "the kernel describes its types (BTF)");
		return;
	}
	SAY(out, DOCTOR_BAD, "the kernel does not describe its types (no BTF: CONFIG_DEBUG_INFO_BTF)");
	FIX(out, "boot a distribution's kernel");
}

static void probe_rights(const struct doctor_system *sys, struct doctor_finding *out)
{
	if (doctor_cap(DOCTOR_CAP_ADMIN) || (doctor_cap(DOCTOR_CAP_BPF) && doctor_cap(DOCTOR_CAP_PERF))) {
		SAY(out, DOCTOR_GOOD, "you may load BPF programs that observe the machine");
		return;
	}
	SAY(out, DOCTOR_BAD, "you may not load BPF programs that observe the machine (CAP_BPF and CAP_PERFMON)");
	FIX(out, "run it as root: sudo");
}

static void probe_lockdown(const struct doctor_system *sys, struct doctor_finding *out)
{
	char text[128];

	if (!doctor_read(sys, "/sys/kernel/security/lockdown", text, sizeof(text)) || !strstr(text, "[confidentiality]")) {
		SAY(out, DOCTOR_GOOD, "no lockdown that keeps BPF from reading the kernel");
		return;
	}
	SAY(out, DOCTOR_BAD, "the kernel is locked down for confidentiality: BPF may not read its memory");
	FIX(out, "boot without lockdown=confidentiality");
}

/* Since 6.6 */
static void probe_sockets(const struct doctor_system *sys, struct doctor_finding *out)
{
	if (doctor_symbol(sys, "__traceiter_sock_send_length", NULL))
		SAY(out, DOCTOR_GOOD, "bytes by socket call are told by the kernel's own trace events");
	else
		SAY(out, DOCTOR_NOTE, "no sock_send_length (before Linux 6.6): bytes by socket call are missing with BPF");
}

const struct doctor_check doctor_bpf_checks[] = {
	{ "bpf_programs", probe_built },
	{ "bpf_types", probe_types },
	{ "bpf_rights", probe_rights },
	{ "bpf_lockdown", probe_lockdown },
	{ "bpf_sockets", probe_sockets },
	{ NULL, NULL },
};
