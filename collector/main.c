// SPDX-License-Identifier: GPL-2.0-or-later
/* kymo: finds the subcommand and runs it. Knows nothing of what they do. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "main.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "doctor", doctor_main, "what will and will not work here, and what to do about it" },
	{ "list", list_main, "event types: fields, and what works here" },
	{ "record", record_main, "record the machine into a trace directory" },
	{ "report", report_main, "tables of a trace: tasks, flows, interfaces, interrupts, losses" },
	{ "top", top_main, "show live what the machine does, or what a trace says it did" },
	{ "version", version_main, "show the version" },
};

static void help(FILE *to)
{
	fprintf(to, "Usage: kymo COMMAND [OPTION]...\n\nCommands:\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fprintf(to, "\n'kymo COMMAND --help' tells more about each.\n");
}

int version_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("kymo %s\n", KYMO_VERSION);
	return 0;
}

/* 0, 1 and 2 may be closed: without this a file of the trace would get such a number, and messages as its content. */
static void take_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd < 3);
	if (fd >= 3)
		close(fd);
}

/* What was printed has arrived, or it was for nothing. A command that has failed has said why. */
static int finish(const char *name, int status)
{
	if ((!fflush(stdout) && !ferror(stdout)) || status == 1)
		return status;
	fprintf(stderr, "kymo %s: cannot write its output: %s.\n", name, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "--help";

	take_standard_files();
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
		help(stdout);
		return argc > 1 ? 0 : 2;
	}
	if (!strcmp(name, "--version"))
		name = "version";
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(name, commands[i].name))
			return finish(name, commands[i].run(argc - 1, argv + 1));
	fprintf(stderr, "kymo: unknown command '%s'. 'kymo --help' lists them.\n", name);
	return 2;
}
