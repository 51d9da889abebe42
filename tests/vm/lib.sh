# SPDX-License-Identifier: GPL-2.0-or-later
# What the guest tests share: the module in and out, waiting for a condition, verdicts, a folder that goes away.
# Sourced first: . tests/vm/lib.sh (the current folder is the repository). Runs in the guest only.
# shellcheck shell=bash
set -u
kymo_ko=$PWD/build/kmod/$(uname -r)/kymo.ko
kymo=$PWD/build/kymo
test_mods=$PWD/build/vm/$(uname -r) # NAME_mod/NAME.ko
test_bin=$PWD/build/vm		# programs: tests/vm/NAME.c -> $test_bin/NAME
soak=${KYMO_SOAK:-}		# not empty: the long version
tmp=$(mktemp -d)		# on a tmpfs
cleanups=()
[ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd # for <(...): devtmpfs has none

say() { echo "$*"; }

# A number that was measured: shown by vm-test for a passing test, too
figure() { echo "figure: $*"; }

fail() {
	echo "FAIL: $*"
	exit 1
}

skip() {
	echo "skip: $*"
	exit 77
}

# at_exit COMMAND...: run at the test's end, whatever it is, last one first
at_exit() { cleanups+=("$(printf '%q ' "$@")"); }

test_exit() {
	local status=$? i
	trap - EXIT
	for ((i = ${#cleanups[@]} - 1; i >= 0; i--)); do eval "${cleanups[i]}" > /dev/null 2>&1; done
	rm -rf "$tmp"
	exit $status
}
trap test_exit EXIT
trap 'exit 143' TERM INT

# wait_for SECONDS COMMAND...: until the command succeeds; fails the test when the time is over. A long time costs
# nothing: it is for a machine five times as slow as the slowest known, on which others work, too.
wait_for() {
	local limit=$1 end
	shift
	end=$((SECONDS + limit))
	until "$@" > /dev/null 2>&1; do
		[ $SECONDS -lt $end ] || fail "waited $limit s in vain for: $*"
		sleep 0.1
	done
}

# load_module [PARAMETER=VALUE]...: it goes away with the test, however that ends
load_module() {
	at_exit module_away
	[ -e "$kymo_ko" ] || fail "no $kymo_ko: make kmod KVER=$(uname -r)"
	insmod "$kymo_ko" "$@" || fail "insmod $kymo_ko: status $?"
	wait_for 120 test -c /dev/kymo
}

module_loaded() { [ -d "/sys/module/${1:-kymo}" ]; }

# unload_module: waits for the last session to be gone (a killed reader's is freed a moment after it)
unload_module() {
	local end=$((SECONDS + 120)) out
	until out=$(rmmod kymo 2>&1); do
		[ $SECONDS -lt $end ] || fail "rmmod kymo: $out"
		sleep 0.1
	done
}

# Whoever holds it
module_away() {
	local end=$((SECONDS + 30))
	while module_loaded && ! rmmod kymo && [ $SECONDS -lt $end ]; do
		awk '{ print $NF }' /sys/module/kymo/parameters/holders | xargs -r kill -9
		sleep 0.1
	done
}

# near WHAT GOT WANT PERCENT: fails the test when GOT is further than PERCENT from WANT
near() {
	awk -v g="$2" -v w="$3" -v p="$4" 'BEGIN { d = g - w; if (d < 0) d = -d; exit !(d <= w * p / 100) }' ||
		fail "$1: $2, want $3 within $4 %"
}

equal() { # WHAT GOT WANT
	[ "$2" = "$3" ] || fail "$1: $2, want $3"
}

# NMIs from outside, at the rate of the test's "# vm-nmi: HZ" line
nmi_start() { touch "$KYMO_RESULT/nmi"; }
nmi_stop() { rm -f "$KYMO_RESULT/nmi"; }

# stalls_watch [COMMAND BEFORE]..., stalls_told: between them the longest time that this machine made a task wait goes
# into stalls_ns
stalls_watch() {
	"$@" "$test_bin/stalls" > "$tmp/stalls" &
	stalls_pid=$!
}
stalls_told() {
	kill $stalls_pid
	wait $stalls_pid
	stalls_ns=$(cat "$tmp/stalls")
}

# again TIMES COMMAND...: a measurement that others on this machine can spoil: until its status is 0, so many times at most.
# What it leaves is in files: all but the last time it runs in a shell of its own, where it may fail.
again() {
	local times=$1 n
	shift
	for ((n = 1; n < times; n++)); do
		("$@") && return
		say "once more: $*"
	done
	"$@" || fail "$times times in vain: $*"
}

# interrupts_of_devices: how many there were, on all CPUs
interrupts_of_devices() {
	awk 'NR == 1 { cpus = NF; next } $1 ~ /^[0-9]+:$/ { for (i = 2; i <= cpus + 1; i++) n += $i } END { print n + 0 }' /proc/interrupts
}

# interrupts_make COUNT: reads the disk until devices have interrupted so often
interrupts_make() {
	local want=$(($(interrupts_of_devices) + $1)) end=$((SECONDS + 120))
	until [ "$(interrupts_of_devices)" -ge $want ]; do
		[ $SECONDS -lt $end ] || { echo "reading makes no interrupts"; return 1; }
		dd if=/bin/bash of=/dev/null iflag=direct bs=64k 2> /dev/null
	done
}

# A line in the kernel log that the judge of the log ignores
log_note() { echo "kymo-test: $*" > /dev/kmsg; }
