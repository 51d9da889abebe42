# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2
# debug: yes
# Fails with the module loaded and a session open: both are gone for the next test, which gets another boot.
. tests/vm/lib.sh
load_module
sleep 1000 9<> /dev/kymo &
false
