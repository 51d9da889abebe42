/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot as one line of JSON: the machine's numbers, Kymograph's own, and the rows of the views. */
#ifndef KYMO_BATCH_JSON_H
#define KYMO_BATCH_JSON_H

#include "batch.h"

/* -EIO, errno tells more. */
int batch_json(const struct feed *f, const struct batch_options *o, const struct snapshot *s, bool last, FILE *to);

#endif
