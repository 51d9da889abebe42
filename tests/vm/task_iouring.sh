#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# io_uring's workers pass no sched_process_fork in the kernel; here they are tasks as any other. So are kernel threads.
. tests/vm/lib.sh

load_module
"$test_bin/ring_dump" -S task -D -- sh -c "'$test_bin/task_gen' io_uring; status=\$?; modprobe dummy && rmmod dummy; exit \$status" \
	> "$tmp/events" 2> "$tmp/told" || fail "ring_dump: $(tail -3 "$tmp/told" "$tmp/events")"
grep -q '^# command pid=[0-9]* status=77$' "$tmp/events" && skip "no io_uring here: $(cat "$tmp/told")"
grep -q '^# command pid=[0-9]* status=0$' "$tmp/events" || fail "the generator failed: $(cat "$tmp/told")"
worker=$(sed -n 's/^worker //p' "$tmp/told")
fork=$(grep " sched_process_fork .* child_tid=$worker " "$tmp/events") || fail "no fork event of worker $worker"
gen=$(echo "$fork" | sed 's/.* child_pid=\([0-9]*\) .*/\1/')
grep -q " sched_process_fork .* parent_pid=[0-9]* .* child_tid=$gen child_pid=$gen " "$tmp/events" || fail "worker $worker is not the generator's: $fork"
grep -q " task_rename tid=$worker pid=$gen oldcomm=task_gen newcomm=iou-wrk-$gen " "$tmp/events" || fail "worker $worker has no name"
grep -q " sched_process_exit comm=iou-wrk-$gen tid=$worker pid=$gen " "$tmp/events" || fail "worker $worker did not end"
equal "module_load and module_free of dummy" "$(grep -c ' module_\(load\|free\) .*name=dummy$' "$tmp/events")" 2
figure "io_uring worker $worker of process $gen seen from fork to exit"
unload_module
