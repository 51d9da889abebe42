#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Load, open, start, kill -9, unload, again and again under load: the log stays clean and nothing is left behind:
# vmalloc, per-CPU memory, slab, file handles.
# vm: -c 2 -m 1024 --timeout 1200
# debug: yes
. tests/vm/lib.sh
cycles=${soak:+50}
cycles=${cycles:-20} # four seconds each under this load
perf bench sched pipe -l 10000000 > /dev/null 2>&1 &
at_exit kill $!

cycle() { # how long the reader lives varies: it dies in all states
	local reader i=$1
	load_module
	: > "$tmp/out"
	"$test_bin/hotplug_reader" > "$tmp/out" 2>&1 &
	reader=$!
	[ $((i % 3)) = 0 ] || wait_for 120 grep -q ready "$tmp/out"
	sleep "0.0$((i % 10))" # a different moment each time, no condition to wait for
	kill -9 $reader
	wait $reader 2> /dev/null
	unload_module
}

# Kilobytes: everything that a module and its sessions could leave
memory() {
	sync
	echo 3 > /proc/sys/vm/drop_caches
	awk '/^(VmallocUsed|Percpu|SUnreclaim|KernelStack):/ { sub(":", "", $1); print $1, $2 }' /proc/meminfo
	awk '{ print "files", $1 }' /proc/sys/fs/file-nr
	echo "ours $(grep -c 'kymo' /proc/vmallocinfo)"
}
value() { awk -v name="$1" '$1 == name { print $2 }' "$2"; }

for ((i = 0; i < 6; i++)); do cycle $i; done # caches and pools have their size after that
memory > "$tmp/before"
for ((i = 6; i < cycles; i++)); do cycle $i; done
# Some of it is freed by RCU callbacks and work items
small() {
	memory > "$tmp/after"
	# Fewer kilobytes than one for each cycle: one session alone has megabytes of rings
	for what in VmallocUsed:256 Percpu:64 SUnreclaim:1024 files:16 ours:0; do
		[ $(($(value "${what%:*}" "$tmp/after") - $(value "${what%:*}" "$tmp/before"))) -le "${what#*:}" ] || return 1
	done
}
end=$((SECONDS + 20))
until small; do
	[ $SECONDS -lt $end ] || fail "left behind after $cycles cycles: $(paste "$tmp/before" "$tmp/after" | tr '\n' ';')"
	sleep 1
done
paste "$tmp/before" "$tmp/after"
figure "$cycles cycles"
