# SPDX-License-Identifier: GPL-2.0-or-later
# Stores the time of the last reservation without an exchange.
s/^\t\tif (!ring_cmpxchg(&c->last_ns, last, now))$/\t\tring_store(\&c->last_ns, now);\n\t\tif (0)/
