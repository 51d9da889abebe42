// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer: any bytes as what names come from. The first one chooses: an ELF file (and it as its own debug file), a
 * JIT's map, kymo/functions and kymo/symbols of a trace, a name to demangle.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/demangle.h"
#include "symbol/image.h"
#include "symbol/kallsyms.h"
#include "symbol/names.h"
#include "symbol/perfmap.h"

enum { FUZZ_FUNCTIONS_BYTES = 1 << 20 };

/* Sorted, each with a name, each found at its own start. */
static void fuzz_check(const struct functions *f)
{
	char text[256];

	if (!f)
		return;
	for (size_t i = 0; i < functions_count(f); i++) {
		const struct function *function = functions_at(f, i);
		const char *name = functions_name(f, function);

		if (!name[0] || strlen(name) > FUNCTIONS_NAME_MAX || (i && function->start <= functions_at(f, i - 1)->start))
			abort();
		if (functions_find(f, function->start) != function)
			abort();
		if (strlen(demangle(text, sizeof(text), name)) >= sizeof(text))
			abort();
	}
	functions_find(f, 0);
	functions_find(f, UINT64_MAX);
}

static int fuzz_file(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	return fd;
}

static void fuzz_image(const uint8_t *data, size_t size)
{
	const int fd = fuzz_file(data, size);
	struct image *image = image_open(fd);
	struct functions *f = functions_create(FUZZ_FUNCTIONS_BYTES);
	uint8_t id[BINARY_BUILD_ID];
	char link[IMAGE_LINK];
	uint32_t crc;

	if (image) {
		if (image_build_id(image, id) > BINARY_BUILD_ID)
			abort();
		if (image_debug_link(image, link, &crc) && (!link[0] || strlen(link) >= IMAGE_LINK || strchr(link, '/')))
			abort();
		image_has_symtab(image);
		image_functions(image, image, f);
		fuzz_check(f);
	}
	image_crc(fd, size, &crc);
	image_close(image);
	functions_destroy(f);
	close(fd);
}

static void fuzz_perf_map(const uint8_t *data, size_t size)
{
	const int fd = fuzz_file(data, size);
	struct functions *f = perfmap_read(fd, size / 2 + 1, FUZZ_FUNCTIONS_BYTES);

	fuzz_check(f);
	functions_destroy(f);
	close(fd);
}

static void fuzz_stored(const char *text, size_t size)
{
	struct functions *f = kallsyms_parse(text, size);
	struct names *n = names_create();
	const struct binary_map map = { 0x1000, 0x2000, 0, 0 };
	struct names_place place = { .kind = NAMES_FILE, .at = 0x1010, .map = map };
	struct names_function function;

	fuzz_check(f);
	functions_destroy(f);
	names_read_stored(n, text, size, text, size);
	place.map.binary = names_binary(n, 1, &map, &(struct binary_id){ .inode = 1, .dev = 1 }, "/a", false);
	names_find(n, &place, &function);
	place.kind = NAMES_ANONYMOUS;
	place.pid = 1;
	names_find(n, &place, &function);
	names_destroy(n);
}

static void fuzz_name(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1), text[200];

	memcpy(name, data, size);
	name[size] = 0;
	if (strlen(demangle(text, sizeof(text), name)) >= sizeof(text))
		abort();
	free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size || size > 1 << 16)
		return 0;
	switch (data[0] & 3) {
	case 0:
		fuzz_image(data + 1, size - 1);
		break;
	case 1:
		fuzz_perf_map(data + 1, size - 1);
		break;
	case 2:
		fuzz_stored((const char *)data + 1, size - 1);
		break;
	default:
		fuzz_name(data + 1, size - 1);
	}
	return 0;
}
