/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF as an input, for machines where the module cannot be loaded: the same event types, in the same packets, with the
 * same calls in the same order as input_kmod.h. The programs' rings are emptied here, records put in order and packets
 * made of them.
 */
#ifndef KYMO_INPUT_BPF_H
#define KYMO_INPUT_BPF_H

#include <stddef.h>
#include "input.h"

/* Loads all programs; the catalogue says which of them this kernel does not take. */
int input_bpf_open(struct input **out);

const struct kymo_info *input_bpf_info(const struct input *in);
int input_bpf_setup(struct input *in, struct kymo_setup *setup);
int input_bpf_enable(struct input *in, struct kymo_enable *enable);
int input_bpf_describe(struct input *in, const char *name);
int input_bpf_map(struct input *in);
int input_bpf_start(struct input *in);
int input_bpf_stop(struct input *in);
int input_bpf_dump(struct input *in, bool *done);
int input_bpf_sync(struct input *in, uint64_t *time_ns);
int input_bpf_stats(struct input *in, const struct kymo_type_stats **stats, unsigned int *count, uint64_t *time_ns);
uint64_t input_bpf_memory(const struct input *in);
void input_bpf_open_packets(struct input *in, bool yes);
int input_bpf_catalogue(struct input *in);
int input_bpf_fd(const struct input *in);	/* for poll(2): readable when a ring is half full */
void input_bpf_sentence(const struct input *in, const char *what, int err, char *out, size_t bytes);

#endif
