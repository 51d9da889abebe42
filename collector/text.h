/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for people: bytes from outside made safe for a terminal, sizes and times in units. A leaf. Every function
 * writes at most `size` bytes, the NUL included, and returns `out`.
 */
#ifndef KYMO_TEXT_H
#define KYMO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_NUMBER = 32 };	/* enough for every number below */

/*
 * The one way of outside text to a terminal. `in` ends at its first NUL or after `bytes`. Valid UTF-8 passes;
 * control characters (C0, DEL, C1), what changes the direction of writing or has no width, and what is no UTF-8
 * become \xNN, and a backslash becomes two.
 */
char *text_clean(char *out, size_t size, const void *in, size_t bytes);

/* The length of the UTF-8 sequence at `in`, of which `bytes` are there, its code point in *code; 0: there is none. */
unsigned int text_utf8(const void *in, size_t bytes, uint32_t *code);
bool text_harmless(uint32_t code);	/* what text_clean lets pass */

char *text_count(char *out, size_t size, uint64_t n);		/* 1,234,567 */
char *text_bytes(char *out, size_t size, uint64_t bytes);	/* 999 B, 1.23 MB; powers of 1000 */
char *text_ns(char *out, size_t size, uint64_t ns);		/* 999 ns, 1.23 us, 12.3 ms, 1.234 s */

#endif
