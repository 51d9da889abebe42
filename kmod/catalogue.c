// SPDX-License-Identifier: GPL-2.0-only
/* The list of event types, built-in ones and those that sources add; publishing of who wants them. */
#include <linux/bitmap.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "catalogue.h"

DEFINE_MUTEX(kymo_catalogue_lock);
LIST_HEAD(kymo_catalogue_types);

static struct kymo_source *const *catalogue_source;
static unsigned int catalogue_sources;
static unsigned int catalogue_types;
static DECLARE_BITMAP(catalogue_ids, 1 << 16);

/* kymo_loss is written by the collector: the kernel only describes it. */
static struct kymo_source kymo_source_kymo = { .name = "kymo" };

#define CATALOGUE_BUILTIN(number, type_name, from, type_flags) \
	static const struct kymo_field catalogue_fields_##type_name[] = { KYMO_EVENT_FIELDS(type_name) }; \
	struct kymo_type kymo_type_##type_name = { \
		.id = number, .name = #type_name, .source = &kymo_source_##from, .flags = type_flags, \
		.field = catalogue_fields_##type_name, .fields = ARRAY_SIZE(catalogue_fields_##type_name), \
	};
KYMO_EVENTS(CATALOGUE_BUILTIN)

#define CATALOGUE_POINTER(id, name, source, flags) &kymo_type_##name,
static struct kymo_type *const catalogue_builtin[] = { KYMO_EVENTS(CATALOGUE_POINTER) };

int kymo_type_add(struct kymo_type *type)
{
	lockdep_assert_held(&kymo_catalogue_lock);
	if (strlen(type->name) >= KYMO_NAME_BYTES)
		return -ENAMETOOLONG;
	if (test_and_set_bit(type->id, catalogue_ids))
		return -EEXIST;
	RCU_INIT_POINTER(type->subs, NULL);
	list_add_tail(&type->in_catalogue, &kymo_catalogue_types);
	WRITE_ONCE(catalogue_types, catalogue_types + 1);
	return 0;
}

void kymo_type_unavailable(struct kymo_type *type, const char *reason)
{
	type->flags |= KYMO_TYPE_UNAVAILABLE;
	type->reason = reason;
}

void kymo_catalogue_make(const char *name)
{
	struct kymo_type *type;
	unsigned int i;

	kymo_catalogue_for_each(type)
		if (!strcmp(type->name, name))
			return;
	for (i = 0; i < catalogue_sources; i++)
		if (catalogue_source[i]->make && !IS_ERR(catalogue_source[i]->make(name)))
			return;
}

static int catalogue_describe(struct kymo_type *type)
{
	return type->source->describe ? type->source->describe(type) : 0;
}

/* ---- who wants it ---- */

static struct kymo_subs *catalogue_subs(const struct kymo_type *type)
{
	return rcu_dereference_protected(type->subs, lockdep_is_held(&kymo_catalogue_lock));
}

static void catalogue_replace(struct kymo_type *type, struct kymo_subs *subs)
{
	struct kymo_subs *old = catalogue_subs(type);

	rcu_assign_pointer(type->subs, subs);
	if (old)
		kfree_rcu(old, rcu);
}

int kymo_catalogue_publish(struct kymo_sub *sub)
{
	struct kymo_type *type = sub->type;
	struct kymo_subs *old = catalogue_subs(type), *subs;
	unsigned int count = old ? old->count : 0;
	int err = catalogue_describe(type);

	if (err)
		return err;
	subs = kmalloc(struct_size(subs, sub, count + 1), GFP_KERNEL);
	if (!subs)
		return -ENOMEM;
	subs->count = count + 1;
	if (old)
		memcpy(subs->sub, old->sub, count * sizeof(*subs->sub));
	subs->sub[count] = sub;
	catalogue_replace(type, subs);
	if (!count && type->source->type_on)
		err = type->source->type_on(type);
	if (err)
		catalogue_replace(type, NULL);
	return err;
}

/* Taking back must not fail for want of memory, and writers may be walking the old array: hence a copy that must come. */
void kymo_catalogue_withdraw(struct kymo_sub *sub)
{
	struct kymo_type *type = sub->type;
	struct kymo_subs *old = catalogue_subs(type), *subs = NULL;
	unsigned int i, n = 0;

	if (old->count > 1) {
		subs = kmalloc(struct_size(subs, sub, old->count - 1), GFP_KERNEL | __GFP_NOFAIL);
		for (i = 0; i < old->count; i++)
			if (old->sub[i] != sub)
				subs->sub[n++] = old->sub[i];
		subs->count = n;
	}
	catalogue_replace(type, subs);
	if (!subs && type->source->type_off)
		type->source->type_off(type);
}

/* ---- what user space sees ---- */

static bool catalogue_enabled(const struct kymo_type *type, const struct kymo_session *session)
{
	const struct kymo_subs *subs = catalogue_subs(type);
	unsigned int i;

	for (i = 0; subs && i < subs->count; i++)
		if (subs->sub[i]->session == session)
			return true;
	return false;
}

static void catalogue_entry(struct kymo_event_type *entry, const struct kymo_type *type, const struct kymo_session *session)
{
	memset(entry, 0, sizeof(*entry));
	entry->size = struct_size(entry, field, type->fields);
	entry->id = type->id;
	entry->fields = type->fields;
	entry->flags = type->flags | (catalogue_enabled(type, session) ? KYMO_TYPE_ENABLED : 0);
	strscpy(entry->source, type->source->name, sizeof(entry->source));
	strscpy(entry->name, type->name, sizeof(entry->name));
	if (type->reason)
		strscpy(entry->reason, type->reason, sizeof(entry->reason));
	memcpy(entry->field, type->field, type->fields * sizeof(*type->field));
}

ssize_t kymo_catalogue_read(struct kymo_session *session, void *buf, size_t bytes, u32 *next)
{
	struct kymo_type *type;
	size_t used = 0, size;
	u32 index = 0;
	bool all = true;
	int err = 0;

	mutex_lock(&kymo_catalogue_lock);
	kymo_catalogue_for_each(type) {
		if (index++ < *next)
			continue;
		err = catalogue_describe(type);
		if (err)
			break;
		size = struct_size((struct kymo_event_type *)NULL, field, type->fields);
		all = used + size <= bytes;
		if (!all)
			break;
		catalogue_entry(buf + used, type, session);
		used += size;
	}
	*next = all ? 0 : index - 1;
	mutex_unlock(&kymo_catalogue_lock);
	if (err)
		return err;
	return used || all ? used : -ENOSPC;
}

unsigned int kymo_catalogue_count(void)
{
	return READ_ONCE(catalogue_types);
}

/* Types only ever come. */
u64 kymo_catalogue_generation(void)
{
	return kymo_catalogue_count();
}

/* ---- start and end ---- */

static void catalogue_fini_sources(unsigned int sources)
{
	while (sources--)
		if (catalogue_source[sources]->fini)
			catalogue_source[sources]->fini();
}

int kymo_catalogue_init(struct kymo_source *const *source, unsigned int sources)
{
	unsigned int i;
	int err = 0;

	catalogue_source = source;
	catalogue_sources = sources;
	mutex_lock(&kymo_catalogue_lock);
	for (i = 0; !err && i < ARRAY_SIZE(catalogue_builtin); i++)
		err = kymo_type_add(catalogue_builtin[i]);
	for (i = 0; !err && i < sources; i++) {
		if (source[i]->init)
			err = source[i]->init();
		if (err)
			catalogue_fini_sources(i);
	}
	mutex_unlock(&kymo_catalogue_lock);
	return err;
}

void kymo_catalogue_fini(void)
{
	mutex_lock(&kymo_catalogue_lock);
	catalogue_fini_sources(catalogue_sources);
	mutex_unlock(&kymo_catalogue_lock);
}
