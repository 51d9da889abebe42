# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 1
# debug: yes
# The test passes, but the debug kernel found four faults. Locks last: with its first report lockdep stops.
. tests/vm/lib.sh
for what in rcu sleep memory locks; do
	insmod "$test_mods/bug_mod/bug.ko" what=$what || fail "insmod: status $?"
	rmmod bug
done
