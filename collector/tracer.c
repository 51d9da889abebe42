// SPDX-License-Identifier: GPL-2.0-or-later
/* Which input it is, and whom to ask. */
#include "tracer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "input_bpf.h"
#include "input_kmod.h"

struct tracer_ops {
	const char *name;		/* that of its input_ops */
	const char *about;
	int (*open)(struct input **out);
	const struct kymo_info *(*info)(const struct input *in);
	int (*setup)(struct input *in, struct kymo_setup *setup);
	int (*enable)(struct input *in, struct kymo_enable *enable);
	int (*describe)(struct input *in, const char *name);
	int (*map)(struct input *in);
	int (*start)(struct input *in);
	int (*stop)(struct input *in);
	int (*dump)(struct input *in, bool *done);
	int (*sync)(struct input *in, uint64_t *time_ns);
	int (*stats)(struct input *in, const struct kymo_type_stats **stats, unsigned int *count, uint64_t *time_ns);
	uint64_t (*memory)(const struct input *in);
	void (*open_packets)(struct input *in, bool yes);
	int (*catalogue)(struct input *in);
	int (*fd)(const struct input *in);
	void (*sentence)(const struct input *in, const char *what, int err, char *out, size_t bytes);
};

#define TRACER_OPS(kind, text) { \
	.name = #kind, .about = text, .open = input_##kind##_open, .info = input_##kind##_info, .setup = input_##kind##_setup, \
	.enable = input_##kind##_enable, .describe = input_##kind##_describe, \
	.map = input_##kind##_map, .start = input_##kind##_start, \
	.stop = input_##kind##_stop, .dump = input_##kind##_dump, .sync = input_##kind##_sync, \
	.stats = input_##kind##_stats, .memory = input_##kind##_memory, .open_packets = input_##kind##_open_packets, \
	.catalogue = input_##kind##_catalogue, .fd = input_##kind##_fd, .sentence = input_##kind##_sentence }

static const struct tracer_ops tracers[] = {
	TRACER_OPS(kmod, "kmod (the kymo module)"),
	TRACER_OPS(bpf, "bpf (BPF programs: no module is loaded)"),
};

enum { TRACERS = sizeof(tracers) / sizeof(tracers[0]), TRACER_KMOD = 0, TRACER_BPF = 1 };

static const struct tracer_ops *tracer_find(const char *name)
{
	for (unsigned int i = 0; i < TRACERS; i++)
		if (!strcmp(tracers[i].name, name))
			return &tracers[i];
	return NULL;
}

static const struct tracer_ops *tracer_of(const struct input *in)
{
	return tracer_find(in->ops->name);
}

bool tracer_is_name(const char *which)
{
	return tracer_find(which);
}

static int tracer_try(const struct tracer_ops *t, struct input **out, char why[TRACER_WHY_BYTES])
{
	int err = t->open(out);

	if (err)
		t->sentence(NULL, "open", err, why, TRACER_WHY_BYTES);
	return err;
}

/* A module that is there but refuses us is what the user means: only where there is none, BPF comes in. */
int tracer_open(struct input **out, const char *which, char why[TRACER_WHY_BYTES])
{
	char module[TRACER_WHY_BYTES / 2 - 32], bpf[TRACER_WHY_BYTES];
	int err;

	if (which && !tracer_find(which)) {
		snprintf(why, TRACER_WHY_BYTES, "'%.40s' is no input: kmod or bpf", which);
		return -EINVAL;
	}
	if (which)
		return tracer_try(tracer_find(which), out, why);
	err = tracers[TRACER_KMOD].open(out);
	if (!err)
		return 0;
	tracers[TRACER_KMOD].sentence(NULL, "open", err, why, TRACER_WHY_BYTES);
	if (err != -ENOENT && err != -ENODEV && err != -ENXIO)
		return err;
	err = tracer_try(&tracers[TRACER_BPF], out, bpf);
	if (!err)
		return 0;
	snprintf(module, sizeof(module), "%s", why);
	snprintf(why, TRACER_WHY_BYTES, "%s. Nor does BPF work instead of it: %.*s", module, TRACER_WHY_BYTES / 2 - 32, bpf);
	return err;
}

const char *tracer_about(const struct input *in)
{
	return tracer_of(in)->about;
}

const struct kymo_info *tracer_info(const struct input *in)
{
	return tracer_of(in)->info(in);
}

int tracer_setup(struct input *in, struct kymo_setup *setup)
{
	return tracer_of(in)->setup(in, setup);
}

int tracer_enable(struct input *in, struct kymo_enable *enable)
{
	return tracer_of(in)->enable(in, enable);
}

int tracer_describe(struct input *in, const char *name)
{
	return tracer_of(in)->describe(in, name);
}

int tracer_map(struct input *in)
{
	return tracer_of(in)->map(in);
}

int tracer_start(struct input *in)
{
	return tracer_of(in)->start(in);
}

int tracer_stop(struct input *in)
{
	return tracer_of(in)->stop(in);
}

int tracer_dump(struct input *in, bool *done)
{
	return tracer_of(in)->dump(in, done);
}

int tracer_sync(struct input *in, uint64_t *time_ns)
{
	return tracer_of(in)->sync(in, time_ns);
}

int tracer_stats(struct input *in, const struct kymo_type_stats **stats, unsigned int *count, uint64_t *time_ns)
{
	return tracer_of(in)->stats(in, stats, count, time_ns);
}

uint64_t tracer_memory(const struct input *in)
{
	return tracer_of(in)->memory(in);
}

void tracer_open_packets(struct input *in, bool yes)
{
	tracer_of(in)->open_packets(in, yes);
}

int tracer_catalogue(struct input *in)
{
	return tracer_of(in)->catalogue(in);
}

int tracer_fd(const struct input *in)
{
	return tracer_of(in)->fd(in);
}

void tracer_sentence(const struct input *in, const char *what, int err, char *out, size_t bytes)
{
	tracer_of(in)->sentence(in, what, err, out, bytes);
}
