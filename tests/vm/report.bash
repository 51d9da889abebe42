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

# scheduler_charges DIR: for each thread "TID ADDED LATE EARLY STILL", in ns, of a trace with sched and
# tracepoint:sched:sched_stat_runtime. The scheduler reads its clock at one place and passes its tracepoint at another:
# what lies between (looking for the next task, for one of another CPU; a wake-up to which the switch is dated back)
# schedstat charges to somebody else or nobody. sched_stat_runtime, each time that something is added to schedstat, tells
# when that was. ADDED: the sum; LATE: for how long in all it was still to be switched away after the last addition; EARLY:
# was charged before it had come; STILL: how much of LATE it was waiting already (preempted).
scheduler_charges() {
	babeltrace2 --clock-cycles --no-delta "$1" | awk '
		function value(name,  at) { at = index($0, " " name " = "); return at ? substr($0, at + length(name) + 4) + 0 : 0 }
		/ sched:sched_stat_runtime: / {
			now = substr($1, 2) + 0; tid = value("pid"); ns = value("runtime")
			if (!(tid in first)) first[tid] = now - ns
			last[tid] = now
			added[tid] += ns
		}
		/ sched_switch: / {
			now = substr($1, 2) + 0; prev = value("prev_tid"); next_tid = value("next_tid")
			if (prev in came) {
				more = now - (prev in first ? last[prev] : came[prev])
				late[prev] += more
				if (value("prev_state") % 256 == 0) still[prev] += more
				early[prev] += prev in first ? came[prev] - first[prev] : 0
			}
			delete first[prev]
			delete came[prev]
			delete first[next_tid]
			came[next_tid] = now
		}
		END { for (tid in added) printf "%d %d %d %d %d\n", tid, added[tid], late[tid], early[tid], still[tid] }'
}
