/* SPDX-License-Identifier: Apache-2.0
 * Where a remark is: its page, version, and anchor. */
#include "base/json.h"
#include "base/str.h"
#include "db/db.h"
#include "site/reviewing.h"
#include "site/version.h"
#include "talk/place.h"
#include "talk/remark.h"

enum { PATH_BYTES = 1024, SELECTOR_BYTES = 1000 };

#define SPOT_ROW(F, T) \
	F(T, BOOL, opened, .doc = "Everybody who sees the artifact sees this version") \
	F(T, BOOL, ruled,  .doc = "Rules serve addresses that aren't files") \
	F(T, STR,  mime,   .doc = "Of the file at the path; NULL: there is none") \
	F(T, STR,  pdf,    .doc = "The PDF that is there, or that its page shows")
SHAPE(spot_row, SPOT_ROW);

/* Finds what a version has at a path: a file, the page of a folder, or a page without its
 * extension. E_NOT_FOUND: `who` can't see the version. */
static enum err
spot_find(struct ctx *c, const struct artifact *a, const struct principal *who, int64_t no,
    const char *path, struct spot_row **out)
{
	const char *file = path && *path ? path + 1 : "";
	const char *within = mem_printf(c->mem, "%sindex.html", file);
	const char *below = mem_printf(c->mem, "%s/index.html", file);
	const char *page = mem_printf(c->mem, "%s.html", file);
	bool shown = a->role;

	if (!shown && who && a->can_comment && a->review_id && no != a->version_no)
		TRY(reviewing_asks(c, a->id, no, who->user_id, &shown));
	TRY(db_find(c,
	    ROWS(spot_row,
		"SELECT v.is_open OR v.version_no = a.live_no AS opened, v.routing = 'spa'"
		" OR EXISTS (SELECT 1 FROM version_file r WHERE r.artifact_id = v.artifact_id"
		" AND r.version_no = v.version_no AND r.path = '_redirects') AS ruled,"
		" COALESCE((SELECT f.mime FROM version_file f WHERE f.artifact_id = v.artifact_id"
		" AND f.version_no = v.version_no AND f.path IN (?, ?, ?, ?) LIMIT 1),"
		" (SELECT 'text/html; charset=utf-8' FROM view w"
		" WHERE w.artifact_id = v.artifact_id AND w.version_no = v.version_no"
		" AND w.path IN (?, ?, ?, ?) LIMIT 1)) AS mime,"
		" (SELECT f.path FROM version_file f WHERE f.artifact_id = v.artifact_id"
		" AND f.version_no = v.version_no AND f.mime = 'application/pdf'"
		" AND f.path IN (?, IF(? = '', v.entrypoint, NULL), (SELECT w.source FROM view w"
		" WHERE w.artifact_id = v.artifact_id AND w.version_no = v.version_no"
		" AND w.path IN (?, ?, IF(? = '', v.entrypoint, NULL)) LIMIT 1)) LIMIT 1) AS pdf"
		" FROM version v JOIN artifact a ON a.id = v.artifact_id"
		" WHERE v.artifact_id = ? AND v.version_no = ?"
		" AND (? OR v.version_no = a.live_no)"),
	    ARGS(file, within, below, page, file, within, below, page, file, file,
		file, page, file, a->id, no, shown),
	    out));
	return *out
	    ? E_OK
	    : fail(c, E_NOT_FOUND, "version_no: there is no version %lld that you can see%s",
		  (long long)no, version_newest(c, a));
}

enum err
spot_mime(struct ctx *c, const struct artifact *a, const struct principal *who, int64_t no,
    const char *path, const char **mime, const char **pdf)
{
	struct spot_row *row;

	TRY(spot_find(c, a, who, no, path, &row));
	*mime = row->mime;
	*pdf = row->pdf;
	return E_OK;
}

enum err
spot_version(struct ctx *c, const struct artifact *a, const struct principal *who, int64_t no)
{
	struct spot_row *row;

	return spot_find(c, a, who, no, NULL, &row);
}

static enum err
anchor_lacks(struct ctx *c, const char *field, const char *kind)
{
	return fail(c, E_INVALID, "anchor.%s: an anchor of the kind %s needs it", field, kind);
}

/* Checks the rules that join several fields. */
static enum err
anchor_check(struct ctx *c, const struct anchor *n, const struct spot_row *row)
{
	bool picture = row->mime && str_starts(row->mime, "image/");

	if (n->selector && strlen(n->selector) > SELECTOR_BYTES)
		return fail(c, E_INVALID, "anchor.selector: must have at most %d bytes",
		    SELECTOR_BYTES);
	if (!n->has.x != !n->has.y)
		return anchor_lacks(c, n->has.x ? "y" : "x", n->kind);
	if (str_eq(n->kind, "text") && !n->quote)
		return anchor_lacks(c, "quote", n->kind);
	if (str_eq(n->kind, "element") && !n->selector)
		return anchor_lacks(c, "selector", n->kind);
	if (str_eq(n->kind, "point") && !n->has.x)
		return anchor_lacks(c, "x", n->kind);
	if (str_eq(n->kind, "point") && !n->selector && !picture)
		return fail(c, E_INVALID,
		    "anchor.selector: a point is within an element, unless path is a picture");
	if (!str_eq(n->kind, "page"))
		return n->has.page
		    ? fail(c, E_INVALID, "anchor.page: only for an anchor of the kind page")
		    : E_OK;
	if (!n->has.page)
		return anchor_lacks(c, "page", n->kind);
	return str_eq(row->mime, "application/pdf")
	    ? E_OK
	    : fail(c, E_INVALID, "anchor.page: path must be a PDF file of the version");
}

enum err
spot_read(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct comment_new *in, struct spot *out)
{
	const struct anchor *n = in->anchor;
	struct spot_row *row;

	*out = (struct spot){ .path = in->path, .version_no = a->version_no };
	if (!out->version_no && a->role)
		out->version_no = a->last_no;
	if (in->path &&
	    (*in->path != '/' || in->path[1] == '/' || strpbrk(in->path, "\\?#")))
		return fail(c, E_INVALID,
		    "path: must be the path of a page, such as /report.html, "
		    "without a query or fragment");
	if (in->path && strlen(in->path) > PATH_BYTES)
		return fail(c, E_INVALID, "path: must have at most %d bytes", PATH_BYTES);
	if (in->version_no)
		out->version_no = in->version_no;
	if (!n && !in->version_no)
		return E_OK;
	if (n && !out->path)
		out->path = "/";
	TRY(spot_find(c, a, who, out->version_no, out->path, &row));
	out->closed = !a->is_open || !row->opened;
	if (!n)
		return E_OK;
	if (!row->mime && !row->ruled && !str_eq(out->path, "/"))
		return fail(c, E_INVALID, "anchor: version %lld has no page at the path %s",
		    (long long)out->version_no, out->path);
	TRY(anchor_check(c, n, row));
	out->anchor = shape_text(c->mem, &anchor_shape, n);
	return E_OK;
}

int64_t
anchor_page(struct ctx *c, const char *anchor)
{
	struct json *j;

	if (!anchor)
		return 0;
	if (json_parse(c, anchor, strlen(anchor), &j)) {
		ctx_forgive(c);
		return 0;
	}
	return json_get(j, "page") ? json_int(json_get(j, "page")) : 0;
}

enum err
spot_put(struct ctx *c, const struct artifact *a, const struct spot *spot)
{
	if (!spot->anchor)
		return E_OK;
	if (!a->anchored)
		TRY(db_exec(c, EXEC("UPDATE artifact SET anchored = TRUE WHERE id = ?"),
		    ARGS(a->id), NULL));
	if (a->version_no && a->version_no != spot->version_no)
		TRY(places_want(c, a->id, a->version_no));
	return a->last_no != spot->version_no && a->last_no != a->version_no
	    ? places_want(c, a->id, a->last_no)
	    : E_OK;
}

enum err
spot_again(struct ctx *c, const struct artifact *a)
{
	return a->version_no ? places_want(c, a->id, a->version_no) : E_OK;
}
