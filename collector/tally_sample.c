// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts samples by function. Which code an address is in is decided when the sample comes, from the mappings that the
 * stream has told by then: the process may be gone when its functions get their names. Samples wait for names, in
 * order, a few turns at most, and are counted then: rows never change their names.
 */
#include <stdlib.h>
#include <string.h>

#include "function_set.h"
#include "tally_internal.h"

enum {
	SAMPLE_STACK = 256,		/* addresses of a sample that are looked at: more than the module stores */
	SAMPLE_TURNS = 5,		/* that a sample waits at most: of tally_settle() */
	SAMPLE_WAIT_MS = 200,		/* at the end, for one answer */
	SAMPLE_WAITS = 50,
	SAMPLE_CLONE_THREAD = 0x10000,
};

#define SAMPLE_HELD_BYTES	(16ul << 20)

/* A sample by places. */
struct tally_stack {
	struct tally_process_key process;
	char comm[16];
	bool process_known;		/* its row is not the overflow row */
	uint64_t weight;
	uint8_t flags;
	unsigned int places;
	struct names_place place[SAMPLE_STACK];	/* innermost first; the array ends with the last place */
};

struct tally_held {
	struct tally_held *next;
	uint64_t since;			/* t->settled */
	struct tally_stack stack;	/* as much of it as there are places */
};

/* ---- counting ---- */

static enum names_state sample_function(struct tally *t, const struct names_place *place, const struct tally_function **out)
{
	struct names_function f;
	const enum names_state state = names_find(t->names, place, &f);

	*out = state == NAMES_NAMED ? function_set_named(t->functions, t->names, place, &f) :
				      function_set_unnamed(t->functions, t->names, place);
	return state;
}

static void sample_add(struct tally *t, const struct tally_stack *stack, const struct tally_function *f, bool self)
{
	const struct tally_function_key key = { f->number };
	const struct tally_process_function_key process_key = { .process = stack->process, .number = f->number };
	struct table *all = t->table[TALLY_FUNCTIONS], *own = t->table[TALLY_PROCESS_FUNCTIONS];
	struct table_row *row = table_row(all, &key);
	struct table_row *own_row = stack->process_known ? table_row(own, &process_key) : table_overflow(own);

	if (!table_is_overflow(row))
		*(const struct tally_function **)table_label(row) = f;
	if (!table_is_overflow(own_row)) {
		struct tally_process_function *label = table_label(own_row);

		label->function = f;
		memcpy(label->comm, stack->comm, sizeof(label->comm));
	}
	table_add(all, row, FUNCTION_TOTAL, stack->weight);
	table_add(all, row, FUNCTION_TOTAL_SAMPLES, 1);
	table_add(own, own_row, FUNCTION_TOTAL, stack->weight);
	table_add(own, own_row, FUNCTION_TOTAL_SAMPLES, 1);
	if (!self)
		return;
	table_add(all, row, FUNCTION_SELF, stack->weight);
	table_add(all, row, FUNCTION_SELF_SAMPLES, 1);
	table_add(own, own_row, FUNCTION_SELF, stack->weight);
	table_add(own, own_row, FUNCTION_SELF_SAMPLES, 1);
}

static void sample_add_caller(struct tally *t, const struct tally_function *caller, const struct tally_function *callee,
			      uint64_t weight)
{
	const struct tally_caller_key key = { caller->number, callee->number };
	struct table *callers = t->table[TALLY_CALLERS];
	struct table_row *row = table_row(callers, &key);

	if (!table_is_overflow(row))
		*(struct tally_caller *)table_label(row) = (struct tally_caller){ caller, callee };
	table_add(callers, row, CALLER_TIME, weight);
	table_add(callers, row, CALLER_SAMPLES, 1);
}

/* Did the pair (i, i + 1) come before in this stack? Recursion counts once. */
static bool sample_pair_seen(const struct tally_function *const *f, unsigned int i)
{
	for (unsigned int k = 0; k < i; k++)
		if (f[k] == f[i] && f[k + 1] == f[i + 1])
			return true;
	return false;
}

static void sample_count(struct tally *t, const struct tally_stack *stack)
{
	const struct tally_function *f[SAMPLE_STACK + 1];
	unsigned int n = stack->places;

	for (unsigned int i = 0; i < n; i++)
		if (sample_function(t, &stack->place[i], &f[i]) != NAMES_NAMED && !i)
			t->totals.samples_unnamed++;
	if (stack->flags & (KYMO_SAMPLE_KSTACK_TRUNCATED | KYMO_SAMPLE_USTACK_TRUNCATED))
		f[n++] = function_set_special(t->functions, FUNCTION_CUT);
	else if (stack->flags & KYMO_SAMPLE_USTACK_BROKEN)
		f[n++] = function_set_special(t->functions, FUNCTION_BROKEN);
	t->sample++;
	for (unsigned int i = 0; i < n; i++)
		if (function_set_first(t->functions, f[i], t->sample))
			sample_add(t, stack, f[i], !i);
	for (unsigned int i = 0; i + 1 < n; i++)
		if (!sample_pair_seen(f, i))
			sample_add_caller(t, f[i + 1], f[i], stack->weight);
}

/* ---- waiting for names ---- */

static bool sample_pending(struct tally *t, const struct tally_stack *stack)
{
	struct names_function f;
	bool pending = false;

	/* All are asked for at once. */
	for (unsigned int i = 0; i < stack->places; i++)
		pending |= names_find(t->names, &stack->place[i], &f) == NAMES_PENDING;
	return pending;
}

static size_t sample_held_bytes(const struct tally_stack *stack)
{
	return offsetof(struct tally_held, stack.place) + stack->places * sizeof(stack->place[0]);
}

static bool sample_hold(struct tally *t, const struct tally_stack *stack)
{
	const size_t bytes = sample_held_bytes(stack);
	struct tally_held *held = t->held_bytes + bytes <= SAMPLE_HELD_BYTES ? malloc(bytes) : NULL;

	if (!held)
		return false;
	held->next = NULL;
	held->since = t->settled;
	memcpy(&held->stack, stack, bytes - offsetof(struct tally_held, stack));
	*t->held_last = held;
	t->held_last = &held->next;
	t->held_bytes += bytes;
	return true;
}

static void sample_take(struct tally *t, const struct tally_stack *stack)
{
	if (!sample_pending(t, stack) || !sample_hold(t, stack))
		sample_count(t, stack);
}

static void sample_settle_turn(struct tally *t, bool final)
{
	struct tally_held **at = &t->held, *held;

	while ((held = *at)) {
		if (!final && t->settled - held->since < SAMPLE_TURNS && sample_pending(t, &held->stack)) {
			at = &held->next;
			continue;
		}
		sample_count(t, &held->stack);
		t->held_bytes -= sample_held_bytes(&held->stack);
		*at = held->next;
		free(held);
	}
	t->held_last = at;
}

void tally_settle(struct tally *t, bool final)
{
	names_poll(t->names);
	t->settled++;
	sample_settle_turn(t, false);
	for (unsigned int i = 0; final && t->held && i < SAMPLE_WAITS; i++) {
		names_wait(t->names, SAMPLE_WAIT_MS);
		if (names_poll(t->names))
			sample_settle_turn(t, false);
	}
	if (final)
		sample_settle_turn(t, true);
}

void tally_sample_fini(struct tally *t)
{
	struct tally_held *held;

	while ((held = t->held)) {
		t->held = held->next;
		free(held);
	}
}

/* ---- samples ---- */

/* One sequence of an event's data. What follows it, or NULL. */
static const uint8_t *sample_sequence(const uint8_t *at, const uint8_t *end, unsigned int *count)
{
	uint16_t n;

	*count = 0;
	if (!at || end - at < (ptrdiff_t)sizeof(n))
		return NULL;
	memcpy(&n, at, sizeof(n));
	at += sizeof(n);
	if ((size_t)(end - at) / sizeof(uint64_t) < n)
		return NULL;
	*count = n;
	return at + n * sizeof(uint64_t);
}

static uint64_t sample_address(const uint8_t *addresses, unsigned int i)
{
	uint64_t address;

	memcpy(&address, addresses + i * sizeof(address), sizeof(address));
	return address;
}

/* A return address may be the first byte of the next function: behind a call that does not return. */
static uint64_t sample_call(uint64_t address, bool innermost)
{
	return innermost || !address ? address : address - 1;
}

/*
 * Without frame pointers the walk follows whatever the register holds: an address at which no code is mapped was never
 * a caller's. The innermost is right in any case.
 */
static void sample_user_places(struct tally *t, struct tally_stack *stack, int32_t pid, const uint8_t *addresses,
			       unsigned int count)
{
	const bool known = spaces_known(t->spaces, pid);

	for (unsigned int i = 0; i < count && stack->places < SAMPLE_STACK; i++) {
		const struct names_place p = names_place(t->spaces, pid, sample_call(sample_address(addresses, i), !i), false);

		if (i && known && p.kind == NAMES_NOWHERE) {
			stack->flags = (stack->flags & ~KYMO_SAMPLE_USTACK_TRUNCATED) | KYMO_SAMPLE_USTACK_BROKEN;
			return;
		}
		stack->place[stack->places++] = p;
	}
}

static void sample_process(struct tally *t, struct tally_stack *stack, const struct kymo_ev_cpu_sample *ev)
{
	struct process *p = task_get(t->tasks, ev->tid, ev->pid, ev->comm)->process;
	struct table_row *row = tally_process_row(t, p);

	stack->process_known = !table_is_overflow(row);
	memcpy(&stack->process, table_key(row), sizeof(stack->process));
	memcpy(stack->comm, p->comm, sizeof(stack->comm));
}

static void sample_event(struct tally *t, const struct event *e)
{
	const struct kymo_ev_cpu_sample *ev = (const void *)e->data;
	const uint8_t *kernel = (const uint8_t *)(ev + 1), *end = e->data + e->bytes, *user;
	struct tally_stack stack;
	unsigned int kernels, users;

	user = sample_sequence(kernel, end, &kernels);
	sample_sequence(user, end, &users);
	stack.weight = ev->period;
	stack.flags = ev->flags;
	stack.places = 0;
	sample_process(t, &stack, ev);
	for (unsigned int i = 0; i < kernels && stack.places < SAMPLE_STACK; i++)
		stack.place[stack.places++] = names_place(t->spaces, ev->pid,
			sample_call(sample_address(kernel + sizeof(uint16_t), i), !i), true);
	sample_user_places(t, &stack, ev->pid, user ? user + sizeof(uint16_t) : NULL, users);
	if (!stack.places)
		stack.place[stack.places++] = names_place(t->spaces, ev->pid, ev->ip, !(ev->flags & KYMO_SAMPLE_USER));
	t->totals.sample_weight += ev->period;
	t->totals.sample_cycles += !!(ev->flags & KYMO_SAMPLE_CYCLES);
	t->totals.stacks_cut += !!(stack.flags & (KYMO_SAMPLE_KSTACK_TRUNCATED | KYMO_SAMPLE_USTACK_TRUNCATED));
	t->totals.stacks_broken += !!(stack.flags & KYMO_SAMPLE_USTACK_BROKEN);
	sample_take(t, &stack);
}

/* ---- mappings ---- */

/* The fields that both events have, by the same names. */
#define SAMPLE_MAPPED(t, ev, file_offset, new) \
	sample_mapped(t, (ev)->pid, &(struct binary_map){ (ev)->start, (ev)->end, file_offset, 0 }, \
		      &(struct binary_id){ .inode = (ev)->inode, .dev = (ev)->dev, .build_id_bytes = (ev)->build_id_bytes }, \
		      (ev)->build_id, (const char *)((ev) + 1), new)

static void sample_mapped(struct tally *t, int32_t pid, struct binary_map *map, struct binary_id *id, const uint8_t *build_id,
			  const char *path, bool new)
{
	if (id->build_id_bytes > BINARY_BUILD_ID)
		id->build_id_bytes = BINARY_BUILD_ID;
	memcpy(id->build_id, build_id, id->build_id_bytes);
	map->binary = names_binary(t->names, pid, map, id, path, new);
	spaces_map(t->spaces, pid, map);
}

void tally_sample_event(struct tally *t, uint16_t id, const struct event *e)
{
	const void *data = e->data;

	switch (id) {
	case KYMO_ID_cpu_sample:
		sample_event(t, e);
		break;
	case KYMO_ID_task_mmap: {
		const struct kymo_ev_task_mmap *ev = data;

		SAMPLE_MAPPED(t, ev, ev->offset, true);
		break;
	}
	case KYMO_ID_lttng_statedump_vm_map: {
		const struct kymo_ev_lttng_statedump_vm_map *ev = data;

		SAMPLE_MAPPED(t, ev, ev->pgoff, false);
		break;
	}
	case KYMO_ID_sched_process_fork: {
		const struct kymo_ev_sched_process_fork *ev = data;

		if (!(ev->clone_flags & SAMPLE_CLONE_THREAD))
			spaces_forked(t->spaces, ev->parent_pid, ev->child_pid);
		break;
	}
	case KYMO_ID_task_rename: {
		const struct kymo_ev_task_rename *ev = data;

		if (ev->tid == ev->pid)
			spaces_renamed(t->spaces, ev->pid);
		break;
	}
	case KYMO_ID_sched_process_exec:
		spaces_execed(t->spaces, ((const struct kymo_ev_sched_process_exec *)data)->tid);
		break;
	case KYMO_ID_sched_process_exit: {
		const struct kymo_ev_sched_process_exit *ev = data;

		if (ev->group_dead)
			spaces_exited(t->spaces, ev->pid);
		break;
	}
	case KYMO_ID_sched_process_free:
		spaces_freed(t->spaces, ((const struct kymo_ev_sched_process_free *)data)->tid);
		break;
	case KYMO_ID_module_load:
		names_kernel_changed(t->names);
		break;
	}
}
