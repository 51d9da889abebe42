#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# native: --timeout 900
# Overload on purpose: while the recorder stands still a generator makes a known number of events on each CPU. For that
# type happened = recorded + lost, where recorded is counted by babeltrace2 and happened by the generator; the losses in
# the trace, in CTF's counters and in the summary are the same. Then the same without loss: all are there.
. tests/native/lib.sh
need_bpf
calls=${soak:+2000000}
calls=${calls:-200000}

generate() { # N: that many renames on each CPU, by as many processes
	local cpu made=0 pids=()
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		taskset -c "$cpu" "$test_bin/calls" rename "$1" > /dev/null &
		pids+=($!)
	done
	wait "${pids[@]}" || fail "a generator failed"
	made=$(($(nproc) * $1))
	echo $made
}
recorded() { grep -c ' task_rename: .* newcomm = "n[0-9]*"' "$1.text"; }
lost_told() { sed -n 's/.* kymo_loss: .* count = \([0-9]*\),.* type = "task_rename", cause_name = "\([a-z ]*\)".*/\1/p' "$1.text" | awk '{ s += $1 } END { print s + 0 }'; }

native_start "$tmp/t" -e task --buffer-size 256K --packet-size 16K
kill -STOP "$record_pid"
made=$(generate $calls)
kill -CONT "$record_pid"
native_stop "$tmp/t" 3
trace_read "$tmp/t"
grep -v '^WARNING: Tracer discarded [0-9]* events\{0,1\} between ' "$tmp/t.complaints" && fail "babeltrace2 says more than what was discarded"
discarded=$(awk '{ sum += $4 } END { print sum + 0 }' "$tmp/t.complaints")
got=$(recorded "$tmp/t") lost=$(lost_told "$tmp/t")
all=$(sed -n 's/.* kymo_loss: .* count = \([0-9]*\),.*/\1/p' "$tmp/t.text" | awk '{ s += $1 } END { print s + 0 }')
equal "lost of all types, by kymo_loss events and by CTF's counters" "$all" "$discarded"
equal "the session's count and the trace's" "$(session_number "$tmp/t" task_rename hits)" "$(trace_count "$tmp/t" task_rename)"
[ "$lost" -gt "$calls" ] || fail "only $lost lost: the test shows nothing"
# The few renames of other processes meanwhile are in one of the two numbers: execs, whose events show how many
slack=$(($(session_number "$tmp/t" sched_process_exec hits) + $(session_lost "$tmp/t" sched_process_exec) + 50))
total=$((got + lost))
[ $total -ge "$made" ] && [ $((total - made)) -le $slack ] || fail "recorded $got + lost $lost = $total, happened $made (and at most $slack others)"
equal "causes" "$(sed -n 's/.* kymo_loss: .* cause_name = "\([a-z ]*\)".*/\1/p' "$tmp/t.text" | sort -u)" full
figure "happened $made (by the generator), recorded $got, lost $lost, of others at most $slack"

native_start "$tmp/u" -e task --buffer-size 64M
made=$(generate $calls)
native_stop "$tmp/u"
trace_read_clean "$tmp/u"
equal "recorded of what happened" "$(recorded "$tmp/u")" "$made"
report_read "$tmp/u"
report_counts_equal "$tmp/u"
figure "happened $made, recorded all, lost 0"
exit 0
