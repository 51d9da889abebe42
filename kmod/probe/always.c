// SPDX-License-Identifier: GPL-2.0-only
/* Compiles everywhere: else it is the mechanism that does not work. */
#include <linux/module.h>
#include <linux/mm.h>
int probe(void);
int probe(void)
{
	return 0;
}
