/* SPDX-License-Identifier: Apache-2.0 */
#include "site/merge.h"

#include "base/mime.h"
#include "base/path.h"
#include "base/str.h"
#include "base/textmerge.h"
#include "base/unicode.h"
#include "core/artifact.h"
#include "core/declare.h"
#include "core/reach.h"
#include "site/candidate.h"
#include "site/fileview.h"

#define LONE_PAGE "index.html"

/* ---- what the request is made from ---- */

/* Refuses mistakes in how the request says what it is made from. */
static enum err
base_check(struct ctx *c, const struct publish_new *in, const struct artifact *a)
{
	bool patch = str_eq(in->mode, "patch"), base = in->has.base_version == GIVEN,
	     expected = in->has.expected_version == GIVEN;

	if (base && expected)
		return fail(c, E_INVALID,
		    "base_version: can't be sent with expected_version; base_version unites your "
		    "files with the live version, expected_version refuses if it is another");
	if (in->candidate && (base || expected || in->mode))
		return fail(c, E_INVALID,
		    "candidate: has its version; leave out base_version, expected_version, and "
		    "mode");
	if (patch && !base && !(expected && in->expected_version > 0))
		return fail(c, E_INVALID,
		    "mode: patch needs base_version or expected_version, the version you saw");
	if (in->delete.n && !patch && !in->candidate)
		return fail(c, E_INVALID, "delete: is for mode patch; else what isn't sent goes");
	if ((base || patch) && !a)
		return fail(c, E_NOT_FOUND,
		    "base_version: there is no such artifact yet, so it has no versions");
	return E_OK;
}

#define ORIGIN(F, T) \
	F(T, INT,  based_on) \
	F(T, INT,  base_no)
SHAPE(origin, ORIGIN);

/* People outside of the workspace may name versions that were live since their first grant. */
#define SINCE_GRANT \
	"SELECT MIN(LEAST(COALESCE(gc.created_at, gd.created_at)," \
	" COALESCE(gd.created_at, gc.created_at))) FROM artifact a" \
	GIVEN_TABLES("a.folder_id", "?", "?") " WHERE a.id = v.artifact_id"

static enum err
origin_find(struct ctx *c, const struct artifact *a, const struct principal *who, int64_t no,
    struct origin **out)
{
	const char *user = who->user_id;

	return db_find(c,
	    ROWS(origin,
		"SELECT v.version_no AS based_on, IF(v.first_live_at IS NOT NULL, v.version_no,"
		" COALESCE((SELECT MAX(o.version_no) FROM version o WHERE o.artifact_id ="
		" v.artifact_id AND o.version_no < v.version_no"
		" AND o.first_live_at <= v.created_at), 0)) AS base_no"
		" FROM version v WHERE v.artifact_id = ? AND v.version_no = ?"
		" AND IF(?, TRUE, v.first_live_at IS NOT NULL AND v.version_no >="
		" COALESCE((SELECT MAX(e.version_no) FROM version e"
		" WHERE e.artifact_id = v.artifact_id"
		" AND e.first_live_at <= (" SINCE_GRANT ")), 0))"),
	    ARGS(a->id, no, a->role != NULL, user, who->sharee_id, c->now, user, c->now), out);
}

static enum err
origin_read(struct manifest *m, const struct artifact *a, const struct principal *who,
    struct merging *g)
{
	const struct publish_new *in = m->in;
	struct origin *row;

	g->based_on = g->candidate ? g->candidate->version_no
	    : in->has.base_version == GIVEN ? in->base_version : in->expected_version;
	g->live_no = a->version_no;
	g->base_no = g->based_on;
	if (g->based_on == g->live_no)
		return E_OK;
	TRY(origin_find(m->c, a, who, g->based_on, &row));
	if (!row && (!a->role || g->based_on > a->last_no))
		return fail(m->c, E_NOT_FOUND,
		    "base_version: there is no version %lld, or you don't have access to it%s",
		    (long long)g->based_on, version_newest(m->c, a));
	if (!row) {
		m->c->details = mem_printf(
		    m->c->mem, "{\"current_version\":%lld}", (long long)a->version_no);
		return fail(m->c, E_VERSION_CONFLICT,
		    "base_version: version %lld has been removed; fetch version %lld, make your "
		    "changes there, and publish with that base_version",
		    (long long)g->based_on, (long long)a->version_no);
	}
	g->base_no = row->base_no;
	g->united = g->live_no && g->base_no != g->live_no;
	return E_OK;
}

/* ---- rows of versions ---- */

/* True if these are the rows of a lone file and of a page, which may be the one that an earlier
 * release added to it. */
static bool
may_be_wrapped(const struct former_row_list *rows, size_t *page)
{
	if (rows->n != 2)
		return false;
	*page = str_eq(rows->v[1].path, LONE_PAGE);
	return str_eq(rows->v[*page].path, LONE_PAGE) &&
	    !mime_is_page(mime_of(rows->v[!*page].path));
}

/* Takes out a page that an earlier release wrote around a file, because the new version gets a
 * view in its place. */
static enum err
rows_unwrap(struct ctx *c, struct former_row_list *rows)
{
	enum { HEAD_BYTES = 4096 };
	uint8_t sha256[SHA256_BYTES];
	const char *html;
	size_t page, n;

	if (!may_be_wrapped(rows, &page) ||
	    !crypto_unhex(rows->v[page].sha256, sha256, sizeof sha256))
		return E_OK;
	TRY(object_head(c, c->mem, sha256, HEAD_BYTES, &html, &n));
	if (!strstr(html, "img-src 'self' https: data:; base-uri 'none'; form-action 'none'") ||
	    !strstr(html, "<style>\n:root{color-scheme:light dark;--line:#8884}\n"))
		return E_OK;
	rows->v[0] = rows->v[!page];
	rows->n = 1;
	return E_OK;
}

static enum err
rows_read(struct manifest *m, const struct principal *who, int64_t no, struct former_row_list *out)
{
	*out = (struct former_row_list){ 0 };
	if (!no)
		return E_OK;
	TRY(former_rows(m->c, m->artifact_id, who, no, out));
	return rows_unwrap(m->c, out);
}

static enum err
base_read(struct manifest *m, const struct principal *who, struct merging *g)
{
	if (g->base_read)
		return E_OK;
	TRY(rows_read(m, who, g->base_no, &g->base));
	g->base_read = true;
	return E_OK;
}

/* ---- what a patch doesn't name ---- */

static void
item_of_row(struct item *it, const struct former_row *row)
{
	*it = (struct item){ .path = row->path, .mime = row->mime, .size = row->size_bytes,
		.by_digest = true, .held = true, .declared = row->declared };
	crypto_unhex(row->sha256, it->sha256, sizeof it->sha256);
}

/* The paths that the request names, in order. */
static struct strs
names_sorted(struct manifest *m)
{
	struct strs *gone = &((struct publish_new *)m->in)->delete, all = { 0 };

	for (size_t i = 0; i < m->n; i++)
		strs_add(m->c->mem, &all, m->items[i].path);
	for (size_t i = 0; i < gone->n; i++)
		strs_add(m->c->mem, &all, unicode_composed(m->c->mem, gone->v[i]));
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, str_order);
	return all;
}

static bool
is_named(const struct strs *names, const char *path)
{
	return names->n && bsearch(&path, names->v, names->n, sizeof *names->v, str_order);
}

static int
row_of_path(const void *path, const void *row)
{
	return strcmp(path, ((const struct former_row *)row)->path);
}

/* Adds the rows that the request names neither as files nor to be deleted. of: whose they are. */
static enum err
rows_fill(struct manifest *m, const struct former_row_list *rows, const char *of)
{
	const struct strs *gone = &m->in->delete;
	struct strs names = names_sorted(m);

	/* A path that can't be deleted is more likely a mistake. */
	for (size_t i = 0; i < gone->n; i++) {
		const char *path = unicode_composed(m->c->mem, gone->v[i]);

		if (!rows->n || !bsearch(path, rows->v, rows->n, sizeof *rows->v, row_of_path))
			return fail(m->c, E_INVALID, "delete: %s has no file %s", of,
			    str_cut(m->c->mem, path, 200));
	}
	for (size_t i = 0; i < rows->n; i++)
		if (!is_named(&names, rows->v[i].path))
			item_of_row(manifest_add(m), &rows->v[i]);
	return manifest_check(m);
}

static enum err
patch_fill(struct manifest *m, const struct principal *who, struct merging *g)
{
	struct former_row_list other, *rows = &other;

	if (g->based_on == g->live_no) {
		rows = &m->former.rows;
	} else if (g->based_on == g->base_no) {
		TRY(base_read(m, who, g));
		rows = &g->base;
	} else {
		TRY(rows_read(m, who, g->based_on, &other));
	}
	return rows_fill(m, rows,
	    mem_printf(m->c->mem, "version %lld", (long long)g->based_on));
}

/* Conflicts that are left open are published as drafts only, with marks. */
static enum err
candidate_fill(struct manifest *m, const struct candidate *from)
{
	struct former_row_list rows = { mem_array(m->c->mem, struct former_row, from->files.n + 1),
		from->files.n };
	struct strs names = names_sorted(m), open = { 0 };
	struct buf details = BUF(m->c->mem);

	for (size_t i = 0; i < rows.n; i++) {
		const struct candidate_file *f = &from->files.v[i];

		rows.v[i] = (struct former_row){ .path = f->path, .sha256 = f->sha256,
			.size_bytes = f->size_bytes, .mime = f->mime, .declared = f->declared };
		if (f->conflict && !is_named(&names, f->path))
			strs_add(m->c->mem, &open, f->path);
	}
	if (!open.n || m->in->draft)
		return rows_fill(m, &rows, "the candidate");
	buf_str(&details, "{\"open\":");
	buf_jsons(&details, open.v, open.n);
	buf_chr(&details, '}');
	m->c->details = buf_done(&details);
	return fail(m->c, E_INVALID,
	    "files: %s of the conflicts is open; send it in files, or its path in delete; "
	    "with draft true, texts are published with marks",
	    str_some(m->c->mem, open.v, open.n));
}

enum err
merge_read(struct manifest *m, const struct artifact *a, const struct principal *who,
    const struct candidate *candidate, struct merging **out)
{
	bool patch = str_eq(m->in->mode, "patch");
	struct merging *g;

	*out = NULL;
	TRY(base_check(m->c, m->in, a));
	if (m->in->has.base_version != GIVEN && !patch && !candidate)
		return E_OK;
	g = *out = mem_new(m->c->mem, struct merging);
	g->candidate = candidate;
	TRY(origin_read(m, a, who, g));
	if (g->live_no && (patch || candidate || g->united)) {
		m->former.no = g->live_no;
		TRY(rows_read(m, who, g->live_no, &m->former.rows));
	}
	if (patch)
		TRY(patch_fill(m, who, g));
	else if (candidate)
		TRY(candidate_fill(m, candidate));
	if (m->former.no)
		former_match(m->c, &m->former, m->items, m->n);
	return E_OK;
}

/* ---- by paths ---- */

/* A path in the three versions; NULL: it isn't there. */
struct sides {
	const char *path;
	const struct item *mine;
	const struct former_row *base, *theirs;
};

struct conflict {
	struct sides at;
	const char *kind;
	struct merge_hunk_list hunks;
};

struct uniting {
	struct manifest *m;
	struct merging *g;           /* NULL with the row locked: nothing is merged anew */
	const struct merging *known; /* the lines that were merged */
	struct item *items;
	size_t n;
	struct conflict *conflicts;
	size_t conflict_n;
	bool stale;
	struct strs clean; /* paths of mine that aren't in conflict */
	struct merged *told;
};

static bool
row_has(const struct former_row *row, const struct item *it)
{
	return !row || !it ? !row && !it
			   : former_has_bytes(it, row) &&
		(!it->declared || str_eq(it->mime, row->mime));
}

static bool
rows_eq(const struct former_row *a, const struct former_row *b)
{
	return !a || !b ? a == b : str_eq(a->sha256, b->sha256) && str_eq(a->mime, b->mime);
}

static struct item *
item_push(struct uniting *u, const struct item *it)
{
	u->items[u->n] = *it;
	return &u->items[u->n++];
}

static void
theirs_push(struct uniting *u, const struct former_row *row)
{
	struct item it;

	if (!row)
		return;
	item_of_row(&it, row);
	it.was = row;
	item_push(u, &it);
}

/* *text is NULL if the file is no text to merge. */
static enum err
item_text(struct manifest *m, const struct item *it, const char **text)
{
	bool fits = it->size <= MERGE_TEXT_BYTES;

	if (!it->bytes)
		return object_text(m->c, it->sha256, it->size, MERGE_TEXT_BYTES, text);
	*text = fits && str_is_text(it->bytes, it->n) ? mem_strndup(m->c->mem, it->bytes, it->n)
						      : NULL;
	return E_OK;
}

static enum err
row_text(struct manifest *m, const struct former_row *row, const char **text)
{
	struct item it;

	*text = "";
	if (!row)
		return E_OK;
	item_of_row(&it, row);
	return item_text(m, &it, text);
}

/* *kind is NULL if the lines were merged, else why not. text.text is NULL if it has no marks. */
static enum err
lines_merge(struct uniting *u, const struct sides *at, struct text_merged *text, const char **kind)
{
	struct manifest *m = u->m;
	const char *base, *mine, *theirs;
	bool fits;

	*text = (struct text_merged){ 0 };
	/* Objects that an archive's reader wrote have no name yet. */
	if (!at->mine->bytes)
		TRY(batch_name(m->c, m->batch));
	TRY(row_text(m, at->base, &base));
	TRY(item_text(m, at->mine, &mine));
	TRY(row_text(m, at->theirs, &theirs));
	*kind = at->mine->size > MERGE_TEXT_BYTES || at->theirs->size_bytes > MERGE_TEXT_BYTES ||
		(at->base && at->base->size_bytes > MERGE_TEXT_BYTES)
	    ? "too_large"
	    : "binary";
	if (!base || !mine || !theirs)
		return E_OK;
	fits = text_merge(m->c->mem, base, mine, theirs, "yours",
	    mem_printf(m->c->mem, "version %lld", (long long)m->former.no), text);
	*kind = !fits ? "too_large"
	    : !text->hunks.n ? NULL
	    : at->base	     ? "both_changed"
			     : "both_added";
	return E_OK;
}

static void
text_set(struct item *it, const struct text_merged *text)
{
	it->bytes = text->text;
	it->n = text->n;
	it->size = (int64_t)text->n;
	it->by_digest = it->held = false;
	it->was = NULL;
	crypto_sha256(it->bytes, it->n, it->sha256);
}

/* Keeps a conflict; its file has marks, else is mine, else theirs. */
static void
conflict_keep(struct uniting *u, const struct sides *at, const char *kind,
    const struct text_merged *text)
{
	struct item *it;

	u->conflicts[u->conflict_n++] = (struct conflict){ *at, kind, text->hunks };
	if (at->mine)
		it = item_push(u, at->mine);
	else
		theirs_push(u, at->theirs), it = &u->items[u->n - 1];
	it->conflict = true;
	if (text->text && text->hunks.n)
		text_set(it, text);
}

static void
solved_keep(struct uniting *u, const struct sides *at, const struct text_merged *text)
{
	struct merging *g = u->g;
	struct item *it = item_push(u, at->mine);

	text_set(it, text);
	g->solved = mem_grow(u->m->c->mem, g->solved, (g->solved_n + 1) * sizeof *g->solved);
	g->solved[g->solved_n++] = (struct solved){ at->path, at->theirs->sha256, *it };
	strs_add(u->m->c->mem, &u->told->lines, at->path);
	strs_add(u->m->c->mem, &u->clean, at->path);
}

/* Uses what was merged before of the same two texts: with the row locked nothing else can be. */
static void
solved_use(struct uniting *u, const struct sides *at)
{
	for (size_t i = 0; i < u->known->solved_n; i++) {
		const struct solved *s = &u->known->solved[i];

		if (!str_eq(s->path, at->path) || !at->theirs ||
		    !str_eq(s->theirs, at->theirs->sha256))
			continue;
		item_push(u, &s->item);
		strs_add(u->m->c->mem, &u->told->lines, at->path);
		return;
	}
	u->stale = true;
}

static enum err
both_changed(struct uniting *u, const struct sides *at)
{
	struct text_merged text = { 0 };
	const char *kind;

	if (!u->g) {
		solved_use(u, at);
		return E_OK;
	}
	kind = !at->mine ? "removed_changed" : "changed_removed";
	if (at->mine && at->theirs)
		TRY(lines_merge(u, at, &text, &kind));
	if (kind)
		conflict_keep(u, at, kind, &text);
	else
		solved_keep(u, at, &text);
	return E_OK;
}

static enum err
side_choose(struct uniting *u, const struct sides *at)
{
	if (row_has(at->base, at->mine)) {
		u->told->kept += !rows_eq(at->base, at->theirs);
		theirs_push(u, at->theirs);
	} else if (rows_eq(at->base, at->theirs)) {
		if (at->mine)
			item_push(u, at->mine);
		strs_add(u->m->c->mem, &u->clean, at->path);
	} else if (row_has(at->theirs, at->mine)) {
		theirs_push(u, at->theirs);
	} else {
		return both_changed(u, at);
	}
	return E_OK;
}

static const char *
first_of(const char *a, const char *b)
{
	return !a || (b && strcmp(b, a) < 0) ? b : a;
}

/* Walks the three versions, which are ordered by path. */
static enum err
paths_unite(struct uniting *u)
{
	const struct item *mine = u->known->mine, *mine_end = mine + u->known->n;
	const struct former_row *b = u->known->base.v, *b_end = b + u->known->base.n,
				*t = u->m->former.rows.v, *t_end = t + u->m->former.rows.n;

	while (mine < mine_end || b < b_end || t < t_end) {
		struct sides at = { 0 };

		at.path = first_of(mine < mine_end ? mine->path : NULL,
		    first_of(b < b_end ? b->path : NULL, t < t_end ? t->path : NULL));
		if (mine < mine_end && str_eq(mine->path, at.path))
			at.mine = mine++;
		if (b < b_end && str_eq(b->path, at.path))
			at.base = b++;
		if (t < t_end && str_eq(t->path, at.path))
			at.theirs = t++;
		TRY(side_choose(u, &at));
	}
	return E_OK;
}

static struct item *
item_named(struct uniting *u, const char *path)
{
	for (size_t i = 0; i < u->n; i++)
		if (str_eq(u->items[i].path, path))
			return &u->items[i];
	return NULL;
}

/* Adds a conflict if two paths, each right by itself, can't be together. */
static void
clash_find(struct uniting *u)
{
	const char **paths = mem_array(u->m->c->mem, const char *, u->n + 1);
	struct path_clash clash;
	struct item *one, *two;

	for (size_t i = 0; i < u->n; i++)
		paths[i] = u->items[i].path;
	if (!path_set_clash(u->m->c->mem, paths, u->n, &clash))
		return;
	one = item_named(u, clash.a);
	two = item_named(u, clash.b);
	if (one->was)
		one = two;
	if (one->conflict)
		return;
	one->conflict = true;
	u->conflicts[u->conflict_n++] = (struct conflict){
		.at = { .path = one->path, .mine = one }, .kind = "path_clash"
	};
}

static enum err
unite(struct uniting *u)
{
	struct manifest *m = u->m;
	size_t room = u->known->n + u->known->base.n + m->former.rows.n + 1;

	u->items = mem_array(m->c->mem, struct item, room);
	u->conflicts = mem_array(m->c->mem, struct conflict, u->g ? room + 1 : 1);
	u->told = mem_new(m->c->mem, struct merged);
	u->told->base = u->known->based_on;
	u->told->with = m->former.no;
	TRY(paths_unite(u));
	if (u->g)
		clash_find(u);
	return E_OK;
}

/* ---- conflicts ---- */

enum { HUNKS = 20, DETAIL_BYTES = 64 << 10, HUNK_BYTES = 4000, PATHS = 500 };

/* A text of a hunk, cut. */
static const char *
hunk_text(void *mem, const char *text)
{
	return strlen(text) > HUNK_BYTES
	    ? mem_printf(mem, "%s…\n", str_cut(mem, text, HUNK_BYTES / 4)) : text;
}

static void
hunks_write(struct buf *b, const struct conflict *f)
{
	bool first = true;

	for (size_t i = 0; i < f->hunks.n && i < HUNKS && b->n < DETAIL_BYTES / 2; i++) {
		struct merge_hunk h = f->hunks.v[i];

		h.base = hunk_text(b->owner, h.base);
		h.yours = hunk_text(b->owner, h.yours);
		h.theirs = hunk_text(b->owner, h.theirs);
		if (!first)
			buf_chr(b, ',');
		first = false;
		shape_write(b, &merge_hunk_shape, &h);
	}
}

static void
conflicts_write(struct buf *b, const struct uniting *u)
{
	size_t n = 0;

	json_key(b, "conflicts");
	buf_chr(b, '[');
	for (; n < u->conflict_n && b->n < DETAIL_BYTES; n++) {
		const struct conflict *f = &u->conflicts[n];

		buf_str(b, n ? ",{" : "{");
		json_texts(b, "path", f->at.path, "kind", f->kind, NULL);
		json_key(b, "hunks");
		buf_chr(b, '[');
		hunks_write(b, f);
		buf_str(b, "]}");
	}
	buf_chr(b, ']');
	json_add_int(b, "left_out", (int64_t)(u->conflict_n - n));
	json_key(b, "clean");
	buf_jsons(b, u->clean.v, u->clean.n < PATHS ? u->clean.n : PATHS);
}

static enum err
conflicts_fail(struct uniting *u, const struct principal *who)
{
	struct ctx *c = u->m->c;
	struct buf b = BUF(c->mem);
	struct strs paths = { 0 };
	const char *id = NULL,
		   *next = "Publish without dry_run to have a candidate, "
			   "with which you settle that";

	if (!u->m->in->dry_run) {
		TRY(candidate_add(u->m, who, u->m->former.no, u->items, u->n, &id));
		next = mem_printf(c->mem,
		    "To go on, publish with candidate %s, and in files each of these paths as it "
		    "should be (or in delete, if it should go)",
		    id);
	}
	for (size_t i = 0; i < u->conflict_n; i++)
		strs_add(c->mem, &paths, u->conflicts[i].at.path);
	buf_chr(&b, '{');
	json_add_int(&b, "current_version", u->m->former.no);
	json_add_int(&b, "base_version", u->known->based_on);
	conflicts_write(&b, u);
	json_key(&b, "candidate");
	if (id) {
		buf_chr(&b, '{');
		json_add(&b, "id", id);
		json_add_int(&b, "expires_at", c->now + CANDIDATE_S);
		buf_chr(&b, '}');
	} else {
		buf_str(&b, "null");
	}
	json_add(&b, "next", next);
	buf_chr(&b, '}');
	c->details = buf_done(&b);
	return fail(c, E_VERSION_CONFLICT,
	    "base_version: version %lld, which is live, and your files both changed %s since "
	    "version %lld. %s",
	    (long long)u->m->former.no, str_some(c->mem, paths.v, paths.n),
	    (long long)u->known->based_on, next);
}

/* ---- the manifest ---- */

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->path, ((const struct item *)b)->path);
}

static void
items_replace(struct uniting *u)
{
	u->m->items = u->items;
	u->m->n = u->n;
}

enum err
merge_unite(struct manifest *m, struct merging *g, const struct principal *who)
{
	struct uniting u = { .m = m, .g = g, .known = g };

	g->n = m->n;
	g->mine = mem_dup(m->c->mem, m->items, m->n * sizeof *m->items);
	qsort(g->mine, g->n, sizeof *g->mine, by_path);
	if (!g->united)
		return E_OK;
	TRY(base_read(m, who, g));
	TRY(unite(&u));
	if (u.conflict_n)
		return conflicts_fail(&u, who);
	items_replace(&u);
	g->told = u.told;
	return manifest_recheck(m);
}

enum err
merge_stale(struct ctx *c, const struct merging *g, int64_t live_no)
{
	c->details = mem_printf(c->mem,
	    "{\"current_version\":%lld,\"base_version\":%lld,\"retry\":true}", (long long)live_no,
	    (long long)g->based_on);
	fail(c, E_VERSION_CONFLICT,
	    "base_version: others publish to these files at the same moment; "
	    "publish again with base_version %lld",
	    (long long)g->based_on);
	c->replay = c->stale = true;
	return E_VERSION_CONFLICT;
}

static bool
items_eq(const struct item *a, const struct item *b)
{
	return !a || !b ? a == b : memcmp(a->sha256, b->sha256, sizeof a->sha256) == 0;
}

enum err
merge_hold(struct manifest *m, const struct merging *g, const struct artifact *now,
    const struct principal *who, struct merged **told)
{
	struct merging held = *g;
	struct uniting u = { .m = m, .known = &held };
	const struct item *declared = manifest_item(m, DECLARE_FILE);
	size_t page;

	*told = g->told;
	if (now->version_no == g->live_no)
		return E_OK;
	m->former = (struct former){ .no = now->version_no };
	if (!now->version_no)
		return merge_stale(m->c, g, now->version_no);
	TRY(former_rows(m->c, m->artifact_id, who, now->version_no, &m->former.rows));
	if (!held.base_read && held.base_no)
		TRY(former_rows(m->c, m->artifact_id, who, held.base_no, &held.base));
	held.mine = mem_dup(m->c->mem, g->mine, g->n * sizeof *g->mine);
	for (size_t i = 0; i < held.n; i++)
		held.mine[i].was = NULL;
	former_match(m->c, &m->former, held.mine, held.n);
	TRY(unite(&u));
	/* To recognize a page that was added to a lone file, its bytes would be read. */
	if (u.stale || may_be_wrapped(&m->former.rows, &page) ||
	    may_be_wrapped(&held.base, &page))
		return merge_stale(m->c, g, now->version_no);
	clash_find(&u);
	if (u.conflict_n || !items_eq(declared, item_named(&u, DECLARE_FILE)))
		return merge_stale(m->c, g, now->version_no);
	items_replace(&u);
	*told = u.told;
	m->unclear = m->unclear || !m->former.rows.v->utf8;
	TRY(manifest_recheck(m));
	former_keep(m->c, &m->former, m->items, m->n);
	return E_OK;
}

/* ---- the facts ---- */

enum err
merge_facts(struct manifest *m, const struct merging *g, const struct merged *told,
    struct version_row *v, const char **views)
{
	const struct publish_new *in = m->in;
	int64_t no = told ? told->with : g->based_on;
	struct version_row *was;

	if (!told && !g->candidate && !str_eq(in->mode, "patch"))
		return E_OK;
	TRY(project_version(m->c, m->artifact_id, no, &was));
	if (!was)
		return E_OK;
	if (!*views)
		TRY(fileviews_mode(m->c, m->artifact_id, no, views));
	if (!in->routing)
		v->routing = was->routing;
	if (!in->entrypoint)
		v->entrypoint = was->entrypoint;
	if (!in->mobile_html) {
		v->mobile_sha256 = was->mobile_sha256;
		v->mobile_size = was->mobile_size;
	}
	if (in->has.pwa == ABSENT) {
		v->pwa = was->pwa;
		v->icon_sha256 = was->icon_sha256;
		v->icon_size = was->icon_size;
	}
	return E_OK;
}
