#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Load, open, start, kill -9, unload, again and again under load: the log stays clean and nothing is left behind:
# vmalloc, per-CPU memory, slab, file handles. Each fourth time it is kymo record with all events that dies, with
# network traffic meanwhile.
# vm: -c 2 -m 1024 --timeout 1200
# debug: yes
. tests/vm/lib.sh
. tests/vm/record.bash
cycles=${soak:+50}
cycles=${cycles:-12} # four seconds each under this load
perf bench sched pipe -l 1000000000 > /dev/null 2>&1 &
at_exit kill $!
iperf3 -s -p 5201 > /dev/null 2>&1 &
at_exit kill $!

read_and_die() { # how long the reader lives varies: it dies in all states
	local reader i=$1
	: > "$tmp/out"
	"$test_bin/hotplug_reader" > "$tmp/out" 2>&1 &
	reader=$!
	[ $((i % 3)) = 0 ] || wait_for 120 grep -q ready "$tmp/out"
	sleep "0.0$((i % 10))" # a different moment each time, no condition to wait for
	kill -9 $reader
	wait $reader 2> /dev/null
}

record_and_die() {
	local client
	record_start "$tmp/trace" -e task -e sched -e irq -e net -e cpu -e signal
	iperf3 -c 127.0.0.1 -p 5201 -t 1000 -b 4M > /dev/null 2>&1 &
	client=$!
	wait_for 240 grown
	kill -9 $record_pid $client
	wait $record_pid $client 2> /dev/null
	trace_unlocked "$tmp/trace"
	rm -rf "$tmp"/trace*
}

grown() { [ "$(cat "$tmp"/trace/stream_* | wc -c)" -gt 200000 ]; }

cycle() {
	load_module
	if [ $(($1 % 4)) = 2 ]; then record_and_die; else read_and_die "$1"; fi
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

for ((i = 0; i < 4; i++)); do cycle $i; done # caches and pools have their size after that
memory > "$tmp/before"
for ((i = 4; i < cycles; i++)); do cycle $i; done
# Some of it is freed by RCU callbacks and work items
small() {
	memory > "$tmp/after"
	# Fewer kilobytes than one for each cycle: one session alone has megabytes of rings
	# Files: the kernel's count is off by 32 for each CPU, both times; one that is left of ours keeps the module from going
	for what in VmallocUsed:256 Percpu:64 SUnreclaim:1024 files:$((64 * $(nproc))) ours:0; do
		[ $(($(value "${what%:*}" "$tmp/after") - $(value "${what%:*}" "$tmp/before"))) -le "${what#*:}" ] || return 1
	done
}
end=$((SECONDS + 120))
until small; do
	[ $SECONDS -lt $end ] || fail "left behind after $cycles cycles: $(paste "$tmp/before" "$tmp/after" | tr '\n' ';')"
	sleep 1
done
paste "$tmp/before" "$tmp/after"
figure "$cycles cycles"
