# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of kymo record: a recording in the background, and a trace compared with a generator's numbers.
# shellcheck shell=bash disable=SC2154

# record_start DIR OPTION...: returns when events are being recorded; sets record_pid
record_start() {
	local dir=$1
	shift
	"$kymo" record -o "$dir" "$@" > "$dir.out" 2> "$dir.err" &
	record_pid=$!
	wait_for 120 recording_runs "$dir"
	[ -e "/proc/$record_pid/stat" ] || cat "$dir.err"
}

# The opening packets are written before START; a stream's first event after it
recording_runs() {
	[ -e "/proc/$record_pid/stat" ] || return 0
	[ -s "$1/kymo/session.json" ] && grep -q '/dev/kymo' "/proc/$record_pid/maps" && [ -n "$(session_started)" ]
}

# The recorder waits in poll once its session runs
session_started() {
	grep -l '^do_poll\|^do_sys_poll\|poll_schedule_timeout' "/proc/$record_pid/wchan"
}

# record_wait: until the recorder has ended; sets record_status
record_wait() {
	record_status=0
	wait "$record_pid" || record_status=$?
}

# trace_unlocked DIR: until the guard has gone, and its lock (not every kernel has locks)
trace_unlocked() { wait_for 120 trace_left "$(readlink -f "$1/metadata")"; }
trace_left() { [ -z "$(find /proc/[0-9]*/fd -lname "$1" 2> /dev/null)" ]; }

# trace_read DIR: babeltrace2's text to DIR.text, its complaints to DIR.complaints; fails if its status is not 0
trace_read() {
	babeltrace2 --clock-gmt --clock-seconds "$1" > "$1.text" 2> "$1.complaints" ||
		{ head -20 "$1.complaints"; fail "babeltrace2 $1: status $?"; }
}

# trace_read_clean DIR: nor may it say a word
trace_read_clean() {
	trace_read "$1"
	[ ! -s "$1.complaints" ] || { head -20 "$1.complaints"; fail "babeltrace2 has something to say about $1"; }
}

# trace_numbers DIR: the generator's numbers in the order of the trace
trace_numbers() {
	sed -n 's/.* syscall_entry_getpriority: .* who = \([0-9]*\).*/\1/p' "$1.text"
}

# trace_count DIR TYPE: events of this type
trace_count() { grep -c "^[^{]* $2: {" "$1.text"; }

# check_numbers DIR CALLS FROM_NS UNTIL_NS: every call made between the two times is there, none twice, none missing
# between the first and the last before that (after it, a stream may end before another). CALLS: what mark_calls wrote.
check_numbers() {
	trace_numbers "$1" > "$1.numbers"
	awk -v from="$3" -v until="$4" '
		NR == FNR { if ($1 in seen) { print "twice: " $1; exit 1 } seen[$1] = 1; if (!first || $1 < first) first = $1; if ($1 > last) last = $1; n++; next }
		$2 >= from && $3 <= until { due++; if (!($1 in seen)) { print "missing: " $1 " (recorded: " first " to " last ")"; bad = 1; exit 1 } }
		$1 > first && $1 < last && $3 <= until && !($1 in seen) { print "hole: " $1; bad = 1; exit 1 }
		END { if (!bad && !due) { print "no call was due"; exit 1 }; if (!bad) print "recorded " n ", due " due }
	' "$1.numbers" "$2" > "$1.verdict" || { cat "$1.verdict"; fail "$1: events are missing"; }
}

now_ns() { date +%s%N; }
