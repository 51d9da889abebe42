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

#endif
