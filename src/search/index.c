/* SPDX-License-Identifier: Apache-2.0 */
#include "search/index.h"

#include "base/buf.h"
#include "base/str.h"
#include "search/fold.h"
#include "search/near.h"
#include "store/rounds.h"

#include <stdlib.h>

const struct finds *
finds_of(enum find_kind kind)
{
	for (const struct finds *(*const *noun)(void) = finders; *noun; noun++)
		if ((*noun)()->kind == kind)
			return (*noun)();
	return NULL;
}

const char *
index_kind_word(struct ctx *c, enum find_kind kind)
{
	return mem_printf(c->mem, " %d", (int)kind);
}

/* ---- what there should be ---- */

/* A thing as it is kept: where, and what it is found by. */
struct kept {
	const char *id;
	int64_t no; /* of search_thing; 0: it has no row */
	struct strs audiences;
	struct index_words words;
};

static int
word_order(const void *a, const void *b)
{
	const struct index_word *x = a, *y = b;
	int by_text = strcmp(x->text, y->text);

	return by_text ? by_text : x->field - y->field;
}

/* A lone letter of a word finds nothing that the word doesn't; slugs may be random. */
static bool
is_worth_keeping(const struct word *w, int field)
{
	return w->kind != WORD_PART ||
	    (field != FIELD_ALSO &&
		(w->letters > 1 || (*w->text >= '0' && *w->text <= '9')));
}

static void
words_add(struct ctx *c, struct index_words *all, const char *text, int field)
{
	struct words in = { 0 };

	if (text)
		in = fold(c->mem, text);
	for (size_t i = 0; i < in.n; i++)
		if (is_worth_keeping(&in.v[i], field))
			all->v[all->n++] = (struct index_word){ in.v[i].text, field };
}

/* Each word once, in the first of the fields that have it. */
static struct index_words
words_of(struct ctx *c, enum find_kind kind, const struct find_text *t)
{
	struct index_words all = { mem_array(c->mem, struct index_word, 3 * FOLD_WORDS + 1), 0 };
	size_t n = 0;

	all.v[all.n++] = (struct index_word){ index_kind_word(c, kind), FIELD_NAME };
	words_add(c, &all, t->name, FIELD_NAME);
	words_add(c, &all, t->also, FIELD_ALSO);
	words_add(c, &all, t->text, FIELD_TEXT);
	qsort(all.v, all.n, sizeof *all.v, word_order);
	for (size_t i = 0; i < all.n; i++)
		if (!n || !str_eq(all.v[n - 1].text, all.v[i].text))
			all.v[n++] = all.v[i];
	all.n = n;
	return all;
}

static struct strs
audiences_of(struct ctx *c, const char *list)
{
	char *rest = mem_strdup(c->mem, list ? list : ""), *one;
	struct strs all = { mem_array(c->mem, const char *, strlen(rest) / 2 + 1), 0 };
	size_t n = 0;

	while ((one = str_split(&rest, ',')))
		if (*one)
			all.v[all.n++] = one;
	qsort(all.v, all.n, sizeof *all.v, str_order);
	for (size_t i = 0; i < all.n; i++)
		if (!n || !str_eq(all.v[n - 1], all.v[i]))
			all.v[n++] = all.v[i];
	all.n = n;
	return all;
}

/* ---- what is kept ---- */

static const char *
audiences_text(struct ctx *c, const struct strs *all)
{
	return ids_json(c, all->v, all->n);
}

/* Before each word stands the digit of its field. */
static const char *
words_text(struct ctx *c, const struct index_words *all)
{
	struct buf b = BUF(c->mem);

	buf_chr(&b, '[');
	for (size_t i = 0; i < all->n; i++)
		buf_fmt(&b, "%s\"%d%s\"", i ? "," : "", all->v[i].field, all->v[i].text);
	buf_chr(&b, ']');
	return buf_done(&b);
}

/* Neither words nor ids have a quote in them. */
static struct strs
texts_read(struct ctx *c, const char *json)
{
	char *rest = mem_strdup(c->mem, json), *one;
	struct strs all = { mem_array(c->mem, const char *, strlen(json) / 2 + 1), 0 };

	str_split(&rest, '"');
	while ((one = str_split(&rest, '"')) && rest) {
		all.v[all.n++] = one;
		str_split(&rest, '"');
	}
	return all;
}

struct index_words
index_words_read(struct ctx *c, const char *json)
{
	const struct strs all = texts_read(c, json);
	struct index_words out = { mem_array(c->mem, struct index_word, all.n + 1), all.n };

	for (size_t i = 0; i < all.n; i++)
		out.v[i] = (struct index_word){ all.v[i] + 1, *all.v[i] - '0' };
	return out;
}

#define KEPT_ROW(F, T) \
	F(T, INT, no) \
	F(T, STR, id) \
	F(T, STR, spaces) \
	F(T, STR, words)
SHAPE_DECLARE(kept_row, KEPT_ROW);
SHAPE_DEFINE(kept_row, KEPT_ROW);

/* Held until the commit, before the thing is read: of two who bring the same in line, the second
 * sees what the first saw or more. */
static enum err
kept_hold(struct ctx *c, enum find_kind kind, const char *ids, struct kept_row_list *out)
{
	return db_all(c,
	    ROWS(kept_row,
		"SELECT k.no, k.id, k.spaces, k.words FROM " ID_TABLE
		" STRAIGHT_JOIN search_thing k ON k.kind = ? AND k.id = t.id FOR UPDATE"),
	    ARGS(ids, (int)kind), out);
}

static struct kept
kept_is(struct ctx *c, const struct kept_row_list *rows, const char *id)
{
	for (size_t i = 0; i < rows->n; i++)
		if (str_eq(rows->v[i].id, id))
			return (struct kept){ id, rows->v[i].no,
				texts_read(c, rows->v[i].spaces),
				index_words_read(c, rows->v[i].words) };
	return (struct kept){ .id = id };
}

static struct kept
kept_should(
    struct ctx *c, enum find_kind kind, const struct find_text_list *rows, const char *id)
{
	for (size_t i = 0; i < rows->n; i++)
		if (str_eq(rows->v[i].id, id))
			return (struct kept){ id, 0, audiences_of(c, rows->v[i].audiences),
				words_of(c, kind, &rows->v[i]) };
	return (struct kept){ .id = id };
}

/* ---- the difference ---- */

static int
word_compare(const void *text, const void *word)
{
	return strcmp(text, ((const struct index_word *)word)->text);
}

static const struct index_word *
kept_word(const struct kept *k, const char *audience, const char *word)
{
	if (!k->audiences.n || !k->words.n ||
	    !bsearch(&audience, k->audiences.v, k->audiences.n, sizeof *k->audiences.v, str_order))
		return NULL;
	return bsearch(word, k->words.v, k->words.n, sizeof *k->words.v, word_compare);
}

/* What one has and the other hasn't, or not so: a row [audience, word, field] for each. */
static const char *
rows_of_one(struct ctx *c, const struct kept *one, const struct kept *other, bool by_field)
{
	struct buf b = BUF(c->mem);

	buf_chr(&b, '[');
	for (size_t i = 0; i < one->audiences.n; i++)
		for (size_t k = 0; k < one->words.n; k++) {
			const struct index_word *w = &one->words.v[k],
			    *there = kept_word(other, one->audiences.v[i], w->text);

			if (!there || (by_field && there->field != w->field))
				buf_fmt(&b, "%s[\"%s\",\"%s\",%d]", b.n > 1 ? "," : "",
				    one->audiences.v[i], w->text, w->field);
		}
	buf_chr(&b, ']');
	return buf_done(&b);
}

/* For each word that may have typos: itself, one of its forms, and all of them. */
static const char *
near_rows(struct ctx *c, const struct index_words *words)
{
	struct buf b = BUF(c->mem);

	buf_chr(&b, '[');
	for (size_t i = 0; i < words->n; i++) {
		struct strs forms = near_kept(c->mem, words->v[i].text);

		for (size_t k = 0; k < forms.n; k++)
			if (k)
				buf_fmt(&b, ",\"%s\"", forms.v[k]);
			else
				buf_fmt(&b, "%s{\"word\":\"%s\",\"first\":\"%s\",\"forms\":[\"%s\"",
				    b.n > 1 ? "," : "", words->v[i].text, forms.v[0], forms.v[0]);
		if (forms.n)
			buf_str(&b, "]}");
	}
	buf_chr(&b, ']');
	return buf_done(&b);
}

#define SQL_WORD "VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
#define SQL_AUDIENCE "VARCHAR(41) CHARACTER SET ascii COLLATE ascii_nopad_bin"
#define AUDIENCE_TABLE(json) \
	"JSON_TABLE(" json ", '$[*]' COLUMNS (audience " SQL_AUDIENCE " PATH '$')) a"
#define POST_TABLE(json) \
	"JSON_TABLE(" json ", '$[*]' COLUMNS (audience " SQL_AUDIENCE " PATH '$[0]'," \
	" word " SQL_WORD " PATH '$[1]', field INT PATH '$[2]')) r"
#define NEAR_TABLE(json) \
	"JSON_TABLE(" json ", '$[*]' COLUMNS (word " SQL_WORD " PATH '$.word'," \
	" first " SQL_WORD " PATH '$.first', forms JSON PATH '$.forms')) w"
#define FORM_TABLE(json) "JSON_TABLE(" json ", '$[*]' COLUMNS (near " SQL_WORD " PATH '$')) f"

/* Rows that others may insert at the same time come in one order for all. */
static enum err
kept_write(struct ctx *c, enum find_kind kind, const struct kept *is, const struct kept *should)
{
	return db_exec(c,
	    EXEC(
		"BEGIN NOT ATOMIC DECLARE v_thing BIGINT DEFAULT ?; DECLARE v_kind INT DEFAULT ?;"
		" DECLARE v_id " SQL_ID " DEFAULT ?; DECLARE v_spaces MEDIUMTEXT DEFAULT ?;"
		" DECLARE v_words MEDIUMTEXT DEFAULT ?; DECLARE v_gone LONGTEXT DEFAULT ?;"
		" DECLARE v_new LONGTEXT DEFAULT ?; DECLARE v_near MEDIUMTEXT DEFAULT ?;"
		" IF v_thing = 0 THEN"
		" INSERT INTO search_thing (kind, id, spaces, words)"
		" VALUES (v_kind, v_id, v_spaces, v_words);"
		" SET v_thing = LAST_INSERT_ID();"
		" ELSEIF v_spaces = '[]' THEN DELETE FROM search_thing WHERE no = v_thing;"
		" DELETE FROM search_recent WHERE kind = v_kind AND id = v_id;"
		" ELSE UPDATE search_thing SET spaces = v_spaces, words = v_words"
		" WHERE no = v_thing; END IF;"
		" DELETE p FROM " POST_TABLE("v_gone")
		" STRAIGHT_JOIN search_space s ON s.audience = r.audience"
		" STRAIGHT_JOIN search_post p ON p.space = s.no AND p.word = r.word"
		" AND p.thing = v_thing;"
		" INSERT IGNORE INTO search_space (audience) SELECT a.audience"
		" FROM " AUDIENCE_TABLE("v_spaces")
		" LEFT JOIN search_space s ON s.audience = a.audience"
		" WHERE s.no IS NULL ORDER BY a.audience;"
		" INSERT INTO search_post (space, word, thing, kind, field)"
		" SELECT s.no, r.word, v_thing, v_kind, r.field FROM " POST_TABLE("v_new")
		" STRAIGHT_JOIN search_space s ON s.audience = r.audience"
		" ON DUPLICATE KEY UPDATE field = VALUES(field);"
		/* Those that the space doesn't have. */
		" FOR missing IN (SELECT s.no, w.word, w.forms FROM " AUDIENCE_TABLE("v_spaces")
		" STRAIGHT_JOIN search_space s ON s.audience = a.audience"
		" STRAIGHT_JOIN " NEAR_TABLE("v_near") " WHERE NOT EXISTS"
		" (SELECT 1 FROM search_near n WHERE n.space = s.no AND n.near = w.first"
		" AND n.word = w.word) ORDER BY s.no, w.word) DO"
		" INSERT IGNORE INTO search_near (space, near, word)"
		" SELECT missing.no, f.near, missing.word FROM " FORM_TABLE("missing.forms")
		" ORDER BY f.near;"
		" END FOR; END"),
	    ARGS(is->no, (int)kind, is->id, audiences_text(c, &should->audiences),
		words_text(c, &should->words), rows_of_one(c, is, should, false),
		rows_of_one(c, should, is, true), near_rows(c, &should->words)),
	    NULL);
}

static bool
kept_same(struct ctx *c, const struct kept *a, const struct kept *b)
{
	return str_eq(audiences_text(c, &a->audiences), audiences_text(c, &b->audiences)) &&
	    str_eq(words_text(c, &a->words), words_text(c, &b->words));
}

/* E_CONFLICT: somebody else has begun to keep one of them. */
static enum err
index_try(struct ctx *c, const struct finds *f, const char *const *ids, size_t n)
{
	const char *asked = ids_json(c, ids, n);
	struct kept_row_list rows;
	struct find_text_list texts;

	TRY(kept_hold(c, f->kind, asked, &rows));
	TRY(db_all(c, f->text, ARGS(asked), &texts));
	for (size_t i = 0; i < n; i++) {
		const struct kept is = kept_is(c, &rows, ids[i]),
				  should = kept_should(c, f->kind, &texts, ids[i]);

		if (!kept_same(c, &is, &should))
			TRY(kept_write(c, f->kind, &is, &should));
	}
	return E_OK;
}

enum err
index_things(struct ctx *c, enum find_kind kind, const char *const *ids, size_t n)
{
	const struct finds *f = finds_of(kind);
	enum err e;

	if (!f)
		return E_OK;
	e = index_try(c, f, ids, n);
	if (e != E_CONFLICT || c->replay)
		return e;
	/* Somebody else kept it meanwhile; now there is a row to hold. */
	ctx_forgive(c);
	return index_try(c, f, ids, n);
}

/* ---- what happens ---- */

static enum err
words_changed(struct ctx *c, const struct happened *h)
{
	return index_things(c, (enum find_kind)h->find_kind, &h->find_id, 1);
}

#define FIND_DUE(F, T) \
	F(T, INT, kind) \
	F(T, STR, id)
SHAPE_DECLARE(find_due, FIND_DUE);
SHAPE_DEFINE(find_due, FIND_DUE);

enum { DUE_AT_ONCE = 20 }; /* words that are new are held meanwhile */

static enum err
due_some(struct ctx *c, enum find_kind kind, const char *const *ids, size_t n)
{
	TRY(db_begin(c));
	TRY(db_exec(c,
	    EXEC("DELETE d FROM " ID_TABLE " STRAIGHT_JOIN search_due d ON d.kind = ?"
		 " AND d.id = t.id"),
	    ARGS(ids_json(c, ids, n), (int)kind), NULL));
	TRY(index_things(c, kind, ids, n));
	return db_commit(c);
}

static enum err
due_piece(struct ctx *c, enum find_kind kind, const char *const *ids, size_t n)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	enum err e = due_some(one, kind, ids, n);
	int tries = 0;

	while (db_again(one, e, &tries))
		e = due_some(one, kind, ids, n);
	if (e)
		fail_here(c, "%s", ctx_why(one));
	ctx_end(one);
	return e;
}

/* Those that others said are to be looked at again. */
static enum err
due_work(struct ctx *c, int64_t limit, int64_t *done)
{
	const char *ids[DUE_AT_ONCE];
	struct find_due_list rows;
	size_t n = 0;

	*done = 0;
	TRY(db_all(c, ROWS(find_due, "SELECT kind, id FROM search_due ORDER BY kind, id LIMIT ?"),
	    ARGS(limit), &rows));
	for (size_t i = 0; i < rows.n; i++) {
		ids[n++] = rows.v[i].id;
		if (n < DUE_AT_ONCE && i + 1 < rows.n && rows.v[i + 1].kind == rows.v[i].kind)
			continue;
		TRY(due_piece(c, (enum find_kind)rows.v[i].kind, ids, n));
		*done += (int64_t)n;
		n = 0;
	}
	return E_OK;
}

FOLLOWS(search, { WORDS_CHANGED, words_changed });
ROUNDS(search, { "search", .rows = due_work });
