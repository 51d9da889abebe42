/* SPDX-License-Identifier: GPL-2.0-only */
/* Included before everything else: the number that KYMO_IOC_INFO tells. */
#ifndef ABI_MOD_H
#define ABI_MOD_H
#include <uapi/kymo.h>
#undef KYMO_ABI
#define KYMO_ABI 1001
#endif
