/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/kymo. */
#ifndef KYMO_CHARDEV_H
#define KYMO_CHARDEV_H

int kymo_chardev_init(void);
void kymo_chardev_fini(void);

#endif
