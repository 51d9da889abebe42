# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 1
# debug: yes
# The test passes, but the debug kernel found four faults. Memory last: KASAN's taint switches lockdep off.
. tests/vm/lib.sh
for what in rcu sleep locks memory; do
	insmod "$test_mods/bug_mod/bug.ko" what=$what || fail "insmod: status $?"
	rmmod bug
done
