#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A module of another ABI is loaded: every command that needs it says so and what to do, leaves nothing behind, and the
# module stays usable for who fits it. After doing what the sentences say, all is well.
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
. tests/vm/lib.sh
other_ko=$test_mods/abi_mod/kymo.ko
our_ko=$kymo_ko
abi=$(sed -n 's/^#define KYMO_ABI[[:space:]]*//p' include/uapi/kymo.h)

refused() { # WHAT COMMAND...: status 1, and the sentence with both ways out
	local what=$1
	shift
	timeout 240 "$@" > "$tmp/out" 2>&1 < /dev/null
	equal "status of $what" $? 1
	grep -q "the loaded kymo module speaks another ABI than this program (kymo .*, ABI $abi)" "$tmp/out" &&
		grep -q "'sudo rmmod kymo', then 'sudo insmod build/kmod/$(uname -r)/kymo.ko'" "$tmp/out" ||
		fail "$what: no such sentence: $(cat "$tmp/out")"
	equal "lines that $what says" "$(wc -l < "$tmp/out")" 1
}

kymo_ko=$other_ko load_module
refused record "$kymo" record -o "$tmp/trace" -s 1
[ ! -e "$tmp/trace" ] || fail "record left a directory behind"
refused list "$kymo" list

"$kymo" doctor --input kmod > "$tmp/out" 2>&1
equal "status of doctor" $? 1
grep -q "the loaded module speaks ABI 1001, this kymo speaks ABI $abi\$" "$tmp/out" || fail "doctor: no such finding: $(cat "$tmp/out")"
grep -q -- '-> rmmod kymo, then load the kymo.ko that was built with this program' "$tmp/out" || fail "doctor: no such fix: $(cat "$tmp/out")"

# The module itself is sound: nobody holds it, and a reader that does not mind the number gets its events
equal "holders" "$(cat /sys/module/kymo/parameters/holders)" ""
"$test_bin/ring_dump" -e sched_switch -- sleep 0.1 > "$tmp/events" || fail "ring_dump: status $?"
grep -q '^[0-9].* sched_switch ' "$tmp/events" || fail "no event from the other module"

# What the sentences say helps
unload_module
kymo_ko=$our_ko
load_module
"$kymo" doctor --input kmod > "$tmp/out" 2>&1 || fail "doctor with the right module: $(cat "$tmp/out")"
"$kymo" record -o "$tmp/trace" -e sched_switch -s 1 > "$tmp/out" 2>&1 || fail "record with the right module: $(cat "$tmp/out")"
unload_module

# A trace needs no module, least of all the right one
kymo_ko=$other_ko
load_module
"$kymo" report "$tmp/trace" > "$tmp/out" 2>&1 || fail "report beside another module: $(cat "$tmp/out")"
grep -q sched_switch "$tmp/out" || fail "report: $(cat "$tmp/out")"
unload_module
