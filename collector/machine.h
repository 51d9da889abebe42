/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who was there and what was mapped where, over the time of a recording: processes and threads with their names, the
 * executable mappings of each process, the kernel's modules. What has gone is kept, with the time it went: a question
 * is always about one moment. Filled either from the events of the task source (a live session, the recorder), or from the
 * files that the recorder leaves in a trace (machine_file.h), which know what --max-size has deleted, too. Bounded: of
 * those that have gone the longest dead are forgotten first, and counted. Knows no addresses' names.
 *
 * Times are CLOCK_MONOTONIC in ns. A process is (pid, start_ns). Numbers are those of the initial pid namespace.
 */
#ifndef KYMO_MACHINE_H
#define KYMO_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum { MACHINE_COMM = 16, MACHINE_BUILD_ID = 20, MACHINE_MODULE_NAME = 64, MACHINE_PATH = 1024 };

struct event;
struct machine;

/* What a mapping is of; one for all mappings of the same. */
struct machine_object {
	uint64_t inode;			/* 0: no file */
	uint32_t dev;			/* as in /proc/PID/maps: major << 20 | minor */
	uint8_t build_id_bytes;		/* 0: has none, or not known */
	uint8_t build_id[MACHINE_BUILD_ID];
	const char *path;		/* as /proc/PID/maps has it (" (deleted)", "[vdso]"); empty: anonymous memory */
};

/* An executable mapping. */
struct machine_mapping {
	uint64_t start, end, offset;	/* end: the first byte behind it; offset: of start in the file */
	uint64_t from_ns, until_ns;	/* 0: before the recording began; 0: not replaced by another program */
	const struct machine_object *object;
};

struct machine_process {
	int32_t pid, ppid;		/* ppid 0: not known, or none */
	uint64_t start_ns;		/* 0: not known */
	uint64_t until_ns;		/* its last thread went; 0: it has not */
	uint64_t cgroup_id;
	char comm[MACHINE_COMM];	/* the leader's last; not cleaned, not always terminated */
	bool kernel;			/* a kernel thread */
	struct machine_mapping *mapping; /* by from_ns */
	unsigned int mappings;
};

struct machine_task {
	int32_t tid;
	uint64_t start_ns, until_ns;	/* as of a process */
	char comm[MACHINE_COMM];
	struct machine_process *process;
};

struct machine_module {
	char name[MACHINE_MODULE_NAME];
	uint64_t base, bytes;		/* of the part that holds the text */
	uint64_t from_ns, until_ns;	/* as of a mapping */
	uint8_t build_id_bytes, build_id[MACHINE_BUILD_ID];
};

struct machine *machine_create(void);	/* NULL: no memory */
void machine_destroy(struct machine *m);

/* What happened; id is builtin_id of the event, events come in the order of time. What is not about tasks is passed over. */
void machine_event(struct machine *m, uint16_t id, const struct event *e);

/* At a moment; NULL: not known. What is returned is valid until the machine is told more. */
const struct machine_task *machine_task(struct machine *m, int32_t tid, uint64_t at_ns);
const struct machine_process *machine_process(struct machine *m, int32_t pid, uint64_t at_ns);
const struct machine_mapping *machine_mapping(const struct machine_process *p, uint64_t address, uint64_t at_ns);
const struct machine_module *machine_module(const struct machine *m, uint64_t address, uint64_t at_ns);

/* All that it knows: a process, then its threads; `context` is handed on. What is NULL is not visited. */
struct machine_visit {
	void *context;
	void (*process)(void *context, const struct machine_process *p);
	void (*task)(void *context, const struct machine_task *t);
	void (*module)(void *context, const struct machine_module *module);
};
void machine_each(struct machine *m, const struct machine_visit *visit);

uint64_t machine_forgotten(const struct machine *m); /* tasks and mappings that there was no room for */

/* The build-id of the loaded module of this name. */
void machine_identify_module(struct machine *m, const char *name, const uint8_t *build_id, unsigned int bytes);

/*
 * For the reader of files: what was known. Records of one number in any order, but each with times of its own.
 * false: no room. A process comes before its tasks and mappings.
 */
struct machine_process *machine_add_process(struct machine *m, const struct machine_process *p);
bool machine_add_task(struct machine *m, const struct machine_task *t);
const struct machine_object *machine_object(struct machine *m, const struct machine_object *object); /* NULL: no room */
bool machine_add_mapping(struct machine *m, struct machine_process *p, const struct machine_mapping *mapping);
bool machine_add_module(struct machine *m, const struct machine_module *module);

#endif
