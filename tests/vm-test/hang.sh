# SPDX-License-Identifier: GPL-2.0-or-later
# vm: --timeout 40
. tests/vm/lib.sh
sleep 1000
