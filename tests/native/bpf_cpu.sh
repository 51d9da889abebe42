#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# native: --timeout 900
# CPU time by process against /proc/PID/schedstat, whole lives inside the recording; samples stand
# for the same time; all tasks and idle are CPUs x wall.
. tests/native/lib.sh
need_bpf
seconds=${soak:+60}
seconds=${seconds:-5}

native_start "$tmp/t" -e sched -e task -e cpu -F 499 --buffer-size 64M
for i in 1 2 3; do
	setsid bash -c 'while :; do :; done' &
	pids+=($!)
	at_exit kill -KILL $!
done
sleep "$seconds"
kill -STOP "${pids[@]}"
for pid in "${pids[@]}"; do files+=("/proc/$pid/schedstat"); done
all_stopped() { [ "$(awk '/^State:/ && $2 == "T"' $(printf '/proc/%s/status ' "${pids[@]}") | wc -l)" = 3 ]; }
wait_for 30 all_stopped
settled() { cat "${files[@]}" > "$tmp/schedstat"; sleep 0.3; cat "${files[@]}" | cmp -s - "$tmp/schedstat"; }
wait_for 30 settled
native_stop "$tmp/t"
report_read "$tmp/t"
report_counts_equal "$tmp/t"

# A kernel may hide switches of some processes of the host's from BPF: that time is told as unclear, and may be anyone's
unclear=$(report_get "$tmp/t" .totals.unclear_ns)
with_unclear() { # GOT WANT
	local missing=$(($2 - $1))
	[ $missing -gt 0 ] || missing=0
	echo $(($1 + (missing < unclear ? missing : unclear)))
}
figure "$unclear ns of CPU time are said to be unclear"
i=0
while read -r cpu wait _; do
	pid=${pids[i++]}
	read -r got_cpu got_wait < <(report_get "$tmp/t" ".views.tasks[] | select(.pid == $pid) | \"\\(.cpu_ns) \\(.wait_ns)\"")
	[ "$cpu" -gt 200000000 ] || fail "pid $pid had only $cpu ns of CPU time"
	near "CPU time of $pid" "$(with_unclear "$got_cpu" "$cpu")" "$cpu" 2
	sampled=$(babeltrace2 --no-delta "$tmp/t" 2> /dev/null | sed -n "s/.* cpu_sample: .*{ tid = $pid, .* period = \([0-9]*\),.*/\1/p" | awk '{ s += $1 } END { printf "%d", s }')
	near "sampled CPU time of $pid" "$sampled" "$cpu" 10
	figure "pid $pid: CPU time $got_cpu, schedstat $cpu; wait $got_wait, schedstat $wait; samples stand for $sampled"
done < "$tmp/schedstat"
read -r sum wall < <(report_get "$tmp/t" '"\(([.views.tasks[].cpu_ns] | add) + .totals.unclear_ns) \(.duration_ns)"')
near "sum of all tasks and idle" "$sum" $(($(nproc) * wall)) 0.5
exit 0
