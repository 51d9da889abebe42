#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# native: --timeout 900
# System calls: every call that a generator makes is there, in order and with its number, at the rate of the machine;
# numbers that are no calls come as unknown ones; what was not asked for is not there.
. tests/native/lib.sh
need_bpf
need_type syscall_entry_getpriority
calls=${soak:+10000000}
calls=${calls:-200000}

native_start "$tmp/t" -e task -e 'syscall_*_getpriority' -e 'syscall_*_unknown' --buffer-size 64M
start=$(now_ns)
made=$("$test_bin/mark_calls" -q "$calls" 0)
took=$((($(now_ns) - start) / 1000000 + 1))
"$test_bin/task_gen" syscalls 100 2> "$tmp/generator" || fail "generator"
native_stop "$tmp/t"
report_read "$tmp/t"
report_counts_equal "$tmp/t"
equal "calls made" "$made" "$calls"
trace_read_clean "$tmp/t"
# Others on this machine may make that call, too (renice): theirs stand between, and are few
for type in syscall_entry_getpriority syscall_exit_getpriority; do
	between "$type" "$calls" "$(report_get "$tmp/t" ".views.events[] | select(.type == \"$type\") | .count")" $((calls + calls / 1000))
done
sed -n 's/.* syscall_entry_getpriority: .* arg1 = 0x\([0-9A-F]*\),.*/\1/p' "$tmp/t.text" > "$tmp/numbers"
next=$(awk 'BEGIN { n = 1; want = "1" } $1 == want { want = sprintf("%X", ++n) } END { print n }' "$tmp/numbers")
equal "calls with their numbers in order" $((next - 1)) "$calls"
equal "calls of number 999" "$(grep -c ' syscall_entry_unknown: .*{ id = 999,' "$tmp/t.text")" 100
equal "other system calls" "$(grep -c ' syscall_entry_umask: ' "$tmp/t.text")" 0
figure "$calls calls in $took ms, each there with its number, entry and exit"
exit 0
