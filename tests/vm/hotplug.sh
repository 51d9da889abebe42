#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# CPUs go and come under load while a session records on all of them: nothing is torn, all is counted, a CPU that was
# off at the open gets its ring and its samples when it comes, and CPUs go and come without a reader's help.
# vm: -c 3 -m 1024 --timeout 600
# debug: yes
. tests/vm/lib.sh
load_module
online() { echo "$2" > "/sys/devices/system/cpu/cpu$1/online" || fail "CPU $1 to $2"; }
cycles=${soak:+200}
cycles=${cycles:-6}

perf bench sched pipe -l 1000000000 > /dev/null 2>&1 &
at_exit kill $!
online 2 0
"$test_bin/hotplug_reader" 2 > "$tmp/out" 2>&1 &
reader=$!
at_exit kill -9 $reader
wait_for 120 grep -q ready "$tmp/out"
online 2 1
head_of() { # CPU
	: > "$tmp/out"
	kill -USR1 $reader
	wait_for 120 grep -q told "$tmp/out"
	awk -v cpu="$1" '$2 == cpu { print $4 }' "$tmp/out"
}
cpu2_writes() { [ "$(head_of 2)" -gt 0 ] 2> /dev/null; }
wait_for 120 cpu2_writes
for ((i = 0; i < cycles; i++)); do
	online $((i % 2 + 1)) 0
	online $((i % 2 + 1)) 1
	kill -0 $reader || fail "the reader is gone: $(cat "$tmp/out")"
done
# Both off at the end: their rings are read and closed all the same
online 1 0
kill -TERM $reader
wait $reader || fail "the reader: $(cat "$tmp/out")"
cat "$tmp/out"
online 1 1
figure "$cycles times off and on"
kill %1
unload_module
