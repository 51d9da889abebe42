#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
# Bytes of every kind of socket call, charged to the task that made it, with the socket's own idea of itself.
# Independent source: net_calls, which counts by the return values of its calls and asks getsockname and SO_COOKIE.
. tests/vm/lib.sh

load_module
sysctl -qw net.ipv4.ping_group_range="0 2147483647" || fail "sysctl ping_group_range"
ip link set lo up || fail "ip link set lo up"

# compare WHAT CALLS DUMP: peers that only the call names are not known where the kernel's tracepoints are used
compare() {
	awk -v named="$named" '
	$1 == "call" { key = $2 " " $4; want[key] = $0; bytes[key] = events[key] = 0; n++; next }
	$3 == "net_send" || $3 == "net_recv" {
		for (i = 4; i <= NF; i++) { eq = index($i, "="); f[substr($i, 1, eq - 1)] = substr($i, eq + 1) }
		key = f["pid"] " " substr($3, 5)
		if (!(key in want)) { print "nobody made this call: " $0; bad = 1; next }
		split(want[key], w)
		bytes[key] += f["bytes"]; events[key]++
		check("tid", w[3]); check("cookie", w[8]); check("netns", w[9]); check("family", w[10])
		check("protocol", w[11]); check("sport", w[12]); check("saddr", w[14])
		check("dport", peer(w[13])); check("daddr", peer(w[15]))
	}
	function peer(value) { return value !~ /^[?]/ ? value : named ? substr(value, 2) : "-" }
	function check(name, value) {
		if (value == "-" || f[name] == value) return
		print w[5] ": " name " is " f[name] ", want " value ": " $0; bad = 1
	}
	END {
		for (key in want) {
			split(want[key], w)
			sum += bytes[key]
			if (bytes[key] != w[7]) { print w[5] ": " bytes[key] " bytes of " key ", want " w[7]; bad = 1 }
			if (w[6] != "-" && events[key] != w[6]) { print w[5] ": " events[key] " events of " key ", want " w[6]; bad = 1 }
		}
		if (!n) { print "the generator told nothing"; bad = 1 }
		print "figure: '"$1"': " n " processes and directions, " sum " bytes, all as the generator counted"
		exit bad
	}' "$2" "$3" || fail "$1: the module and the generator differ"
	grep -q '^# net_send hits=[1-9][0-9]* .*lost=0' "$3" || fail "$1: lost: $(grep '^# net' "$3")"
	grep -q '^# net_recv hits=[1-9][0-9]* .*lost=0' "$3" || fail "$1: lost: $(grep '^# net' "$3")"
}

# The tracepoints do not tell the peer of an unconnected socket
named=1
[ -d /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing
[ -d /sys/kernel/tracing/events/sock/sock_send_length ] && named=

"$test_bin/ring_dump" -e net_send -e net_recv -- sh -c "exec '$test_bin/net_calls' > $tmp/calls" > "$tmp/dump" ||
	fail "ring_dump: status $?: $(tail -3 "$tmp/dump")"
grep -q '^# command .*status=0' "$tmp/dump" || fail "net_calls: $(grep '^# command' "$tmp/dump")"
compare "sockets of the session's time" "$tmp/calls" "$tmp/dump"

mkfifo "$tmp/go"
"$test_bin/net_calls" -w "$tmp/go" > "$tmp/calls" 2> "$tmp/err" &
generator=$!
at_exit kill $generator
wait_for 120 grep -q 'sockets are open' "$tmp/err"
"$test_bin/ring_dump" -e net_send -e net_recv -- sh -c ": > $tmp/go; tail --pid=$generator -f /dev/null" > "$tmp/dump" ||
	fail "ring_dump: status $?: $(tail -3 "$tmp/dump")"
wait $generator || fail "net_calls -w: status $?: $(cat "$tmp/err")"
compare "sockets older than the session" "$tmp/calls" "$tmp/dump"
unload_module
