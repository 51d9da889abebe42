#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# System calls by name, with arguments and results: as many as the generator made and as strace counts.
. tests/vm/lib.sh

n=200
load_module
"$test_bin/ring_dump" -m 128 -S syscall -e sched_switch -- "$test_bin/task_gen" syscalls $n > "$tmp/events" 2> "$tmp/told" ||
	fail "ring_dump: $(tail -3 "$tmp/told" "$tmp/events")"
pid=$(sed -n 's/^# command pid=\([0-9]*\) status=0$/\1/p' "$tmp/events")
[ -n "$pid" ] || fail "the generator failed: $(cat "$tmp/told")"
grep '^# .* lost=[^0]' "$tmp/events" && fail "events were lost: the rings are too small for this test"
int80=$(sed -n 's/^int80 //p' "$tmp/told")
count() { grep -c "$1" "$tmp/events"; }
equal "umask" "$(count ' syscall_entry_umask mask=18$')" $n
equal "results of umask" "$(count ' syscall_exit_umask ret=18$')" $n
sed -n 's|.* syscall_entry_openat dfd=-100 flags=524288 mode=0 filename=/nonexistent/gen-||p' "$tmp/events" | sort -n > "$tmp/paths"
cmp -s "$tmp/paths" <(seq 0 $((n - 1))) || fail "paths of openat: $(wc -l < "$tmp/paths") of $n; $(grep -m1 syscall_entry_openat "$tmp/events")"
[ "$(count ' syscall_exit_openat ret=-2$')" -ge $n ] || fail "openat of what is not there: $(count ' syscall_exit_openat ret=-2$') of $n failed with -2"
equal "an unknown number" "$(count ' syscall_entry_unknown id=999 compat=0 args=\[0x[0-9a-f]*,0x2,0x3,0x4,0x5,0x6\]$')" $n
equal "its results" "$(count ' syscall_exit_unknown id=999 compat=0 ret=-38$')" $n
equal "32-bit getpid" "$(count ' syscall_entry_unknown id=20 compat=1 ')" "$int80"
equal "its results" "$(count " syscall_exit_unknown id=20 compat=1 ret=$pid\$")" "$int80"

# --- by process, with the help of sched_switch, against strace
awk -v pid="$pid" '
	function field(name,   i) { for (i = 4; i <= NF; i++) if (index($i, name "=") == 1) return substr($i, length(name) + 2); return "" }
	$3 == "sched_switch" { current[$2] = field("next_tid") }
	current[$2] == pid && $3 ~ /^syscall_entry_/ && $3 !~ /unknown$/ { sub(/^syscall_entry_/, "", $3); print $3 }' <(grep -v '^#' "$tmp/events" | sort -n -k1,1 -s) |
	sed 's/^newfstatat$/fstatat/; s/^new//; s/^fstatat$/newfstatat/' | sort | uniq -c | awk '{ print $2, $1 }' > "$tmp/got"
strace -f -o "$tmp/strace" "$test_bin/task_gen" syscalls $n 2> "$tmp/told" || fail "strace: $(tail -3 "$tmp/told")"
# 32-bit and unknown calls are shown by strace, too, as syscall_0x3e7 and, after a remark on the mode, as getpid
sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' "$tmp/strace" | grep -v '^syscall_0x' | sort | uniq -c | awk '{ print $2, $1 }' > "$tmp/want"
for call in umask openat mmap mprotect close read munmap pread64 prlimit64 newfstatat exit_group execve; do
	grep -q "^$call " "$tmp/want" || continue
	equal "$call, as strace counts it" "$(sed -n "s/^$call //p" "$tmp/got")" "$(sed -n "s/^$call //p" "$tmp/want")"
done

# --- only what is wanted
"$test_bin/ring_dump" -e 'syscall_*_umask' -- "$test_bin/task_gen" syscalls $n > "$tmp/events" 2> "$tmp/told" || fail "ring_dump: $(tail -3 "$tmp/told" "$tmp/events")"
equal "umask alone" "$(grep -vc '^#' "$tmp/events")" $((2 * n))
figure "$(wc -l < "$tmp/want") kinds of system calls, $n each of umask, openat, an unknown number; $int80 by the 32-bit ABI"
unload_module
