// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attachments by perf events. Each has the program loaded once more, of the same instructions: the kernel counts by
 * program how often it did not run it.
 */
#include "bpf_attachment.h"

#include <errno.h>

#ifdef KYMO_BPF
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf_programs_internal.h"
#include "cpu_list.h"

struct bpf_attachment {
	int program, event, link;	/* fds */
	uint64_t missed_before, missed;
	bool ended;
};

static struct bpf_attachment *attachment_create(void)
{
	struct bpf_attachment *a = calloc(1, sizeof(*a));

	if (a)
		*a = (struct bpf_attachment){ .program = -1, .event = -1, .link = -1 };
	return a;
}

static void attachment_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The map numbers in the instructions are those of the loaded object. */
static int attachment_load(struct bpf_attachment *a, const struct bpf_programs *p, const char *name)
{
	const struct bpf_program_state *s = bpf_programs_find(p, name);

	if (!s)
		return -EOPNOTSUPP;
	a->program = bpf_prog_load(bpf_program__type(s->program), name, "Dual BSD/GPL", bpf_program__insns(s->program),
				   bpf_program__insn_cnt(s->program), NULL);
	return a->program < 0 ? a->program : 0;
}

struct attachment_open {
	struct perf_event_attr *attr;
	int fd, err;
};

/*
 * One CPU's event is enough: its program runs on all of them, and also while the event is disabled, which it stays: perf
 * itself has nothing to do then.
 */
static void attachment_open_cpu(void *context, unsigned int cpu)
{
	struct attachment_open *o = context;

	if (o->fd >= 0 || (o->err && o->err != -ENODEV))
		return;
	o->fd = (int)syscall(SYS_perf_event_open, o->attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	o->err = o->fd < 0 ? -errno : 0;
}

static int attachment_attach(struct bpf_attachment *a, struct perf_event_attr *attr, unsigned int slot)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .perf_event.bpf_cookie = slot);
	struct attachment_open o = { .attr = attr, .fd = -1 };
	int err = cpu_list_read("online", attachment_open_cpu, &o);

	a->event = o.fd;
	if (err < 0 || o.err)
		return err < 0 ? err : o.err;
	a->link = bpf_link_create(a->program, a->event, BPF_PERF_EVENT, &options);
	return a->link < 0 ? -errno : 0;
}

static int attachment_finish(struct bpf_attachment *a, int err, struct bpf_attachment **out)
{
	if (err)
		bpf_attachment_destroy(a);
	else
		*out = a;
	return err;
}

int bpf_attachment_tracepoint(struct bpf_programs *p, unsigned int slot, uint64_t event, const struct bpf_shape *shape,
			      struct bpf_attachment **out)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_TRACEPOINT, .config = event, .disabled = 1 };
	struct bpf_attachment *a = attachment_create();
	const uint32_t index = slot - BPF_MADE_FIRST;
	int err;

	if (!a)
		return -ENOMEM;
	err = bpf_map_update_elem(bpf_map__fd(p->skeleton->maps.shapes), &index, shape, BPF_ANY) ? -errno : 0;
	if (!err)
		err = attachment_load(a, p, "tracepoint_any");
	if (!err)
		err = attachment_attach(a, &attr, slot);
	return attachment_finish(a, err, out);
}

void bpf_attachment_begin(struct bpf_attachment *a)
{
	a->missed_before = bpf_programs_misses(a->program);
}

void bpf_attachment_end(struct bpf_attachment *a)
{
	attachment_close(&a->link);
	attachment_close(&a->event);
	a->missed = bpf_programs_misses(a->program) - a->missed_before;
	a->ended = true;
}

void bpf_attachment_destroy(struct bpf_attachment *a)
{
	if (!a)
		return;
	attachment_close(&a->link);
	attachment_close(&a->event);
	attachment_close(&a->program);
	free(a);
}

uint64_t bpf_attachment_missed(const struct bpf_attachment *a)
{
	return a->ended ? a->missed : bpf_programs_misses(a->program) - a->missed_before;
}

static bool attachment_has_member(const struct btf *btf, uint32_t type, const char *name, unsigned int depth)
{
	const struct btf_type *t = btf__type_by_id(btf, type);

	if (!t || !btf_is_composite(t) || !depth)
		return false;
	for (unsigned int i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];

		if (!strcmp(btf__str_by_offset(btf, m->name_off), name) || attachment_has_member(btf, m->type, name, depth - 1))
			return true;
	}
	return false;
}

/* Since the kernel tells a link's misses; both came together (6.7). */
bool bpf_attachment_misses_are_counted(const struct bpf_programs *p)
{
	const int id = btf__find_by_name_kind(p->btf, "bpf_link_info", BTF_KIND_STRUCT);

	return id > 0 && attachment_has_member(p->btf, (uint32_t)id, "missed", 5);
}

#else

int bpf_attachment_tracepoint(struct bpf_programs *p, unsigned int slot, uint64_t event, const struct bpf_shape *shape,
			      struct bpf_attachment **out)
{
	return -ENOTSUP;
}

void bpf_attachment_begin(struct bpf_attachment *a) { }
void bpf_attachment_end(struct bpf_attachment *a) { }
void bpf_attachment_destroy(struct bpf_attachment *a) { }
uint64_t bpf_attachment_missed(const struct bpf_attachment *a) { return 0; }
bool bpf_attachment_misses_are_counted(const struct bpf_programs *p) { return false; }

#endif
