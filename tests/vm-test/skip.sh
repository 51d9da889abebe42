# SPDX-License-Identifier: GPL-2.0-or-later
. tests/vm/lib.sh
skip "the reason"
