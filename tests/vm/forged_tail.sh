#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A reader that writes nonsense into its tail page hurts nobody but itself.
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
. tests/vm/lib.sh
load_module
perf bench sched pipe -l 1000000000 > /dev/null 2>&1 &
at_exit kill $!
"$test_bin/forged_tail" ahead 2000 || fail "tails beyond head: status $?"
"$test_bin/forged_tail" wild 4000 || fail "wild tails: status $?"
kill %1
unload_module
