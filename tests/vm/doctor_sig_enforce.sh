# SPDX-License-Identifier: GPL-2.0-or-later
# Under module.sig_enforce=1 doctor says that the unsigned module will not load, and insmod agrees.
# vm: --append module.sig_enforce=1
. tests/vm/lib.sh
grep -q 'module.sig_enforce=1' /proc/cmdline || fail "the guest was not booted with module.sig_enforce=1"
"$kymo" doctor --input kmod > "$tmp/doctor" && fail "doctor says it works: $(cat "$tmp/doctor")"
grep -q 'will not work here: .*signed' "$tmp/doctor" || fail "not the reason: $(cat "$tmp/doctor")"
insmod "$kymo_ko" 2> "$tmp/insmod" && fail "insmod worked after all"
cat "$tmp/insmod"
! module_loaded || fail "the module is loaded"
