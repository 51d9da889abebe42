#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# What kymo top showed live, summed up over its intervals, is exactly what kymo report says of the trace that was
# recorded with it: tasks that came and went, socket calls, interrupts, event types.
. tests/vm/lib.sh
. tests/vm/report.bash
. tests/vm/top.bash
cp "$(command -v busybox)" "$tmp/true" || fail "no busybox"
ip link set lo up
load_module
at_exit unload_module

# It starts while the machine works, and is stopped while it does
bash -c 'while :; do :; done' &
at_exit kill $!
top_start "$tmp/top" -d 0.5 -o "$tmp/t" --buffer-size 16M
"$test_bin/task_gen" threads 200 300 > /dev/null 2>&1
"$test_bin/task_gen" exec 20 "$tmp/true" > /dev/null 2>&1
iperf3 -s -1 > /dev/null &
listening() { ss -Hltn 'sport = :5201' | grep -q LISTEN; }
wait_for 120 listening
iperf3 -c 127.0.0.1 -n 20M > /dev/null || fail "iperf3: status $?"
wait_for 240 top_runs "$tmp/top" 6
top_stop "$tmp/top"

equal "lines that are JSON objects" "$(jq -c type "$tmp/top" | sort | uniq -c | tr -s ' ')" " $(wc -l < "$tmp/top") \"object\""
equal "lost" "$(jq -s '[.[].machine.lost] | add' "$tmp/top")" 0
equal "late" "$(jq -s '[.[].machine.late] | add' "$tmp/top")" 0
equal "last" "$(jq -s -c 'map(.last) | [.[-1], (.[:-1] | any)]' "$tmp/top")" '[true,false]'
report_read "$tmp/t"
report_counts_equal "$tmp/t"
top_agrees "$tmp/top" "$tmp/t.json"
# The intervals cover the session without a gap
equal "time" "$(jq -s '[.[].interval_ns] | add' "$tmp/top")" "$(report_get "$tmp/t" '.session | .stop_ns - .start_ns')"
equal "time of all CPUs" "$(jq -s '[.[].machine | .user_ns, .system_ns, .irq_ns, .softirq_ns, .idle_ns, .unclear_ns] | add' "$tmp/top")" \
	"$(report_get "$tmp/t" .totals.cpu_window_ns)"
figure "$(wc -l < "$tmp/top") intervals, $(jq -s '[.[].machine.events] | add' "$tmp/top") events"
exit 0
