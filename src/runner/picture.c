/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/picture.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/log.h"
#include "base/png.h"
#include "base/str.h"
#include "ext/devtools.h"
#include "ext/egress.h"
#include "ext/room.h"
#include "runner/preview.h"
#include "site/picture.h"
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
	PARTS = 2, /* cards are 320 wide, on screens with two pixels in one */
	SHOT_MS = 15000,
	LOAD_BYTES = 10 << 20,
	LOAD_S = 5,
	PICTURE_BYTES = 256 << 10,
	AGAIN_S = 3600,
	MINUTE_MS = 60000,
	TURN_MS = 45000 /* others of this process wait */
};

/* ---- what the page loads ---- */

/* As its visitors get it, from nginx, but that it is no view (nginx/views.conf.in). Only its own
 * host is asked, which is ours. */
static bool
page_fetch(
    void *arg, struct ctx *one, const char *url, bool page, struct devtools_answer *answer)
{
	static const char *const to_show[] = { "Accept: text/html,*/*", "Sec-Fetch-Mode: navigate",
		"Sec-Fetch-Dest: document", "Sec-Purpose: prefetch", NULL };
	static const char *const to_use[] = { "Accept: */*", "Sec-Fetch-Mode: no-cors",
		"Sec-Purpose: prefetch", NULL };
	struct egress_req req = { .url = url,
		.max_bytes = LOAD_BYTES,
		.timeout_s = LOAD_S,
		.headers = page ? to_show : to_use,
		.keep_head = true,
		.trusted = true };
	struct egress_res *res;

	(void)arg;
	if (egress_send(one, &req, &res))
		return false;
	*answer = (struct devtools_answer){
		(int)res->status, res->head, res->body, res->body_n
	};
	return true;
}

/* ---- one picture ---- */

static enum err
picture_make(struct ctx *c, struct room *b, const struct picture_due *d, struct object *o)
{
	struct devtools_shot shot = { .width = WIDTH,
		.height = HEIGHT,
		.parts = PARTS,
		.most_ms = SHOT_MS,
		.fetch = page_fetch };
	struct batch *batch;
	const char *raw, *png;
	size_t raw_n, n;

	shot.url = mem_printf(c->mem, "%s/", conf_site_origin(c->mem, c->conf, d->slug));
	TRY(devtools_shoot(c, room_socket(b), &shot, &raw, &raw_n));
	TRY(png_rewrite(
	    c, raw, raw_n, WIDTH / PARTS, HEIGHT / PARTS, PICTURE_BYTES, &png, &n));
	TRY(batch_begin(c, &batch));
	TRY(batch_put(c, batch, png, n, o));
	return batch_sync(c, batch);
}

static void
picture_log(const struct picture_due *d, const char *event, const char *why)
{
	log_line(LOG_LEVEL_INFO, event, "artifact", d->artifact_id, why ? "why" : NULL, why, NULL);
}

/* What was made belongs to a context of its own, for which the store's sweeper waits. *none: why no
 * browser can run here, if that is so. */
static enum err
due_run(struct ctx *c, struct room *b, const struct picture_due *d, const char **none)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	struct object o;
	bool kept = false;
	enum err e = picture_make(one, b, d, &o);

	if (e == E_UNAVAILABLE)
		*none = mem_strdup(c->mem, ctx_why(one));
	if (!e)
		e = picture_keep(one, d, &o, &kept);
	if (e)
		picture_log(d, "no picture", ctx_why(one));
	else
		picture_log(d, kept ? "picture" : "picture of what is gone", NULL);
	ctx_end(one);
	return e;
}

/* A browser comes before the artifact that it is for, so that a machine which can't have one takes
 * nothing from another that can. */
static enum err
picture_one(struct ctx *c, bool *any, const char **none)
{
	struct picture_due *d = NULL;
	struct room *b;

	*any = false;
	if (!room_program(c->mem, c->conf, ROOM_BROWSER))
		return E_OK;
	TRY(picture_waits(c, any));
	if (!*any)
		return E_OK;
	if (room_open(c, ROOM_BROWSER, -1, &b)) {
		*none = ctx_why(c);
		return E_OK;
	}
	TRY(picture_take(c, &d));
	return d && due_run(c, b, d, none) ? picture_fail(c, d) : E_OK;
}

/* ---- this machine ---- */

/* The lock's file has a time before which nothing is tried here, so that this is said once an hour
 * and not of each page; other machines go on. */
static void
none_here(const struct ctx *c, int lock, const char *why)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
		{ .tv_sec = c->now + AGAIN_S } };

	log_line(LOG_LEVEL_WARN, "no pictures can be made here, cards are drawn", "why", why, NULL);
	if (futimens(lock, times))
		log_line(LOG_LEVEL_WARN, "picture.lock", "why", strerror(errno), NULL);
}

static bool
none_yet(int lock)
{
	struct stat st;

	return fstat(lock, &st) || st.st_mtime > time(NULL);
}

static enum err
picture_turn(const struct conf *conf, struct db *db, int lock,
    enum err (*one)(struct ctx *, bool *any, const char **none), bool *any)
{
	struct ctx *c = ctx_begin(conf, db);
	const char *none = NULL;
	enum err e = one(c, any, &none);

	if (none)
		none_here(c, lock, none);
	if (e)
		log_line(LOG_LEVEL_ERROR, "pictures failed", "why", ctx_why(c), NULL);
	*any &= !none;
	ctx_end(c);
	return e;
}

/* ---- all ---- */

/* Pictures that were begun in this minute of the process. */
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
	int64_t until = clock_ms() + TURN_MS;
	bool any = true;
	enum err e = E_OK;

	while (any && !e && clock_ms() < until && *minute_begun() < conf->pictures_per_minute) {
		bool also = false;

		e = picture_turn(conf, db, lock, picture_one, &any);
		if (!e && !none_yet(lock))
			e = picture_turn(conf, db, lock, preview_one, &also);
		*minute_begun() += any + also;
		any |= also;
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
