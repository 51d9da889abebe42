// SPDX-License-Identifier: GPL-2.0-or-later
/* exec_at PATH [ARGUMENT]...: becomes PATH by execveat(2), which no C library function on this machine calls for a path. */
#include <err.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	syscall(SYS_execveat, AT_FDCWD, argv[1], argv + 1, environ, 0);
	err(1, "execveat %s", argv[1]);
}
