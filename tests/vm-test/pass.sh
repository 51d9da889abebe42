# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 512
. tests/vm/lib.sh
equal "CPUs of the options line" "$(nproc)" 2
figure "a figure"
