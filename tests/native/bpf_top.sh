#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# native: --timeout 300
# kymo top by BPF: the header and JSON say which input it is; a process's CPU time over the intervals is that of schedstat.
. tests/native/lib.sh
need_bpf

"$kymo" top --input bpf --json -V tasks > "$tmp/top" 2> "$tmp/top.err" & top=$!
at_exit kill $top
wait_for 60 test -s "$tmp/top"
setsid bash -c 'while :; do :; done' & hog=$!
at_exit kill -KILL $hog
busy() { [ "$(cut -d ' ' -f 1 /proc/$hog/schedstat)" -gt 2000000000 ]; }
wait_for 120 busy
kill -STOP $hog
settled() { local was; was=$(cat /proc/$hog/schedstat); sleep 0.3; [ "$was" = "$(cat /proc/$hog/schedstat)" ]; }
wait_for 30 settled
cpu=$(cut -d ' ' -f 1 /proc/$hog/schedstat)
lines=$(wc -l < "$tmp/top")
shown() { [ "$(wc -l < "$tmp/top")" -gt $((lines + 1)) ]; }
wait_for 60 shown
kill -INT $top
wait $top || fail "kymo top: status $?: $(cat "$tmp/top.err")"
equal "input" "$(jq -rs 'map(.input) | unique | join(",")' "$tmp/top")" bpf
got=$(jq -s "[.[].views.tasks[] | select(.pid == $hog) | .cpu_ns] | add" "$tmp/top")
# What this kernel hides from BPF is told as unclear, and may be anyone's
unclear=$(jq -s '[.[].machine.unclear_ns // 0] | add' "$tmp/top")
missing=$((cpu - got))
[ $missing -le 0 ] || got=$((got + (missing < unclear ? missing : unclear)))
near "CPU time in sum" "$got" "$cpu" 2
figure "by BPF: $got ns in $(wc -l < "$tmp/top") intervals, schedstat $cpu ($unclear ns unclear)"
"$kymo" top --input bpf --batch 1 2> /dev/null | head -1 | grep -q '  bpf  load' || fail "the header does not name its input"
exit 0
