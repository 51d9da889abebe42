// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/kymo: file operations; everything that crosses from and to user memory. Structs are copied in, given to the
 * session in kernel memory, and copied out again, never under a lock.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "catalogue.h"
#include "chardev.h"
#include "session.h"
#include "sub.h"

enum { CHARDEV_CATALOGUE_BYTES = 256 << 10 };	/* at once; the caller comes again for the rest */

static int chardev_info(struct kymo_session *session, void *arg)
{
	struct kymo_info *info = arg;

	*info = (struct kymo_info){
		.abi = KYMO_ABI, .clock = CLOCK_MONOTONIC, .features = KYMO_FEATURE_OVERWRITE | KYMO_FEATURE_DUMP,
		.cpus = nr_cpu_ids, .page_bytes = PAGE_SIZE, .types = kymo_catalogue_count(),
		.sets = kymo_rings_sets(&session->rings), .generation = kymo_catalogue_generation(),
	};
	if (IS_ENABLED(CONFIG_PERF_EVENTS) && IS_ENABLED(CONFIG_EVENT_TRACING))
		info->features |= KYMO_FEATURE_TRACEPOINT;
	strscpy(info->version, KYMO_VERSION, sizeof(info->version));
	return 0;
}

static int chardev_catalogue(struct kymo_session *session, void *arg)
{
	struct kymo_catalogue *catalogue = arg;
	const size_t bytes = min_t(size_t, catalogue->buf_bytes, CHARDEV_CATALOGUE_BYTES);
	void *buf = kvzalloc(bytes, GFP_KERNEL_ACCOUNT);
	ssize_t used;

	if (!buf)
		return -ENOMEM;
	catalogue->generation = kymo_catalogue_generation();
	catalogue->next = catalogue->first;
	used = kymo_catalogue_read(session, buf, bytes, &catalogue->next);
	if (used > 0 && copy_to_user(u64_to_user_ptr(catalogue->buf), buf, used))
		used = -EFAULT;
	kvfree(buf);
	if (used < 0)
		return used;
	catalogue->used_bytes = used;
	return 0;
}

static int chardev_stats(struct kymo_session *session, void *arg)
{
	struct kymo_stats *stats = arg;
	const unsigned int capacity = min(stats->capacity, kymo_catalogue_count());
	struct kymo_type_stats *buf;
	int err = 0;

	buf = kvcalloc(max(capacity, 1u), sizeof(*buf), GFP_KERNEL_ACCOUNT);
	if (!buf)
		return -ENOMEM;
	mutex_lock(&session->lock);
	stats->time_ns = ktime_get_mono_fast_ns();
	stats->count = kymo_sub_stats(session, buf, capacity);
	stats->memory_bytes = kymo_rings_bytes(&session->rings) + kymo_sub_bytes(session) + sizeof(*session);
	mutex_unlock(&session->lock);
	if (copy_to_user(u64_to_user_ptr(stats->buf), buf, min(stats->count, capacity) * sizeof(*buf)))
		err = -EFAULT;
	kvfree(buf);
	return err;
}

#define CHARDEV_LOCKED(name, type, call) \
	static int name(struct kymo_session *session, void *arg) \
	{ \
		int err; \
		\
		if (mutex_lock_interruptible(&session->lock)) \
			return -ERESTARTSYS; /* nothing was done yet */ \
		err = call(session, (type)arg); \
		mutex_unlock(&session->lock); \
		return err; \
	}
CHARDEV_LOCKED(chardev_setup, struct kymo_setup *, kymo_session_setup)
CHARDEV_LOCKED(chardev_enable, struct kymo_enable *, kymo_sub_enable)
CHARDEV_LOCKED(chardev_disable, struct kymo_enable *, kymo_sub_disable)
CHARDEV_LOCKED(chardev_dump, struct kymo_dump *, kymo_session_dump)
CHARDEV_LOCKED(chardev_sync, struct kymo_sync *, kymo_session_sync)
#define chardev_do_start(session, none) kymo_session_start(session)
#define chardev_do_stop(session, none) kymo_session_stop(session)
CHARDEV_LOCKED(chardev_start, void *, chardev_do_start)
CHARDEV_LOCKED(chardev_stop, void *, chardev_do_stop)

/* By _IOC_NR. `bytes` of the struct as this module knows it; all structs are still as long as in their first version. */
static const struct chardev_request {
	int (*run)(struct kymo_session *session, void *arg);
	unsigned int bytes;
	bool always_answers;	/* the struct goes back even with an error: it says what was wrong */
} chardev_requests[] = {
	[_IOC_NR(KYMO_IOC_INFO)] = { chardev_info, sizeof(struct kymo_info) },
	[_IOC_NR(KYMO_IOC_SETUP)] = { chardev_setup, sizeof(struct kymo_setup) },
	[_IOC_NR(KYMO_IOC_CATALOGUE)] = { chardev_catalogue, sizeof(struct kymo_catalogue) },
	[_IOC_NR(KYMO_IOC_ENABLE)] = { chardev_enable, sizeof(struct kymo_enable), true },
	[_IOC_NR(KYMO_IOC_DISABLE)] = { chardev_disable, sizeof(struct kymo_enable), true },
	[_IOC_NR(KYMO_IOC_START)] = { chardev_start },
	[_IOC_NR(KYMO_IOC_STOP)] = { chardev_stop },
	[_IOC_NR(KYMO_IOC_STATS)] = { chardev_stats, sizeof(struct kymo_stats) },
	[_IOC_NR(KYMO_IOC_SYNC)] = { chardev_sync, sizeof(struct kymo_sync) },
	[_IOC_NR(KYMO_IOC_DUMP)] = { chardev_dump, sizeof(struct kymo_dump) },
};

static long chardev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	const unsigned int nr = _IOC_NR(cmd), size = _IOC_SIZE(cmd);
	const struct chardev_request *request;
	union {
		struct kymo_info info;
		struct kymo_setup setup;
		struct kymo_catalogue catalogue;
		struct kymo_enable enable;
		struct kymo_stats stats;
		struct kymo_sync sync;
		struct kymo_dump dump;
	} in;
	int err;

	if (_IOC_TYPE(cmd) != KYMO_IOC_MAGIC || nr >= ARRAY_SIZE(chardev_requests))
		return -ENOTTY;
	request = &chardev_requests[nr];
	if (_IOC_DIR(cmd) != (request->bytes ? _IOC_READ | _IOC_WRITE : _IOC_NONE))
		return -ENOTTY;
	if (request->bytes ? size < request->bytes : size)
		return -EINVAL;
	if (request->bytes) {
		err = copy_struct_from_user(&in, request->bytes, (void __user *)arg, size);
		if (err)
			return err;
	}
	err = request->run(file->private_data, &in);
	if ((!err || request->always_answers) && copy_to_user((void __user *)arg, &in, request->bytes))
		return err ?: -EFAULT;
	return err;
}

static int chardev_open(struct inode *inode, struct file *file)
{
	struct kymo_session *session;

	if (!perfmon_capable())
		return -EPERM;
	session = kymo_session_create();
	if (IS_ERR(session))
		return PTR_ERR(session);
	file->private_data = session;
	return 0;
}

static int chardev_release(struct inode *inode, struct file *file)
{
	kymo_session_destroy(file->private_data);
	return 0;
}

static int chardev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct kymo_session *session = file->private_data;

	return kymo_rings_mmap(&session->rings, vma);
}

static __poll_t chardev_poll(struct file *file, poll_table *wait)
{
	struct kymo_session *session = file->private_data;

	poll_wait(file, &session->readers, wait);
	smp_mb(); /* queued, then look: pairs with the fence between a writer's reservation and its look at the tail */
	return kymo_rings_filled(&session->rings, !READ_ONCE(session->active)) ? EPOLLIN | EPOLLRDNORM : 0;
}

static const struct file_operations chardev_operations = {
	.owner = THIS_MODULE,
	.open = chardev_open,
	.release = chardev_release,
	.unlocked_ioctl = chardev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = chardev_mmap,
	.poll = chardev_poll,
	.llseek = noop_llseek,
};

static struct miscdevice chardev_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kymo",
	.fops = &chardev_operations,
	.mode = 0600,
};

int kymo_chardev_init(void)
{
	return misc_register(&chardev_device);
}

void kymo_chardev_fini(void)
{
	misc_deregister(&chardev_device);
}
