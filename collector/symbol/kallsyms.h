/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's functions: as the running one tells them, or as a trace holds those that it needs (kymo/symbols). The
 * name of a module's function is "name [module]". A leaf.
 */
#ifndef KYMO_SYMBOL_KALLSYMS_H
#define KYMO_SYMBOL_KALLSYMS_H

#include "functions.h"

/*
 * The running kernel's, sealed. *base: the address of _stext. NULL: no memory, or the file is not there. A kernel that
 * does not tell its addresses (kptr_restrict) has no function, and 0 is its base.
 */
struct functions *kallsyms_read(const char *path, uint64_t *base);

/* Lines "address bytes name [module]", numbers in hex, sealed; what is no such line is passed over. NULL: no memory. */
struct functions *kallsyms_parse(const char *text, size_t bytes);

#endif
