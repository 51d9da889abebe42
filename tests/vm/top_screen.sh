#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 1800
# soak: yes
# The live screen over the module, typed at through tmux: every view and every key, a recording beside the screen and one
# that R starts and stops, sizes; the terminal is as it was afterwards, and report reads both recordings.
. tests/vm/lib.sh
KYMO=$kymo
. tests/native/screen.bash
trap test_exit EXIT	# screen.bash has set its own
at_exit over
ip link set lo up
load_module
# Whatever is left over is its: the terminal comes first
setsid nice -n 19 bash -c 'while :; do :; done' & hog=$!
at_exit kill -KILL $hog

terminal 120 30
keys "cd $room" Enter	# where recordings go
run -d 0.5 -o live
see "kymo top  tasks.*REC live .*kmod.*every 0.5 s"
see "$hog +[0-9]+ root .*bash"
see 'net rx.*lost 0 .*kymo .*%'

# another recording, while all else is tried
keys R; see 'REC kymo-[0-9]'

# views: what they say of this machine
view_shows() { # VIEW REGEX
	local all
	all=$(screen)
	[[ $all == "kymo top  $1 "* && $all =~ $2 ]]
}
while IFS='|' read -r view text; do
	until_so view_shows "$view" "$text"
	keys Tab
done <<-END
	tasks|$hog
	threads|$hog
	network|COMMAND
	flows|PEER
	interfaces|INTERFACE
	drops|REASON
	irqs|TIMER
	functions|SELF%.* bash +
	process_functions|$hog bash
	callers|CALLER
	cpus|IDLE%
	sessions|set 0, CPU 1
	events|sched_switch
END
see 'kymo top  tasks'
keys BTab; see 'kymo top  events'
keys 4 8 1
see 'kymo top  tasks'

# keys
keys F5; see '└─'; keys t; unsee '└─'
keys F6; see 'Sort by'; keys Home Enter; see '▲PID'
keys '>'; see '▲PPID|PPID▲|USER▲'; keys '<'; see '▲PID'
keys I; see '▼PID'
keys H; see 'kymo top  threads'; keys H; see 'kymo top  tasks'
keys K; see 'no kernel threads'; keys K; unsee 'no kernel threads'
keys u; see '^ User'; keys End Enter; see '› user '; keys BSpace; unsee '› user '
keys F3; see '^Search'; keys bash; keys Enter; unsee '^Search'; keys n
keys F4; see '^Filter'; keys $hog; keys Enter; see "\"$hog\".* 1 of [0-9]"
keys Enter; see 'kymo top  threads'; see "pid $hog bash"
keys Enter; see 'kymo top  process_functions'
keys BSpace; keys BSpace; see "kymo top  tasks"; see "\"$hog\""
keys BSpace; unsee "\"$hog\""
keys p; see PAUSED; keys Space; unsee PAUSED
keys F; see ' follow '; keys F; unsee ' follow '
keys +; see 'every 1 s'; keys -; see 'every 0.5 s'
keys h; see 'this page'; keys x; unsee 'this page'
keys Down Down Up PageDown PageUp End Home Right Left

# sizes
for size in "40 10" "10 3" "200 50" "120 30"; do resize $size; done
see 'F1Help.*F10Quit'
see 'net rx.*lost 0 '
unsee 'late [1-9]'

keys R; see 'Recorded: kymo-'
other=$(screen | grep -oE 'kymo-[0-9]+-[0-9]+-[0-9]+' | tail -1)
keys q; ended 0

for trace in live "$other"; do
	"$kymo" report --json "$room/$trace" > "$tmp/report" || fail "kymo report $trace: status $?"
	equal "lost in $trace" "$(jq .totals.lost "$tmp/report")" 0
	[ "$(jq ".views.tasks[] | select(.pid == $hog) | .cpu_ns" "$tmp/report")" -gt 1000000000 ] || fail "$trace knows little of $hog"
	figure "$trace: $(jq -r '"\(.totals.events) events in \(.duration_ns / 1e9) s"' "$tmp/report")"
done

# Ctrl-C is a way out, too; what top was told to record is whole
run -o cut
see 'kymo top  tasks.*REC cut'
keys C-c; ended 0
"$kymo" report --json "$room/cut" > "$tmp/report" || fail "kymo report cut: status $?"
equal "lost in cut" "$(jq .totals.lost "$tmp/report")" 0
exit 0
