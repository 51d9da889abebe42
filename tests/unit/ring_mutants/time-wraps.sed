# SPDX-License-Identifier: GPL-2.0-or-later
# Forgets that a record's time has 32 bits.
s/now - ring_load(ring_begin_ns(slot->payload - in)) < 1ull << 32/1/
