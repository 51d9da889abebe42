#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# native: --timeout 900
# Bytes by process against what iperf3 says: TCP and UDP, IPv4 and IPv6, over loopback; and a CPU hog beside gets none.
. tests/native/lib.sh
need_bpf
need_type net_send net_recv
seconds=${soak:+10}
seconds=${seconds:-2}
port=$((20000 + $$ % 10000))

"$test_bin/busy" user $((4 * seconds + 5)) > "$tmp/hog" &
hog=$!
at_exit kill $hog
native_start "$tmp/t" -e task -e net_send -e net_recv -e inet_sock_set_state -e net_dev_xmit -e net_if_receive_skb --buffer-size 64M
run() { # NAME ADDRESS OPTION...
	local name=$1 address=$2
	iperf3 -s -1 -p $port -B "$address" -J > "$tmp/$name.server" &
	local server=$!
	wait_for 120 eval "ss -Hltn 'sport = :$port' | grep -q ."
	bash -c 'echo $$ > "$1"; exec "${@:2}"' - "$tmp/$name.pid" iperf3 -c "$address" -p $port -t "$seconds" -J "${@:3}" > "$tmp/$name.json" || fail "iperf3 $name"
	wait $server
	echo "$server" > "$tmp/$name.server_pid"
}
run tcp4 127.0.0.1
run tcp6 ::1
run udp4 127.0.0.1 -u -b 400M
run udp6 ::1 -u -b 400M
native_stop "$tmp/t"
report_read "$tmp/t"
report_counts_equal "$tmp/t"
tx() { report_get "$tmp/t" "[.views.tasks[] | select(.pid == $1) | .tx_bytes] | add // 0"; }
rx() { report_get "$tmp/t" "[.views.tasks[] | select(.pid == $1) | .rx_bytes] | add // 0"; }
for name in tcp4 tcp6 udp4 udp6; do
	sent=$(jq '.end.sum_sent.bytes // .end.sum.bytes' "$tmp/$name.json")
	# iperf3's own talk over its control connection is some hundred bytes
	near "$name: sent" "$(tx "$(cat "$tmp/$name.pid")")" "$sent" 1
	case $name in
	tcp*) received=$(jq .end.sum_received.bytes "$tmp/$name.json") ;;
	# The server's own count: datagrams that it did not wait for are not "lost"
	udp*) received=$(jq .end.sum_received.bytes "$tmp/$name.server") ;;
	esac
	near "$name: received" "$(rx "$(cat "$tmp/$name.server_pid")")" "$received" 1
	figure "$name: sent $(tx "$(cat "$tmp/$name.pid")"), iperf3 says $sent; received $(rx "$(cat "$tmp/$name.server_pid")"), iperf3 says $received"
done
for pid in $hog $(pgrep -P $hog); do equal "bytes of the hog" "$(tx "$pid") $(rx "$pid")" "0 0"; done
exit 0
