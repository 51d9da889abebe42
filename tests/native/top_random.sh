#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# top_random - keys, mouse and sizes at random: no crash, nothing for the sanitizers, what stands on the terminal is what
# would stand there if all of it were drawn anew. KYMO_SOAK=1: for five minutes. KYMO_SEED: the same again.
# native: --timeout 400
. "$(dirname "$0")/screen.bash"
seed=${KYMO_SEED:-$((BASHPID % 32768))}
RANDOM=$seed
echo "seed $seed"
trace 10
all=(F1 F2 F3 F4 F5 F6 F7 F8 F9 h '?' / '\' t T I H K Space p F u + - = '<' '>' Tab BTab 0 1 2 3 4 5 6 7 8 9 R Enter BSpace
	Up Down Left Right PageUp PageDown Home End DC Escape n N j k g '[' ']' C-l a e s x y z é 漢 C-u nginx 11 'M-x' F11)
terminal 80 24
run --replay "$room/trace" -d 0.2
see 'of 10.0 s'

# Two bytes behind ESC [. Of a sequence that nobody knows, or of one that was torn in two, they may come as keys: they
# must not be q, which quits. (RANDOM is another one in a subshell: not in $(...), or the seed does not tell all.)
unknown() {
	local a=$((RANDOM % 93 + 33)) b=$((RANDOM % 93 + 33))
	hex 1b 5b $(printf '%x %x' $((a < 113 ? a : a + 1)) $((b < 113 ? b : b + 1))) ff c3
}
low=24 # no terminal was smaller since it was known what it shows: above is no key to quit by a click
some() {
	local i key batch=()
	for ((i = 0; i < 40; i++)); do
		key=${all[RANDOM % ${#all[@]}]}
		batch+=("$key")
	done
	keys "${batch[@]}"
	case $((RANDOM % 4)) in
	0)
		resize $((RANDOM % 200 + 1)) $((RANDOM % 60 + 1))
		[ "$rows" -ge $low ] || low=$rows
		;;
	1) [ $low -lt 2 ] || click $((RANDOM % 80 + 1)) $((RANDOM % (low - 1) + 1)) ;;	# 81 is a q
	2) unknown ;;
	esac
}
# Whatever is open Enter closes, and g asks for a time there. Once the number stands there all that was typed before has
# been taken. (An unfinished sequence of bytes may swallow the first Enter.)
number=100
prompt() {
	local end=$((SECONDS + patience)) tries
	while :; do
		number=$((number + 1))
		keys Enter g C-u $number
		for ((tries = 0; tries < 50; tries++)); do
			! screen | grep -q "Jump to.* ${number}_" || return
		done
		kill -0 "$(cat "$room/pid")" 2> /dev/null || fail "it has ended"
		[ $SECONDS -lt $end ] || fail "does not answer"
	done
}
# At rest it must look as if all of it were drawn anew.
clean() {
	resize 90 24
	until_so fits
	# The first may still stand on a screen of the old size; who takes the second has drawn the new one.
	prompt
	prompt
	if ! screen | head -1 | grep -q PAUSED; then
		keys F10; unsee 'Jump to'
		keys p; see PAUSED
		prompt
	fi
	screen > "$room/grown"
	keys C-l 8; see "Jump to.* ${number}8_"
	keys BSpace; see "Jump to.* ${number}_"
	screen > "$room/anew"
	cmp -s "$room/grown" "$room/anew" || { diff "$room/grown" "$room/anew"; fail "what stands there is not what was drawn"; }
	keys F10; unsee 'Jump to'
	low=24
}
click() { # COLUMN ROW, from 1; or the wheel
	local at
	at=$(printf '%x %x' $(($1 + 32)) $(($2 + 32)))
	if [ $((RANDOM % 2)) = 0 ]; then hex 1b 5b 4d 20 $at 1b 5b 4d 23 $at; else hex 1b 5b 4d 6$((RANDOM % 2)) $at; fi
}
rounds=0
stop_at=$((SECONDS + 300))
while :; do
	some
	rounds=$((rounds + 1))
	[ $((rounds % 5)) != 0 ] || clean
	if [ "${KYMO_SOAK:-}" ]; then [ $SECONDS -lt $stop_at ] || break; else [ $rounds -lt 15 ] || break; fi
done
clean
keys C-c
ended 0
healthy
echo "figure: $((rounds * 40)) keys, seed $seed"
