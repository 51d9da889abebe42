/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of the command line. 0: not one. A leaf. */
#ifndef KYMO_QUANTITY_H
#define KYMO_QUANTITY_H

#include <stdint.h>

uint64_t quantity_bytes(const char *text);	/* 10, 64K, 1.5G */
uint64_t quantity_ns(const char *text);		/* seconds: 10, 0.5 */
uint64_t quantity_count(const char *text);	/* up to a million */

#endif
