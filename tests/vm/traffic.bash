# SPDX-License-Identifier: GPL-2.0-or-later
# Traffic of real programs over veth between two network namespaces (ns1: clients, ns2: servers) and over the loopback
# of ns2, IPv4 and IPv6; and what the programs themselves say of it. Amounts are numbers, never times.
# shellcheck shell=bash disable=SC2154,SC2034

for tool in ip ss iperf3 nginx wrk jq taskset; do command -v $tool > /dev/null || skip "no $tool here"; done

# path: which namespace the client runs in, and the server's address
declare -A traffic_client=([veth4]=ns1 [veth6]=ns1 [lo4]=ns2 [lo6]=ns2)
declare -A traffic_address=([veth4]=10.9.0.2 [veth6]=fd09::2 [lo4]=127.0.0.1 [lo6]=::1)
declare -A iperf_pid iperf_server wrk_pid # by name of a run; by port; by path

traffic_namespaces() {
	local n
	for n in 1 2; do ip netns add ns$n || fail "ip netns add"; done
	ip link add veth1 netns ns1 type veth peer name veth2 netns ns2 || fail "no veth"
	for n in 1 2; do
		ip -n ns$n addr add 10.9.0.$n/24 dev veth$n
		ip -n ns$n addr add fd09::$n/64 dev veth$n nodad
		ip -n ns$n link set lo up
		ip -n ns$n link set veth$n up
	done
}

traffic_listening() { ip netns exec ns2 ss -Hltn "sport = :$1" | grep -q LISTEN; }

# iperf_serve PORT [COMMAND BEFORE]...: a server in ns2 that stays
iperf_serve() {
	local port=$1
	shift
	ip netns exec ns2 "$@" iperf3 -s -p "$port" -J > /dev/null &
	iperf_server[$port]=$!
	at_exit kill $!
	wait_for 120 traffic_listening "$port"
}

# iperf_start NAME PATH PORT OPTION...: a client in the background; iperf_pid[NAME]
iperf_start() {
	local name=$1 path=$2 port=$3
	shift 3
	ip netns exec "${traffic_client[$path]}" iperf3 -J --get-server-output -c "${traffic_address[$path]}" -p "$port" "$@" > "$tmp/iperf_$name" &
	iperf_pid[$name]=$!
}
iperf_wait() { wait "${iperf_pid[$1]}" || fail "$1: $(jq -r .error "$tmp/iperf_$1")"; }
iperf_run() { iperf_start "$@"; iperf_wait "$1"; }

# iperf_told: "NAME sent received" of each run. Of datagrams the server's own count: those it did not wait for are not "lost"
iperf_told() {
	(cd "$tmp" && jq -r '[(input_filename | ltrimstr("iperf_"))] + (if .start.test_start.protocol == "UDP" then
		[.end.sum.bytes, .server_output_json.end.sum_received.bytes] else [.end.sum_sent.bytes, .end.sum_received.bytes] end) |
		map(tostring) | join(" ")' iperf_*)
}

# nginx_start: one worker in ns2, on port 8080 of all four addresses, with a file of 20,000 bytes; nginx_worker
nginx_start() {
	local nginx
	mkdir -p "$tmp/www" && chmod 755 "$tmp" "$tmp/www"
	head -c 20000 /dev/zero > "$tmp/www/file"
	cat > "$tmp/nginx.conf" <<-CONF
	daemon off; worker_processes 1; pid $tmp/nginx.pid; error_log $tmp/nginx.err;
	events { worker_connections 64; }
	http {
		log_format bytes '\$server_addr \$bytes_sent'; access_log $tmp/access.log bytes; sendfile on;
		server { listen 8080; listen [::]:8080; root $tmp/www; }
	}
	CONF
	cat > "$tmp/some.lua" <<-'LUA'
	local answers, most = 0, tonumber(os.getenv("ANSWERS"))
	function response()
		answers = answers + 1
		if answers == most then wrk.thread:stop() end
	end
	LUA
	ip netns exec ns2 nginx -c "$tmp/nginx.conf" & nginx=$!
	at_exit kill $nginx
	wait_for 120 traffic_listening 8080
	wait_for 120 grep -q . "/proc/$nginx/task/$nginx/children"
	read -r nginx_worker < "/proc/$nginx/task/$nginx/children"
}

# wrk_start PATH ANSWERS: that many answers over two connections, in the background; wrk_pid[PATH]. Its threads stop then,
# it itself waits for the end of its time, or SIGINT.
wrk_start() {
	local address=${traffic_address[$1]}
	case $address in *:*) address=[$address] ;; esac
	ANSWERS=$2 ip netns exec "${traffic_client[$1]}" wrk -t1 -c2 -d1000 -s "$tmp/some.lua" "http://$address:8080/file" > "$tmp/wrk_$1" &
	wrk_pid[$1]=$!
}
wrk_answered() { [ "$(grep -c "^${traffic_address[$1]} " "$tmp/access.log")" -ge "$2" ]; } # PATH ANSWERS
wrk_wait() { # PATH ANSWERS
	wait_for 300 wrk_answered "$1" "$2"
	kill -INT "${wrk_pid[$1]}"
	wait "${wrk_pid[$1]}" || fail "wrk over $1: $(cat "$tmp/wrk_$1")"
}

# nginx_settled: what it has sent stands in its log, once nobody is connected any more
nginx_unused() { ! ip netns exec ns2 ss -Htn state connected exclude time-wait 'sport = :8080' | grep -q .; }
nginx_settled() { wait_for 120 nginx_unused; }
nginx_logged() { awk '{ n += $2 } END { print n + 0 }' "$tmp/access.log"; }

# wrk_told PATH: bytes that it says it has read
wrk_told() {
	awk '/requests in/ { n = $5; f = n ~ /KB/ ? 1024 : n ~ /MB/ ? 1048576 : n ~ /GB/ ? 1073741824 : 1; print int((n + 0) * f) }' "$tmp/wrk_$1"
}

# traffic_moved_read DIR: what kymo report says each process moved; then moved PID rx|tx|cpu
declare -A traffic_moved
traffic_moved_read() {
	local pid rx tx cpu
	while read -r pid rx tx cpu; do
		traffic_moved[$pid.rx]=$rx traffic_moved[$pid.tx]=$tx traffic_moved[$pid.cpu]=$cpu
	done < <(jq -r '.views.tasks[] | select(.pid > 0) | "\(.pid) \(.rx_bytes) \(.tx_bytes) \(.cpu_ns)"' "$1.json")
}
moved() { echo "${traffic_moved[$1.$2]:-0}"; }

# traffic_near WHAT GOT WANT RUNS: within 1 %, or within what the runs' control connections carry
traffic_near() {
	local d=$(($2 - $3))
	[ "${d#-}" -le $(($4 * 2000)) ] || near "$1" "$2" "$3" 1
}

# traffic_compare_iperf PORT_OF: each client's bytes, and the sum of each server's; PORT_OF: an array, run -> port
traffic_compare_iperf() {
	local -n port_of=$1
	local -A received=() served=()
	local name sent got at runs=0
	while read -r name sent got; do
		[ "${sent:-0}" -gt 100000 ] || fail "$name: iperf3 told nothing: $(head -c 300 "$tmp/iperf_$name")"
		traffic_near "$name: bytes sent by the client" "$(moved "${iperf_pid[$name]}" tx)" "$sent" 1
		figure "$name: client sent $(moved "${iperf_pid[$name]}" tx), iperf3 says $sent"
		at=${port_of[$name]}
		received[$at]=$((${received[$at]:-0} + got)) served[$at]=$((${served[$at]:-0} + 1)) runs=$((runs + 1))
	done < <(iperf_told)
	equal "runs of iperf3" $runs ${#iperf_pid[@]}
	for at in "${!received[@]}"; do
		# A server that was too late to read before the end has read little: it is right, too
		traffic_near "received by the server on port $at" "$(moved "${iperf_server[$at]}" rx)" "${received[$at]}" "${served[$at]}"
		figure "server on port $at received $(moved "${iperf_server[$at]}" rx), iperf3 says ${received[$at]}"
	done
}

# traffic_compare_nginx PATH...
traffic_compare_nginx() {
	local logged path told
	logged=$(nginx_logged)
	[ "$logged" -gt 100000 ] || fail "nginx logged $logged bytes: $(cat "$tmp/nginx.err")"
	near "bytes sent by nginx's worker" "$(moved "$nginx_worker" tx)" "$logged" 1
	figure "nginx sent $(moved "$nginx_worker" tx), its log says $logged"
	for path; do
		told=$(wrk_told "$path")
		[ "${told:-0}" -gt 100000 ] || fail "wrk over $path read nothing: $(cat "$tmp/wrk_$path")"
		near "bytes received by wrk over $path" "$(moved "${wrk_pid[$path]}" rx)" "$told" 1
		figure "wrk over $path received $(moved "${wrk_pid[$path]}" rx), says $told"
	done
}
