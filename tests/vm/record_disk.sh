#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# A full disk, and --max-size: what is on disk is whole and in one piece, and the size limit is never passed.
. tests/vm/lib.sh
. tests/vm/record.bash
load_module
at_exit unload_module

# ---- the disk is full ----
mkdir "$tmp/small"
mount -t tmpfs -o size=2m small "$tmp/small" || fail "no tmpfs"
at_exit umount "$tmp/small"
# Its messages go elsewhere: they must not need room there. 1: the machine stood still for too long, nothing to compare
fill() {
	local generator start end
	rm -rf "$tmp/small/t" "$tmp/copy"
	stalls_watch # what is not written because the machine stood still is not the recorder's fault
	"$kymo" record -o "$tmp/small/t" -e 'sys*_getpriority' -e 'sys*_clock_nanosleep' > "$tmp/out" 2> "$tmp/err" &
	record_pid=$!
	wait_for 120 recording_runs "$tmp/small/t"
	"$test_bin/mark_calls" 0 8000 > "$tmp/calls" &
	generator=$!
	wait_for 240 eval "[ ! -e /proc/$record_pid/fd/0 ]"
	record_wait
	kill $generator
	wait $generator
	end=$(date -r "$tmp/err" +%s%N) # when the message was written
	stalls_told
	cat "$tmp/out" "$tmp/err"
	equal "status when the disk is full" $record_status 1
	grep -q 'it ended early' "$tmp/out" || fail "the summary does not say that it ended early"
	grep -q "cannot write $tmp/small/t/stream_.* at byte [0-9]*: No space left on device" "$tmp/err" || fail "no such sentence"
	mkdir "$tmp/copy" && cp -r "$tmp/small/t" "$tmp/copy/t"
	trace_read_clean "$tmp/copy/t"
	start=$(head -1 "$tmp/calls" | cut -d' ' -f2)
	end=$((end - 1000000000 - 2 * stalls_ns))
	[ $end -gt $((start + 100000000)) ] || return 1
	check_numbers "$tmp/copy/t" "$tmp/calls" "$start" $end
	figure "full disk: $(cat "$tmp/copy/t.verdict")"
}
for _ in 1 2 3 4 5; do fill && break; done || fail "the machine stands still for seconds: nothing to compare"
"$kymo" report "$tmp/small/t" > /dev/null 2> "$tmp/err" || [ $? = 3 ] || { cat "$tmp/err"; fail "kymo report: status $?"; }
pgrep kymo-guard && fail "a guard survived"

# ---- a size limit ----
limit=$((2 * 1024 * 1024))
record_start "$tmp/t" -e 'sys*_getpriority' -e sched --packet-size 16K --buffer-size 32M --max-size $limit
# On one CPU: the oldest files of the streams end at different times, so what is left is in one piece by stream
taskset -c 1 "$test_bin/mark_calls" 70000 0 > "$tmp/calls" &
generator=$!
most=0
while [ -e /proc/$generator/fd/0 ]; do
	size=$(du -sb "$tmp/t" | cut -f1)
	[ "$size" -le "$most" ] || most=$size
	sleep 0.1
done
kill -INT $record_pid
record_wait
size=$(du -sb "$tmp/t" | cut -f1)
[ "$size" -le "$most" ] || most=$size
cat "$tmp/t.out" "$tmp/t.err"
equal "status under --max-size" $record_status 0
[ "$most" -le $limit ] || fail "--max-size $limit, but the trace had $most bytes"
grep -q '^--max-size: [0-9]* files with the first .* MB were deleted' "$tmp/t.out" || fail "nothing is said of what was deleted"
trace_read_clean "$tmp/t"
last=$(tail -1 "$tmp/calls")
check_numbers "$tmp/t" "$tmp/calls" "$(echo "$last" | cut -d' ' -f2)" 9999999999999999999
first=$(head -1 "$tmp/t.numbers")
[ "$first" -gt 1 ] || fail "nothing was deleted: the first number is $first"
figure "--max-size $limit: at most $most bytes, calls $first to $(tail -1 "$tmp/t.numbers") are there"
exit 0
