# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
# Any tracepoint by name: each event once, with the values that tracefs shows, for those who asked and nobody else.
. tests/vm/lib.sh
load_module
dump=$test_bin/ring_dump
n=3000
[ -z "$soak" ] || n=300000

# ---- counts: a generator's N, perf's count, and two sessions ----
"$dump" -e raw_syscalls:sys_enter -- sleep 5 > "$tmp/other" 2>&1 &
other=$!
"$dump" -m 128 -e syscalls:sys_enter_getppid -e syscalls:sys_exit_getppid -e raw_syscalls:sys_enter -e task:task_rename -- \
	perf stat -x, -o "$tmp/perf" -e syscalls:sys_enter_getppid -- "$test_bin/calls" getppid $n > "$tmp/dump" 2> "$tmp/own" ||
	fail "ring_dump: $(tail -3 "$tmp/own" "$tmp/dump")"
wait $other || fail "the other session: $(tail -3 "$tmp/other")"
pid=common_pid=$(sed -n 's/^tid=//p' "$tmp/own")
count() { awk -v name="$1" -v pid="$pid" -v rest="${2:-.}" '$3 == name && $4 == pid && $0 ~ rest' "${3:-$tmp/dump}" | wc -l; }
equal "perf's own count" "$(awk -F, '/getppid/ { print $1 }' "$tmp/perf")" $n
args='args=.0x1,0x2,0x3,0x4,0x5,0x6.'
equal "syscalls:sys_enter_getppid" "$(count syscalls:sys_enter_getppid 'args=..$')" $n
equal "syscalls:sys_exit_getppid" "$(count syscalls:sys_exit_getppid 'ret=[0-9]+$')" $n
equal "raw_syscalls:sys_enter with its six arguments" "$(count raw_syscalls:sys_enter "id=110 $args")" $n
figure "of $n system calls $(count syscalls:sys_enter_getppid) events; perf stat counted $(awk -F, '/getppid/ { print $1 }' "$tmp/perf")"
awk '/^#/ { next } $3 != "raw_syscalls:sys_enter" { print; exit 1 }' "$tmp/other" || fail "the other session has events that it did not ask for"

# ---- values: the same events in tracefs' own text ----
tracing=/sys/kernel/tracing
events="sched/sched_process_exec sched/sched_process_fork task/task_rename irq/irq_handler_entry net/netif_rx"
for e in $events; do
	echo 1 > $tracing/events/$e/enable
	at_exit sh -c "echo 0 > $tracing/events/$e/enable"
done
cat > "$tmp/steps" << 'STEPS'
eval "$(cat $2)"
for i in $(seq 10); do /bin/true; done
interrupts_make 1 || exit 1
$1/calls rename 100
ping -c 3 -i 0.01 127.0.0.1
STEPS
declare -f interrupts_of_devices interrupts_make > "$tmp/functions"
echo > $tracing/trace
"$dump" $(for e in $events; do echo "-e ${e/\//:}"; done) -- bash "$tmp/steps" "$test_bin" "$tmp/functions" > "$tmp/values" 2> "$tmp/own" ||
	fail "ring_dump: $(tail -3 "$tmp/own" "$tmp/values")"
for e in $events; do echo 0 > $tracing/events/$e/enable; done
# "<event> <tid> <values in the order of tracefs>"; the text of tracefs is "  comm-tid  [cpu] flags time: event: a=b c=d"
sed -n 's/^ *.*-\([0-9]*\) *\[[0-9]*\] [^ ]* *[0-9.]*: \(sched_process_[a-z]*\|task_rename\|irq_handler_entry\|netif_rx\): /\2 \1 /p' \
	$tracing/trace | sed 's/ \(dev\|name\)=\([^ ]*\)/ name=\2/; s/ skbaddr=[^ ]*//; s/ $//' > "$tmp/tracefs.all"
awk '{
		split("", v)
		for (i = 4; i <= NF; i++) { at = index($i, "="); v[substr($i, 1, at - 1)] = substr($i, at + 1) }
		who = $1 " "; name = $3; sub(/^.*:/, "", name); out = name " " v["common_pid"] " "
		if (name == "sched_process_exec") out = out "filename=" v["filename"] " pid=" v["pid"] " old_pid=" v["old_pid"]
		else if (name == "sched_process_fork") out = out "comm=" v["parent_comm"] " pid=" v["parent_pid"] " child_comm=" v["child_comm"] " child_pid=" v["child_pid"]
		else if (name == "task_rename") out = out "pid=" v["pid"] " oldcomm=" v["oldcomm"] " newcomm=" v["newcomm"] " oom_score_adj=" v["oom_score_adj"]
		else if (name == "irq_handler_entry") out = out "irq=" v["irq"] " name=" v["name"]
		else if (name == "netif_rx") out = out "name=" v["name"] " len=" v["len"]
		else next
		print out
	}' "$tmp/values" | sort > "$tmp/ours"
# tracefs saw more: from before START and after STOP. What is ours must be there, and the steps' own must be ours.
sort "$tmp/tracefs.all" > "$tmp/tracefs"
comm -23 "$tmp/ours" "$tmp/tracefs" | head -5 > "$tmp/differ"
[ ! -s "$tmp/differ" ] || fail "not in tracefs: $(cat "$tmp/differ"); there: $(awk '!seen[$1]++' "$tmp/tracefs")"
for e in sched_process_exec:10 sched_process_fork:10 task_rename:100 netif_rx:6 irq_handler_entry:1; do
	got=$(grep -c "^${e%:*} " "$tmp/ours")
	[ "$got" -ge "${e#*:}" ] || fail "only $got events ${e%:*}, want ${e#*:}"
done
grep -c "^task_rename .* newcomm=n[0-9]* " "$tmp/tracefs" | { read -r want; equal "renames" "$(grep -c "^task_rename .* newcomm=n[0-9]* " "$tmp/ours")" "$want"; } || exit 1
figure "$(wc -l < "$tmp/ours") events, all with the values that tracefs shows"

# ---- what is not there, what cannot be ----
"$dump" -e nosuch:tracepoint -- true 2>&1 | grep -q 'No such file or directory' || fail "a tracepoint that does not exist is not ENOENT"
"$dump" -e syscalls: -- true 2>&1 | grep -q 'No such file or directory' || fail "an empty name is not ENOENT"
if echo 'p:kymo_test/probe do_nanosleep' > $tracing/kprobe_events 2> /dev/null; then
	at_exit sh -c "echo > $tracing/kprobe_events"
	"$dump" -e kymo_test:probe -- true 2>&1 | grep -q 'Operation not supported' || fail "an event of tracefs' kprobes is not unavailable"
fi
unload_module
