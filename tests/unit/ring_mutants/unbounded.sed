# SPDX-License-Identifier: GPL-2.0-or-later
# Enters the slot of the packet that holds the published head.
s/^\tif (start + packet - ring_floor(r, head) > ring_bytes(r))$/\tif (0)/
