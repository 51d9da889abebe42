#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
# Packets and bytes at devices, drops with their reason, TCP states and retransmits, over veth and loopback.
# Independent sources: the interfaces' counters (ip -s link) and the namespaces' /proc/net/snmp.
. tests/vm/lib.sh

for tool in ip tc ss ethtool socat; do command -v $tool > /dev/null || skip "no $tool here"; done
load_module
for n in 1 2; do ip netns add ns$n || fail "ip netns add"; done
ip link add veth1 netns ns1 type veth peer name veth2 netns ns2 || fail "no veth"
for n in 1 2; do
	ip netns exec ns$n sysctl -qw net.ipv6.conf.all.disable_ipv6=1	# nothing on the wire that we do not send
	ip -n ns$n addr add 10.9.0.$n/24 dev veth$n
	ip -n ns$n link set lo up
	ip -n ns$n link set veth$n up
done
for n in 1 2; do	# no ARP outside of the session either
	other=$((3 - n))
	mac=$(ip netns exec ns$other cat /sys/class/net/veth$other/address)
	ip -n ns$n neigh replace 10.9.0.$other lladdr "$mac" dev veth$n nud permanent || fail "ip neigh"
done

serve() { # NS ADDRESS PORT
	ip netns exec "$1" socat -u "TCP-LISTEN:$3,bind=$2,reuseaddr,fork" OPEN:/dev/null,wronly 2> /dev/null &
	at_exit kill $!
	wait_for 120 sh -c "ip netns exec $1 ss -Hltn 'sport = :$3' | grep -q LISTEN"
}
serve ns2 10.9.0.2 5000
serve ns1 127.0.0.1 5001

# "DEVICE rx|tx BYTES PACKETS" of all four, with the namespace's number
counters() {
	local n d ino
	for n in 1 2; do
		ino=$(ip netns exec ns$n stat -Lc %i /proc/self/ns/net)
		for d in lo veth$n; do
			ip -n ns$n -s link show dev $d | awk -v d="$ino/$d" '
				/RX:/ { getline; print d, "rx", $1, $2 } /TX:/ { getline; print d, "tx", $1, $2 }'
		done
	done
}
snmp() { # NS PROTOCOL NAME
	ip netns exec "$1" awk -v p="$2:" -v n="$3" '
		$1 == p && !head { for (i = 2; i <= NF; i++) if ($i == n) head = i; next } $1 == p { print $head }' /proc/net/snmp
}
numbers() {
	echo "opens $(snmp ns1 Tcp ActiveOpens)"
	echo "retransmits $(snmp ns1 Tcp RetransSegs)"
	echo "noports $(snmp ns2 Udp NoPorts)"
}

cat > "$tmp/traffic" <<'TRAFFIC'
head -c 1500000 /dev/zero | ip netns exec ns1 socat -u - TCP:10.9.0.2:5000
head -c 300000 /dev/zero | ip netns exec ns1 socat -u - TCP:127.0.0.1:5001
ip netns exec ns1 bash -c 'for i in 1 2 3 4 5 6 7; do echo nobody > /dev/udp/10.9.0.2/9; done' 2> /dev/null
# segments that are packets for the device, some of them lost
ip netns exec ns1 ethtool -K veth1 tso off gso off || exit 1
tc -n ns1 qdisc add dev veth1 root netem loss 8% || exit 1
head -c 300000 /dev/zero | ip netns exec ns1 socat -u - TCP:10.9.0.2:5000
tc -n ns1 qdisc del dev veth1 root
# until nobody says anything any more
until [ -z "$(ip netns exec ns1 ss -Htn state connected exclude time-wait; ip netns exec ns2 ss -Htn state connected exclude time-wait)" ]; do
	sleep 0.1
done
TRAFFIC

counters > "$tmp/before"
numbers > "$tmp/numbers.before"
"$test_bin/ring_dump" -m 16 -e net_dev_xmit -e net_if_receive_skb -e skb_kfree -e tcp_retransmit_skb -e inet_sock_set_state \
	-- bash "$tmp/traffic" > "$tmp/dump" || fail "ring_dump: status $?: $(tail -8 "$tmp/dump")"
counters > "$tmp/after"
numbers > "$tmp/numbers.after"
grep '^# ' "$tmp/dump"
grep -q '^# command .*status=0' "$tmp/dump" || fail "traffic: $(grep '^# command' "$tmp/dump")"
! grep '^# .* lost=[1-9]' "$tmp/dump" || fail "events were lost, the sums mean nothing"

awk '
function field(name,	i, n) { n = length(name) + 1; for (i = 4; i <= NF; i++) if (substr($i, 1, n) == name "=") return substr($i, n + 1) }
FILENAME ~ /before$/ { bytes[$1 " " $2] = $3; packets[$1 " " $2] = $4; next }
FILENAME ~ /after$/ { bytes[$1 " " $2] = $3 - bytes[$1 " " $2]; packets[$1 " " $2] = $4 - packets[$1 " " $2]; next }
$3 == "net_dev_xmit" || $3 == "net_if_receive_skb" {
	key = field("netns") "/" field("name") " " ($3 == "net_dev_xmit" ? "tx" : "rx")
	b[key] += field("len"); p[key]++
	if (field("cookie") != "0") known++
}
END {
	for (key in bytes) {
		if (bytes[key] != b[key] + 0 || packets[key] != p[key] + 0) {
			print key ": " b[key] + 0 " bytes, " p[key] + 0 " packets; the interface says " bytes[key] ", " packets[key]
			bad = 1
		}
		total += bytes[key]
	}
	for (key in b) if (!(key in bytes)) { print "events of an unknown interface " key; bad = 1 }
	if (total < 4000000 || !known) { print "too little happened: " total " bytes, " known + 0 " packets with a socket"; bad = 1 }
	print "figure: interfaces: " total " bytes, exactly the counters of ip -s link; " known " packets with a cookie"
	exit bad
}' "$tmp/before" "$tmp/after" "$tmp/dump" || fail "events and interface counters differ"

delta() { echo $(($(awk -v n="$1" '$1 == n { print $2 }' "$tmp/numbers.after") - $(awk -v n="$1" '$1 == n { print $2 }' "$tmp/numbers.before"))); }
ns1=$(ip netns exec ns1 stat -Lc %i /proc/self/ns/net) ns2=$(ip netns exec ns2 stat -Lc %i /proc/self/ns/net)
count() { grep -c -E "$1" "$tmp/dump"; }
equal "connections opened" "$(count " inet_sock_set_state .*netns=$ns1 .*newstate=2 ")" "$(delta opens)"
equal "datagrams to nobody" "$(count " skb_kfree .*netns=$ns2 .*reason_name=NO_SOCKET")" "$(delta noports)"
# The counter counts segments, the event type packets of one or more segments
retransmitted=$(count " tcp_retransmit_skb .*netns=$ns1 ")
[ "$retransmitted" -gt 0 ] || fail "no retransmit seen; the kernel counted $(delta retransmits) segments"
[ "$retransmitted" -le "$(delta retransmits)" ] || fail "$retransmitted retransmits of $(delta retransmits) segments"
figure "$retransmitted retransmits of $(delta retransmits) segments, opens $(delta opens), NO_SOCKET $(delta noports), as in /proc/net/snmp"
unload_module
