/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's types as far as the programs use them: a member's place is found at load time by its name, in the BTF
 * of the running kernel. A name with three underscores stands for the same without what follows them (another
 * version of it).
 */
#ifndef KYMO_BPF_KERNEL_H
#define KYMO_BPF_KERNEL_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_info { __u32 cpu; };
struct kernfs_node { __u64 id; };
struct cgroup { struct kernfs_node *kn; };
struct css_set { struct cgroup *dfl_cgrp; };
struct atomic { int counter; };
struct signal_struct { struct atomic live; short oom_score_adj; };
struct ns_common { const void *ops; unsigned int inum; };
struct pid_namespace { struct ns_common ns; };
struct upid { int nr; struct pid_namespace *ns; };
struct pid { unsigned int level; struct upid numbers[1]; };
struct kuid { unsigned int val; };
struct cred { struct kuid uid; };
struct mm_struct;
struct super_block { __u32 s_dev; };
struct inode { struct super_block *i_sb; unsigned long i_ino; };
struct path { void *dentry; };
struct file { struct path f_path; struct inode *f_inode; };
struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	unsigned long vm_flags;
	unsigned long vm_pgoff;
	struct file *vm_file;
};
struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int prio;
	int exit_state;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	__u64 start_time;
	const struct cred *real_cred;
	char comm[16];
	struct signal_struct *signal;
	struct css_set *cgroups;
	struct mm_struct *mm;
};
struct linux_binprm { const char *filename; };
struct irqaction { const char *name; };
struct hrtimer { void *function; };
struct kernel_siginfo { int si_signo; int si_errno; int si_code; };
struct sigaction { void *sa_handler; unsigned long sa_flags; };
struct k_sigaction { struct sigaction sa; };
struct seq_file;
struct bpf_iter_meta { struct seq_file *seq; };
struct bpf_iter__task { struct bpf_iter_meta *meta; struct task_struct *task; };
struct bpf_iter__task_vma { struct bpf_iter_meta *meta; struct task_struct *task; struct vm_area_struct *vma; };

#pragma clang attribute pop

#endif
