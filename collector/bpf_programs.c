// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads, tries, attaches. A program is called after its event type; where there are several for one type, they are
 * called TYPE, TYPE__older, ...: the first that the kernel takes is used.
 */
#include "bpf_programs.h"

#include <errno.h>

bool bpf_programs_built(void)
{
#ifdef KYMO_BPF
	return true;
#else
	return false;
#endif
}

#ifdef KYMO_BPF
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf_programs_internal.h"

/* What libbpf has to say goes into reasons, not to the terminal. */
static int programs_silent(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

/* ---- which of them this kernel takes ---- */

static const char *programs_target(const struct bpf_program_state *s)
{
	const char *slash = strchr(bpf_program__section_name(s->program), '/');

	return slash ? slash + 1 : "";
}

static bool programs_is_tracepoint(const struct bpf_program_state *s)
{
	const char *section = bpf_program__section_name(s->program);

	return !strncmp(section, "tp_btf/", 7) || !strncmp(section, "raw_tp/", 7);
}

/* Asked of the kernel's types: without this a program that has no tracepoint would make the whole load fail. */
static bool programs_has_target(const struct bpf_programs *p, struct bpf_program_state *s)
{
	char name[PROGRAM_NAME_BYTES + 16];

	if (!programs_is_tracepoint(s))
		return true;
	snprintf(name, sizeof(name), "btf_trace_%.80s", programs_target(s));
	if (btf__find_by_name_kind(p->btf, name, BTF_KIND_TYPEDEF) > 0)
		return true;
	snprintf(s->reason, sizeof(s->reason), "this kernel has no tracepoint %.50s", programs_target(s));
	return false;
}

/* The parameters of a tracepoint, the hidden first one not counted; 0: not known. */
static unsigned int programs_parameters(const struct bpf_programs *p, const char *target)
{
	char name[PROGRAM_NAME_BYTES + 16];
	const struct btf_type *t;

	snprintf(name, sizeof(name), "btf_trace_%.80s", target);
	t = btf__type_by_id(p->btf, (unsigned int)btf__find_by_name_kind(p->btf, name, BTF_KIND_TYPEDEF));
	t = t ? btf__type_by_id(p->btf, t->type) : NULL;
	t = t && btf_is_ptr(t) ? btf__type_by_id(p->btf, t->type) : NULL;
	return t && btf_is_func_proto(t) && btf_vlen(t) ? btf_vlen(t) - 1u : 0;
}

static int programs_find(struct bpf_programs *p)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, p->skeleton->obj) {
		struct bpf_program_state *s = &p->program[p->programs++];
		const char *older;

		if (p->programs > PROGRAMS_MAX)
			return -ENOSPC;
		*s = (struct bpf_program_state){ .program = program, .name = bpf_program__name(program), .link = -1 };
		snprintf(s->type, sizeof(s->type), "%s", s->name);
		older = strstr(s->type, "__");
		if (older)
			s->type[older - s->type] = 0;
	}
	return 0;
}

/* Programs that want a parameter that older kernels do not have, and have a program for those. */
static unsigned int programs_needs(const struct bpf_program_state *s)
{
	static const struct {
		const char *name;
		unsigned int parameters;
	} needs[] = { { "sched_process_exit", 2 }, { "skb_kfree", 4 } };

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (!strcmp(s->name, needs[i].name))
			return needs[i].parameters;
	return 0;
}

static void programs_choose(struct bpf_programs *p)
{
	for (unsigned int i = 0; i < p->programs; i++) {
		struct bpf_program_state *s = &p->program[i];

		if (!s->reason[0])
			s->works = programs_has_target(p, s);
		if (s->works && programs_is_tracepoint(s) && programs_parameters(p, programs_target(s)) < programs_needs(s))
			s->works = false;
		for (unsigned int j = 0; j < i && s->works; j++)
			if (p->program[j].works && !strcmp(p->program[j].type, s->type))
				s->works = false;
		bpf_program__set_autoload(s->program, s->works);
	}
}

static int programs_prepare(struct bpf_programs *p)
{
	int err;

	p->skeleton = kymo_bpf__open();
	if (!p->skeleton)
		return -errno;
	p->skeleton->rodata->emit_cpus = p->cpus;
	err = bpf_map__set_max_entries(p->skeleton->maps.rings, p->cpus * BPF_SETS);
	return err ? err : bpf_map__set_max_entries(p->skeleton->maps.counts, p->cpus);
}

/* One alone, in an object of its own. */
static int programs_try(const struct bpf_programs *p, const char *name)
{
	struct bpf_programs alone = { .cpus = p->cpus };
	struct bpf_program *program;
	int err = programs_prepare(&alone);

	if (!err) {
		bpf_object__for_each_program(program, alone.skeleton->obj)
			bpf_program__set_autoload(program, !strcmp(bpf_program__name(program), name));
		err = kymo_bpf__load(alone.skeleton);
	}
	kymo_bpf__destroy(alone.skeleton);
	return err;
}

/* Which of them are at fault. The first error, if none works. */
static int programs_try_each(struct bpf_programs *p)
{
	unsigned int work = 0;
	int first = 0;

	for (unsigned int i = 0; i < p->programs; i++) {
		struct bpf_program_state *s = &p->program[i];
		int err;

		if (s->reason[0])
			continue;
		err = programs_try(p, s->name);
		if (err)
			snprintf(s->reason, sizeof(s->reason), "this kernel refuses its BPF program: %.60s", strerror(-err));
		first = first ? first : err;
		work += !err;
	}
	return work ? 0 : first;
}

static int programs_load(struct bpf_programs *p)
{
	int err = programs_prepare(p);

	if (!err)
		err = programs_find(p);
	if (err)
		return err;
	programs_choose(p);
	return kymo_bpf__load(p->skeleton);
}

/* A load that failed cannot be tried again: another object, and what was learned of its programs. */
static int programs_load_again(struct bpf_programs *p)
{
	struct bpf_program_state known[PROGRAMS_MAX];
	int err = programs_try_each(p);

	if (err)
		return err;
	memcpy(known, p->program, sizeof(known));
	kymo_bpf__destroy(p->skeleton);
	p->programs = 0;
	err = programs_prepare(p);
	if (!err)
		err = programs_find(p);
	if (err)
		return err;
	for (unsigned int i = 0; i < p->programs; i++)
		memcpy(p->program[i].reason, known[i].reason, sizeof(known[i].reason));
	programs_choose(p);
	return kymo_bpf__load(p->skeleton);
}

static int programs_map_counts(struct bpf_programs *p)
{
	void *map = mmap(NULL, bpf_programs_bytes(p), PROT_READ, MAP_SHARED, bpf_map__fd(p->skeleton->maps.counts), 0);

	if (map == MAP_FAILED)
		return -errno;
	p->counts = map;
	return 0;
}

int bpf_programs_open(struct bpf_programs **out, unsigned int cpus)
{
	struct bpf_programs *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	p->cpus = cpus;
	p->ring_fd = -1;
	libbpf_set_print(programs_silent);
	p->btf = btf__load_vmlinux_btf();
	err = p->btf ? programs_load(p) : -ENOENT;
	if (err && p->programs && err != -EPERM)
		err = programs_load_again(p);
	if (!err) {
		memset(p->skeleton->bss->emit_set, BPF_SET_NONE, sizeof(p->skeleton->bss->emit_set));
		err = programs_map_counts(p);
	}
	if (err) {
		bpf_programs_destroy(p);
		return err;
	}
	*out = p;
	return 0;
}

void bpf_programs_destroy(struct bpf_programs *p)
{
	if (!p)
		return;
	bpf_programs_detach(p);
	if (p->counts)
		munmap(p->counts, bpf_programs_bytes(p));
	if (p->ring_fd >= 0)
		close(p->ring_fd);
	kymo_bpf__destroy(p->skeleton);
	btf__free(p->btf);
	free(p);
}

struct bpf_program_state *bpf_programs_find(const struct bpf_programs *p, const char *type)
{
	for (unsigned int i = 0; i < p->programs; i++)
		if (p->program[i].works && !strcmp(p->program[i].type, type))
			return (struct bpf_program_state *)&p->program[i];
	return NULL;
}

const char *bpf_programs_reason(const struct bpf_programs *p, const char *type)
{
	const char *reason = NULL;

	if (bpf_programs_find(p, type))
		return NULL;
	for (unsigned int i = 0; i < p->programs; i++)
		if (!strcmp(p->program[i].type, type) && p->program[i].reason[0])
			reason = p->program[i].reason;
	return reason ? reason : "the BPF input does not have it";
}

/* ---- a session ---- */

void bpf_programs_set(struct bpf_programs *p, uint16_t id, unsigned int set)
{
	p->skeleton->bss->emit_set[id] = (uint8_t)set;
}

void bpf_programs_syscall(struct bpf_programs *p, unsigned int number)
{
	p->skeleton->bss->emit_known[number] = 1;
}

void bpf_programs_ring_bytes(struct bpf_programs *p, uint32_t bytes)
{
	p->skeleton->bss->emit_ring_bytes = bytes;
}

int bpf_programs_ring(struct bpf_programs *p, unsigned int index, uint32_t bytes)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "kymo_ring", 0, 0, bytes, NULL);
	int err;

	if (fd < 0)
		return -errno;
	err = bpf_map_update_elem(bpf_map__fd(p->skeleton->maps.rings), &index, &fd, BPF_ANY) ? -errno : 0;
	if (!err && p->ring_fd < 0) {
		p->ring_index = index;
		p->ring_fd = dup(fd);
		if (p->ring_fd < 0)
			err = -errno;
	}
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

/*
 * The kernel lets whoever changes a map of maps wait until no program uses the old one any more. The same ring once
 * more changes nothing but that.
 */
int bpf_programs_grace(struct bpf_programs *p)
{
	return bpf_map_update_elem(bpf_map__fd(p->skeleton->maps.rings), &p->ring_index, &p->ring_fd, BPF_ANY) ? -errno : 0;
}

uint64_t bpf_programs_misses(int program_fd)
{
	struct bpf_prog_info info = {};
	__u32 bytes = sizeof(info);

	return bpf_obj_get_info_by_fd(program_fd, &info, &bytes) ? 0 : info.recursion_misses;
}

uint64_t bpf_programs_missed(const struct bpf_programs *p, const char *type)
{
	const struct bpf_program_state *s = bpf_programs_find(p, type);

	if (!s)
		return 0;
	return s->link >= 0 ? bpf_programs_misses(bpf_program__fd(s->program)) - s->missed_before : s->missed;
}

int bpf_programs_attach(struct bpf_programs *p, const char *type)
{
	struct bpf_program_state *s = bpf_programs_find(p, type);
	int link;

	if (!s)
		return -EOPNOTSUPP;
	if (s->link >= 0 || !programs_is_tracepoint(s))
		return 0;
	s->missed_before = bpf_programs_misses(bpf_program__fd(s->program));
	link = bpf_raw_tracepoint_open(strncmp(bpf_program__section_name(s->program), "raw_tp/", 7) ? NULL : programs_target(s),
				       bpf_program__fd(s->program));
	if (link < 0)
		return -errno;
	s->link = link;
	return 0;
}

void bpf_programs_detach(struct bpf_programs *p)
{
	for (unsigned int i = 0; i < p->programs; i++) {
		struct bpf_program_state *s = &p->program[i];

		if (s->link < 0)
			continue;
		s->missed = bpf_programs_misses(bpf_program__fd(s->program)) - s->missed_before;
		close(s->link);
		s->link = -1;
	}
}

void bpf_programs_activate(struct bpf_programs *p, bool yes)
{
	__atomic_store_n(&p->skeleton->bss->emit_active, yes, __ATOMIC_RELEASE);
}

const struct bpf_cpu_counts *bpf_programs_counts(const struct bpf_programs *p, unsigned int cpu)
{
	return &p->counts[cpu];
}

int bpf_programs_fd(const struct bpf_programs *p, const char *name)
{
	const struct bpf_program_state *s = bpf_programs_find(p, name);

	return s ? bpf_program__fd(s->program) : -ENOENT;
}

int bpf_programs_iterate(struct bpf_programs *p, const char *name)
{
	int program = bpf_programs_fd(p, name), link, fd;

	if (program < 0)
		return program;
	link = bpf_link_create(program, 0, BPF_TRACE_ITER, NULL);
	if (link < 0)
		return -errno;
	fd = bpf_iter_create(link);
	if (fd < 0)
		fd = -errno;
	close(link);	/* the iterator holds what it needs */
	return fd;
}

void bpf_programs_sample_period(struct bpf_programs *p, uint64_t ns)
{
	p->skeleton->bss->sample_period_ns = ns;
}

const char *bpf_programs_drop_reason(const struct bpf_programs *p, uint32_t reason)
{
	static const char prefix[] = "SKB_DROP_REASON_";
	const int id = btf__find_by_name_kind(p->btf, "skb_drop_reason", BTF_KIND_ENUM);
	const struct btf_type *t = btf__type_by_id(p->btf, (unsigned int)id);

	for (unsigned int i = 0; t && i < btf_vlen(t); i++) {
		const char *name = btf__str_by_offset(p->btf, btf_enum(t)[i].name_off);

		if ((uint32_t)btf_enum(t)[i].val == reason)
			return strncmp(name, prefix, sizeof(prefix) - 1) ? name : name + sizeof(prefix) - 1;
	}
	return "";
}

uint64_t bpf_programs_bytes(const struct bpf_programs *p)
{
	return p->cpus * sizeof(struct bpf_cpu_counts);
}

#else /* without clang or bpftool there are no programs to load */

int bpf_programs_open(struct bpf_programs **out, unsigned int cpus)
{
	return -ENOTSUP;
}

void bpf_programs_destroy(struct bpf_programs *p) { }
const char *bpf_programs_reason(const struct bpf_programs *p, const char *type) { return ""; }
void bpf_programs_set(struct bpf_programs *p, uint16_t id, unsigned int set) { }
void bpf_programs_syscall(struct bpf_programs *p, unsigned int number) { }
void bpf_programs_ring_bytes(struct bpf_programs *p, uint32_t bytes) { }
int bpf_programs_ring(struct bpf_programs *p, unsigned int index, uint32_t bytes) { return -ENOTSUP; }
int bpf_programs_attach(struct bpf_programs *p, const char *type) { return -ENOTSUP; }
void bpf_programs_detach(struct bpf_programs *p) { }
void bpf_programs_activate(struct bpf_programs *p, bool yes) { }
int bpf_programs_grace(struct bpf_programs *p) { return -ENOTSUP; }
const struct bpf_cpu_counts *bpf_programs_counts(const struct bpf_programs *p, unsigned int cpu) { return NULL; }
uint64_t bpf_programs_missed(const struct bpf_programs *p, const char *type) { return 0; }
int bpf_programs_iterate(struct bpf_programs *p, const char *name) { return -ENOTSUP; }
int bpf_programs_fd(const struct bpf_programs *p, const char *name) { return -ENOTSUP; }
void bpf_programs_sample_period(struct bpf_programs *p, uint64_t ns) { }
const char *bpf_programs_drop_reason(const struct bpf_programs *p, uint32_t reason) { return ""; }
uint64_t bpf_programs_bytes(const struct bpf_programs *p) { return 0; }

#endif
