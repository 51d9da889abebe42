#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# native: --timeout 900
# CPU time by process against /proc/PID/schedstat (by the scheduler's clock: a preemption is dated back there), whole
# lives inside the recording; samples stand for the same time; all tasks and idle are CPUs x wall.
. tests/native/lib.sh
need_bpf
seconds=${soak:+40}	# of CPU time, for each
seconds=${seconds:-1.5}

enough() { [ "$(cat "${files[@]}" | awk -v s=$seconds '$1 >= s * 1e9' | wc -l)" = 3 ]; }
all_stopped() { [ "$(awk '/^State:/ && $2 == "T"' $(printf '/proc/%s/status ' "${pids[@]}") | wc -l)" = 3 ]; }
settled() { cat "${files[@]}" > "$tmp/schedstat"; sleep 0.3; cat "${files[@]}" | cmp -s - "$tmp/schedstat"; }
measure() {
	local i
	pids=() files=()
	rm -rf "$tmp/t" "$tmp"/t.*
	outside=$(outside_tasks_ns)
	native_start "$tmp/t" -e sched -e task -e cpu -e tracepoint:sched:sched_stat_runtime -F 499 --buffer-size 64M
	for i in 1 2 3; do
		setsid bash -c 'while :; do :; done' &
		pids+=($!) files+=("/proc/$!/schedstat")
		at_exit kill -KILL $!
	done
	wait_for 300 enough
	kill -STOP "${pids[@]}"
	wait_for 30 all_stopped
	wait_for 30 settled
	native_stop "$tmp/t"
	kill -KILL "${pids[@]}"
	wait "${pids[@]}" 2> /dev/null
	outside=$(($(outside_tasks_ns) - outside))
	report_read "$tmp/t"
	unclear=$(report_get "$tmp/t" .totals.unclear_ns)
	whole=$(awk '{ n += $1 } END { printf "%d", n }' "$tmp/schedstat")
}
measure_clear measure
report_counts_equal "$tmp/t"
figure "$unclear ns of CPU time are said to be unclear"
scheduler_charges "$tmp/t" > "$tmp/charged"
i=0
while read -r cpu wait _; do
	pid=${pids[i++]}
	read -r got_cpu got_wait < <(report_get "$tmp/t" ".views.tasks[] | select(.pid == $pid) | \"\\(.cpu_ns) \\(.wait_ns)\"")
	read -r _ _ late early _ <<< "$(grep "^$pid " "$tmp/charged")"
	cpu_fits "CPU time of $pid, by the scheduler's clock" $((got_cpu - late + early)) "$cpu" "$unclear" $outside
	sampled=$(babeltrace2 --no-delta "$tmp/t" 2> /dev/null | sed -n "s/.* cpu_sample: .*{ tid = $pid, .* period = \([0-9]*\),.*/\1/p" | awk '{ s += $1 } END { printf "%d", s }')
	near "sampled CPU time of $pid" "$sampled" $((cpu + late - early)) 10
	figure "pid $pid: CPU time $got_cpu, schedstat $cpu; wait $got_wait, schedstat $wait; samples stand for $sampled"
done < "$tmp/schedstat"
read -r sum wall < <(report_get "$tmp/t" '"\(([.views.tasks[].cpu_ns] | add) + .totals.unclear_ns) \(.duration_ns)"')
near "sum of all tasks and idle" "$sum" $(($(getconf _NPROCESSORS_ONLN) * wall)) 0.5
exit 0
