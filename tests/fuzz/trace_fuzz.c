// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer: a trace that the real ring wrote, with edits: the input is a list of (file, offset, action, value). It is
 * opened, read, counted and shown; a sentence or a report must come out of it.
 */
#include "../unit/trace_make.h"
#include "report.h"

enum { FUZZ_FILES = 6, FUZZ_EDIT = 8 };

static const char *const fuzz_name[FUZZ_FILES] = {
	"stream_0_0", "stream_0_1", "stream_kymo", "kymo/catalogue", "metadata", "kymo/session.json",
};
static struct fuzz_file {
	uint8_t *data;
	size_t bytes;
} fuzz_file[FUZZ_FILES];
static char fuzz_dir[200];
static FILE *fuzz_null;

/* One record of every built-in type on each stream, over several packets. */
static void fuzz_make(void)
{
	struct make_trace t;
	struct make_stream *s[3];
	uint8_t record[400];

	make_begin(&t, fuzz_dir);
	make_file(fuzz_dir, "kymo/session.json", "{\"hostname\": \"h\", \"events\": [{\"id\": 48, \"hits\": 3}]}", 50);
	for (unsigned int i = 0; i < 3; i++)
		s[i] = make_stream(&t, fuzz_name[i], i % 2);
	for (unsigned int i = 0; i < 60; i++) {
		struct catalogue *c = catalogue_create();
		size_t bytes;
		void *entries = builtin_entries(&bytes);

		catalogue_add(c, entries, bytes);
		free(entries);
		for (unsigned int k = 0; k < catalogue_count(c); k++) {
			const struct event_type *type = catalogue_at(c, k);
			uint32_t size = type->fixed_bytes;

			for (uint32_t b = 0; b < size; b++)
				record[b] = b % 4 ? 0 : (uint8_t)(i % 7 + b % 3);
			for (unsigned int f = 0; f < type->fields; f++) {
				if (type->field[f].flags & KYMO_FIELD_SEQUENCE)
					record[size++] = 0, record[size++] = 0;
				else if (type->field[f].kind == KYMO_FIELD_STRING)
					record[size++] = 'x', record[size++] = 0;
			}
			make_clock_ns += 100;
			make_event(s[k % 3], type->id, record, size);
		}
		catalogue_destroy(c);
	}
	make_end(&t);
}

static void fuzz_begin(void)
{
	make_room(fuzz_dir);
	fuzz_make();
	fuzz_null = fopen("/dev/null", "we");
	for (unsigned int i = 0; i < FUZZ_FILES; i++) {
		char path[300];
		FILE *f;

		make_path(path, fuzz_dir, fuzz_name[i]);
		f = fopen(path, "re");
		fuzz_file[i].data = malloc(1 << 20);
		fuzz_file[i].bytes = fread(fuzz_file[i].data, 1, 1 << 20, f);
		fclose(f);
	}
}

static void fuzz_edit(struct fuzz_file *f, const uint8_t edit[FUZZ_EDIT])
{
	uint32_t at, value;

	memcpy(&at, edit, 3);
	at &= 0xffffff;
	memcpy(&value, edit + 4, 4);
	at = f->bytes ? at % (uint32_t)f->bytes : 0;
	switch (edit[3] & 3) {
	case 0:
	case 1:
		if (f->bytes - at >= 4)
			memcpy(f->data + at, &value, edit[3] & 1 ? 4 : 2);
		break;
	case 2:
		if (f->bytes)
			f->data[at] = (uint8_t)value;
		break;
	case 3:
		f->bytes = at;
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[INPUT_TRACE_ERROR];
	struct report r;

	if (!fuzz_null)
		fuzz_begin();
	for (; size > FUZZ_EDIT; data += FUZZ_EDIT + 1, size -= FUZZ_EDIT + 1) {
		const unsigned int which = data[0] % FUZZ_FILES;
		struct fuzz_file copy = { malloc(1 << 20), fuzz_file[which].bytes };

		/* One edit a file, on the sound one: several would mostly hide each other. */
		memcpy(copy.data, fuzz_file[which].data, copy.bytes);
		fuzz_edit(&copy, data + 1);
		make_file(fuzz_dir, fuzz_name[which], copy.data, copy.bytes);
		free(copy.data);
	}
	if (!report_read(&r, fuzz_dir, NULL, error)) {
		report_text(&r, fuzz_dir, NULL, 0, fuzz_null);
		report_json(&r, NULL, 0, fuzz_null);
		report_fini(&r);
	} else if (!error[0]) {
		abort();
	}
	/* All: opening a trace may have repaired files that were not edited. */
	for (unsigned int i = 0; i < FUZZ_FILES; i++)
		make_file(fuzz_dir, fuzz_name[i], fuzz_file[i].data, fuzz_file[i].bytes);
	return 0;
}
