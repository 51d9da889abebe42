#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
# The start dump against /proc, readelf, /proc/modules, /proc/interrupts and /sys/class/net. There are nested pid
# namespaces, a cgroup, a user, a second network namespace, and so many threads that the dump has to wait for its reader.
. tests/vm/lib.sh


at_exit rmmod dummy
"$test_bin/task_gen" sleep 300 2> "$tmp/many" &
at_exit kill $!
unshare --pid --fork --kill-child unshare --pid --fork --kill-child "$test_bin/task_gen" sleep 1 2> "$tmp/nested" &
at_exit kill $!
setpriv --reuid 1234 --clear-groups "$test_bin/task_gen" sleep 1 2> "$tmp/user" &
at_exit kill $!
unshare --net sh -c "ip link add kymo0 type dummy && exec '$test_bin/task_gen' sleep 1" 2> "$tmp/net" &
net=$!
at_exit kill $net
mkdir -p /sys/fs/cgroup/kymo-test && sh -c "echo \$\$ > /sys/fs/cgroup/kymo-test/cgroup.procs && exec '$test_bin/task_gen' sleep 1" 2> "$tmp/cgroup" &
at_exit kill $!
for what in many nested user net cgroup; do wait_for 120 grep -q ready "$tmp/$what"; done

load_module
"$test_bin/proc_list" 2> "$tmp/before" || fail "proc_list"
"$test_bin/ring_dump" -p 4096 -e 'lttng_statedump_*' -D -- "$test_bin/proc_list" > "$tmp/events" 2> "$tmp/after" ||
	fail "ring_dump: $(tail -3 "$tmp/after" "$tmp/events")"
grep '^# .* lost=[^0]' "$tmp/events" && fail "the dump lost events"
calls=$(sed -n 's/^# dump calls=//p' "$tmp/events")
[ "$calls" -gt 1 ] || fail "the dump did not have to wait: the test is too small"
equal "start and end" "$(grep -c 'lttng_statedump_\(start\|end\)' <(grep -v '^#' "$tmp/events"))" 2

# --- tasks. Of those that are there before and after, nothing may be missing nor differ
awk -v hz="$(getconf CLK_TCK)" '
	function field(name,   i) { for (i = 4; i <= NF; i++) if (index($i, name "=") == 1) return substr($i, length(name) + 2); return "" }
	function ticks(ns) { return int(ns / 1000000000) * hz + int(ns % 1000000000 / (1000000000 / hz)) }
	$3 == "lttng_statedump_process_state" {
		tid = field("tid")
		name = field("name")
		if (name ~ /^kworker\//) sub(/[-+].*/, "", name)
		line[tid] = "task " tid " " field("pid") " " field("ppid") " " ticks(field("start_ns")) " " field("uid") " " field("cgroup_id") " " name
		seen[tid]++
	}
	$3 == "lttng_statedump_process_pid_ns" { pids[field("tid")] = pids[field("tid")] " " field("vtid"); level[field("tid")] = field("ns_level") }
	END { for (tid in line) print (seen[tid] == 1 ? "" : "twice: ") line[tid] pids[tid] }' "$tmp/events" | sort > "$tmp/got"
grep '^twice' "$tmp/got" && fail "a task is in the dump twice"
comm -12 <(grep '^task' "$tmp/before" | sort) <(grep '^task' "$tmp/after" | sort) > "$tmp/want"
# The kernel reads two clocks, one after the other, for the start that /proc shows and for ours: a later tick is no error
awk 'NR == FNR { start[$2] = $5; next } $2 in start && start[$2] > $5 && start[$2] <= $5 + 10 { $5 = start[$2]; later++ } { print }
	END { print "started a tick or more later in /proc: " later + 0 > "/dev/stderr" }' "$tmp/want" "$tmp/got" > "$tmp/moved"
sort "$tmp/moved" > "$tmp/got"
missing=$(comm -23 "$tmp/want" "$tmp/got")
[ -z "$missing" ] || fail "not so in the dump: $(echo "$missing" | head -5); there: $(for t in $(echo "$missing" | head -5 | cut -d' ' -f2); do grep "^task $t " "$tmp/got"; done)"
tasks=$(wc -l < "$tmp/want")
[ "$tasks" -gt 310 ] || fail "only $tasks tasks to compare"
equal "tasks three pid namespaces deep" "$(awk 'NF == 11' "$tmp/want" | wc -l)" 2
equal "tasks of the user" "$(awk '$6 == 1234' "$tmp/want" | wc -l)" 2
equal "tasks in the cgroup" "$(awk -v id="$(stat -c %i /sys/fs/cgroup/kymo-test)" '$7 == id' "$tmp/want" | wc -l)" 2
strangers=$(comm -13 <(cat "$tmp/before" "$tmp/after" | grep '^task' | sort -u) "$tmp/got" | grep -v ring_dump)
[ -z "$strangers" ] || say "in the dump, not in /proc: $strangers"

# --- executable mappings
awk '
	function field(name,   i) { for (i = 4; i <= NF; i++) if (index($i, name "=") == 1) return substr($i, length(name) + 2); return "" }
	function hex(text,   i, v) { for (i = 3; i <= length(text); i++) v = v * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1; return v + 0 }
	$3 == "lttng_statedump_vm_map" {
		dev = hex(field("dev"))
		print "map", field("pid"), field("start"), field("end"), field("path") ~ /^\[/ ? "0x0" : field("pgoff"), int(dev / 1048576), dev % 1048576, field("inode"), field("path")
	}' "$tmp/events" | sort > "$tmp/got"
comm -12 <(grep '^map' "$tmp/before" | sort) <(grep '^map' "$tmp/after" | sort) > "$tmp/want"
missing=$(comm -23 "$tmp/want" "$tmp/got" | head -5)
[ -z "$missing" ] || fail "mappings that are not so in the dump: $missing"
maps=$(wc -l < "$tmp/want")
[ "$maps" -gt 20 ] || fail "only $maps mappings to compare"

# --- build-ids
awk '
	function field(name,   i) { for (i = 4; i <= NF; i++) if (index($i, name "=") == 1) return substr($i, length(name) + 2); return "" }
	$3 == "lttng_statedump_vm_map" && field("path") ~ /^\// {
		n = split(field("build_id"), byte, /[][,]/)
		id = ""
		for (i = 2; i < 2 + field("build_id_bytes"); i++) id = id substr("0" substr(byte[i], 3), length(byte[i]) - 2, 2)
		print field("path"), id
	}' "$tmp/events" | sort -u > "$tmp/ids"
while read -r path id; do
	want=$(readelf -n "$path" 2> /dev/null | sed -n 's/.*Build ID: //p')
	equal "build-id of $path" "$id" "$want"
done < "$tmp/ids"
ids=$(wc -l < "$tmp/ids")
[ "$ids" -gt 3 ] || fail "only $ids files with a build-id"

# --- modules, interrupts, interfaces
field_lines() { # TYPE FIELD...: the values of these fields, one event a line
	awk -v type="$1" -v names="${*:2}" '
		function field(name,   i) { for (i = 4; i <= NF; i++) if (index($i, name "=") == 1) return substr($i, length(name) + 2); return "" }
		$3 == type { n = split(names, name, " "); out = field(name[1]); for (i = 2; i <= n; i++) out = out " " field(name[i]); print out }' "$tmp/events" | sort
}

equal "modules" "$(field_lines lttng_statedump_module name base | sed 's/ 0x/ /')" "$(awk '{ print $1, substr($6, 3) }' /proc/modules | sort)"
case $(uname -r) in # from 6.4 on a module's text has a mapping of its own, and /proc/modules shows the sum
6.1.*) equal "sizes of modules" "$(field_lines lttng_statedump_module name bytes)" "$(awk '{ print $1, $2 }' /proc/modules | sort)" ;;
esac
awk '$1 ~ /^[0-9]+:$/ && NF > 4 {
	for (i = 2; $i ~ /^[0-9]+$/; i++) ;
	names = ""
	for (j = NF; $j !~ /(edge|level|fasteoi)$/ && $(j - 1) !~ /^[0-9]+$/ && j > i; j--) names = $j " " names
	n = split(names, name, /,? +/)
	for (j = 1; j <= n; j++) if (name[j] != "") print $1 + 0, $i, name[j]
}' /proc/interrupts | sort > "$tmp/irqs"
equal "interrupts" "$(field_lines lttng_statedump_interrupt irq name action)" "$(cat "$tmp/irqs")"
{
	for dev in /sys/class/net/*; do echo "${dev##*/} $(cat "$dev/ifindex") $(stat -Lc %i /proc/self/ns/net)"; done
	nsenter -t $net -n ip -o link | awk -v ns="$(stat -Lc %i /proc/$net/ns/net)" -F': ' '{ sub(/@.*/, "", $2); print $2, $1, ns }'
} | sort > "$tmp/links"
# A namespace that a test before has left may still be on its way out: nobody can look into that one
field_lines lttng_statedump_network_interface name ifindex netns |
	awk 'NR == FNR { known[$3]; next } $3 in known' "$tmp/links" - > "$tmp/dumped_links"
equal "network interfaces" "$(cat "$tmp/dumped_links")" "$(cat "$tmp/links")"
grep -q kymo0 "$tmp/links" || fail "the other network namespace has no kymo0"

figure "dump of $tasks tasks, $maps mappings, $ids build-ids, $(wc -l < "$tmp/irqs") interrupts in $calls calls: as in /proc"
unload_module
