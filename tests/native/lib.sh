# SPDX-License-Identifier: GPL-2.0-or-later
# What the native tests share, beside what they share with the guest's: BPF is the input, or the test is skipped with
# the reason. Sourced first: . tests/native/lib.sh (the current folder is the repository). As root.
# shellcheck shell=bash disable=SC2154
. tests/vm/lib.sh
. tests/vm/record.bash
. tests/vm/report.bash

need_bpf() {
	[ "$(id -u)" = 0 ] || skip "BPF programs need root"
	"$kymo" list --input bpf > "$tmp/list" 2> "$tmp/list.err" || skip "BPF does not work here: $(cat "$tmp/list.err")"
}

need_type() { # TYPE...
	local type
	for type; do
		"$kymo" list --input bpf --json -e "$type" > "$tmp/type.json" || fail "kymo list knows no $type"
		[ "$(jq -r '.[0].available' "$tmp/type.json")" = true ] || skip "$type: $(jq -r '.[0].reason' "$tmp/type.json")"
	done
}

# What /proc/PID/schedstat may leave out, in ns: on some kernels interrupts and, in guests, time that the host has taken
outside_tasks_ns() { awk -v hz="$(getconf CLK_TCK)" '/^cpu / { printf "%d", ($7 + $8 + $9) * 1e9 / hz }' /proc/stat; }

# cpu_fits WHAT GOT SCHEDSTAT UNCLEAR OUTSIDE: within 2 %, where what nobody was given may be anyone's
cpu_fits() {
	local missing=$(($3 - $2)) more=$(($2 - $3)) got=$2
	[ $missing -le 0 ] || got=$((got + (missing < $4 ? missing : $4)))
	[ $more -le 0 ] || got=$((got - (more < $5 ? more : $5)))
	near "$1" "$got" "$3" 2
}

# A kernel may hide the switches of some tasks from BPF. A measurement in which too much is unclear shows nothing: again.
# measure_clear FUNCTION: it sets unclear and whole, in ns; done when unclear is at most a fifth of whole
measure_clear() {
	local tries
	for tries in 1 2 3 4 5; do
		"$1"
		[ $((unclear * 5)) -gt "$whole" ] || return 0
		say "of $whole ns $unclear are unclear: again"
	done
	skip "this kernel hides so many switches from BPF that of $whole ns CPU time $unclear belong to nobody"
}

# The start dump is in the files: the session has run since before it. (-e task must be among the events)
recording_runs() {
	[ -e "/proc/$record_pid/stat" ] || { cat "$1.err"; return 0; }
	[ "$(stat -c %s "$1"/stream_?_0 2> /dev/null | sort -n | tail -1)" -gt 84 ] 2> /dev/null
}

# native_start DIR OPTION...: as record_start, with BPF
native_start() { record_start "$1" --input bpf "${@:2}"; }

native_stop() { # DIR [STATUS]
	kill -INT "$record_pid"
	record_wait
	[ "$record_status" = "${2:-0}" ] || { cat "$1.out" "$1.err"; fail "status of the recorder: $record_status, want ${2:-0}"; }
}

# session_number DIR TYPE KIND: hits, or a cause of loss, as the session counted them
session_number() {
	jq -r --arg type "$2" --arg kind "$3" '[.events[] | select(.name == $type) | if $kind == "hits" then .hits else .lost[$kind] // 0 end] | add // 0' "$1/kymo/session.json"
}

session_lost() { # DIR TYPE
	jq -r --arg type "$2" '[.events[] | select(.name == $type) | .lost[]] | add // 0' "$1/kymo/session.json"
}
