// SPDX-License-Identifier: GPL-2.0-or-later
/* io_uring by its system calls: in the caller, and by a worker of the kernel. */
#include <err.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "net_calls.h"

struct uring {
	int fd;
	unsigned int *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
};

static void uring_open(struct uring *u)
{
	struct io_uring_params p = { 0 };
	char *sq, *cq;

	u->fd = syscall(SYS_io_uring_setup, 4, &p);
	if (u->fd < 0)
		err(1, "io_uring_setup");
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(*u->cqe), PROT_READ | PROT_WRITE, MAP_SHARED, u->fd,
		  IORING_OFF_CQ_RING);
	u->sqe = mmap(NULL, p.sq_entries * sizeof(*u->sqe), PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || u->sqe == MAP_FAILED)
		err(1, "io_uring mmap");
	u->sq_tail = (void *)(sq + p.sq_off.tail);
	u->sq_mask = (void *)(sq + p.sq_off.ring_mask);
	u->sq_array = (void *)(sq + p.sq_off.array);
	u->cq_head = (void *)(cq + p.cq_off.head);
	u->cq_tail = (void *)(cq + p.cq_off.tail);
	u->cq_mask = (void *)(cq + p.cq_off.ring_mask);
	u->cqe = (void *)(cq + p.cq_off.cqes);
}

/* One request, and its result. */
static long uring_do(struct uring *u, int op, unsigned int flags, int fd, void *addr, unsigned int len)
{
	unsigned int tail = *u->sq_tail, i = tail & *u->sq_mask;
	long result;

	u->sqe[i] = (struct io_uring_sqe) { .opcode = op, .flags = flags, .fd = fd, .addr = (unsigned long)addr, .len = len };
	u->sq_array[i] = i;
	__atomic_store_n(u->sq_tail, tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, u->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		err(1, "io_uring_enter");
	if (*u->cq_head == __atomic_load_n(u->cq_tail, __ATOMIC_ACQUIRE))
		errx(1, "io_uring: no result");
	result = u->cqe[*u->cq_head & *u->cq_mask].res;
	__atomic_store_n(u->cq_head, *u->cq_head + 1, __ATOMIC_RELEASE);
	if (result < 0) {
		errno = -result;
		return -1;
	}
	return result;
}

static void uring_move(int op, unsigned int flags, int fd, long total, struct tally *t)
{
	struct uring u;
	long left, n = 1;

	uring_open(&u);
	for (left = total; left > 0 && n > 0; left -= n)
		n = done(t, uring_do(&u, op, flags, fd, buffer, op == IORING_OP_SEND ? smaller(left, CHUNK) : CHUNK), "io_uring");
}

void s_uring(int fd, long total, struct tally *t)
{
	uring_move(IORING_OP_SEND, 0, fd, total, t);
}

void s_uring_worker(int fd, long total, struct tally *t)
{
	t->any_thread = 1;
	uring_move(IORING_OP_SEND, IOSQE_ASYNC, fd, total, t);
}

void r_uring(int fd, long total, struct tally *t)
{
	uring_move(IORING_OP_RECV, 0, fd, total, t);
}

void r_uring_worker(int fd, long total, struct tally *t)
{
	t->any_thread = 1;
	t->events = EVENTS_ANY;
	uring_move(IORING_OP_RECV, IOSQE_ASYNC, fd, total, t);
}
