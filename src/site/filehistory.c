/* SPDX-License-Identifier: Apache-2.0 */
#include "site/filehistory.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/textdiff.h"
#include "base/textmerge.h"
#include "base/unicode.h"
#include "core/declare.h"
#include "site/version.h"
#include "store/object.h"

SHAPE_DEFINE(file_history_query, FILE_HISTORY_QUERY);
SHAPE_DEFINE(file_change, FILE_CHANGE);
SHAPE_DEFINE(blame_query, BLAME_QUERY);
SHAPE_DEFINE(blame_lines, BLAME_LINES);
SHAPE_DEFINE(blame, BLAME);

enum { BLAME_CHANGES = 200, BLAME_MS = 5000 };

/* ---- changes ---- */

/* SQL: versions of the artifact with a file's digest, and that of the version before. Parameters:
 * the path, version_sees_declared(), the artifact, a version that counts though it wasn't live. */
#define CHANGES \
	"SELECT h.version_no, h.at, (SELECT COALESCE(NULLIF(u.name, ''), u.email) FROM user u" \
	" WHERE u.id = h.created_by) AS `by`, h.agent_name, h.message, h.size_bytes," \
	" IF(h.was IS NULL, 'added', IF(h.sha256 IS NULL, 'removed', 'changed')) AS `change`," \
	" h.sha256 FROM (SELECT v.version_no, v.created_at AS at, v.created_by, v.agent_name," \
	" v.message, f.size_bytes, f.sha256, LAG(f.sha256) OVER (ORDER BY v.version_no) AS was" \
	" FROM version v LEFT JOIN version_file f ON f.artifact_id = v.artifact_id" \
	" AND f.version_no = v.version_no AND f.path = ?" FILE_SHOWN \
	" WHERE v.artifact_id = ? AND (v.first_live_at IS NOT NULL OR v.version_no = ?)) h" \
	" WHERE NOT h.sha256 <=> h.was"

enum err
file_history(struct ctx *c, const struct artifact *a, const struct file_history_query *q,
    struct list *out, const char **next)
{
	const char *path = unicode_composed(c->mem, q->path);
	int64_t before = INT32_MAX;

	if (q->cursor && !str_int(q->cursor, &before))
		return fail_cursor(c);
	return db_part(c,
	    ROWS(file_change, CHANGES " AND h.version_no < ? ORDER BY h.version_no DESC LIMIT ?"),
	    ARGS(path, version_sees_declared(a), a->id, 0, before), q->limit, out, next,
	    mem_printf(c->mem, "%lld", (long long)last->version_no));
}

/* ---- lines ---- */

/* The lines of the version that is asked for, and where each is in an older one. */
struct blaming {
	struct ctx *c;
	const struct file_change **from; /* for each line: the change that made it; NULL: open */
	size_t *at;                      /* for each open line: its number in the older text */
	size_t n, open;
	bool older; /* not all changes were looked at */
};

/* *text is false for what isn't a text, or is too long; then it has no lines. */
static enum err
lines_read(struct ctx *c, const struct file_change *f, struct text_lines *out, bool *text)
{
	uint8_t sha256[SHA256_BYTES];
	const char *whole;

	*text = false;
	*out = (struct text_lines){ 0 };
	if (!f->sha256)
		return E_OK;
	if (!crypto_unhex(f->sha256, sha256, sizeof sha256))
		return fail_here(c, "a digest");
	TRY(object_text(c, sha256, f->size_bytes, MERGE_TEXT_BYTES, &whole));
	if (!whole)
		return E_OK;
	*out = text_lines_split(c->mem, whole);
	*text = out->n <= MERGE_TEXT_LINES;
	return E_OK;
}

/* Steps back by one change: lines of the blamed text that aren't in the text before it come from
 * this change; the others stay open, at their places in that text. */
static void
lines_step_back(struct blaming *b, const struct file_change *by, const struct text_lines *newer,
    const struct text_lines *older)
{
	size_t *match = mem_array(b->c->mem, size_t, older->n + 1);
	size_t *back = mem_array(b->c->mem, size_t, newer->n + 1);

	for (size_t i = 0; i < newer->n; i++)
		back[i] = TEXT_UNMATCHED;
	text_match(b->c->mem, older, newer, match);
	for (size_t i = 0; i < older->n; i++)
		if (match[i] != TEXT_UNMATCHED)
			back[match[i]] = i;
	for (size_t i = 0; i < b->n; i++) {
		if (b->from[i])
			continue;
		if (back[b->at[i]] == TEXT_UNMATCHED) {
			b->from[i] = by;
			b->open--;
		} else {
			b->at[i] = back[b->at[i]];
		}
	}
	mem_free(back);
	mem_free(match);
}

/* Makes a row of adjacent lines that one change made. */
static struct list
rows_make(struct blaming *b)
{
	struct blame_lines *rows = mem_array(b->c->mem, struct blame_lines, b->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct file_change *f = b->from[i];

		if (i && b->from[i - 1] == f) {
			rows[n - 1].to++;
			continue;
		}
		rows[n++] = (struct blame_lines){ .from = (int64_t)i + 1, .to = (int64_t)i + 1,
			.version_no = f->version_no, .at = f->at, .by = f->by,
			.agent_name = f->agent_name };
	}
	return (struct list){ rows, n };
}

/* Finds the change of each line. The oldest change that is read gets the lines that stay open. */
static enum err
lines_find(struct blaming *b, const struct file_change_list *all, struct text_lines newer)
{
	int64_t end = clock_ms() + BLAME_MS;
	size_t i = 0;

	for (; i + 1 < all->n && i < BLAME_CHANGES && b->open && clock_ms() < end; i++) {
		struct text_lines older;
		bool text;

		TRY(lines_read(b->c, &all->v[i + 1], &older, &text));
		lines_step_back(b, &all->v[i], &newer, &older);
		newer = older;
	}
	b->older = b->open && i + 1 < all->n;
	for (size_t k = 0; k < b->n; k++)
		if (!b->from[k])
			b->from[k] = &all->v[i];
	b->open = 0;
	return E_OK;
}

enum err
file_blame(struct ctx *c, const struct artifact *a, const struct blame_query *q, struct blame **out)
{
	const char *path = unicode_composed(c->mem, q->path);
	struct blaming b = { .c = c };
	struct file_change_list all;
	struct version_file *f;
	struct text_lines lines;
	struct version *v;
	bool text;

	TRY(version_pick(c, a, q->version, &v));
	TRY(version_file_of(c, a, v, path, &f));
	TRY(db_all(c,
	    ROWS(file_change,
		CHANGES " AND h.version_no <= ? ORDER BY h.version_no DESC LIMIT ?"),
	    ARGS(path, version_sees_declared(a), a->id, v->version_no, v->version_no,
		BLAME_CHANGES + 2),
	    &all));
	if (!all.n)
		return fail_here(c, "%s has no change", path);
	TRY(lines_read(c, &all.v[0], &lines, &text));
	if (!text)
		return fail(c, E_FILE_TOO_LARGE,
		    "path: %s isn't text in UTF-8 of at most %d bytes and %d lines", path,
		    MERGE_TEXT_BYTES, MERGE_TEXT_LINES);
	b.n = b.open = lines.n;
	b.from = mem_array(c->mem, const struct file_change *, b.n + 1);
	b.at = mem_array(c->mem, size_t, b.n + 1);
	for (size_t i = 0; i < b.n; i++)
		b.at[i] = i;
	TRY(lines_find(&b, &all, lines));
	*out = mem_new(c->mem, struct blame);
	(*out)->lines = rows_make(&b);
	(*out)->older = b.older;
	return E_OK;
}
