# SPDX-License-Identifier: GPL-2.0-or-later
# Tells the reader only when the packets filled are exactly the watermark.
s/return (start - ring_floor(r, freed)) >> r->packet_shift >= r->watermark;/return (start - ring_floor(r, freed)) >> r->packet_shift == r->watermark;/
