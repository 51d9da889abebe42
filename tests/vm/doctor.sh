# SPDX-License-Identifier: GPL-2.0-or-later
# What doctor predicts is what happens: insmod and record are really tried after each prediction, in a machine that is
# as it is, without headers, under perf_event_paranoid and kptr_restrict, without rights, and at last (it cannot be
# undone) with kernel.modules_disabled. Boot parameters have tests of their own.
# vm: -m 1024 --timeout 600
. tests/vm/lib.sh

verdict_of() { "$kymo" doctor --input kmod --json | jq -r ".checks[] | select(.check == \"$1\") | .verdict"; }

# expect 0|1 WHAT: doctor's exit status, and what comes of really trying it
expect() {
	local predicted=0 outcome=0
	"$kymo" doctor --input kmod > "$tmp/doctor" 2>&1 || predicted=1
	if insmod "$kymo_ko" 2> "$tmp/insmod" && "$kymo" record --input kmod -o "$tmp/trace" -e sched_switch -s 1 --allow-loss > "$tmp/record" 2>&1; then
		[ -s "$tmp/trace/metadata" ] || fail "$2: record said it worked, but there is no trace"
	else outcome=1; fi
	! module_loaded || unload_module
	rm -rf "$tmp/trace"
	[ "$predicted" = "$1" ] || fail "$2: doctor's status is $predicted, want $1: $(cat "$tmp/doctor")"
	[ "$outcome" = "$1" ] || fail "$2: really trying it: status $outcome, want $1: $(cat "$tmp/insmod" "$tmp/record" 2> /dev/null)"
	say "$2: predicted and happened: $1"
}

expect 0 "as it is"
equal "doctor on the module file" "$(verdict_of module_file)" ok
equal "doctor on kernel addresses" "$(verdict_of kernel_addresses)" ok

echo 4 > /proc/sys/kernel/perf_event_paranoid
expect 0 "perf_event_paranoid=4"

echo 2 > /proc/sys/kernel/kptr_restrict
equal "doctor on kernel addresses with kptr_restrict=2" "$(verdict_of kernel_addresses)" note
expect 0 "kptr_restrict=2"
echo 1 > /proc/sys/kernel/kptr_restrict

# No headers: harmless while a module file is there; without one it is the reason, and make agrees
mkdir "$tmp/none"
mount --bind "$tmp/none" /usr/src
equal "doctor without headers" "$(verdict_of headers)" note
expect 0 "no headers, but a module file"
mkdir "$tmp/elsewhere"
cp "$kymo" "$tmp/elsewhere/kymo"
"$tmp/elsewhere/kymo" doctor --input kmod > "$tmp/doctor" && fail "without headers and module file doctor says it works"
grep -q 'To do: apt install linux-headers' "$tmp/doctor" || fail "no advice about headers: $(cat "$tmp/doctor")"
make -C "/lib/modules/$(uname -r)/build" "M=$tmp/kmod" modules > "$tmp/make" 2>&1 && fail "a module can be built without headers"
umount /usr/src

# Without rights: prediction and outcome by the same unprivileged process
drop() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"; }
drop "$kymo" doctor --input kmod > "$tmp/doctor" && fail "without rights doctor says it works"
grep -q 'CAP_SYS_MODULE is missing' "$tmp/doctor" || fail "no sentence about rights: $(cat "$tmp/doctor")"
drop insmod "$kymo_ko" 2> /dev/null && fail "an unprivileged user loaded a module"

echo 1 > /proc/sys/kernel/modules_disabled
expect 1 "kernel.modules_disabled=1"
