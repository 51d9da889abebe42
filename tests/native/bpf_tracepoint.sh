#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# native: --timeout 900
# Any tracepoint by BPF: each event once against a generator's number and perf's own count, with the values that tracefs
# shows; under an overload recorded + lost is what happened; what is not there and what cannot be is said.
. tests/native/lib.sh
need_bpf
calls=${soak:+5000000}
calls=${calls:-20000}
tracefs=/sys/kernel/tracing
[ -e $tracefs/events ] || skip "tracefs is not mounted at $tracefs"
"$kymo" list --input bpf -e tracepoint:syscalls:sys_enter_getpriority > "$tmp/list" 2>&1 || skip "$(cat "$tmp/list")"

# ---- counts: the generator's, perf's for the generator, ours ----
native_start "$tmp/t" -e task -e tracepoint:syscalls:sys_enter_getpriority -e tracepoint:syscalls:sys_exit_getpriority -e 'tracepoint:task:task_re*' --buffer-size 64M
perf stat -x, -o "$tmp/perf" -e syscalls:sys_enter_getpriority -- bash -c 'echo $$ > "$1"; exec "${@:2}"' - "$tmp/pid" "$test_bin/mark_calls" -q "$calls" 0 > /dev/null ||
	fail "perf stat: status $?"
"$test_bin/calls" rename 1000 > /dev/null
native_stop "$tmp/t"
report_read "$tmp/t"
report_counts_equal "$tmp/t"
trace_read_clean "$tmp/t"
pid=$(cat "$tmp/pid")
equal "perf's count" "$(awk -F, '/getpriority/ { print $1 }' "$tmp/perf")" "$calls"
sed -n "s/.* syscalls:sys_enter_getpriority: .* common_pid = $pid, __syscall_nr = 140, _args_length = 2, args = \[ \[0\] = 0x0, \[1\] = 0x\([0-9A-F]*\) \].*/\1/p" "$tmp/t.text" > "$tmp/numbers"
seq 1 "$calls" | awk '{ printf "%X\n", $1 }' | cmp -s - "$tmp/numbers" || fail "the calls' numbers are not 1 to $calls in order: $(wc -l < "$tmp/numbers") of them"
equal "their ends" "$(grep -c " syscalls:sys_exit_getpriority: .* common_pid = $pid, __syscall_nr = 140, ret = [0-9-]* }" "$tmp/t.text")" "$calls"
equal "task:task_rename and task_rename" "$(grep -c ' task:task_rename: .* newcomm = "n[0-9]*"' "$tmp/t.text") $(grep -c ' task_rename: .* newcomm = "n[0-9]*"' "$tmp/t.text")" "1000 1000"
figure "$calls calls made, perf counts $calls, the trace has them with their numbers in order"

# ---- values: the same events in tracefs' own text, in an instance of its own ----
instance=$tracefs/instances/kymo_test_$$
mkdir $instance || fail "no instance of tracefs"
at_exit rmdir $instance
echo 16384 > $instance/buffer_size_kb
events="sched/sched_process_exec sched/sched_process_fork task/task_rename net/netif_rx signal/signal_generate"
for e in $events; do
	echo 1 > $instance/events/$e/enable
	at_exit sh -c "echo 0 > $instance/events/$e/enable"
done
native_start "$tmp/v" -e task $(for e in $events; do echo "-e tracepoint:${e/\//:}"; done) --buffer-size 64M
for i in $(seq 10); do /bin/true; done
"$test_bin/calls" rename 100 > /dev/null
bash -c 'exec 3<> /dev/udp/127.0.0.1/9; for i in 1 2 3 4 5 6; do echo $i >&3; done' 2> /dev/null
native_stop "$tmp/v"
for e in $events; do echo 0 > $instance/events/$e/enable; done
babeltrace2 "$tmp/v" > "$tmp/v.text" 2> "$tmp/v.complaints" || fail "babeltrace2: status $?"
equal "what babeltrace2 has to say" "$(cat "$tmp/v.complaints")" ""
# "<event> <tid> <values in the order of tracefs>"; the text of tracefs is "  comm-tid  [cpu] flags time: event: a=b c=d"
sed -n 's/^ *.*-\([0-9]*\) *\[[0-9]*\] [^ ]* *[0-9.]*: \(sched_process_[a-z]*\|task_rename\|netif_rx\|signal_generate\): /\2 \1 /p' $instance/trace |
	sed 's/ skbaddr=[^ ]*//; s/ dev=/ name=/; s/ $//' | sort > "$tmp/tracefs"
awk -F' }, { |: { | }$' '/ (sched|task|net|signal):[a-z_]*: { / {
		n = $1; sub(/.* /, "", n); sub(/^[a-z]*:/, "", n); f = $NF == "" ? $(NF - 1) : $NF; split("", v)
		while (match(f, /^[a-z_]+ = ("[^"]*"|[^,]*)(, )?/)) {
			one = substr(f, 1, RLENGTH); f = substr(f, RLENGTH + 1); sub(/, $/, "", one); at = index(one, " = ")
			value = substr(one, at + 3); gsub(/^"|"$/, "", value); v[substr(one, 1, at - 1)] = value
		}
		out = n " " v["common_pid"] " "
		if (n == "sched_process_exec") out = out "filename=" v["filename"] " pid=" v["pid"] " old_pid=" v["old_pid"]
		else if (n == "sched_process_fork") out = out "comm=" v["parent_comm"] " pid=" v["parent_pid"] " child_comm=" v["child_comm"] " child_pid=" v["child_pid"]
		else if (n == "task_rename") out = out (v["pid"] == "" ? "" : "pid=" v["pid"] " ") "oldcomm=" v["oldcomm"] " newcomm=" v["newcomm"] " oom_score_adj=" v["oom_score_adj"]
		else if (n == "netif_rx") out = out "name=" v["name"] " len=" v["len"]
		else if (n == "signal_generate") out = out "sig=" v["sig"] " errno=" v["errno"] " code=" v["code"] " comm=" v["comm"] " pid=" v["pid"] " grp=" v["group"] " res=" v["result"]
		else next
		print out
	}' "$tmp/v.text" | sort > "$tmp/ours"
# tracefs saw more: from before the start and after the stop. What is ours must be there, and the steps' own must be ours
comm -23 "$tmp/ours" "$tmp/tracefs" | head -5 > "$tmp/differ"
[ ! -s "$tmp/differ" ] || fail "not in tracefs: $(cat "$tmp/differ"); there: $(awk '!seen[$1]++' "$tmp/tracefs")"
for e in sched_process_exec:10 sched_process_fork:10 task_rename:100 netif_rx:6 signal_generate:10; do
	got=$(grep -c "^${e%:*} " "$tmp/ours")
	[ "$got" -ge "${e#*:}" ] || fail "only $got events ${e%:*}, want ${e#*:}"
done
equal "renames" "$(grep -c '^task_rename .* newcomm=n[0-9]* ' "$tmp/ours")" "$(grep -c '^task_rename .* newcomm=n[0-9]* ' "$tmp/tracefs")"
figure "$(wc -l < "$tmp/ours") events of 5 tracepoints, all with the values that tracefs shows"

# ---- loss: whoever else makes this call meanwhile is in perf's count of the machine, which is wider ----
timeout 600 perf stat -x, -o "$tmp/wide" -a -e syscalls:sys_enter_getpriority -- \
	bash -c 'touch "$1/counting"; until [ -e "$1/enough" ]; do sleep 0.1; done' - "$tmp" &
wide=$!
at_exit kill $wide
wait_for 60 test -e "$tmp/counting"
native_start "$tmp/l" -e task -e tracepoint:syscalls:sys_enter_getpriority --buffer-size 256K --packet-size 16K
kill -STOP "$record_pid"
"$test_bin/mark_calls" -q "$calls" 0 > /dev/null
kill -CONT "$record_pid"
native_stop "$tmp/l" 3
touch "$tmp/enough"
wait $wide || fail "perf stat: status $?"
most=$(awk -F, '/getpriority/ { print $1 }' "$tmp/wide")
got=$(session_number "$tmp/l" syscalls:sys_enter_getpriority hits) lost=$(session_lost "$tmp/l" syscalls:sys_enter_getpriority)
trace_read "$tmp/l"
equal "the session's count and the trace's" "$got" "$(trace_count "$tmp/l" syscalls:sys_enter_getpriority)"
[ "$lost" -gt $((calls / 10)) ] || fail "only $lost lost: the test shows nothing"
between "recorded $got + lost $lost" "$calls" $((got + lost)) "$most"
figure "$calls happened (and $((most - calls)) by others at most): recorded $got, lost $lost"

# ---- what is not there, what cannot be ----
refused() { # WORDS WANT
	"$kymo" record --input bpf -o "$tmp/no" -e "$1" -s 1 > "$tmp/no.out" 2>&1 && fail "record -e $1 does not fail"
	grep -q "$2" "$tmp/no.out" || fail "record -e $1 says: $(cat "$tmp/no.out")"
}
refused tracepoint:nosuch:tracepoint 'the kernel has no such tracepoint'
refused 'tracepoint:nosuch:*' 'the kernel has no such tracepoint'
refused ftrace:function 'does not attach'
exit 0
