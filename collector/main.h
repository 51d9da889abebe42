/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The subcommands. argv[0] is the subcommand's name. Exit status: 0 done, 1 failed, 2 wrong usage,
 * 3 done, but events were lost.
 */
#ifndef KYMO_MAIN_H
#define KYMO_MAIN_H

int doctor_main(int argc, char **argv);
int list_main(int argc, char **argv);
int record_main(int argc, char **argv);
int report_main(int argc, char **argv);
int top_main(int argc, char **argv);
int version_main(int argc, char **argv);

#endif
