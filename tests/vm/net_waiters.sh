#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# Hundreds of threads (KYMO_SOAK: thousands) that wait in recv at once: every one is recorded, or counted as loss with its cause.
# Independent source: net_waiters, by the return values of its own calls.
. tests/vm/lib.sh

ip link set lo up || fail "ip link set lo up"
value() { sed -n "s/^# net_recv .*$1=\([0-9]*\).*/\1/p" "$2"; }

# run WHAT THREADS [MODULE PARAMETER]: sets recorded, lost
run() {
	local threads=$2
	load_module ${3:+"$3"}
	"$test_bin/ring_dump" -e net_recv -- sh -c "exec '$test_bin/net_waiters' $threads > $tmp/told" > "$tmp/dump" ||
		fail "$1: ring_dump: status $?: $(tail -3 "$tmp/dump")"
	grep -q "^waited $threads received $threads $((threads * 10))\$" "$tmp/told" || fail "$1: net_waiters: $(cat "$tmp/told")"
	recorded=$(value hits "$tmp/dump") lost=$(value lost "$tmp/dump")
	equal "$1: recorded + lost" $((recorded + lost)) "$threads"
	equal "$1: bytes recorded" "$(grep -c ' net_recv .* bytes=10$' "$tmp/dump")" "$recorded"
	equal "$1: threads recorded" "$(sed -n 's/.* net_recv .*\btid=\([0-9]*\).*/\1/p' "$tmp/dump" | sort -u | wc -l)" "$recorded"
	unload_module
	figure "$1: $threads waited, $recorded recorded, $lost lost"
}

waiters=${soak:+2000}
run "room for all" ${waiters:-500}
equal "room for all: lost" "$lost" 0
if [ ! -d /sys/kernel/tracing/events ]; then mount -t tracefs nodev /sys/kernel/tracing; fi
[ -d /sys/kernel/tracing/events/sock/sock_recv_length ] && exit 0	# no probes there that could be full
run "room for 100" 200 net_recv_active=100
equal "room for 100: recorded" "$recorded" 100
