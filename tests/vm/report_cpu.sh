#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# CPU time and run-queue wait by process, from the trace alone, against /proc/PID/schedstat; all tasks with idle are
# CPUs x wall; interrupts lie between what /proc counts inside and outside of the recording.
. tests/vm/lib.sh
. tests/vm/record.bash
. tests/vm/report.bash
load_module
at_exit unload_module
files=() states=()
seconds=${soak:+60}
seconds=${seconds:-10}

softirq_counts > "$tmp/soft.outside0"
interrupt_counts > "$tmp/hard.outside0"
record_start "$tmp/t" -e sched -e task -e 'irq_*' -e tracepoint:sched:sched_stat_runtime
softirq_counts > "$tmp/soft.inside0"
interrupt_counts > "$tmp/hard.inside0"
# The processes live inside the recording, and stand still before it ends: their whole life is in the trace
# (more hogs than CPUs, so that they wait; few wake-ups: the scheduler dates a preemption back to the wake-up that
# caused it, which is a twentieth of a millisecond here)
setsid stress-ng --cpu 3 --timeout 600 > "$tmp/stress" 2>&1 &
at_exit pkill -KILL stress-ng
hogs() { [ "$(pgrep -c stress-ng-cpu)" = 3 ]; }
wait_for 120 hogs
pids=$(pgrep stress-ng)
sleep "$seconds"
kill -STOP $pids
for pid in $pids; do files+=("/proc/$pid/task/"*/schedstat) states+=("/proc/$pid/status"); done
all_stopped() { [ "$(grep -c '^State:.T' "${states[@]}" | grep -c ':1$')" = ${#states[@]} ]; }
wait_for 120 all_stopped
# Stopped is said before the last slice is accounted: until nothing changes any more
schedstats() { awk '{ split(FILENAME, at, "/"); cpu[at[3]] += $1; wait[at[3]] += $2 } END { for (pid in cpu) printf "%d %d %d\n", pid, cpu[pid], wait[pid] }' "${files[@]}"; }
settled() { schedstats > "$tmp/schedstat"; sleep 0.3; schedstats | cmp -s - "$tmp/schedstat"; }
wait_for 120 settled
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

scheduler_charges "$tmp/t" > "$tmp/charged"

# A task that wants to run either runs or waits; the sum of both must be sharper than the wait alone. The hogs do nothing
# but run: 2 %. stress-ng itself does little but sleep and be woken while it starts, so that every switch counts: it is
# compared by the scheduler's clock.
report_get "$tmp/t" '.views.tasks[] | "\(.pid) \(.cpu_ns) \(.wait_ns) \(.switches)"' > "$tmp/tasks"
compared=0 differences=
while read -r pid cpu wait; do
	[ "$cpu" -gt 100000000 ] || continue
	read -r _ got_cpu got_wait switches <<< "$(grep "^$pid " "$tmp/tasks")"
	say "pid $pid: CPU time $got_cpu ns, schedstat $cpu; wait $got_wait ns, schedstat $wait; $switches switches"
	both=$((cpu + wait)) hog=
	grep -q stress-ng-cpu "/proc/$pid/comm" && hog=1
	read -r _ added late early still <<< "$(grep "^$pid " "$tmp/charged")"
	clock_cpu=$((got_cpu - late + early)) clock_wait=$((got_wait - early + still))
	say "	by the scheduler's clock: CPU time $clock_cpu ns, wait $clock_wait ns; added to schedstat: $added ns"
	within "what was added to schedstat of $pid" "$added" "$cpu" $((cpu / 1000))
	within "CPU time of $pid, by the scheduler's clock" $clock_cpu "$cpu" $((cpu / 50))
	if [ ! "$hog" ]; then
		within "run-queue wait of $pid, by the scheduler's clock" $clock_wait "$wait" $((both / 20))
		figure "stress-ng itself: CPU time differs from schedstat by $(off "$got_cpu" "$cpu" "$cpu") %, by the scheduler's clock by $(off $clock_cpu "$cpu" "$cpu") %"
		continue
	fi
	within "CPU time of $pid" "$got_cpu" "$cpu" $((cpu / 50))
	within "CPU time and wait of $pid" $((got_cpu + got_wait)) $both $((both / 100))
	within "run-queue wait of $pid" "$got_wait" "$wait" $((both / 50))
	differences+=" $(off "$got_cpu" "$cpu" "$cpu")/$(off "$got_wait" "$wait" $both)"
	compared=$((compared + 1))
done < "$tmp/schedstat"
equal "processes to compare" $compared 3
figure "CPU time / run-queue wait of $compared processes differ from schedstat by$differences %"

read -r sum wall unclear <<< "$(report_get "$tmp/t" '"\([.views.tasks[].cpu_ns] | add) \(.duration_ns) \(.totals.unclear_ns)"')"
session=$(jq -r '.stop_ns - .start_ns' "$tmp/t/kymo/session.json")
near "sum of all tasks and idle" "$sum" "$(($(nproc) * wall))" 0.5
near "duration" "$wall" "$session" 0.5
equal "unclear CPU time" "$unclear" 0
figure "all tasks and idle: $sum ns, $(nproc) CPUs x wall: $(($(nproc) * wall)) ns"

report_get "$tmp/t" '.views.irqs[] | "\(.kind) \(if .kind == "soft" then .name else .number end) \(.count)"' > "$tmp/irqs"
for kind in soft hard; do
	# Least: what was counted inside of the recording; most: outside
	awk -v kind=$kind '
		FILENAME ~ /irqs$/ { if ($1 == kind) got[$2] += $3; next }
		FILENAME ~ /inside0$/ { least[$1] -= $2 }
		FILENAME ~ /inside1$/ { least[$1] += $2 }
		FILENAME ~ /outside0$/ { most[$1] -= $2 }
		FILENAME ~ /outside1$/ { most[$1] += $2 }
		END {
			for (name in got) if (!(name in most)) print "wrong: " name " is not in /proc"
			for (name in most) {
				print (got[name] + 0 < least[name] || got[name] + 0 > most[name] ? "wrong:" : "right:"), name, got[name] + 0, "want", least[name], "to", most[name]
				inside += least[name]; seen += got[name]; outside += most[name]
			}
			print "sum", inside, seen, outside
		}' "$tmp/irqs" "$tmp/$kind."{inside,outside}[01] > "$tmp/$kind.verdict"
	grep '^right: .* [1-9][0-9]* want' "$tmp/$kind.verdict"
	grep '^wrong' "$tmp/$kind.verdict" && fail "counts of interrupts ($kind) are not those of /proc"
	read -r _ least seen most <<< "$(grep '^sum' "$tmp/$kind.verdict")"
	[ "$seen" -gt 50 ] || fail "only $seen interrupts ($kind)"
	figure "interrupts ($kind): $seen, between the $least and $most of /proc"
done
exit 0
