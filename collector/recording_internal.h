/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the beginning of a recording and the rest of it. */
#ifndef KYMO_RECORDING_INTERNAL_H
#define KYMO_RECORDING_INTERNAL_H

#include "recording.h"

/* Keep the first sentence and return err: the module refused (`what`: a verb); the disk did. */
int recording_failed(struct recording *r, const char *what, int err);
int recording_disk_failed(struct recording *r, int err);

/* Every enabled event type that the metadata does not have yet. */
int recording_types(struct recording *r);

/* The record's streams follow the input's: CPUs come online. */
int recording_streams(struct recording *r);

#endif
