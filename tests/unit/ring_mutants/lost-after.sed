# SPDX-License-Identifier: GPL-2.0-or-later
# Reads the loss for the old packet after the reservation.
s/^\t\tring_close_packet(r, old, off - old, now, lost);$/\t\tring_close_packet(r, old, off - old, now, ring_load(\&c->lost));/
