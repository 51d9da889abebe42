// SPDX-License-Identifier: GPL-2.0-or-later
/* parts SECONDS: CPU time in parts_seventy and parts_thirty. See parts.h. */
#include "parts.h"

__attribute__((noinline)) void parts_seventy(unsigned long loops)
{
	parts_spin(loops);
}

static __attribute__((noinline)) void parts_thirty(unsigned long loops)
{
	parts_spin(loops);
}

int main(int argc, char **argv)
{
	return parts_run(argc, argv, parts_seventy, parts_thirty);
}
