// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts for interrupts. On a CPU they nest: an interrupt's time is its own, without that of others on top of it, so
 * that the sum over all never exceeds the clock.
 */
#include <stdio.h>
#include <string.h>

#include "tally_internal.h"

const char *tally_softirq_name(unsigned int vec)
{
	static const char *const name[TALLY_SOFTIRQS] = {
		"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
	};

	return vec < TALLY_SOFTIRQS ? name[vec] : "?";
}

static void tally_irq_entered(struct tally *t, struct tally_cpu *c, bool soft, int32_t number, const char *name, uint64_t now_ns)
{
	struct tally_interrupt_key key = { .soft = soft, .number = number };
	struct table_row *row;

	snprintf(key.name, sizeof(key.name), "%s", name);
	row = table_row(t->table[TALLY_INTERRUPTS], &key);
	table_add(t->table[TALLY_INTERRUPTS], row, INTERRUPT_COUNT, 1);
	/* None is on top of itself: that one's exit was lost, and so were those of what was on top of it. */
	for (unsigned int at = 0; at < c->depth; at++)
		if (c->irq[at].soft == soft && c->irq[at].number == number)
			c->depth = at;
	if (c->depth == TALLY_IRQ_DEPTH)
		c->depth = 0;	/* so many exits are missing: begin anew */
	c->irq[c->depth++] = (struct tally_irq){ .soft = soft, .number = number, .row = row, .entry_ns = now_ns };
	if (soft && number >= 0 && number < TALLY_SOFTIRQS && c->raised_ns[number]) {
		table_add(t->table[TALLY_INTERRUPTS], row, INTERRUPT_DELAY_NS, now_ns - c->raised_ns[number]);
		c->raised_ns[number] = 0;
	}
}

static void tally_irq_left(struct tally *t, struct tally_cpu *c, bool soft, int32_t number, uint64_t now_ns)
{
	unsigned int at = c->depth;
	struct tally_irq *irq;
	uint64_t ns;

	while (at && (c->irq[at - 1].soft != soft || c->irq[at - 1].number != number))
		at--;
	if (!at) {
		t->totals.unmatched_interrupts++;	/* it was entered before the begin, or the entry was lost */
		return;
	}
	/* What was entered after it has left, too: those exits were lost. */
	c->depth = at - 1;
	irq = &c->irq[at - 1];
	ns = now_ns - irq->entry_ns;
	table_add(t->table[TALLY_INTERRUPTS], irq->row, INTERRUPT_NS, ns > irq->inner_ns ? ns - irq->inner_ns : 0);
	if (c->depth)
		c->irq[c->depth - 1].inner_ns += ns;
}

bool tally_irq_event(struct tally *t, uint16_t id, const struct event *e, uint64_t stream_begin_ns)
{
	struct tally_cpu *c;
	int32_t number;

	if (id < KYMO_ID_irq_handler_entry || id > KYMO_ID_irq_softirq_exit)
		return false;
	c = tally_cpu(t, e->cpu);
	if (!c)
		return true;
	if (id != KYMO_ID_irq_softirq_raise)
		tally_clock(t, c, stream_begin_ns, e->time_ns);
	memcpy(&number, e->data, sizeof(number));	/* the first field of all of them */
	switch (id) {
	case KYMO_ID_irq_handler_entry:
		tally_irq_entered(t, c, false, number,
			(const char *)e->data + sizeof(struct kymo_ev_irq_handler_entry), e->time_ns);
		break;
	case KYMO_ID_irq_handler_exit:
		tally_irq_left(t, c, false, number, e->time_ns);
		break;
	case KYMO_ID_irq_softirq_raise:
		if (number >= 0 && number < TALLY_SOFTIRQS && !c->raised_ns[number])
			c->raised_ns[number] = e->time_ns;
		break;
	case KYMO_ID_irq_softirq_entry:
		tally_irq_entered(t, c, true, number, tally_softirq_name((unsigned int)number), e->time_ns);
		break;
	case KYMO_ID_irq_softirq_exit:
		tally_irq_left(t, c, true, number, e->time_ns);
		break;
	}
	return true;
}
