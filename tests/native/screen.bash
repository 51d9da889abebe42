# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the tests of the screen, native ones and the guest's: kymo top in a terminal of tmux's, which is typed at
# and looked at. Every wait is for something on that terminal. KYMO: the program (with sanitizers unless told otherwise).
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
KYMO=${KYMO:-$PWD/build/asan/kymo}
room=$(mktemp -d)
server=kymo-test-$$
patience=${KYMO_PATIENCE:-120}	# seconds, for machines that are busy
columns=80 rows=24 runs=0
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:log_path=$room/asan
export LC_ALL=C.UTF-8
unset NO_COLOR TMUX

mux() { tmux -L "$server" -f "$room/tmux.conf" "$@"; }
over() { mux kill-server 2> /dev/null; rm -rf "$room"; }
trap over EXIT
fail() {
	echo "failed: $*"
	echo "the terminal shows:"
	mux capture-pane -p 2> /dev/null | sed 's/^/  | /'
	echo "asked for $columns x $rows; tmux: $(shows '#{pane_width} x #{pane_height}'); the terminal: $(stty -F "$(shows '#{pane_tty}')" size)"
	cat "$room"/asan* "$room"/err 2> /dev/null
	exit 1
}

trace() { # of so many seconds
	build/native/story "$room/trace" "$1" || fail "no trace"
}

# A shell without line editing in a new terminal. Its first lines are asked for by marks.
terminal() { # COLUMNS ROWS [TERM] [LC_ALL]
	columns=$1 rows=$2
	printf 'set -g default-terminal %s\nset -g escape-time 0\n' "${3:-tmux-256color}" > "$room/tmux.conf"
	mux kill-server 2> /dev/null
	# A server that has just been told to go may take the new session with it.
	until_so mux new-session -d -x "$columns" -y "$rows" "LC_ALL=${4:-C.UTF-8} PS1='ready> ' HISTFILE= exec bash --norc --noediting -i" 2> /dev/null
	see 'ready>'
}
screen() { mux capture-pane -p; }
keys() { mux send-keys "$@" || fail "tmux is gone"; }
hex() { mux send-keys -H "$@" || fail "tmux is gone"; }
see() { # REGEX: until it is there
	local end=$((SECONDS + patience))
	until screen | grep -qE -- "$1"; do
		[ $SECONDS -lt $end ] || fail "did not see '$1'"
	done
}
unsee() { # REGEX: until it is no longer there
	local end=$((SECONDS + patience))
	while screen | grep -qE -- "$1"; do
		[ $SECONDS -lt $end ] || fail "still see '$1'"
	done
}
until_so() { # COMMAND...: until it succeeds
	local end=$((SECONDS + patience))
	until "$@"; do [ $SECONDS -lt $end ] || fail "not: $*"; done
}
resize() { # COLUMNS ROWS
	columns=$1 rows=$2
	mux resize-window -x "$columns" -y "$rows"
}
# tmux hands a size on later if there was another one just before: the program is told now
fits() { [ "$(stty -F "$(shows '#{pane_tty}')" size)" = "$rows $columns" ]; }
run() { # OPTION...: kymo top in the shell, with its status, pid and the terminal's modes before and after
	runs=$((runs + 1))
	cat > "$room/run" <<-END
		stty -a | sed "s/^speed.*line/line/" > $room/before
		sh -c 'echo \$\$ > $room/pid; exec $KYMO top $*' 2> $room/err
		status=\$?
		stty -a | sed "s/^speed.*line/line/" > $room/after
		echo "run $runs ended: \$status"
	END
	rm -f "$room/pid" "$room/before" "$room/after"
	keys ". $room/run" Enter
}
shows() { mux display-message -p "$1"; }
ended() { # STATUS: it has ended with that, and the terminal is as it was
	see "^run $runs ended: [0-9]+"
	screen | grep -qE "^run $runs ended: $1( |\$)" || fail "ended otherwise than with $1"
	cmp "$room/before" "$room/after" || fail "the terminal's modes differ"
	[ "$(shows '#{alternate_on}#{cursor_flag}#{mouse_any_flag}#{keypad_flag}')" = 0100 ] ||
		fail "alternate screen, cursor, mouse, keypad: $(shows '#{alternate_on}#{cursor_flag}#{mouse_any_flag}#{keypad_flag}')"
	keys clear Enter; unsee "^run $runs ended"
}
healthy() { # the sanitizers have found nothing
	local found
	found=$(ls "$room"/asan* 2> /dev/null) && fail "the sanitizers say: $found"
	return 0
}
