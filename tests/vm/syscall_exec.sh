#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 300
# An exec ends as the call that it began as, though the new program is of another ABI: 64-bit execve, execveat of a
# 32-bit program, and its 32-bit execve of a 64-bit one. By type there are as many exits as entries.
. tests/vm/lib.sh

cat > "$tmp/exec32.c" << 'PROGRAM'
/* Becomes its first argument by the 32-bit execve. */
__asm__(".globl _start\n_start: mov 8(%esp), %ebx\nlea 8(%esp), %ecx\nxor %edx, %edx\nmov $11, %eax\nint $0x80\n"
	"mov %eax, %ebx\nmov $1, %eax\nint $0x80\n");
PROGRAM
gcc -m32 -fno-pie -no-pie -nostdlib -static -o "$tmp/exec32" "$tmp/exec32.c" || skip "this compiler makes no 32-bit programs"
cp "$(command -v busybox)" "$tmp/true" || fail "no busybox"
"$tmp/exec32" "$tmp/true" 2> /dev/null || skip "this kernel runs no 32-bit programs"

load_module
for only in '' exits; do # with the exits alone they still need to know the entries
	enable=(-e 'syscall_exit_*')
	[ -n "$only" ] || enable+=(-e 'syscall_entry_*')
	"$test_bin/ring_dump" "${enable[@]}" -- "$test_bin/exec_at" "$tmp/exec32" "$tmp/true" > "$tmp/dump" ||
		fail "ring_dump: $(tail -2 "$tmp/dump")"
	grep -q '^# command .*status=0$' "$tmp/dump" || fail "the programs failed: $(grep '^# command' "$tmp/dump")"
	count() { grep -c "^[0-9].* syscall_$1" "$tmp/dump"; } # not in the lines with sums
	equal "exits of execveat" "$(count 'exit_execveat ret=0$')" 1
	equal "exits of the 32-bit execve" "$(count 'exit_unknown id=11 compat=1 ret=0$')" 1
	[ "$(count 'exit_execve ret=0$')" -ge 1 ] || fail "no execve ended"
	[ -z "$only" ] || continue
	equal "entries of execveat" "$(count 'entry_execveat ')" 1
	equal "entries of the 32-bit execve" "$(count 'entry_unknown id=11 compat=1 ')" 1
	equal "entries and exits of execve" "$(count 'entry_execve ')" "$(count 'exit_execve ret=0$')"
done
figure "execve, execveat of a 32-bit program and its execve of a 64-bit one: each with its own exit"
unload_module
