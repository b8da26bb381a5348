/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/picture.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/json.h"
#include "base/log.h"
#include "base/png.h"
#include "base/rasterdiff.h"
#include "base/str.h"
#include "base/told.h"
#include "ext/apart.h"
#include "ext/devtools.h"
#include "ext/egress.h"
#include "ext/pagelog.h"
#include "ext/room.h"
#include "runner/preview.h"
#include "site/check.h"
#include "site/comparepic.h"
#include "site/pagetext.h"
#include "site/picture.h"
#include "site/seen.h"
#include "site/version.h"
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
	CARD_SIDE = SEEN_WIDTH / 2, /* cards are 320 wide; a screen may have two pixels for one */
	CARD_BYTES = 256 << 10,
	PICTURE_BYTES = 512 << 10,
	PATIENCE_MS = 8000,
	SHOT_MS = 15000,
	/* While somebody waits, who gets an answer after ten seconds. */
	WAITED_PATIENCE_MS = 5000,
	WAITED_SHOT_MS = 7000,
	LOAD_BYTES = 10 << 20,
	LOAD_S = 5,
	AGAIN_S = 10, /* after a failure; doubled up to AGAIN_MOST_S */
	AGAIN_MOST_S = 600,
	MINUTE_MS = 60000,
	TURN_MS = 45000 /* then other work of this process has its turn */
};

/* A page that is opened to see it, to picture it for its card, or both; or to compare it. */
struct opening {
	struct page_due *look;    /* NULL: nobody wants to know what is seen */
	struct page_due *picture; /* NULL: its card isn't wanted */
	const struct page_due *due; /* look or picture, or a version that is compared */
	const char *path; /* of a version that is compared; else NULL */
	const char *id, *pass;
	struct devtools_view seen;
	struct pagelog log;
	double blank; /* if the page has a picture */
	bool signin;  /* it leads its visitors to sign in */
};

/* ---- the page's requests ---- */

/* Fetches from the page's host, which is ours, as a visitor does, with two exceptions: the request
 * isn't counted as a view (nginx/views.conf.in), and a private page lets it through (the
 * header for that is in the opening, arg). */
static bool
page_fetch(
    void *arg, struct ctx *one, const char *url, bool page, struct devtools_answer *answer)
{
	struct opening *o = arg;
	const char *const to_show[] = { o->pass, "Accept: text/html,*/*",
		"Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Sec-Purpose: prefetch",
		NULL };
	const char *const to_use[] = { o->pass, "Accept: */*", "Sec-Fetch-Mode: no-cors",
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
	o->signin |= to && str_starts(to + strlen("\nlocation: "), one->conf->base_url);
	if (o->signin)
		return false;
	*answer = (struct devtools_answer){
		(int)res->status, res->head, res->body, res->body_n
	};
	return true;
}

/* ---- one page ---- */

static bool
is_waited_for(const struct ctx *c, const struct opening *o)
{
	return o->look && o->look->waiter_until >= c->now;
}

static enum err
page_open(struct ctx *c, struct room *b, struct opening *o)
{
	bool waited = is_waited_for(c, o);
	struct devtools_shot shot = { .width = SEEN_WIDTH,
		.height = SEEN_HEIGHT,
		.phone_width = o->look ? PHONE_WIDTH : 0,
		.phone_height = PHONE_HEIGHT,
		.patience_ms = waited ? WAITED_PATIENCE_MS : PATIENCE_MS,
		.most_ms = waited ? WAITED_SHOT_MS : SHOT_MS,
		.fetch = page_fetch,
		.arg = o,
		.log = &o->log };

	o->signin = false;
	o->pass = mem_printf(c->mem, VISIT_PASS ": %s", visit_pass(c, o->id, o->due->version_no));
	shot.url = o->due->live
	    ? mem_printf(c->mem, "%s/", conf_site_origin(c->mem, c->conf, o->due->slug))
	    : version_address(c, o->due->slug, o->due->version_no);
	if (!shot.url) /* its label would be too long */
		return fail_here(c, "the version has no address of its own");
	if (o->path) {
		struct buf url = BUF(c->mem);

		buf_str(&url, shot.url);
		buf_url(&url, o->path);
		shot.url = buf_done(&url);
		shot.most_height = COMPARED_HEIGHT;
	}
	TRY(devtools_shoot(c, room_socket(b), &shot, &o->seen));
	if (o->path)
		return E_OK;
	return png_commonest(c, o->seen.png, o->seen.n, &o->blank);
}

/* Stores a picture as an object, scaled so that no side is longer. One of a single colour, which
 * shows nothing, or that can't be read isn't stored: *out is NULL. */
static enum err
picture_store(struct ctx *c, const char *shot, size_t shot_n, unsigned side, size_t most,
    struct object **out)
{
	struct batch *batch;
	const char *png;
	size_t n;

	*out = NULL;
	if (!shot)
		return E_OK;
	if (png_fit(c, shot, shot_n, side, most, &png, &n))
		return ctx_forgive(c);
	TRY(batch_begin(c, &batch));
	*out = mem_new(c->mem, struct object);
	TRY(batch_put(c, batch, png, n, *out));
	return batch_sync(c, batch);
}

static void
opening_log(const struct opening *o, const char *event, const char *why)
{
	log_line(LOG_LEVEL_INFO, event, "artifact", o->id, why ? "why" : NULL, why, NULL);
}

/* Stores the card's picture. e: the result of page_open(). */
static enum err
card_store(struct ctx *one, const struct opening *o, enum err e)
{
	struct object *object = NULL;
	bool kept = false;

	if (!e)
		e = picture_store(
		    one, o->seen.png, o->seen.n, CARD_SIDE, CARD_BYTES, &object);
	if (!e && !object)
		e = fail_here(one, "the picture is all one color");
	if (!e)
		e = picture_keep(one, o->picture, object, &kept);
	if (e)
		opening_log(o, "no picture", ctx_why(one));
	else
		opening_log(o, kept ? "picture" : "picture of what is gone", NULL);
	return e;
}

static bool
has_problem(const struct pagelog *log, const char *kinds)
{
	for (size_t i = 0; i < log->n; i++)
		if (str_in(log->problems[i].kind, kinds))
			return true;
	return false;
}

/* Reads what the page tells of itself; NULL if that has another form. */
static struct seen_basics *
basics_read(struct ctx *c, const char *facts)
{
	struct json *tree;
	void *read = NULL;

	if (!facts || !*facts || json_parse(c, facts, strlen(facts), &tree) ||
	    shape_read(c, &seen_basics_shape, tree, &read))
		ctx_forgive(c);
	return read;
}

static void
found_fill(struct ctx *c, struct opening *o, struct seen_found *f)
{
	struct pagelog *log = &o->log;
	struct seen_basics *basics = basics_read(c, o->seen.facts);
	/* A short text on a large page is more than 0.999 of one colour, too. */
	bool blank = o->seen.png &&
	    (o->blank == 1 || (o->blank >= SEEN_BLANK && !o->seen.has_text));
	/* Visitors may see what isn't loaded here. */
	bool unclear = log->scripts_left_out || (log->data_left_out && blank);

	if (blank && !unclear)
		pagelog_add(log, "blank", "Nothing can be seen: the page is all one color",
		    NULL, 0);
	f->ok = !has_problem(log, "exception|missing|blank|timeout");
	f->has.ok = unclear && f->ok ? NULLED : GIVEN;
	if (basics) {
		basics->title = str_cut(
		    c->mem, str_one_line(c->mem, basics->title), PAGELOG_CHARS);
		basics->lang = str_cut(c->mem, str_one_line(c->mem, basics->lang), 40);
		f->title = basics->title;
		f->basics = basics;
	}
	f->load_ms = o->seen.load_ms;
	f->has.load_ms = o->seen.load_ms ? GIVEN : NULLED;
	f->requests = log->loads;
	f->bytes = o->seen.bytes;
	f->blank = o->blank;
	f->has.blank = o->seen.png && !log->scripts_left_out ? GIVEN : NULLED;
	f->wide_px = o->seen.wide_px;
	f->has.wide_px = o->seen.wide_px ? GIVEN : NULLED;
	f->items = (struct list){ log->problems, log->n };
	f->other_hosts = (struct strs){ log->hosts, log->host_n };
	f->failed = (struct list){ log->failed, log->failed_n };
}

static const char *
unseen_why(const struct opening *o, enum err e)
{
	return e == E_UNAVAILABLE ? "busy"
	    : o->signin           ? "sign_in"
	    : o->log.late         ? "busy"
	    : has_problem(&o->log, "exception") ? "crashed"
						: "gone";
}

/* Stores what was seen. A page that couldn't be opened is tried again, unless the page is the
 * cause. */
static enum err
look_store(struct ctx *c, struct opening *o, enum err e)
{
	bool last = o->look->attempts >= DUE_ATTEMPTS;
	struct object *picture = NULL, *phone = NULL;
	struct seen_found found = { 0 };

	if (e && !o->log.ends_so && !(last && o->log.n)) {
		opening_log(o, "page not opened", NULL);
		return seen_fail(c, o->look, unseen_why(o, e));
	}
	TRY(picture_store(
	    c, o->seen.png, o->seen.n, SEEN_WIDTH, PICTURE_BYTES, &picture));
	TRY(picture_store(
	    c, o->seen.phone_png, o->seen.phone_n, PHONE_HEIGHT, PICTURE_BYTES, &phone));
	found_fill(c, o, &found);
	found.why = e && !has_problem(&o->log, "timeout") ? unseen_why(o, e) : NULL;
	TRY(seen_keep(c, o->look, &found, picture, phone));
	return o->look->live && o->seen.text ? pagetext_keep(c, o->look, o->seen.text) : E_OK;
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
	if (room_open(c, ROOM_BROWSER, -1, 0, b)) {
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

/* Tells what was seen to those who wait, after its checks are settled. */
static enum err
look_finish(struct ctx *c, struct opening *o, enum err opened)
{
	const struct page_due *d = o->look;

	TRY(look_store(c, o, opened));
	TRY(checks_settle(c, d->artifact_id, d->version_no));
	told_tell(c->conf, seen_subject(c->mem, d->artifact_id, d->version_no));
	return E_OK;
}

/* Sets *none to the reason if no browser can run here. Bytes are stored in a context of their own,
 * because the store's sweeper waits for its end. */
static enum err
opening_run(struct ctx *c, struct room *b, struct opening *o, const char **none)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	enum err e, opened, kept = E_OK;

	o->due = o->look ? o->look : o->picture;
	o->id = o->due->artifact_id;
	opened = page_open(one, b, o);
	if (!is_waited_for(c, o) && (opened == E_UNAVAILABLE || (o->look && o->log.late)))
		opened = page_reopen(one, &b, o, opened);
	if (opened == E_UNAVAILABLE)
		*none = mem_strdup(c->mem, ctx_why(one));
	if (o->look) {
		struct ctx *look = ctx_begin(c->conf, c->db);

		kept = look_finish(look, o, opened);
		if (kept)
			c->internal = mem_strdup(c->mem, ctx_why(look));
		ctx_end(look);
	}
	e = o->picture && card_store(one, o, opened) ? picture_fail(c, o->picture) : E_OK;
	ctx_end(one);
	return kept ? kept : e;
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
	if (*any && room_open(c, ROOM_BROWSER, -1, 0, out)) {
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
	return opening_run(c, b, &o, none);
}

/* Opens a page once, to see it and for its card. */
static enum err
look_one(struct ctx *c, bool *any, const char **none)
{
	struct opening o = { 0 };
	struct room *b;

	TRY(browser_open(c, seen_waits, any, &b, none));
	if (!b)
		return E_OK;
	TRY(seen_take(c, &o.look));
	if (!o.look)
		return E_OK;
	if (o.look->live)
		TRY(picture_take_of(c, o.look->artifact_id, &o.picture));
	return opening_run(c, b, &o, none);
}

/* ---- two versions ---- */

/* Takes one of the two pictures. *b is used up. */
static enum err
side_open(struct ctx *c, struct room **b, const struct page_due *d, int64_t no, struct opening *o)
{
	struct page_due *due = mem_new(c->mem, struct page_due);
	enum err e;

	*due = (struct page_due){ .artifact_id = d->artifact_id,
		.slug = d->slug,
		.version_no = no };
	*o = (struct opening){ .due = due, .id = d->artifact_id, .path = d->path };
	if (!*b)
		TRY(room_open(c, ROOM_BROWSER, -1, 0, b));
	e = page_open(c, *b, o);
	mem_free(*b);
	*b = NULL;
	return e;
}

/* Has the two pictures compared in a process apart, because a page that has taken the browser over
 * chose their bytes, and stores them if they differ. */
static enum err
pair_compare(struct ctx *c, const struct page_due *d, const struct opening o[2])
{
	const char *answer, *found, *from, *to;
	size_t n, found_n, from_n, to_n;
	struct object pictures[2];
	struct batch *batch;
	struct buf in = BUF(c->mem);

	pair_put(&in, o[0].seen.png, o[0].seen.n);
	pair_put(&in, o[1].seen.png, o[1].seen.n);
	if (in.n > APART_IN)
		return fail_here(c, "the pictures are too large");
	TRY(apart_run(c, pair_work, buf_done(&in), in.n, 3 * PAIR_BYTES, &answer, &n));
	if (!pair_take(&answer, &n, &found, &found_n))
		return fail_here(c, "an answer without what differs");
	found = mem_strndup(c->mem, found, found_n);
	if (!pair_take(&answer, &n, &from, &from_n) || !pair_take(&answer, &n, &to, &to_n))
		return pair_keep(c, d, found, NULL, NULL);
	TRY(batch_begin(c, &batch));
	TRY(batch_put(c, batch, from, from_n, &pictures[0]));
	TRY(batch_put(c, batch, to, to_n, &pictures[1]));
	TRY(batch_sync(c, batch));
	return pair_keep(c, d, found, &pictures[0], &pictures[1]);
}

static enum err
pair_run(struct ctx *c, struct room *b, const struct page_due *d, const char **none)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	struct opening o[2];
	enum err e = side_open(one, &b, d, d->from_no, &o[0]);

	if (e == E_UNAVAILABLE)
		*none = mem_strdup(c->mem, ctx_why(one));
	if (!e)
		e = side_open(one, &b, d, d->version_no, &o[1]);
	if (!e)
		e = pair_compare(one, d, o);
	log_line(LOG_LEVEL_INFO, e ? "no pictures of a difference" : "pictures of a difference",
	    "artifact", d->artifact_id, e ? "why" : NULL, ctx_why(one), NULL);
	ctx_end(one);
	return e ? pair_fail(c, d) : E_OK;
}

static enum err
pair_one(struct ctx *c, bool *any, const char **none)
{
	struct page_due *d;
	struct room *b;

	if (!apart_prepared(pair_work))
		return E_OK;
	TRY(browser_open(c, pair_waits, any, &b, none));
	if (!b)
		return E_OK;
	TRY(pair_lease(c, &d));
	if (!d) {
		mem_free(b);
		return E_OK;
	}
	return pair_run(c, b, d, none);
}

/* ---- this machine ---- */

/* True if no browser could run on this machine a short time ago. */
static bool
is_paused(int lock)
{
	struct stat st;

	return fstat(lock, &st) ||
	    (st.st_mtime > time(NULL) && st.st_mtime <= time(NULL) + AGAIN_MOST_S);
}

/* Stores in the lock's file when no browser could run (its atime), and the time before which this
 * machine tries nothing (its mtime). A browser may start late once on a busy machine, so the first
 * pause is short. Other machines continue. */
static void
machine_pause(int lock)
{
	int64_t now = time(NULL);
	struct timespec times[2] = { { .tv_sec = now }, { 0 } };
	struct stat st;
	int64_t last = fstat(lock, &st) ? 0 : st.st_mtime - st.st_atime;

	last = last < AGAIN_S || last > AGAIN_MOST_S ? AGAIN_S / 2 : last;
	times[1].tv_sec = now + (2 * last < AGAIN_MOST_S ? 2 * last : AGAIN_MOST_S);
	if (futimens(lock, times))
		log_line(LOG_LEVEL_WARN, SEEN_LOCK, "why", strerror(errno), NULL);
}

/* After a browser ran, the next pause is short again. */
static void
machine_resume(int lock)
{
	int64_t now = time(NULL);
	struct timespec times[2] = { { .tv_sec = now }, { .tv_sec = now } };
	struct stat st;

	if (!fstat(lock, &st) && st.st_mtime - st.st_atime >= AGAIN_S && futimens(lock, times))
		log_line(LOG_LEVEL_WARN, SEEN_LOCK, "why", strerror(errno), NULL);
}

static enum err
picture_turn(const struct conf *conf, struct db *db, int lock,
    enum err (*one)(struct ctx *, bool *any, const char **none), bool *any)
{
	struct ctx *c = ctx_begin(conf, db);
	const char *none = NULL;
	enum err e = one(c, any, &none);

	if (none) {
		/* The pause keeps us from logging this for each page. */
		log_line(LOG_LEVEL_WARN, "no pictures can be made here, cards are drawn", "why",
		    none, NULL);
		machine_pause(lock);
	} else if (*any) {
		machine_resume(lock);
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
	static enum err (*const kinds[])(struct ctx *, bool *, const char **) = { look_one,
		picture_one, pair_one, preview_one, pdf_page_one };
	int64_t until = clock_ms() + TURN_MS;
	bool any = true;
	enum err e = E_OK;

	while (any && !e && clock_ms() < until) {
		any = false;
		for (size_t i = 0;
		     i < sizeof kinds / sizeof *kinds && !e && !is_paused(lock); i++) {
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
	    open(mem_printf(mem, "%s/" SEEN_LOCK, conf->data_dir), O_RDWR | O_CREAT | O_CLOEXEC,
		0640));
	if (lock >= 0 && !flock(lock, LOCK_EX | LOCK_NB) && !is_paused(lock))
		e = pictures_make(conf, db, lock);
	mem_free(mem);
	return e;
}
