#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 240
# CPU time and run-queue wait by process, from the trace alone, against /proc/PID/schedstat; all tasks with idle are
# CPUs x wall; interrupts lie between what /proc counts inside and outside of the recording.
. tests/vm/lib.sh
. tests/vm/record_lib.sh
. tests/vm/report_lib.sh
load_module
at_exit unload_module
seconds=${soak:+60}
seconds=${seconds:-10}

softirq_counts > "$tmp/soft.outside0"
interrupt_counts > "$tmp/hard.outside0"
record_start "$tmp/t" -e sched -e task -e 'irq_*'
softirq_counts > "$tmp/soft.inside0"
interrupt_counts > "$tmp/hard.inside0"
# The processes live inside the recording, and stand still before it ends: their whole life is in the trace
# (more hogs than CPUs, so that they wait; few wake-ups: the scheduler dates a preemption back to the wake-up that
# caused it, which is a twentieth of a millisecond here)
setsid stress-ng --cpu 3 --timeout 600 > "$tmp/stress" 2>&1 &
at_exit pkill -KILL stress-ng
hogs() { [ "$(pgrep -c stress-ng-cpu)" = 3 ]; }
wait_for 60 hogs
began=$(now_ns)
while [ $(($(now_ns) - began)) -lt "${seconds}000000000" ]; do sleep 0.2; done
pids=$(pgrep stress-ng)
kill -STOP $pids
for pid in $pids; do wait_for 30 grep -q 'State:.T' "/proc/$pid/status"; done
# Stopped is said before the last slice is accounted: until nothing changes any more
schedstats() { for pid in $pids; do echo "$pid $(schedstat_of "$pid")"; done; }
settled() { schedstats > "$tmp/schedstat"; sleep 0.3; schedstats | cmp -s - "$tmp/schedstat"; }
wait_for 30 settled
softirq_counts > "$tmp/soft.inside1"
interrupt_counts > "$tmp/hard.inside1"
kill -INT $record_pid
record_wait
softirq_counts > "$tmp/soft.outside1"
interrupt_counts > "$tmp/hard.outside1"
equal "status of the recorder" $record_status 0
report_read "$tmp/t"

# off GOT WANT OF: the difference in percent of OF, without a sign
off() { awk -v a="$1" -v b="$2" -v of="$3" 'BEGIN { d = (a - b) / of * 100; printf "%.3f", d < 0 ? -d : d }'; }

# A task that wants to run either runs or waits. Where exactly the one ends and the other begins differs by the way
# from the scheduler's clock to its tracepoint, hence 2 % of both together for the wait; the sum must be sharper.
compared=0 differences=
while read -r pid cpu wait; do
	[ "$cpu" -gt 100000000 ] || continue
	read -r got_cpu got_wait <<< "$(report_get "$tmp/t" ".views.tasks[] | select(.pid == $pid) | \"\(.cpu_ns) \(.wait_ns)\"")"
	say "pid $pid: CPU time $got_cpu ns, schedstat $cpu; wait $got_wait ns, schedstat $wait"
	both=$((cpu + wait))
	differences+=" $(off "$got_cpu" "$cpu" "$cpu")/$(off "$got_wait" "$wait" $both)"
	near "CPU time of $pid" "${got_cpu:-0}" "$cpu" 2
	near "CPU time and wait of $pid" $((got_cpu + got_wait)) $both 1
	near "run-queue wait of $pid, on top of its CPU time," $((cpu + got_wait)) $both 2
	compared=$((compared + 1))
done < "$tmp/schedstat"
[ "$compared" -ge 3 ] || fail "only $compared processes to compare"
figure "CPU time / run-queue wait of $compared processes differ from schedstat by$differences %"

sum=$(report_get "$tmp/t" '[.views.tasks[].cpu_ns] | add')
wall=$(report_get "$tmp/t" .duration_ns)
session=$(jq -r '.stop_ns - .start_ns' "$tmp/t/kymo/session.json")
near "sum of all tasks and idle" "$sum" "$(($(nproc) * wall))" 0.5
near "duration" "$wall" "$session" 0.5
equal "unclear CPU time" "$(report_get "$tmp/t" .totals.unclear_ns)" 0
figure "all tasks and idle: $sum ns, $(nproc) CPUs x wall: $(($(nproc) * wall)) ns"

# count NAME FILE
count() { awk -v n="$1" '$1 == n { print $2 }' "$2"; }
seen=0
while read -r name _; do
	got=$(report_get "$tmp/t" "[.views.irqs[] | select(.kind == \"soft\" and .name == \"$name\") | .count] | add // 0")
	least=$(($(count "$name" "$tmp/soft.inside1") - $(count "$name" "$tmp/soft.inside0")))
	most=$(($(count "$name" "$tmp/soft.outside1") - $(count "$name" "$tmp/soft.outside0")))
	between "softirqs $name" "$least" "$got" "$most"
	seen=$((seen + got))
done < "$tmp/soft.inside0"
while read -r number _; do
	got=$(report_get "$tmp/t" "[.views.irqs[] | select(.kind == \"hard\" and .number == $number) | .count] | add // 0")
	least=$(($(count "$number" "$tmp/hard.inside1") - $(count "$number" "$tmp/hard.inside0")))
	most=$(($(count "$number" "$tmp/hard.outside1") - $(count "$number" "$tmp/hard.outside0")))
	between "interrupt $number" "$least" "$got" "$most"
	seen=$((seen + got))
done < "$tmp/hard.inside0"
[ "$seen" -gt 100 ] || fail "only $seen interrupts"
figure "$seen interrupts and softirqs between the counts of /proc"
exit 0
