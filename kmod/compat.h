/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only place that knows kernel versions: the newest kernel's names with old bodies. KYMO_HAVE_X is defined where
 * kmod/probe/X.c compiles (see Kbuild). Each entry cites the kernel change that it bridges.
 */
#ifndef KYMO_COMPAT_H
#define KYMO_COMPAT_H

#include <linux/fs.h>
#include <linux/irqnr.h>
#include <linux/mm.h>

/* bc292ab00f6c "mm: introduce vma->vm_flags wrapper functions" (6.3): the member became const. */
#ifndef KYMO_HAVE_vm_flags_mod
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set, unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/* def3ae83da02 "fs: store real path instead of fake path in backing file f_path" (6.7): before, f_path is the user's. */
#ifndef KYMO_HAVE_file_user_path
static inline const struct path *file_user_path(struct file *file)
{
	return &file->f_path;
}

static inline const struct inode *file_user_inode(struct file *file)
{
	return file_inode(file);
}
#endif

/* "genirq: Introduce irq_get_nr_irqs() and irq_set_nr_irqs()" (6.13): nr_irqs is no longer visible. */
#ifndef KYMO_HAVE_irq_get_nr_irqs
static inline unsigned int irq_get_nr_irqs(void)
{
	return nr_irqs;
}
#endif

#endif
