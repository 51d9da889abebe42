// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the probes share: files below a root, the running kernel, the module's file. Does not know what a finding
 * means for the user.
 */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "doctor.h"
#include "doctor_file.h"

void doctor_path(const struct doctor_system *sys, char *out, size_t bytes, const char *path)
{
	snprintf(out, bytes, "%s%s", sys->root, path);
}

bool doctor_exists(const struct doctor_system *sys, const char *path)
{
	char full[PATH_MAX];

	doctor_path(sys, full, sizeof(full), path);
	return access(full, F_OK) == 0;
}

bool doctor_read(const struct doctor_system *sys, const char *path, char *out, size_t bytes)
{
	char full[PATH_MAX];
	FILE *f;
	size_t n;

	doctor_path(sys, full, sizeof(full), path);
	f = fopen(full, "re");
	if (!f)
		return false;
	n = fread(out, 1, bytes - 1, f);
	fclose(f);
	out[n] = '\0';
	return n > 0;
}

long doctor_number(const struct doctor_system *sys, const char *path, long otherwise)
{
	char text[64];

	return doctor_read(sys, path, text, sizeof(text)) ? strtol(text, NULL, 10) : otherwise;
}

bool doctor_symbol(const struct doctor_system *sys, const char *name, bool *address_shown)
{
	char full[PATH_MAX], line[512], symbol[256];
	unsigned long long address;
	bool found = false;
	FILE *f;

	doctor_path(sys, full, sizeof(full), "/proc/kallsyms");
	f = fopen(full, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %*c %255s", &address, symbol) != 2)
			continue;
		found = !strcmp(symbol, name);
		if (found && address_shown)
			*address_shown = address != 0;
	}
	fclose(f);
	return found;
}

bool doctor_cap(int cap)
{
	char line[256];
	unsigned long long effective = 0;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			break;
	if (f)
		fclose(f);
	return effective >> cap & 1;
}

/* Is this an (uncompressed) module for that kernel? A compressed one is taken at its folder's word. */
static bool module_fits(const char *path, const char *release, bool *is_signed)
{
	static const char mark[] = "~Module signature appended~\n";
	size_t len = strlen(path), bytes = 0, room = 64 << 20;
	char want[160], *image = NULL;
	bool fits = false;
	FILE *f = fopen(path, "re");

	if (!f)
		return false;
	*is_signed = false;
	if (len < 3 || strcmp(path + len - 3, ".ko")) {
		fclose(f);
		return true;
	}
	image = malloc(room);
	if (image) {
		bytes = fread(image, 1, room, f);
		snprintf(want, sizeof(want), "vermagic=%s ", release);
		fits = memmem(image, bytes, want, strlen(want)) != NULL;
		*is_signed = bytes > strlen(mark) && !memcmp(image + bytes - strlen(mark), mark, strlen(mark));
	}
	free(image);
	fclose(f);
	return fits;
}

/* Where `make` and `make install` and DKMS put it. */
static void find_module(struct doctor_system *sys)
{
	static const char *const places[] = { "updates/kymo.ko", "updates/dkms/kymo.ko", "updates/dkms/kymo.ko.xz",
					      "updates/dkms/kymo.ko.zst", "extra/kymo.ko" };
	char self[PATH_MAX], path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n > 0 && !*sys->root) {
		self[n] = '\0';
		snprintf(sys->module, sizeof(sys->module), "%.3000s/kmod/%s/kymo.ko", dirname(self), sys->release);
		if (module_fits(sys->module, sys->release, &sys->module_signed))
			return;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "/lib/modules/%s/%s", sys->release, places[i]);
		doctor_path(sys, sys->module, sizeof(sys->module), path);
		if (module_fits(sys->module, sys->release, &sys->module_signed))
			return;
	}
	sys->module[0] = '\0';
}

void doctor_look(struct doctor_system *sys, const char *root, const char *release)
{
	struct utsname un;

	memset(sys, 0, sizeof(*sys));
	sys->root = root;
	if (!release && uname(&un) == 0)
		release = un.release;
	snprintf(sys->release, sizeof(sys->release), "%s", release ? release : "unknown");
	find_module(sys);
	sys->module_loaded = doctor_exists(sys, "/sys/module/kymo");
}
