#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# emit.sh - instructions that an event costs whoever causes it: a loop with the event type enabled, less the same loop
# without. Runs in a guest whose nanoseconds are instructions (vm --icount), so that it is the same on every machine.
#   tests/bench/emit.sh [options of scripts/vm]
cd "$(dirname "$0")/../.." || exit 1
if [ -z "${KYMO_BENCH:-}" ]; then
	make -s vm-programs kmod || exit 1
	exec scripts/vm --icount -m 1024 --timeout 900 "$@" -- env KYMO_BENCH=1 bash tests/bench/emit.sh
fi
. tests/vm/lib.sh
n=5000
load_module

# loop KIND [OPTION OF RING_DUMP]...: instructions of one turn
loop() {
	local kind=$1
	shift
	if [ $# = 0 ]; then "$test_bin/calls" -t "$kind" $n; else
		"$test_bin/ring_dump" -m 64 "$@" -- "$test_bin/calls" -t "$kind" $n 2>&1 > "$tmp/dump"; fi | sed -n 's/.*ns=//p'
}

row() { # KIND WHAT [OPTION]...
	local kind=$1 what=$2 with events
	shift 2
	with=$(loop "$kind" "$@")
	events=$(sed -n 's/^# [^ ]* hits=\([0-9]*\).*/\1/p' "$tmp/dump" | awk '{ n += $1 } END { print n + 0 }')
	awk -v what="$what" -v with="$with" -v without="${base[$kind]}" -v events="$events" -v n=$n \
		'BEGIN { printf "%-64s %8.0f   (%.1f events a turn)\n", what, with - without, events / n }'
}

declare -A base=([rename]=$(loop rename) [getppid]=$(loop getppid))
echo "without: prctl(PR_SET_NAME) ${base[rename]}, getppid ${base[getppid]} instructions"
echo "added by:"
row rename "task_rename, own probe, 42 bytes of fields" -e task_rename
row rename "task:task_rename, by name (perf counter), 42 bytes" -e task:task_rename
row rename "both" -e task_rename -e task:task_rename
row getppid "raw_syscalls:sys_enter, by name, 60 bytes" -e raw_syscalls:sys_enter
row getppid "syscalls:sys_enter_getppid, by name" -e syscalls:sys_enter_getppid
row getppid "syscall_entry_getppid, own probe" -e syscall_entry_getppid
row getppid "syscall_entry_* and syscall_exit_*, own probes" -e 'syscall_*_getppid'
unload_module
