/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of machine share: machine.c (who), machine_map.c (what is mapped where). Nobody else sees it. */
#ifndef KYMO_MACHINE_INTERNAL_H
#define KYMO_MACHINE_INTERNAL_H

#include "machine.h"
#include "task.h"

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) ((entry)->refused = true)
#include <uthash.h>

struct machine_record_task {
	struct machine_task known;	/* first; at its last change while `live` */
	struct task *live;		/* NULL: it has gone, or is from a file */
	struct machine_record_task *older; /* of the same tid */
	struct machine_record_task *next_of_process, *next_dead;
};

struct machine_record {
	struct machine_process known;	/* first */
	struct process *live;
	struct machine_record *older;	/* of the same pid */
	struct machine_record_task *tasks;
	unsigned int capacity;		/* of known.mapping */
	uint64_t renamed_ns, execed_ns;
};

/* All records of one tid or pid. */
struct machine_number {
	int32_t number;
	void *newest;
	UT_hash_handle hh;
	bool refused;
};

struct machine_object_entry {
	struct machine_object object;	/* first */
	UT_hash_handle hh;
	bool refused;
	unsigned int key_bytes;
	char key[];			/* object's numbers, then the path */
};

struct machine {
	struct task_set *set;
	uint64_t now_ns;
	struct machine_number *pids, *tids;
	struct machine_object_entry *objects;
	struct machine_record_task *first_dead, **last_dead;
	unsigned int records, record_tasks, dead, mappings;
	struct machine_module *module;
	unsigned int modules;
	uint64_t forgotten;
};

/* The record of a process that is there; NULL: no room, or it stands for many. */
struct machine_record *machine_record(struct machine *m, struct process *p);

/* The record of a thread follows it: a thread that calls exec takes over the leader's number. */
void machine_follow(struct machine *m, struct task *task);

/* What happened to mappings. */
void machine_mapped(struct machine *m, const struct kymo_ev_task_mmap *ev);
void machine_dumped_mapping(struct machine *m, const struct kymo_ev_lttng_statedump_vm_map *ev);
void machine_inherit(struct machine *m, const struct task *parent, const struct task *child);
void machine_replaced(struct machine *m, struct machine_record *r);
void machine_objects_free(struct machine *m);

#endif
