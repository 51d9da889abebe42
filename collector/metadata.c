// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TSDL. Everything is byte-packed (align = 8), the host's byte order is the trace's. Field names get one underscore
 * in front, against TSDL's keywords; readers take one off. A sequence `x` is preceded by its number of elements,
 * which is called `_x_length`, as LTTng does it.
 */
#include "metadata.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define METADATA_ORDER "le"
#else
#define METADATA_ORDER "be"
#endif

/* A string literal. What C would escape is escaped, other control characters are replaced. */
static void metadata_string(FILE *to, const char *text)
{
	putc('"', to);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", to);
		else
			putc(c < ' ' || c == 0x7f ? '?' : c, to);
	}
	putc('"', to);
}

static void metadata_env_string(FILE *to, const char *key, const char *value)
{
	fprintf(to, "\t%s = ", key);
	metadata_string(to, value);
	fputs(";\n", to);
}

static void metadata_uuid(FILE *to, const uint8_t uuid[16])
{
	putc('"', to);
	for (int i = 0; i < 16; i++)
		fprintf(to, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
	putc('"', to);
}

static void metadata_env(FILE *to, const struct metadata *m)
{
	int major = 0, minor = 0, patch = 0;

	sscanf(KYMO_VERSION, "%d.%d.%d", &major, &minor, &patch);
	fputs("env {\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n", to);
	metadata_env_string(to, "hostname", m->hostname);
	metadata_env_string(to, "kernel_release", m->release);
	fprintf(to, "\ttracer_name = \"kymo\";\n\ttracer_major = %d;\n\ttracer_minor = %d;\n\ttracer_patchlevel = %d;\n",
		major, minor, patch);
	metadata_env_string(to, "trace_name", m->trace_name);
	metadata_env_string(to, "trace_creation_datetime", m->created);
	fputs("};\n\n", to);
}

static void metadata_clock(FILE *to, const struct metadata *m)
{
	const uint64_t offset = m->clock.realtime_ns - m->clock.monotonic_ns;

	fputs("clock {\n\tname = \"monotonic\";\n", to);
	if (*m->boot_id) {
		fputs("\tuuid = ", to);
		metadata_string(to, m->boot_id);
		fputs(";\n", to);
	}
	fprintf(to, "\tdescription = \"CLOCK_MONOTONIC\";\n\tfreq = 1000000000;\n\toffset_s = %llu;\n\toffset = %llu;\n};\n\n",
		(unsigned long long)(offset / 1000000000), (unsigned long long)(offset % 1000000000));
	for (int bits = 32; bits <= 64; bits += 32)
		fprintf(to, "typealias integer { size = %d; align = 8; signed = false; map = clock.monotonic.value; } := "
			"uint%d_ns_t;\n", bits, bits);
}

/* struct kymo_packet and struct kymo_record, member by member. */
static const char metadata_trace[] =
	";\n\tbyte_order = " METADATA_ORDER ";\n"
	"\tpacket.header := struct {\n\t\tuint32_t magic;\n\t\tuint8_t uuid[16];\n\t\tuint32_t stream_id;\n"
	"\t\tuint64_t stream_instance_id;\n\t};\n};\n\n";

static const char metadata_stream[] =
	"\nstream {\n\tid = 0;\n\tpacket.context := struct {\n\t\tuint64_ns_t timestamp_begin;\n\t\tuint64_ns_t timestamp_end;\n"
	"\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n\t\tuint64_t packet_seq_num;\n\t\tuint64_t events_discarded;\n"
	"\t\tuint32_t cpu_id;\n\t};\n\tevent.header := struct {\n\t\tuint32_ns_t timestamp;\n\t\tuint16_t id;\n\t};\n"
	"\tevent.context := struct {\n\t\tuint16_t _len;\n\t};\n};\n\n";

void metadata_write_head(FILE *to, const struct metadata *m)
{
	fputs("/* CTF 1.8 */\n\n", to);
	for (int bits = 8; bits <= 64; bits *= 2)
		fprintf(to, "typealias integer { size = %d; align = 8; signed = false; } := uint%d_t;\n", bits, bits);
	fputs("\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = ", to);
	metadata_uuid(to, m->uuid);
	fputs(metadata_trace, to);
	metadata_env(to, m);
	metadata_clock(to, m);
	fputs(metadata_stream, to);
}

static void metadata_integer(FILE *to, const struct kymo_field *f)
{
	fprintf(to, "integer { size = %u; align = 8; signed = %s;", f->bytes * 8,
		f->kind == KYMO_FIELD_SIGNED ? "true" : "false");
	if (f->flags & (KYMO_FIELD_HEX | KYMO_FIELD_ADDRESS))
		fputs(" base = 16;", to);
	if (f->kind == KYMO_FIELD_TEXT)
		fputs(" encoding = UTF8;", to);
	if (f->flags & KYMO_FIELD_BIG_ENDIAN)
		fputs(" byte_order = be;", to);
	fputs(" }", to);
}

static void metadata_field(FILE *to, const struct kymo_field *f)
{
	if (f->flags & KYMO_FIELD_SEQUENCE)
		fprintf(to, "\t\tuint16_t __%s_length;\n", f->name);
	fputs("\t\t", to);
	if (f->kind == KYMO_FIELD_STRING)
		fputs("string { encoding = UTF8; }", to);
	else
		metadata_integer(to, f);
	fprintf(to, " _%s", f->name);
	if (f->flags & KYMO_FIELD_SEQUENCE)
		fprintf(to, "[__%s_length]", f->name);
	else if (f->count > 1 || f->kind == KYMO_FIELD_TEXT)
		fprintf(to, "[%u]", f->count);
	fputs(";\n", to);
}

void metadata_write_type(FILE *to, const struct event_type *type)
{
	fputs("event {\n\tname = ", to);
	metadata_string(to, type->name);
	fprintf(to, ";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n", type->id);
	for (unsigned int i = 0; i < type->fields; i++)
		metadata_field(to, &type->field[i]);
	fputs("\t};\n};\n\n", to);
}
