// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of the rings: allocated for each CPU before it comes online, kept while it is off, mapped into the reader.
 * One cpuhp instance for each session.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uuid.h>
#include <linux/vmalloc.h>
#include "compat.h"
#include "ringset.h"

enum {
	CONTROL_PAGE = 0,
	TAIL_PAGE = 1,
	DATA_PAGE = 2,
	PACKET_BYTES_DEFAULT = 65536,
	CPU_BYTES_DEFAULT = 4 << 20,
};

static enum cpuhp_state ringset_state;

static u64 ringset_data_bytes(const struct kymo_ringset *set)
{
	return (u64)set->packet_bytes * set->packets;
}

/* ---- one ring ---- */

static void ringset_free_ring(struct kymo_cpu_ring *ring)
{
	if (ring->memory)
		vunmap(ring->memory);
	while (ring->pages)
		__free_page(ring->page[--ring->pages]);
	kvfree(ring->page);
	kfree(ring);
}

/* Pages of the CPU's own node. `account`: charge the caller's memory cgroup. */
static struct kymo_cpu_ring *ringset_alloc_ring(const struct kymo_ringset *set, unsigned int cpu, bool account)
{
	const unsigned int pages = DATA_PAGE + (ringset_data_bytes(set) >> PAGE_SHIFT);
	const gfp_t gfp = account ? GFP_KERNEL_ACCOUNT : GFP_KERNEL;
	struct kymo_cpu_ring *ring = kzalloc_node(sizeof(*ring), gfp, cpu_to_node(cpu));

	if (!ring)
		return NULL;
	ring->page = kvcalloc(pages, sizeof(*ring->page), gfp);
	if (!ring->page)
		goto err_free;
	for (; ring->pages < pages; ring->pages++) {
		ring->page[ring->pages] = alloc_pages_node(cpu_to_node(cpu), gfp | __GFP_ZERO | __GFP_NOWARN, 0);
		if (!ring->page[ring->pages])
			goto err_free;
	}
	ring->memory = vmap(ring->page, pages, VM_MAP, PAGE_KERNEL);
	if (!ring->memory)
		goto err_free;
	return ring;

err_free:
	ringset_free_ring(ring);
	return NULL;
}

static void ringset_start_ring(const struct kymo_rings *rings, const struct kymo_ringset *set,
			       struct kymo_cpu_ring *cpu_ring, unsigned int cpu)
{
	struct kymo_ring *ring = &cpu_ring->ring;
	struct kymo_ring_control *control = cpu_ring->memory + CONTROL_PAGE * PAGE_SIZE;

	control->packet_bytes = set->packet_bytes;
	control->packets = set->packets;
	control->mode = set->mode;
	control->cpu = cpu;
	control->stream_instance_id = (u64)(set - rings->set) * nr_cpu_ids + cpu;
	memcpy(control->uuid, rings->uuid, sizeof(control->uuid));
	ring->control = control;
	ring->tail = cpu_ring->memory + TAIL_PAGE * PAGE_SIZE;
	ring->data = cpu_ring->memory + DATA_PAGE * PAGE_SIZE;
	ring->packet_shift = ilog2(set->packet_bytes);
	ring->packets = set->packets;
	ring->mode = set->mode;
	ring->watermark = set->watermark;
	ring_init(ring);
}

static int ringset_add_ring(struct kymo_rings *rings, struct kymo_ringset *set, unsigned int cpu)
{
	const u64 bytes = ringset_data_bytes(set);
	struct kymo_cpu_ring *ring;

	if (set->ring[cpu])
		return 0;
	if (rings->used_bytes + bytes > rings->budget_bytes)
		return -ENOSPC;
	ring = ringset_alloc_ring(set, cpu, !rings->complete);
	if (!ring)
		return -ENOMEM;
	ringset_start_ring(rings, set, ring, cpu);
	rings->used_bytes += bytes;
	rings->overhead_bytes += sizeof(*ring) + DATA_PAGE * PAGE_SIZE + ring->pages * sizeof(*ring->page);
	smp_store_release(&set->ring[cpu], ring); /* pairs with the acquire in ringset_ring() */
	return 0;
}

/* Before a CPU comes online; in SETUP, for all that are. A CPU must not stay off for want of our memory. */
static int ringset_cpu_prepare(unsigned int cpu, struct hlist_node *node)
{
	struct kymo_rings *rings = hlist_entry(node, struct kymo_rings, hotplug);
	struct kymo_ringset *set;
	int err;

	for (set = rings->set; set < rings->set + KYMO_SETS_MAX && set->ring; set++) {
		err = ringset_add_ring(rings, set, cpu);
		if (err && !rings->complete)
			rings->error = err;
	}
	return 0;
}

/* ---- all rings of a session ---- */

static int ringset_check(struct kymo_setup *setup)
{
	static const struct kymo_set none;
	unsigned int i;

	if (setup->flags || setup->reserved || !setup->sets || setup->sets > KYMO_SETS_MAX)
		return -EINVAL;
	for (i = 0; i < KYMO_SETS_MAX; i++) {
		struct kymo_set *set = &setup->set[i];

		if (i >= setup->sets) {
			if (memcmp(set, &none, sizeof(none)))
				return -EINVAL;
			continue;
		}
		if (!set->packet_bytes)
			set->packet_bytes = PACKET_BYTES_DEFAULT;
		if (!is_power_of_2(set->packet_bytes) || set->packet_bytes < max_t(u32, KYMO_PACKET_BYTES_MIN, PAGE_SIZE) ||
		    set->packet_bytes > KYMO_PACKET_BYTES_MAX || set->mode > KYMO_MODE_OVERWRITE)
			return -EINVAL;
		if (set->packets && (!is_power_of_2(set->packets) || set->packets < KYMO_PACKETS_MIN))
			return -EINVAL;
	}
	return 0;
}

/* Sizes of the rings: what is not said shares what the budget leaves. */
static int ringset_share(struct kymo_rings *rings, struct kymo_setup *setup)
{
	const unsigned int cpus = num_present_cpus();
	const u64 limit = (u64)totalram_pages() * PAGE_SIZE / 2;
	u64 left = setup->budget_bytes ?: (u64)cpus * CPU_BYTES_DEFAULT, share;
	unsigned int i, open = 0;

	if (left > limit)
		return -ENOMEM;
	rings->budget_bytes = left;
	left /= cpus;
	for (i = 0; i < setup->sets; i++) {
		const u64 bytes = (u64)setup->set[i].packet_bytes * setup->set[i].packets;

		if (bytes > left)
			return -ENOSPC;
		left -= bytes;
		open += !setup->set[i].packets;
	}
	for (i = 0; i < setup->sets; i++) {
		struct kymo_set *set = &setup->set[i];

		if (!set->packets) {
			share = left / open / set->packet_bytes;
			if (share < KYMO_PACKETS_MIN)
				return -ENOSPC;
			set->packets = rounddown_pow_of_two(min_t(u64, share, 1u << 31));
		}
		if (!set->watermark)
			set->watermark = set->packets / 2;
		if (set->watermark > set->packets)
			return -EINVAL;
		rings->set[i] = (struct kymo_ringset){ set->packet_bytes, set->packets, set->mode, set->watermark };
	}
	return 0;
}

static u64 ringset_stride(struct kymo_rings *rings)
{
	u64 most = 0;
	unsigned int i;

	for (i = 0; i < KYMO_SETS_MAX && rings->set[i].ring; i++)
		most = max(most, ringset_data_bytes(&rings->set[i]));
	return DATA_PAGE * PAGE_SIZE + most;
}

int kymo_rings_create(struct kymo_rings *rings, struct kymo_setup *setup)
{
	unsigned int i;
	int err = ringset_check(setup);

	if (!err)
		err = ringset_share(rings, setup);
	if (err)
		return err;
	generate_random_uuid(rings->uuid);
	for (i = 0; i < setup->sets; i++) {
		rings->set[i].ring = kvcalloc(nr_cpu_ids, sizeof(*rings->set[i].ring), GFP_KERNEL_ACCOUNT);
		if (!rings->set[i].ring) {
			err = -ENOMEM;
			goto err_destroy;
		}
		rings->overhead_bytes += nr_cpu_ids * sizeof(*rings->set[i].ring);
	}
	err = cpuhp_state_add_instance(ringset_state, &rings->hotplug);
	if (!err)
		err = rings->error;
	if (err)
		goto err_destroy;
	WRITE_ONCE(rings->complete, true);
	memcpy(setup->uuid, rings->uuid, sizeof(setup->uuid));
	setup->cpus = nr_cpu_ids;
	setup->ring_stride = ringset_stride(rings);
	setup->control_offset = CONTROL_PAGE * PAGE_SIZE;
	setup->tail_offset = TAIL_PAGE * PAGE_SIZE;
	setup->data_offset = DATA_PAGE * PAGE_SIZE;
	smp_store_release(&rings->sets, setup->sets); /* pairs with kymo_rings_sets() */
	return 0;

err_destroy:
	kymo_rings_destroy(rings);
	return err;
}

void kymo_rings_destroy(struct kymo_rings *rings)
{
	unsigned int i, cpu;

	if (!hlist_unhashed(&rings->hotplug))
		cpuhp_state_remove_instance_nocalls(ringset_state, &rings->hotplug);
	for (i = 0; i < KYMO_SETS_MAX && rings->set[i].ring; i++) {
		for_each_possible_cpu(cpu)
			if (rings->set[i].ring[cpu])
				ringset_free_ring(rings->set[i].ring[cpu]);
		kvfree(rings->set[i].ring);
	}
	memset(rings, 0, sizeof(*rings));
}

static struct kymo_cpu_ring *ringset_ring(struct kymo_ringset *set, unsigned int cpu)
{
	return smp_load_acquire(&set->ring[cpu]);
}

int kymo_rings_mmap(struct kymo_rings *rings, struct vm_area_struct *vma)
{
	const unsigned int sets = kymo_rings_sets(rings);
	const unsigned long bytes = vma->vm_end - vma->vm_start;
	unsigned long stride, index, first, expect;
	struct kymo_ringset *set;
	struct kymo_cpu_ring *ring;

	if (!sets || !(vma->vm_flags & VM_MAYSHARE) || (vma->vm_flags & VM_EXEC))
		return -EINVAL;
	stride = ringset_stride(rings) >> PAGE_SHIFT;
	index = vma->vm_pgoff / stride;
	first = vma->vm_pgoff % stride;
	if (index >= (unsigned long)sets * nr_cpu_ids || first > DATA_PAGE)
		return -EINVAL;
	set = &rings->set[index / nr_cpu_ids];
	expect = first == DATA_PAGE ? ringset_data_bytes(set) : PAGE_SIZE;
	if (bytes != expect)
		return -EINVAL;
	if (first != TAIL_PAGE && (vma->vm_flags & VM_WRITE))
		return -EACCES;
	if (!cpu_possible(index % nr_cpu_ids))
		return -ENXIO;
	ring = ringset_ring(set, index % nr_cpu_ids);
	if (!ring)
		return -ENXIO;
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC | (first == TAIL_PAGE ? 0 : VM_MAYWRITE));
	return vm_map_pages_zero(vma, ring->page + first, bytes >> PAGE_SHIFT);
}

static bool ringset_ring_any(const struct kymo_ring *ring)
{
	return READ_ONCE(ring->tail->tail) < READ_ONCE(ring->control->head);
}

bool kymo_rings_filled(struct kymo_rings *rings, bool any)
{
	const unsigned int sets = kymo_rings_sets(rings);
	struct kymo_cpu_ring *ring;
	unsigned int i, cpu;

	for (i = 0; i < sets; i++)
		for_each_possible_cpu(cpu) {
			ring = ringset_ring(&rings->set[i], cpu);
			if (ring && (any ? ringset_ring_any(&ring->ring) : ring_ready(&ring->ring)))
				return true;
		}
	return false;
}

void kymo_rings_close(struct kymo_rings *rings)
{
	struct kymo_cpu_ring *ring;
	unsigned int i, cpu;

	for (i = 0; i < rings->sets; i++)
		for_each_possible_cpu(cpu) {
			ring = ringset_ring(&rings->set[i], cpu);
			if (ring)
				ring_close(&ring->ring);
		}
}

u64 kymo_rings_bytes(struct kymo_rings *rings)
{
	return READ_ONCE(rings->used_bytes) + READ_ONCE(rings->overhead_bytes);
}

int kymo_ringset_init(void)
{
	int state = cpuhp_setup_state_multi(CPUHP_BP_PREPARE_DYN, "kymo:prepare", ringset_cpu_prepare, NULL);

	if (state < 0)
		return state;
	ringset_state = state;
	return 0;
}

void kymo_ringset_fini(void)
{
	cpuhp_remove_multi_state(ringset_state);
}
