# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of kymo top --json: a live view in the background, and sums over its intervals.
# shellcheck shell=bash disable=SC2154

# top_start FILE OPTION...: JSON lines to FILE; returns when the first interval is there; sets top_pid
top_start() {
	local file=$1
	shift
	"$kymo" top --json "$@" > "$file" 2> "$file.err" &
	top_pid=$!
	wait_for 120 top_runs "$file" 1
}

# top_runs FILE N: N intervals are there, or it has ended
top_runs() { [ ! -e "/proc/$top_pid/stat" ] || [ "$(wc -l < "$1")" -ge "$2" ]; }

# top_wait FILE: until it has ended by itself; fails unless with status 0
top_wait() {
	local status=0
	wait "$top_pid" || status=$?
	cat "$1.err"
	equal "status of kymo top" $status 0
}

top_stop() {
	kill -INT "$top_pid"
	top_wait "$1"
}

# Sums of a view's rows over all intervals, as {key: {column: sum}}; rows in which nothing happened left out. Of a
# report (one object, no "last") its own rows.
top_sums='
def columns: {
	tasks: [["pid", "start_ns"], ["cpu_ns", "wait_ns", "switches", "threads_created", "processes_created", "rx_bytes", "tx_bytes",
		"rx_calls", "tx_calls", "samples"]],
	threads: [["pid", "tid", "start_ns"], ["cpu_ns", "wait_ns", "switches", "rx_bytes", "tx_bytes", "samples"]],
	flows: [["cookie", "netns", "family", "protocol"], ["rx_bytes", "tx_bytes", "rx_calls", "tx_calls", "retransmits"]],
	interfaces: [["ifindex", "netns"], ["rx_bytes", "tx_bytes", "rx_packets", "tx_packets", "drops"]],
	drops: [["reason_number", "ifindex", "netns"], ["packets", "bytes"]],
	irqs: [["kind", "number", "name"], ["count", "time_ns"]],
	events: [["id"], ["count", "bytes", "lost"]] };
def sums($view): columns[$view] as [$keys, $values]
	| reduce (.[] | .views[$view][]) as $row ({}; ([$row[$keys[]] | tostring] | join(" ")) as $key
		| reduce $values[] as $v (.; .[$key][$v] += $row[$v]))
	| with_entries(select([.value[]] | add > 0));
'

# top_agrees FILE REPORT: every sum over the intervals is the report'"'"'s number
top_agrees() {
	local view rows
	for view in tasks threads flows interfaces drops irqs events; do
		jq -S -s "$top_sums sums(\"$view\") | to_entries[]" -c "$1" > "$1.$view"
		jq -S -s "$top_sums sums(\"$view\") | to_entries[]" -c "$2" > "$2.$view"
		sort -o "$1.$view" "$1.$view"
		sort -o "$2.$view" "$2.$view"
		cmp -s "$1.$view" "$2.$view" || { diff "$1.$view" "$2.$view" | head -20; fail "$view: top (<) and report (>) differ"; }
		rows+=" $view $(wc -l < "$1.$view")"
	done
	figure "rows whose sums over all intervals are the report's:$rows"
}
