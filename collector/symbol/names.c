// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions of the kernel, of each binary and of each JIT, and where they come from. */
#include "names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "kallsyms.h"
#include "loader.h"
#include "stored.h"

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) ((entry)->refused = true)
#include <uthash.h>

enum {
	NAMES_BINARIES = 1 << 15,
	NAMES_JITS = 256,
	NAMES_TRIES = 3,		/* to open a file, by way of another process each time */
	NAMES_AGAIN_MAX_S = 32,		/* between two readings of a JIT's map */
	NAMES_VDSO_BYTES = 2,		/* pages: more than any vdso has had */
	NAMES_STOP_MS = 1000,
};

#define NAMES_FILE_BYTES	(64ul << 20)	/* of functions: of one file, */
#define NAMES_BYTES		(96ul << 20)	/* of all */

enum names_load { NAMES_UNASKED, NAMES_ASKED, NAMES_READY, NAMES_FAILED };

struct names_set {
	enum names_load load;
	bool borrowed;			/* the functions are those of stored[] */
	uint8_t tries;
	int32_t asked_pid;
	uint64_t used;			/* the clock of finds, at the last */
	struct functions *functions;	/* while READY, or an older version while ASKED */
};

struct names_jit {
	int32_t pid;
	bool refused;
	struct names_set set;
	time_t asked_s;
	unsigned int again_s;
	UT_hash_handle hh;
};

/* What a trace holds of one binary. */
struct names_stored {
	struct binary_id id;
	char *path;
	struct functions *functions;
};

struct names {
	struct binaries *binaries;
	struct names_set kernel;
	struct names_set *set;		/* by number of the binary */
	uint32_t sets;
	struct names_jit *jit;
	struct names_stored *stored;
	size_t stored_count;
	struct functions *filling;	/* while reading a trace's */
	bool filling_jit;
	bool no_memory;
	struct functions *vdso;
	struct loader *loader;		/* NULL: not live */
	unsigned int pending;
	uint64_t clock;
	size_t bytes;			/* of functions, the borrowed ones excluded */
};

struct names *names_create(void)
{
	struct names *n = calloc(1, sizeof(*n));

	if (n)
		n->binaries = binaries_create(NAMES_BINARIES);
	if (n && n->binaries)
		return n;
	free(n);
	return NULL;
}

static void names_set_empty(struct names *n, struct names_set *set)
{
	if (set->functions && !set->borrowed) {
		n->bytes -= functions_memory(set->functions);
		functions_destroy(set->functions);
	}
	set->functions = NULL;
}

static void names_set_fill(struct names *n, struct names_set *set, struct functions *functions)
{
	/* A later version that cannot be read leaves what the earlier one told. */
	if (functions || !set->functions) {
		names_set_empty(n, set);
		set->functions = functions;
		n->bytes += functions ? functions_memory(functions) : 0;
	}
	set->load = set->functions ? NAMES_READY : NAMES_FAILED;
}

void names_destroy(struct names *n)
{
	struct names_jit *jit, *next;

	if (!n)
		return;
	loader_destroy(n->loader, NAMES_STOP_MS);
	names_set_empty(n, &n->kernel);
	for (uint32_t i = 0; i < n->sets; i++)
		names_set_empty(n, &n->set[i]);
	HASH_ITER(hh, n->jit, jit, next) {
		HASH_DELETE(hh, n->jit, jit);
		names_set_empty(n, &jit->set);
		free(jit);
	}
	for (size_t i = 0; i < n->stored_count; i++) {
		free(n->stored[i].path);
		functions_destroy(n->stored[i].functions);
	}
	functions_destroy(n->vdso);
	free(n->stored);
	free(n->set);
	binaries_destroy(n->binaries);
	free(n);
}

/* ---- live ---- */

/* The same image is in every process, ours included. */
static struct functions *names_read_vdso(void)
{
	void *base = (void *)getauxval(AT_SYSINFO_EHDR);
	struct image *image = base ? image_open_memory(base, NAMES_VDSO_BYTES * (size_t)getpagesize()) : NULL;
	struct functions *functions = image ? functions_create(NAMES_FILE_BYTES) : NULL;

	if (functions)
		image_functions(image, NULL, functions);
	image_close(image);
	return functions;
}

int names_go_live(struct names *n, const struct locate *locate)
{
	n->loader = loader_create(locate, NAMES_FILE_BYTES);
	n->vdso = names_read_vdso();
	return n->loader ? 0 : -ENOMEM;
}

static void names_ask(struct names *n, struct names_set *set, const struct loader_request *request, const char *path)
{
	if (!n->loader) {
		set->load = NAMES_FAILED;
		return;
	}
	if (!loader_ask(n->loader, request, path))
		return;
	set->load = NAMES_ASKED;
	set->asked_pid = request->pid;
	n->pending++;
}

void names_kernel_changed(struct names *n)
{
	/* Until it is read anew a place in the new module would seem to be in the last function below it. */
	if (n->loader && n->kernel.load != NAMES_UNASKED)
		names_ask(n, &n->kernel, &(struct loader_request){ .what = LOADER_KERNEL }, "");
}

/* ---- a trace's ---- */

static void names_stored_seal(struct names *n)
{
	if (n->filling)
		functions_seal(n->filling, n->filling_jit);
	if (n->filling && n->filling_jit)
		n->bytes += functions_memory(n->filling);
	n->filling = NULL;
	n->filling_jit = false;
}

static void names_stored_binary(void *context, const struct binary_id *id, const char *path)
{
	struct names *n = context;
	struct names_stored *more = realloc(n->stored, (n->stored_count + 1) * sizeof(*more));

	names_stored_seal(n);
	if (!more) {
		n->no_memory = true;
		return;
	}
	n->stored = more;
	more += n->stored_count++;
	*more = (struct names_stored){ *id, strndup(path, BINARY_PATH - 1), functions_create(NAMES_FILE_BYTES) };
	n->filling = more->functions;
}

static struct names_jit *names_jit(struct names *n, int32_t pid);

static void names_stored_process(void *context, int32_t pid)
{
	struct names *n = context;
	struct names_jit *jit;

	names_stored_seal(n);
	jit = names_jit(n, pid);
	if (!jit || jit->set.functions)
		return;
	jit->set.functions = n->filling = functions_create(NAMES_FILE_BYTES);
	jit->set.load = n->filling ? NAMES_READY : NAMES_FAILED;
	n->filling_jit = true;
}

static void names_stored_function(void *context, uint64_t start, uint64_t bytes, const char *name, size_t name_bytes)
{
	struct names *n = context;

	if (n->filling && functions_add(n->filling, start, bytes, name, name_bytes, FUNCTION_GLOBAL) == -ENOMEM)
		n->no_memory = true;
}

int names_read_stored(struct names *n, const char *kernel, size_t kernel_bytes, const char *user, size_t user_bytes)
{
	const struct stored_reader reader = { n, names_stored_binary, names_stored_process, names_stored_function };

	if (kernel)
		names_set_fill(n, &n->kernel, kallsyms_parse(kernel, kernel_bytes));
	if (user)
		stored_read(user, user_bytes, &reader);
	names_stored_seal(n);
	return n->no_memory || (kernel && !n->kernel.functions) ? -ENOMEM : 0;
}

static struct functions *names_stored_find(const struct names *n, const struct binary_id *id, const char *path)
{
	for (size_t i = 0; i < n->stored_count; i++) {
		const struct names_stored *s = &n->stored[i];

		if (id->build_id_bytes && s->id.build_id_bytes) {
			if (binary_has_build_id(&s->id, id->build_id, id->build_id_bytes))
				return s->functions;
		} else if (s->id.inode == id->inode && s->id.dev == id->dev && s->path && !strcmp(s->path, path)) {
			return s->functions;
		}
	}
	return NULL;
}

/* ---- binaries ---- */

static struct names_set *names_set(struct names *n, uint32_t binary)
{
	if (binary >= n->sets) {
		const uint32_t sets = binary + binary / 2 + 64;
		struct names_set *more = realloc(n->set, sets * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + n->sets, 0, (sets - n->sets) * sizeof(*more));
		n->set = more;
		n->sets = sets;
	}
	return &n->set[binary];
}

static void names_borrow(struct names_set *set, struct functions *functions)
{
	if (!functions)
		return;
	set->functions = functions;
	set->borrowed = true;
	set->load = NAMES_READY;
}

uint32_t names_binary(struct names *n, int32_t pid, const struct binary_map *map, const struct binary_id *id,
		      const char *path, bool hold)
{
	bool made;
	uint32_t binary;
	struct names_set *set;

	if (!path[0] && !id->inode)
		return BINARIES_NONE;
	binary = binaries_get(n->binaries, id, path, &made);
	set = made ? names_set(n, binary) : NULL;
	if (!set)
		return binary;
	if (n->stored_count)
		names_borrow(set, names_stored_find(n, id, path));
	else if (n->vdso && !strcmp(path, "[vdso]"))
		names_borrow(set, n->vdso);
	else if (hold && n->loader)
		loader_ask(n->loader, &(struct loader_request){ LOADER_HOLD, binary, pid, *map, *id }, path);
	return binary;
}

const struct binaries *names_binaries(const struct names *n)
{
	return n->binaries;
}

/* ---- JITs ---- */

/* One that has not been used for long goes for a new one. */
static void names_jit_room(struct names *n)
{
	struct names_jit *jit, *next, *oldest = NULL;

	if (HASH_COUNT(n->jit) < NAMES_JITS)
		return;
	HASH_ITER(hh, n->jit, jit, next)
		if (jit->set.load != NAMES_ASKED && (!oldest || jit->set.used < oldest->set.used))
			oldest = jit;
	if (!oldest)
		return;
	HASH_DELETE(hh, n->jit, oldest);
	names_set_empty(n, &oldest->set);
	free(oldest);
}

static struct names_jit *names_jit(struct names *n, int32_t pid)
{
	struct names_jit *jit;

	HASH_FIND_INT(n->jit, &pid, jit);
	if (jit)
		return jit;
	names_jit_room(n);
	jit = HASH_COUNT(n->jit) < NAMES_JITS ? calloc(1, sizeof(*jit)) : NULL;
	if (!jit)
		return NULL;
	jit->pid = pid;
	HASH_ADD_INT(n->jit, pid, jit);
	if (!jit->refused)
		return jit;
	free(jit);
	return NULL;
}

static time_t names_now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec;
}

/* The map grows while the program runs: it is read again when an address is not in it, less and less often. */
static void names_jit_ask(struct names *n, struct names_jit *jit)
{
	const time_t now_s = names_now_s();

	if (!n->loader || jit->set.load == NAMES_ASKED || (jit->again_s && now_s - jit->asked_s < (time_t)jit->again_s))
		return;
	names_ask(n, &jit->set, &(struct loader_request){ .what = LOADER_PERF_MAP, .pid = jit->pid }, "");
	jit->asked_s = now_s;
	jit->again_s = jit->again_s ? jit->again_s * 2 : 1;
	if (jit->again_s > NAMES_AGAIN_MAX_S)
		jit->again_s = NAMES_AGAIN_MAX_S;
}

/* ---- finding ---- */

struct names_place names_place(const struct spaces *spaces, int32_t pid, uint64_t address, bool kernel)
{
	struct names_place p = { .kind = kernel ? NAMES_KERNEL : NAMES_NOWHERE, .at = address, .pid = pid };

	if (kernel || !spaces_find(spaces, pid, address, &p.map))
		return p;
	p.kind = p.map.binary == BINARIES_NONE ? NAMES_ANONYMOUS : NAMES_FILE;
	if (p.kind == NAMES_FILE)
		p.at = address - p.map.start + p.map.offset;
	return p;
}

static enum names_state names_in(struct names *n, struct names_set *set, uint64_t at, struct names_function *out)
{
	const struct function *f;

	set->used = ++n->clock;
	if (set->load == NAMES_ASKED)
		return NAMES_PENDING;
	f = set->load == NAMES_READY ? functions_find(set->functions, at) : NULL;
	if (!f)
		return set->load == NAMES_UNASKED && n->loader ? NAMES_PENDING : NAMES_NONE;
	out->start = f->start;
	out->bytes = functions_bytes_of(set->functions, f);
	out->name = functions_name(set->functions, f);
	return NAMES_NAMED;
}

static enum names_state names_find_kernel(struct names *n, uint64_t at, struct names_function *out)
{
	if (n->kernel.load == NAMES_UNASKED)
		names_ask(n, &n->kernel, &(struct loader_request){ .what = LOADER_KERNEL }, "");
	out->owner = 0;
	return names_in(n, &n->kernel, at, out);
}

static enum names_state names_find_file(struct names *n, const struct names_place *place, struct names_function *out)
{
	const uint32_t binary = place->map.binary;
	struct names_set *set = binary >= BINARIES_FIRST ? names_set(n, binary) : NULL;

	if (!set)
		return NAMES_NONE;
	/* What could not be opened by way of one process may be by way of another. */
	if (set->load == NAMES_UNASKED ||
	    (set->load == NAMES_FAILED && n->loader && set->asked_pid != place->pid && set->tries < NAMES_TRIES)) {
		set->tries++;
		names_ask(n, set, &(struct loader_request){ LOADER_BINARY, binary, place->pid, place->map,
			*binaries_id(n->binaries, binary) }, binaries_path(n->binaries, binary));
	}
	out->owner = binaries_same(n->binaries, binary);
	return names_in(n, set, place->at, out);
}

static enum names_state names_find_jit(struct names *n, const struct names_place *place, struct names_function *out)
{
	struct names_jit *jit = names_jit(n, place->pid);
	enum names_state state;

	if (!jit)
		return NAMES_NONE;
	out->owner = 1ull << 32 | (uint32_t)place->pid;
	state = names_in(n, &jit->set, place->at, out);
	if (state != NAMES_NAMED)
		names_jit_ask(n, jit);
	return state == NAMES_NONE && jit->set.load == NAMES_ASKED ? NAMES_PENDING : state;
}

enum names_state names_find(struct names *n, const struct names_place *place, struct names_function *out)
{
	switch (place->kind) {
	case NAMES_KERNEL:
		return names_find_kernel(n, place->at, out);
	case NAMES_FILE:
		return names_find_file(n, place, out);
	case NAMES_ANONYMOUS:
		return names_find_jit(n, place, out);
	case NAMES_NOWHERE:
		break;
	}
	return NAMES_NONE;
}

/* ---- answers ---- */

static struct names_set *names_set_of(struct names *n, const struct loader_answer *a)
{
	struct names_jit *jit;

	if (a->what == LOADER_KERNEL)
		return &n->kernel;
	if (a->what == LOADER_BINARY)
		return a->binary < n->sets ? &n->set[a->binary] : NULL;
	HASH_FIND_INT(n->jit, &a->pid, jit);
	return jit ? &jit->set : NULL;
}

/* The least recently used files' functions go; the kernel's and JITs' stay. */
static void names_shrink(struct names *n)
{
	while (n->bytes > NAMES_BYTES) {
		struct names_set *oldest = NULL;

		for (uint32_t i = 0; i < n->sets; i++)
			if (n->set[i].functions && !n->set[i].borrowed && n->set[i].load == NAMES_READY &&
			    (!oldest || n->set[i].used < oldest->used))
				oldest = &n->set[i];
		if (!oldest)
			return;
		names_set_empty(n, oldest);
		oldest->load = NAMES_UNASKED;
	}
}

bool names_poll(struct names *n)
{
	struct loader_answer answer;
	bool news = false;

	while (n->loader && loader_take(n->loader, &answer)) {
		struct names_set *set = names_set_of(n, &answer);

		news = true;
		n->pending--;
		if (set)
			names_set_fill(n, set, answer.functions);
		else
			functions_destroy(answer.functions);
	}
	if (news)
		names_shrink(n);
	return news;
}

void names_wait(struct names *n, unsigned int ms)
{
	if (n->loader && n->pending)
		loader_wait(n->loader, ms);
}

unsigned int names_pending(const struct names *n)
{
	return n->pending;
}

size_t names_memory(const struct names *n)
{
	return n->bytes;
}
