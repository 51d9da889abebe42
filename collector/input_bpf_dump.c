// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The BPF input's start dump. Tasks and mappings come from iterators of the kernel, exact as the module's; interrupts,
 * modules and interfaces from /sys and /proc. It begins when the events do: who comes behind the iterator's back is
 * in the fork events. Interfaces of other network namespaces are not seen.
 */
#include <dirent.h>
#include <errno.h>
#include <kymo/event.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "input_bpf_internal.h"

enum { DUMP_CHUNK_BYTES = 1 << 18, DUMP_TEXT_BYTES = 256 };

static int dump_strings(struct bpf *b, uint16_t id, const void *ev, size_t bytes, const char *first, const char *second)
{
	uint8_t record[sizeof(struct kymo_ev_lttng_statedump_process_state) + 2 * DUMP_TEXT_BYTES];
	const size_t first_bytes = strnlen(first, DUMP_TEXT_BYTES - 1);

	memcpy(record, ev, bytes);
	memcpy(record + bytes, first, first_bytes);
	record[bytes + first_bytes] = 0;
	bytes += first_bytes + 1;
	if (second) {
		const size_t second_bytes = strnlen(second, DUMP_TEXT_BYTES - 1);

		memcpy(record + bytes, second, second_bytes);
		record[bytes + second_bytes] = 0;
		bytes += second_bytes + 1;
	}
	return bpf_own_record(b, clock_now_ns(), id, record, bytes);
}

static int dump_mark_start(struct bpf *b)
{
	int err = bpf_own_record(b, clock_now_ns(), KYMO_ID_lttng_statedump_start, "", 0);

	return err ? err : 1;
}

static int dump_mark_end(struct bpf *b)
{
	int err = bpf_own_record(b, clock_now_ns(), KYMO_ID_lttng_statedump_end, "", 0);

	return err ? err : 1;
}

/* ---- iterators ---- */

/* What an iterator has written: whole records, as a read ends at an element's end if it is large enough for one. */
static int dump_records(struct bpf *b, const uint8_t *from, size_t bytes)
{
	struct bpf_dump_head head;
	int err = 0;

	while (bytes >= sizeof(head) && !err) {
		memcpy(&head, from, sizeof(head));
		if (sizeof(head) + head.len > bytes)
			return -EPROTO;
		err = bpf_own_record(b, clock_now_ns(), head.id, from + sizeof(head), head.len);
		from += sizeof(head) + head.len;
		bytes -= sizeof(head) + head.len;
	}
	return err ? err : bytes ? -EPROTO : 0;
}

/* 1: done. */
static int dump_iterator(struct bpf *b, const char *name)
{
	uint8_t *chunk;
	ssize_t got;
	int err;

	if (b->dump_fd < 0)
		b->dump_fd = bpf_programs_iterate(b->programs, name);
	if (b->dump_fd < 0)	/* this kernel has no such iterator: the catalogue says so */
		return b->dump_fd == -ENOENT ? 1 : b->dump_fd;
	chunk = malloc(DUMP_CHUNK_BYTES);
	if (!chunk)
		return -ENOMEM;
	do
		got = read(b->dump_fd, chunk, DUMP_CHUNK_BYTES);
	while (got < 0 && (errno == EINTR || errno == EAGAIN));
	err = got < 0 ? -errno : dump_records(b, chunk, (size_t)got);
	free(chunk);
	if (err || !got) {
		close(b->dump_fd);
		b->dump_fd = -1;
	}
	return err ? err : !got;
}

static int dump_tasks(struct bpf *b)
{
	return dump_iterator(b, "dump_task");
}

static int dump_mappings(struct bpf *b)
{
	return dump_iterator(b, "dump_vma");
}

/* ---- /sys and /proc ---- */

static bool dump_read(const char *path, char text[DUMP_TEXT_BYTES])
{
	FILE *f = fopen(path, "re");
	bool got = f && fgets(text, DUMP_TEXT_BYTES, f);

	if (f)
		fclose(f);
	if (got)
		text[strcspn(text, "\n")] = 0;
	return got && *text;
}

static int dump_interrupt(struct bpf *b, unsigned int irq)
{
	const struct kymo_ev_lttng_statedump_interrupt ev = { .irq = irq };
	char path[64], chip[DUMP_TEXT_BYTES], actions[DUMP_TEXT_BYTES], *rest = NULL;
	int err = 0;

	snprintf(path, sizeof(path), "/sys/kernel/irq/%u/actions", irq);
	if (!dump_read(path, actions))
		return 0;
	snprintf(path, sizeof(path), "/sys/kernel/irq/%u/chip_name", irq);
	if (!dump_read(path, chip))
		*chip = 0;
	for (char *action = strtok_r(actions, ",", &rest); action && !err; action = strtok_r(NULL, ",", &rest))
		err = dump_strings(b, KYMO_ID_lttng_statedump_interrupt, &ev, sizeof(ev), chip, action);
	return err;
}

static int dump_interrupts(struct bpf *b)
{
	DIR *dir = opendir("/sys/kernel/irq");
	struct dirent *entry;
	int err = 0;

	while (dir && !err && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			err = dump_interrupt(b, (unsigned int)strtoul(entry->d_name, NULL, 10));
	if (dir)
		closedir(dir);
	return err ? err : 1;
}

/* name size users by state address */
static int dump_modules(struct bpf *b)
{
	FILE *f = fopen("/proc/modules", "re");
	char line[1024], name[64];
	unsigned long long base;
	unsigned int bytes;
	int err = 0;

	while (f && !err && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %u %*s %*s %*s %llx", name, &bytes, &base) == 3) {
			const struct kymo_ev_lttng_statedump_module ev = { .base = base, .bytes = bytes };

			err = dump_strings(b, KYMO_ID_lttng_statedump_module, &ev, sizeof(ev), name, NULL);
		}
	if (f)
		fclose(f);
	return err ? err : 1;
}

static int dump_interfaces(struct bpf *b)
{
	struct if_nameindex *all = if_nameindex();
	struct stat ns;
	int err = 0;

	for (struct if_nameindex *i = all; i && i->if_index && !err; i++) {
		struct kymo_ev_lttng_statedump_network_interface ev = { .ifindex = (int32_t)i->if_index };

		if (!stat("/proc/self/ns/net", &ns))
			ev.netns = (uint32_t)ns.st_ino;
		strncpy(ev.name, i->if_name, sizeof(ev.name) - 1);
		err = bpf_own_record(b, clock_now_ns(), KYMO_ID_lttng_statedump_network_interface, &ev, sizeof(ev));
	}
	if_freenameindex(all);
	return err ? err : 1;
}

/* Each returns 1 when it is through, 0 when it wants to be called again. */
static int (*const dump_steps[])(struct bpf *b) = {
	dump_mark_start, dump_tasks, dump_mappings, dump_modules, dump_interrupts, dump_interfaces, dump_mark_end,
};

int bpf_dump_step(struct bpf *b)
{
	const int steps = sizeof(dump_steps) / sizeof(dump_steps[0]);
	int got;

	if (b->dump_step == steps)
		return 1;
	got = dump_steps[b->dump_step](b);
	b->dump_step += got == 1;
	return got < 0 ? got : b->dump_step == steps;
}
