# SPDX-License-Identifier: GPL-2.0-or-later
. tests/vm/lib.sh
near "a number" 103 100 2
