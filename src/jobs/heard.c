/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/heard.h"

#include "base/id.h"
#include "base/json.h"
#include "base/str.h"
#include "core/event.h"
#include "jobs/run.h"
#include "talk/comment.h"

struct heard {
	const char *id, *artifact_id, *about;
};

static enum err comment_added(struct ctx *c, const struct heard *);
static enum err artifact_updated(struct ctx *c, const struct heard *);
static enum err artifact_viewed(struct ctx *c, const struct heard *);

static enum err (*const receivers[EVENTS])(struct ctx *c, const struct heard *) = {
	[EVENT_COMMENT_ADDED] = comment_added,
	[EVENT_ARTIFACT_UPDATED] = artifact_updated,
	[EVENT_ARTIFACT_VIEWED] = artifact_viewed,
};

static enum err
event_payload_read(struct ctx *c, const char *text, struct event_payload **out)
{
	struct json *json;

	TRY(json_parse(c, text ? text : "", text ? strlen(text) : 0, &json));
	return shape_read(c, &event_payload_shape, json, (void **)out);
}

enum err
event_receive(struct ctx *c, const char *id, const char *artifact_id, const char *payload)
{
	struct event_payload *p;

	TRY(event_payload_read(c, payload, &p));
	for (size_t i = 0; i < EVENTS; i++)
		if (str_eq(event_names[i], p->type))
			return receivers[i](c, &(struct heard){ id, artifact_id, p->about });
	return fail_here(c, "there is no event %s", p->type);
}

/* ---- jobs that wait for an event ---- */

#define RUNS_LATELY(F, T) F(T, INT, n)
SHAPE(runs_lately, RUNS_LATELY);

/* The limit ends loops, such as a receiver that publishes when it hears of a publish. */
static enum err
event_queue(struct ctx *c, enum event event, const struct heard *h, const char *occasion,
    const char *payload)
{
	struct runs_lately *lately;

	/* Ids of runs begin with their time, so a range of ids is a range of time. */
	TRY(db_one(c,
	    ROWS(runs_lately,
		"SELECT COUNT(*) AS n FROM (SELECT 1 FROM job_run"
		" WHERE artifact_id = ? AND id > ? AND cause = 'event' LIMIT ?) r"),
	    ARGS(h->artifact_id, id_first(c->mem, "run_", c->now - 3600), EVENT_RUNS_HOURLY),
	    &lately));
	if (lately->n >= EVENT_RUNS_HOURLY) {
		occasion = mem_printf(c->mem, "over%lld", (long long)(c->now / 3600));
		payload = mem_printf(c->mem, "{\"over\":%d}", EVENT_RUNS_HOURLY);
	}
	return run_queue_event(c, h->artifact_id, event_names[event], occasion, payload);
}

/* ---- events ---- */

/* A comment that was deleted since causes no run. */
static enum err
comment_added(struct ctx *c, const struct heard *h)
{
	const struct artifact a = { .id = h->artifact_id };
	const struct comment_author *author;
	struct buf b = BUF(c->mem);
	struct comment *m;
	enum err e;

	TRY(comment_heard(c, h->artifact_id));
	e = comment_get(c, &a, h->about, &comment_reads_all, &m);
	if (e == E_NOT_FOUND) {
		ctx_again(c);
		return E_OK;
	}
	TRY(e);
	author = m->author;
	buf_fmt(&b, "{\"comment\":{\"id\":\"%s\",\"text\":", m->id);
	buf_json(&b, m->text);
	buf_str(&b, ",\"author\":");
	buf_json(&b, author->name && *author->name ? author->name : "Somebody");
	buf_str(&b, ",\"path\":");
	buf_json(&b, m->path);
	buf_str(&b, "}}");
	return event_queue(c, EVENT_COMMENT_ADDED, h, h->about, buf_done(&b));
}

#define LIVE_VERSION(F, T) F(T, INT, no, .flags = F_NUL)
SHAPE(live_version, LIVE_VERSION);

static enum err
artifact_updated(struct ctx *c, const struct heard *h)
{
	struct live_version *live;
	struct buf b = BUF(c->mem);

	TRY(db_find(c, ROWS(live_version, "SELECT live_no AS no FROM artifact WHERE id = ?"),
	    ARGS(h->artifact_id), &live));
	buf_str(&b, "{\"change\":");
	buf_json(&b, h->about);
	if (live && live->has.no == GIVEN)
		buf_fmt(&b, ",\"version_no\":%lld", (long long)live->no);
	buf_chr(&b, '}');
	return event_queue(c, EVENT_ARTIFACT_UPDATED, h, h->id, buf_done(&b));
}

#define VIEWED_SO_FAR(F, T) F(T, STR, payload)
SHAPE(viewed_so_far, VIEWED_SO_FAR);

/* Reading the row again under its lock includes views that were added since it was found; later
 * views go into a new row. */
static enum err
artifact_viewed(struct ctx *c, const struct heard *h)
{
	struct viewed_so_far *row;
	struct event_payload *p;
	int64_t views;

	TRY(db_find(c, ROWS(viewed_so_far, "SELECT payload FROM outbox WHERE id = ? FOR UPDATE"),
	    ARGS(h->id), &row));
	if (!row)
		return E_OK;
	TRY(event_payload_read(c, row->payload, &p));
	if (!str_int(p->about, &views))
		return fail_here(c, "%s: %s views", h->id, p->about);
	return event_queue(c, EVENT_ARTIFACT_VIEWED, h,
	    mem_printf(c->mem, "v%lld", (long long)(c->now / 60)),
	    mem_printf(c->mem, "{\"views\":%lld}", (long long)views));
}
