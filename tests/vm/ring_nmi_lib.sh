# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
. tests/vm/lib.sh

# value WRITER WHAT: from the module's counts
ring_nmi_value() {
	awk -v w="$1" -v k="$2" '$1 == w { for (i = 2; i < NF; i++) if ($i == k) print $(i + 1) }' "$counts"
}

ring_nmi_enough() {
	[ "$(ring_nmi_value nmi entries)" -ge "$nmis" ] && [ "$(ring_nmi_value nmi inside)" -ge 20 ] &&
		[ "$(ring_nmi_value timer inside)" -ge 20 ]
}

# ring_nmi_run [NMIS] SECONDS: until that many NMIs have written, at most so long
ring_nmi_run() {
	local seconds=${2:-$1}
	nmis=500
	[ $# -lt 2 ] || [ -z "$1" ] || nmis=$1
	counts=/sys/kernel/debug/kymo_ring_nmi/counts
	insmod "$test_mods/ring_nmi_mod/ring_nmi.ko" || fail "insmod ring_nmi: status $?"
	at_exit rmmod ring_nmi
	nmi_start
	at_exit nmi_stop
	wait_for 120 test -e "$counts"
	local end=$((SECONDS + seconds))
	until ring_nmi_enough; do
		[ $SECONDS -lt $end ] || { cat "$counts"; fail "after $seconds s too few NMIs or interrupts came, or none inside a reservation"; }
		sleep 0.5
	done
	nmi_stop
	result=$(cat /sys/kernel/debug/kymo_ring_nmi/result) || fail "no result"
	while read -r line; do figure "$line"; done <<< "$result"
	[ "${result##*$'\n'}" = holds ] || fail "the ring"
	rmmod ring_nmi || fail "rmmod ring_nmi"
}
