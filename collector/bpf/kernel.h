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
struct net { struct ns_common ns; };
typedef struct { struct net *net; } possible_net_t;
struct nsproxy { struct net *net_ns; };
struct atomic64 { __s64 counter; };
struct in6_addr { __u8 any; };			/* its address is what is used */
struct sock_common {
	__u32 skc_daddr;
	__u32 skc_rcv_saddr;
	__u16 skc_dport;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
	struct atomic64 skc_cookie;
};
struct sock { struct sock_common __sk_common; __u16 sk_protocol; __u16 sk_type; };
struct inet_sock { __u32 inet_saddr; __u16 inet_sport; };
struct net_device { char name[16]; unsigned int flags; int ifindex; possible_net_t nd_net; };
struct sk_buff {
	struct net_device *dev;
	struct sock *sk;
	unsigned int len;
	int skb_iif;
	__u16 protocol;
	__u16 mac_header;
	unsigned char *head;
	unsigned char *data;
};
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
	struct nsproxy *nsproxy;
	struct mm_struct *mm;
};
struct module_memory { void *base; unsigned int size; };
struct module_layout { void *base; unsigned int size; };
struct module {
	char name[56];
	unsigned long taints;
	struct module_memory mem[1];
	struct module_layout core_layout;	/* before 6.4 */
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
