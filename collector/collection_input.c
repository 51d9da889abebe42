// SPDX-License-Identifier: GPL-2.0-or-later
/* A collection's streams as one input. The own stream is stream 0; stream n of the tracer is n + 1. */
#include "collection_input.h"

#include <errno.h>

#include "collection.h"

static struct collection *collection_of(struct input *in)
{
	return (struct collection *)in;	/* its first member */
}

void collection_input_follow(struct collection *c)
{
	c->in.streams = c->tracer->streams + 1;
}

static int collection_input_wait(struct input *in, int timeout_ms)
{
	struct collection *c = collection_of(in);
	int err = c->tracer->ops->wait(c->tracer, timeout_ms);

	collection_input_follow(c);
	return err;
}

static bool collection_own_next(struct collection *c, struct stretch *out)
{
	struct ring_reader *reader = loss_reader(c->loss);

	if (c->own_held)
		return false;
	ring_reader_look(reader);
	if (!ring_reader_next(reader, true, out))
		return false;
	out->stream = COLLECTION_OWN_STREAM;
	c->own_held = true;
	return true;
}

static int collection_input_next(struct input *in, struct stretch *out)
{
	struct collection *c = collection_of(in);
	int got;

	if (collection_own_next(c, out))
		return 1;
	got = c->tracer->ops->next(c->tracer, out);
	collection_input_follow(c);
	if (got == 1)
		out->stream++;
	return got == -ENODATA && c->own_held ? 0 : got;
}

static void collection_input_release(struct input *in, const struct stretch *stretch)
{
	struct collection *c = collection_of(in);
	struct stretch of_tracer = *stretch;

	if (stretch->stream == COLLECTION_OWN_STREAM) {
		ring_reader_release(loss_reader(c->loss), stretch);
		c->own_held = false;
		return;
	}
	of_tracer.stream--;
	c->tracer->ops->release(c->tracer, &of_tracer);
}

static void collection_input_stream(struct input *in, unsigned int stream, struct input_stream *out)
{
	struct collection *c = collection_of(in);

	if (stream == COLLECTION_OWN_STREAM)
		loss_stream(c->loss, out);
	else
		c->tracer->ops->stream(c->tracer, stream - 1, out);
}

void collection_input_init(struct collection *c)
{
	static const struct input_ops ops = {
		.name = "collection", .wait = collection_input_wait, .next = collection_input_next,
		.release = collection_input_release, .stream = collection_input_stream,
	};

	c->in.ops = &ops;
	c->in.catalogue = c->tracer->catalogue;
}
