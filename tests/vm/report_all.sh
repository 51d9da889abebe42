#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1536 --timeout 600
# Everything at once: a recording under CPU load, network, thread creation and system calls. babeltrace2 reads it
# without a word, its counts are kymo report's; threads, bytes and packets are those that others count.
. tests/vm/lib.sh
. tests/vm/record.bash
. tests/vm/report.bash
load_module
at_exit unload_module
seconds=8 rate=100
[ -z "$soak" ] || seconds=60 rate=300
threads=$((seconds * rate)) calls=$((seconds * 200))

read -r rx_out0 tx_out0 rxp_out0 txp_out0 <<< "$(interface_bytes lo)"
record_start "$tmp/t" --buffer-size 64M -e task -e sched -e cpu -e 'irq_*' -e signal -e net -e syscall
read -r rx_in0 tx_in0 rxp_in0 txp_in0 <<< "$(interface_bytes lo)"
stress-ng --cpu 1 --switch 1 --switch-freq 200 --timeout "$seconds" > "$tmp/stress" 2>&1 &
stress=$!
mkfifo "$tmp/hold"
"$test_bin/thread_gen" $threads $rate > "$tmp/threads" < "$tmp/hold" &
generator=$!
exec 9> "$tmp/hold"
"$test_bin/mark_calls" -q $calls 200 > "$tmp/calls" &
caller=$!
iperf3 -s -1 > "$tmp/server" 2>&1 &
server=$!
wait_for 120 ss -Hltn 'sport = :5201'
iperf3 -c 127.0.0.1 -n 10M -J > "$tmp/client" || fail "iperf3: $(cat "$tmp/client")"
wait $server
wait_for 240 test -s "$tmp/threads"
wait $caller
wait $stress
read -r rx_in1 tx_in1 rxp_in1 txp_in1 <<< "$(interface_bytes lo)"
kill -INT $record_pid
record_wait
read -r rx_out1 tx_out1 rxp_out1 txp_out1 <<< "$(interface_bytes lo)"
exec 9>&-
wait $generator
grep -v '^  ' "$tmp/t.out"
cat "$tmp/t.err"
equal "status of the recorder" $record_status 0
report_read "$tmp/t"
report_counts_equal "$tmp/t"

# All that is asked of the report, in one go: jq takes a second for each
read -r pid created < "$tmp/threads"
report_get "$tmp/t" "
	def flow(of; column): [.views.flows[] | select(of) | column] | max // 0;
	(.views.interfaces[] | select(.interface == \"lo\")) as \$lo |
	[.totals.lost, .totals.lost_counted, .totals.unknown_tasks, (.warnings | length),
	(.views.tasks[] | select(.pid == $pid) | .threads_created),
	([.views.threads[] | select(.pid == $pid and (.command | test(\"^gen[0-9]+$\")))] | length),
	flow(.dport == 5201 and .protocol == \"tcp\"; .tx_bytes), flow(.sport == 5201 and .protocol == \"tcp\"; .rx_bytes),
	\$lo.rx_bytes, \$lo.tx_bytes, \$lo.rx_packets, \$lo.tx_packets] | map(tostring) | join(\" \")" > "$tmp/told"
read -r lost lost_counted unknown warnings made named flow_tx flow_rx lo_rx lo_tx lo_rxp lo_txp < "$tmp/told"
equal "losses told, losses counted" "$lost $lost_counted" "0 0"
equal "warnings" "$warnings" 0
equal "unknown tasks" "$unknown" 0

equal "threads that were to be created" "$created" $threads
equal "threads created by $pid" "$made" "$created"
equal "threads of $pid that have a name" "$named" "$created"
figure "$created threads, each with its parent and name"

read -r calls < "$tmp/calls"
for type in syscall_entry_getpriority syscall_exit_getpriority; do
	equal "$type" "$(sed -n "s/^$type //p" "$tmp/t.reported")" "$calls"
done
figure "$calls calls of getpriority, as many entries and exits"

sent=$(jq -r .end.sum_sent.bytes "$tmp/client")
received=$(jq -r .end.sum_received.bytes "$tmp/client")
near "bytes sent in iperf3's flow" "$flow_tx" "$sent" 1
near "bytes received in iperf3's flow" "$flow_rx" "$received" 1
figure "iperf3 sent $sent, flow $flow_tx; received $received, flow $flow_rx"

between "bytes received by lo" $((rx_in1 - rx_in0)) "$lo_rx" $((rx_out1 - rx_out0))
between "bytes sent by lo" $((tx_in1 - tx_in0)) "$lo_tx" $((tx_out1 - tx_out0))
between "packets received by lo" $((rxp_in1 - rxp_in0)) "$lo_rxp" $((rxp_out1 - rxp_out0))
between "packets sent by lo" $((txp_in1 - txp_in0)) "$lo_txp" $((txp_out1 - txp_out0))
figure "lo received $((rx_in1 - rx_in0)) bytes, report $lo_rx; packets $((rxp_in1 - rxp_in0)), report $lo_rxp"
exit 0
