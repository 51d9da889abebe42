#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# Rings made too small: babeltrace2 says nothing but how many were discarded, the sum of that is the trace's own
# counters, and for every type that a generator makes, happened = recorded + lost, with all causes named. kymo report
# tells the same for every type.
. tests/vm/lib.sh
. tests/vm/record.bash
. tests/vm/report.bash
load_module
at_exit unload_module

# field_sum FILE OFFSET: u64 at an offset from the end, over all streams
closing_discarded() { # of all streams: the last 84 bytes are the closing packet, events_discarded is at 72
	local stream sum=0 n
	for stream in "$1"/stream_*; do
		n=$(od -An -tu8 -j$(($(stat -c %s "$stream") - 84 + 72)) -N8 "$stream")
		sum=$((sum + n))
	done
	echo $sum
}

complaints_sum() { # of babeltrace2; fails the test on any other word
	grep -v '^WARNING: Tracer discarded [0-9]* events\{0,1\} between ' "$1.complaints" > "$1.other"
	[ ! -s "$1.other" ] || { head "$1.other"; fail "babeltrace2 says more than what was discarded"; }
	awk '{ sum += $4 } END { print sum + 0 }' "$1.complaints"
}

lost_of() { # DIR TYPE: by the kymo_loss events
	sed -n "s/.* kymo_loss: .* count = \([0-9]*\),.* type = \"$2\", cause_name = \"\([a-z ]*\)\".*/\1 \2/p" "$1.text" |
		awk '{ sum += $1; if (NF < 2) bad = 1 } END { print bad ? "a loss without a cause" : sum + 0 }'
}

# calls_lost COUNT: as many calls (sets calls) while the recorder stands still. However fast it is otherwise: its rings
# have room for a few hundred records.
calls_lost() {
	kill -STOP $record_pid
	wait_for 120 grep -q '^State:.T' /proc/$record_pid/status
	calls=$("$test_bin/mark_calls" -q "$1" 0)
	kill -CONT $record_pid
}

"$kymo" record -o "$tmp/t" -e 'sys*_getpriority' -e sched --buffer-size 16K --packet-size 4K > "$tmp/t.out" 2> "$tmp/t.err" &
record_pid=$!
wait_for 120 recording_runs "$tmp/t"
made=$("$test_bin/mark_calls" -q 30000 0)
calls_lost 30000
made=$((made + calls))
# The rings are full at the end, too: what is lost after the last packet has a number
kill -TERM $record_pid
record_wait
cat "$tmp/t.out" "$tmp/t.err"
equal "status when events were lost" $record_status 3
trace_read "$tmp/t"
said=$(complaints_sum "$tmp/t")
equal "discarded, by babeltrace2 and by the closing packets" "$said" "$(closing_discarded "$tmp/t")"
[ "$said" -gt 100 ] || fail "nothing was lost: the test shows nothing"
equal "lost, by the summary" "$(sed -n 's/.*; lost \([0-9]*\) .*/\1/p' "$tmp/t.out")" "$said"

for type in syscall_entry_getpriority syscall_exit_getpriority; do
	recorded=$(trace_count "$tmp/t" $type)
	lost=$(lost_of "$tmp/t" $type)
	equal "$type: recorded + lost" $((recorded + lost)) "$made"
	figure "$type: happened $made, recorded $recorded, lost $lost"
done
all=$(lost_of "$tmp/t" '[a-z_A-Z]*')
equal "lost, by the kymo_loss events" "$all" "$said"

report_read "$tmp/t"
report_get "$tmp/t" '(.totals | "lost \(.lost) \(.lost_told) \(.lost_counted)"),
	(.views.events[] | "type \(.type) \(.count) \(.lost) \([to_entries[] | select(.key | test("^lost_")) | .value] | add)")' > "$tmp/told"
equal "lost, told and counted, by kymo report" "$(grep '^lost ' "$tmp/told")" "lost $said $said $said"
# By type: lines of babeltrace2's text, and the counts of its kymo_loss events, with their causes
awk '{ colon = index($0, ": {"); head = substr($0, 1, colon - 1); sub(/.* /, "", head); n[head]++ }
	head == "kymo_loss" {
		match($0, / count = [0-9]+/); count = substr($0, RSTART + 9, RLENGTH - 9)
		match($0, / type = "[^"]*"/); type = substr($0, RSTART + 9, RLENGTH - 10)
		lost[type] += count; n[type] += 0
	}
	END { for (type in n) printf "type %s %d %d %d\n", type, n[type], lost[type], lost[type] }' "$tmp/t.text" | sort > "$tmp/want"
grep '^type ' "$tmp/told" | grep -v ' 0 0 0$' | sort > "$tmp/got"
cmp -s "$tmp/want" "$tmp/got" || { diff "$tmp/want" "$tmp/got"; fail "kymo report's counts and losses are not those of the trace"; }
figure "$(wc -l < "$tmp/got") types: kymo report's counts and losses are those of the trace"

"$kymo" record -o "$tmp/allowed" -e 'sys*_getpriority' -e sched --buffer-size 16K --packet-size 4K --allow-loss > "$tmp/out" 2>&1 &
record_pid=$!
wait_for 120 recording_runs "$tmp/allowed"
calls_lost 5000
kill -TERM $record_pid
record_wait
grep -q '; lost ' "$tmp/out" || fail "nothing was lost with --allow-loss"
equal "status with --allow-loss" $record_status 0
exit 0
