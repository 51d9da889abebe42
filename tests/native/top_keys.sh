#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# top_keys - every key of kymo top, typed at a terminal, over the replay of a trace whose content is known.
# native: --timeout 400
. "$(dirname "$0")/screen.bash"
trace 20
terminal 100 30
run --replay "$room/trace"
see 'kymo top  tasks.* of 20.0 s'
keys p
see PAUSED
jump() { # SECONDS
	keys g; see 'Jump to'
	keys "$1"; see "Jump to.* $1_"
	keys Enter; see "$1.0 of 20.0 s"
}
jump 10
row() { screen | sed -n "$((6 + $1))p"; }	# of the list, from 0

# order
see '▼CPU%'
keys I; see '▲CPU%'
keys I; see '▼CPU%'
keys '>'; see '▼CPU '
keys '<'; see '▼CPU%'
keys '<'; see 'USER▲'
keys F6; see 'Sort by'
keys End Enter; see 'COMMAND▲'
keys F6; see 'Sort by'
keys Home Enter; see '▲PID'
see '^ +1 .* systemd'

# moving
keys F6; see 'Sort by'
keys Down Down Down Enter; see '▼CPU%'
keys Escape; see '18231.* nginx'
keys 1

# search, filter
keys F3; see '^Search: _'
keys java; see '^Search: java_'
keys Enter; unsee '^Search'
keys Enter; see 'all › pid 4194303'
keys BSpace; unsee 'all ›'
keys /; see '^Search: _'
keys 'no such thing'; see "No row has"
keys Escape; unsee '^Search'
keys F4; see '^Filter: _'
keys cc1plus; see 'all › "cc1plus"  [0-9]+ of'
[ "$(screen | grep -c nginx)" = 0 ] || fail "the filter lets nginx pass"
keys Enter; unsee '^Filter'
keys BSpace; unsee 'all ›'
keys '\'; see '^Filter: _'
keys xyz; see 'none of [0-9]+ rows matches'
keys Escape; see nginx
keys BSpace; see 'This is the top'

# tree, threads, kernel threads
keys F5; see '├─java'
keys F5; unsee '├─'
keys H; see 'kymo top  threads'
see 'GC Thread#0'
keys H; see 'kymo top  tasks'
keys K; see 'no kernel threads'
unsee 'ksoftirqd'
keys K; see 'ksoftirqd'

# users
keys u; see '^ User|have no users'
keys Escape

# drill-down to another view and back
keys Home Down; keys Enter; see 'kymo top  threads'
see 'all › pid 1823[12]'
keys Tab; see 'kymo top  [^t]'
see 'all › pid 1823[12]'
keys BSpace; see 'kymo top  tasks'

# views
for digit in 2 3 4 5 6 7 1; do keys $digit; see "kymo top  $(screen | grep -oE "$digit[a-z]+" | head -1 | tr -d 0-9)"; done
keys Tab; see 'kymo top  threads'
keys BTab; see 'kymo top  tasks'

# interval, speed, stepping
keys +; see 'every 2 s'
keys -; see 'every 1 s'
keys -; see 'every 0.5 s'
keys =; see 'every 1 s'
keys ]; see 'at 2 x'
keys [; unsee ' x'
keys t; see '11.0 of 20.0 s'
keys t; see '12.0 of 20.0 s'
keys T; see '11.0 of 20.0 s'
keys g; see 'Jump to'; keys 0:05; see '0:05_'; keys Enter; see ' 5.0 of 20.0 s'
keys g; see 'Jump to'; keys soon; see 'soon_'; keys Enter; see 'That is no time'
jump 19
keys t; see '20.0 of 20.0 s'
keys t; see 'the end of the trace'

# going on from a pause
jump 10
keys Space; unsee PAUSED
see '1[1-9].0 of 20.0 s'
keys p; see PAUSED
jump 10

# follow, marks, help, redraw
keys Down Down; keys F; see 'follows its row'
keys F; see 'stays under the cursor'
see '^\+ .* cc1plus'
for key in F1 h '?'; do
	keys "$key"; see 'this page'
	keys Down Up PageDown PageUp
	keys x; unsee 'this page'
done
keys C-l; see nginx
keys Right Right; unsee nginx
keys Left Left; see nginx
keys PageDown PageUp End Home j k n
see '^Search: _'
keys Escape; unsee '^Search'
keys R; see 'This is a recording already'
keys Left; see '^F1Help'

# mouse: a key of the bar, a head, a view, a row twice, the wheel
click() { # COLUMN ROW [TIMES], from 1: pressed and released
	local at bytes=() i
	at=$(printf '%x %x' $(($1 + 32)) $(($2 + 32)))
	for ((i = 0; i < ${3:-1}; i++)); do bytes+=(1b 5b 4d 20 $at 1b 5b 4d 23 $at); done
	hex "${bytes[@]}"
}
place() { # REGEX TEXT: where TEXT begins in the line that has REGEX, as COLUMN ROW
	screen | grep -nE -- "$1" | head -1 | { IFS=: read -r line text; before=${text%%$2*}; echo "$((${#before} + 1)) $line"; }
}
[ "$(shows '#{mouse_any_flag}')" = 1 ] || fail "no mouse"
click $(place '^F1Help' F1); see 'this page'
keys x; unsee 'this page'
click $(place 'PID .*COMMAND' RUNQ); see '▼RUNQ'
click $(place '1tasks' 4flows); see 'kymo top  flows'
keys 1; see 'kymo top  tasks'
keys F4; see '^Filter'; keys java; see '"java"'; keys Enter; unsee '^Filter'
click 20 6 2; see 'all › "java" › pid 4194303'
keys BSpace; see '"java"'
keys BSpace; unsee 'all ›'
hex 1b 5b 4d 61 30 30; hex 1b 5b 4d 60 30 30	# wheel down, up

# sizes
for size in "40 10" "200 50" "300 20" "20 5" "5 3" "1 1" "2 40" "100 30"; do
	resize $size
done
see 'F1Help.*F10Quit'
see '10.0 of 20.0 s'

keys q; ended 0
run --replay "$room/trace" --no-mouse -d 2 -V irqs
see 'kymo top  irqs.*every 2 s'
[ "$(shows '#{mouse_any_flag}')" = 0 ] || fail "--no-mouse, but it takes the mouse"
keys F10; ended 0
run --replay "$room/trace" -s 1
see 'kymo top  tasks'
ended 0
healthy
