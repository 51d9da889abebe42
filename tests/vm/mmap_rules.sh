#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Which maps are given and which refused; fork and close of a reader that has maps.
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
. tests/vm/lib.sh
load_module
"$test_bin/mmap_rules" || fail "mmap_rules: status $?"
unload_module
