#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Requests with wrong sizes, flags, pointers and in the wrong order get the right errno, from 64-bit and 32-bit callers.
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
. tests/vm/lib.sh
load_module
"$test_bin/ioctl_abuse" || fail "64-bit caller"
"$test_bin/ioctl_abuse" 32
case $? in
0) ;;
77) say "this kernel has no 32-bit system calls: that half was left out" ;;
*) fail "32-bit caller" ;;
esac
unload_module
