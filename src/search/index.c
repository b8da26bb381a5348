/* SPDX-License-Identifier: Apache-2.0 */
#include "search/index.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
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

/* ---- words and audiences of a thing ---- */

/* The audiences and words of a thing: either as stored or as they should be. */
struct kept {
	const char *id;
	int64_t no; /* of search_thing; 0: it has no row */
	struct strs audiences;
	struct index_words words;
	/* `words` and the words of its page text; empty if it has no page */
	struct index_words page;
};

static int
word_order(const void *a, const void *b)
{
	const struct index_word *x = a, *y = b;
	int by_text = strcmp(x->text, y->text);

	return by_text ? by_text : x->field - y->field;
}

static void
words_add(struct ctx *c, struct index_words *all, const char *text, int field)
{
	struct words in = { 0 };

	if (text)
		in = fold(c->mem, text, field == FIELD_PAGE ? FOLD_PAGE_WORDS : FOLD_WORDS);
	for (size_t i = 0; i < in.n; i++) {
		const struct word *w = &in.v[i];

		/* A single letter split from a word is no use in a search. Slugs may be random, so
		 * their parts aren't kept. */
		if (w->kind != WORD_PART ||
		    (field != FIELD_ALSO &&
			(w->letters > 1 || (*w->text >= '0' && *w->text <= '9'))))
			all->v[all->n++] = (struct index_word){ w->text, field };
	}
}

/* Removes repeated words. A word stays with the lowest field that has it. */
static void
words_sort(struct index_words *all)
{
	size_t n = 0;

	if (all->n)
		qsort(all->v, all->n, sizeof *all->v, word_order);
	for (size_t i = 0; i < all->n; i++)
		if (!n || !str_eq(all->v[n - 1].text, all->v[i].text))
			all->v[n++] = all->v[i];
	all->n = n;
}

static struct index_words
words_of(struct ctx *c, enum find_kind kind, const struct find_text *t)
{
	struct index_words all = { mem_array(c->mem, struct index_word, 3 * FOLD_WORDS + 1), 0 };

	all.v[all.n++] = (struct index_word){ index_kind_word(c, kind), FIELD_NAME };
	words_add(c, &all, t->name, FIELD_NAME);
	words_add(c, &all, t->also, FIELD_ALSO);
	words_add(c, &all, t->text, FIELD_TEXT);
	words_sort(&all);
	return all;
}

/* Page words include the other words: a query may match partly in the name, partly on the page. */
static struct index_words
page_words_of(struct ctx *c, enum find_kind kind, const struct index_words *words,
    const struct find_text *t)
{
	struct index_words all = { 0 };

	if (!t->page)
		return all;
	all.v = mem_array(c->mem, struct index_word, words->n + FOLD_PAGE_WORDS);
	for (; all.n < words->n; all.n++)
		all.v[all.n] = (struct index_word){ words->v[all.n].text, FIELD_PAGE };
	words_add(c, &all, find_plain(finds_of(kind), c->mem, t->page), FIELD_PAGE);
	words_sort(&all);
	return all;
}

static struct strs
audiences_of(struct ctx *c, const char *list)
{
	char *rest = mem_strdup(c->mem, list ? list : ""), *one;
	struct strs all = { mem_array(c->mem, const char *, strlen(rest) / 2 + 1), 0 };

	while ((one = str_split(&rest, ',')))
		if (*one)
			all.v[all.n++] = one;
	strs_sort_unique(&all);
	return all;
}

/* ---- stored rows ---- */

/* Format: a JSON array of strings; the first character of each is the digit of its field. */
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

/* Splitting at quotes is enough: neither words nor ids contain a quote. */
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
	F(T, STR, words) \
	F(T, STR, page_words)
SHAPE(kept_row, KEPT_ROW);

#define KEPT_SELECT \
	"SELECT k.no, k.id, k.spaces, k.words, k.page_words FROM " ID_TABLE \
	" STRAIGHT_JOIN search_thing k ON k.kind = ? AND k.id = t.id"

static struct kept
kept_is(struct ctx *c, const struct kept_row_list *rows, const char *id)
{
	for (size_t i = 0; i < rows->n; i++)
		if (str_eq(rows->v[i].id, id))
			return (struct kept){ id, rows->v[i].no,
				texts_read(c, rows->v[i].spaces),
				index_words_read(c, rows->v[i].words),
				index_words_read(c, rows->v[i].page_words) };
	return (struct kept){ .id = id };
}

static struct kept
kept_should(
    struct ctx *c, enum find_kind kind, const struct find_text_list *rows, const char *id)
{
	struct kept k = { .id = id };

	for (size_t i = 0; i < rows->n; i++)
		if (str_eq(rows->v[i].id, id)) {
			k.audiences = audiences_of(c, rows->v[i].audiences);
			k.words = words_of(c, kind, &rows->v[i]);
			k.page = page_words_of(c, kind, &k.words, &rows->v[i]);
		}
	return k;
}

#define SPACE_NO(F, T) \
	F(T, STR, audience) \
	F(T, INT, no)
SHAPE(space_no, SPACE_NO);

#define SQL_AUDIENCE "VARCHAR(41) CHARACTER SET ascii COLLATE ascii_nopad_bin"
#define AUDIENCE_TABLE \
	"JSON_TABLE(?, '$[*]' COLUMNS (audience " SQL_AUDIENCE " PATH '$')) a"

/* A thing whose stored rows differ from what they should be. */
struct change {
	struct kept is, should;
};
struct writing {
	struct ctx *c;
	enum find_kind kind;
	struct change *v;
	size_t n;
	/* of all audiences that these changes name, sorted by audience */
	struct space_no_list spaces;
	bool anew; /* rewrite all rows, since some may be missing */
};

/* Returns the audiences that should exist; with `kept`, the stored ones, too. */
static struct strs
audiences_all(const struct writing *w, bool kept)
{
	struct strs all = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += w->v[i].is.audiences.n + w->v[i].should.audiences.n;
	all.v = mem_array(w->c->mem, const char *, n + 1);
	for (size_t i = 0; i < w->n; i++) {
		const struct strs *is = &w->v[i].is.audiences, *should = &w->v[i].should.audiences;

		for (size_t k = 0; k < should->n; k++)
			all.v[all.n++] = should->v[k];
		for (size_t k = 0; kept && k < is->n; k++)
			all.v[all.n++] = is->v[k];
	}
	strs_sort_unique(&all);
	return all;
}

static enum err
spaces_read(struct writing *w, const char *audiences)
{
	return db_all(w->c,
	    ROWS(space_no,
		"SELECT s.audience, s.no FROM " AUDIENCE_TABLE
		" STRAIGHT_JOIN search_space s ON s.audience = a.audience ORDER BY s.audience"),
	    ARGS(audiences), &w->spaces);
}

static int
space_compare(const void *audience, const void *space)
{
	return strcmp(audience, ((const struct space_no *)space)->audience);
}

static int64_t
space_of(const struct writing *w, const char *audience)
{
	const struct space_no *s = w->spaces.n
	    ? bsearch(audience, w->spaces.v, w->spaces.n, sizeof *w->spaces.v, space_compare)
	    : NULL;

	return s ? s->no : 0; /* no space has this number */
}

/* Fills w->spaces and inserts spaces for new audiences. An audience that only stored rows name
 * may have no space any more; space_of() gives 0 for it. */
static enum err
spaces_find(struct writing *w)
{
	const struct strs all = audiences_all(w, true), should = audiences_all(w, false);
	const char *asked = ids_json(w->c, all.v, all.n);
	size_t there = 0;

	TRY(spaces_read(w, asked));
	while (there < should.n && space_of(w, should.v[there]))
		there++;
	if (there == should.n)
		return E_OK;
	TRY(db_exec(w->c,
	    EXEC("INSERT IGNORE INTO search_space (audience) SELECT a.audience FROM "
		AUDIENCE_TABLE " LEFT JOIN search_space s ON s.audience = a.audience"
		" WHERE s.no IS NULL ORDER BY a.audience"),
	    ARGS(ids_json(w->c, should.v, should.n)), NULL));
	return spaces_read(w, asked);
}

/* ---- rows ---- */

/* Collects the parameters of one statement, to run it for many rows in few round trips. */
struct many {
	struct ctx *c;
	struct stmt *stmt;
	size_t each, n, room;
	struct arg *v;
};

static void
many_add(struct many *m, struct args row)
{
	if (m->n == m->room) {
		m->room = m->room * 2 + 64;
		m->v = mem_grow(m->c->mem, m->v, m->room * m->each * sizeof *m->v);
	}
	memcpy(m->v + m->n++ * m->each, row.v, m->each * sizeof *m->v);
}

static enum err
many_done(const struct many *m)
{
	enum { AT_ONCE = 5000, BYTES = DB_MANY_BYTES / 4 };

	for (size_t at = 0, n; at < m->n; at += n) {
		size_t bytes = 0;

		for (n = 0; at + n < m->n && n < AT_ONCE && bytes < BYTES; n++)
			for (size_t i = 0; i < m->each; i++)
				bytes += m->v[(at + n) * m->each + i].n;
		TRY(db_exec_many(m->c, m->stmt, m->v + at * m->each, m->each, n));
	}
	return E_OK;
}

static int
word_compare(const void *text, const void *word)
{
	return strcmp(text, ((const struct index_word *)word)->text);
}

const struct index_word *
index_word_find(const struct index_words *words, const char *text)
{
	return words->n ? bsearch(text, words->v, words->n, sizeof *words->v, word_compare) : NULL;
}

/* Returns the words of the thing, or those of its page. */
static const struct index_words *
kept_words(const struct kept *k, bool page)
{
	return page ? &k->page : &k->words;
}

static const struct index_word *
kept_word(const struct kept *k, bool page, const char *audience, const char *word)
{
	if (!k->audiences.n ||
	    !bsearch(&audience, k->audiences.v, k->audiences.n, sizeof *k->audiences.v, str_order))
		return NULL;
	return index_word_find(kept_words(k, page), word);
}

static void
posts_gone(const struct writing *w, const struct change *x, bool page, struct many *out)
{
	const struct index_words *words = kept_words(&x->is, page);

	for (size_t i = 0; i < x->is.audiences.n; i++) {
		const char *audience = x->is.audiences.v[i];

		for (size_t k = 0; k < words->n; k++)
			if (!kept_word(&x->should, page, audience, words->v[k].text))
				many_add(out,
				    ARGS(space_of(w, audience), words->v[k].text, x->is.no));
	}
}

static void
posts_new(const struct writing *w, const struct change *x, bool page, struct many *out)
{
	const struct index_words *words = kept_words(&x->should, page);

	for (size_t i = 0; i < x->should.audiences.n; i++) {
		const char *audience = x->should.audiences.v[i];

		for (size_t k = 0; k < words->n; k++) {
			const struct index_word *word = &words->v[k],
			    *there = kept_word(&x->is, page, audience, word->text);

			if (w->anew || !there || there->field != word->field)
				many_add(out,
				    ARGS(space_of(w, audience), word->text, x->is.no,
					(int)w->kind, word->field));
		}
	}
}

static enum err
posts_write(const struct writing *w, bool page, struct stmt *delete, struct stmt *insert)
{
	struct many gone = { .c = w->c, .stmt = delete, .each = 3 },
		    new = { .c = w->c, .stmt = insert, .each = 5 };

	for (size_t i = 0; i < w->n; i++) {
		posts_gone(w, &w->v[i], page, &gone);
		posts_new(w, &w->v[i], page, &new);
	}
	TRY(many_done(&gone));
	return many_done(&new);
}

#define POST_GONE(table) EXEC("DELETE FROM " table " WHERE space = ? AND word = ? AND thing = ?")
#define POST_NEW(table) \
	EXEC("INSERT INTO " table " (space, word, thing, kind, field) VALUES (?, ?, ?, ?, ?)" \
	     " ON DUPLICATE KEY UPDATE field = VALUES(field)")

/* ---- words with typos ---- */

#define SPACE_WORD(F, T) \
	F(T, INT, space) \
	F(T, STR, word)
SHAPE(space_word, SPACE_WORD);

/* Returns a JSON array with a pair [space, word] for each word that should exist. */
static const char *
words_wanted(const struct writing *w)
{
	struct buf b = BUF(w->c->mem);

	buf_chr(&b, '[');
	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < w->v[i].should.words.n; k++) {
			const char *word = w->v[i].should.words.v[k].text;

			for (size_t s = 0; *word != ' ' && s < w->v[i].should.audiences.n; s++)
				buf_fmt(&b, "%s[%lld,\"%s\"]", b.n > 1 ? "," : "",
				    (long long)space_of(w, w->v[i].should.audiences.v[s]), word);
		}
	buf_chr(&b, ']');
	return buf_done(&b);
}

/* Adds words that their space lacks to search_near. LOCK IN SHARE MODE keeps the words that
 * exist from leftword.c until the commit. All writers insert in one order, so they can't
 * deadlock. */
static enum err
near_write(const struct writing *w)
{
	struct many new = { .c = w->c, .each = 3 };
	struct space_word_list missing;

	TRY(db_all(w->c,
	    ROWS(space_word,
		"SELECT DISTINCT r.space, r.word FROM JSON_TABLE(?, '$[*]' COLUMNS"
		" (space BIGINT PATH '$[0]', word " SQL_WORD " PATH '$[1]')) r"
		" LEFT JOIN search_near n ON n.space = r.space AND n.near = '" INDEX_WORD "'"
		" AND n.word = r.word WHERE ? OR n.word IS NULL ORDER BY r.space, r.word"
		" LOCK IN SHARE MODE"),
	    ARGS(words_wanted(w), w->anew), &missing));
	new.stmt = EXEC("INSERT IGNORE INTO search_near (space, word, near) VALUES (?, ?, ?)");
	for (size_t i = 0; i < missing.n; i++) {
		const struct space_word *m = &missing.v[i];
		const struct strs forms = near_kept(w->c->mem, m->word);

		many_add(&new, ARGS(m->space, m->word, INDEX_WORD));
		for (size_t k = 0; k < forms.n; k++)
			many_add(&new, ARGS(m->space, m->word, forms.v[k]));
	}
	return many_done(&new);
}

/* ---- things ---- */

#define THING_NO(F, T) \
	F(T, INT, no) \
	F(T, STR, id)
SHAPE(thing_no, THING_NO);

/* Reads the numbers that new things got. */
static enum err
numbers_read(const struct writing *w)
{
	const char **ids = mem_array(w->c->mem, const char *, w->n);
	struct thing_no_list rows;
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		if (!w->v[i].is.no && w->v[i].should.audiences.n)
			ids[n++] = w->v[i].is.id;
	TRY(db_all(w->c,
	    ROWS(thing_no,
		"SELECT k.no, k.id FROM " ID_TABLE
		" STRAIGHT_JOIN search_thing k ON k.kind = ? AND k.id = t.id"),
	    ARGS(ids_json(w->c, ids, n), (int)w->kind), &rows));
	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < rows.n; k++)
			if (str_eq(rows.v[k].id, w->v[i].is.id))
				w->v[i].is.no = rows.v[k].no;
	return E_OK;
}

static enum err
things_write(const struct writing *w)
{
	struct ctx *c = w->c;
	struct many new = { .c = c, .each = 5,
		.stmt = EXEC("INSERT INTO search_thing (kind, id, spaces, words, page_words)"
			     " VALUES (?, ?, ?, ?, ?)") };
	struct many same = { .c = c, .each = 4,
		.stmt = EXEC("UPDATE search_thing SET spaces = ?, words = ?, page_words = ?"
			     " WHERE no = ?") };

	for (size_t i = 0; i < w->n; i++) {
		const struct change *x = &w->v[i];
		const char *spaces, *words, *page;

		if (!x->should.audiences.n) {
			TRY(db_exec(c, EXEC("DELETE FROM search_recent WHERE kind = ? AND id = ?"),
			    ARGS((int)w->kind, x->is.id), NULL));
			TRY(db_exec(c, EXEC("DELETE FROM search_thing WHERE no = ?"),
			    ARGS(x->is.no), NULL));
			continue;
		}
		spaces = ids_json(c, x->should.audiences.v, x->should.audiences.n);
		words = words_text(c, &x->should.words);
		page = words_text(c, &x->should.page);
		if (x->is.no)
			many_add(&same, ARGS(spaces, words, page, x->is.no));
		else
			many_add(&new, ARGS((int)w->kind, x->is.id, spaces, words, page));
	}
	TRY(many_done(&same));
	if (new.n == 1 && w->n == 1)
		return db_insert(c, new.stmt, (struct args){ new.v, new.each, 0 }, &w->v->is.no);
	TRY(many_done(&new));
	return new.n ? numbers_read(w) : E_OK;
}

static bool
kept_same(struct ctx *c, const struct kept *a, const struct kept *b)
{
	return str_eq(ids_json(c, a->audiences.v, a->audiences.n),
		   ids_json(c, b->audiences.v, b->audiences.n)) &&
	    str_eq(words_text(c, &a->words), words_text(c, &b->words)) &&
	    str_eq(words_text(c, &a->page), words_text(c, &b->page));
}

/* E_CONFLICT: another transaction inserted one of these things first. */
static enum err
index_try(struct ctx *c, const struct finds *f, const char *const *ids, size_t n, bool anew)
{
	struct writing w = { .c = c, .kind = f->kind, .anew = anew };
	const char *asked = ids_json(c, ids, n);
	struct kept_row_list rows;
	struct find_text_list texts;

	w.v = mem_array(c->mem, struct change, n);
	/* The locks are held until the commit. If two workers index one thing, the second reads
	 * texts at least as new as the first one's. */
	TRY(db_all(c, ROWS(kept_row, KEPT_SELECT " FOR UPDATE"), ARGS(asked, (int)f->kind), &rows));
	TRY(db_all(c, f->text, ARGS(asked), &texts));
	for (size_t i = 0; i < n; i++) {
		struct change x = { kept_is(c, &rows, ids[i]),
			kept_should(c, f->kind, &texts, ids[i]) };

		if (anew || !kept_same(c, &x.is, &x.should))
			w.v[w.n++] = x;
	}
	if (!w.n)
		return E_OK;
	TRY(things_write(&w));
	TRY(spaces_find(&w));
	TRY(posts_write(&w, false, POST_GONE("search_post"), POST_NEW("search_post")));
	TRY(posts_write(&w, true, POST_GONE("search_page"), POST_NEW("search_page")));
	return near_write(&w);
}

enum err
index_things(struct ctx *c, enum find_kind kind, const char *const *ids, size_t n, bool anew)
{
	const struct finds *f = finds_of(kind);
	enum err e;

	if (!f)
		return E_OK;
	e = index_try(c, f, ids, n, anew);
	if (e != E_CONFLICT || c->replay)
		return e;
	/* Another process inserted a row meanwhile. The second try locks it. It writes all rows
	 * anew, because the first may have inserted some things without their words. */
	ctx_forgive(c);
	return index_try(c, f, ids, n, true);
}

/* ---- wrong rows ---- */

#define INDEX_HOLE(F, T) F(T, STR, id)
SHAPE(index_hole, INDEX_HOLE);

#define HOLES_OF(words, table) \
	"SELECT DISTINCT k.id FROM " ID_TABLE \
	" STRAIGHT_JOIN search_thing k ON k.kind = ? AND k.id = t.id" \
	" STRAIGHT_JOIN JSON_TABLE(k.spaces, '$[*]'" \
	" COLUMNS (audience " SQL_AUDIENCE " PATH '$')) a" \
	" STRAIGHT_JOIN JSON_TABLE(k." words ", '$[*]'" \
	" COLUMNS (word VARCHAR(65) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin" \
	" PATH '$')) w" \
	" LEFT JOIN search_space s ON s.audience = a.audience" \
	" LEFT JOIN " table " p ON p.space = s.no AND p.word = SUBSTR(w.word, 2)" \
	" AND p.thing = k.no"

static bool
hole_in(const struct index_hole_list *all, const char *id)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->v[i].id, id))
			return true;
	return false;
}

enum err
index_wrong(struct ctx *c, enum find_kind kind, const char *const *ids, size_t n, bool gone,
    struct strs *out)
{
	const char *asked = ids_json(c, ids, n);
	struct index_hole_list holes, due;
	struct kept_row_list rows;
	struct find_text_list texts;

	*out = (struct strs){ mem_array(c->mem, const char *, n + 1), 0 };
	TRY(db_all(c, ROWS(kept_row, KEPT_SELECT), ARGS(asked, (int)kind), &rows));
	TRY(db_all(c, finds_of(kind)->text, ARGS(asked), &texts));
	/* Words in search_thing that search_post, search_page, or search_near lacks. */
	TRY(db_all(c,
	    ROWS(index_hole,
		HOLES_OF("words", "search_post")
		" LEFT JOIN search_near n ON n.space = s.no AND n.near = '" INDEX_WORD "'"
		" AND n.word = SUBSTR(w.word, 2)"
		" WHERE p.field IS NULL OR p.field <> LEFT(w.word, 1)"
		" OR (n.word IS NULL AND w.word NOT LIKE '_ %')"
		" UNION " HOLES_OF("page_words", "search_page") " WHERE p.field IS NULL"),
	    ARGS(asked, (int)kind, asked, (int)kind), &holes));
	TRY(db_all(c,
	    ROWS(index_hole,
		"SELECT d.id FROM " ID_TABLE
		" STRAIGHT_JOIN search_due d ON d.kind = ? AND d.id = t.id"),
	    ARGS(asked, (int)kind), &due));
	for (size_t i = 0; i < n; i++) {
		const struct kept is = kept_is(c, &rows, ids[i]),
				  should = kept_should(c, kind, &texts, ids[i]);

		if ((gone && should.audiences.n) || hole_in(&due, ids[i]))
			continue;
		if (!kept_same(c, &is, &should) || hole_in(&holes, ids[i]))
			out->v[out->n++] = ids[i];
	}
	return E_OK;
}

/* ---- due things ---- */

static enum err
words_changed(struct ctx *c, const struct happened *h)
{
	return index_things(c, (enum find_kind)h->find_kind, &h->find_id, 1, false);
}

#define FIND_DUE(F, T) \
	F(T, INT,  kind) \
	F(T, STR,  id) \
	F(T, BOOL, anew)
SHAPE(find_due, FIND_DUE);

enum {
	DUE_AT_ONCE = 50, /* a transaction locks its new words, so keep it small */
	DUE_MS = 2000,    /* milliseconds; then the runner does other work */
	PUT_OFF_S = 600
};

static enum err
due_some(struct ctx *c, enum find_kind kind, const char *const *ids, size_t n, bool anew)
{
	TRY(db_begin(c));
	TRY(db_exec(c,
	    EXEC("DELETE d FROM " ID_TABLE " STRAIGHT_JOIN search_due d ON d.kind = ?"
		 " AND d.id = t.id"),
	    ARGS(ids_json(c, ids, n), (int)kind), NULL));
	TRY(index_things(c, kind, ids, n, anew));
	return db_commit(c);
}

static enum err
due_piece(struct ctx *c, enum find_kind kind, const char *const *ids, size_t n, bool anew)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	enum err e = due_some(one, kind, ids, n, anew);
	int tries = 0;

	while (db_again(one, e, &tries))
		e = due_some(one, kind, ids, n, anew);
	if (e && n == 1) {
		log_line(LOG_LEVEL_WARN, "words put off", "id", *ids, "why", ctx_why(one), NULL);
		/* Only the runner tries this thing again; the others go on now. */
		e = db_exec(c,
		    EXEC("UPDATE search_due SET due_at = ?, user_id = NULL WHERE kind = ?"
			 " AND id = ?"),
		    ARGS(c->now + PUT_OFF_S, (int)kind, *ids), NULL);
	} else if (e) {
		for (size_t i = e = 0; i < n && !e; i++)
			e = due_piece(c, kind, ids + i, 1, anew);
	}
	ctx_end(one);
	return e;
}

static enum err
due_work(struct ctx *c, const struct find_due_list *rows, int64_t *done)
{
	const int64_t until = clock_ms() + DUE_MS;
	const char *ids[DUE_AT_ONCE];
	size_t n = 0;

	for (size_t i = 0; i < rows->n && (n || clock_ms() < until); i++) {
		const struct find_due *this = &rows->v[i], *next = this + 1;

		ids[n++] = this->id;
		if (n < DUE_AT_ONCE && i + 1 < rows->n && next->kind == this->kind &&
		    next->anew == this->anew)
			continue;
		TRY(due_piece(c, (enum find_kind)this->kind, ids, n, this->anew));
		*done += (int64_t)n;
		n = 0;
	}
	return E_OK;
}

enum err
index_due(struct ctx *c, int64_t limit, int64_t *done)
{
	struct find_due_list rows;

	*done = 0;
	TRY(db_all(c,
	    ROWS(find_due, "SELECT kind, id, anew FROM search_due WHERE due_at <= ?"
			   " ORDER BY due_at, kind, id LIMIT ?"),
	    ARGS(c->now, limit), &rows));
	return due_work(c, &rows, done);
}

static enum err
index_piece(struct ctx *c, struct sweep_at *at)
{
	enum { ROWS = 500 };
	int64_t done;

	TRY(index_due(c, ROWS, &done));
	at->removed += done;
	at->end = !done;
	return E_OK;
}

/* Takes turns between people, so that many changes of one don't delay the others'. */
enum err
index_changed(struct ctx *c, bool *more)
{
	enum { CHANGES = 100 };
	struct find_due_list rows;
	int64_t done = 0;

	TRY(db_all(c,
	    ROWS(find_due,
		"SELECT kind, id, anew FROM (SELECT kind, id, anew, ROW_NUMBER()"
		" OVER (PARTITION BY user_id ORDER BY kind, id) AS turn FROM search_due"
		" WHERE user_id IS NOT NULL ORDER BY turn LIMIT ?) d ORDER BY kind, anew, id"),
	    ARGS(CHANGES), &rows));
	TRY(due_work(c, &rows, &done));
	*more = rows.n == CHANGES || done < (int64_t)rows.n;
	return E_OK;
}

void
index_due_of(struct ctx *c, const char *user_id)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	struct find_due_list rows;
	int64_t done = 0;

	if (db_all(one,
		ROWS(find_due,
		    "SELECT kind, id, anew FROM search_due WHERE user_id = ?"
		    " UNION SELECT d.kind, d.id, d.anew FROM collaborator co"
		    " STRAIGHT_JOIN search_due d ON d.kind = ? AND d.id = co.artifact_id"
		    " AND d.due_at <= ? WHERE co.user_id = ? ORDER BY kind, id LIMIT ?"),
		ARGS(user_id, FIND_ARTIFACT, one->now, user_id, INDEX_OWN), &rows) ||
	    due_work(one, &rows, &done))
		log_line(LOG_LEVEL_WARN, "words not kept", "why", ctx_why(one), NULL);
	ctx_end(one);
}

static enum err
words_now(struct ctx *one, void *owner, enum find_kind kind, const char *const *ids, size_t n,
    const char **words)
{
	struct find_text_list texts;

	TRY(db_all(one, finds_of(kind)->text, ARGS(ids_json(one, ids, n)), &texts));
	for (size_t i = 0; i < texts.n; i++)
		texts.v[i].page = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct kept k = kept_should(one, kind, &texts, ids[i]);

		words[i] =
		    k.audiences.n ? mem_strdup(owner, words_text(one, &k.words)) : NULL;
	}
	return E_OK;
}

enum err
index_words_now(struct ctx *c, enum find_kind kind, const char *const *ids, size_t n,
    const char **words)
{
	for (size_t at = 0; at < n; at += DUE_AT_ONCE) {
		struct ctx *one = ctx_begin(c->conf, c->db);
		enum err e = words_now(one, c->mem, kind, ids + at,
		    n - at < DUE_AT_ONCE ? n - at : DUE_AT_ONCE, words + at);

		if (e)
			fail_here(c, "%s", ctx_why(one));
		ctx_end(one);
		TRY(e);
	}
	return E_OK;
}

FOLLOWS(search, { WORDS_CHANGED, words_changed });
ROUNDS(search, { "search", .piece = index_piece });
