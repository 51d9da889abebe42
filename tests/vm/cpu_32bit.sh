# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
# A 32-bit program on a 64-bit kernel: its frames are narrower, and its stack is whole and ends cleanly all the same.
. tests/vm/lib.sh
. tests/vm/symbols.bash

# Without a C library, so that the compiler alone is enough
cat > "$tmp/busy32.c" << 'PROGRAM'
#define FRAME __attribute__((noinline, noclone))
static volatile unsigned int sink;
FRAME void spin(void)
{
	sink = (unsigned int)__builtin_frame_address(0);
	for (unsigned int i = 0; i < 400000000; i++)
		sink += i;
}
FRAME void inner(void) { spin(); sink++; }
FRAME void outer(void) { inner(); sink++; }
/* As a C library's: the frame pointer of 0 says that nothing is above. */
__asm__(".globl _start\n.type _start, @function\n_start: xor %ebp, %ebp\ncall outer\n"
	"mov $1, %eax\nxor %ebx, %ebx\nint $0x80\n.size _start, . - _start");
PROGRAM
gcc -m32 -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-stack-protector -fcf-protection=none -fno-pie -no-pie \
	-nostdlib -static -o "$tmp/busy32" "$tmp/busy32.c" || skip "this compiler makes no 32-bit programs"
"$tmp/busy32" 2> /dev/null || skip "this kernel runs no 32-bit programs"

load_module
functions_of 0 "$tmp/busy32" '^(spin|inner|outer|_start)$' > "$tmp/functions"
equal "functions found by nm" "$(wc -l < "$tmp/functions")" 4

measure() {
	local tid all exact
	"$test_bin/ring_dump" -e cpu_sample@200 -- "$tmp/busy32" > "$tmp/dump" 2> "$tmp/own" || fail "ring_dump: $(tail -2 "$tmp/own" "$tmp/dump")"
	tid=$(sed -n 's/^# command pid=\([0-9]*\) status=0$/\1/p' "$tmp/dump")
	[ -n "$tid" ] || fail "busy32: $(tail -1 "$tmp/dump")"
	samples_of "$tid" "$tmp/dump" > "$tmp/samples"
	# 0x1: in user mode, nothing cut, not broken
	awk 'NR == FNR { first[$3] = $1; behind[$3] = $2; next }
		function lies(at, name) { return (at "") >= (first[name] "") && (at "") < (behind[name] "") }
		$2 == "0x1" && $3 == "|" && lies($4, "spin") && lies($5, "inner") && lies($6, "outer") && lies($7, "_start") && NF == 7 { exact++ }
		lies($4, "spin") && $3 == "|" { all++ }
		END { printf "%d %d\n", all, exact }' "$tmp/functions" "$tmp/samples" > "$tmp/found"
	read -r all exact < "$tmp/found"
	figure "32-bit: of $all samples in spin $exact with the exact, whole stack"
	[ "$all" -ge 10 ] && [ $((exact * 100)) -ge $((all * 95)) ] || fail "$exact of $all stacks are exact: $(head -3 "$tmp/samples")"
}
# A guest that stands still gives few samples
again 5 measure
unload_module
