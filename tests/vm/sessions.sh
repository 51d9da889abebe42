#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Several sessions at once, and who may have one: CAP_PERFMON, a module that cannot go while it is used, and a log
# and a parameter that say by whom; the reader killed, or closed with the fd still in a child.
# vm: -c 2 -m 1024 --timeout 600
# debug: yes
. tests/vm/lib.sh
load_module
holders=/sys/module/kymo/parameters/holders
equal "mode and owner of the device" "$(stat -c '%a %U' /dev/kymo)" "600 root"
equal "holders without a session" "$(cat $holders)" ""

# Access: by mode, then by capability
chmod 666 /dev/kymo
for who in "nobody without capabilities:setpriv --reuid=65534 --clear-groups --inh-caps=-all" \
	"root without CAP_PERFMON and CAP_SYS_ADMIN:setpriv --bounding-set=-perfmon,-sys_admin"; do
	${who#*:} bash -c ': <> /dev/kymo' 2> "$tmp/err" && fail "${who%%:*} may open the device"
	grep -q 'Operation not permitted' "$tmp/err" || fail "${who%%:*}: $(cat "$tmp/err")"
done
chmod 600 /dev/kymo

perf bench sched pipe -l 1000000000 > /dev/null 2>&1 &
load=$!
at_exit kill $load
"$test_bin/session_isolation" ${soak:+60} || fail "sessions at once: status $?"
equal "holders after all are gone" "$(cat $holders)" ""
kill $load

# In use: the module stays, and the log names the holder. A child keeps the session of a killed reader.
bash -c 'exec 9<> /dev/kymo; sleep 1000 & echo $! > "$0"; exec sleep 1001' "$tmp/child" &
reader=$!
wait_for 240 test -s "$tmp/child"
wait_for 120 grep -q " bash $reader$" $holders
rmmod kymo 2> "$tmp/err" && fail "rmmod took a module with an open session"
grep -q 'in use' "$tmp/err" || fail "rmmod: $(cat "$tmp/err")"
dmesg | grep -q "kymo: session .* opened by bash (pid $reader)" || fail "the log does not name the holder"
kill -9 $reader
wait $reader 2> /dev/null
grep -q " bash $reader$" $holders || fail "the session is gone while a child has it"
rmmod kymo 2> /dev/null && fail "rmmod took the module from the child"
kill -9 "$(cat "$tmp/child")"
unload_module
dmesg | grep -q "kymo: session .* closed (it was opened by bash, pid $reader)" || fail "the log does not tell of the close"
