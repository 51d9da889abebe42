/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A collection's streams as one input: the collector's own, then those of the tracer. Nobody but collection.c sees it. */
#ifndef KYMO_COLLECTION_INPUT_H
#define KYMO_COLLECTION_INPUT_H

struct collection;

void collection_input_init(struct collection *c);
void collection_input_follow(struct collection *c); /* the tracer's streams may have become more */

#endif
