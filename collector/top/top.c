// SPDX-License-Identifier: GPL-2.0-or-later
/* The loop: ticks of the feed, strokes, signals. Whatever happens asks for a drawing; it is drawn once in each round. */
#include "top.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../clock.h"
#include "../snapshot.h"
#include "../text.h"
#include "child.h"
#include "list.h"
#include "render.h"
#include "screen.h"
#include "state.h"

#define TOP_S 1000000000ULL

struct top {
	struct feed *feed;
	struct state state;
	struct list list;
	struct grid grid;
	struct render_map map;
	const struct snapshot *snapshot;
	struct child recording;
	unsigned int rows, columns, notes;
	uint64_t due_ns, end_ns;	/* of clock_now_ns(); due: the next tick */
	bool order, draw, quit, at_end;
	char host[128], release[128], clock[32], position[64];
};

static unsigned int top_page(const struct top *t)
{
	return render_page(t->rows, t->columns);
}

/* ---- drawing ---- */

static void top_tell_clock(struct top *t)
{
	const struct feed_facts *facts = feed_facts(t->feed);
	const uint64_t now_ns = t->snapshot ? t->snapshot->end_ns : facts->begin_ns;
	const time_t s = (time_t)((now_ns + facts->wall_offset_ns) / TOP_S);
	struct tm tm;

	*t->clock = *t->position = 0;
	if (facts->wall_offset_ns && localtime_r(&s, &tm))
		strftime(t->clock, sizeof(t->clock), "%H:%M:%S", &tm);
	if (!facts->live)
		snprintf(t->position, sizeof(t->position), "%.1f of %.1f s", (double)(now_ns - facts->begin_ns) / 1e9,
			 (double)(facts->end_ns - facts->begin_ns) / 1e9);
}

static int top_draw(struct top *t)
{
	const struct feed_facts *facts = feed_facts(t->feed);
	struct render_scene scene = {
		.state = &t->state, .list = &t->list, .snapshot = t->snapshot,
		.vitals = t->snapshot ? &t->snapshot->vitals : NULL, .host = t->host, .input = facts->input,
		.release = t->release, .clock = t->clock, .position = t->position,
	};
	int status = 0;

	if (facts->record_dir)
		scene.recording = facts->record_dir;
	if (t->recording.pid)
		scene.recording = t->recording.dir;
	if (t->order && t->snapshot)
		status = list_make(&t->list, t->snapshot, &t->state, top_page(t));
	t->order = t->draw = false;
	top_tell_clock(t);
	if (!status)
		status = render(&scene, t->rows, t->columns, &t->grid, &t->map);
	if (!status)
		screen_show(&t->grid);
	return status;
}

/* ---- the feed ---- */

static uint64_t top_wait_ns(const struct top *t)
{
	const uint64_t ns = t->state.interval_ns;

	return t->state.replay ? (uint64_t)((double)ns * 100 / t->state.speed_percent) : ns;
}

static void top_notes(struct top *t)
{
	const char *note = feed_note(t->feed, t->notes);

	if (!note || *t->state.message)
		return;
	text_clean(t->state.message, sizeof(t->state.message), note, strlen(note));
	t->notes++;
}

static void top_end(struct top *t)
{
	t->state.paused = true;
	state_say(&t->state, "This is the end of the trace.");
}

/* What the feed has answered. The list still points into the snapshot before, which is gone. */
static int top_took(struct top *t, int status, const struct snapshot *next)
{
	if (status && status != -ENODATA)
		return status;
	if (next) {
		t->snapshot = next;
		t->order = true;
	}
	t->at_end = status == -ENODATA;
	if (t->at_end && t->state.replay)
		top_end(t);
	t->draw = true;
	top_notes(t);
	return 0;
}

static int top_tick(struct top *t)
{
	const struct snapshot *next = NULL;
	const int status = feed_tick(t->feed, t->state.interval_ns, &next);

	t->due_ns = clock_now_ns() + top_wait_ns(t);
	return top_took(t, status, next);
}

static int top_seek(struct top *t, uint64_t to_ns)
{
	const struct feed_facts *facts = feed_facts(t->feed);
	const struct snapshot *next = NULL;
	int status;

	if (to_ns < facts->begin_ns + t->state.interval_ns)
		to_ns = facts->begin_ns + t->state.interval_ns;
	if (to_ns > facts->end_ns)
		to_ns = facts->end_ns;
	status = feed_seek(t->feed, to_ns, t->state.interval_ns, &next);
	t->due_ns = clock_now_ns() + top_wait_ns(t);
	return top_took(t, status, next);
}

static int top_step(struct top *t)
{
	const uint64_t now_ns = t->snapshot ? t->snapshot->end_ns : feed_facts(t->feed)->begin_ns;

	if (t->state.step > 0)
		return top_tick(t);
	return top_seek(t, now_ns > t->state.interval_ns ? now_ns - t->state.interval_ns : 0);
}

/* ---- a recording of its own ---- */

static void top_record(struct top *t)
{
	int status;

	if (t->state.replay) {
		state_say(&t->state, "This is a recording already: nothing happens here that could be recorded.");
	} else if (t->recording.pid) {
		child_ask_end(&t->recording);
		state_say(&t->state, "The recording %s ends.", t->recording.dir);
	} else {
		status = child_begin(&t->recording);
		if (status)
			state_say(&t->state, "Cannot start a recording: %s.", strerror(-status));
		else
			state_say(&t->state, "Recording into %s; R ends it.", t->recording.dir);
	}
}

static void top_recorded(struct top *t)
{
	char said[CHILD_SAID * 4];
	int status;

	if (!child_ended(&t->recording, false, &status))
		return;
	text_clean(said, sizeof(said), t->recording.said, strlen(t->recording.said));
	if (status)
		state_say(&t->state, "The recording failed: %.200s", *said ? said : "it says nothing");
	else
		state_say(&t->state, "Recorded: %s.", t->recording.dir);
	t->draw = true;
}

/* ---- strokes and signals ---- */

static void top_list(struct top *t, unsigned int todo)
{
	if (todo & STATE_MOVE)
		list_move(&t->list, &t->state, top_page(t));
	if (todo & STATE_FIND)
		list_find(&t->list, &t->state, top_page(t));
	if (todo & STATE_DRILL && list_drill(&t->list, &t->state))
		t->order = true;
	if (todo & STATE_USERS)
		list_users(&t->list, &t->state);
}

static void top_resume(struct top *t)
{
	t->due_ns = clock_now_ns();
	if (t->at_end && t->state.replay)
		top_end(t);
}

static int top_do(struct top *t, unsigned int todo)
{
	t->draw |= todo != 0;
	t->order |= (todo & STATE_ORDER) != 0;
	t->quit |= (todo & STATE_QUIT) != 0;
	top_list(t, todo);
	if (todo & STATE_RECORD)
		top_record(t);
	if (todo & STATE_INTERVAL)
		t->due_ns = clock_now_ns() + top_wait_ns(t);
	if (todo & STATE_RESUME)
		top_resume(t);
	if (todo & STATE_STEP)
		return top_step(t);
	if (todo & STATE_SEEK)
		return top_seek(t, feed_facts(t->feed)->begin_ns + t->state.seek_ns);
	return 0;
}

/* Drawn in between: the next stroke is meant for what the one before has made. */
static int top_strokes(struct top *t)
{
	struct stroke stroke;
	int status = 0;

	while (!status && !t->quit && screen_stroke(&stroke)) {
		const struct state_hit hit = render_hit(&t->map, stroke.row, stroke.column);

		if (t->order && t->snapshot)
			status = list_make(&t->list, t->snapshot, &t->state, top_page(t));
		t->order = false;
		if (!status)
			status = top_do(t, state_mouse(&t->state, &stroke, hit));
		if (t->state.help_top > render_help_last(t->rows, t->columns))
			t->state.help_top = render_help_last(t->rows, t->columns);
	}
	return status;
}

static void top_signals(struct top *t)
{
	const unsigned int asked = screen_asked();

	if (asked & SCREEN_STOP)
		screen_stop();
	if (asked & SCREEN_END)
		t->quit = true;
	if (asked & (SCREEN_STOP | SCREEN_RESIZED)) {
		screen_size(&t->rows, &t->columns);
		t->order = t->draw = true;
	}
}

/* ---- the loop ---- */

static bool top_ticks(const struct top *t)
{
	return !t->state.paused && !(t->at_end && t->state.replay);
}

static int top_timeout_ms(const struct top *t)
{
	const uint64_t now_ns = clock_now_ns();
	const int drain_ms = feed_wait_ms(t->feed);
	uint64_t until_ns = UINT64_MAX;
	int ms;

	if (top_ticks(t))
		until_ns = t->due_ns;
	if (t->end_ns && t->end_ns < until_ns)
		until_ns = t->end_ns;
	if (t->recording.pid && now_ns + TOP_S / 4 < until_ns)
		until_ns = now_ns + TOP_S / 4; /* it may end by itself */
	if (until_ns == UINT64_MAX)
		return drain_ms;
	if (until_ns <= now_ns)
		return 0;
	ms = until_ns - now_ns > 3600 * TOP_S ? 3600000 : (int)((until_ns - now_ns + 999999) / 1000000);
	return drain_ms >= 0 && drain_ms < ms ? drain_ms : ms;
}

/* 0 also if a signal came: what it wants is looked at after each round. */
static int top_wait(struct top *t)
{
	struct pollfd fds[FEED_FDS + 1];
	const unsigned int count = feed_fds(t->feed, fds);

	fds[count] = (struct pollfd){ .fd = screen_fd(), .events = POLLIN };
	if (poll(fds, count + 1, top_timeout_ms(t)) < 0 && errno != EINTR)
		return -errno;
	return 0;
}

static int top_round(struct top *t)
{
	int status = top_wait(t);

	if (!status && feed_facts(t->feed)->live)
		status = feed_drain(t->feed);
	top_signals(t);
	if (!status && !t->quit)
		status = top_strokes(t);
	if (!status && !t->quit && top_ticks(t) && clock_now_ns() >= t->due_ns)
		status = top_tick(t);
	top_recorded(t);
	if (screen_gone() || (t->end_ns && clock_now_ns() >= t->end_ns))
		t->quit = true;
	if (!status && !t->quit && t->draw)
		status = top_draw(t);
	return status;
}

static void top_facts(struct top *t)
{
	const struct feed_facts *facts = feed_facts(t->feed);
	const char *host = *facts->hostname ? facts->hostname : facts->name;

	text_clean(t->host, sizeof(t->host), host, strlen(host));
	text_clean(t->release, sizeof(t->release), facts->release, strlen(facts->release));
}

static void top_fini(struct top *t)
{
	int status;

	if (t->recording.pid) {
		child_ask_end(&t->recording);
		child_ended(&t->recording, true, &status);
	}
	list_fini(&t->list);
	grid_fini(&t->grid);
}

int top_run(struct feed *f, const struct top_options *o, char why[FEED_WHY])
{
	const struct screen_options options = { .no_mouse = o->no_mouse };
	struct top t = { .feed = f, .draw = true, .order = true };
	char screen_why[SCREEN_WHY];
	int status;

	state_init(&t.state, o->view, o->interval_ns, !feed_facts(f)->live);
	top_facts(&t);
	status = screen_open(&options, screen_why);
	if (status) {
		snprintf(why, FEED_WHY, "%s", screen_why);
		return status;
	}
	screen_size(&t.rows, &t.columns);
	t.due_ns = clock_now_ns();
	t.end_ns = o->duration_ns ? t.due_ns + o->duration_ns : 0;
	if (feed_facts(f)->live) /* nothing has happened yet */
		t.due_ns += t.state.interval_ns < TOP_S / 4 ? t.state.interval_ns : TOP_S / 4;
	status = top_draw(&t);
	t.order = true;
	while (!status && !t.quit)
		status = top_round(&t);
	screen_close();
	top_fini(&t);
	if (status)
		snprintf(why, FEED_WHY, "%s", status == -ENOMEM ? "there is no memory left" : feed_why(f));
	return status;
}
