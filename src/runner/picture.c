/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/picture.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/log.h"
#include "base/png.h"
#include "base/str.h"
#include "ext/devtools.h"
#include "ext/egress.h"
#include "ext/pagelog.h"
#include "ext/room.h"
#include "runner/preview.h"
#include "site/pagecheck.h"
#include "site/pagetext.h"
#include "site/picture.h"
#include "site/visit.h"
#include "store/object.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	WIDTH = 1280,
	HEIGHT = 800,
	PARTS = 2, /* cards are 320 wide; a screen may have two pixels for one */
	SHOT_MS = 15000,
	LOAD_BYTES = 10 << 20,
	LOAD_S = 5,
	PICTURE_BYTES = 256 << 10,
	AGAIN_S = 600,
	MINUTE_MS = 60000,
	TURN_MS = 45000 /* then other work of this process has its turn */
};

/* ---- the page's requests ---- */

/* Fetches from the page's host, which is ours, as a visitor does, with two exceptions: the request
 * isn't counted as a view (nginx/views.conf.in), and a private page lets it through (arg: the
 * header for that). */
static bool
page_fetch(
    void *arg, struct ctx *one, const char *url, bool page, struct devtools_answer *answer)
{
	const char *const to_show[] = { arg, "Accept: text/html,*/*", "Sec-Fetch-Mode: navigate",
		"Sec-Fetch-Dest: document", "Sec-Purpose: prefetch", NULL };
	const char *const to_use[] = { arg, "Accept: */*", "Sec-Fetch-Mode: no-cors",
		"Sec-Purpose: prefetch", NULL };
	struct egress_req req = { .url = url,
		.max_bytes = LOAD_BYTES,
		.timeout_s = LOAD_S,
		.headers = page ? to_show : to_use,
		.keep_head = true,
		.trusted = true };
	struct egress_res *res;
	const char *to;

	if (egress_send(one, &req, &res))
		return false;
	/* A redirect to the app is for visitors who must sign in, so the page isn't shown to us. */
	to = page && res->status / 100 == 3 ? strcasestr(res->head, "\nlocation: ") : NULL;
	if (to && str_starts(to + strlen("\nlocation: "), one->conf->base_url))
		return false;
	*answer = (struct devtools_answer){
		(int)res->status, res->head, res->body, res->body_n
	};
	return true;
}

/* ---- one page ---- */

/* A page that is opened to check it, to picture it, or both. */
struct opening {
	struct page_due *check;   /* NULL: its problems aren't wanted */
	struct page_due *picture; /* NULL: its picture isn't wanted */
	const char *id, *slug;
	struct devtools_view seen;
	struct pagelog log;
};

static enum err
page_open(struct ctx *c, struct room *b, struct opening *o)
{
	struct devtools_shot shot = { .width = WIDTH,
		.height = HEIGHT,
		.parts = PARTS,
		.most_ms = SHOT_MS,
		.fetch = page_fetch,
		.log = &o->log };

	shot.arg = mem_printf(c->mem, VISIT_PASS ": %s", visit_pass(c, o->id));
	shot.url = mem_printf(c->mem, "%s/", conf_site_origin(c->mem, c->conf, o->slug));
	return devtools_shoot(c, room_socket(b), &shot, &o->seen);
}

static enum err
picture_make(struct ctx *c, const struct opening *o, bool *kept)
{
	struct object object;
	struct batch *batch;
	const char *png;
	size_t n;

	TRY(png_rewrite(
	    c, o->seen.png, o->seen.n, WIDTH / PARTS, HEIGHT / PARTS, PICTURE_BYTES, &png, &n));
	TRY(batch_begin(c, &batch));
	TRY(batch_put(c, batch, png, n, &object));
	TRY(batch_sync(c, batch));
	return picture_keep(c, o->picture, &object, kept);
}

static void
opening_log(const struct opening *o, const char *event, const char *why)
{
	log_line(LOG_LEVEL_INFO, event, "artifact", o->id, why ? "why" : NULL, why, NULL);
}

/* Stores the picture, in a context of its own, because the store's sweeper waits for its end. e:
 * the result of page_open(). */
static enum err
picture_settle(struct ctx *one, const struct opening *o, enum err e)
{
	bool kept = false;

	if (!e)
		e = picture_make(one, o, &kept);
	if (e)
		opening_log(o, "no picture", ctx_why(one));
	else
		opening_log(o, kept ? "picture" : "picture of what is gone", NULL);
	return e;
}

/* Reports a blank page, unless it lacks data or scripts of other hosts here. */
static enum err
blank_look(struct ctx *c, struct opening *o)
{
	bool blank;

	if (!o->seen.png || o->log.data_left_out || o->log.scripts_left_out)
		return E_OK;
	TRY(png_blank(c, o->seen.png, o->seen.n, &blank));
	if (blank)
		pagelog_add(&o->log, "blank", "Nothing can be seen: the page is all one color",
		    NULL, 0);
	return E_OK;
}

/* Stores the check. A page that couldn't be opened is tried again, unless the page is the cause. */
static enum err
check_settle(struct ctx *c, struct opening *o, enum err e)
{
	struct page_found found = { 0 };
	bool last = o->check->attempts >= DUE_ATTEMPTS;

	if (e && !o->log.ends_so && !(last && o->log.n)) {
		opening_log(o, "page not opened", NULL);
		return pagecheck_fail(c, o->check);
	}
	found.items = (struct list){ o->log.problems, o->log.n };
	found.other_hosts = (struct strs){ o->log.hosts, o->log.host_n };
	TRY(pagecheck_keep(c, o->check, &found));
	return o->seen.text ? pagetext_keep(c, o->check, o->seen.text) : E_OK;
}

/* Opens a page once more that was late, or whose browser didn't answer, since the machine may have
 * been busy. first: the first result. */
static enum err
page_reopen(struct ctx *c, struct room **b, struct opening *o, enum err first)
{
	bool busy = o->log.busy;
	enum err e;

	ctx_forgive(c);
	mem_free(*b);
	*b = NULL;
	if (room_open(c, ROOM_BROWSER, -1, b)) {
		ctx_forgive(c);
		return first;
	}
	o->log = (struct pagelog){ 0 };
	o->seen = (struct devtools_view){ 0 };
	e = page_open(c, *b, o);
	if (e && o->log.late && (busy || o->log.busy)) {
		o->log.ends_so = true;
		pagelog_add(&o->log, "timeout",
		    "The page kept the browser busy: a script may never end", NULL, 0);
	}
	return e;
}

/* Sets *none to the reason if no browser can run here. */
static enum err
opening_run(struct ctx *c, struct room *b, struct opening *o, const char **none)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	enum err e, opened = page_open(one, b, o), told = E_OK;

	if (opened == E_UNAVAILABLE || (o->check && o->log.late))
		opened = page_reopen(one, &b, o, opened);
	if (opened == E_UNAVAILABLE)
		*none = mem_strdup(c->mem, ctx_why(one));
	if (!opened && blank_look(one, o))
		opened = one->err;
	if (o->check)
		told = check_settle(c, o, opened);
	e = o->picture && picture_settle(one, o, opened) ? picture_fail(c, o->picture) : E_OK;
	ctx_end(one);
	return told ? told : e;
}

/* Opens a browser before the caller claims a page, so a machine without one claims nothing. */
static enum err
browser_open(struct ctx *c, enum err (*waits)(struct ctx *, bool *), bool *any, struct room **out,
    const char **none)
{
	*any = false;
	*out = NULL;
	if (!room_program(c->mem, c->conf, ROOM_BROWSER))
		return E_OK;
	TRY(waits(c, any));
	if (*any && room_open(c, ROOM_BROWSER, -1, out)) {
		*none = ctx_why(c);
		*out = NULL;
	}
	return E_OK;
}

static enum err
picture_one(struct ctx *c, bool *any, const char **none)
{
	struct opening o = { 0 };
	struct room *b;

	TRY(browser_open(c, picture_waits, any, &b, none));
	if (!b)
		return E_OK;
	TRY(picture_take(c, &o.picture));
	if (!o.picture)
		return E_OK;
	o.id = o.picture->artifact_id;
	o.slug = o.picture->slug;
	return opening_run(c, b, &o, none);
}

/* Opens a page once for its check and its picture. */
static enum err
check_one(struct ctx *c, bool *any, const char **none)
{
	struct opening o = { 0 };
	struct room *b;

	TRY(browser_open(c, pagecheck_waits, any, &b, none));
	if (!b)
		return E_OK;
	TRY(pagecheck_take(c, &o.check));
	if (!o.check)
		return E_OK;
	o.id = o.check->artifact_id;
	o.slug = o.check->slug;
	TRY(picture_take_of(c, o.id, &o.picture));
	return opening_run(c, b, &o, none);
}

/* ---- this machine ---- */

static bool
none_yet(int lock)
{
	struct stat st;

	return fstat(lock, &st) ||
	    (st.st_mtime > time(NULL) && st.st_mtime <= time(NULL) + AGAIN_S);
}

static enum err
picture_turn(const struct conf *conf, struct db *db, int lock,
    enum err (*one)(struct ctx *, bool *any, const char **none), bool *any)
{
	struct ctx *c = ctx_begin(conf, db);
	const char *none = NULL;
	enum err e = one(c, any, &none);

	if (none) {
		/* The lock's file has the time before which this machine tries nothing, so we log
		 * this each ten minutes, not for each page. Other machines continue. */
		struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
			{ .tv_sec = c->now + AGAIN_S } };

		log_line(LOG_LEVEL_WARN, "no pictures can be made here, cards are drawn", "why",
		    none, NULL);
		if (futimens(lock, times))
			log_line(LOG_LEVEL_WARN, "picture.lock", "why", strerror(errno), NULL);
	}
	if (e)
		log_line(LOG_LEVEL_ERROR, "pictures failed", "why", ctx_why(c), NULL);
	*any &= !none;
	ctx_end(c);
	return e;
}

/* ---- all ---- */

/* Returns the number of pages and files that this process has begun in the current minute. */
static int64_t *
minute_begun(void)
{
	static int64_t since_ms, begun;
	int64_t now = clock_ms();

	if (!since_ms || now - since_ms >= MINUTE_MS) {
		since_ms = now;
		begun = 0;
	}
	return &begun;
}

static enum err
pictures_make(const struct conf *conf, struct db *db, int lock)
{
	/* The kinds take turns, so none waits for all of another. */
	static enum err (*const kinds[])(struct ctx *, bool *, const char **) = { check_one,
		picture_one, preview_one };
	int64_t until = clock_ms() + TURN_MS;
	bool any = true;
	enum err e = E_OK;

	while (any && !e && clock_ms() < until) {
		any = false;
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !e && !none_yet(lock); i++) {
			bool also = false;

			if (*minute_begun() >= conf->pictures_per_minute)
				return E_OK;
			e = picture_turn(conf, db, lock, kinds[i], &also);
			*minute_begun() += also;
			any |= also;
		}
	}
	return e;
}

enum err
pictures_run(const struct conf *conf, struct db *db)
{
	void *mem;
	enum err e = E_OK;
	int lock;

	if (!rooms_prepared())
		return E_OK;
	mem = mem_root("pictures");
	lock = mem_fd(mem,
	    open(mem_printf(mem, "%s/picture.lock", conf->data_dir), O_RDWR | O_CREAT | O_CLOEXEC,
		0640));
	if (lock >= 0 && !flock(lock, LOCK_EX | LOCK_NB) && !none_yet(lock))
		e = pictures_make(conf, db, lock);
	mem_free(mem);
	return e;
}
