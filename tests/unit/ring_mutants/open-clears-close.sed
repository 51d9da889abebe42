# SPDX-License-Identifier: GPL-2.0-or-later
# Opening a packet clears its close fields.
s/^\tp->cpu_id = r->begin.cpu_id;$/&\n\tp->timestamp_end = 0;\n\tp->content_size = 0;\n\tp->events_discarded = 0;/
