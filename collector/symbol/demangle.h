/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C++ and Rust names as their programmers wrote them. Names come from strangers' files: time, stack and output are
 * bounded, and what cannot be demangled within that stays as it is. A leaf.
 */
#ifndef KYMO_SYMBOL_DEMANGLE_H
#define KYMO_SYMBOL_DEMANGLE_H

#include <stddef.h>

/* Writes at most `size` bytes, the NUL included; a longer name ends in "...". Returns `out`. Not cleaned. */
char *demangle(char *out, size_t size, const char *name);

#endif
