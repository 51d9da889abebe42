# SPDX-License-Identifier: GPL-2.0-or-later
# Looks whether reserve has moved before nest is 0.
/^\t\tring_store(&c->nest, 0);$/d
s/^\t\tif (kymo_likely(ring_load(&c->reserve) == reserve))$/\t\tif (ring_load(\&c->reserve) == reserve) { ring_store(\&c->nest, 0); return; }\n\t\tif (0)/
