# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 300
# Functions by name, from a trace, after the programs are deleted: a program in C, position independent; one in C++
# whose symbols are in a debug file; the kernel. Each spends its time in two functions, seven parts and three, and
# says itself how long it was in them.
. tests/vm/lib.sh
. tests/vm/record.bash
trace=$tmp/trace
seconds=4
[ -z "$soak" ] || seconds=30

# Independent: the program's own clock. A guest that stands still for a while does so for the clock and for the sample
# behind it; the number of samples knows nothing of that, and is compared with the parts themselves.
check() { # WHAT PID SEVENTY THIRTY FILE-WITH-NS
	local total
	jq -r --argjson pid "$2" --arg a "$3" --arg b "$4" '
		[.views.process_functions[] | select(.pid == $pid)] as $all |
		def sum(f): map(f) | add // 0;
		[($all | map(select(.function == $a)) | sum(.self_ns), sum(.self_samples)),
		 ($all | map(select(.function == $b)) | sum(.self_ns), sum(.self_samples)),
		 ($all | sum(.self_samples))] | @tsv' "$trace.json" > "$tmp/got"
	read -r a_ns a_samples b_ns b_samples total < "$tmp/got"
	read -r a_own b_own < "$5"
	[ "$((a_samples + b_samples))" -ge 1000 ] || fail "$1: only $a_samples and $b_samples samples in $3 and $4 of $total: $(top_of "$2")"
	awk -v a="$a_ns" -v b="$b_ns" -v c="$a_own" -v d="$b_own" -v m="$a_samples" -v n="$b_samples" -v what="$1" 'BEGIN {
		by_time = 100 * a / (a + b); own = 100 * c / (c + d); by_count = 100 * m / (m + n)
		printf "figure: %s: %.1f %% of the time by samples, %.1f %% by its own clock; %.1f %% of %d samples\n", what, by_time, own, by_count, m + n
		exit !(by_time - own < 5 && own - by_time < 5 && by_count > 65 && by_count < 75) }' || fail "$1: not 70 and 30"
	# The rest is asking for the time, and interrupts.
	[ $(((a_samples + b_samples) * 100)) -ge $((total * 80)) ] || fail "$1: $total samples, $a_samples and $b_samples of them there: $(top_of "$2")"
}

top_of() { jq -c --argjson pid "$1" '[.views.process_functions[] | select(.pid == $pid) | [.function, .module, .self_samples]][:6]' "$trace.json"; }

load_module
insmod "$test_mods/parts_mod/parts_mod.ko" || fail "insmod parts_mod"
mkdir "$tmp/bin"
cp "$test_bin/parts" "$test_bin/parts_cc" "$tmp/bin"
(cd "$tmp/bin" && objcopy --only-keep-debug parts_cc parts_cc.debug && strip -s parts_cc &&
	objcopy --add-gnu-debuglink=parts_cc.debug parts_cc) || fail "strip parts_cc"

record_start "$trace" -e task -e cpu -F 997
"$tmp/bin/parts" $seconds > "$tmp/c.own" &
c=$!
"$tmp/bin/parts_cc" $seconds > "$tmp/cc.own" &
cc=$!
wait $c || fail "parts: status $?"
wait $cc || fail "parts_cc: status $?"
# One that is gone before anybody had the time to look: mapped, run, deleted
cp "$test_bin/parts" "$tmp/bin/brief"
"$tmp/bin/brief" 3 > "$tmp/brief.own" &
brief=$!
wait_for 30 grep -q brief "/proc/$brief/maps"
rm -r "$tmp/bin"
wait $brief || fail "brief: status $?"
(
	echo $BASHPID > "$tmp/kernel.pid"
	while read -r a b < /sys/module/parts_mod/parameters/turns && [ $((a + b)) -lt ${seconds}000000000 ]; do
		echo 50 > /sys/module/parts_mod/parameters/turns
	done
) || fail "parts_mod"
cat /sys/module/parts_mod/parameters/turns > "$tmp/kernel.own"
kill -INT "$record_pid"
record_wait
[ $record_status = 0 ] || { tail -5 "$trace.err"; fail "kymo record: status $record_status"; }
rmmod parts_mod
# No name of the running kernel helps now
sysctl -qw kernel.kptr_restrict=2
"$kymo" report --json "$trace" > "$trace.json" || fail "kymo report: status $?"
figure "functions: $(du -b "$trace/kymo/functions" | cut -f1) bytes of names, $(du -b "$trace/kymo/symbols" | cut -f1) of the kernel's"

check parts $c parts_seventy parts_thirty "$tmp/c.own"
check parts_cc $cc 'loom::Reel<unsigned long>::wind' loom::unwind "$tmp/cc.own"
check kernel "$(cat "$tmp/kernel.pid")" parts_mod_seventy parts_mod_thirty "$tmp/kernel.own"
equal "module of the kernel's functions" "$(jq -r '[.views.functions[] | select(.function == "parts_mod_seventy") | .module] | unique[]' "$trace.json")" '[parts_mod]'
[ "$(jq --argjson pid $brief '[.views.process_functions[] | select(.pid == $pid and .function == "parts_seventy") | .self_samples] | add // 0' "$trace.json")" -gt 0 ] ||
	fail "the brief program has no names: $(top_of $brief)"
# main is where they are called from, and its total is all of it
"$kymo" report -V functions "$trace" | grep -q 'parts_seventy$' || fail "the view functions does not show parts_seventy"
[ "$(jq '[.views.callers[] | select(.function == "parts_mod_seventy" and .caller == "parts_set")] | length' "$trace.json")" -ge 1 ] ||
	fail "parts_mod_seventy has no caller: $(jq -c '[.views.callers[] | select(.function == "parts_mod_seventy")]' "$trace.json")"
figure "samples in unknown code: $(jq '[.views.functions[] | select(.function == "(unknown code)") | .self_samples] | add // 0' "$trace.json") of $(jq .totals.samples "$trace.json")"
unload_module
