// SPDX-License-Identifier: GPL-2.0-or-later
/* The head of the screen: title, numbers of the whole machine, and the way here. */
#include "render_part.h"

#include <stdio.h>
#include <string.h>

#include "../text.h"

/* ---- numbers of the machine ---- */

enum { RENDER_FIELDS = 24, RENDER_FIELD = 40 };

struct render_field {
	const char *label;
	char value[RENDER_FIELD];
	unsigned int width;		/* of the value: it does not push its neighbours when it grows */
	unsigned int drop;		/* where there is no room the largest goes first */
	unsigned int line;		/* of two */
	enum grid_style style;
	bool close;			/* to the one before: it belongs to it */
};

struct render_fields {
	struct render_field field[RENDER_FIELDS];
	unsigned int count;
};

static struct render_field *render_field(struct render_fields *f, const char *label, unsigned int width, unsigned int line,
					 unsigned int drop)
{
	struct render_field *field = &f->field[f->count < RENDER_FIELDS - 1 ? f->count++ : f->count];

	*field = (struct render_field){ .label = label, .width = width, .line = line, .drop = drop, .style = GRID_VALUE };
	return field;
}

static double render_share(uint64_t part, double whole)
{
	return whole > 0 ? (double)part * 100 / whole : 0;
}

static double render_per_s(const struct vitals *v, uint64_t n)
{
	return v->interval_ns ? (double)n * 1e9 / (double)v->interval_ns : 0;
}

/* 999, 1.23 k, 45.6 M */
static void render_si(char *out, size_t size, double n)
{
	static const char unit[] = " kMGT";
	unsigned int i = 0;

	for (; n >= 999.5 && i < sizeof(unit) - 2; i++)
		n /= 1000;
	if (!i)
		snprintf(out, size, "%.*f", n < 9.95 && n > 0 ? 1 : 0, n);
	else
		snprintf(out, size, "%.*f %c", n < 9.995 ? 2 : n < 99.95 ? 1 : 0, n, unit[i]);
}

static void render_share_field(struct render_fields *f, const char *label, double share, unsigned int drop)
{
	struct render_field *field = render_field(f, label, 4, 0, drop);

	snprintf(field->value, sizeof(field->value), "%.*f", share < 99.95 ? 1 : 0, share);
	field->close = true;
}

static void render_rate_field(struct render_fields *f, const struct vitals *v, const char *label, uint64_t n, unsigned int line,
			      unsigned int drop)
{
	struct render_field *field = render_field(f, label, 8, line, drop);
	char si[RENDER_FIELD - 4];

	render_si(si, sizeof(si), render_per_s(v, n));
	snprintf(field->value, sizeof(field->value), "%s/s", si);
}

static void render_bytes_field(struct render_fields *f, const struct vitals *v, const char *label, uint64_t n, bool close)
{
	struct render_field *field = render_field(f, label, 9, 1, 4);
	char bytes[TEXT_NUMBER];

	text_bytes(bytes, sizeof(bytes), (uint64_t)(render_per_s(v, n) + 0.5));
	snprintf(field->value, sizeof(field->value), "%s/s", bytes);
	field->close = close;
}

static void render_count_field(struct render_fields *f, const char *label, uint64_t n, bool alarm, unsigned int drop)
{
	struct render_field *field = render_field(f, label, 1, 1, drop);

	text_count(field->value, sizeof(field->value), n);
	field->style = alarm ? GRID_ALARM : GRID_VALUE;
}

static void render_cpu_fields(struct render_fields *f, const struct vitals *v)
{
	const double whole = (double)v->interval_ns * v->cpus;
	const uint64_t busy = v->user_ns + v->system_ns + v->irq_ns + v->softirq_ns;
	const uint64_t unclear = v->uncharged_ns > (int64_t)v->unclear_ns ? (uint64_t)v->uncharged_ns : v->unclear_ns;
	struct render_field *field = render_field(f, "cpu", 6, 0, 2);

	snprintf(field->value, sizeof(field->value), "%.1f%%", render_share(busy, whole));
	if (v->split)
		render_share_field(f, "user", render_share(v->user_ns, whole), 6);
	render_share_field(f, v->split ? "sys" : "tasks", render_share(v->system_ns, whole), 6);
	render_share_field(f, "irq", render_share(v->irq_ns, whole), 7);
	render_share_field(f, "soft", render_share(v->softirq_ns, whole), 7);
	if (unclear)
		render_share_field(f, "unclear", render_share(unclear, whole), 8);
}

static void render_wait_fields(struct render_fields *f, const struct vitals *v)
{
	struct render_field *field = render_field(f, "runq p99", 7, 0, 4);

	if (v->waits)
		text_ns(field->value, sizeof(field->value), v->wait_p99_ns);
	else
		snprintf(field->value, sizeof(field->value), "-");
	for (unsigned int i = 0; i < VITALS_LOADS; i++) {
		field = render_field(f, i ? "" : "load", 4, 0, i ? 11 : 5);
		snprintf(field->value, sizeof(field->value), "%.*f", v->load[i] < 99.95 ? 2 : 0, v->load[i]);
		field->close = i;
	}
	field = render_field(f, "running", 2, 0, 9);
	snprintf(field->value, sizeof(field->value), "%u", v->running);
	field = render_field(f, "waiting", 2, 0, 9);
	snprintf(field->value, sizeof(field->value), "%u", v->runnable);
	field->close = true;
	field = render_field(f, "threads", 4, 0, 12);
	snprintf(field->value, sizeof(field->value), "%u", v->threads);
	field->close = true;
	render_rate_field(f, v, "thr+", v->threads_made, 0, 8);
	render_rate_field(f, v, "csw", v->switches, 0, 10);
}

static void render_net_fields(struct render_fields *f, const struct vitals *v)
{
	render_bytes_field(f, v, "net rx", v->rx_bytes, false);
	render_bytes_field(f, v, "tx", v->tx_bytes, true);
	render_count_field(f, "drop", v->drops, false, 8);
	render_count_field(f, "retr", v->retransmits, false, 8);
	f->field[f->count - 1].close = true;
}

static void render_own_fields(struct render_fields *f, const struct vitals *v, bool live)
{
	struct render_field *field;
	char bytes[TEXT_NUMBER];

	render_count_field(f, "lost", v->lost_ever, v->lost > 0, 0);
	if (v->late_ever)
		render_count_field(f, "late", v->late_ever, v->late > 0, 3);
	render_rate_field(f, v, "ev", v->events, 1, 5);
	if (!live)
		return;
	field = render_field(f, "kymo", 10, 1, 1);
	if (v->own_memory_bytes >= 10000000 && v->own_memory_bytes < 999500000)
		snprintf(bytes, sizeof(bytes), "%u MB", (unsigned int)((v->own_memory_bytes + 500000) / 1000000));
	else
		text_bytes(bytes, sizeof(bytes), v->own_memory_bytes);
	snprintf(field->value, sizeof(field->value), "%.1f%% %s", render_per_s(v, v->own_cpu_ns) / 1e7, bytes);
	render_rate_field(f, v, "own ev", v->own_events, 1, 9);
}

static unsigned int render_field_width(const struct render_field *field)
{
	const unsigned int value = (unsigned int)strlen(field->value), label = (unsigned int)strlen(field->label);

	return label + (label > 0) + (value > field->width ? value : field->width);
}

static unsigned int render_gap(const struct render_field *field)
{
	return field->close ? 1 : 2;
}

static void render_field_put(const struct render_field *field, struct grid *g, unsigned int row, unsigned int column)
{
	const unsigned int label = (unsigned int)strlen(field->label);

	grid_put(g, row, column, label, GRID_LABEL, field->label);
	column += label + (label > 0);
	grid_put_right(g, row, column, render_field_width(field) - label - (label > 0), field->style, field->value);
}

/* Line after line; how many were needed. */
static unsigned int render_flow(const struct render_fields *f, struct grid *g, unsigned int row, unsigned int columns, bool draw)
{
	unsigned int lines = 0, used = 0;

	for (unsigned int i = 0; i < f->count; i++) {
		const unsigned int width = render_field_width(&f->field[i]), gap = used ? render_gap(&f->field[i]) : 0;

		if (!lines || used + gap + width > columns) {
			lines++;
			used = 0;
		} else {
			used += gap;
		}
		if (draw)
			render_field_put(&f->field[i], g, row + lines - 1, used);
		used += width;
	}
	return lines;
}

/* The least important one of a line (-1: of all) goes. */
static bool render_drop(struct render_fields *f, int line)
{
	unsigned int worst = RENDER_FIELDS;

	for (unsigned int i = 0; i < f->count; i++)
		if ((line < 0 || f->field[i].line == (unsigned int)line) &&
		    (worst == RENDER_FIELDS || f->field[i].drop >= f->field[worst].drop))
			worst = i;
	if (worst == RENDER_FIELDS)
		return false;
	memmove(&f->field[worst], &f->field[worst + 1], (f->count - worst - 1) * sizeof(f->field[0]));
	f->count--;
	return true;
}

static void render_fields_of_line(const struct render_fields *from, unsigned int line, struct render_fields *out)
{
	out->count = 0;
	for (unsigned int i = 0; i < from->count; i++)
		if (from->field[i].line == line)
			out->field[out->count++] = from->field[i];
}

static void render_fit(struct render_fields *f, struct grid *g, unsigned int row, unsigned int rows)
{
	while (render_flow(f, g, row, g->columns, false) > rows && f->count > 1)
		render_drop(f, -1);
	render_flow(f, g, row, g->columns, true);
}

void render_vitals(const struct render_scene *scene, struct grid *g, unsigned int row, unsigned int rows)
{
	struct render_fields f = { .count = 0 }, line;

	if (!scene->vitals || !rows)
		return;
	render_cpu_fields(&f, scene->vitals);
	render_wait_fields(&f, scene->vitals);
	render_net_fields(&f, scene->vitals);
	render_own_fields(&f, scene->vitals, !scene->state->replay);
	if (rows != 2 || g->columns < 60) {
		render_fit(&f, g, row, rows);
		return;
	}
	for (unsigned int i = 0; i < 2; i++) {
		render_fields_of_line(&f, i, &line);
		render_fit(&line, g, row + i, 1);
	}
}

/* ---- title ---- */

struct render_word {
	const char *text;
	enum grid_style style;
	unsigned int drop;
};

static unsigned int render_words_width(const struct render_word *word, unsigned int count, unsigned int drop)
{
	unsigned int width = 0;

	for (unsigned int i = 0; i < count; i++)
		if (word[i].text && *word[i].text && word[i].drop < drop)
			width += grid_text_width(word[i].text) + 2;
	return width;
}

static void render_interval(const struct state *s, char *out, size_t size)
{
	const double seconds = (double)s->interval_ns / 1e9;

	if (s->replay && s->speed_percent != 100)
		snprintf(out, size, "every %.4g s at %g x", seconds, s->speed_percent / 100.0);
	else
		snprintf(out, size, "every %.4g s", seconds);
}

void render_title(const struct render_scene *scene, struct grid *g, unsigned int row)
{
	const struct state *s = scene->state;
	char every[48], recording[280];
	const struct render_word word[] = {
		{ s->paused ? "PAUSED" : NULL, GRID_ALARM, 0 }, { scene->recording ? recording : NULL, GRID_ALARM, 1 },
		{ s->follow ? "follow" : NULL, GRID_LABEL, 2 }, { scene->host, GRID_PLAIN, 5 }, { scene->input, GRID_PLAIN, 6 },
		{ scene->release, GRID_PLAIN, 7 }, { scene->position, GRID_VALUE, 2 }, { scene->clock, GRID_PLAIN, 3 },
		{ every, GRID_PLAIN, 4 },
	};
	const unsigned int words = sizeof(word) / sizeof(word[0]);
	unsigned int left, width, drop = 8;

	render_interval(s, every, sizeof(every));
	snprintf(recording, sizeof(recording), "REC %s", scene->recording ? scene->recording : "");
	left = grid_put(g, row, 0, g->columns, GRID_TITLE, "kymo top") + 2;
	left += grid_put(g, row, left, g->columns, GRID_HEAD_SORT, s->view->name);
	/* Where is too much for a narrow screen; that it records is not. */
	if (left + render_words_width(word, words, 2) > g->columns)
		recording[3] = 0;
	while ((width = render_words_width(word, words, drop)) && left + width > g->columns && drop)
		drop--;
	left = g->columns - (width < g->columns ? width : g->columns);
	for (unsigned int i = 0; i < words; i++)
		if (word[i].text && *word[i].text && word[i].drop < drop)
			left += 2 + grid_put(g, row, left + 2, g->columns, word[i].style, word[i].text);
}

/* ---- the way here, and the views ---- */

static unsigned int render_crumb(struct grid *g, unsigned int row, unsigned int column, unsigned int room, const char *text)
{
	column += grid_put(g, row, column, room, GRID_TREE, " \u203a ");
	return column + grid_put(g, row, column, room, GRID_CRUMB, text);
}

static bool render_crumb_shows(const struct view *v, const char *key)
{
	for (unsigned int i = 0; i < v->columns; i++)
		if (v->column[i].key && !strcmp(v->column[i].key, key))
			return !v->column[i].json_only;
	return false;
}

/* "pid 4711 nginx"; of keys that people do not see, the name alone: "function main". */
static void render_crumb_text(const struct state_crumb *crumb, char *out, size_t size)
{
	char cell[sizeof(crumb->value[0].text)];
	const bool named = crumb->name.unit != VIEW_NONE;
	unsigned int shown = 0;
	size_t at = 0;

	if (*crumb->filter)
		at = (size_t)snprintf(out, size, "\"%s\" \u203a ", crumb->filter);
	else
		out[0] = 0;
	for (unsigned int i = 0; i < crumb->keys && at < size; i++)
		if (!named || render_crumb_shows(crumb->from, crumb->key[i]))
			at += (size_t)snprintf(out + at, size - at, "%s%s %s", shown++ ? ", " : "", crumb->key[i],
					       view_cell_text(&crumb->value[i], cell, sizeof(cell)));
	if (named && at < size)
		snprintf(out + at, size - at, "%s %s", shown ? "" : crumb->from->drill_name,
			 view_cell_text(&crumb->name, cell, sizeof(cell)));
}

static unsigned int render_way(const struct render_scene *scene, struct grid *g, unsigned int row)
{
	const struct state *s = scene->state;
	unsigned int column;
	char text[320];

	column = grid_put(g, row, 0, g->columns, GRID_CRUMB, "all");
	for (unsigned int i = 0; i < s->crumbs; i++) {
		render_crumb_text(&s->crumb[i], text, sizeof(text));
		column = render_crumb(g, row, column, g->columns, text);
	}
	if (*s->user) {
		snprintf(text, sizeof(text), "user %s", s->user);
		column = render_crumb(g, row, column, g->columns, text);
	}
	if (*s->filter) {
		snprintf(text, sizeof(text), "\"%s\"", s->filter);
		column = render_crumb(g, row, column, g->columns, text);
	}
	if (s->kernel_hidden && s->view->kernel)
		column = render_crumb(g, row, column, g->columns, "no kernel threads");
	if (scene->list && scene->list->rows != scene->list->all) {
		snprintf(text, sizeof(text), "  %u of %u", scene->list->rows, scene->list->all);
		column += grid_put(g, row, column, g->columns, GRID_LABEL, text);
	}
	return column;
}

static unsigned int render_tab_text(unsigned int index, char *out, size_t size)
{
	if (index < 10)
		snprintf(out, size, "%u%s", (index + 1) % 10, views[index].name);
	else
		snprintf(out, size, "%s", views[index].name);
	return (unsigned int)strlen(out) + 1;
}

/* As many neighbours of the current one as there is room for. */
static void render_tabs(const struct render_scene *scene, struct grid *g, struct render_map *map, unsigned int row,
			unsigned int left)
{
	const unsigned int now = (unsigned int)(view_of(scene->state->view) - views), room = g->columns - left;
	unsigned int first = now, last = now, width, column;
	char text[40];
	bool grown = true;

	width = render_tab_text(now, text, sizeof(text));
	if (left >= g->columns || width > room)
		return;
	while (grown) {
		grown = false;
		if (last + 1 < views_placed() && width + render_tab_text(last + 1, text, sizeof(text)) <= room) {
			width += render_tab_text(++last, text, sizeof(text));
			grown = true;
		}
		if (first && width + render_tab_text(first - 1, text, sizeof(text)) <= room) {
			width += render_tab_text(--first, text, sizeof(text));
			grown = true;
		}
	}
	column = g->columns - width;
	for (unsigned int i = first; i <= last; i++) {
		const unsigned int used = render_tab_text(i, text, sizeof(text)) - 1;

		grid_put(g, row, column + 1, used, i == now ? GRID_HEAD_SORT : GRID_LABEL, text);
		render_area(map, row, 1, column + 1, used, STATE_ON_VIEW, i);
		column += used + 1;
	}
}

void render_crumbs(const struct render_scene *scene, struct grid *g, struct render_map *map, unsigned int row)
{
	render_tabs(scene, g, map, row, render_way(scene, g, row) + 2);
}
