#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Overwrite mode through the ABI: the newest is there, whole and without a gap, and all that is not was overwritten.
# vm: -c 2 -m 1024 --timeout 400
# debug: yes
. tests/vm/lib.sh
load_module
"$test_bin/overwrite" > "$tmp/out" || { cat "$tmp/out"; fail "overwrite: status $?"; }
while read -r line; do figure "$line"; done < "$tmp/out"
unload_module
