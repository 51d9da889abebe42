#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# top_restore - the terminal is as it was after kymo top, whatever ends or stops it; it fits the terminal that it finds.
# native: --timeout 400
. "$(dirname "$0")/screen.bash"
trace 5
# Without sanitizers: they have an opinion of their own about crashes.
KYMO=$PWD/build/kymo
terminal 80 24
for signal in TERM INT HUP SEGV ABRT BUS FPE QUIT ALRM USR1; do
	run --replay "$room/trace"
	see 'kymo top  tasks.*of 5.0 s'
	kill -"$signal" "$(cat "$room/pid")"
	case $signal in TERM | INT | HUP) want=0 ;; *) want=$((128 + $(kill -l $signal))) ;; esac
	ended $want
done
run --replay "$room/trace"; see 'of 5.0 s'
keys C-c; ended 0

# With sanitizers: a crash is told, after the terminal was given back.
KYMO=$PWD/build/asan/kymo
run --replay "$room/trace"; see 'of 5.0 s'
kill -SEGV "$(cat "$room/pid")"
ended 1
ls "$room"/asan* > /dev/null 2>&1 || fail "the sanitizer did not see the crash"
rm -f "$room"/asan*

off() { [ "$(shows '#{alternate_on}#{cursor_flag}#{mouse_any_flag}')" = 010 ]; }

# Stopped, and stopped by others: the shell has its modes, and then it goes on.
KYMO=$PWD/build/kymo
run --replay "$room/trace" -d 60; see 'of 5.0 s'
state() { ps -o stat= -p "$(cat "$room/pid")" | cut -c1; }
stopped() { [ "$(state)" = T ]; }
keys C-z; until_so stopped
see Stopped; until_so off
keys fg Enter; see 'kymo top  tasks'
kill -STOP "$(cat "$room/pid")"; until_so stopped
keys fg Enter; see 'kymo top  tasks'
keys h; see 'this page'; keys x; unsee 'this page'
keys q; until_so off

# The terminal goes away.
run --replay "$room/trace"; see 'of 5.0 s'
pid=$(cat "$room/pid")
gone() { ! kill -0 "$pid" 2> /dev/null; }
mux kill-server
until_so gone

# What it finds: no UTF-8, no colours, a few colours, no cursor movement, no terminal.
terminal 80 24 tmux-256color C
run --replay "$room/trace"; see 'of 5.0 s'
keys p; see PAUSED; keys F5; see '\+-java'
screen | LC_ALL=C grep -q '[^ -~]' && fail "not ASCII"
keys q; ended 0
for term in xterm xterm-mono vt100 linux screen xterm-256color; do
	terminal 80 24 $term
	run --replay "$room/trace"; see 'of 5.0 s'
	mux capture-pane -pe > "$room/shown"
	case $term in
	xterm-mono | vt100) grep -qE $'\e\\[[0-9;]*[34][0-7]m' "$room/shown" && fail "colours on $term" ;;
	*) grep -qE $'\e\\[[0-9;]*[34][0-8][;m]' "$room/shown" || fail "no colours on $term" ;;
	esac
	keys q; ended 0
done
terminal 80 24
keys 'export NO_COLOR=1' Enter
run --replay "$room/trace"; see 'of 5.0 s'
mux capture-pane -pe > "$room/shown"
grep -qE $'\e\\[[0-9;]*[34][0-8][;m]' "$room/shown" && fail "NO_COLOR, but colours"
grep -q $'\e\\[' "$room/shown" || fail "not even reverse"
keys q; ended 0
for term in dumb unknown-terminal ''; do
	TERM=$term script -qec "$KYMO top --replay $room/trace" /dev/null < /dev/null > "$room/out" 2>&1
	tr -d '\r' < "$room/out" | LC_ALL=C grep -q '[[:cntrl:]]' && fail "TERM=$term: control characters"
	grep -q nginx "$room/out" || fail "TERM=$term: no table"
	grep -q 'no screen here' "$room/out" || fail "TERM=$term: it does not say why there is no screen"
done
"$KYMO" top --replay "$room/trace" 2> "$room/err" > "$room/out" || fail "no terminal: status $?"
LC_ALL=C.UTF-8 grep -q '[[:cntrl:]]' "$room/out" && fail "no terminal: control characters"
grep -q nginx "$room/out" || fail "no terminal: no table"
grep -q 'no screen here' "$room/err" || fail "it does not say why"
healthy
