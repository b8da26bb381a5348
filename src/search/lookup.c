/* SPDX-License-Identifier: Apache-2.0 */
#include "search/lookup.h"

#include "base/buf.h"
#include "base/str.h"
#include "db/build.h"
#include "search/near.h"
#include "search/search.h"

#include <stdlib.h>

SHAPE_DEFINE(search_candidate, SEARCH_CANDIDATE);

enum {
	SPOTS = 120, /* pairs of a space and a word that are read */
	FEW_SPOTS = 12,
	PREFIX_SPACES = 60,
	NEAR_ROWS = 4000,
	PAGE_WORDS = 10, /* words of a query that pages must have; searched in PAGE_SPACES spaces */
	PAGE_SPACES = 40,
	CANDIDATES = 500
};
/* Limits of the newest things read for one pair. With few pairs (FEW_SPOTS) the higher limit
 * holds. */
#define POSTS_OF_MANY 60
#define POSTS_OF_FEW 400
#define PAGES_ASKED 2000 /* newest things with the first word, for each space */
#define PAGES_FOUND 200
#define ALL_TERMS "1023"
_Static_assert(SEARCH_WORDS == 10, "a bit for each term");
#define WORDS_BEGUN 40 /* words with the typed beginning, for each space */

/* ---- spaces ---- */

#define SEARCH_SPACE(F, T) \
	F(T, INT,  no) \
	F(T, BOOL, own) \
	F(T, BOOL, pages) /* things with a page text may be in it */
SHAPE(search_space, SEARCH_SPACE);

/* Finds the spaces that the caller may search, the caller's own first. */
static enum err
spaces_find(struct ctx *c, const struct principal *who, const char *within,
    struct search_space_list *out)
{
	*out = (struct search_space_list){ 0 };
	if (who->grants_only)
		return E_OK;
	return db_all(c,
	    ROWS(search_space,
		"SELECT k.no, k.audience = u.id AS own,"
		" RIGHT(k.audience, 1) NOT IN ('" FIND_EDITORS "', '" FIND_ADMINS "') AS pages"
		" FROM (SELECT ? AS id) u JOIN (SELECT ? AS audience"
		" UNION ALL SELECT CONCAT(m.workspace_id, x.who)"
		" FROM member m JOIN workspace w ON w.id = m.workspace_id AND w.deleted_at IS NULL"
		" JOIN (SELECT '' AS who UNION ALL SELECT '" FIND_ARTIFACTS "'"
		" UNION ALL SELECT '" FIND_EDITORS "' UNION ALL SELECT '" FIND_ADMINS "') x"
		" ON x.who = '' OR m.role IN ('admin', 'owner')"
		" OR (x.who = '" FIND_ARTIFACTS "' AND w.member_access <> 'none')"
		" OR (x.who = '" FIND_EDITORS "' AND w.member_access = 'editor'"
		" AND m.role <> 'agent')"
		" WHERE m.user_id = ? AND COALESCE(m.workspace_id = ?, TRUE)"
		" AND COALESCE(m.workspace_id = ?, TRUE) AND NOT " AGENT_BARRED("w", "?") ") a"
		" JOIN search_space k ON k.audience = CONVERT(a.audience USING ascii)"
		" ORDER BY own DESC, k.no"),
	    ARGS(who->user_id, who->user_id, who->user_id, who->workspace_id, within,
		AGENT_ARGS(who)), out);
}

/* ---- words that exist ---- */

#define SEEN_WORD(F, T) \
	F(T, INT, space) \
	F(T, INT, term) \
	F(T, STR, word)
SHAPE(seen_word, SEEN_WORD);

/* A word in a space. The search reads the newest things that have it. */
struct spot {
	int64_t space;
	const char *word;
	enum how how;
	unsigned typos;
	int64_t term;
	size_t posts;   /* number of things read for it */
	int64_t oldest; /* lowest number of these things */
};
struct looking {
	struct ctx *c;
	const struct terms *terms;
	struct search_space_list spaces;
	const char *space_nos; /* JSON array */
	struct spot *spots;
	size_t n, room;
};

static void
spot_add(struct looking *l, int64_t space, const char *word, enum how how, unsigned typos,
    int64_t term)
{
	if (l->n == l->room) {
		l->room = l->room * 2 + 64;
		l->spots = mem_grow(l->c->mem, l->spots, l->room * sizeof *l->spots);
	}
	l->spots[l->n++] = (struct spot){
		.space = space, .word = word, .how = how, .typos = typos, .term = term
	};
}

static const char *
space_nos(struct ctx *c, const struct search_space_list *spaces)
{
	struct buf b = BUF(c->mem);

	buf_chr(&b, '[');
	for (size_t i = 0; i < spaces->n; i++)
		buf_fmt(&b, "%s%lld", i ? "," : "", (long long)spaces->v[i].no);
	buf_chr(&b, ']');
	return buf_done(&b);
}

/* Returns a JSON array of pairs [term, word]: the words of the query as typed, or with `near` the
 * forms under which similar words are stored. */
static const char *
term_rows(struct ctx *c, const struct terms *terms, bool near)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < terms->n; i++) {
		const struct term *t = &terms->v[i];
		struct strs words = t->parts;

		if (near)
			words = t->whole ? near_asked(c->mem, t->whole) : (struct strs){ 0 };
		else if (t->whole)
			buf_fmt(&b, "%c[%zu,\"%s\"]", b.n ? ',' : '[', i, t->whole);
		for (size_t k = 0; k < words.n; k++)
			buf_fmt(&b, "%c[%zu,\"%s\"]", b.n ? ',' : '[', i, words.v[k]);
	}
	buf_str(&b, b.n ? "]" : "[]");
	return buf_done(&b);
}

#define SPACE_TABLE "JSON_TABLE(?, '$[*]' COLUMNS (no INT UNSIGNED PATH '$')) s"
#define TERM_TABLE \
	"JSON_TABLE(?, '$[*]' COLUMNS (term INT PATH '$[0]', word " SQL_WORD " PATH '$[1]')) t"

static enum err
exact_find(struct looking *l)
{
	struct seen_word_list rows;

	TRY(db_all(l->c,
	    ROWS(seen_word,
		"SELECT CAST(s.no AS SIGNED) AS space, t.term, t.word FROM " SPACE_TABLE
		" JOIN " TERM_TABLE " WHERE EXISTS (SELECT 1 FROM search_post p"
		" WHERE p.space = s.no AND p.word = t.word)"),
	    ARGS(l->space_nos, term_rows(l->c, l->terms, false)), &rows));
	for (size_t i = 0; i < rows.n; i++)
		spot_add(l, rows.v[i].space, rows.v[i].word, AS_ASKED, 0, rows.v[i].term);
	return E_OK;
}

static int
spelling_order(const void *a, const void *b)
{
	return strcmp(((const struct spelling *)a)->word, ((const struct spelling *)b)->word);
}

/* Sorts and removes repeated words, for bsearch(). */
static void
spellings_sort(struct term *t)
{
	size_t n = 0;

	if (!t->near_n)
		return;
	qsort(t->near, t->near_n, sizeof *t->near, spelling_order);
	for (size_t i = 0; i < t->near_n; i++)
		if (!n || !str_eq(t->near[n - 1].word, t->near[i].word))
			t->near[n++] = t->near[i];
	t->near_n = n;
}

static enum err
near_find(struct looking *l)
{
	const char *forms = term_rows(l->c, l->terms, true);
	struct seen_word_list rows = { 0 };

	if (!str_eq(forms, "[]"))
		TRY(db_all(l->c,
		    ROWS(seen_word,
			"SELECT CAST(s.no AS SIGNED) AS space, t.term, n.word FROM " SPACE_TABLE
			" STRAIGHT_JOIN " TERM_TABLE " STRAIGHT_JOIN search_near n"
			" ON n.space = s.no AND n.near = t.word LIMIT ?"),
		    ARGS(l->space_nos, forms, NEAR_ROWS), &rows));
	for (size_t i = 0; i < rows.n; i++) {
		struct term *t = &l->terms->v[rows.v[i].term];
		const char *word = rows.v[i].word;
		unsigned typos = near_typos(t->whole, word, t->begins);

		if (typos == NEAR_NOT || str_eq(word, t->whole))
			continue;
		if (!t->near)
			t->near = mem_array(l->c->mem, struct spelling, rows.n);
		t->near[t->near_n++] = (struct spelling){ word, typos };
		spot_add(l, rows.v[i].space, word, AS_NEAR, typos, rows.v[i].term);
	}
	for (size_t i = 0; i < l->terms->n; i++)
		spellings_sort(&l->terms->v[i]);
	return E_OK;
}

/* Finds words in each space that begin like the last term. */
static enum err
begun_find(struct looking *l)
{
	const int64_t last = (int64_t)l->terms->n - 1;
	const struct term *t = &l->terms->v[last];
	const char *from = t->whole ? t->whole : t->parts.v[0],
		   *end = mem_printf(l->c->mem, "%s\xf4\x8f\xbf\xbf", from);
	struct sql q = SQL(l->c->mem);
	struct seen_word_list rows;

	for (size_t i = 0; i < l->spaces.n && i < PREFIX_SPACES; i++) {
		if (i)
			sql_add(&q, " UNION ALL ", NOARGS);
		sql_add(&q,
		    "(SELECT space, 0 AS term, word FROM search_near WHERE space = ?"
		    " AND near = '" INDEX_WORD "' AND word > ? AND word < ?"
		    " LIMIT " SQL_NUMBER(WORDS_BEGUN) ")",
		    ARGS(l->spaces.v[i].no, from, end));
	}
	TRY(db_all(l->c, BUILT(seen_word, &q), sql_args(&q), &rows));
	for (size_t i = 0; i < rows.n; i++)
		spot_add(l, rows.v[i].space, rows.v[i].word, AS_BEGUN, 0, last);
	return E_OK;
}

/* ---- things ---- */

static int
longer_first(const void *a, const void *b)
{
	size_t x = strlen(*(const char *const *)a), y = strlen(*(const char *const *)b);

	return x < y ? 1 : -(x > y);
}

static int
spot_order(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	if (x->typos != y->typos)
		return x->typos < y->typos ? -1 : 1;
	if (x->how != y->how)
		return x->how < y->how ? -1 : 1;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return strcmp(x->word, y->word);
}

#define POSTED(F, T) \
	F(T, INT,  thing) \
	F(T, INT,  space) \
	F(T, STR,  word) \
	F(T, BOOL, page) \
	F(T, INT,  terms) /* terms of the query that it matches, as bits */ \
	F(T, INT,  worth) /* lower is better */
SHAPE(search_posted, POSTED);

#define NEWEST_OF(most) \
	"(SELECT thing, space, word, FALSE AS page, 0 AS terms, 0 AS worth FROM search_post" \
	" WHERE space = ? AND word = ?" \
	" ORDER BY thing DESC LIMIT " SQL_NUMBER(most) ")"

static enum err
posts_find(const struct looking *l, struct search_posted_list *out)
{
	struct sql q = SQL(l->c->mem);

	for (size_t i = 0; i < l->n; i++) {
		struct args spot = ARGS(l->spots[i].space, l->spots[i].word);

		if (i)
			sql_add(&q, " UNION ALL ", NOARGS);
		if (l->n <= FEW_SPOTS)
			sql_add(&q, NEWEST_OF(POSTS_OF_FEW), spot);
		else
			sql_add(&q, NEWEST_OF(POSTS_OF_MANY), spot);
	}
	return db_all(l->c, BUILT(search_posted, &q), sql_args(&q), out);
}

static struct search_posted_list
posts_joined(struct ctx *c, const struct search_posted_list *a, const struct search_posted_list *b)
{
	struct search_posted_list all = { mem_array(c->mem, struct search_posted, a->n + b->n + 1),
		0 };

	for (size_t i = 0; i < a->n; i++)
		all.v[all.n++] = a->v[i];
	for (size_t i = 0; i < b->n; i++)
		all.v[all.n++] = b->v[i];
	return all;
}

/* ---- two frequent words ---- */

enum { BOTH_SPACES = 4 };
#define BOTH_LOOKED_AT 6000
#define BOTH_FOUND 200

static void
posts_count(struct looking *l, struct search_posted_list *posts)
{
	size_t at = 0;

	for (size_t i = 0; i < posts->n; i++) {
		struct search_posted *p = &posts->v[i];

		/* Rows come in the order of the spots, so the search for the spot starts at the
		 * last one. */
		for (size_t tried = 0; tried < l->n; tried++, at = (at + 1) % l->n)
			if (l->spots[at].space == p->space && str_eq(l->spots[at].word, p->word))
				break;
		l->spots[at].posts++;
		l->spots[at].oldest = p->thing;
		p->terms = INT64_C(1) << l->spots[at].term;
		p->worth = l->spots[at].typos * 4 + l->spots[at].how;
	}
}

/* Finds two words of different terms in the space that have more things than the search read.
 * Returns false if the space has a rarer word: then all things with both words are known
 * already. The word whose newest things reach further back comes first: it is likely the rarer
 * one. */
static bool
frequent_find(const struct looking *l, int64_t space, const struct spot *two[2])
{
	const size_t most = l->n <= FEW_SPOTS ? POSTS_OF_FEW : POSTS_OF_MANY;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct spot *p = &l->spots[i];

		if (p->space != space || p->how != AS_ASKED)
			continue;
		if (p->posts < most)
			return false;
		if (n < 2 && (!n || two[0]->term != p->term))
			two[n++] = p;
	}
	if (n == 2 && two[1]->oldest < two[0]->oldest) {
		const struct spot *rarer = two[1];

		two[1] = two[0];
		two[0] = rarer;
	}
	return n == 2;
}

static enum err
both_find(const struct looking *l, struct search_posted_list *posts)
{
	struct sql q = SQL(l->c->mem);
	struct search_posted_list more;
	const struct spot *two[2];
	size_t n = 0;

	for (size_t i = 0; i < l->spaces.n && n < BOTH_SPACES; i++) {
		if (!frequent_find(l, l->spaces.v[i].no, two))
			continue;
		if (n++)
			sql_add(&q, " UNION ALL ", NOARGS);
		sql_add(&q,
		    "(SELECT b.thing, b.space, b.word, FALSE AS page,"
		    " CAST(? AS SIGNED) AS terms, 0 AS worth"
		    " FROM (SELECT thing FROM search_post WHERE space = ? AND word = ?"
		    " ORDER BY thing DESC"
		    " LIMIT " SQL_NUMBER(BOTH_LOOKED_AT) ") a STRAIGHT_JOIN search_post b"
		    " ON b.space = ? AND b.word = ? AND b.thing = a.thing"
		    " LIMIT " SQL_NUMBER(BOTH_FOUND) ")",
		    ARGS(INT64_C(1) << two[0]->term | INT64_C(1) << two[1]->term,
			two[0]->space, two[0]->word, two[1]->space, two[1]->word));
	}
	if (!n)
		return E_OK;
	TRY(db_all(l->c, BUILT(search_posted, &q), sql_args(&q), &more));
	*posts = posts_joined(l->c, posts, &more);
	return E_OK;
}

/* ---- pages that have all words ---- */

/* Returns the words of the query, the longest first: the longest word is likely the rarest. */
static struct strs
words_asked(struct ctx *c, const struct terms *terms)
{
	struct strs all = { mem_array(c->mem, const char *, PAGE_WORDS), 0 };

	for (size_t i = 0; i < terms->n; i++) {
		const struct term *t = &terms->v[i];
		const struct strs whole = { &terms->v[i].whole, 1 },
				  one = t->whole ? whole : t->parts;

		for (size_t k = 0; k < one.n && all.n < PAGE_WORDS; k++)
			all.v[all.n++] = one.v[k];
	}
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, longer_first);
	return all;
}

/* Adds a SELECT for one space: the newest things with the first word that also have the others. */
static void
pages_add(struct sql *q, int64_t space, const struct strs *words)
{
	if (q->n)
		sql_add(q, " UNION ALL ", NOARGS);
	sql_add(q, "(", NOARGS);
	for (size_t i = 1; i < words->n; i++)
		sql_add(q, "SELECT p.thing, p.space, p.word, p.page, p.terms, p.worth FROM (",
		    NOARGS);
	sql_add(q,
	    "SELECT thing, space, '' AS word, TRUE AS page, " ALL_TERMS " AS terms,"
	    " 0 AS worth FROM search_page"
	    " WHERE space = ? AND word = ? ORDER BY thing DESC",
	    ARGS(space, words->v[0]));
	if (words->n > 1)
		sql_add(q, " LIMIT " SQL_NUMBER(PAGES_ASKED), NOARGS);
	for (size_t i = 1; i < words->n; i++)
		sql_add(q,
		    ") p STRAIGHT_JOIN search_page o ON o.space = p.space AND o.word = ?"
		    " AND o.thing = p.thing",
		    ARGS(words->v[i]));
	sql_add(q, " LIMIT " SQL_NUMBER(PAGES_FOUND) ")", NOARGS);
}

/* Adds pages that have all words exactly as typed. */
static enum err
pages_find(const struct looking *l, unsigned kinds, struct search_posted_list *posts)
{
	const struct strs words = words_asked(l->c, l->terms);
	struct search_posted_list more;
	struct sql q = SQL(l->c->mem);
	size_t spaces = 0;

	if (!words.n || !(kinds & (KIND_BIT(FIND_ARTIFACT) | KIND_BIT(FIND_NOTE))))
		return E_OK;
	for (size_t i = 0; i < l->spaces.n && spaces < PAGE_SPACES; i++)
		if (l->spaces.v[i].pages) {
			pages_add(&q, l->spaces.v[i].no, &words);
			spaces++;
		}
	if (!spaces)
		return E_OK;
	TRY(db_all(l->c, BUILT(search_posted, &q), sql_args(&q), &more));
	*posts = posts_joined(l->c, posts, &more);
	return E_OK;
}

/* ---- candidates ---- */

static int
posted_order(const void *a, const void *b)
{
	const struct search_posted *x = a, *y = b;

	return x->thing < y->thing ? 1 : -(x->thing > y->thing);
}

/* Returns the number of the caller's own space, or 0. */
static int64_t
own_space(const struct looking *l)
{
	return l->spaces.v[0].own ? l->spaces.v[0].no : 0;
}

/* Merges the rows of each thing; the newest thing comes first. The caller's own space wins. */
static void
posts_merge(const struct looking *l, struct search_posted_list *posts)
{
	struct search_posted *v = posts->v, *into = NULL;
	const int64_t own = own_space(l);
	size_t n = 0;

	if (posts->n)
		qsort(v, posts->n, sizeof *v, posted_order);
	for (size_t i = 0; i < posts->n; i++) {
		if (!into || into->thing != v[i].thing) {
			into = &v[n++];
			*into = v[i];
			continue;
		}
		into->terms |= v[i].terms;
		into->page |= v[i].page;
		if (v[i].worth < into->worth)
			into->worth = v[i].worth;
		if (v[i].space == own)
			into->space = own;
	}
	posts->n = n;
}

/* Orders by number of terms matched, then spelling, then age. */
static int
likelier(const void *a, const void *b)
{
	const struct search_posted *x = a, *y = b;
	int more = __builtin_popcountll((uint64_t)y->terms) -
	    __builtin_popcountll((uint64_t)x->terms);

	if (more || x->worth != y->worth)
		return more ? more : x->worth < y->worth ? -1 : 1;
	return posted_order(a, b);
}

/* Returns the numbers of the CANDIDATES likeliest things, as a JSON array. */
static const char *
things_rows(struct ctx *c, const struct search_posted_list *posts)
{
	struct search_posted *all = mem_array(c->mem, struct search_posted, posts->n);
	struct buf b = BUF(c->mem);

	memcpy(all, posts->v, posts->n * sizeof *all);
	qsort(all, posts->n, sizeof *all, likelier);
	buf_chr(&b, '[');
	for (size_t i = 0; i < posts->n && i < CANDIDATES; i++)
		buf_fmt(&b, "%s%lld", i ? "," : "", (long long)all[i].thing);
	buf_chr(&b, ']');
	return buf_done(&b);
}

/* Replaces the stored words of things that changed a moment ago by their present words. */
static enum err
due_read(struct ctx *c, enum find_kind kind, struct search_candidate_list *all)
{
	struct search_candidate **due = mem_array(c->mem, struct search_candidate *, all->n + 1);
	const char **ids = mem_array(c->mem, const char *, all->n + 1),
		   **words = mem_array(c->mem, const char *, all->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].due && all->v[i].kind == (int64_t)kind) {
			ids[n] = all->v[i].id;
			due[n++] = &all->v[i];
		}
	if (n)
		TRY(index_words_now(c, kind, ids, n, words));
	for (size_t i = 0; i < n; i++)
		due[i]->words = words[i] ? words[i] : "[]";
	return E_OK;
}

static enum err
things_find(struct looking *l, unsigned kinds, struct search_candidate_list *out)
{
	struct search_posted_list posts = { 0 };

	*out = (struct search_candidate_list){ 0 };
	if (l->n)
		TRY(posts_find(l, &posts));
	if (posts.n)
		posts_count(l, &posts);
	if (l->terms->n > 1 && posts.n)
		TRY(both_find(l, &posts));
	TRY(pages_find(l, kinds, &posts));
	if (!posts.n)
		return E_OK;
	posts_merge(l, &posts);
	TRY(db_all(l->c,
	    ROWS(search_candidate,
		"SELECT k.no, k.kind, k.id, k.words, d.id IS NOT NULL AS due FROM"
		" JSON_TABLE(?, '$[*]' COLUMNS (no BIGINT PATH '$')) t"
		" STRAIGHT_JOIN search_thing k ON k.no = t.no"
		" LEFT JOIN search_due d ON d.kind = k.kind AND d.id = k.id"
		" WHERE (1 << k.kind) & ?"),
	    ARGS(things_rows(l->c, &posts), (int64_t)kinds), out));
	for (size_t i = 0; i < out->n; i++) {
		struct search_posted key = { .thing = out->v[i].no };
		const struct search_posted *p =
		    bsearch(&key, posts.v, posts.n, sizeof *posts.v, posted_order);

		out->v[i].own = p && p->space == own_space(l);
		out->v[i].page = p && p->page;
	}
	for (const struct finds *(*const *noun)(void) = finders; *noun; noun++)
		TRY(due_read(l->c, (*noun)()->kind, out));
	return E_OK;
}

enum err
lookup(struct ctx *c, const struct principal *who, const char *within, unsigned kinds,
    const struct terms *terms, struct search_candidate_list *out)
{
	struct looking l = { .c = c, .terms = terms };
	const struct term *last = terms->n ? &terms->v[terms->n - 1] : NULL;
	size_t n = 0;

	*out = (struct search_candidate_list){ 0 };
	TRY(spaces_find(c, who, within, &l.spaces));
	if (!l.spaces.n)
		return E_OK;
	l.space_nos = space_nos(c, &l.spaces);
	for (size_t i = 0; !last && i < l.spaces.n; i++)
		for (int kind = 1; kind < FIND_KINDS; kind++)
			if (kinds & KIND_BIT(kind))
				spot_add(&l, l.spaces.v[i].no,
				    index_kind_word(c, (enum find_kind)kind), AS_ASKED, 0, 0);
	if (last) {
		TRY(exact_find(&l));
		TRY(near_find(&l));
	}
	if (last && last->begins)
		TRY(begun_find(&l));
	/* Keeps the best SPOTS spots, each once. */
	if (l.n)
		qsort(l.spots, l.n, sizeof *l.spots, spot_order);
	for (size_t i = 0; i < l.n && n < SPOTS; i++)
		if (!n || spot_order(&l.spots[n - 1], &l.spots[i]))
			l.spots[n++] = l.spots[i];
	l.n = n;
	return things_find(&l, kinds, out);
}
