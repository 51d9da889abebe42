// SPDX-License-Identifier: GPL-2.0-only
/* Compiles nowhere: else a probe that cannot fail would enable everything. */
#include <linux/module.h>
int probe(void);
int probe(void)
{
	return kymo_function_that_no_kernel_has();
}
