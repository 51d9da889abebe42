# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
# Interrupts are counted as the kernel counts them: what /proc says at the session's ends and inside it bounds the
# number of events from both sides. Timers by a program that makes a known number expire.
. tests/vm/lib.sh
load_module
timers=300
[ -z "$soak" ] || timers=20000

# "<number or name> <sum over CPUs> [<name of the handler>]"
interrupts() { awk 'NR == 1 { cpus = NF; next } { sum = 0; for (i = 2; i <= cpus + 1; i++) sum += $i; sub(":", "", $1); print $1, sum, $NF }' /proc/interrupts; }
softirqs() { awk 'NR > 1 { sum = 0; for (i = 2; i <= NF; i++) sum += $i; print NR - 2, sum }' /proc/softirqs; }
snapshot() { interrupts > "$tmp/irq.$1"; softirqs > "$tmp/soft.$1"; }

cat > "$tmp/steps" << 'STEPS'
tmp=$1
shift
eval "$(cat $tmp/functions)"
snapshot 1
interrupts_make 40 || exit 1
softirq_sum() { softirqs | awk '{ n += $2 } END { print n }'; }
want=$(($(softirq_sum) + 200)) end=$((SECONDS + 120))
until [ "$(softirq_sum)" -ge $want ]; do
	[ $SECONDS -lt $end ] || exit 1
	ping -c 20 -i 0.01 127.0.0.1 > /dev/null
done
"$@"
snapshot 2
STEPS
declare -f interrupts softirqs snapshot interrupts_of_devices interrupts_make > "$tmp/functions"
snapshot 0
"$test_bin/ring_dump" -S irq -e irq:softirq_raise -- bash "$tmp/steps" "$tmp" "$test_bin/calls" timer $timers > "$tmp/dump" 2> "$tmp/own" ||
	fail "ring_dump: $(tail -2 "$tmp/own" "$tmp/dump")"
snapshot 3
equal "status of the steps: $(cat "$tmp/own")" "$(sed -n 's/^# command.*status=//p' "$tmp/dump")" 0

# bounded WHAT FILE-KIND EVENT KEY-FIELD: for each key, inside <= events <= outside
bounded() {
	awk -v what="$1" -v event="$3" -v field="$4" '
		FILENAME ~ /\.0$/ { before[$1] = $2; next }
		FILENAME ~ /\.1$/ { inside[$1] = -$2; next }
		FILENAME ~ /\.2$/ { inside[$1] += $2; next }
		FILENAME ~ /\.3$/ { outside[$1] = $2 - before[$1]; next }
		$3 == event { split($4, part, "="); if (part[1] == field) events[part[2]]++ }
		END {
			for (key in outside) {
				if (key !~ /^[0-9]+$/) continue
				if (events[key] < inside[key] || events[key] > outside[key]) {
					printf "%s %s: %d events, /proc says between %d and %d\n", what, key, events[key], inside[key], outside[key]
					bad = 1
				}
				sum += events[key]
			}
			print sum + 0
			exit bad
		}' "$tmp/$2.0" "$tmp/$2.1" "$tmp/$2.2" "$tmp/$2.3" "$tmp/dump" > "$tmp/found" || fail "$(cat "$tmp/found")"
	[ "$(cat "$tmp/found")" -ge "$5" ] || fail "$1: only $(cat "$tmp/found") events"
	figure "$1: $(cat "$tmp/found") events, within what /proc counted"
}
bounded irq irq irq_handler_entry irq 20
bounded softirq soft irq_softirq_entry vec 100

count() { awk -v name="$1" '$3 == name' "$tmp/dump" | wc -l; }
# An interrupt that was open when the session began or ended, at most one for each CPU and vector
for pair in irq_handler irq_softirq timer_hrtimer_expire; do
	entries=$(count ${pair}_entry) exits=$(count ${pair}_exit)
	[ $((entries - exits)) -le 4 ] && [ $((exits - entries)) -le 4 ] || fail "$pair: $entries entries, $exits exits"
done
# The same tracepoint through perf, as one that is asked for by name. Session on or off between the two: one for each
# CPU and end.
differ=$(($(count irq_softirq_raise) - $(count irq:softirq_raise)))
[ ${differ#-} -le 4 ] || fail "softirq_raise by probe $(count irq_softirq_raise), by name $(count irq:softirq_raise)"
# Names of handlers are those of /proc/interrupts (the last word of the first handler's)
awk 'NR == FNR { name[$1] = $3; next }
	$3 == "irq_handler_entry" { sub("irq=", "", $4); sub("name=", "", $5); if (name[$4] != $5) { print; print name[$4]; exit 1 } }' "$tmp/irq.3" "$tmp/dump" ||
	fail "a handler's name is not that of /proc/interrupts"

function=$(awk '$3 == "timerfd_tmrproc" { print "function=0x" $1 }' /proc/kallsyms)
expired=$(awk -v function_="$function" '$3 == "timer_hrtimer_expire_entry" && $6 == function_' "$tmp/dump" | wc -l)
equal "expiries of the timerfd" "$expired" $timers
figure "hrtimer: $expired expiries of $timers timers"
unload_module
