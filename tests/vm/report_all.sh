#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1536 --timeout 900
# Everything at once: a recording under CPU load, thread creation, short programs, system calls, iperf3 TCP, sendfile
# and UDP, nginx and wrk, IPv4 and IPv6, over veth and loopback. babeltrace2 reads it without a word, its counts are
# kymo report's; threads, programs, bytes and packets are those that others count; wall times are those of date.
. tests/vm/lib.sh
. tests/vm/record.bash
. tests/vm/report.bash
. tests/vm/traffic.bash
load_module
at_exit unload_module
seconds=3 threads=900 programs=60 calls=600 size=1M datagrams=300K answers=20
[ -z "$soak" ] || seconds=60 threads=18000 programs=2000 calls=12000 size=64M datagrams=4M answers=2000

traffic_namespaces
declare -A port=()
at=5201
for path in veth4 veth6 lo4 lo6; do
	for kind in tcp sendfile udp; do
		port[${path}_$kind]=$at
		iperf_serve $at
		at=$((at + 1))
	done
done
nginx_start
cp "$(command -v busybox)" "$tmp/true" || fail "no busybox"
lo_counters() { ip -n ns2 -s -j link show lo | jq -r '.[0].stats64 | "\(.rx.bytes) \(.tx.bytes) \(.rx.packets) \(.tx.packets)"'; }

read -r rx_out0 tx_out0 rxp_out0 txp_out0 <<< "$(lo_counters)"
record_start "$tmp/t" --buffer-size 64M -e task -e sched -e cpu -e 'irq_*' -e signal -e net -e syscall
read -r rx_in0 tx_in0 rxp_in0 txp_in0 <<< "$(lo_counters)"

# ---- all of it begins ----
mkfifo "$tmp/hold" "$tmp/hold_calls"
stress-ng --cpu 1 --switch 1 --switch-freq 200 --timeout "$seconds" > "$tmp/stress" 2>&1 & stress=$!
"$test_bin/thread_gen" $threads 300 > "$tmp/threads" < "$tmp/hold" & generator=$!
exec 9> "$tmp/hold"
"$test_bin/task_gen" exec $programs "$tmp/true" 2> "$tmp/programs" & runner=$!
"$test_bin/mark_calls" $calls 200 > "$tmp/calls" & caller=$!
for path in veth4 veth6 lo4 lo6; do
	iperf_start ${path}_tcp $path "${port[${path}_tcp]}" -n $size
	iperf_start ${path}_sendfile $path "${port[${path}_sendfile]}" -n $size -Z
	iperf_start ${path}_udp $path "${port[${path}_udp]}" -u -b 5M -l 1200 -n $datagrams
	wrk_start $path $answers
done
# ---- and ends ----
for name in "${!iperf_pid[@]}"; do iperf_wait "$name"; done
for path in veth4 veth6 lo4 lo6; do wrk_wait $path $answers; done
wait $caller
wait $runner || fail "task_gen exec: $(tail -3 "$tmp/programs")"
wait_for 300 test -s "$tmp/threads"
wait $stress
nginx_settled
read -r rx_in1 tx_in1 rxp_in1 txp_in1 <<< "$(lo_counters)"
kill -INT $record_pid
record_wait
read -r rx_out1 tx_out1 rxp_out1 txp_out1 <<< "$(lo_counters)"
exec 9>&-
wait $generator
grep -v '^  ' "$tmp/t.out"
cat "$tmp/t.err"
equal "status of the recorder" $record_status 0
report_read "$tmp/t"
report_counts_equal "$tmp/t"

# All that is asked of the report, in one go: jq takes a second for each
netns=$(stat -Lc %i /run/netns/ns2)
read -r pid created < "$tmp/threads"
sed -n 's/^exec //p' "$tmp/programs" | jq -Rn '[inputs | tonumber]' > "$tmp/programs.json"
jq -r --slurpfile ran "$tmp/programs.json" "
	(.views.interfaces[] | select(.interface == \"lo\" and .netns == $netns)) as \$lo |
	(.views.tasks | map({ key: (.pid | tostring), value: .command }) | from_entries) as \$name |
	[.totals.lost, .totals.lost_counted, .totals.unknown_tasks, (.warnings | length),
	(.views.tasks[] | select(.pid == $pid) | .threads_created),
	([.views.threads[] | select(.pid == $pid and (.command | test(\"^gen[0-9]+$\")))] | length),
	([\$ran[0][] | select(\$name[tostring] == \"true\")] | length),
	\$lo.rx_bytes, \$lo.tx_bytes, \$lo.rx_packets, \$lo.tx_packets] | map(tostring) | join(\" \")" "$tmp/t.json" > "$tmp/told"
read -r lost lost_counted unknown warnings made named ran lo_rx lo_tx lo_rxp lo_txp < "$tmp/told"
equal "losses told, losses counted" "$lost $lost_counted" "0 0"
equal "warnings" "$warnings" 0
equal "unknown tasks" "$unknown" 0

equal "threads that were to be created" "$created" $threads
equal "threads created by $pid" "$made" "$created"
equal "threads of $pid that have a name" "$named" "$created"
equal "programs that ran" "$ran" $programs
figure "$created threads, each with its parent and name; $ran short programs by their pid and name"

for type in syscall_entry_getpriority syscall_exit_getpriority; do
	equal "$type" "$(sed -n "s/^$type //p" "$tmp/t.reported")" $calls
done
figure "$calls calls of getpriority, as many entries and exits"

# The generator's first call, by its own clock: CLOCK_REALTIME, as date has it. The trace's cycles are nanoseconds.
offset=$(sed -n 's/^\toffset_s = \([0-9]*\);/\1/p' "$tmp/t/metadata")$(printf %09d "$(sed -n 's/^\toffset = \([0-9]*\);/\1/p' "$tmp/t/metadata")")
read -r _ before after < "$tmp/calls"
cycles=$(sed -n '/ syscall_entry_getpriority: .*[ {]0, 1 }$/{s/^\[0*\([0-9]*\)\].*/\1/p;q}' "$tmp/t.text")
[ -n "$cycles" ] || fail "the first call is not in the trace: $(grep -m1 ' syscall_entry_getpriority' "$tmp/t.text")"
between "wall time of the first call, ns" $((before - 1000000)) $((offset + cycles)) $((after + 1000000))
figure "the first call's wall time lies $((offset + cycles - before)) ns after date's before it, $((after - offset - cycles)) before date's after it"

traffic_moved_read "$tmp/t"
traffic_compare_iperf port
traffic_compare_nginx veth4 veth6 lo4 lo6

between "bytes received by lo" $((rx_in1 - rx_in0)) "$lo_rx" $((rx_out1 - rx_out0))
between "bytes sent by lo" $((tx_in1 - tx_in0)) "$lo_tx" $((tx_out1 - tx_out0))
between "packets received by lo" $((rxp_in1 - rxp_in0)) "$lo_rxp" $((rxp_out1 - rxp_out0))
between "packets sent by lo" $((txp_in1 - txp_in0)) "$lo_txp" $((txp_out1 - txp_out0))
figure "lo received $((rx_in1 - rx_in0)) bytes, report $lo_rx; packets $((rxp_in1 - rxp_in0)), report $lo_rxp"
exit 0
