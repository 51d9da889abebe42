#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
# A recording from end to end: babeltrace2 reads it without a word, its counts are the summary's, no number of the
# generator is missing, wall times are right to 1 ms, the files open and end with an empty packet.
. tests/vm/lib.sh
. tests/vm/record.bash

for command in "record --input kmod -o $tmp/none" "list --input kmod"; do
	# shellcheck disable=SC2086
	"$kymo" $command > "$tmp/out" 2>&1
	equal "status of $command without the module" $? 1
	grep -q "^kymo ${command%% *}: the kymo module is not loaded\. Load it with 'sudo modprobe kymo'" "$tmp/out" ||
		fail "no sentence: $(cat "$tmp/out")"
done
load_module
at_exit unload_module
# shellcheck disable=SC2024
setpriv --reuid=65534 --regid=65534 --clear-groups "$kymo" record -o "$tmp/none" > "$tmp/out" 2>&1
equal "status without rights" $? 1
grep -q 'no permission to open /dev/kymo: it takes CAP_PERFMON. Run kymo as root' "$tmp/out" || fail "no sentence: $(cat "$tmp/out")"
"$kymo" list -e sched_switch > "$tmp/out" || fail "kymo list: status $?"
[[ $(cat "$tmp/out") == $'input: kmod '*$'\n\nsched\n  sched_switch\n'*'prev_comm text[16], prev_tid s32, '* ]] || fail "kymo list: $(cat "$tmp/out")"
"$kymo" list --json -e 'sched_*' > "$tmp/out" || fail "kymo list --json: status $?"
grep -q '"name": "sched_process_exec"' "$tmp/out" || fail "kymo list --json: $(head "$tmp/out")"

"$kymo" record -o "$tmp/none" -e no_such_event > "$tmp/out" 2>&1
equal "status of an unknown event" $? 1
grep -q "matches nothing" "$tmp/out" || fail "no sentence: $(cat "$tmp/out")"
[ ! -e "$tmp/none" ] || fail "a directory was left behind"

record_start "$tmp/t" -e 'sys*_getpriority' -e sched -e task
"$test_bin/mark_calls" 3000 2000 > "$tmp/calls" || fail "generator"
kill -INT $record_pid
record_wait
equal "status after SIGINT" $record_status 0
cat "$tmp/t.out" "$tmp/t.err"
trace_read_clean "$tmp/t"
equal "calls recorded" "$(trace_numbers "$tmp/t" | wc -l)" 3000
equal "exits recorded" "$(trace_count "$tmp/t" syscall_exit_getpriority)" 3000
check_numbers "$tmp/t" "$tmp/calls" 0 9999999999999999999

# Counts by type: the summary's against babeltrace2's
awk '/^  / { print $1, $2 }' "$tmp/t.out" | sort > "$tmp/summary"
sed 's/^[^{]* \([A-Za-z_0-9:]*\): {.*/\1/' "$tmp/t.text" | sort | uniq -c | awk '{ print $2, $1 }' | sort > "$tmp/counted"
cmp "$tmp/summary" "$tmp/counted" || { diff "$tmp/summary" "$tmp/counted"; fail "the summary's counts are not babeltrace2's"; }

# Wall time: every call lies between what the generator read before and after it, to 1 ms
sed -n 's/^\[\([0-9]*\)\.\([0-9]*\)\].* syscall_entry_getpriority: .* who = \([0-9]*\).*/\3 \1\2/p' "$tmp/t.text" > "$tmp/times"
awk 'NR == FNR { at[$1] = $2; next } { early = $2 - at[$1]; late = at[$1] - $3; if (early > worst) worst = early; if (late > worst) worst = late }
	END { print worst / 1e6; exit worst > 1e6 }' "$tmp/times" "$tmp/calls" > "$tmp/worst" || fail "wall time is off by $(cat "$tmp/worst") ms"
figure "wall time is off by at most $(cat "$tmp/worst") ms"

# Opening and closing packet of each stream: 84 bytes each, content_size = packet_size = 672 bits, numbers 0 and last + 1
for stream in "$tmp"/t/stream_*; do
	read -r content size seq <<< "$(od -An -tu8 -j48 -N24 -w24 "$stream")"
	equal "opening packet of ${stream##*/}" "$content $size $seq" "672 672 0"
	end=$(stat -c %s "$stream")
	read -r content size seq <<< "$(od -An -tu8 -j$((end - 84 + 48)) -N24 -w24 "$stream")"
	equal "closing packet of ${stream##*/}" "$content $size" "672 672"
done

"$kymo" record -o "$tmp/t" -e sched_switch > "$tmp/out" 2>&1
equal "status with a directory that is not empty" $? 1
grep -q "is not empty" "$tmp/out" || fail "no sentence: $(cat "$tmp/out")"
pgrep kymo-guard && fail "a guard survived"
exit 0
