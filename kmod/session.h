/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One open of /dev/kymo: its rings, its event types, whether it runs. The device calls this with structs in kernel
 * memory; sources never see it.
 */
#ifndef KYMO_SESSION_H
#define KYMO_SESSION_H

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "ringset.h"
#include "type.h"

struct kymo_session {
	bool active;			/* read by every writer with preemption off; changed under lock */
	struct irq_work wake;
	struct kymo_rings rings;
	wait_queue_head_t readers;

	struct mutex lock;		/* one request at a time; before the catalogue's mutex */
	struct list_head subs;		/* under lock; additions also under the catalogue's mutex */
	unsigned int sub_count;

	struct hlist_node hotplug;
	struct work_struct online_work;
	cpumask_var_t online;		/* CPUs that came and have not been told to the sources */

	unsigned int number;		/* who it is, for people */
	pid_t pid;
	char comm[TASK_COMM_LEN];
	struct list_head in_sessions;
};

int kymo_session_init(void);
void kymo_session_fini(void);

struct kymo_session *kymo_session_create(void);
void kymo_session_destroy(struct kymo_session *session);

int kymo_session_setup(struct kymo_session *session, struct kymo_setup *setup);
int kymo_session_start(struct kymo_session *session);
int kymo_session_stop(struct kymo_session *session);
int kymo_session_sync(struct kymo_session *session, struct kymo_sync *sync);
int kymo_session_dump(struct kymo_session *session, struct kymo_dump *dump);

/* "number comm pid" lines of all sessions. */
int kymo_session_holders(char *buf, size_t bytes);

#endif
