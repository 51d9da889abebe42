// SPDX-License-Identifier: GPL-2.0-only
/* "sock: add tracepoint for send recv length" */
#include <linux/tracepoint.h>
#include <net/sock.h>
#include <trace/events/sock.h>
void probe(void (*cb)(void *, struct sock *, int, int));
void probe(void (*cb)(void *, struct sock *, int, int))
{
	check_trace_callback_type_sock_send_length(cb);
	check_trace_callback_type_sock_recv_length(cb);
}
