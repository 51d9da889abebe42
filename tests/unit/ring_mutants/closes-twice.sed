# SPDX-License-Identifier: GPL-2.0-or-later
# Closes again, after a restart, the packet that STOP has closed.
s/^\tif (off > ring_load(&c->closed)) {$/\tif (off) {/
