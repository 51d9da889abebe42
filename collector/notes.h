/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build-ids that the running kernel tells: its own (/sys/kernel/notes) and those of its modules. A leaf. */
#ifndef KYMO_NOTES_H
#define KYMO_NOTES_H

#include <stdint.h>

enum { NOTES_BUILD_ID = 20 };

/* Bytes of the id; 0: there is none, or it is not told. */
unsigned int notes_kernel(uint8_t id[NOTES_BUILD_ID]);
unsigned int notes_module(const char *name, uint8_t id[NOTES_BUILD_ID]);

/* The GNU build-id among ELF notes. */
unsigned int notes_build_id(const uint8_t *notes, unsigned long bytes, uint8_t id[NOTES_BUILD_ID]);

#endif
