# SPDX-License-Identifier: GPL-2.0-or-later
# The test passes, but its kernel log holds what a kernel WARN writes.
. tests/vm/lib.sh
echo 'WARNING: CPU: 0 PID: 1 at kernel/none.c:1 none+0x0/0x1' > /dev/kmsg
dmesg -C
