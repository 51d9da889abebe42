/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the beginning of a recording and the rest of it. */
#ifndef KYMO_RECORDING_INTERNAL_H
#define KYMO_RECORDING_INTERNAL_H

#include "recording.h"

/* The disk refused: keeps the first sentence, returns err. */
int recording_disk_failed(struct recording *r, int err);

/* Every enabled event type that the metadata does not have yet. */
int recording_types(struct recording *r);

/* From now on who is there is kept in mind, if the session has events that say it. */
int recording_watch(struct recording *r);
int recording_watch_stretch(struct recording *r, const struct stretch *s);

/* Stores what is not in the streams, and what may be deleted there. */
int recording_store_for_later(struct recording *r);

/* The record's streams follow the collection's: CPUs come online. */
int recording_streams(struct recording *r);

#endif
