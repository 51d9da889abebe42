# SPDX-License-Identifier: GPL-2.0-or-later
. tests/vm/lib.sh
echo 64 > /proc/sys/kernel/tainted
