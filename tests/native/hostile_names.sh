#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# hostile_names - a trace in which every name attacks the terminal or the reader of JSON: the terminal keeps its title,
# modes and every line in its place; text is printable UTF-8; JSON is ASCII that jq reads.
# native: --timeout 300
. "$(dirname "$0")/screen.bash"
build/native/hostile "$room/trace" || fail "no trace"

# as text and as JSON: nothing but ends of lines and what can be printed
printable() { # FILE
	iconv -f UTF-8 -t UTF-8 "$1" > /dev/null || fail "$1 is no UTF-8"
	LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]' "$1" && fail "control characters in $1"
	grep -aq "$2" "$1" || fail "no $2 in $1"
}
"$KYMO" report "$room/trace" > "$room/report" 2> "$room/report.err" || fail "kymo report: status $?"
"$KYMO" top --replay "$room/trace" > "$room/top" 2> "$room/top.err" || fail "kymo top: status $?"
for view in threads network drops interfaces functions process_functions callers; do
	"$KYMO" report -V $view "$room/trace" >> "$room/report" || fail "kymo report -V $view: status $?"
done
for file in report top; do printable "$room/$file" '\\x1b\[2J'; done
"$KYMO" report --json "$room/trace" > "$room/report.json" || fail "kymo report --json: status $?"
"$KYMO" top --json --replay "$room/trace" > "$room/top.json" || fail "kymo top --json: status $?"
for file in report.json top.json; do
	LC_ALL=C grep -aqP '[^\x20-\x7e]' "$room/$file" && fail "$file is not ASCII"
	[ "$(jq -s '[.[].views.irqs[].name] | unique | length' "$room/$file")" = 16 ] || fail "$file: names of interrupts"
	jq -s '[.[].views.tasks[].command] | unique | .[]' "$room/$file" | grep -q '漢字漢' || fail "$file: names of tasks"
done

# on a terminal: all views, searching, looking into them
views=(callers tasks threads network flows interfaces drops irqs functions process_functions)
for size in "80 24" "40 10"; do
	terminal $size
	title=$(shows '#{pane_title}')
	run --replay "$room/trace"
	see 'kymo top  tasks'
	keys p; see PAUSED
	keys g; see 'Jump to'; keys 2 Enter
	for digit in 1 2 3 4 5 6 7 8 9 0; do
		keys $digit
		see "kymo top  ${views[digit]}"
		[ "$(screen | grep -c 'kymo top')" = 1 ] || fail "the first line is not alone"
		screen | head -1 | grep -q '^kymo top' || fail "the first line has gone"
		screen | tail -1 | grep -q '^F1Help' || fail "the last line has gone"
	done
	keys 1; see 'kymo top  tasks'
	keys F4; see '^Filter'
	keys 'owned'; keys Enter; unsee '^Filter'
	keys BSpace
	keys 8; see 'kymo top  functions'
	keys Down Enter; see 'kymo top  callers'
	[ "$(shows '#{pane_title}')" = "$title" ] || fail "the title is now '$(shows '#{pane_title}')'"
	keys q; ended 0
done
healthy
exit 0
