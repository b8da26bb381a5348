/* SPDX-License-Identifier: Apache-2.0 */
#include "db/sealed.h"

#include "base/str.h"

SHAPE_DEFINE(sealed_row, SEALED_ROW);

enum { AT_ONCE = 50 };

/* ---- one value ---- */

static const char *
sealed_purpose(void *owner, const struct sealed *s, const char *id, const char *part)
{
	return mem_printf(
	    owner, "%s%s%s%s", s->purpose[0], id, s->purpose[1], part ? part : "");
}

const char *
sealed_close(void *owner, const struct sealed *s, const char *id, const char *part,
    const char *text)
{
	return seal_close(owner, sealed_purpose(owner, s, id, part), text);
}

const char *
sealed_open(void *owner, const struct sealed *s, const char *id, const char *part,
    const char *sealed)
{
	return seal_open(owner, sealed_purpose(owner, s, id, part), sealed);
}

const char *
sealed_lost(void *owner, const struct sealed *s, const struct sealed_row *row)
{
	const char *who = *row->part ? row->part : s->who;

	return mem_printf(owner, "%s %s: key_file can't decrypt %s%s%s%s%s", s->noun, row->id,
	    s->what, s->mend ? "; " : "", s->mend && who ? who : "",
	    s->mend && who ? " " : "", s->mend ? s->mend : "");
}

/* ---- a column ---- */

struct opened {
	const char *text;
	enum seal_key by;
};

static enum err
piece_renew(struct ctx *c, const struct sealed *s, const struct sealed_row_list *rows,
    const struct opened *was, int64_t *renewed)
{
	*renewed = 0;
	TRY(db_begin(c));
	for (size_t i = 0; i < rows->n; i++) {
		const struct sealed_row *row = &rows->v[i];
		int64_t changed = 0;

		if (was[i].text)
			TRY(db_exec(c, s->put,
			    ARGS(sealed_close(c->mem, s, row->id, row->part, was[i].text), row->id,
				row->part, row->text),
			    &changed));
		*renewed += changed;
	}
	return db_commit(c);
}

/* Rows are read before the transaction. If somebody has written a value since, the UPDATE doesn't
 * match it, and the new value is under the new key anyway. */
static enum err
piece_walk(struct ctx *c, const struct sealed *s, enum sealed_walk how, const struct sealed_row *at,
    const struct sealed_calls *calls, struct sealed_row_list *rows)
{
	const char *id = seal_key_id(SEAL_KEY),
		   *fresh = how == SEALED_ALL || !id ? "" : mem_printf(c->mem, "%s.%%", id);
	struct opened *was;
	int64_t renewed = 0;

	TRY(db_all(c, ((struct sealed_row_rows){ .stmt = s->next }),
	    ARGS(at->id, at->id, at->part, fresh, AT_ONCE), rows));
	was = mem_array(c->mem, struct opened, rows->n + 1);
	for (size_t i = 0; i < rows->n; i++)
		was[i].text = seal_open_by(c->mem,
		    sealed_purpose(c->mem, s, rows->v[i].id, rows->v[i].part), rows->v[i].text,
		    &was[i].by);
	if (how == SEALED_RENEW && rows->n)
		TRY(piece_renew(c, s, rows, was, &renewed));
	for (size_t i = 0; i < rows->n; i++)
		calls->one(calls->arg, c, &rows->v[i], was[i].by);
	if (calls->piece)
		calls->piece(calls->arg, renewed);
	return E_OK;
}

enum err
sealed_each(
    struct ctx *c, const struct sealed *s, enum sealed_walk how, const struct sealed_calls *calls)
{
	struct sealed_row at = { .id = "", .part = "" };
	size_t n = AT_ONCE;
	int tries = 0;

	while (n == AT_ONCE) {
		struct ctx *one = ctx_begin(c->conf, c->db);
		struct sealed_row_list rows = { 0 };
		enum err e = piece_walk(one, s, how, &at, calls, &rows);
		bool again = e && db_again(one, e, &tries);

		if (e && !again)
			fail_here(c, "%s: %s", s->column, ctx_why(one));
		if (!e) {
			tries = 0;
			n = rows.n;
		}
		if (!e && n)
			at = (struct sealed_row){ .id = mem_strdup(c->mem, rows.v[n - 1].id),
				.part = mem_strdup(c->mem, rows.v[n - 1].part) };
		ctx_end(one);
		if (e && !again)
			return c->err;
	}
	return E_OK;
}

/* ---- counting ---- */

struct counting {
	struct ctx *c;
	struct sealed_left *left;
};

static void
left_count(void *arg, struct ctx *one, const struct sealed_row *row, enum seal_key by)
{
	struct counting *k = arg;
	const char *id = seal_id_of(one->mem, row->text);

	k->left->other += by == SEAL_OTHER_KEY;
	if (by != SEAL_NO_KEY || row->ended)
		return;
	k->left->lost++;
	if (id && !strs_have(&k->left->keys, id))
		strs_add(k->c->mem, &k->left->keys, mem_strdup(k->c->mem, id));
}

enum err
sealed_count(struct ctx *c, const struct sealed *s, struct sealed_left *more)
{
	struct counting k = { c, more };

	return sealed_each(
	    c, s, SEALED_LEFT, &(struct sealed_calls){ .one = left_count, .arg = &k });
}

enum err
sealed_count_all(struct ctx *c, struct sealed_left *out)
{
	*out = (struct sealed_left){ 0 };
	for (const struct sealed *const *s = sealed_columns; *s; s++)
		TRY(sealed_count(c, *s, out));
	return E_OK;
}

const char *
sealed_left_say(struct ctx *c, const struct sealed_left *left)
{
	const char *other = left->other
	    ? mem_printf(c->mem, "%s under other_key_file: run vitrinectl rekey",
		  str_count(c->mem, left->other, "secret"))
	    : "";
	const char *named = left->keys.n
	    ? mem_printf(c->mem, "under key %s: name its file in other_key_file, "
				 "run vitrinectl rekey",
		  str_some(c->mem, left->keys.v, left->keys.n))
	    : "with another key, or damaged";

	if (!left->lost)
		return left->other ? other : NULL;
	return mem_printf(c->mem, "%s%s%s that no key here opens, sealed %s; fsck names them",
	    other, left->other ? "; " : "", str_count(c->mem, left->lost, "secret"), named);
}
