#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# The end of the recorder at random moments, on tmpfs and on ext4: each trace opens in babeltrace2 and in ours without
# a word. After kill -9 every event older than 1 s before it is there, by the generator's numbers. The recorder flushes
# twice a second: when the machine itself stands still for longer, so much more may be missing. After SIGTERM and SIGINT
# every event before the signal is there.
. tests/vm/lib.sh
. tests/vm/record.bash
load_module
at_exit unload_module
tries=${soak:+20}
tries=${tries:-2}
RANDOM=$$

end_once() { # DIR PACKET_SIZE SIGNAL
	local dir=$1 end before due status
	stalls_watch
	record_start "$dir" -e 'syscall_*_getpriority' -e sched -e irq -e 'syscall_*_clock_nanosleep' --packet-size "$2" --buffer-size 8M
	"$test_bin/mark_calls" 0 1000 > "$dir.calls" &
	local generator=$!
	wait_for 240 test -s "$dir.calls"
	before=$(now_ns)
	# Longer than what may be missing, so that there is something to compare; if not, it does not count
	sleep "$((RANDOM % 2 + 2 + 2 * worst_ns / 1000000000)).$((RANDOM % 1000))"
	end=$(now_ns)
	kill -"$3" $record_pid
	record_wait 2> /dev/null
	kill $generator
	wait $generator 2> /dev/null
	stalls_told
	[ "$stalls_ns" -le "$worst_ns" ] || worst_ns=$stalls_ns
	trace_unlocked "$dir"
	trace_read_clean "$dir"
	due=$end
	[ "$3" != KILL ] || due=$((end - 1000000000 - 2 * stalls_ns))
	[ "$3" = KILL ] || equal "status after SIG$3: $(cat "$dir.err")" $record_status 0
	if [ $due -gt $((before + 200000000)) ]; then
		check_numbers "$dir" "$dir.calls" "$before" $due
		compared=$((compared + 1))
	fi
	"$kymo" report "$dir" > "$dir.report" 2> "$dir.err"
	status=$?
	[ $status = 0 ] || [ $status = 3 ] || { cat "$dir.err"; fail "kymo report $dir: status $status"; }
	rm -rf "$dir" "$dir".*
}

kill_series() { # ROOM NAME SIGNAL...
	local i sizes=(64K 4K 1M) worst_ns=0 compared=0 room=$1 name=$2
	shift 2
	for ((i = 0; compared < tries; i++)); do
		[ $i -lt $((4 * tries)) ] || fail "$name: the machine stands still for seconds ($worst_ns ns): nothing to compare"
		end_once "$room/t$i" "${sizes[compared % 3]}" KILL
	done
	figure "$name: $tries traces after kill -9, each whole, every event older than 1 s there (the machine stood still for $((worst_ns / 1000000)) ms at most)"
	compared=0
	for ((i = 0; i < $#; i++)); do end_once "$room/s$i" "${sizes[i % 3]}" "${@:i + 1:1}"; done
	equal "$name: traces compared after signals" $compared $#
	figure "$name: traces after $*, each whole, every event before the signal there"
}

signals=(TERM INT)
[ -z "$soak" ] || signals+=(TERM INT TERM INT TERM INT HUP)
kill_series "$tmp" tmpfs "${signals[@]}"

if modprobe ext4 2> /dev/null && modprobe loop 2> /dev/null && command -v mkfs.ext4 > /dev/null; then
	truncate -s 200M "$tmp/image"
	mkfs.ext4 -q "$tmp/image" && mkdir "$tmp/ext4" && mount -o loop "$tmp/image" "$tmp/ext4" || fail "no ext4"
	at_exit umount "$tmp/ext4"
	kill_series "$tmp/ext4" ext4 TERM ${soak:+INT TERM INT}
else
	say "no ext4 here"
fi
wait_for 240 eval '! pgrep kymo-guard'
exit 0
