/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's lists of CPUs ("0-3,8") below /sys/devices/system/cpu. A leaf. */
#ifndef KYMO_CPU_LIST_H
#define KYMO_CPU_LIST_H

/* Which: "online", "possible". Calls `each` for every CPU. The highest number + 1, or -errno. */
int cpu_list_read(const char *which, void (*each)(void *context, unsigned int cpu), void *context);

#endif
