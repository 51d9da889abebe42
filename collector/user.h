/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a user's number is called on this machine. Asked once for each, then remembered. A leaf. */
#ifndef KYMO_USER_H
#define KYMO_USER_H

#include <stdint.h>

const char *user_name(uint32_t uid);	/* not cleaned; NULL: it has none */

#endif
