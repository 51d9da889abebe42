#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 400
# kill -9 of the recorder at random moments, on tmpfs and on ext4: each trace opens in babeltrace2 and in ours without
# a word, and every event older than 1 s before the kill is there, by the generator's numbers.
. tests/vm/lib.sh
. tests/vm/record.bash
load_module
at_exit unload_module
tries=${soak:+20}
tries=${tries:-3}
RANDOM=$$

kill_once() { # DIR PACKET_SIZE
	local dir=$1 end before status
	record_start "$dir" -e 'syscall_*_getpriority' -e sched -e irq -e 'syscall_*_clock_nanosleep' --packet-size "$2" --buffer-size 8M
	"$test_bin/mark_calls" 0 3000 > "$dir.calls" &
	local generator=$!
	wait_for 30 test -s "$dir.calls"
	before=$(now_ns)
	sleep "$((RANDOM % 2 + 1)).$((RANDOM % 1000))"
	end=$(now_ns)
	kill -9 $record_pid
	wait $record_pid 2> /dev/null
	kill $generator
	wait $generator 2> /dev/null
	trace_unlocked "$dir"
	trace_read_clean "$dir"
	check_numbers "$dir" "$dir.calls" "$before" $((end - 1000000000))
	"$kymo" report "$dir" > "$dir.report" 2> "$dir.err"
	status=$?
	[ $status = 0 ] || [ $status = 3 ] || { cat "$dir.err"; fail "kymo report $dir: status $status"; }
	rm -rf "$dir" "$dir".*
}

kill_series() { # ROOM NAME
	local i sizes=(64K 4K 1M)
	for ((i = 0; i < tries; i++)); do kill_once "$1/t$i" "${sizes[i % 3]}"; done
	figure "$2: $tries traces after kill -9, each whole, every event older than 1 s there"
}

kill_series "$tmp" tmpfs

if modprobe ext4 2> /dev/null && modprobe loop 2> /dev/null && command -v mkfs.ext4 > /dev/null; then
	truncate -s 200M "$tmp/image"
	mkfs.ext4 -q "$tmp/image" && mkdir "$tmp/ext4" && mount -o loop "$tmp/image" "$tmp/ext4" || fail "no ext4"
	at_exit umount "$tmp/ext4"
	kill_series "$tmp/ext4" ext4
else
	say "no ext4 here"
fi
wait_for 10 eval '! pgrep kymo-guard'
exit 0
