/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only place that knows kernel versions: the newest kernel's names with old bodies. KYMO_HAVE_X is defined where
 * kmod/probe/X.c compiles (see Kbuild). Each entry cites the kernel change that it bridges.
 */
#ifndef KYMO_COMPAT_H
#define KYMO_COMPAT_H

#include <linux/mm.h>

/* bc292ab00f6c "mm: introduce vma->vm_flags wrapper functions" (6.3): the member became const. */
#ifndef KYMO_HAVE_vm_flags_mod
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set, unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

#endif
