#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# native: --timeout 900
# Threads and processes at native speed: all that were made are there, each with its creator and name, none unknown.
# The generator's own lists of tids and pids are the other source.
. tests/native/lib.sh
need_bpf
threads=20000 runs=1000
[ -z "$soak" ] || threads=200000 runs=20000
cp "$(command -v busybox)" "$tmp/true" || fail "no busybox"

tids() { ls -d /proc/[0-9]*/task/[0-9]* 2> /dev/null | sed 's|.*/||' | sort; }
tids > "$tmp/there"
native_start "$tmp/t" -e task -e sched --buffer-size 64M
start=$(now_ns)
bash -c 'echo $$ > "$1"; exec "${@:2}"' - "$tmp/pid.threads" "$test_bin/task_gen" threads $threads 20000 2> "$tmp/threads"
equal "status of the generator of threads" $? 0
took=$((($(now_ns) - start) / 1000000))
bash -c 'echo $$ > "$1"; exec "${@:2}"' - "$tmp/pid.runs" "$test_bin/task_gen" exec $runs "$tmp/true" 2> "$tmp/runs"
equal "status of the generator of processes" $? 0
native_stop "$tmp/t"
report_read "$tmp/t"
maker=$(cat "$tmp/pid.threads") parent=$(cat "$tmp/pid.runs")
babeltrace2 --clock-cycles --no-delta "$tmp/t" > "$tmp/t.text" 2> "$tmp/t.complaints" || fail "babeltrace2: status $?"
[ ! -s "$tmp/t.complaints" ] || { head "$tmp/t.complaints"; fail "babeltrace2 has something to say"; }

# From the events: who was created by whom, and what it was called in the end
sed -n "s/.* sched_process_fork: .* parent_pid = $maker, .* child_tid = \([0-9]*\), child_pid = $maker, .*/\1/p" "$tmp/t.text" | sort > "$tmp/forked"
sed -n 's/^thread \([0-9]*\) .*/\1/p' "$tmp/threads" | sort > "$tmp/want"
equal "threads of the generator" "$(wc -l < "$tmp/want")" $threads
cmp -s "$tmp/want" "$tmp/forked" || fail "threads differ (< made, > recorded): $(diff "$tmp/want" "$tmp/forked" | head)"
sed -n "s/.* task_rename: .* tid = \([0-9]*\), pid = $maker, .* newcomm = \"\(gen-[0-9]*\)\".*/thread \1 \2/p" "$tmp/t.text" | sort > "$tmp/renamed"
sort "$tmp/threads" > "$tmp/want"
cmp -s "$tmp/want" "$tmp/renamed" || fail "names differ: $(diff "$tmp/want" "$tmp/renamed" | head)"
sed -n "s|.* sched_process_exec: .* tid = \([0-9]*\), old_tid.* filename = \"$tmp/true\".*|exec \1|p" "$tmp/t.text" | sort > "$tmp/execed"
sort "$tmp/runs" > "$tmp/want"
equal "runs of the generator" "$(wc -l < "$tmp/want")" $runs
cmp -s "$tmp/want" "$tmp/execed" || fail "runs differ: $(diff "$tmp/want" "$tmp/execed" | head)"
sed -n 's/^exec //p' "$tmp/runs" | sort > "$tmp/want"
sed -n "s|.* task_mmap: .* tid = \([0-9]*\), pid.* path = \"$tmp/true\".*|\1|p" "$tmp/t.text" | sort -u > "$tmp/mapped"
[ -z "$(comm -23 "$tmp/want" "$tmp/mapped")" ] || fail "mappings of the program are missing: $(comm -23 "$tmp/want" "$tmp/mapped" | head)"
sed -n "s/.* sched_process_exit: .* tid = \([0-9]*\), .*/\1/p" "$tmp/t.text" | sort > "$tmp/exited"
[ -z "$(comm -23 "$tmp/want" "$tmp/exited" | head -3)" ] || fail "$(comm -23 "$tmp/want" "$tmp/exited" | wc -l) processes have no sched_process_exit"

# A kernel may hide tasks from BPF's iterators (sandboxes do, those of their own): what was there all the time and is not
# in the dump
tids | comm -12 - "$tmp/there" > "$tmp/stayed"
sed -n 's/.* lttng_statedump_process_state: .*{ tid = \([0-9]*\),.*/\1/p' "$tmp/t.text" | sort > "$tmp/dumped"
hidden=$(comm -23 "$tmp/stayed" "$tmp/dumped" | wc -l)
hiders=$(comm -23 "$tmp/stayed" "$tmp/dumped" | while read -r tid; do awk '/^Tgid:/ { print $2 }' "/proc/$tid/status"; done 2> /dev/null | sort -u | wc -l)
[ "$hiders" -le 2 ] || fail "$hidden tasks of $hiders processes are not in the start dump"
between "unknown tasks" 0 "$(report_get "$tmp/t" .totals.unknown_tasks)" "$hidden"
equal "threads created by $maker" "$(report_get "$tmp/t" ".views.tasks[] | select(.pid == $maker) | .threads_created")" $threads
equal "processes forked by $parent" "$(report_get "$tmp/t" ".views.tasks[] | select(.pid == $parent) | .processes_created")" $runs
figure "$threads threads in $took ms and $runs processes, each with its creator and name; lost 0; $hidden tasks are hidden by this kernel"
exit 0
