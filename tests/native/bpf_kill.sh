#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# native: --timeout 900
# kill -9 in the middle: nothing stays attached or loaded, the trace is whole, and what a generator did up to 1 s before
# is in it, by its numbers. Another session beside goes on undisturbed.
. tests/native/lib.sh
need_bpf
tries=${soak:+100}
tries=${tries:-20}
RANDOM=$$
type bpftool > /dev/null 2>&1 || PATH=$PATH:/usr/sbin

# Of our programs and maps, by name: others on this machine may come and go
ours() {
	bpftool prog show -j | jq -r '.[] | select(.name as $n | ["sched_switch", "task_rename", "cpu_sample", "net_send"] | any(. as $p | $p | startswith($n) or . == $n)) | "prog \(.id)"'
	bpftool map show -j | jq -r '.[] | select(.name == "kymo_ring" or .name == "rings" or .name == "counts") | "map \(.id)"'
	bpftool link show -j | jq -r '.[] | select(.type == "raw_tracepoint" or .type == "tracing") | "link \(.id)"'
}

native_start "$tmp/beside" -e task --buffer-size 16M
beside=$record_pid
ours | sort > "$tmp/before"
grep -q prog "$tmp/before" || fail "bpftool does not show our programs: the test shows nothing"
as_before() { ours | sort | cmp -s - "$tmp/before"; }
worst_ns=0 compared=0 due=$(((tries + 9) / 10))
for ((i = 0; i < tries || compared < due; i++)); do
	[ $i -lt $((tries + 20)) ] || fail "the machine stands still for seconds ($worst_ns ns): nothing to compare"
	stalls_watch
	native_start "$tmp/t" -e task -e sched -e cpu -e net
	as_before && fail "bpftool shows nothing of a session that runs"
	"$test_bin/calls" rename 300 > /dev/null
	done_ns=$(now_ns)
	sleep "0.$((RANDOM % 900 + 100))"
	[ $compared -ge $due ] || sleep $((1 + 2 * worst_ns / 1000000000))
	age_ns=$(($(now_ns) - done_ns))
	kill -9 "$record_pid"
	wait "$record_pid" 2> /dev/null
	stalls_told
	[ "$stalls_ns" -le "$worst_ns" ] || worst_ns=$stalls_ns
	trace_unlocked "$tmp/t"
	wait_for 30 as_before
	trace_read_clean "$tmp/t"
	# A second, and what others kept the recorder waiting: it flushes twice a second
	if [ $age_ns -ge $((1000000000 + 2 * stalls_ns)) ] && [ $compared -lt $due ]; then
		compared=$((compared + 1))
		equal "renames older than 1 s" "$(sed -n 's/.* task_rename: .* newcomm = "\(n[0-9]*\)".*/\1/p' "$tmp/t.text" | sort -u | wc -l)" 300
	fi
	rm -rf "$tmp/t"*
done
record_pid=$beside
native_stop "$tmp/beside"
trace_read_clean "$tmp/beside"
equal "renames in the session beside" "$(grep -c ' task_rename: .* newcomm = "n[0-9]*"' "$tmp/beside.text")" $((i * 300))
figure "$i times kill -9: bpftool shows prog, map and link as before; the session beside has lost nothing; $compared traces compared (the machine stood still for $((worst_ns / 1000000)) ms at most)"
exit 0
