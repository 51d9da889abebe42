#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# As ring_nmi, with an emulator that takes interrupts and NMIs between any two instructions, not only between blocks.
# vm: -c 2 -m 512 --one-insn --timeout 1500
# vm-nmi: 100
# soak: yes
. tests/vm/ring_nmi_lib.sh
ring_nmi_run 1000 900
