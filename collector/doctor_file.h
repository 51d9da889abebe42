/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How doctor's probes look at files: always below the system's root. */
#ifndef KYMO_DOCTOR_FILE_H
#define KYMO_DOCTOR_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct doctor_system;

void doctor_path(const struct doctor_system *sys, char *out, size_t bytes, const char *path);
bool doctor_exists(const struct doctor_system *sys, const char *path);
bool doctor_read(const struct doctor_system *sys, const char *path, char *out, size_t bytes); /* NUL-terminated */
long doctor_number(const struct doctor_system *sys, const char *path, long otherwise);

/* Is there a kernel symbol of that name? *address_shown (may be NULL): is its address told to us? */
bool doctor_symbol(const struct doctor_system *sys, const char *name, bool *address_shown);

bool doctor_cap(int cap);	/* has this process got it? */

enum { DOCTOR_CAP_MODULE = 16, DOCTOR_CAP_ADMIN = 21, DOCTOR_CAP_PERF = 38, DOCTOR_CAP_BPF = 39 };

#define SAY(out, v, reason, ...) do { \
	(out)->verdict = (v); \
	snprintf((out)->why, sizeof((out)->why), reason, ##__VA_ARGS__); \
} while (0)
#define FIX(out, ...) snprintf((out)->fix, sizeof((out)->fix), __VA_ARGS__)

#endif
