/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings of one session: up to KYMO_SETS_MAX sets, in each a ring for every CPU that has been online. Memory,
 * hotplug and maps. Knows neither event types nor who writes.
 */
#ifndef KYMO_RINGSET_H
#define KYMO_RINGSET_H

#include <linux/mm_types.h>
#include <linux/smp.h>
#include <kymo/ring.h>

struct kymo_cpu_ring {
	struct kymo_ring ring;
	void *memory;			/* control page, tail page, data: as user space maps them */
	struct page **page;
	unsigned int pages;
};

struct kymo_ringset {
	u32 packet_bytes;
	u32 packets;
	u32 mode;			/* enum kymo_mode */
	u32 watermark;			/* packets */
	struct kymo_cpu_ring **ring;	/* by CPU; an entry is set once, before the CPU runs, and stays */
};

struct kymo_rings {
	struct hlist_node hotplug;
	struct kymo_ringset set[KYMO_SETS_MAX];
	unsigned int sets;		/* released last: once it is not 0 all above is there */
	u8 uuid[16];
	u64 budget_bytes;		/* of data pages */
	u64 used_bytes;			/* of it; changed in hotplug callbacks only, which exclude each other */
	u64 overhead_bytes;		/* everything else that rings need */
	bool complete;			/* SETUP is over: from now on a CPU without memory gets no ring */
	int error;			/* of the hotplug callback in SETUP */
};

int kymo_ringset_init(void);
void kymo_ringset_fini(void);

/* What stands in setup is checked and completed. A kymo_rings is zeroed before, and again after a failure. */
int kymo_rings_create(struct kymo_rings *rings, struct kymo_setup *setup);
void kymo_rings_destroy(struct kymo_rings *rings);

int kymo_rings_mmap(struct kymo_rings *rings, struct vm_area_struct *vma);
/* Some ring is filled up to its watermark; or has anything at all, if `any`. */
bool kymo_rings_filled(struct kymo_rings *rings, bool any);
/* Closes every open packet. Nobody writes, nobody will until this is over. */
void kymo_rings_close(struct kymo_rings *rings);
u64 kymo_rings_bytes(struct kymo_rings *rings);

/* Number of sets once SETUP is over, else 0. */
static inline unsigned int kymo_rings_sets(struct kymo_rings *rings)
{
	return smp_load_acquire(&rings->sets);
}

/* Preemption is off. NULL: no memory. */
static __always_inline struct kymo_ring *kymo_ringset_this_cpu(struct kymo_ringset *set)
{
	struct kymo_cpu_ring *ring = READ_ONCE(set->ring[raw_smp_processor_id()]);

	return ring ? &ring->ring : NULL;
}

#endif
