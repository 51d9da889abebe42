#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 900
# kill -9 of the recorder at chosen system calls: in the middle of its start-up, at its first packets, at every step of
# its end. Either there is no trace yet, and kymo report says so in a sentence; or babeltrace2 reads it without a word,
# report counts the same, and the generator's numbers in it have no hole: all of them once the session has stopped.
. tests/vm/lib.sh
. tests/vm/record.bash
. tests/vm/report.bash
load_module
at_exit unload_module
early=0 traces=0

# recorder_dies CALL WHEN OPTION...: at its WHENth CALL, while a generator runs
recorder_dies() {
	local call=$1 when=$2 recorder generator status
	shift 2
	strace -qq -o "$tmp/strace" -e "trace=$call" -e "inject=$call:signal=SIGKILL:when=$when" \
		"$kymo" record -o "$tmp/t" -e 'syscall_*_getpriority' -e task --packet-size 4K "$@" > "$tmp/out" 2>&1 &
	recorder=$!
	# On one CPU: its numbers are in one stream
	taskset -c 1 "$test_bin/mark_calls" -q 0 2000 > /dev/null &
	generator=$!
	wait $recorder 2> /dev/null
	status=$?
	kill $generator
	wait $generator 2> /dev/null
	[ $status = 137 ] || { cat "$tmp/out"; tail -3 "$tmp/strace"; fail "$call:$when: the recorder was not killed: status $status"; }
	[ ! -e "$tmp/t/metadata" ] || trace_unlocked "$tmp/t"
	wait_for 120 eval '! pgrep kymo-guard'
}

# no_trace_yet WHEN: what report has said
no_trace_yet() {
	grep -q '^kymo report: .*\.$' "$tmp/t.err" || fail "$1: no sentence: $(cat "$tmp/t.err")"
	early=$((early + 1))
}

# whole_trace WHEN LEAST: calls in it
whole_trace() {
	local first last n
	(report_counts_equal "$tmp/t" "$2") > "$tmp/counts" || { cat "$tmp/counts"; fail "killed at $1"; }
	[ -z "$(find "$tmp/t" -name '*.new')" ] || fail "killed at $1: half a file is left: $(find "$tmp/t")"
	trace_read_clean "$tmp/t"
	trace_numbers "$tmp/t" | sort -n > "$tmp/numbers"
	n=$(wc -l < "$tmp/numbers") first=$(head -1 "$tmp/numbers") last=$(tail -1 "$tmp/numbers")
	[ "$n" -ge "$2" ] || fail "killed at $1: $n calls in the trace, want $2"
	[ "$n" = 0 ] || equal "killed at $1: calls from $first to $last" "$n" $((last - first + 1))
	say "killed at $1: $n calls in the trace"
	traces=$((traces + 1))
}

# kill_at CALL:WHEN early|LEAST [OPTION]...: early: there need not be a trace yet, nor an event in it
kill_at() {
	local point=$1 least=$2 status=0
	shift 2
	recorder_dies "${point%:*}" "${point#*:}" "$@"
	"$kymo" report --json "$tmp/t" > "$tmp/t.json" 2> "$tmp/t.err" || status=$?
	case $status in
	0 | 3) whole_trace "$point" "${least/early/0}" ;;
	1) [ "$least" = early ] || fail "$point: no trace: $(cat "$tmp/t.err")"; no_trace_yet "$point" ;;
	*) fail "$point: kymo report: status $status: $(cat "$tmp/t.err")" ;;
	esac
	rm -rf "$tmp/t" "$tmp/t".*
}

points=(mkdirat:1 write:3 renameat:1)
[ -z "$soak" ] || points+=(mkdir:1 flock:1 openat:10 write:{1,2,4,5,6,8,10,14} clone:1 mmap:{10,30,35,40} ioctl:{1..8} pwrite64:{1..4})
for point in "${points[@]}"; do kill_at "$point" early -s 30; done
# From the first packet on
points=(pwrite64:8 pwrite64:20)
[ -z "$soak" ] || points+=(pwrite64:{9,10,11,12,13,14,15,30,50,100,200,301} ftruncate:{1..8} ftruncate:{12,20})
for point in "${points[@]}"; do kill_at "$point" 0 -s 30; done
# At the end: tasks, mappings, modules, symbols, session
points=(renameat:3 renameat:6)
[ -z "$soak" ] || points+=(renameat:{2,4,5})
for point in "${points[@]}"; do kill_at "$point" 100 -s 1; done
[ $traces -ge 5 ] || fail "only $traces traces"
figure "killed at $((traces + early)) system calls: $traces traces, each whole, $early times none yet, which report says"
exit 0
