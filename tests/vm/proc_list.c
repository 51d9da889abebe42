// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists on stderr what /proc says, in lines that can be compared with a start dump:
 *	task <tid> <pid> <ppid> <start in clock ticks> <uid> <cgroup id> <name> <pid in each namespace, outermost first>
 *	map <pid> <start> <end> <offset> <major> <minor> <inode> <path>	executable mappings
 * Names have \xNN for what is not plain; a kernel worker's is cut where the kernel adds what it does at the moment.
 */
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static FILE *task_open(const char *pid, const char *tid, const char *name)
{
	char path[700];

	snprintf(path, sizeof(path), "/proc/%s/task/%s/%s", pid, tid, name);
	return fopen(path, "r");
}

static void print_plain(const char *text)
{
	for (; *text; text++)
		if (isgraph((unsigned char)*text) && *text != '\\')
			putc(*text, stderr);
		else
			fprintf(stderr, "\\x%02x", (unsigned char)*text);
}

/* The inode number of the task's directory in cgroup2, mounted at /sys/fs/cgroup. */
static unsigned long long cgroup_id(const char *pid, const char *tid)
{
	char line[4096], path[4200];
	struct stat s = { 0 };
	FILE *file = task_open(pid, tid, "cgroup");

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "0::", 3)) {
			line[strcspn(line, "\n")] = 0;
			snprintf(path, sizeof(path), "/sys/fs/cgroup%s", line + 3);
			stat(path, &s);
		}
	if (file)
		fclose(file);
	return s.st_ino;
}

static void list_task(const char *pid, const char *tid)
{
	char stat[4096] = "", line[4096], name[64] = "", ns[512] = "", *after;
	unsigned long long start = 0;
	unsigned int uid = 0, ppid = 0;
	FILE *file = task_open(pid, tid, "stat");

	if (!file)
		return;
	after = fgets(stat, sizeof(stat), file) ? strrchr(stat, ')') : NULL;
	fclose(file);
	if (!after || sscanf(after + 2, "%*c %u %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u "
			     "%*d %*d %*d %*d %*d %*d %llu", &ppid, &start) != 2)
		return;
	file = task_open(pid, tid, "status");
	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "Uid:\t%u", &uid);
		sscanf(line, "NSpid:\t%511[^\n]", ns);
	}
	if (file)
		fclose(file);
	file = task_open(pid, tid, "comm");
	if (!file || !fgets(name, sizeof(name), file))
		return;
	fclose(file);
	/* /proc has longer names for kernel threads, which no event has room for. */
	name[strcspn(name, "\n")] = name[15] = 0;
	if (!strncmp(name, "kworker/", 8))
		name[strcspn(name, "-+")] = 0;
	fprintf(stderr, "task %s %s %u %llu %u %llu ", tid, pid, ppid, start, uid, cgroup_id(pid, tid));
	print_plain(name);
	for (char *at = strtok(ns, "\t "); at; at = strtok(NULL, "\t "))
		fprintf(stderr, " %s", at);
	putc('\n', stderr);
}

static void list_maps(const char *pid)
{
	unsigned long long start, end, offset, inode;
	char line[4400], flags[8];
	unsigned int major, minor;
	int path;
	FILE *file = task_open(pid, pid, "maps");

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		path = strlen(line);
		if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, flags,
			   &offset, &major, &minor, &inode, &path) < 7)
			errx(1, "/proc/%s/maps: what is '%s'?", pid, line);
		/* The vsyscall page is in no list of mappings. */
		if (flags[2] != 'x' || !strcmp(line + path, "[vsyscall]"))
			continue;
		fprintf(stderr, "map %s 0x%llx 0x%llx 0x%llx %u %u %llu ", pid, start, end, offset, major, minor, inode);
		print_plain(line + path);
		putc('\n', stderr);
	}
	if (file)
		fclose(file);
}

static void list_dir(const char *path, const char *pid, void (*each)(const char *pid, const char *tid))
{
	struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			each(pid ?: entry->d_name, entry->d_name);
	if (dir)
		closedir(dir);
}

static void list_process(const char *pid, const char *unused)
{
	char path[300];

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	list_dir(path, pid, list_task);
	list_maps(pid);
}

int main(void)
{
	static char buffer[1 << 16];

	setvbuf(stderr, buffer, _IOFBF, sizeof(buffer));
	list_dir("/proc", NULL, list_process);
	return 0;
}
