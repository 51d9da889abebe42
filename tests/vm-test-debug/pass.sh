# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2
# debug: yes
# Runs in the boot of the test before.
. tests/vm/lib.sh
[ ! -d /sys/module/kymo ] || fail "a module from the test before"
[ "$(cut -d' ' -f1 /proc/uptime | tr -d .)" -gt 100 ]
