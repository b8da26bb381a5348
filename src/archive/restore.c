/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/restore.h"

#include "archive/event.h"
#include "archive/pipe.h"
#include "archive/tool.h"
#include "base/conf.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BATCH_BYTES = 64 << 20,
	BACK_S = 10,       /* commits within this time may be in the log in another order */
	BACK_SEEN_S = 3600 /* a clock that was set back shows in pieces up to this much later */
};

/* ---- choosing ---- */

static int64_t
gtid_number(const char *gtid)
{
	const char *last = strrchr(gtid, '-');

	return last ? strtoll(last + 1, NULL, 10) : 0;
}

static enum err
base_choose(struct ctx *c, struct restore *r)
{
	const struct chains *all = &r->all;
	const struct base *b;
	int64_t after = INT64_MAX;

	/* A transaction is after a base if its piece is: the first of a chain that goes so far. */
	for (size_t i = 0; r->to.gtid && i < all->log_n; i++) {
		const struct log_piece *p = &all->log[i];
		int64_t want = gtid_number(r->to.gtid);
		bool follows = i && str_eq(p[-1].chain, p->chain);

		if (gtid_number(p->gtid) >= want && (!follows || gtid_number(p[-1].gtid) < want))
			after = p->sequence;
	}
	for (size_t i = 0; i < all->base_n; i++) {
		b = &all->bases[i];
		if ((r->to.second && b->second <= r->to.second) ||
		    (r->to.gtid && b->sequence < after) ||
		    (r->to.at.file && log_at_order(&b->at, &r->to.at) <= 0))
			r->base = b;
	}
	if (r->base)
		return E_OK;
	if (!all->base_n)
		return fail(c, E_CONFLICT, "the backup has no base; run vitrinectl backup --base");
	return fail(c, E_CONFLICT, "the backup begins at %s, with its oldest base",
	    str_rfc3339(c->mem, all->bases[0].second));
}

/* Checks that the log leads from the base to the target. */
static enum err
reach_check(struct ctx *c, struct restore *r)
{
	const struct chains *all = &r->all;
	int64_t reach = base_reach(all, r->base, &r->first, &r->n);
	const struct log_piece *next =
	    r->first + r->n < all->log_n ? &all->log[r->first + r->n] : NULL;

	if (!r->to.second || r->to.second <= reach)
		return E_OK;
	if (!r->n && next)
		return fail(c, E_CONFLICT,
		    "the base of %s is older than the log that is left, which begins with %s; "
		    "nothing after %s can be restored from it",
		    str_rfc3339(c->mem, r->base->second), next->name,
		    str_rfc3339(c->mem, reach));
	if (next)
		return fail(c, E_CONFLICT,
		    "the log has a hole before %s; the last second that can be restored is %s",
		    next->name, str_rfc3339(c->mem, reach));
	return fail(c, E_CONFLICT, "the last second that can be restored is %s",
	    str_rfc3339(c->mem, reach));
}

/* ---- reading a piece ---- */

/* Decrypts a piece of the log into a temporary in dir. */
static enum err
log_piece_open(struct ctx *c, const struct restore *r, const char *dir, const struct log_piece *p,
    struct events *out)
{
	int fd = mem_fd(c->mem, open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
	struct frames *f;

	if (fd < 0)
		return fail_here(c, "%s", dir);
	TRY(piece_open(c, r->archive, p->name, &f));
	TRY(frames_copy(c, f, fd, NULL));
	return events_begin(c, fd, p->name, out);
}

/* True if the transaction that begins with this event is after the target. */
static bool
is_after(const struct restore *r, const struct log_piece *p, const struct event *e)
{
	if (r->to.second)
		return e->second > r->to.second;
	if (r->to.at.file)
		return log_at_order(&(struct log_at){ p->file, e->end - e->size }, &r->to.at) >= 0;
	return r->to.gtid && str_eq(r->gtid, r->to.gtid);
}

/* Sets the bytes of the piece that are to be applied: from…to. Notes what that leads to. */
static enum err
piece_cut(struct ctx *c, struct restore *r, const struct log_piece *p, struct events *e,
    int64_t *from, int64_t *to)
{
	bool any;

	*from = *to = e->format_end;
	for (;;) {
		TRY(events_next(c, e, p->name, &any));
		if (!any)
			return E_OK;
		if (e->now.end &&
		    log_at_order(&(struct log_at){ p->file, e->now.end }, &r->skip) <= 0) {
			*from = *to = e->at;
			continue;
		}
		if (e->now.type == EVENT_GTID) {
			r->stopped = is_after(r, p, &e->now);
			if (r->stopped)
				return E_OK;
			r->gtid = event_gtid(c->mem, &e->now);
			r->second = e->now.second;
			r->transactions++;
		}
		*to = e->at;
		if (e->now.end)
			r->end = (struct log_at){ p->file, e->now.end };
	}
}

/* Passes each piece up to the target to `apply`, in memory of its own. */
static enum err
pieces_each(struct ctx *c, struct restore *r, const char *dir,
    enum err (*apply)(struct ctx *c, void *arg, const struct log_piece *, struct events *,
	int64_t from, int64_t to),
    void *arg)
{
	r->stopped = false;
	r->gtid = "-";
	r->transactions = 0;
	r->end = r->skip;
	for (size_t i = r->first; i < r->first + r->n && !r->stopped; i++) {
		struct ctx *one = ctx_begin(c->conf, NULL);
		int64_t from, to;
		struct events e;
		enum err err = log_piece_open(one, r, dir, &r->all.log[i], &e);

		err = err ? err : piece_cut(one, r, &r->all.log[i], &e, &from, &to);
		r->log_bytes += err || apply ? 0 : to - from;
		if (!err && apply && to > from)
			err = apply(one, arg, &r->all.log[i], &e, from, to);
		/* These are in the piece's own memory. */
		r->gtid = mem_strdup(c->mem, r->gtid);
		r->end.file = mem_strdup(c->mem, r->end.file);
		TRY(ctx_join(c, one, err));
	}
	return E_OK;
}

/* ---- the plan ---- */

/* Finds whether the log goes back before the target again. A later piece that can't be read doesn't
 * count: the target doesn't need it. */
static enum err
twice_check(struct ctx *c, struct restore *r, const char *dir)
{
	const char *after = r->gtid, *again = NULL;
	int64_t latest = 0;

	for (size_t i = r->first; i < r->first + r->n; i++) {
		const struct log_piece *p = &r->all.log[i];
		struct ctx *one;
		struct events e;
		enum err err;
		bool any = true;

		if (p->through > r->to.second + BACK_SEEN_S) {
			latest = p->through;
			continue;
		}
		one = ctx_begin(c->conf, NULL);
		err = log_piece_open(one, r, dir, p, &e);
		while (!err && any) {
			err = events_next(one, &e, p->name, &any);
			if (err || !any || e.now.type != EVENT_GTID)
				continue;
			if (e.now.second > latest)
				latest = e.now.second;
			if (latest > r->to.second + BACK_S && e.now.second <= r->to.second)
				again = event_gtid(c->mem, &e.now);
		}
		ctx_end(one);
	}
	return again ? fail(c, E_CONFLICT,
			   "the clock was set back: %s occurs twice, up to transactions %s and %s; "
			   "choose with --gtid",
			   str_rfc3339(c->mem, r->to.second), after, again)
		     : E_OK;
}

enum err
restore_plan(struct ctx *c, const char *dir, struct restore *r)
{
	const uint8_t *bytes;
	struct frames *f;
	size_t n;

	if (!r->continues) {
		TRY(chains_read(c, r->archive, &r->all));
		TRY(base_choose(c, r));
		r->skip = r->base->at;
		TRY(piece_open(c, r->archive, r->base->name, &f));
		do {
			TRY(frames_next(c, f, &bytes, &n));
			r->base_bytes += (int64_t)n;
		} while (n);
	}
	r->second = r->base->second;
	TRY(reach_check(c, r));
	TRY(pieces_each(c, r, dir, NULL, NULL));
	if (r->to.gtid && !str_eq(r->gtid, r->to.gtid))
		return fail(c, E_CONFLICT, "the backup has no transaction %s after its base of %s",
		    r->to.gtid, str_rfc3339(c->mem, r->base->second));
	if (r->to.at.file && log_at_order(&r->end, &r->to.at) < 0)
		return fail(c, E_CONFLICT, "the log doesn't reach position %lld of %s",
		    (long long)r->to.at.at, r->to.at.file);
	return r->to.second && r->n ? twice_check(c, r, dir) : E_OK;
}

/* ---- loading ---- */

/* Decrypts the base into a client's input. */
static enum err
base_load(struct ctx *c, const struct restore *r)
{
	struct frames *f;
	struct tool t;
	enum err e;
	int ends[2];

	TRY(piece_open(c, r->archive, r->base->name, &f));
	TRY(tool_client(c, c->conf, "mariadb", &t));
	tool_add(&t, "--max-allowed-packet=1G");
	tool_add(&t, c->conf->db_name);
	TRY(tool_listen(c, c->mem, &t));
	TRY(pipe_make(c, ends, 1));
	t.in = ends[0];
	e = tool_start(c, &t);
	close(ends[0]);
	e = e ? e : frames_copy(c, f, ends[1], NULL);
	e = e ? tool_failed(c, &t, e) : E_OK;
	close(ends[1]);
	return e ? e : tool_end_within(c, &t, (int)c->conf->backup_statement_s);
}

/* A file of the binary log that gathers pieces, so that a client needn't start for each. */
struct gathering {
	const struct restore *r;
	const char *path, *file; /* file: the server's, of which it has pieces; NULL: none */
	int64_t bytes;
	int fd;
};

static enum err
span_copy(struct ctx *c, struct gathering *g, int from, int64_t at, int64_t n)
{
	off_t place = at;

	g->bytes += n;
	while (n > 0) {
		ssize_t got = copy_file_range(from, &place, g->fd, NULL, (size_t)n, 0);

		if (got <= 0)
			return fail_here(c, "%s can't be written", g->path);
		n -= got;
	}
	return E_OK;
}

/* Applies what is gathered. */
static enum err
gathered_apply(struct ctx *c, struct gathering *g)
{
	struct tool from = tool_of("mariadb-binlog"), to;
	enum err e;

	if (!g->file)
		return E_OK;
	close(g->fd);
	g->fd = -1;
	g->file = NULL;
	tool_add(&from, "--no-defaults");
	tool_add(&from, mem_printf(c->mem, "--database=%s", c->conf->db_name));
	tool_add(&from, g->path);
	TRY(tool_client(c, c->conf, "mariadb", &to));
	tool_add(&to, "--max-allowed-packet=1G");
	tool_add(&to, "--binary-mode");
	tool_add(&to, c->conf->db_name);
	TRY(tool_listen(c, c->mem, &to));
	e = tool_pipe(c, &from, &to);
	unlink(g->path);
	return e;
}

static enum err
piece_gather(struct ctx *c, void *arg, const struct log_piece *p, struct events *e, int64_t from,
    int64_t to)
{
	struct gathering *g = arg;

	if (g->file && (!str_eq(g->file, p->file) || g->bytes > BATCH_BYTES))
		TRY(gathered_apply(c, g));
	if (!g->file) {
		g->fd = open(g->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (g->fd < 0)
			return fail_here(c, "%s", g->path);
		g->file = p->file;
		g->bytes = 0;
		TRY(span_copy(c, g, e->fd, 0, e->format_end));
	}
	return span_copy(c, g, e->fd, from, to - from);
}

enum err
restore_rows(struct ctx *c, const char *dir, struct restore *r)
{
	struct gathering g = { .r = r, .path = mem_printf(c->mem, "%s/replay", dir),
		.fd = -1 };
	enum err e;

	if (!r->continues)
		TRY(base_load(c, r));
	e = pieces_each(c, r, dir, piece_gather, &g);
	e = e ? e : gathered_apply(c, &g);
	if (g.fd >= 0)
		close(g.fd);
	unlink(g.path);
	return e;
}
