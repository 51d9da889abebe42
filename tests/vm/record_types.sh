#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# Under loss, for event types of many sources: happened = recorded + lost, with all causes named, where *happened* is
# counted by perf: inside of the recording (around the generators) and outside of it (around the recorder). And kymo_loss
# is written at least once a second while loss goes on, with intervals that follow one another.
. tests/vm/lib.sh
. tests/vm/record.bash
. tests/vm/report.bash
load_module
at_exit unload_module
mount -t tracefs nodev /sys/kernel/tracing 2> /dev/null
command -v perf > /dev/null || skip "no perf"

# ours theirs
types=(
	sched_switch sched:sched_switch sched_waking sched:sched_waking sched_wakeup sched:sched_wakeup
	sched_process_fork task:task_newtask sched_process_exec sched:sched_process_exec
	sched_process_exit sched:sched_process_exit task_rename task:task_rename
	signal_generate signal:signal_generate signal_deliver signal:signal_deliver
	irq_softirq_raise irq:softirq_raise irq_softirq_entry irq:softirq_entry irq_softirq_exit irq:softirq_exit
	timer_hrtimer_expire_entry timer:hrtimer_expire_entry timer_hrtimer_expire_exit timer:hrtimer_expire_exit
)
list=''
for ((i = 1; i < ${#types[@]}; i += 2)); do list+=${list:+,}${types[i]}; done

# While the recorder stands still the generators fill its small rings, however fast either is: the first two do; then
# comes what is lost. All on one CPU, so that it is one ring.
generate() {
	local i
	"$test_bin/mark_calls" -q 200 0
	for ((i = 0; i < 400; i++)); do kill -CONT $BASHPID; done
	for ((i = 0; i < 8; i++)); do "$BUSYBOX" true; done
	sleep 0.01
}
export BUSYBOX
BUSYBOX=$(command -v busybox)

perf stat -a -x, -e "$list" -o "$tmp/outside" -- "$kymo" record -o "$tmp/t" -e sched -e task -e signal -e irq -e 'sys*_getpriority' \
	--buffer-size 32K --packet-size 4K > "$tmp/t.out" 2> "$tmp/t.err" &
perf_pid=$!
recorder() { record_pid=$(pgrep -x kymo) && [ -n "$record_pid" ]; }
wait_for 240 recorder
wait_for 240 recording_runs "$tmp/t"
# What a bystander sees of the guest standing still is nobody's fault
stalls_watch chrt -f 20
chrt -f -p 20 $record_pid
cat > "$tmp/work" <<-END
	$(declare -f generate)
	for ((n = 0; n < 8; n++)); do
		read -r stop _ < /proc/uptime
		kill -STOP $record_pid
		generate
		kill -CONT $record_pid
		read -r go _ < /proc/uptime
		echo "\$stop \$go" >> $tmp/stops
		sleep 0.5
	done
END
test_bin=$test_bin perf stat -a -x, -e "$list" -o "$tmp/inside" -- taskset -c 1 bash "$tmp/work" > "$tmp/work.out" || fail "perf stat: $(cat "$tmp/inside")"
calls=$(awk '{ n += $1 } END { print n }' "$tmp/work.out")
kill -INT $record_pid
wait $perf_pid
stalls_told
tail -1 "$tmp/t.out"
cat "$tmp/t.err"
trace_read "$tmp/t"
"$kymo" report --json "$tmp/t" > "$tmp/t.json" || fail "kymo report: status $?"

# TYPE RECORDED LOST, losses by cause from the kymo_loss events
awk '{ colon = index($0, ": {"); head = substr($0, 1, colon - 1); sub(/.* /, "", head); n[head]++ }
	head == "kymo_loss" {
		match($0, / count = [0-9]+/); count = substr($0, RSTART + 9, RLENGTH - 9)
		match($0, / type = "[^"]*"/); type = substr($0, RSTART + 9, RLENGTH - 10)
		lost[type] += count; n[type] += 0
	}
	END { for (type in n) print type, n[type], lost[type] + 0 }' "$tmp/t.text" > "$tmp/counts"
! grep 'kymo_loss: ' "$tmp/t.text" | grep -v 'cause_name = "\(full\|nested\|too big\|probe missed\)"' || fail "a loss without a known cause"
perf_count() { awk -F, -v type="$2" '$3 == type { print $1 }' "$1"; }
lossy=0
for ((i = 0; i < ${#types[@]}; i += 2)); do
	read -r _ recorded lost <<< "$(grep "^${types[i]} " "$tmp/counts")"
	between "${types[i]}: recorded ${recorded:-0} + lost ${lost:-0}" "$(perf_count "$tmp/inside" "${types[i + 1]}")" \
		$((${recorded:-0} + ${lost:-0})) "$(perf_count "$tmp/outside" "${types[i + 1]}")"
	say "${types[i]}: inside $(perf_count "$tmp/inside" "${types[i + 1]}"), recorded $recorded + lost $lost, outside $(perf_count "$tmp/outside" "${types[i + 1]}")"
	[ "${lost:-0}" = 0 ] || lossy=$((lossy + 1))
done
for type in syscall_entry_getpriority syscall_exit_getpriority; do
	read -r _ recorded lost <<< "$(grep "^$type " "$tmp/counts")"
	equal "$type: recorded $recorded + lost $lost" $((recorded + lost)) "$calls"
done
[ $lossy -ge 8 ] || fail "only $lossy types had losses"
figure "$((${#types[@]} / 2)) types, $lossy of them with losses: recorded + lost lies between what perf counted inside and outside"

# ---- intervals ----
session=$(jq -r '"\(.start_ns) \(.stop_ns)"' "$tmp/t/kymo/session.json")
grep 'kymo_loss: ' "$tmp/t.text" | sed 's/.* begin_ns = \([0-9]*\), end_ns = \([0-9]*\), type = .*/\1 \2/' | sort -un > "$tmp/intervals"
[ -s "$tmp/intervals" ] || fail "no intervals"
# Time in which the recorder was made to stand still does not count (/proc/uptime is right to 10 ms)
awk -v session="$session" -v worst="$stalls_ns" '
	BEGIN { split(session, s, " ") }
	NR == FNR { stop[NR] = $1 * 1e9 - 1e7; go[NR] = $2 * 1e9 + 1e7; stops = NR; next }
	function ran(from, until,  i, a, b, ns) {
		ns = until - from
		for (i = 1; i <= stops; i++) {
			a = stop[i] > from ? stop[i] : from; b = go[i] < until ? go[i] : until
			if (b > a) ns -= b - a
		}
		return ns
	}
	FNR == 1 && $1 < s[1] - 0 { print "the first interval begins at " $1 ", the session at " s[1]; bad = 1 }
	FNR > 1 && $1 < end { print "an interval begins at " $1 ", before the end of the one before, " end; bad = 1 }
	$2 <= $1 || ran($1, $2) > 1e9 + worst { print "an interval of " ran($1, $2) " ns"; bad = 1 }
	{ if (ran($1, $2) > longest) longest = ran($1, $2); end = $2 }
	END { if (!bad) printf "%d intervals, the longest %.0f ms", FNR, longest / 1e6; exit bad }' "$tmp/stops" "$tmp/intervals" > "$tmp/verdict" ||
	{ cat "$tmp/intervals"; fail "kymo_loss: $(cat "$tmp/verdict")"; }
figure "kymo_loss: $(cat "$tmp/verdict") (the guest stood still for $((stalls_ns / 1000000)) ms at most)"
exit 0
