#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
# More than a hundred threads wait inside socket calls of 19 kinds before net_recv and net_send are enabled. What
# arrives then is charged to each of them to the byte; a call that is one piece of its system call's many is
# counted as missed. Independent source: net_blocked, by the return values of its calls.
. tests/vm/lib.sh

ip link set lo up || fail "ip link set lo up"
[ -d /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing
exact=	# the kernel's tracepoints see every call
[ -d /sys/kernel/tracing/events/sock/sock_recv_length ] && exact=1
load_module
mkfifo "$tmp/go"
"$test_bin/net_blocked" "$tmp/go" ${soak:+100} > "$tmp/told" 2> "$tmp/err" &
generator=$!
at_exit kill $generator
wait_for 120 grep -q 'all wait' "$tmp/err"
"$test_bin/ring_dump" -m 64 -e net_recv -e net_send -- sh -c ": > $tmp/go; tail --pid=$generator -f /dev/null" > "$tmp/dump" ||
	fail "ring_dump: status $?: $(tail -3 "$tmp/dump")"
wait $generator || fail "net_blocked: status $?: $(cat "$tmp/err")"
unload_module

# Of a waiting call there is one event; of a piece, what came after it, and one loss
awk -v exact="$exact" '
NR == FNR { want[$1] = $4; kind[$1] = $3; told[$1] = $5; way[$1] = $2; threads++; if ($5 == "piece") pieces[$2]++; next }
/^# net_/ { match($0, /lost=[0-9]*/); lost[substr($2, 5)] = substr($0, RSTART + 5, RLENGTH - 5); next }
$3 == "net_recv" || $3 == "net_send" {
	for (i = 4; i <= NF; i++) { eq = index($i, "="); f[substr($i, 1, eq - 1)] = substr($i, eq + 1) }
	if (way[f["tid"]] == substr($3, 5)) { bytes[f["tid"]] += f["bytes"]; events[f["tid"]]++ }
}
END {
	for (tid in want) {
		if (told[tid] == "piece" && !exact) { if (bytes[tid] >= want[tid]) bad(tid, "a piece was waiting") }
		else if (kind[tid] == "read-unix") { if (events[tid]) bad(tid, "no socket of ours") }
		else if (bytes[tid] != want[tid]) bad(tid, "want " want[tid])
		else if (told[tid] == "exact" && kind[tid] != "recvmmsg-first" && events[tid] != 1) bad(tid, events[tid] " events")
		sum += bytes[tid]
	}
	for (w in pieces) if (lost[w] != (exact ? 0 : pieces[w])) { print w ": " lost[w] " lost, want " pieces[w]; failed = 1 }
	if (threads < 100) { print "only " threads " threads waited"; failed = 1 }
	print "figure: " threads " threads waited; " sum " bytes charged, " lost["recv"] + lost["send"] " pieces counted as missed"
	exit failed
}
function bad(tid, why) { print kind[tid] " of " tid ": " bytes[tid] + 0 " bytes: " why; failed = 1 }
' "$tmp/told" "$tmp/dump" || fail "what waited is not what was recorded: $(grep '^# net' "$tmp/dump")"
