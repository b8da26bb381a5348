/* SPDX-License-Identifier: Apache-2.0 */
#include "site/comparepic.h"

#include "base/conf.h"
#include "base/json.h"
#include "base/str.h"
#include "core/follow.h"
#include "site/compare.h"
#include "site/seen.h"
#include "site/version.h"
#include "store/rounds.h"

enum { DAY_S = 86400, KEPT_S = 30 * DAY_S, AGAIN_S = 60 };

SHAPE_DEFINE(pictured_side, PICTURED_SIDE);
SHAPE_DEFINE(pictured_page, PICTURED_PAGE);
SHAPE_DEFINE(pictured, PICTURED);

/* ---- which pages ---- */

#define PAGES(F, T) \
	F(T, STR,  path) \
	F(T, BOOL, entry) \
	F(T, INT,  n, .doc = "Of all")
SHAPE(pages, PAGES);

/* Lists the first COMPARED_PAGES pages to picture: the entry page, then those in both versions
 * whose files differ. The entry page is at the version's own address, so its path may differ. */
static enum err
pages_differ(struct ctx *c, const char *artifact_id, int64_t from, int64_t to,
    struct pages_list *out)
{
	return db_all(c,
	    ROWS(pages,
		"SELECT f.path, f.path = v.entrypoint AS entry, COUNT(*) OVER () AS n"
		" FROM version v JOIN version_file f ON f.artifact_id = v.artifact_id"
		" AND f.version_no = v.version_no AND f.mime LIKE 'text/html%'"
		" JOIN version w ON w.artifact_id = v.artifact_id AND w.version_no = ?"
		" JOIN version_file o ON o.artifact_id = v.artifact_id"
		" AND o.version_no = w.version_no AND o.mime LIKE 'text/html%'"
		" AND o.path = IF(f.path = v.entrypoint, w.entrypoint, f.path)"
		" WHERE v.artifact_id = ? AND v.version_no = ?"
		" AND (o.sha256 <> f.sha256 OR f.path = v.entrypoint)"
		" ORDER BY entry DESC, f.path LIMIT ?"),
	    ARGS(from, artifact_id, to, (int64_t)COMPARED_PAGES), out);
}

#define FILES_DIFFER(F, T) F(T, BOOL, yes)
SHAPE(files_differ, FILES_DIFFER);

/* ---- asking ---- */

enum err
pictured_want(struct ctx *c, const char *artifact_id, int64_t from, int64_t to)
{
	struct files_differ *row;
	struct pages_list pages;
	bool differ;

	TRY(db_one(c,
	    ROWS(files_differ,
		"SELECT EXISTS (SELECT 1 FROM version_file WHERE artifact_id = ?"
		" AND version_no IN (?, ?) GROUP BY path, sha256, mime HAVING COUNT(*) <> 2)"
		" AS yes"),
	    ARGS(artifact_id, from, to), &row));
	differ = row->yes && from != to;
	TRY(pages_differ(c, artifact_id, from, to, &pages));
	for (size_t i = 0; i < pages.n; i++)
		TRY(db_exec(c,
		    EXEC("INSERT INTO compare_picture (artifact_id, from_no, to_no, page_no, path,"
			 " due_at, looked_at, found) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
			 " ON DUPLICATE KEY UPDATE looked_at = VALUES(looked_at),"
			 " attempts = IF(due_at IS NULL AND found IS NULL, 0, attempts),"
			 " due_at = IF(due_at IS NULL AND found IS NULL, VALUES(due_at), due_at)"),
		    ARGS(artifact_id, from, to, (int64_t)i, pages.v[i].path,
			arg_opt(differ ? GIVEN : ABSENT, c->now), c->now,
			differ ? NULL : "{\"changed\":0}"),
		    NULL));
	if (!pages.n)
		return E_OK;
	/* Keep the four pairs that were looked at last, beside this one. */
	return db_exec(c,
	    EXEC("DELETE p FROM compare_picture p LEFT JOIN (SELECT o.from_no, o.to_no"
		 " FROM compare_picture o WHERE o.artifact_id = ?"
		 " AND NOT (o.from_no = ? AND o.to_no = ?) GROUP BY o.from_no, o.to_no"
		 " ORDER BY MAX(o.looked_at) DESC, o.to_no DESC, o.from_no DESC LIMIT ?) k"
		 " ON k.from_no = p.from_no AND k.to_no = p.to_no WHERE p.artifact_id = ?"
		 " AND k.from_no IS NULL AND NOT (p.from_no = ? AND p.to_no = ?)"),
	    ARGS(artifact_id, from, to, COMPARED_PAIRS - 1, artifact_id, from, to), NULL);
}

enum err
pictured_of(struct ctx *c, const struct artifact *a, int64_t no, int64_t *from_no)
{
	struct version *from, *to;
	enum err e = versions_pick(c, a, 0, no, &from, &to);

	*from_no = e || from->version_no == no ? 0 : from->version_no;
	return e == E_NOT_FOUND ? ctx_forgive(c) : e;
}

enum err
pictured_prepare(struct ctx *c, const struct artifact *a, int64_t no)
{
	int64_t from;

	TRY(pictured_of(c, a, no, &from));
	return from ? pictured_want(c, a->id, from, no) : E_OK;
}

/* ---- reading ---- */

#define PAIR_ROW(F, T) \
	F(T, STR,  path) \
	F(T, BOOL, due) \
	F(T, TIME, looked_at) \
	F(T, STR,  found) \
	F(T, BOOL, pictured)
SHAPE(pair_row, PAIR_ROW);

static void *
side_fill(struct ctx *c, const struct artifact *a, const struct pictured *p, const char *path,
    const char *name, const struct raster_side *found)
{
	struct pictured_side *side = mem_new(c->mem, struct pictured_side);
	struct buf b = BUF(c->mem);

	buf_fmt(&b, "%s/v1/artifacts/%s/compare/picture?from=%lld&to=%lld&side=%s&path=",
	    c->conf->base_url, a->id, (long long)p->from, (long long)p->to, name);
	buf_form(&b, path);
	*side = (struct pictured_side){ .version_no = str_eq(name, "from") ? p->from : p->to,
		.url = buf_done(&b),
		.width = found->width,
		.height = found->height,
		.boxes = found->boxes };
	return side;
}

static enum err
page_fill(struct ctx *c, const struct artifact *a, const struct pictured *p,
    const struct pair_row *row, struct pictured_page *page)
{
	struct raster_diff *diff;
	struct json *tree;
	void *read;

	*page = (struct pictured_page){ .path = row->path, .has.changed = NULLED };
	if (!row->found) {
		page->status = !row->due ? "failed" : seen_browser(c) ? "waiting" : "unavailable";
		return E_OK;
	}
	TRY(json_parse(c, row->found, strlen(row->found), &tree));
	TRY(shape_read(c, &raster_diff_shape, tree, &read));
	diff = read;
	page->changed = diff->changed;
	page->has.changed = GIVEN;
	page->status = row->pictured && diff->from && diff->to ? "made" : "same";
	if (str_eq(page->status, "same"))
		return E_OK;
	page->from = side_fill(c, a, p, row->path, "from", diff->from);
	page->to = side_fill(c, a, p, row->path, "to", diff->to);
	return E_OK;
}

enum err
pictured_get(
    struct ctx *c, const struct artifact *a, int64_t from, int64_t to, struct pictured **out)
{
	struct pictured *p = *out = mem_new(c->mem, struct pictured);
	struct pictured_page *pages;
	struct pages_list differ;
	struct pair_row_list rows;

	*p = (struct pictured){ .from = from, .to = to,
		.url = mem_printf(c->mem, "%s/shared/artifacts/%s/compare?from=%lld&to=%lld",
		    c->conf->base_url, a->id, (long long)from, (long long)to) };
	TRY(db_all(c,
	    ROWS(pair_row,
		"SELECT path, due_at IS NOT NULL AS due, looked_at, found,"
		" from_sha256 IS NOT NULL AND to_sha256 IS NOT NULL AS pictured"
		" FROM compare_picture WHERE artifact_id = ? AND from_no = ? AND to_no = ?"
		" ORDER BY page_no"),
	    ARGS(a->id, from, to), &rows));
	if (!rows.n)
		return E_OK;
	pages = mem_array(c->mem, struct pictured_page, rows.n);
	for (size_t i = 0; i < rows.n; i++) {
		TRY(page_fill(c, a, p, &rows.v[i], &pages[i]));
		p->waiting |= str_eq(pages[i].status, "waiting");
	}
	p->pages = (struct list){ pages, rows.n };
	if (rows.n == COMPARED_PAGES) {
		TRY(pages_differ(c, a->id, from, to, &differ));
		p->not_pictured = differ.n ? differ.v[0].n - (int64_t)differ.n : 0;
	}
	return rows.v[0].looked_at > c->now - DAY_S
	    ? E_OK
	    : db_exec(c,
		  EXEC("UPDATE compare_picture SET looked_at = ? WHERE artifact_id = ?"
		       " AND from_no = ? AND to_no = ?"),
		  ARGS(c->now, a->id, from, to), NULL);
}

enum err
pictured_helps(struct ctx *c, const struct artifact *a, const struct pictured *p, bool *yes)
{
	const struct pictured_page *page = p->pages.v;
	struct pages_list differ;

	*yes = false;
	for (size_t i = 0; i < p->pages.n; i++)
		*yes |= str_eq(page[i].status, "failed");
	if (p->pages.n || p->from == p->to)
		return E_OK;
	TRY(pages_differ(c, a->id, p->from, p->to, &differ));
	*yes = differ.n > 0;
	return E_OK;
}

#define PAIR_DIGEST(F, T) F(T, STR, sha256)
SHAPE(pair_digest, PAIR_DIGEST);

enum err
pictured_find(struct ctx *c, const struct artifact *a, int64_t from, int64_t to,
    const char *path, bool of_from, const char **sha256)
{
	struct pair_digest *row;

	TRY(db_find(c,
	    ROWS(pair_digest,
		"SELECT IF(?, from_sha256, to_sha256) AS sha256 FROM compare_picture"
		" WHERE artifact_id = ? AND from_no = ? AND to_no = ? AND path = ?"),
	    ARGS(of_from, a->id, from, to, path), &row));
	if (!row || !row->sha256)
		return fail(c, E_NOT_FOUND, "path: there is no picture of it in these versions");
	*sha256 = row->sha256;
	return E_OK;
}

enum err
pictured_ask(struct ctx *c, const struct artifact *a, int64_t from_no, int64_t to_no,
    struct pictured **out)
{
	struct version *from, *to;

	TRY(versions_pick(c, a, from_no, to_no, &from, &to));
	TRY(pictured_want(c, a->id, from->version_no, to->version_no));
	return pictured_get(c, a, from->version_no, to->version_no, out);
}

/* ---- for the runner ---- */

#define PAIR_IS_MINE \
	" artifact_id = ? AND from_no = ? AND to_no = ? AND page_no = ? AND due_at = ?" \
	" AND attempts = ?"
#define PAIR_ARGS(d) \
	(d)->artifact_id, (d)->from_no, (d)->version_no, (d)->page_no, (d)->due_at, (d)->attempts

static enum err
pair_first(struct ctx *c, struct page_due **out)
{
	return db_find(c,
	    ROWS(page_due,
		"SELECT artifact_id, '' AS slug, from_no, to_no AS version_no, page_no, path,"
		" due_at, attempts"
		" FROM compare_picture WHERE due_at <= ?"
		" ORDER BY due_at, artifact_id, from_no, to_no, page_no LIMIT 1"),
	    ARGS(c->now), out);
}

enum err
pair_waits(struct ctx *c, bool *yes)
{
	return due_waits(c, pair_first, yes);
}

/* *out is NULL if another runner was quicker, or the pages can't be opened: then the rows of the
 * pair are deleted. */
static enum err
pair_due_take(struct ctx *c, struct page_due *d, struct page_due **out)
{
	int64_t mine;

	TRY(db_exec(c,
	    EXEC("UPDATE compare_picture SET due_at = ?, attempts = attempts + 1 WHERE"
		 PAIR_IS_MINE),
	    ARGS(c->now + DUE_LEASE_S, PAIR_ARGS(d)), &mine));
	if (!due_taken(c, d, mine))
		return E_OK;
	TRY(db_find(c,
	    ROWS(page_due,
		"SELECT p.artifact_id, a.slug, p.from_no, p.to_no AS version_no, p.page_no,"
		" IF(p.path = t.entrypoint, '', p.path) AS path, p.due_at, p.attempts"
		" FROM compare_picture p JOIN artifact a ON a.id = p.artifact_id"
		" JOIN version f ON f.artifact_id = a.id AND f.version_no = p.from_no"
		" JOIN version t ON t.artifact_id = a.id AND t.version_no = p.to_no"
		" WHERE p.artifact_id = ? AND p.from_no = ? AND p.to_no = ? AND p.page_no = ?"
		" AND " ARTIFACT_IS_AWAKE),
	    ARGS(d->artifact_id, d->from_no, d->version_no, d->page_no), out));
	return *out ? E_OK
		    : db_exec(c,
			  EXEC("DELETE FROM compare_picture WHERE artifact_id = ? AND from_no = ?"
			       " AND to_no = ?"),
			  ARGS(d->artifact_id, d->from_no, d->version_no), NULL);
}

enum err
pair_lease(struct ctx *c, struct page_due **out)
{
	return due_lease(c, pair_first, pair_due_take, out);
}

enum err
pair_fail(struct ctx *c, const struct page_due *d)
{
	bool last = d->attempts >= DUE_ATTEMPTS;

	return db_exec(c, EXEC("UPDATE compare_picture SET due_at = ? WHERE" PAIR_IS_MINE),
	    ARGS(arg_opt(last ? ABSENT : GIVEN, c->now + (AGAIN_S << 2 * d->attempts)),
		PAIR_ARGS(d)),
	    NULL);
}

enum err
pair_keep(struct ctx *c, const struct page_due *d, const char *found, const struct object *from,
    const struct object *to)
{
	return db_exec(c,
	    EXEC("UPDATE compare_picture SET due_at = NULL, attempts = 0, found = ?,"
		 " from_sha256 = ?, from_size = ?, to_sha256 = ?, to_size = ? WHERE" PAIR_IS_MINE),
	    ARGS(found, arg_sha256(from ? from->sha256 : NULL),
		arg_opt(from != NULL, from ? from->size : 0), arg_sha256(to ? to->sha256 : NULL),
		arg_opt(to != NULL, to ? to->size : 0), PAIR_ARGS(d)),
	    NULL);
}

enum err
pair_lost(struct ctx *c, const uint8_t sha256[SHA256_BYTES])
{
	const struct bytes digest = { sha256, SHA256_BYTES };

	return db_exec(c,
	    EXEC("UPDATE compare_picture SET due_at = ?, attempts = 0, found = NULL,"
		 " from_sha256 = NULL, from_size = NULL, to_sha256 = NULL, to_size = NULL"
		 " WHERE from_sha256 = ? OR to_sha256 = ?"),
	    ARGS(c->now, digest, digest), NULL);
}

/* ---- when other things change ---- */

static enum err
version_passed(struct ctx *c, const struct happened *h)
{
	return h->version_no
	    ? db_exec(c,
		  EXEC("DELETE FROM compare_picture WHERE artifact_id = ?"
		       " AND (from_no = ? OR to_no = ?)"),
		  ARGS(h->artifact_id, h->version_no, h->version_no), NULL)
	    : E_OK;
}

static enum err
pairs_reap(struct ctx *c, int64_t limit, int64_t *done)
{
	return db_exec(c, EXEC("DELETE FROM compare_picture WHERE looked_at < ? LIMIT ?"),
	    ARGS(c->now - KEPT_S, limit), done);
}

FOLLOWS(comparepic, { VERSION_PASSED, version_passed });
PURGES(comparepic, ROWS_OF(compare_picture));
ROUNDS(comparepic, { "pictures of differences", .rows = pairs_reap });
