#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# Bytes by process for real programs, as kymo report shows them: iperf3 TCP, TCP by sendfile and UDP, nginx and wrk, each
# with IPv4 and IPv6, over veth between two namespaces and over loopback, within 1 %; a process that only burns the
# receiver's CPU gets none. Independent sources: iperf3 --json, nginx's access log, wrk, and ss -ti of a connection
# that is still open.
. tests/vm/lib.sh
. tests/vm/record.bash
. tests/vm/report.bash
. tests/vm/traffic.bash

command -v socat > /dev/null || skip "no socat here"
size=${soak:+64M} answers=${soak:+5000}
size=${size:-2M} answers=${answers:-60}
load_module
at_exit unload_module
traffic_namespaces
iperf_serve 5201 taskset -c 1	# over veth
iperf_serve 5202		# over loopback
ip netns exec ns2 socat -u TCP-LISTEN:5000,reuseaddr OPEN:/dev/null,wronly & sink=$!
at_exit kill $sink
wait_for 120 traffic_listening 5000
nginx_start

# ---- what is recorded ----
taskset -c 1 sh -c 'while :; do :; done' & hog=$!
at_exit kill $hog
declare -A port=()
run() { port[$1]=$3; iperf_run "$@"; }
record_start "$tmp/t" -e net_send -e net_recv -e sched_switch --buffer-size 64M
hog_ticks() { awk '{ print $14 + $15 }' "/proc/$hog/stat"; }
hog_before=$(hog_ticks)
run veth4_tcp veth4 5201 -n $size
run veth4_udp veth4 5201 -u -b 20M -l 1400 -n 1M
hog_ran() { [ $(($(hog_ticks) - hog_before)) -ge 100 ]; } # in the recording, while the server has received
wait_for 120 hog_ran
kill $hog	# has seen enough, and the machine is slow
run veth6_udp veth6 5201 -u -b 20M -l 1200 -n 1M
run lo4_udp lo4 5202 -u -b 20M -l 1400 -n 1M
run lo6_udp lo6 5202 -u -b 20M -l 1200 -n 1M
run veth6_tcp veth6 5201 -n $size
run lo4_tcp lo4 5202 -n $size
run lo6_tcp lo6 5202 -n $size
for path in veth4 veth6; do run ${path}_sendfile $path 5201 -n $size -Z; done
for path in lo4 lo6; do run ${path}_sendfile $path 5202 -n $size -Z; done
for path in veth4 veth6 lo4 lo6; do wrk_start $path $answers; done
for path in veth4 veth6 lo4 lo6; do wrk_wait $path $answers; done
nginx_settled
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
traffic_moved_read "$tmp/t"
traffic_compare_iperf port
traffic_compare_nginx veth4 veth6 lo4 lo6

sender=$(cat "$tmp/head")
near "bytes sent on an inherited socket" "$(moved "$sender" tx)" "$ss_acked" 1
near "bytes received from it" "$(moved $sink rx)" "$ss_received" 1
equal "bytes sent by the socket's owner" "$(moved $owner tx)" 0
figure "inherited socket: sent $(moved "$sender" tx), ss bytes_acked $ss_acked; received $(moved $sink rx), bytes_received $ss_received"

[ "$(moved $hog cpu)" -gt 500000000 ] || fail "the hog did not run: $(moved $hog cpu) ns"
equal "bytes of the process that burns the receiver's CPU" "$(($(moved $hog rx) + $(moved $hog tx)))" 0
figure "the hog on the receiver's CPU ran $(moved $hog cpu) ns and moved 0 bytes"
exit 0
