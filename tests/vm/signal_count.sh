#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# Signals generated and delivered: as many as the generator sent, to whom it sent them.
. tests/vm/lib.sh

n=2000
load_module
"$test_bin/ring_dump" -S signal -- "$test_bin/task_gen" signals $n > "$tmp/events" 2> "$tmp/told" || fail "ring_dump: $(tail -3 "$tmp/told" "$tmp/events")"
pid=$(sed -n 's/^# command pid=\([0-9]*\) status=0$/\1/p' "$tmp/events")
[ -n "$pid" ] || fail "the generator failed: $(cat "$tmp/told")"
child=$(sed -n 's/^child //p' "$tmp/told")
count() { grep -c "$1" "$tmp/events"; }
equal "signals to itself" "$(count " signal_generate sig=10 errno=0 code=0 comm=task_gen pid=$pid group=1 result=0$")" $n
equal "of them delivered to a handler" "$(count " signal_deliver sig=10 errno=0 code=0 sa_handler=0x[1-9a-f][0-9a-f]* ")" $n
equal "queued to the child (SI_QUEUE)" "$(count " signal_generate sig=34 errno=0 code=-1 comm=task_gen pid=$child group=1 result=0$")" $n
equal "of them delivered" "$(count " signal_deliver sig=34 errno=0 code=-1 sa_handler=0x[1-9a-f][0-9a-f]* ")" $n
equal "the child's end" "$(count " signal_generate sig=17 .* pid=$pid ")" 1
figure "$n + $n signals generated and delivered"
unload_module
