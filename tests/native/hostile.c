// SPDX-License-Identifier: GPL-2.0-or-later
/* hostile DIR - writes the trace of trace_hostile.h. */
#include "../unit/trace_hostile.h"

int main(int argc, char **argv)
{
	if (argc != 2 || (mkdir(argv[1], 0700) && access(argv[1], W_OK)))
		return 2;
	hostile_make(argv[1]);
	return 0;
}
