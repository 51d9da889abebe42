#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1536 --timeout 300
# Everything at once: a recording under CPU load, network, thread creation and system calls. babeltrace2 reads it
# without a word, its counts are kymo report's; threads, bytes and packets are those that others count.
. tests/vm/lib.sh
. tests/vm/record_lib.sh
. tests/vm/report_lib.sh
load_module
at_exit unload_module
seconds=${soak:+60}
seconds=${seconds:-10}
threads=$((seconds * 300))

read -r rx_out0 tx_out0 rxp_out0 txp_out0 <<< "$(interface_bytes lo)"
record_start "$tmp/t" --buffer-size 64M
read -r rx_in0 tx_in0 rxp_in0 txp_in0 <<< "$(interface_bytes lo)"
stress-ng --cpu 1 --switch 1 --switch-freq 500 --timeout "$seconds" > "$tmp/stress" 2>&1 &
stress=$!
mkfifo "$tmp/hold"
"$test_bin/thread_gen" $threads 300 > "$tmp/threads" < "$tmp/hold" &
generator=$!
exec 9> "$tmp/hold"
iperf3 -s -1 > "$tmp/server" 2>&1 &
server=$!
wait_for 30 ss -Hltn 'sport = :5201'
iperf3 -c 127.0.0.1 -n 20M -J > "$tmp/client" || fail "iperf3: $(cat "$tmp/client")"
wait $server
wait_for 120 test -s "$tmp/threads"
wait $stress
read -r rx_in1 tx_in1 rxp_in1 txp_in1 <<< "$(interface_bytes lo)"
kill -INT $record_pid
record_wait
read -r rx_out1 tx_out1 rxp_out1 txp_out1 <<< "$(interface_bytes lo)"
exec 9>&-
wait $generator
cat "$tmp/t.out" "$tmp/t.err"
equal "status of the recorder" $record_status 0
trace_read_clean "$tmp/t"
report_read "$tmp/t"
report_counts_equal "$tmp/t"
equal "losses told" "$(report_get "$tmp/t" .totals.lost)" 0
equal "losses counted" "$(report_get "$tmp/t" .totals.lost_counted)" 0
"$kymo" report "$tmp/t" | head -60
equal "warnings" "$(report_get "$tmp/t" '.warnings | length')" 0

read -r pid created < "$tmp/threads"
equal "threads created by $pid" "$(report_get "$tmp/t" ".views.tasks[] | select(.pid == $pid) | .threads_created")" "$created"
equal "threads of $pid that have a name" \
	"$(report_get "$tmp/t" "[.views.threads[] | select(.pid == $pid and (.command | test(\"^gen[0-9]+$\")))] | length")" "$created"
equal "unknown tasks" "$(report_get "$tmp/t" .totals.unknown_tasks)" 0
figure "$created threads, each with its parent and name"

sent=$(jq -r .end.sum_sent.bytes "$tmp/client")
received=$(jq -r .end.sum_received.bytes "$tmp/client")
flow() { report_get "$tmp/t" "[.views.flows[] | select($1) | $2] | max // 0"; }
got_sent=$(flow '.dport == 5201 and .protocol == "tcp"' .tx_bytes)
got_received=$(flow '.sport == 5201 and .protocol == "tcp"' .rx_bytes)
near "bytes sent in iperf3's flow" "$got_sent" "$sent" 1
near "bytes received in iperf3's flow" "$got_received" "$received" 1
figure "iperf3 sent $sent, flow $got_sent; received $received, flow $got_received"

lo() { report_get "$tmp/t" ".views.interfaces[] | select(.interface == \"lo\") | .$1"; }
between "bytes received by lo" $((rx_in1 - rx_in0)) "$(lo rx_bytes)" $((rx_out1 - rx_out0))
between "bytes sent by lo" $((tx_in1 - tx_in0)) "$(lo tx_bytes)" $((tx_out1 - tx_out0))
figure "lo received $((rx_in1 - rx_in0)) bytes, report $(lo rx_bytes); packets $((rxp_in1 - rxp_in0)), report $(lo rx_packets)"
exit 0
