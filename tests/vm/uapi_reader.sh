#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A reader written from uapi/kymo.h alone: real task switches, and all that it can compare is consistent.
# vm: -c 2 -m 1024 --timeout 120
# debug: yes
. tests/vm/lib.sh
load_module
# So that there is something to switch: a pair that hands a byte to and fro
perf bench sched pipe -l 1000000000 > /dev/null 2>&1 &
at_exit kill $!
"$test_bin/uapi_reader" > "$tmp/out" || fail "the reader: status $?"
cat "$tmp/out"
kill %1
unload_module
