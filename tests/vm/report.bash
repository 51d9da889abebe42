# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of kymo report: its JSON, and its counts against babeltrace2's.
# shellcheck shell=bash disable=SC2154

# report_read DIR: JSON to DIR.json; fails unless everything could be read
report_read() {
	"$kymo" report --json "$1" > "$1.json" 2> "$1.report_err" || { cat "$1.report_err"; jq -c .warnings "$1.json"; fail "kymo report $1: status $?"; }
	[ ! -s "$1.report_err" ] || { cat "$1.report_err"; fail "kymo report $1 complains"; }
}

# report_get DIR FILTER: a value
report_get() { jq -r "$2" "$1.json"; }

# report_counts_equal DIR [LEAST]: babeltrace2 reads it without a word, its lines by event type are kymo report's counts,
# and there are so many events (1)
report_counts_equal() {
	babeltrace2 --names none --clock-cycles --no-delta "$1" 2> "$1.complaints" > "$1.text" || { head "$1.complaints"; fail "babeltrace2 $1: status $?"; }
	[ ! -s "$1.complaints" ] || { head -20 "$1.complaints"; fail "babeltrace2 has something to say about $1"; }
	# "[cycles] host type: {": no field may be split that is never looked at
	awk '{ colon = index($0, ": {"); head = substr($0, 1, colon - 1); sub(/.* /, "", head); n[head]++ }
		END { for (type in n) print type, n[type] }' "$1.text" | sort > "$1.counted"
	jq -r '.views.events[] | select(.count > 0) | "\(.type) \(.count)"' "$1.json" | sort > "$1.reported"
	[ "$(wc -l < "$1.text")" -ge "${2:-1}" ] || fail "babeltrace2 shows only $(wc -l < "$1.text") events"
	cmp -s "$1.counted" "$1.reported" || { diff "$1.counted" "$1.reported"; fail "kymo report's counts are not babeltrace2's"; }
	figure "$(awk '{ n += $2 } END { print n " events of " NR " types counted alike" }' "$1.counted")"
}

# between WHAT LEAST VALUE MOST: fails the test when VALUE lies outside
between() {
	if [ "$3" -lt "$2" ] || [ "$3" -gt "$4" ]; then fail "$1: $3, want $2 to $4"; fi
}

# within WHAT GOT WANT MOST: fails the test when GOT is further than MOST from WANT
within() { between "$1 (want $3)" $(($3 - $4)) "$2" $(($3 + $4)); }

# softirq_counts, interrupt_counts: name or number, and count over all CPUs
softirq_counts() { awk 'NR > 1 { n = 0; for (i = 2; i <= NF; i++) n += $i; sub(":", "", $1); print $1, n }' /proc/softirqs; }
interrupt_counts() {
	awk 'NR == 1 { cpus = NF; next } $1 ~ /^[0-9]+:$/ { n = 0; for (i = 2; i <= cpus + 1; i++) n += $i; sub(":", "", $1); print $1, n }' /proc/interrupts
}

# interface_bytes NAME: received and sent, bytes and packets
interface_bytes() { ip -s -j link show "$1" | jq -r '.[0].stats64 | "\(.rx.bytes) \(.tx.bytes) \(.rx.packets) \(.tx.packets)"'; }
