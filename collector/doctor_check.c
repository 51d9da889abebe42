// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The checks of doctor: what each looks at, what it means for loading the module and recording, and what to do. The
 * order is that of the report: the first bad one is the reason that is told.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uapi/kymo.h>

#include "doctor.h"
#include "doctor_file.h"

/* What only loading needs does not matter once the module is in. */
static enum doctor_verdict load_needs(const struct doctor_system *sys)
{
	return sys->module_loaded ? DOCTOR_NOTE : DOCTOR_BAD;
}

/* What only building needs does not matter once there is a module file. */
static enum doctor_verdict build_needs(const struct doctor_system *sys)
{
	return sys->module_loaded || *sys->module ? DOCTOR_NOTE : DOCTOR_BAD;
}

static void probe_modules(const struct doctor_system *sys, struct doctor_finding *out)
{
	if (doctor_exists(sys, "/proc/modules")) {
		SAY(out, DOCTOR_GOOD, "kernel %s takes modules", sys->release);
		return;
	}
	SAY(out, DOCTOR_BAD, "kernel %s was built without support for modules (CONFIG_MODULES)", sys->release);
	FIX(out, "boot a distribution's kernel; BPF may do instead (see below)");
}

static void probe_modules_disabled(const struct doctor_system *sys, struct doctor_finding *out)
{
	if (doctor_number(sys, "/proc/sys/kernel/modules_disabled", 0) == 0) {
		SAY(out, DOCTOR_GOOD, "loading is not switched off");
		return;
	}
	SAY(out, load_needs(sys), "kernel.modules_disabled is 1: no module can be loaded until the next boot");
	FIX(out, "remove it from /etc/sysctl.d and reboot, or load kymo before it is set");
}

static void probe_file(const struct doctor_system *sys, struct doctor_finding *out)
{
	if (*sys->module) {
		SAY(out, DOCTOR_GOOD, "%.300s", sys->module);
		return;
	}
	SAY(out, DOCTOR_NOTE, "no kymo.ko for %s yet", sys->release);
	FIX(out, "make kmod (what that needs is checked below)");
}

static void probe_headers(const struct doctor_system *sys, struct doctor_finding *out)
{
	char a[256], b[256];

	snprintf(a, sizeof(a), "/lib/modules/%s/build/Makefile", sys->release);
	snprintf(b, sizeof(b), "/usr/src/linux-headers-%s/Makefile", sys->release);
	if (doctor_exists(sys, a) || doctor_exists(sys, b)) {
		SAY(out, DOCTOR_GOOD, "headers of %s are installed", sys->release);
		return;
	}
	SAY(out, build_needs(sys), "the headers of %s are missing: the module cannot be built for it", sys->release);
	FIX(out, "apt install linux-headers-%s", sys->release);
}

static bool in_path(const struct doctor_system *sys, const char *program)
{
	static const char *const dirs[] = { "/usr/local/bin", "/usr/bin", "/bin" };
	char path[256];

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dirs[i], program);
		if (doctor_exists(sys, path))
			return true;
	}
	return false;
}

static void probe_tools(const struct doctor_system *sys, struct doctor_finding *out)
{
	const char *missing = !in_path(sys, "make") ? "make" : !in_path(sys, "gcc") ? "gcc" : NULL;

	if (!missing) {
		SAY(out, DOCTOR_GOOD, "make and gcc are there");
		return;
	}
	SAY(out, build_needs(sys), "%s is missing: the module cannot be built", missing);
	FIX(out, "apt install gcc make");
}

static void probe_signature(const struct doctor_system *sys, struct doctor_finding *out)
{
	char text[4096] = "";
	bool enforced = doctor_read(sys, "/sys/module/module/parameters/sig_enforce", text, sizeof(text)) && *text == 'Y';

	if (!enforced && doctor_read(sys, "/proc/cmdline", text, sizeof(text)))
		enforced = strstr(text, "module.sig_enforce=1") || strstr(text, "module.sig_enforce=y");
	if (!enforced)
		SAY(out, DOCTOR_GOOD, "unsigned modules are taken (with a taint)");
	else if (sys->module_signed)
		SAY(out, DOCTOR_NOTE, "only signed modules are taken; kymo.ko is signed: it loads if the kernel knows the key");
	else
		SAY(out, load_needs(sys), "this kernel takes signed modules only (module.sig_enforce) and kymo.ko is not signed");
	if (enforced && !sys->module_signed)
		FIX(out, "sign kymo.ko with a key that is enrolled (mokutil), or boot without module.sig_enforce=1");
}

static void probe_lockdown(const struct doctor_system *sys, struct doctor_finding *out)
{
	char text[128];

	if (!doctor_read(sys, "/sys/kernel/security/lockdown", text, sizeof(text)) || strstr(text, "[none]")) {
		SAY(out, DOCTOR_GOOD, "the kernel is not locked down");
		return;
	}
	if (strstr(text, "[confidentiality]"))
		SAY(out, DOCTOR_BAD, "the kernel is locked down for confidentiality: it refuses to be observed");
	else if (sys->module_signed)
		SAY(out, DOCTOR_NOTE, "locked down (integrity): kymo.ko is signed and loads if the kernel knows the key");
	else
		SAY(out, load_needs(sys), "locked down (integrity): the kernel takes signed modules only, and kymo.ko is not");
	FIX(out, "sign kymo.ko with an enrolled key (mokutil), or switch Secure Boot or lockdown= off");
}

static void probe_secure_boot(const struct doctor_system *sys, struct doctor_finding *out)
{
	unsigned char value[8] = "";
	char full[4096];
	FILE *f;

	doctor_path(sys, full, sizeof(full),
		    "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
	f = fopen(full, "re"); /* four bytes of attributes, then the value */
	if (f) {
		size_t n = fread(value, 1, 5, f);

		fclose(f);
		if (n == 5 && value[4] == 1) {
			SAY(out, DOCTOR_NOTE, "Secure Boot is on: kernels are usually locked down by it (see lockdown)");
			return;
		}
	}
	SAY(out, DOCTOR_GOOD, f ? "Secure Boot is off" : "no Secure Boot");
}

static void probe_rights(const struct doctor_system *sys, struct doctor_finding *out)
{
	if (!doctor_cap(DOCTOR_CAP_MODULE) && !sys->module_loaded)
		SAY(out, DOCTOR_BAD, "you may not load modules (CAP_SYS_MODULE is missing)");
	else if (!doctor_cap(DOCTOR_CAP_PERF) && !doctor_cap(DOCTOR_CAP_ADMIN))
		SAY(out, DOCTOR_BAD, "you may not observe the machine (CAP_PERFMON is missing)");
	else {
		SAY(out, DOCTOR_GOOD, "you may load modules and observe the machine");
		return;
	}
	FIX(out, "run it as root: sudo");
}

static void probe_device(const struct doctor_system *sys, struct doctor_finding *out)
{
	struct kymo_info info = { 0 };
	char path[4096];
	int fd, err;

	doctor_path(sys, path, sizeof(path), KYMO_DEVICE);
	fd = open(path, O_RDWR | O_CLOEXEC);
	err = fd < 0 ? errno : ioctl(fd, KYMO_IOC_INFO, &info) ? errno : 0;
	if (fd >= 0)
		close(fd);
	if (!err && info.abi == KYMO_ABI) {
		SAY(out, DOCTOR_GOOD, "the module is loaded, version %.31s, ABI %u", info.version, info.abi);
	} else if (!err) {
		SAY(out, DOCTOR_BAD, "the loaded module speaks ABI %u, this kymo speaks ABI %u", info.abi, KYMO_ABI);
		FIX(out, "rmmod kymo, then load the kymo.ko that was built with this program");
	} else if (!sys->module_loaded && err == ENOENT) {
		SAY(out, DOCTOR_GOOD, "the module is not loaded yet");
		FIX(out, "insmod %.300s", *sys->module ? sys->module : "kymo.ko");
	} else {
		SAY(out, DOCTOR_BAD, "%s: %s", KYMO_DEVICE, strerror(err));
		FIX(out, err == EPERM || err == EACCES ? "run it as root: sudo" : "rmmod kymo; insmod kymo.ko");
	}
}

static void probe_paranoid(const struct doctor_system *sys, struct doctor_finding *out)
{
	long value = doctor_number(sys, "/proc/sys/kernel/perf_event_paranoid", -2);

	if (value == -2) {
		SAY(out, DOCTOR_NOTE, "this kernel has no perf events: no sampling, no tracepoints by name");
		return;
	}
	SAY(out, DOCTOR_GOOD, "perf_event_paranoid is %ld; it does not bind the module's own counters", value);
}

static void probe_addresses(const struct doctor_system *sys, struct doctor_finding *out)
{
	bool shown = false;

	if (doctor_symbol(sys, "schedule", &shown) && shown) {
		SAY(out, DOCTOR_GOOD, "kernel addresses can be named");
		return;
	}
	SAY(out, DOCTOR_NOTE, "/proc/kallsyms hides addresses (kptr_restrict is %ld): kernel stacks stay numbers",
	    doctor_number(sys, "/proc/sys/kernel/kptr_restrict", -1));
	FIX(out, "as root: sysctl kernel.kptr_restrict=1");
}

static void probe_kprobes(const struct doctor_system *sys, struct doctor_finding *out)
{
	if (doctor_symbol(sys, "register_kretprobe", NULL)) {
		SAY(out, DOCTOR_GOOD, "kprobes are there");
		return;
	}
	SAY(out, DOCTOR_NOTE, "no kprobes (CONFIG_KPROBES): before Linux 6.6 bytes by socket call are missing");
}

static void probe_syscalls(const struct doctor_system *sys, struct doctor_finding *out)
{
	if (doctor_symbol(sys, "__traceiter_sys_enter", NULL)) {
		SAY(out, DOCTOR_GOOD, "system calls have trace events");
		return;
	}
	SAY(out, DOCTOR_NOTE, "no raw_syscalls trace events: system calls are not recorded");
}

static void probe_pmu(const struct doctor_system *sys, struct doctor_finding *out)
{
	if (doctor_exists(sys, "/sys/bus/event_source/devices/cpu/format") ||
	    doctor_exists(sys, "/sys/bus/event_source/devices/cpu_core"))
		SAY(out, DOCTOR_GOOD, "a hardware counter samples the CPUs, in NMI");
	else
		SAY(out, DOCTOR_GOOD, "no hardware counter: sampled by cpu-clock; code with interrupts off looks like its end");
}

static void probe_tracefs(const struct doctor_system *sys, struct doctor_finding *out)
{
	if (doctor_exists(sys, "/sys/kernel/tracing/events")) {
		SAY(out, DOCTOR_GOOD, "tracefs is mounted");
		return;
	}
	SAY(out, DOCTOR_NOTE, "tracefs is not mounted or not for you; the module does not need it");
	FIX(out, "mount -t tracefs nodev /sys/kernel/tracing");
}

static void probe_memlock(const struct doctor_system *sys, struct doctor_finding *out)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		SAY(out, DOCTOR_GOOD, "locked memory is not limited");
	else
		SAY(out, DOCTOR_GOOD, "locked memory: %llu KiB; the module's rings do not count",
		    (unsigned long long)limit.rlim_cur >> 10);
}

const struct doctor_check doctor_checks[] = {
	{ "modules", probe_modules },
	{ "modules_disabled", probe_modules_disabled },
	{ "signature", probe_signature },
	{ "lockdown", probe_lockdown },
	{ "secure_boot", probe_secure_boot },
	{ "rights", probe_rights },
	{ "module_file", probe_file },
	{ "headers", probe_headers },
	{ "compiler", probe_tools },
	{ "device", probe_device },
	{ "perf_event_paranoid", probe_paranoid },
	{ "kernel_addresses", probe_addresses },
	{ "kprobes", probe_kprobes },
	{ "syscall_events", probe_syscalls },
	{ "pmu", probe_pmu },
	{ "tracefs", probe_tracefs },
	{ "locked_memory", probe_memlock },
	{ NULL, NULL },
};
