// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring under real interrupts and NMIs. On every CPU a thread writes records slowly, an hrtimer's interrupt and an
 * NMI handler write on top of it into the same ring, and a thread elsewhere reads all of it with ring_check.h.
 * debugfs: kymo_ring_nmi/counts while it runs; reading kymo_ring_nmi/result ends it and judges. It knows nothing of
 * kymo.ko, only the ring's text.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>
#include <asm/nmi.h>
#include "ring_check.h"

enum { PACKET_SHIFT = 12, PACKETS = 8, PERIOD_NS = 150000 };
enum writer { TASK, TIMER, NMI, WRITERS };
static const char *const writer_name[WRITERS] = { "task", "timer", "nmi" };

/* The counters of a writer are its own: none of the three interrupts itself. */
struct count {
	u64 entries, recorded, lost, sum;
	u64 inside;		/* its reservation stood on top of an open one */
};

struct lane {
	struct fixture f;
	struct fixture_reader rd;
	struct count count[WRITERS];
	struct task_struct *thread;
	struct hrtimer timer;
	u32 random;
	bool live;		/* NMIs may write */
};

static DEFINE_PER_CPU(struct lane, lanes);
static struct task_struct *reader;
static struct dentry *folder;
static DEFINE_MUTEX(ending);	/* of the first to read the result */
static bool ended;

static u32 lane_random(struct lane *lane, u32 below)
{
	lane->random = lane->random * 1103515245 + 12345;
	return (lane->random >> 8) % below;
}

/* `dawdle`: how long the record stays half written. */
static void lane_write(struct lane *lane, enum writer writer, unsigned int dawdle)
{
	struct count *count = &lane->count[writer];
	const u64 number = count->entries++;
	const u32 bytes = fixture_bytes(number, writer);
	struct kymo_slot slot;

	if (ring_reserve(&lane->f.ring, writer, bytes, &slot) != KYMO_RING_OK) {
		count->lost++;
		return;
	}
	if (READ_ONCE(lane->f.control->nest) > 1)
		count->inside++;
	while (dawdle--)
		cpu_relax();
	fixture_fill(slot.payload, number, writer, bytes);
	ring_commit(&lane->f.ring);
	count->recorded++;
	count->sum += number;
}

static int lane_nmi(unsigned int type, struct pt_regs *regs)
{
	struct lane *lane = this_cpu_ptr(&lanes);

	if (READ_ONCE(lane->live))
		lane_write(lane, NMI, 0);
	return NMI_HANDLED;
}

static enum hrtimer_restart lane_timer(struct hrtimer *timer)
{
	struct lane *lane = container_of(timer, struct lane, timer);
	unsigned int records = 1 + lane_random(lane, 20);

	while (records--)
		lane_write(lane, TIMER, lane_random(lane, 200));
	hrtimer_forward_now(timer, ns_to_ktime(PERIOD_NS + lane_random(lane, PERIOD_NS)));
	return HRTIMER_RESTART;
}

static int lane_thread(void *data)
{
	struct lane *lane = data;
	unsigned int n = 0;

	hrtimer_start(&lane->timer, ns_to_ktime(PERIOD_NS), HRTIMER_MODE_REL_PINNED_HARD);
	WRITE_ONCE(lane->live, true);
	while (!kthread_should_stop()) {
		preempt_disable();
		lane_write(lane, TASK, 2000);
		preempt_enable();
		cond_resched();
		if (++n % 64 == 0) /* the reader may be waiting for this CPU */
			usleep_range(200, 400);
	}
	hrtimer_cancel(&lane->timer);
	return 0;
}

static int reader_thread(void *unused)
{
	unsigned int cpu;

	while (!kthread_should_stop()) {
		for_each_online_cpu(cpu)
			fixture_take(&per_cpu(lanes, cpu).rd);
		usleep_range(500, 1000);
	}
	return 0;
}

/* ---- what came of it ---- */

static void lanes_stop(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		if (per_cpu(lanes, cpu).thread)
			kthread_stop(per_cpu(lanes, cpu).thread);
	unregister_nmi_handler(NMI_LOCAL, "kymo_ring_nmi"); /* waits for handlers that run */
	if (reader)
		kthread_stop(reader);
	reader = NULL;
}

static const char *lane_judge(struct lane *lane)
{
	u64 lost = 0;
	int w;

	ring_close(&lane->f.ring);
	if (!lane->rd.fault[0])
		fixture_take(&lane->rd);
	if (lane->rd.fault[0])
		return lane->rd.fault;
	for (w = 0; w < WRITERS; w++) {
		const struct count *count = &lane->count[w];

		lost += count->lost;
		if (count->entries != count->recorded + count->lost)
			return "entries are not recorded + lost";
		if (count->recorded != lane->rd.found[w] || count->sum != lane->rd.sum[w])
			return "what was recorded is not what was read";
	}
	if (lane->f.control->lost != lost || lane->rd.discarded != lost)
		return "the ring's own count of losses is wrong";
	if (lane->f.control->nest || lane->f.control->head != lane->f.control->reserve)
		return "somebody is still inside";
	return NULL;
}

static void show_counts(struct seq_file *m)
{
	unsigned int cpu;
	int w;

	for (w = 0; w < WRITERS; w++) {
		struct count sum = { };

		for_each_online_cpu(cpu) {
			const struct count *count = &per_cpu(lanes, cpu).count[w];

			sum.entries += READ_ONCE(count->entries);
			sum.recorded += READ_ONCE(count->recorded);
			sum.lost += READ_ONCE(count->lost);
			sum.inside += READ_ONCE(count->inside);
		}
		seq_printf(m, "%s entries %llu recorded %llu lost %llu inside %llu\n", writer_name[w],
			   sum.entries, sum.recorded, sum.lost, sum.inside);
	}
}

static int counts_show(struct seq_file *m, void *unused)
{
	show_counts(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counts);

static int result_show(struct seq_file *m, void *unused)
{
	const char *fault = NULL, *lane_fault;
	unsigned int cpu;

	mutex_lock(&ending);
	if (!ended)
		lanes_stop();
	for_each_online_cpu(cpu) {
		lane_fault = lane_judge(&per_cpu(lanes, cpu));
		if (lane_fault)
			seq_printf(m, "cpu %u: %s\n", cpu, lane_fault);
		fault = fault ?: lane_fault;
	}
	ended = true;
	mutex_unlock(&ending);
	show_counts(m);
	seq_puts(m, fault ? "BROKEN\n" : "holds\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static void lanes_free(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		vfree(per_cpu(lanes, cpu).f.control);
		vfree(per_cpu(lanes, cpu).f.tail);
		vfree(per_cpu(lanes, cpu).f.ring.data);
	}
}

static int lane_init(struct lane *lane, unsigned int cpu)
{
	struct fixture *f = &lane->f;

	f->control = vzalloc(PAGE_SIZE);
	f->tail = vzalloc(PAGE_SIZE);
	f->ring.data = vzalloc(PACKETS << PACKET_SHIFT);
	if (!f->control || !f->tail || !f->ring.data)
		return -ENOMEM;
	fixture_setup(f, PACKET_SHIFT, PACKETS, KYMO_MODE_DISCARD, 0);
	fixture_reader_init(&lane->rd, f);
	lane->random = cpu + 1;
	hrtimer_init(&lane->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	lane->timer.function = lane_timer;
	return 0;
}

static int lane_start(unsigned int cpu)
{
	struct lane *lane = &per_cpu(lanes, cpu);
	struct task_struct *thread = kthread_create_on_cpu(lane_thread, lane, cpu, "ring_nmi/%u");

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	lane->thread = thread;
	wake_up_process(thread);
	return 0;
}

static int __init ring_nmi_init(void)
{
	unsigned int cpu;
	int err = 0;

	for_each_possible_cpu(cpu)
		err = err ?: lane_init(&per_cpu(lanes, cpu), cpu);
	if (err)
		goto err_free;
	err = register_nmi_handler(NMI_LOCAL, lane_nmi, 0, "kymo_ring_nmi");
	if (err)
		goto err_free;
	reader = kthread_run(reader_thread, NULL, "ring_nmi_reader");
	if (IS_ERR(reader)) {
		err = PTR_ERR(reader);
		reader = NULL;
		goto err_stop;
	}
	for_each_online_cpu(cpu) {
		err = lane_start(cpu);
		if (err)
			goto err_stop;
	}
	folder = debugfs_create_dir("kymo_ring_nmi", NULL);
	debugfs_create_file("counts", 0400, folder, NULL, &counts_fops);
	debugfs_create_file("result", 0400, folder, NULL, &result_fops);
	return 0;

err_stop:
	lanes_stop();
err_free:
	lanes_free();
	return err;
}

static void __exit ring_nmi_exit(void)
{
	debugfs_remove_recursive(folder);
	if (!ended)
		lanes_stop();
	lanes_free();
}

module_init(ring_nmi_init);
module_exit(ring_nmi_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test of kymo's ring under interrupts and NMIs");
