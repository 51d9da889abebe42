// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The BPF input's event types that are made when they are asked for: tracepoints of the kernel. They are attached when
 * they are enabled, which is how it is found whether they work here; nothing is written before the session runs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input_bpf_internal.h"

static int made_find(const struct bpf *b, const char *request)
{
	for (unsigned int i = 0; i < b->made_count; i++)
		if (!strcmp(b->made[i]->request, request))
			return (int)i;
	return -ENOENT;
}

static void made_free(struct bpf_made *made)
{
	bpf_attachment_destroy(made->attachment);
	free(made->tracepoint);
	free(made);
}

/* ---- tracepoints ---- */

static int made_shape(const struct tracepoint *t, struct bpf_shape *shape)
{
	*shape = (struct bpf_shape){ .fixed_bytes = t->fixed_bytes };
	for (unsigned int i = 0; i < t->takes; i++) {
		const struct kymo_take *take = &t->take[i];

		if (take->kind != KYMO_TAKE_STRING && take->kind != KYMO_TAKE_SEQUENCE)
			continue;
		if (shape->located == BPF_LOCATED)
			return -EOPNOTSUPP;
		shape->word[shape->located].offset = take->offset;
		shape->word[shape->located++].relative = take->relative;
	}
	return 0;
}

static void made_unavailable(struct kymo_event_type *t, const char *why)
{
	t->flags |= KYMO_TYPE_UNAVAILABLE;
	snprintf(t->reason, sizeof(t->reason), "%.*s", (int)sizeof(t->reason) - 1, why);
}

static int made_tracepoint(struct bpf *b, struct bpf_made *made, struct kymo_event_type *t)
{
	char why[TRACEPOINT_REASON_BYTES] = "";
	int err;

	made->tracepoint = malloc(sizeof(*made->tracepoint));
	if (!made->tracepoint)
		return -ENOMEM;
	err = tracepoint_read(made->tracepoint, made->request, why);
	if (err == -EACCES)
		snprintf(why, sizeof(why), "its format in tracefs is not for us to read: it takes root or CAP_DAC_READ_SEARCH");
	if (err && err != -EOPNOTSUPP && err != -EACCES)
		return err;
	snprintf(t->source, sizeof(t->source), "tracepoint");
	snprintf(t->name, sizeof(t->name), "%.*s", (int)sizeof(t->name) - 1, made->request);
	t->fields = err ? 0 : (uint16_t)made->tracepoint->fields;
	if (err) {
		made_unavailable(t, why);
	} else if (!bpf_attachment_misses_are_counted(b->programs)) {
		t->flags = KYMO_TYPE_INEXACT;
		snprintf(t->reason, sizeof(t->reason), "while another BPF program runs on the CPU this kernel drops it uncounted");
	}
	return 0;
}

int bpf_made_attach(struct bpf *b, struct kymo_event_type *t)
{
	struct bpf_made *made = b->made[t->id - KYMO_ID_TRACEPOINT];
	char why[KYMO_REASON_BYTES];
	struct bpf_shape shape;
	int err;

	if (made->attachment || (t->flags & KYMO_TYPE_UNAVAILABLE))
		return 0;
	if (made_shape(made->tracepoint, &shape)) {
		made_unavailable(t, "it has more fields of variable size than the BPF input takes");
		return 0;
	}
	err = bpf_attachment_tracepoint(b->programs, bpf_slot(t->id), made->tracepoint->event, &shape, &made->attachment);
	if (err == -EOPNOTSUPP) {
		made_unavailable(t, bpf_programs_reason(b->programs, "tracepoint_any"));
	} else if (err && err != -ENOMEM) {
		snprintf(why, sizeof(why), "the kernel does not attach a BPF program to it: %.40s", strerror(-err));
		made_unavailable(t, why);
	}
	return err == -ENOMEM ? err : 0;
}

/* ---- any of them ---- */

int bpf_made_type(struct bpf *b, const char *request)
{
	const unsigned int index = b->made_count;
	struct kymo_event_type t = { .id = (uint16_t)(KYMO_ID_TRACEPOINT + index) };
	struct bpf_made *made;
	int known = made_find(b, request), err;

	if (known >= 0)
		return KYMO_ID_TRACEPOINT + known;
	if (index == BPF_MADE)
		return -E2BIG;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	snprintf(made->request, sizeof(made->request), "%s", request);
	err = made_tracepoint(b, made, &t);
	if (!err)
		err = bpf_entry_add(b, &t, made->tracepoint->field);
	if (err) {
		made_free(made);
		return err;
	}
	b->made[b->made_count++] = made;
	return t.id;
}

void bpf_made_begin(struct bpf *b)
{
	for (unsigned int i = 0; i < b->made_count; i++)
		if (b->made[i]->attachment)
			bpf_attachment_begin(b->made[i]->attachment);
}

void bpf_made_end(struct bpf *b)
{
	for (unsigned int i = 0; i < b->made_count; i++)
		if (b->made[i]->attachment)
			bpf_attachment_end(b->made[i]->attachment);
}

uint64_t bpf_made_missed(const struct bpf *b, unsigned int slot)
{
	return bpf_attachment_missed(b->made[slot - BPF_MADE_FIRST]->attachment);
}

void bpf_made_fini(struct bpf *b)
{
	for (unsigned int i = 0; i < b->made_count; i++)
		made_free(b->made[i]);
}
