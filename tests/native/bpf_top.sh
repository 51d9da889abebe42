#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# native: --timeout 600
# kymo top by BPF: the header and JSON say which input it is; a process's CPU time over the intervals is that of
# schedstat (by the scheduler's clock: a preemption is dated back there).
. tests/native/lib.sh
need_bpf

busy() { [ "$(cut -d ' ' -f 1 /proc/$hog/schedstat)" -gt 2000000000 ]; }
settled() { local was; was=$(cat /proc/$hog/schedstat); sleep 0.3; [ "$was" = "$(cat /proc/$hog/schedstat)" ]; }
shown() { [ "$(wc -l < "$tmp/top")" -gt $((lines + 1)) ]; }
measure() { # got, cpu: shown of the hog, by schedstat
	outside=$(outside_tasks_ns)
	rm -rf "$tmp/t"
	"$kymo" top --input bpf --json -V tasks -o "$tmp/t" -e sched -e task -e cpu -e tracepoint:sched:sched_stat_runtime \
		--buffer-size 16M > "$tmp/top" 2> "$tmp/top.err" & top=$!
	at_exit kill $top
	wait_for 60 test -s "$tmp/top"
	setsid bash -c 'while :; do :; done' & hog=$!
	at_exit kill -KILL $hog
	wait_for 120 busy
	kill -STOP $hog
	wait_for 30 settled
	cpu=$(cut -d ' ' -f 1 /proc/$hog/schedstat)
	lines=$(wc -l < "$tmp/top")
	wait_for 60 shown
	kill -INT $top
	wait $top || fail "kymo top: status $?: $(cat "$tmp/top.err")"
	kill -KILL $hog
	wait $hog 2> /dev/null
	outside=$(($(outside_tasks_ns) - outside))
	got=$(jq -s "[.[].views.tasks[] | select(.pid == $hog) | .cpu_ns] | add" "$tmp/top")
	# What this kernel hides from BPF is told
	unclear=$(jq -s '[.[].machine.uncharged_ns] | add' "$tmp/top")
	whole=$cpu
}
measure_clear measure
equal "input" "$(jq -rs 'map(.input) | unique | join(",")' "$tmp/top")" bpf
scheduler_charges "$tmp/t" > "$tmp/charged"
read -r _ _ late early _ <<< "$(grep "^$hog " "$tmp/charged")"
cpu_fits "CPU time in sum, by the scheduler's clock" $((got - late + early)) "$cpu" "$unclear" $outside
figure "by BPF: $got ns in $(wc -l < "$tmp/top") intervals, schedstat $cpu ($unclear ns unclear)"
"$kymo" top --input bpf --batch 1 2> /dev/null | head -1 | grep -q '  bpf  load' || fail "the header does not name its input"
exit 0
