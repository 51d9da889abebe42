// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening files of processes, with distrust. */
#include "locate.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

const struct locate locate_default = { "/proc", "/" };

enum {
	LOCATE_TEXT = 2 * BINARY_PATH + 256,
	LOCATE_CRC_MAX = 1 << 30,	/* bytes of a debug file that are read for its check sum */
};

/* ---- opening ---- */

/* Opened for nothing but a look (path), then for reading. Takes `path`. */
static int locate_regular(int path)
{
	char self[40];
	struct stat st;
	int fd;

	if (path < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", path);
	if (fstat(path, &st))
		fd = -errno;
	else if (!S_ISREG(st.st_mode))
		fd = -ENOENT;
	else if ((fd = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) < 0)
		fd = -errno;
	close(path);
	return fd;
}

/* A path inside of a directory as if that were the root: no link leads out of it. follow: the last part may be one. */
static int locate_inside(const char *root, const char *path, bool follow)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW),
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	const int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (dir < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	fd = locate_regular(fd);
	close(dir);
	return fd;
}

static void locate_process_root(const struct locate *l, int32_t pid, char root[64])
{
	snprintf(root, 64, "%.30s/%" PRId32 "/root", l->proc, pid);
}

/* ---- the file of a mapping ---- */

static bool locate_is(int fd, const struct binary_id *id)
{
	uint8_t build_id[BINARY_BUILD_ID];
	struct image *image;
	struct stat st;
	bool same;

	if (!id->build_id_bytes)
		return !fstat(fd, &st) && st.st_ino == id->inode;
	image = image_open(fd);
	same = image && binary_has_build_id(id, build_id, image_build_id(image, build_id));
	image_close(image);
	return same;
}

static int locate_checked(int fd, const struct binary_id *id)
{
	if (fd < 0 || locate_is(fd, id))
		return fd;
	close(fd);
	return -ESTALE;
}

int locate_map(const struct locate *l, int32_t pid, const struct binary_map *map, const struct binary_id *id, const char *path)
{
	char text[LOCATE_TEXT];
	int fd, err;

	if (path[0] != '/' || !id->inode)
		return -ENOENT;
	/* The link of the mapping itself: right even when the file is deleted or lies in another mount namespace. */
	snprintf(text, sizeof(text), "%s/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64, l->proc, pid, map->start, map->end);
	fd = locate_checked(locate_regular(open(text, O_PATH | O_CLOEXEC)), id);
	if (fd >= 0)
		return fd;
	locate_process_root(l, pid, text);
	err = fd = locate_checked(locate_inside(text, path, false), id);
	if (fd < 0)
		fd = locate_checked(locate_inside(l->root, path, false), id);
	return fd < 0 && err == -ESTALE ? err : fd;
}

/* ---- debug files ---- */

struct locate_wanted {
	uint8_t build_id[BINARY_BUILD_ID];
	unsigned int build_id_bytes;
	uint32_t crc;
	bool has_crc;
};

/* The build-id tells as well as the check sum, and needs no reading of the whole. */
static bool locate_is_debug(int fd, const struct locate_wanted *wanted)
{
	uint8_t build_id[BINARY_BUILD_ID];
	struct image *image = image_open(fd);
	unsigned int bytes;
	uint32_t crc;
	bool same;

	if (!image)
		return false;
	bytes = image_build_id(image, build_id);
	if (wanted->build_id_bytes && bytes)
		same = bytes == wanted->build_id_bytes && !memcmp(build_id, wanted->build_id, bytes);
	else
		same = wanted->has_crc && image_crc(fd, LOCATE_CRC_MAX, &crc) && crc == wanted->crc;
	same = same && image_has_symtab(image);
	image_close(image);
	return same;
}

static int locate_debug_at(const char *root, const char *path, const struct locate_wanted *wanted)
{
	const int fd = locate_inside(root, path, true);

	if (fd < 0 || locate_is_debug(fd, wanted))
		return fd;
	close(fd);
	return -ENOENT;
}

static int locate_by_build_id(const char *root, const struct locate_wanted *wanted)
{
	char path[128] = "/usr/lib/debug/.build-id/";
	size_t at = strlen(path);

	if (wanted->build_id_bytes < 2)
		return -ENOENT;
	for (unsigned int i = 0; i < wanted->build_id_bytes; i++)
		at += (size_t)snprintf(path + at, sizeof(path) - at, i == 1 ? "/%02x" : "%02x", wanted->build_id[i]);
	snprintf(path + at, sizeof(path) - at, ".debug");
	return locate_debug_at(root, path, wanted);
}

/* Beside the program, in .debug beside it, under /usr/lib/debug: where gdb looks, too. */
static int locate_by_link(const char *root, const char *path, const char *link, const struct locate_wanted *wanted)
{
	static const char *const forms[] = { "%.*s/%s", "%.*s/.debug/%s", "/usr/lib/debug%.*s/%s" };
	const char *slash = strrchr(path, '/');
	char text[LOCATE_TEXT];
	int fd = -ENOENT;

	for (size_t i = 0; slash && i < sizeof(forms) / sizeof(forms[0]) && fd < 0; i++) {
		snprintf(text, sizeof(text), forms[i], (int)(slash - path), path, link);
		fd = locate_debug_at(root, text, wanted);
	}
	return fd;
}

int locate_debug(const struct locate *l, int32_t pid, const char *path, const struct image *image)
{
	struct locate_wanted wanted = { .build_id_bytes = 0 };
	char link[IMAGE_LINK], inside[64];
	const char *const roots[] = { inside, l->root };
	int fd = -ENOENT;

	locate_process_root(l, pid, inside);
	wanted.build_id_bytes = image_build_id(image, wanted.build_id);
	wanted.has_crc = image_debug_link(image, link, &wanted.crc);
	for (int i = 0; i < 2 && fd < 0; i++) {
		fd = locate_by_build_id(roots[i], &wanted);
		if (fd < 0 && wanted.has_crc)
			fd = locate_by_link(roots[i], path, link, &wanted);
	}
	return fd < 0 ? -ENOENT : fd;
}

/* ---- maps of JITs ---- */

/* The effective user, and the pid in the innermost namespace. */
static bool locate_status(const struct locate *l, int32_t pid, unsigned int *uid, int32_t *own_pid)
{
	char text[128];
	bool found = false;
	FILE *from;

	snprintf(text, sizeof(text), "%.30s/%" PRId32 "/status", l->proc, pid);
	from = fopen(text, "re");
	if (!from)
		return false;
	*own_pid = pid;
	while (fgets(text, sizeof(text), from)) {
		const char *last = strrchr(text, '\t');

		if (!strncmp(text, "NSpid:", 6) && last)
			*own_pid = atoi(last + 1);
		else if (!strncmp(text, "Uid:", 4))
			found = sscanf(text, "Uid:\t%*u\t%u", uid) == 1;
	}
	fclose(from);
	return found;
}

static int locate_owned(int fd, unsigned int uid)
{
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && st.st_uid == uid))
		return fd;
	close(fd);
	return -EPERM;
}

int locate_perf_map(const struct locate *l, int32_t pid)
{
	char root[64], path[64];
	unsigned int uid;
	int32_t own_pid;
	int fd;

	if (!locate_status(l, pid, &uid, &own_pid))
		return -ESRCH;
	locate_process_root(l, pid, root);
	snprintf(path, sizeof(path), "/tmp/perf-%" PRId32 ".map", own_pid);
	fd = locate_owned(locate_inside(root, path, false), uid);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/tmp/perf-%" PRId32 ".map", pid);
	return locate_owned(locate_inside(l->root, path, false), uid);
}
