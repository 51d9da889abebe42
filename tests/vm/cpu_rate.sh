# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
# The sampling rate can be changed while it runs, two sessions have rates of their own, and no rate is no rate.
. tests/vm/lib.sh
load_module
dump=$test_bin/ring_dump

"$dump" -e cpu_sample@20000 -- true > "$tmp/out" 2>&1 && fail "20000 Hz was taken"
"$dump" -e cpu_sample@50 -r cpu_sample@20000@0 -- sleep 1 > "$tmp/out" 2>&1 && fail "a change to 20000 Hz was taken"
grep -q 'cpu_sample' "$tmp/out" || fail "a change to 20000 Hz: $(cat "$tmp/out")"

"$dump" -e cpu_sample@50 -r cpu_sample@400@1.5 -- "$test_bin/busy" user 3 > "$tmp/changing" 2> "$tmp/own" &
"$dump" -e cpu_sample@100 -- "$test_bin/busy" user 2 > "$tmp/steady" 2> /dev/null || fail "ring_dump at 100 Hz: status $?"
wait $! || fail "ring_dump with a change of the rate: status $?"
awk '$3 == "cpu_sample" { sub("period=", "", $8); if ($8 % 10000000) { print; exit 1 } n++ } END { exit !n }' "$tmp/steady" ||
	fail "the other session's rate is not 100 Hz"
read -r until from < <(sed -n 's/^# rate changed between \(.*\) and \(.*\)/\1 \2/p' "$tmp/changing")
tid=$(sed 's/ .*//' "$tmp/own")
awk -v until="$until" -v from="$from" -v tid="$tid" '$3 == "cpu_sample" && $4 == tid {
		sub("period=", "", $8)
		if ($1 > from) { after += $8; n++; if ($8 % 2500000) bad = $0; fast += $8 == 2500000 }
		else if ($8 % 20000000 && $1 < until) bad = $0
		if ($1 > from && !begin) begin = $1
		end = $1
	}
	END { if (bad) print "period of the other rate: " bad; printf "%.0f %.0f %d %d\n", after, end - begin, n, fast; exit bad != "" }' \
	"$tmp/changing" > "$tmp/found" || fail "$(head -1 "$tmp/found")"
read -r after wall n fast < "$tmp/found"
figure "after the change: $n samples in $wall ns, $fast of them of one period"
[ "$fast" -gt 0 ] || fail "no sample of 400 Hz after the change"
unload_module
