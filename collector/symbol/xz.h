/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks what xz has packed, into memory. Input is a stranger's: output and the decoder's memory are bounded. A leaf. */
#ifndef KYMO_SYMBOL_XZ_H
#define KYMO_SYMBOL_XZ_H

#include <stddef.h>

/* For free(); NULL: no xz stream, one that is damaged or more than bytes_max, or no memory. */
void *xz_unpack(const void *packed, size_t packed_bytes, size_t bytes_max, size_t *bytes);

#endif
