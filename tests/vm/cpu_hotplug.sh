# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
# A CPU that goes and comes back is sampled again, and its tracepoints are seen again. So is one that was offline
# when the session began.
. tests/vm/lib.sh
load_module
cycles=2
[ -z "$soak" ] || cycles=20
online=/sys/devices/system/cpu/cpu1/online
at_exit sh -c "echo 1 > $online"

cat > "$tmp/steps" << 'STEPS'
set -e
bin=$1 online=$2 cycles=$3
echo 1 > $online
for i in $(seq $cycles); do
	taskset -c 1 $bin/busy user 1
	taskset -c 1 $bin/calls getppid 500
	echo 0 > $online
	$bin/busy user 0.1 > /dev/null
	echo 1 > $online
done
taskset -c 1 $bin/busy user 1
taskset -c 1 $bin/calls getppid 500
STEPS
measure() {
	echo 0 > $online
	"$test_bin/ring_dump" -e cpu_sample@200 -e syscalls:sys_enter_getppid -- \
		bash "$tmp/steps" "$test_bin" "$online" "$cycles" > "$tmp/dump" 2> "$tmp/own" || fail "ring_dump: $(tail -2 "$tmp/own" "$tmp/dump")"
	equal "status of the steps" "$(sed -n 's/^# command.*status=//p' "$tmp/dump")" 0

	local tid cpu charged
	while read -r tid _ cpu; do
		if [ -n "$cpu" ]; then
			charged=$(awk -v tid="$tid" '$3 == "cpu_sample" && $4 == tid && $2 == 1 { sub("period=", "", $8); sum += $8 } END { printf "%.0f", sum }' "$tmp/dump")
			figure "on cpu 1: $charged ns by samples, ${cpu#*=} ns by wait4"
			near "ns by samples on cpu 1" "$charged" "${cpu#*=}" 4
		else
			equal "getppid on cpu 1 by $tid" "$(awk -v pid="common_pid=${tid#*=}" '$3 == "syscalls:sys_enter_getppid" && $4 == pid && $2 == 1' "$tmp/dump" | wc -l)" 500
		fi
	done < "$tmp/own"
}
# Others that run a little between samples are a matter of chance
again 5 measure
unload_module
