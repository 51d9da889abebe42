#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# What a recording does while it runs: it reads no files, its memory does not grow, its guard does not keep a terminal
# busy. And what it leaves for later: the symbols of sampled kernel addresses are those of /proc/kallsyms.
. tests/vm/lib.sh
. tests/vm/record.bash
load_module
at_exit unload_module

# ---- only these calls between START and STOP ----
strace -o "$tmp/strace" "$kymo" record -o "$tmp/s" -e 'sys*_getpriority' -e sched -s 3 > "$tmp/out" 2>&1 &
strace_pid=$!
wait_for 120 grep -q 'ioctl(.*0xeb, 0x5' "$tmp/strace"
"$test_bin/mark_calls" -q 3000 1500 > /dev/null
wait $strace_pid || fail "status $? under strace: $(cat "$tmp/out")"
sed '1,/ioctl(.*0xeb, 0x5/d; /ioctl(.*0xeb, 0x6/,$d' "$tmp/strace" > "$tmp/between"
[ "$(wc -l < "$tmp/between")" -gt 20 ] || fail "strace saw only $(wc -l < "$tmp/between") calls"
grep -vE '^(poll|ppoll|ioctl|pwrite64|ftruncate|mmap|munmap|brk|restart_syscall)\(|^---|^clock_gettime\(' "$tmp/between" > "$tmp/others"
[ ! -s "$tmp/others" ] || { head "$tmp/others"; fail "the drain path does more than it should"; }
figure "calls while recording: $(sed 's/(.*//' "$tmp/between" | sort | uniq -c | awk '{ printf "%s%s %s", (NR > 1 ? ", " : ""), $1, $2 }')"

# ---- a pipe at stdout is at its end when the recorder ends, although the guard may live a moment longer ----
timeout 240 bash -c "'$kymo' record -o '$tmp/p' -e sched_switch -s 0.5 | cat" > "$tmp/out" || fail "the guard holds stdout"
grep -q 'nothing lost' "$tmp/out" || fail "no summary: $(cat "$tmp/out")"

# ---- a CPU that comes online while it records ----
echo 0 > /sys/devices/system/cpu/cpu1/online || fail "cpu1 does not go offline"
record_start "$tmp/h" -e 'sys*_getpriority'
echo 1 > /sys/devices/system/cpu/cpu1/online
made=$(taskset -c 1 "$test_bin/mark_calls" -q 2000 2000)
kill -INT $record_pid
record_wait
cat "$tmp/h.out" "$tmp/h.err"
equal "status" $record_status 0
trace_read_clean "$tmp/h"
equal "calls on the new CPU" "$(grep -c 'syscall_entry_getpriority: { cpu_id = 1 }' "$tmp/h.text")" "$made"

# ---- memory and symbols ----
# Rings for all that comes, however slow the recorder is: what is lost would be told
record_start "$tmp/t" -e cpu -e 'sys*_getpriority' -F 500 --buffer-size 32M
"$test_bin/mark_calls" -q 20000 0 > /dev/null
"$test_bin/busy" kernel 1 > /dev/null	# something to sample
rss() { awk '/^RssAnon/ { print $2 }' /proc/$record_pid/status; } # without the rings, which are mapped
# It keeps who was there: until the start dump has been read, that grows
settled() { before=$(rss) && "$test_bin/mark_calls" -q 5000 0 > /dev/null && sleep 0.6 && [ $(($(rss) - before)) -lt 64 ]; }
wait_for 120 settled
before=$(rss)
"$test_bin/mark_calls" -q 60000 0 > /dev/null
after=$(rss)
kill -INT $record_pid
record_wait
cat "$tmp/t.err"
equal status $record_status 0
[ $((after - before)) -lt 1024 ] || fail "the recorder grew from $before to $after kB"
figure "recorder's own memory: $before kB, after 120000 events more $after kB"
trace_read_clean "$tmp/t"
[ "$(trace_count "$tmp/t" cpu_sample)" -gt 10 ] || fail "no samples"
[ -s "$tmp/t/kymo/symbols" ] || fail "no symbols"
cat /proc/kallsyms > "$tmp/kallsyms" # once: it takes a second here
while read -r address size name _; do
	grep -q "^0*$address [tTwW] $name\b" "$tmp/kallsyms" || fail "symbol $name at $address is not the kernel's"
done <<< "$(head -10 "$tmp/t/kymo/symbols")"
# Every kernel address of the samples lies in one of them
grep -o ' ip = 0xFFFFFFFF[0-9A-F]*' "$tmp/t.text" | sed 's/.*0x//' | sort -u > "$tmp/ips"
while read -r ip; do
	[ -n "$ip" ] || continue
	found=
	while read -r address size name _; do
		if ((16#$ip >= 16#$address && 16#$ip < 16#$address + 16#$size)); then found=$name; break; fi
	done < "$tmp/t/kymo/symbols"
	[ -n "$found" ] || fail "sampled address $ip has no symbol"
done <<< "$(head -8 "$tmp/ips")"
figure "symbols: $(wc -l < "$tmp/t/kymo/symbols") for $(wc -l < "$tmp/ips") sampled kernel addresses"
exit 0
