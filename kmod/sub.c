// SPDX-License-Identifier: GPL-2.0-only
/* Enabling and disabling of event types in a session, and their counters. Knows no probes and no rings' insides. */
#include <linux/glob.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include "catalogue.h"
#include "dump.h"
#include "sub.h"

enum { SUB_RATE_DEFAULT = 99 };

static struct kymo_sub *sub_find(struct kymo_session *session, const struct kymo_type *type)
{
	struct kymo_sub *sub;

	list_for_each_entry(sub, &session->subs, in_session)
		if (sub->type == type)
			return sub;
	return NULL;
}

struct kymo_sub *kymo_session_sub(struct kymo_session *session, const struct kymo_type *type)
{
	struct kymo_sub *sub = sub_find(session, type);

	return sub && sub->enabled ? sub : NULL;
}

static struct kymo_sub *sub_create(struct kymo_session *session, struct kymo_type *type)
{
	struct kymo_sub *sub = kzalloc(sizeof(*sub), GFP_KERNEL_ACCOUNT);

	if (!sub)
		return NULL;
	sub->counts = alloc_percpu_gfp(struct kymo_count, GFP_KERNEL_ACCOUNT);
	if (!sub->counts) {
		kfree(sub);
		return NULL;
	}
	sub->session = session;
	sub->type = type;
	list_add_tail(&sub->in_session, &session->subs);
	session->sub_count++;
	return sub;
}

/* ---- what hooks missed and count themselves; under the catalogue's mutex ---- */

static void sub_missed_so_far(struct kymo_sub *sub)
{
	if (sub->enabled && sub->session->active && sub->type->source->sub_missed)
		sub->type->source->sub_missed(sub);
}

/* From here on it counts: what the hook has missed before is not ours. */
static void sub_missed_from_now(struct kymo_sub *sub)
{
	const s64 before = atomic64_read(&sub->missed);

	if (!sub->enabled || !sub->type->source->sub_missed)
		return;
	sub->type->source->sub_missed(sub);
	atomic64_set(&sub->missed, before);
}

void kymo_sub_session_starts(struct kymo_session *session)
{
	struct kymo_sub *sub;

	mutex_lock(&kymo_catalogue_lock);
	list_for_each_entry(sub, &session->subs, in_session)
		sub_missed_from_now(sub);
	mutex_unlock(&kymo_catalogue_lock);
}

void kymo_sub_ask_missed(struct kymo_session *session)
{
	struct kymo_sub *sub;

	mutex_lock(&kymo_catalogue_lock);
	list_for_each_entry(sub, &session->subs, in_session)
		sub_missed_so_far(sub);
	mutex_unlock(&kymo_catalogue_lock);
}

/* ---- on and off; under the catalogue's mutex ---- */

static int sub_switch_on(struct kymo_sub *sub)
{
	struct kymo_source *source = sub->type->source;
	int err;

	err = source->sub_on ? source->sub_on(sub) : 0;
	if (err)
		return err;
	err = kymo_catalogue_publish(sub);
	if (err && source->sub_off)
		source->sub_off(sub);
	sub->enabled = !err;
	sub_missed_from_now(sub);
	return err;
}

static void sub_switch_off(struct kymo_sub *sub)
{
	sub_missed_so_far(sub); /* what the source tells to all who want the type */
	kymo_catalogue_withdraw(sub);
	sub_missed_so_far(sub); /* after the hook has gone: the source's count outlives it */
	if (sub->type->source->sub_off)
		sub->type->source->sub_off(sub);
	sub->enabled = false;
}

static int sub_enable_one(struct kymo_session *session, struct kymo_type *type, const struct kymo_enable *enable)
{
	struct kymo_sub *sub = sub_find(session, type);
	const u64 rate = enable->rate_hz ?: SUB_RATE_DEFAULT;
	u64 old;
	int err;

	if (!sub)
		sub = sub_create(session, type);
	if (!sub)
		return -ENOMEM;
	if (sub->enabled) {
		if (sub->rate_hz == rate || !type->source->sub_rate)
			return 0;
		old = sub->rate_hz;
		sub->rate_hz = rate;
		err = type->source->sub_rate(sub);
		if (err == -EINVAL) /* refused: nothing was changed */
			sub->rate_hz = old;
		else if (err) /* some hooks have the new rate, some may be gone: asking again must try again */
			sub->rate_hz = 0;
		return err;
	}
	sub->rate_hz = rate;
	sub->set = &session->rings.set[enable->set];
	return sub_switch_on(sub);
}

/* ---- by name ---- */

static bool sub_matches(const struct kymo_type *type, const struct kymo_enable *enable)
{
	/* What no source of the kernel produces can be described, not enabled. */
	if (!strcmp(type->source->name, "kymo"))
		return false;
	return glob_match(enable->glob, enable->flags & KYMO_ENABLE_SOURCE ? type->source->name : type->name);
}

static int sub_check(struct kymo_session *session, struct kymo_enable *enable)
{
	enable->matched = enable->unavailable = 0;
	if (!kymo_rings_sets(&session->rings) || enable->set >= session->rings.sets ||
	    enable->flags & ~KYMO_ENABLE_SOURCE || !enable->glob[0] ||
	    strnlen(enable->glob, sizeof(enable->glob)) == sizeof(enable->glob))
		return -EINVAL;
	return 0;
}

int kymo_sub_enable(struct kymo_session *session, struct kymo_enable *enable)
{
	struct kymo_type *type;
	int err = sub_check(session, enable);

	if (err)
		return err;
	mutex_lock(&kymo_catalogue_lock);
	if (!(enable->flags & KYMO_ENABLE_SOURCE) && strchr(enable->glob, ':') && !strpbrk(enable->glob, "*?[\\"))
		kymo_catalogue_make(enable->glob);
	kymo_catalogue_for_each(type) {
		if (!sub_matches(type, enable))
			continue;
		err = type->flags & KYMO_TYPE_UNAVAILABLE ? -EOPNOTSUPP : sub_enable_one(session, type, enable);
		if (err == -ENOMEM)
			break;
		enable->matched += !err;
		enable->unavailable += !!err;
	}
	mutex_unlock(&kymo_catalogue_lock);
	if (err == -ENOMEM || enable->matched)
		return err == -ENOMEM ? err : 0;
	return enable->unavailable ? -EOPNOTSUPP : -ENOENT;
}

int kymo_sub_disable(struct kymo_session *session, struct kymo_enable *enable)
{
	struct kymo_type *type;
	struct kymo_sub *sub;
	int err = sub_check(session, enable);

	if (err)
		return err;
	mutex_lock(&kymo_catalogue_lock);
	kymo_catalogue_for_each(type) {
		if (!sub_matches(type, enable))
			continue;
		enable->matched++;
		sub = kymo_session_sub(session, type);
		if (sub)
			sub_switch_off(sub);
	}
	mutex_unlock(&kymo_catalogue_lock);
	if (!enable->matched)
		return -ENOENT;
	tracepoint_synchronize_unregister();
	return 0;
}

void kymo_sub_cpu_online(struct kymo_session *session, unsigned int cpu)
{
	struct kymo_sub *sub;

	mutex_lock(&kymo_catalogue_lock);
	list_for_each_entry(sub, &session->subs, in_session)
		if (sub->enabled && sub->type->source->cpu_online)
			sub->type->source->cpu_online(sub, cpu);
	mutex_unlock(&kymo_catalogue_lock);
}

void kymo_sub_destroy_all(struct kymo_session *session)
{
	struct kymo_sub *sub, *next;

	mutex_lock(&kymo_catalogue_lock);
	list_for_each_entry(sub, &session->subs, in_session)
		if (sub->enabled)
			sub_switch_off(sub);
	mutex_unlock(&kymo_catalogue_lock);
	if (list_empty(&session->subs))
		return;
	tracepoint_synchronize_unregister();
	list_for_each_entry_safe(sub, next, &session->subs, in_session) {
		free_percpu(sub->counts);
		kfree(sub);
	}
	INIT_LIST_HEAD(&session->subs);
}

/* ---- counters ---- */

static void sub_count(const struct kymo_sub *sub, struct kymo_type_stats *stats)
{
	unsigned int cpu, cause;

	memset(stats, 0, sizeof(*stats));
	stats->id = sub->type->id;
	stats->flags = sub->type->flags | (sub->enabled ? KYMO_TYPE_ENABLED : 0);
	for_each_possible_cpu(cpu) {
		const struct kymo_count *count = per_cpu_ptr(sub->counts, cpu);

		stats->hits += READ_ONCE(count->hits);
		for (cause = 0; cause < KYMO_LOSS_CAUSES; cause++)
			stats->lost[cause] += READ_ONCE(count->lost[cause]);
	}
	stats->lost[KYMO_LOSS_PROBE_MISSED] += atomic64_read(&sub->missed);
}

unsigned int kymo_sub_stats(struct kymo_session *session, struct kymo_type_stats *stats, unsigned int capacity)
{
	struct kymo_sub *sub;
	unsigned int n = 0;

	kymo_sub_ask_missed(session);
	list_for_each_entry(sub, &session->subs, in_session) {
		if (n < capacity)
			sub_count(sub, &stats[n]);
		n++;
	}
	return n;
}

u64 kymo_sub_bytes(struct kymo_session *session)
{
	return (u64)session->sub_count * (sizeof(struct kymo_sub) + num_possible_cpus() * sizeof(struct kymo_count));
}
