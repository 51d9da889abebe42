// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's lists of CPUs. */
#include "cpu_list.h"

#include <errno.h>
#include <stdio.h>

int cpu_list_read(const char *which, void (*each)(void *context, unsigned int cpu), void *context)
{
	unsigned int from, to, highest = 0;
	char path[64];
	FILE *f;
	int c = ',';

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/%.32s", which);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (c == ',' && fscanf(f, "%u", &from) == 1) {
		to = from;
		c = fgetc(f);
		if (c == '-' && fscanf(f, "%u", &to) == 1)
			c = fgetc(f);
		for (unsigned int cpu = from; each && cpu <= to; cpu++)
			each(context, cpu);
		highest = to + 1 > highest ? to + 1 : highest;
	}
	fclose(f);
	return highest ? (int)highest : -EINVAL;
}
