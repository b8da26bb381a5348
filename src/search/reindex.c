/* SPDX-License-Identifier: Apache-2.0 */
#include "search/reindex.h"

#include "base/str.h"
#include "search/index.h"

enum { PIECE = 50, DUE_PIECE = 500, STRAY_PIECE = 10000 };

/* ---- all things, a piece at a time ---- */

/* Returns the next ids of a kind after `after`. With `kept`, it lists search_thing, which may
 * hold things that are gone. */
static enum err
ids_next(struct ctx *c, const struct finds *f, const char *after, bool kept, struct strs *out)
{
	struct find_text_list rows;

	if (kept)
		TRY(db_all(c,
		    ROWS(find_text,
			"SELECT id FROM search_thing WHERE kind = ? AND id > ?"
			" ORDER BY id LIMIT ?"),
		    ARGS((int)f->kind, after, PIECE), &rows));
	else
		TRY(db_all(c, f->all, ARGS(after, PIECE), &rows));
	*out = (struct strs){ mem_array(c->mem, const char *, rows.n + 1), rows.n };
	for (size_t i = 0; i < rows.n; i++)
		out->v[i] = rows.v[i].id;
	return E_OK;
}

/* Each piece runs in its own context `one`, freed afterwards. */
typedef enum err piece_do(
    struct ctx *one, const struct finds *f, bool kept, const struct strs *ids, void *arg);

static enum err
pieces_do(struct ctx *c, const struct finds *f, bool kept, piece_do *what, void *arg)
{
	struct strs ids = { .n = PIECE };
	char at[41] = "";

	while (ids.n == PIECE) {
		struct ctx *one = ctx_begin(c->conf, c->db);
		enum err e = ids_next(one, f, at, kept, &ids);

		if (!e && ids.n) {
			e = what(one, f, kept, &ids, arg);
			snprintf(at, sizeof at, "%s", ids.v[ids.n - 1]);
		}
		if (e)
			fail_here(c, "%s", ctx_why(one));
		ctx_end(one);
		TRY(e);
	}
	return E_OK;
}

static enum err
everything_do(struct ctx *c, piece_do *what, void *arg)
{
	for (const struct finds *(*const *noun)(void) = finders; *noun; noun++) {
		TRY(pieces_do(c, (*noun)(), false, what, arg));
		TRY(pieces_do(c, (*noun)(), true, what, arg));
	}
	return E_OK;
}

/* ---- reindex ---- */

static enum err
piece_mark(
    struct ctx *one, const struct finds *f, bool kept, const struct strs *ids, void *arg)
{
	(void)kept;
	(void)arg;
	return db_exec(one,
	    EXEC("INSERT INTO search_due (kind, id, anew) SELECT ?, t.id, TRUE FROM " ID_TABLE
		 " ON DUPLICATE KEY UPDATE anew = TRUE, due_at = 0"),
	    ARGS((int)f->kind, ids_json(one, ids->v, ids->n)), NULL);
}

#define STRAYS_GONE(table) \
	EXEC("DELETE FROM " table " WHERE NOT EXISTS (SELECT 1 FROM search_thing k" \
	     " WHERE k.no = " table ".thing) LIMIT ?")

enum err
index_all(struct ctx *c, void (*tell)(int64_t things), int64_t *things)
{
	struct stmt *const strays[] = { STRAYS_GONE("search_post"), STRAYS_GONE("search_page") };
	int64_t n;

	*things = 0;
	TRY(everything_do(c, piece_mark, NULL));
	do {
		TRY(index_due(c, DUE_PIECE, &n));
		*things += n;
		tell(*things);
	} while (n);
	for (size_t i = 0; i < sizeof strays / sizeof *strays; i++)
		do
			TRY(db_exec(c, strays[i], ARGS(STRAY_PIECE), &n));
		while (n == STRAY_PIECE);
	return E_OK;
}

/* ---- fsck ---- */

struct checking {
	struct ctx *c;
	struct index_state *state;
};

/* A snapshot shows a change either with its row in search_due or with its index rows. */
static enum err
piece_check(
    struct ctx *one, const struct finds *f, bool kept, const struct strs *ids, void *arg)
{
	struct checking *k = arg;
	struct strs wrong;

	TRY(db_begin_snapshot(one));
	TRY(index_wrong(one, f->kind, ids->v, ids->n, kept, &wrong));
	TRY(db_commit(one));
	if (wrong.n && !k->state->one)
		k->state->one = mem_printf(k->c->mem, "%s %s", f->group, wrong.v[0]);
	k->state->wrong += (int64_t)wrong.n;
	return E_OK;
}

#define STRAY_POSTS(F, T) F(T, INT, n)
SHAPE(stray_posts, STRAY_POSTS);

enum err
index_check(struct ctx *c, struct index_state *out)
{
	struct stray_posts *row;

	*out = (struct index_state){ 0 };
	TRY(everything_do(c, piece_check, &(struct checking){ c, out }));
	TRY(db_one(c,
	    ROWS(stray_posts,
		"SELECT (SELECT COUNT(*) FROM search_post p LEFT JOIN search_thing k"
		" ON k.no = p.thing WHERE k.no IS NULL) + (SELECT COUNT(*) FROM search_page p"
		" LEFT JOIN search_thing k ON k.no = p.thing WHERE k.no IS NULL) AS n"),
	    NOARGS, &row));
	out->stray = row->n;
	return E_OK;
}
