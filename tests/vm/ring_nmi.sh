#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The ring's text under real interrupts and NMIs: numbered, checksummed records on top of half-written ones, all read.
# vm: -c 2 -m 512 --timeout 600
# vm-nmi: 300
# debug: yes
. tests/vm/ring_nmi_lib.sh
ring_nmi_run "${soak:+5000}" 500
