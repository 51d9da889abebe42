#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# Short-lived threads and processes in kymo report: each belongs to whom created it and has its name, none is unknown.
# The generator's own lists of tids, pids and names are the other source.
. tests/vm/lib.sh
. tests/vm/record.bash
. tests/vm/report.bash
threads=600 runs=100
[ -z "$soak" ] || threads=3000 runs=2000
cp "$(command -v busybox)" "$tmp/true" || fail "no busybox"
load_module
at_exit unload_module

record_start "$tmp/t" -e task -e sched --buffer-size 32M
# exec: the shell that wrote the pid down is the generator
bash -c 'echo $$ > "$1"; exec "${@:2}"' - "$tmp/pid.threads" "$test_bin/task_gen" threads $threads 300 2> "$tmp/threads"
equal "status of the generator of threads" $? 0
bash -c 'echo $$ > "$1"; exec "${@:2}"' - "$tmp/pid.runs" "$test_bin/task_gen" exec $runs "$tmp/true" 2> "$tmp/runs"
equal "status of the generator of processes" $? 0
kill -INT $record_pid
record_wait
cat "$tmp/t.err"
equal "status of the recorder" $record_status 0
report_read "$tmp/t"
report_counts_equal "$tmp/t"
maker=$(cat "$tmp/pid.threads") parent=$(cat "$tmp/pid.runs")
report_get "$tmp/t" "
	(.views.threads[] | select(.pid == $maker and .tid != $maker) | \"thread \\(.tid) \\(.command)\"),
	(.views.tasks[] | select(.ppid == $parent and .command == \"true\") | \"exec \\(.pid)\"),
	(.views.tasks[] | select(.pid == $maker) | \"created \\(.threads_created)\"),
	(.views.tasks[] | select(.pid == $parent) | \"forked \\(.processes_created)\"),
	\"unknown \\(.totals.unknown_tasks)\",
	\"nameless \\([.views.tasks[], .views.threads[] | select(.command == \"\" or .command == null)] | length)\",
	\"execs \\([.views.events[] | select(.type == \"sched_process_exec\") | .count] | add)\"" > "$tmp/told"
figure "$(grep -v '^thread\|^exec' "$tmp/told" | tr '\n' ';')"
for what in threads runs; do
	kind=thread
	[ $what = threads ] || kind=exec
	grep "^$kind " "$tmp/$what" | sort > "$tmp/want"
	grep "^$kind " "$tmp/told" | sort > "$tmp/got"
	equal "$what of the generator" "$(wc -l < "$tmp/want")" ${!what}
	cmp -s "$tmp/want" "$tmp/got" || fail "$what differ (< made, > reported): $(diff "$tmp/want" "$tmp/got" | head)"
done
told() { sed -n "s/^$1 //p" "$tmp/told"; }
equal "threads created by $maker" "$(told created)" $threads
equal "processes forked by $parent" "$(told forked)" $runs
[ "$(told execs)" -ge $((runs + 4)) ] || fail "$(told execs) execs: fewer than $runs runs, two generators and their shells"
equal "unknown tasks" "$(told unknown)" 0
equal "tasks without a name" "$(told nameless)" 0
figure "$threads threads and $runs processes, each with its creator and name"
exit 0
