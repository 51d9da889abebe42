// SPDX-License-Identifier: GPL-2.0-only
/* A session's life: made at open, set up once, started and stopped, gone at the last close. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include "catalogue.h"
#include "dump.h"
#include "session.h"
#include "sub.h"

static enum cpuhp_state session_state;
static LIST_HEAD(sessions);
static DEFINE_MUTEX(sessions_lock);	/* the list, and who is in it */
static unsigned int session_last;

/* ---- CPUs that come online ---- */

static int session_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct kymo_session *session = hlist_entry(node, struct kymo_session, hotplug);

	cpumask_set_cpu(cpu, session->online);
	schedule_work(&session->online_work);
	return 0;
}

/* Perf counters take locks that are taken around the hotplug lock elsewhere: hence not in the callback. */
static void session_online_work(struct work_struct *work)
{
	struct kymo_session *session = container_of(work, struct kymo_session, online_work);
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (cpumask_test_and_clear_cpu(cpu, session->online))
			kymo_sub_cpu_online(session, cpu);
}

/* ---- open and close ---- */

static void session_wake(struct irq_work *work)
{
	wake_up(&container_of(work, struct kymo_session, wake)->readers);
}

static void session_log(struct kymo_session *session)
{
	mutex_lock(&sessions_lock);
	session->number = ++session_last;
	session->pid = task_tgid_nr(current);
	get_task_comm(session->comm, current->group_leader);
	list_add_tail(&session->in_sessions, &sessions);
	mutex_unlock(&sessions_lock);
	pr_info("session %u opened by %s (pid %d): the module is in use until it is closed\n", session->number,
		session->comm, session->pid);
}

struct kymo_session *kymo_session_create(void)
{
	struct kymo_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

	if (!session)
		return ERR_PTR(-ENOMEM);
	if (!zalloc_cpumask_var(&session->online, GFP_KERNEL_ACCOUNT))
		goto err_free;
	mutex_init(&session->lock);
	INIT_LIST_HEAD(&session->subs);
	init_waitqueue_head(&session->readers);
	init_irq_work(&session->wake, session_wake);
	INIT_WORK(&session->online_work, session_online_work);
	err = cpuhp_state_add_instance_nocalls(session_state, &session->hotplug);
	if (err)
		goto err_free_mask;
	session_log(session);
	return session;

err_free_mask:
	free_cpumask_var(session->online);
err_free:
	kfree(session);
	return ERR_PTR(err);
}

void kymo_session_destroy(struct kymo_session *session)
{
	WRITE_ONCE(session->active, false);
	cpuhp_state_remove_instance_nocalls(session_state, &session->hotplug);
	cancel_work_sync(&session->online_work);
	kymo_sub_destroy_all(session);
	irq_work_sync(&session->wake);
	kymo_rings_destroy(&session->rings);
	mutex_lock(&sessions_lock);
	list_del(&session->in_sessions);
	mutex_unlock(&sessions_lock);
	pr_info("session %u closed (it was opened by %s, pid %d)\n", session->number, session->comm, session->pid);
	free_cpumask_var(session->online);
	kfree(session);
}

/* ---- requests ---- */

int kymo_session_setup(struct kymo_session *session, struct kymo_setup *setup)
{
	return session->rings.sets ? -EBUSY : kymo_rings_create(&session->rings, setup);
}

int kymo_session_start(struct kymo_session *session)
{
	if (!session->rings.sets)
		return -EINVAL;
	if (session->active)
		return 0;
	kymo_sub_session_starts(session);
	WRITE_ONCE(session->active, true);
	return 0;
}

int kymo_session_stop(struct kymo_session *session)
{
	if (!session->rings.sets)
		return -EINVAL;
	if (!session->active)
		return 0;
	kymo_sub_ask_missed(session);
	WRITE_ONCE(session->active, false);
	synchronize_rcu(); /* every writer has preemption off: none is inside any more, on any CPU */
	kymo_rings_close(&session->rings);
	wake_up(&session->readers);
	return 0;
}

int kymo_session_sync(struct kymo_session *session, struct kymo_sync *sync)
{
	if (!session->rings.sets)
		return -EINVAL;
	sync->time_ns = ktime_get_mono_fast_ns();
	synchronize_rcu();
	return 0;
}

int kymo_session_dump(struct kymo_session *session, struct kymo_dump *dump)
{
	if (dump->reserved || !session->active)
		return -EINVAL;
	dump->done = 0;
	return kymo_dump(session, dump);
}

int kymo_session_holders(char *buf, size_t bytes)
{
	struct kymo_session *session;
	int n = 0;

	mutex_lock(&sessions_lock);
	list_for_each_entry(session, &sessions, in_sessions)
		n += scnprintf(buf + n, bytes - n, "%u %s %d\n", session->number, session->comm, session->pid);
	mutex_unlock(&sessions_lock);
	return n;
}

int kymo_session_init(void)
{
	int state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "kymo:online", session_cpu_online, NULL);

	if (state < 0)
		return state;
	session_state = state;
	return 0;
}

void kymo_session_fini(void)
{
	cpuhp_remove_multi_state(session_state);
}
