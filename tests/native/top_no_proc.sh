#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# native: --timeout 300
# What kymo top shows comes from its stream of events: once it shows something it opens nothing of /proc but what the names
# of code come from, and holds nothing of /proc open. By strace, live (BPF) and in a replay.
. tests/native/lib.sh
[ "$(id -u)" = 0 ] || skip "strace needs root here"

# opened LOG: what was opened below /proc after the first line of output; what libc's malloc asks for is not ours
opened() {
	sed '1,/write(1, "{/d' "$1" > "$tmp/after"
	[ "$(wc -l < "$tmp/after")" -gt 5 ] || fail "strace saw nothing after the first line: $(tail -3 "$1")"
	grep -oE '(open|openat|openat2)\([^"]*"/proc[^"]*"' "$tmp/after" | sed 's/.*"\(.*\)"/\1/' |
		grep -vx /proc/sys/vm/overcommit_memory | sort | uniq -c
}

# The files that names of code come from
names='/proc/[0-9]+/(map_files/[0-9a-f]+-[0-9a-f]+|root|status)|/proc/self/fd/[0-9]+|/proc/kallsyms'
calls=open,openat,openat2,creat,write

[ -e build/native/story ] || fail "no build/native/story: make native-programs"
mkdir "$tmp/trace"
build/native/story "$tmp/trace" 5 || fail "no trace"
strace -f -qq -o "$tmp/replay" -e trace=$calls "$kymo" top --json --replay "$tmp/trace" > "$tmp/out" 2> "$tmp/err" ||
	fail "strace of a replay: $(cat "$tmp/err")"
equal "opened by a replay" "$(opened "$tmp/replay")" ''
equal "lines" "$(wc -l < "$tmp/out")" 5

need_bpf
strace -f -qq -o "$tmp/live" -e trace=$calls "$kymo" top --input bpf --json -d 0.5 > "$tmp/out" 2> "$tmp/err" &
tracer=$!
at_exit kill $tracer
lines() { [ "$(wc -l < "$tmp/out")" -ge "$1" ]; }
wait_for 120 lines 1
top=$(pgrep -P $tracer) || fail "strace has no child: $(cat "$tmp/err")"
bash -c 'for ((i = 0; i < 100000; i++)); do :; done'	# somebody whose code gets names
wait_for 120 lines 5
held=$(readlink "/proc/$top/fd/"* | grep '^/proc/' | grep -vE "^($names)\$")
equal "held open live" "$held" ''
kill -INT "$top"
wait $tracer || fail "kymo top: status $?: $(cat "$tmp/err")"
equal "opened live, not for names" "$(opened "$tmp/live" | grep -vE " ($names)\$")" ''
figure "after the start: $(opened "$tmp/live" | grep -cE " ($names)\$") files of /proc opened for names, none for numbers; $(wc -l < "$tmp/after") calls seen"
exit 0
