#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# Bytes by process for real programs, as kymo report shows them, over veth between two namespaces and over loopback,
# within 1 %; a process that only burns the receiver's CPU gets none. Independent sources: iperf3 --json, nginx's
# access log, wrk, and ss -ti of a connection that is still open.
. tests/vm/lib.sh
. tests/vm/record.bash
. tests/vm/report.bash

for tool in ip ss iperf3 nginx wrk socat jq taskset; do command -v $tool > /dev/null || skip "no $tool here"; done
megabytes=${soak:+64}
megabytes=${megabytes:-3}
load_module
at_exit unload_module
for n in 1 2; do ip netns add ns$n || fail "ip netns add"; done
ip link add veth1 netns ns1 type veth peer name veth2 netns ns2 || fail "no veth"
for n in 1 2; do
	ip -n ns$n addr add 10.9.0.$n/24 dev veth$n
	ip -n ns$n addr add fd09::$n/64 dev veth$n nodad
	ip -n ns$n link set lo up
	ip -n ns$n link set veth$n up
done

listening() { ip netns exec "$1" ss -Hltn "sport = :$2" | grep -q LISTEN; }
ip netns exec ns2 taskset -c 1 iperf3 -s -J > /dev/null & server2=$!
ip netns exec ns1 iperf3 -s -J > /dev/null & server1=$!
ip netns exec ns2 socat -u TCP-LISTEN:5000,reuseaddr OPEN:/dev/null,wronly & sink=$!
at_exit kill $server1 $server2 $sink

mkdir -p "$tmp/www" && chmod 755 "$tmp" "$tmp/www"
head -c 20000 /dev/zero > "$tmp/www/file"
cat > "$tmp/nginx.conf" <<CONF
daemon off; worker_processes 1; pid $tmp/nginx.pid; error_log $tmp/nginx.err;
events { worker_connections 64; }
http {
	log_format bytes '\$bytes_sent'; access_log $tmp/access.log bytes; sendfile on;
	server { listen 10.9.0.2:8080; root $tmp/www; }
}
CONF
ip netns exec ns2 nginx -c "$tmp/nginx.conf" & nginx=$!
at_exit kill $nginx
wait_for 120 listening ns2 5201
wait_for 120 listening ns1 5201
wait_for 120 listening ns2 5000
wait_for 120 listening ns2 8080
worker() { worker=$(cat /proc/$nginx/task/$nginx/children) && worker=${worker// /} && [ -n "$worker" ]; }
wait_for 120 worker
worker

# ---- what is recorded ----
declare -A client
run() { # NAME iperf3-options; its pid: client[NAME]
	local name=$1
	shift
	ip netns exec ns1 iperf3 -J --get-server-output -c "$@" > "$tmp/$name.json" &
	client[$name]=$!
	wait $! || fail "$name: $(jq -r .error "$tmp/$name.json")"
}
taskset -c 1 sh -c 'while :; do :; done' & hog=$!
at_exit kill $hog
hog_ticks() { awk '{ print $14 + $15 }' /proc/$hog/stat; }
record_start "$tmp/t" -e net_send -e net_recv -e sched_switch --buffer-size 64M
hog_before=$(hog_ticks)
run tcp4 10.9.0.2 -n ${megabytes}M
run udp4 10.9.0.2 -u -b 20M -l 1400 -n 1M
hog_has_run() { [ $(($(hog_ticks) - hog_before)) -ge 60 ]; }
wait_for 120 hog_has_run
kill $hog	# has seen enough, and the machine is slow
run tcp6 fd09::2 -n ${megabytes}M -Z
run udp6 fd09::2 -u -b 20M -l 1200 -n 1M
run lo4 127.0.0.1 -n ${megabytes}M
run lo6 ::1 -n ${megabytes}M -Z
ip netns exec ns1 wrk -t1 -c4 -d1 http://10.9.0.2:8080/file > "$tmp/wrk" & wrk=$!
wait $wrk || fail "wrk: $(cat "$tmp/wrk")"
# The connection's owner does not send: it gives the socket to a child, and stays until ss has been asked
mkfifo "$tmp/hold"
ip netns exec ns1 bash -c 'exec 3<> /dev/tcp/10.9.0.2/5000; head -c 2000000 /dev/zero >&3 & echo $!; wait; read -r < '"$tmp/hold" > "$tmp/head" &
owner=$!
at_exit kill $owner
tcp_info() { ip netns exec "$1" ss -Htin "$2" | sed -n "s/.*\b$3:\([0-9]*\).*/\1/p"; } # NS FILTER NAME
all_received() { [ "$(tcp_info ns2 'sport = :5000' bytes_received)" -ge 2000000 ]; }
all_acked() { [ "$(tcp_info ns1 'dport = :5000' bytes_acked)" -ge 2000000 ]; }
wait_for 120 all_received
wait_for 120 all_acked
ss_received=$(tcp_info ns2 'sport = :5000' bytes_received)
ss_acked=$(tcp_info ns1 'dport = :5000' bytes_acked)
all_read() { [ "$(ip netns exec ns2 ss -Htn 'sport = :5000' | awk '{ print $2 }')" = 0 ]; }
wait_for 120 all_read
: > "$tmp/hold"
wait $owner
kill -INT $record_pid
record_wait
cat "$tmp/t.out" "$tmp/t.err"
equal "status of the recorder" $record_status 0
report_read "$tmp/t"
equal "losses counted" "$(report_get "$tmp/t" .totals.lost_counted)" 0

# ---- and what it must be ----
# PID COLUMN, of all processes at once: starting jq takes long here
declare -A moved
while read -r pid column value; do moved[$pid.$column]=$value; done < <(
	jq -r '.views.tasks[] | select(.pid > 0) | "\(.pid) rx \(.rx_bytes)\n\(.pid) tx \(.tx_bytes)\n\(.pid) cpu \(.cpu_ns)"' "$tmp/t.json")
moved() { echo "${moved[$1.$2]:-0}"; }
# What the client sent and the server got; of datagrams the server's own count: those it did not wait for are not "lost"
told() {
	case $1 in
	udp*) jq -r '"\(.end.sum.bytes) \(.server_output_json.end.sum_received.bytes)"' "$tmp/$1.json" ;;
	*) jq -r '.end | "\(.sum_sent.bytes) \(.sum_received.bytes)"' "$tmp/$1.json" ;;
	esac
}
received2=0 received1=0
for name in tcp4 udp4 tcp6 udp6 lo4 lo6; do
	read -r sent got <<< "$(told $name)"
	[ "${sent:-0}" -gt 1000000 ] || fail "$name: iperf3 told nothing: $(head -c 300 "$tmp/$name.json")"
	near "$name: bytes sent by the client" "$(moved "${client[$name]}" tx)" "$sent" 1
	figure "$name: client sent $(moved "${client[$name]}" tx), iperf3 says $sent"
	case $name in lo*) received1=$((received1 + got)) ;; *) received2=$((received2 + got)) ;; esac
done
near "received by the server over veth" "$(moved $server2 rx)" "$received2" 1
near "received by the server over loopback" "$(moved $server1 rx)" "$received1" 1
figure "servers received: veth $(moved $server2 rx), iperf3 says $received2; loopback $(moved $server1 rx), $received1"

logged=$(awk '{ n += $1 } END { print n + 0 }' "$tmp/access.log")
[ "$logged" -gt 100000 ] || fail "nginx logged $logged bytes: $(cat "$tmp/nginx.err" "$tmp/wrk")"
near "bytes sent by nginx's worker" "$(moved "$worker" tx)" "$logged" 1
read_by_wrk=$(awk '/requests in/ { n = $5; f = n ~ /KB/ ? 1024 : n ~ /MB/ ? 1048576 : n ~ /GB/ ? 1073741824 : 1; print int((n + 0) * f) }' "$tmp/wrk")
near "bytes received by wrk" "$(moved $wrk rx)" "$read_by_wrk" 1
figure "nginx sent $(moved "$worker" tx), its log says $logged; wrk received $(moved $wrk rx), says $read_by_wrk"

sender=$(cat "$tmp/head")
near "bytes sent on an inherited socket" "$(moved "$sender" tx)" "$ss_acked" 1
near "bytes received from it" "$(moved $sink rx)" "$ss_received" 1
equal "bytes sent by the socket's owner" "$(moved $owner tx)" 0
figure "inherited socket: sent $(moved "$sender" tx), ss bytes_acked $ss_acked; received $(moved $sink rx), bytes_received $ss_received"

[ "$(moved $hog cpu)" -gt 500000000 ] || fail "the hog did not run: $(moved $hog cpu) ns"
equal "bytes of the process that burns the receiver's CPU" "$(($(moved $hog rx) + $(moved $hog tx)))" 0
figure "the hog on the receiver's CPU ran $(moved $hog cpu) ns and moved 0 bytes"
exit 0
