# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2
# debug: yes
# The test passes and its log is clean; what the module left behind is found at the end of the boot, when it has gone.
. tests/vm/lib.sh
insmod "$test_mods/bug_mod/bug.ko" what=leak || fail "insmod: status $?"
rmmod bug
