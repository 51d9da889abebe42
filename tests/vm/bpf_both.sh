#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# soak: yes
# One workload seen by the module and by BPF at the same time: the same events by type, of the processes that were made
# for it, each with the same fields.
. tests/vm/lib.sh
. tests/vm/record.bash
. tests/vm/report.bash
"$kymo" list --input bpf > "$tmp/list" 2> "$tmp/err" || skip "BPF does not work here: $(cat "$tmp/err")"
cp "$(command -v busybox)" "$tmp/true" || fail "no busybox"
load_module
at_exit unload_module
runs=20 renames=500

started() { [ "$(stat -c %s "$1"/stream_?_[01] 2> /dev/null | sort -n | tail -1)" -gt 84 ] 2> /dev/null; }
for input in kmod bpf; do
	"$kymo" record --input $input -o "$tmp/$input" -e task -e sched -e signal > "$tmp/$input.out" 2> "$tmp/$input.err" &
	eval "${input}_pid=$!"
	wait_for 240 started "$tmp/$input"
done
bash -c 'echo $$ > "$1"; exec "${@:2}"' - "$tmp/pid" "$test_bin/task_gen" exec $runs "$tmp/true" 2> "$tmp/runs" || fail "generator"
"$test_bin/calls" rename $renames > /dev/null
for input in kmod bpf; do
	eval "record_pid=\$${input}_pid"
	kill -INT "$record_pid"
	record_wait
	[ "$record_status" = 0 ] || { cat "$tmp/$input.err"; fail "record --input $input: status $record_status"; }
	equal "input of the trace" "$(jq -r .input "$tmp/$input/kymo/session.json")" $input
	trace_read_clean "$tmp/$input"
	parent=$(cat "$tmp/pid")
	# Of the generator's children: fork, exec, exit, rename, signal to the parent; and the renames
	pids=$(sed -n 's/^exec //p' "$tmp/runs" | paste -sd'|')
	grep -E " (sched_process_fork: .* parent_pid = $parent, .*|sched_process_exec: .*\{ tid = ($pids),|sched_process_exit: .* tid = ($pids),|task_rename: .*\{ tid = ($pids),|task_rename: .* newcomm = \"n[0-9]+\"|signal_generate: .* pid = $parent, )" \
		"$tmp/$input.text" | sed -E 's/^.* ([a-z_]+): \{ cpu_id = [0-9]+ \}, /\1 /' | sort > "$tmp/$input.seen"
	grep -c . "$tmp/$input.seen"
done
[ "$(wc -l < "$tmp/kmod.seen")" -ge $((5 * runs + renames)) ] || fail "only $(wc -l < "$tmp/kmod.seen") events"
cmp -s "$tmp/kmod.seen" "$tmp/bpf.seen" || { diff "$tmp/kmod.seen" "$tmp/bpf.seen" | head -20; fail "the two inputs differ"; }
figure "$(wc -l < "$tmp/kmod.seen") events of $(cut -d' ' -f1 "$tmp/kmod.seen" | sort -u | wc -l) types, alike in both inputs to the last field"
exit 0
