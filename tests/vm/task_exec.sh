#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# Short processes: a static program run from tmpfs many times. All exec, exit and mapping events are there, and no event
# speaks of a task that neither the dump nor a fork has introduced. The generator's list of pids is the other source.
. tests/vm/lib.sh

n=300
[ -z "$soak" ] || n=2000
cp "$(command -v busybox)" "$tmp/true" || fail "no busybox"
inode=$(stat -c %i "$tmp/true")
load_module
began=$(date +%s%N)
"$test_bin/ring_dump" -m 128 -e 'sched_process_*' -e task_rename -e task_mmap -e sched_switch -e 'lttng_statedump_process_state' -D -- \
	"$test_bin/task_gen" exec $n "$tmp/true" > "$tmp/events" 2> "$tmp/told" || fail "ring_dump: $(tail -3 "$tmp/told" "$tmp/events")"
ms=$((($(date +%s%N) - began) / 1000000))
grep -q '^# command pid=[0-9]* status=0$' "$tmp/events" || fail "the generator failed: $(grep '^# command' "$tmp/events")"
grep '^# .* lost=[^0]' "$tmp/events" && fail "events were lost: the rings are too small for this test"

sort -n "$tmp/events" | awk -v path="$tmp/true" -v inode="$inode" '
	function field(name,   i) { for (i = 4; i <= NF; i++) if (index($i, name "=") == 1) return substr($i, length(name) + 2); return "" }
	# The dump comes after the start: what runs and ends before it has passed is known by luck only.
	function know(tid, what) { if (dumped && tid != 0 && !(tid in known)) print "unknown: " what " " $0 }
	$3 == "lttng_statedump_process_state" { known[field("tid")] = 1 }
	$3 == "sched_process_fork" { known[field("child_tid")] = 1; know(field("parent_tid"), "parent") }
	$3 == "sched_process_exec" { know(field("tid"), "exec"); if (field("filename") == path && field("comm") == "true") execs[field("tid")]++ }
	$3 == "sched_process_exit" { know(field("tid"), "exit"); if (field("group_dead") == 1) ends[field("tid")]++ }
	$3 == "task_mmap" && field("path") == path && field("inode") == inode { maps[field("pid")]++ }
	$3 == "sched_switch" { know(field("next_tid"), "switch"); switches += dumped }
	$3 ~ /^sched_process_fork/ && field("child_comm") == "ring_dump" { dumped = 1 }
	END { print "judged", switches; for (tid in execs) if (execs[tid] == 1 && ends[tid] == 1 && maps[tid] >= 1) print "exec", tid }' > "$tmp/seen"
grep '^unknown' "$tmp/seen" && fail "events of tasks that nobody has introduced"
[ "$(sed -n 's/^judged //p' "$tmp/seen")" -gt $n ] || fail "the end of the dump was not found: nothing was judged"
grep '^exec' "$tmp/told" | sort > "$tmp/want"
grep '^exec' "$tmp/seen" | sort > "$tmp/got"
equal "runs" "$(wc -l < "$tmp/want")" $n
cmp -s "$tmp/want" "$tmp/got" || fail "runs differ (< made, > seen whole): $(diff "$tmp/want" "$tmp/got" | head)"
figure "$n runs of a static program in $ms ms: $n exec, exit and mapping events, no unknown task"
unload_module
