#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a record costs natively in user space, beside the clock it reads and LTTng-UST. No test: a machine with other
# work gives other figures; the ratios hold.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p build/bench
flags=(-O2 -g -std=gnu11 -Wall -Wextra -D_GNU_SOURCE -Iinclude)
gcc "${flags[@]}" -o build/bench/ring_bench tests/bench/ring_bench.c
gcc "${flags[@]}" -DRING_BENCH_TSC -o build/bench/ring_bench_tsc tests/bench/ring_bench.c
lttng=77 # ns, LTTng-UST 2.13 storing an event of one thread (this kind of machine, Debian 12)
show() { # clock, nanoseconds of a record, of the clock
	awk -v what="$1" -v r="$2" -v c="$3" -v l=$lttng 'BEGIN {
		printf "%-14s %5.1f ns a record, %.2f times its clock alone (%.1f ns); LTTng-UST takes %.1f times as long\n", what, r, r / c, c, l / r }'
}
read -r record clock <<< "$(build/bench/ring_bench)"
show clock_gettime "$record" "$clock"
read -r record clock <<< "$(build/bench/ring_bench_tsc)"
show rdtsc "$record" "$clock"
