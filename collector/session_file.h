/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kymo/session.json: what was recorded, where, when, with which loss. Written at the beginning and again at the end. */
#ifndef KYMO_SESSION_FILE_H
#define KYMO_SESSION_FILE_H

struct recording;

int session_file_write(struct recording *r);

#endif
