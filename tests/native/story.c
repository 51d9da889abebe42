// SPDX-License-Identifier: GPL-2.0-or-later
/* story DIR SECONDS - writes the trace of trace_story.h. */
#include "../unit/trace_story.h"

int main(int argc, char **argv)
{
	if (argc != 3 || (mkdir(argv[1], 0700) && access(argv[1], W_OK)))
		return 2;
	story_make(argv[1], (unsigned int)atoi(argv[2]));
	return 0;
}
