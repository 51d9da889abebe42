// SPDX-License-Identifier: GPL-2.0-or-later
/* By liblzma. */
#include "xz.h"

#include <lzma.h>
#include <stdlib.h>

enum { XZ_MEMORY = 64 << 20, XZ_FIRST = 1 << 16 };	/* the decoder needs its dictionary: 8 MiB unless somebody wanted more */

/* Room for twice as much; what there was is kept if there is no room. */
static unsigned char *xz_grow(unsigned char *out, size_t *room, size_t bytes_max)
{
	const size_t wanted = *room ? *room * 2 : XZ_FIRST, more = wanted < bytes_max ? wanted : bytes_max;
	unsigned char *grown = more > *room ? realloc(out, more) : NULL;

	if (grown)
		*room = more;
	return grown;
}

void *xz_unpack(const void *packed, size_t packed_bytes, size_t bytes_max, size_t *bytes)
{
	lzma_stream s = LZMA_STREAM_INIT;
	unsigned char *out = NULL, *grown;
	size_t room = 0;
	lzma_ret ret = lzma_stream_decoder(&s, XZ_MEMORY, 0);

	s.next_in = packed;
	s.avail_in = packed_bytes;
	while (ret == LZMA_OK && (grown = xz_grow(out, &room, bytes_max))) {
		out = grown;
		s.next_out = out + s.total_out;
		s.avail_out = room - s.total_out;
		while (ret == LZMA_OK && s.avail_out)
			ret = lzma_code(&s, LZMA_FINISH);
	}
	*bytes = s.total_out;
	lzma_end(&s);
	if (ret == LZMA_STREAM_END)
		return out;
	free(out);
	return NULL;
}
