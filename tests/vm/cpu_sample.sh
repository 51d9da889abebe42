# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
# Samples: as many as the rate says, charged to whom the scheduler charges, at the right place, with the right stacks.
. tests/vm/lib.sh
. tests/vm/symbols.bash
load_module
seconds=2
[ -z "$soak" ] || seconds=20

# record KIND: busy's own words and the samples of its task in $tmp/KIND.*
record() {
	"$test_bin/ring_dump" -e cpu_sample@200 -- "$test_bin/busy" "$1" $seconds > "$tmp/$1.dump" 2> "$tmp/$1.own" ||
		fail "ring_dump with busy $1: $(tail -3 "$tmp/$1.dump" "$tmp/$1.own")"
	samples_of "$(own "$1" tid)" "$tmp/$1.dump" > "$tmp/$1.samples"
}
own() { sed -n "s/.*$2=\([0-9a-f]*\).*/\1/p" "$tmp/$1.own"; } # KIND WHAT

# Independent: the CPU time that wait4(2) tells. A sample stands for the periods since the last one, so their sum is
# the time.
check_time() {
	local charged count cpu
	count=$(wc -l < "$tmp/$1.samples") cpu=$(own "$1" cpu)
	charged=$(awk '{ sum += $1 } END { printf "%.0f", sum }' "$tmp/$1.samples")
	figure "busy $1: $count samples, $charged ns by samples, $cpu ns by wait4"
	near "busy $1: ns by samples against wait4" "$charged" "$cpu" 2
	# A guest on a busy machine stands still at times and then catches up with one sample.
	[ "$count" -ge 30 ] || fail "busy $1: only $count samples at 200 Hz in $cpu ns"
	! awk '$1 % 5000000' "$tmp/$1.samples" | grep . || fail "busy $1: periods that are not of 200 Hz"
}

user() {
	local all spin exact
	record user
	check_time user
	# Independent: nm. All user addresses, from the innermost on, must lie in the functions in this order.
	functions_of "$(own user base)" "$test_bin/busy" '^busy(_(spin|inner|middle|outer))?$' > "$tmp/functions"
	equal "functions found by nm" "$(wc -l < "$tmp/functions")" 5
	awk 'NR == FNR { first[$3] = $1; behind[$3] = $2; next }
		function lies(at, name) { return (at "") >= (first[name] "") && (at "") < (behind[name] "") }
		{
			all++
			for (i = 3; $i != "|"; i++) ;
			spin += lies($(i + 1), "busy_spin")
			exact += lies($(i + 1), "busy_spin") && lies($(i + 2), "busy_inner") && lies($(i + 3), "busy_middle") &&
				lies($(i + 4), "busy_outer") && lies($(i + 5), "busy")
		}
		END { printf "%d %d %d\n", all, spin, exact }' "$tmp/functions" "$tmp/user.samples" > "$tmp/found"
	read -r all spin exact < "$tmp/found"
	figure "busy user: of $all samples $spin in busy_spin, $exact with the exact stack"
	[ $((spin * 100)) -ge $((all * 95)) ] || fail "only $spin of $all samples in busy_spin"
	[ $((exact * 100)) -ge $((all * 95)) ] || fail "only $exact of $all user stacks are exact: $(head -3 "$tmp/user.samples")"
}

kernel() {
	local all both count
	record kernel
	check_time kernel
	count=$(wc -l < "$tmp/kernel.samples")
	kernel_functions read_zero vfs_read ksys_read do_syscall_64 > "$tmp/functions"
	[ "$(wc -l < "$tmp/functions")" -ge 3 ] || fail "kallsyms does not know the functions of read(2)"
	awk 'NR == FNR { first[$3] = $1; behind[$3] = $2; next }
		$3 != "|" {
			all++
			split("", seen)
			user = 0
			for (i = 3; $i != "|"; i++)
				for (name in first)
					if (($i "") >= (first[name] "") && ($i "") < (behind[name] "")) seen[name] = 1
			both += seen["vfs_read"] && seen["ksys_read"] && seen["do_syscall_64"] && NF > i
		}
		END { printf "%d %d\n", all, both }' "$tmp/functions" "$tmp/kernel.samples" > "$tmp/found"
	read -r all both < "$tmp/found"
	figure "busy kernel: of $all samples in kernel mode $both with vfs_read, ksys_read, do_syscall_64 and a user stack"
	[ $((both * 100)) -ge $((all * 90)) ] && [ $((all * 100)) -ge $((count * 80)) ] ||
		fail "kernel stacks: $both of $all whole, of $count samples: $(grep -v ' 0x1. |' "$tmp/kernel.samples" | head -3)"
}

# What others do between samples, or always when one is due, is a matter of chance; where the guest stands still there
# are few samples, and those of a program's start weigh too much
again 5 user
again 5 kernel

record deep
# 0x8 is KYMO_SAMPLE_USTACK_TRUNCATED; an interrupt's own kernel frames leave less for the user's
awk '$2 == "0x9" { for (i = 3; $i != "|"; i++) ; if (NF - i == 127) whole++; all++ } END { exit !(all > 0 && whole == all) }' "$tmp/deep.samples" ||
	fail "300 calls deep: no samples with 127 addresses and the mark that there are more: $(head -2 "$tmp/deep.samples" | cut -c1-300)"

# Idle CPUs are not sampled, and kernel threads have no user stack
awk '$3 == "cpu_sample" && $4 == "tid=0" && $10 !~ /,/ { print; exit 1 }' "$tmp"/*.dump || fail "a sample of an idle CPU"
awk '$3 == "cpu_sample" && $6 ~ /^comm=(kworker|ksoftirqd|rcu_)/ && $11 != "ustack=[]" { print; exit 1 }' "$tmp"/*.dump ||
	fail "a kernel thread with a user stack"
unload_module
