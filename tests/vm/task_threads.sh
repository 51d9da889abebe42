#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# Thread creations at 300 a second: every one is an event, belongs to its parent, has a name, and its end is there, too.
# The independent source is the generator's own list of tids and names.
. tests/vm/lib.sh

n=1500
[ -z "$soak" ] || n=3000
load_module
"$test_bin/ring_dump" -e 'sched_process_*' -e task_rename -e 'lttng_statedump_process_*' -D -- \
	"$test_bin/task_gen" threads $n 300 > "$tmp/events" 2> "$tmp/told" || fail "ring_dump: $(tail -3 "$tmp/told" "$tmp/events")"
pid=$(sed -n 's/^# command pid=\([0-9]*\) status=0$/\1/p' "$tmp/events")
[ -n "$pid" ] || fail "the generator failed: $(grep '^# command' "$tmp/events")"
grep '^# .* lost=[^0]' "$tmp/events" && fail "events were lost: the rings are too small for this test"
equal "threads that the generator made" "$(grep -c '^thread ' "$tmp/told")" $n

# field NAME: of the event lines on stdin
sort -n "$tmp/events" | awk -v pid="$pid" '
	function field(name,   i) { for (i = 4; i <= NF; i++) if (index($i, name "=") == 1) return substr($i, length(name) + 2); return "" }
	$3 == "sched_process_fork" && field("child_pid") == pid && field("child_tid") != pid {
		if (field("parent_tid") != pid || field("parent_pid") != pid || field("parent_comm") != "task_gen" ||
		    field("child_comm") != "task_gen" || field("child_start_ns") + 0 <= 0 || field("child_start_ns") + 0 > $1 + 0)
			print "wrong: " $0
		name[field("child_tid")] = field("child_comm")
	}
	$3 == "task_rename" && field("pid") == pid && field("tid") in name { name[field("tid")] = field("newcomm") }
	$3 == "sched_process_exit" && field("pid") == pid { ended[field("tid")]++; comm[field("tid")] = field("comm"); dead += field("group_dead") }
	END {
		for (tid in name) if (ended[tid] == 1 && comm[tid] == name[tid]) print "thread", tid, name[tid]
		print "leader", ended[pid], (dead >= 1)
	}' > "$tmp/seen"
grep '^wrong' "$tmp/seen" && fail "a fork event says something wrong"
equal "the end of the generator's main thread, and of the process" "$(grep '^leader' "$tmp/seen")" "leader 1 1"
grep '^thread' "$tmp/told" | sort > "$tmp/want"
grep '^thread' "$tmp/seen" | sort > "$tmp/got"
cmp -s "$tmp/want" "$tmp/got" || fail "threads differ (< made, > seen): $(diff "$tmp/want" "$tmp/got" | head)"
figure "$n threads made at 300/s, $n seen with parent, name and end"
unload_module
