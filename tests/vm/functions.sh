# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# Functions by name, from a trace, after the programs are deleted: a program in C, position independent; one in C++
# whose symbols are in a debug file; the kernel. Each spends its time in two functions, seven parts and three, and
# says itself how long it was in them.
. tests/vm/lib.sh
. tests/vm/record.bash
# Five points; five standard deviations where a busy machine gives few samples (with 2,100 both are the same)
seconds=5 enough=100
[ -z "$soak" ] || seconds=30

# In the functions of a process: ns and samples of the one, of the other, samples in all
sums() { # PID SEVENTY THIRTY
	jq -r --argjson pid "$1" --arg a "$2" --arg b "$3" '
		[.views.process_functions[] | select(.pid == $pid)] as $all |
		def sum(f): map(f) | add // 0;
		[($all | map(select(.function == $a)) | sum(.self_ns), sum(.self_samples)),
		 ($all | map(select(.function == $b)) | sum(.self_ns), sum(.self_samples)),
		 ($all | sum(.self_samples))] | @tsv' "$trace.json"
}

top_of() { jq -c --argjson pid "$1" '[.views.process_functions[] | select(.pid == $pid) | [.function, .module, .self_samples]][:6]' "$trace.json"; }

# Independent: the program's own clock; and the parts themselves, which the number of samples must show. Where a guest
# stands still again and again, few samples stand for most of the time, and their sums say little: only the number does.
check() { # WHAT PID SEVENTY THIRTY FILE-WITH-NS
	read -r a_ns a_samples b_ns b_samples total < <(sums "$2" "$3" "$4")
	read -r a_own b_own < "$5"
	# The rest is asking for the time, and interrupts.
	[ $(((a_samples + b_samples) * 100)) -ge $((total * 70)) ] && [ "$a_samples" -gt 0 ] && [ "$b_samples" -gt 0 ] ||
		fail "$1: $total samples, $a_samples in $3, $b_samples in $4: $(top_of "$2")"
	say "$1: $a_samples and $b_samples of $total samples, $((a_ns + b_ns)) ns"
	[ $((a_samples + b_samples)) -ge $enough ] || return 1
	awk -v a="$a_ns" -v b="$b_ns" -v c="$a_own" -v d="$b_own" -v m="$a_samples" -v n="$b_samples" -v what="$1" 'BEGIN {
		by_time = 100 * a / (a + b); own = 100 * c / (c + d); by_count = 100 * m / (m + n)
		points = 500 * sqrt(0.21 / (m + n)); if (points < 5) points = 5
		printf "figure: %s: %.1f %% of the time by samples, %.1f %% by its own clock; %.1f %% of %d samples; within %.1f\n", what, by_time, own, by_count, m + n, points
		calm = a + b < 1.3 * (m + n) * 1e9 / 499
		exit !((!calm || (by_time - own < points && own - by_time < points)) && by_count > 70 - points && by_count < 70 + points) }' || fail "$1: not 70 and 30"
}

run() {
	mkdir "$tmp/bin"
	cp "$test_bin/parts" "$test_bin/parts_cc" "$tmp/bin"
	(cd "$tmp/bin" && objcopy --only-keep-debug parts_cc parts_cc.debug && strip -s parts_cc &&
		objcopy --add-gnu-debuglink=parts_cc.debug parts_cc) || fail "strip parts_cc"
	record_start "$trace" -e task -e cpu -F 499 --allow-loss
	"$tmp/bin/parts" $seconds > "$tmp/c.own" &
	c=$!
	"$tmp/bin/parts_cc" $seconds > "$tmp/cc.own" &
	cc=$!
	wait $c || fail "parts: status $?"
	wait $cc || fail "parts_cc: status $?"
	# A child of its own for the kernel: whose pid is it
	(
		echo $BASHPID > "$tmp/kernel.pid"
		echo "$((seconds * 1000))" > /sys/module/parts_mod/parameters/milliseconds
	) || fail "parts_mod"
	cat /sys/module/parts_mod/parameters/milliseconds > "$tmp/kernel.own"
	# One that is deleted as soon as it is mapped
	cp "$test_bin/parts" "$tmp/bin/brief"
	"$tmp/bin/brief" 3 > "$tmp/brief.own" &
	brief=$!
	wait_for 240 grep -q /brief "/proc/$brief/maps"
	rm -r "$tmp/bin"
	wait $brief || fail "brief: status $?"
	kill -INT "$record_pid"
	record_wait
	[ $record_status = 0 ] || { tail -5 "$trace.err"; fail "kymo record: status $record_status"; }
	# No name of the running kernel helps now
	sysctl -qw kernel.kptr_restrict=2
	"$kymo" report --json "$trace" > "$trace.json" || fail "kymo report: status $?"
	sysctl -qw kernel.kptr_restrict=0
}

checks() {
	check parts $c parts_seventy parts_thirty "$tmp/c.own" &&
		check parts_cc $cc 'loom::Reel<unsigned long>::wind' loom::unwind "$tmp/cc.own" &&
		check kernel "$(cat "$tmp/kernel.pid")" parts_mod_seventy parts_mod_thirty "$tmp/kernel.own"
}

load_module
insmod "$test_mods/parts_mod/parts_mod.ko" || fail "insmod parts_mod"
# A machine that is busy with others gives fewer samples: longer, then
for attempt in 1 2 3; do
	trace=$tmp/trace$attempt
	run
	checks && break
	[ $attempt -lt 3 ] || fail "less than $enough samples in $seconds s"
	seconds=$((seconds * 2))
done
figure "names: $(wc -c < "$trace/kymo/functions") bytes of functions, $(wc -c < "$trace/kymo/symbols") of the kernel's"

equal "module of the kernel's functions" \
	"$(jq -r '[.views.functions[] | select(.function == "parts_mod_seventy") | .module] | unique[]' "$trace.json")" '[parts_mod]'
read -r _ brief_samples _ < <(sums $brief parts_seventy parts_thirty)
[ "$brief_samples" -gt 0 ] || fail "the brief program has no names: $(top_of $brief)"
"$kymo" report -V functions "$trace" > "$tmp/text" || fail "kymo report -V functions: status $?"
grep -q 'parts_seventy$' "$tmp/text" || fail "the view functions does not show parts_seventy: $(head -12 "$tmp/text")"
[ "$(jq '[.views.callers[] | select(.function == "parts_mod_seventy" and .caller == "parts_set")] | length' "$trace.json")" -ge 1 ] ||
	fail "parts_mod_seventy has no caller: $(jq -c '[.views.callers[] | select(.function == "parts_mod_seventy")]' "$trace.json")"
figure "samples in unknown code: $(jq '[.views.functions[] | select(.function == "(unknown code)") | .self_samples] | add // 0' "$trace.json") of $(jq .totals.samples "$trace.json")"
rmmod parts_mod
unload_module
