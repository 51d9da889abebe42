#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# What a trace tells elsewhere and later, although --max-size has deleted the start dump: processes and their names, their
# mappings with build-ids, modules, the kernel's build-id. /proc, /sys and readelf are the other source. Then a report on a
# terminal, and a recorder that cannot start.
. tests/vm/lib.sh
. tests/vm/record.bash
. tests/vm/report.bash
load_module
at_exit unload_module

cp "$(command -v sleep)" "$tmp/long lived" || fail "no sleep"
"$tmp/long lived" 100000 &
old=$!
at_exit kill $old
wait_for 120 grep -q long "/proc/$old/comm"

record_start "$tmp/t" -e task -e signal -e sched_switch --packet-size 4K --buffer-size 32M --max-size 1600K
# Signals share the rings with what tells who is there: as many as it takes until the first files of both CPUs are gone
touch "$tmp/go"
for cpu in 0 1; do
	taskset -c $cpu bash -c 'while [ -e "$0" ]; do kill -CONT $$; done' "$tmp/go" &
	senders+=($!)
done
first_files_gone() { [ ! -e "$tmp/t/stream_1_0.1" ] && [ ! -e "$tmp/t/stream_1_1.1" ]; }
wait_for 400 first_files_gone
rm "$tmp/go"
wait "${senders[@]}"
kill -STOP $old
kill -CONT $old
"$tmp/long lived" 0.1	# this one comes and goes
grep ' r-xp \| rwxp ' "/proc/$old/maps" > "$tmp/maps"
cat /proc/modules > "$tmp/modules"
kill -INT $record_pid
record_wait
grep -v '^  ' "$tmp/t.out"
cat "$tmp/t.err"
equal "status of the recorder" $record_status 0
trace_read_clean "$tmp/t"
[ "$(trace_count "$tmp/t" lttng_statedump_process_state)" = 0 ] || fail "the start dump is still there: the test shows nothing"

# The process: its start is /proc's to a hundredth of a second
read -r start until ppid name <<< "$(awk -v pid=$old '$1 == "process" && $2 == pid { print $3, $4, $5, $8 }' "$tmp/t/kymo/tasks")"
equal "name, parent and end of $old" "$name $ppid $until" "long\\040lived $$ 0"
equal "start of $old in hundredths of a second" $((start / 10000000)) "$(sed 's/.*) //' "/proc/$old/stat" | cut -d' ' -f20)"
awk '$1 == "process" && $8 == "long\\040lived" && $4' "$tmp/t/kymo/tasks" | grep -q . || fail "the process that came and went is not there"
report_read "$tmp/t"
equal "in the report" "$(report_get "$tmp/t" ".views.tasks[] | select(.pid == $old) | \"\(.command) \(.ppid)\"")" "long lived $$"
equal "unknown tasks" "$(report_get "$tmp/t" .totals.unknown_tasks)" 0

# Its mappings
awk -v pid=$old '
	function hex(text,  n, i) { for (i = 1; i <= length(text); i++) n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1; return n }
	$1 == "object" { object[n++] = $0 }
	$1 == "process" { ours = $2 == pid }
	$1 == "map" && ours { split(object[$7], o, " "); printf "%s %d %s %s %s %s\n", $4, hex($5), $6, o[3], o[2], o[5] }' "$tmp/t/kymo/mappings" | sort > "$tmp/got"
while read -r range _ offset dev inode path; do
	printf '%x %d %x %x:%x %d %s\n' $((0x${range%-*})) $((0x${range#*-} - 0x${range%-*})) $((0x$offset)) $((0x${dev%:*})) $((0x${dev#*:})) "$inode" "${path// /\\040}"
done < "$tmp/maps" | sort > "$tmp/want"
cmp -s "$tmp/want" "$tmp/got" || { diff "$tmp/want" "$tmp/got"; fail "mappings of $old are not /proc's"; }
ids=0
while read -r _ _ _ id path; do
	[ -n "$id" ] && [ "$id" != - ] && [ -e "$path" ] || continue
	equal "build-id of $path" "$id" "$(readelf -n "$path" | sed -n 's/.*Build ID: //p')"
	ids=$((ids + 1))
done <<< "$(grep '^object .* /[^ ]*libc\.so\.6$\|^object .*/long' "$tmp/t/kymo/mappings")"
[ $ids -ge 1 ] || fail "no build-id could be compared"

# Modules, and the kernel itself
while read -r name _ _ _ _ at _; do
	line=$(grep "^module $(printf %x $((at))) .* $name\$" "$tmp/t/kymo/modules") || fail "module $name at $at: not in $(cat "$tmp/t/kymo/modules")"
	note=/sys/module/$name/notes/.note.gnu.build-id
	[ ! -e "$note" ] || equal "build-id of module $name" "$(cut -d' ' -f6 <<< "$line")" "$(od -An -v -tx1 -j16 "$note" | tr -d ' \n')"
done < "$tmp/modules"
equal "modules" "$(awk '$1 == "module" && !$5' "$tmp/t/kymo/modules" | wc -l)" "$(wc -l < "$tmp/modules")"
id=$(jq -r .kernel_build_id "$tmp/t/kymo/session.json")
[[ $(od -An -v -tx1 /sys/kernel/notes | tr -d ' \n') == *"474e5500$id"* ]] || fail "build-id $id is not the kernel's"
equal "address of _stext" "$(jq -r .kernel_base "$tmp/t/kymo/session.json")" "0x$(awk '$3 == "_stext" { print $1 }' /proc/kallsyms)"
figure "$(wc -l < "$tmp/got") mappings of a process, $ids build-ids, $(wc -l < "$tmp/modules") modules known although the dump was deleted"

# ---- a bar on a terminal, none in a pipe ----
script -qec "'$kymo' report '$tmp/t'" /dev/null > "$tmp/terminal" < /dev/null || fail "kymo report on a terminal: $(tail -3 "$tmp/terminal")"
grep -q $'\rreading \[[# ]*\] *[0-9]* %' "$tmp/terminal" || fail "no progress bar on a terminal"
grep -aq $'\r\033\[K' "$tmp/terminal" || fail "the bar is not wiped"
"$kymo" report "$tmp/t" 2>&1 | cat > "$tmp/pipe"
! grep -q 'reading \[' "$tmp/pipe" || fail "a progress bar in a pipe"

# ---- a recording that cannot start leaves nothing: there is no room for the rings' maps ----
prlimit --as=$((160 << 20)) "$kymo" record -o "$tmp/none" --buffer-size 128M -s 1 > "$tmp/out" 2>&1
equal "status without room for the rings" $? 1
grep -q '^kymo record: ' "$tmp/out" || fail "no sentence: $(cat "$tmp/out")"
[ ! -e "$tmp/none" ] || fail "a directory was left behind: $(find "$tmp/none")"

exit 0
