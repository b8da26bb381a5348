/* SPDX-License-Identifier: Apache-2.0 */
#include "search/search.h"

#include "base/buf.h"
#include "base/str.h"
#include "core/workspace.h"
#include "search/lookup.h"
#include "search/term.h"

#include <stdlib.h>

SHAPE_DEFINE(search_result, SEARCH_RESULT);
SHAPE_DEFINE(search_counts, SEARCH_COUNTS);
SHAPE_DEFINE(search_query, SEARCH_QUERY);

enum { CHECKED = 300 /* best candidates of each kind for which finds.show checks rights */ };

/* A candidate: how well it matches, and what the reply shows of it. */
struct rank {
	int64_t opened; /* when the caller opened it, for a blank query; else 0 */
	size_t matched; /* words of the query that it has */
	unsigned typos, how, field;
	bool own, page; /* page: it was found by its page text */
	int64_t no;
	enum find_kind kind;
	const char *id;
	/* its word for each word of the query; NULL: none, or matched by parts */
	const char *const *words;
	const struct found *found;
};
struct ranks {
	struct rank *v;
	size_t n;
};
struct searching {
	struct ctx *c;
	const struct principal *who;
	const char *within;
	unsigned kinds;
	struct terms terms;
	struct ranks all;
};

/* ---- which kinds ---- */

static bool
group_asked(const struct search_query *q, const char *group)
{
	return !q->groups.n || strs_have(&q->groups, group);
}

/* Returns the kinds that the query asks for and the caller's token may read. Fails with E_SCOPE
 * if there are none. */
static enum err
kinds_asked(struct ctx *c, const struct principal *who, const struct search_query *q,
    unsigned *kinds)
{
	enum scope lacks = NO_SCOPE;

	*kinds = 0;
	for (const struct finds *(*const *noun)(void) = finders; *noun; noun++) {
		const struct finds *f = (*noun)();

		if (!group_asked(q, f->group))
			continue;
		if (principal_has_scope(who, f->scope))
			*kinds |= KIND_BIT(f->kind);
		else if (!lacks)
			lacks = f->scope;
	}
	if (*kinds)
		return E_OK;
	return lacks ? fail(c, E_SCOPE, "The token lacks the scope %s", scope_name(lacks))
		     : fail(c, E_SCOPE, "groups: these take a token that isn't limited to scopes, "
					"such as a personal token");
}

/* ---- ranking ---- */

static struct rank
rank_of(struct ctx *c, const struct terms *terms, const struct search_candidate *k)
{
	const struct index_words words = index_words_read(c, k->words);
	const char **agree = mem_array(c->mem, const char *, terms->n + 1);
	struct rank r = { .own = k->own, .no = k->no, .kind = (enum find_kind)k->kind,
		.id = k->id, .words = agree };

	for (size_t i = 0; i < terms->n; i++) {
		struct hit hit = term_hit(&terms->v[i], &words);

		if (!hit.found)
			continue;
		agree[i] = hit.word;
		r.matched++;
		r.typos += hit.typos;
		r.how += (unsigned)hit.how;
		r.field += (unsigned)hit.field;
	}
	if (k->page && (r.matched < terms->n || r.typos)) {
		r.matched = terms->n;
		r.typos = r.how = 0;
		r.field = (unsigned)terms->n * FIELD_PAGE;
		r.page = true;
	}
	return r;
}

static int
sooner(bool a, bool b)
{
	return a == b ? 0 : a ? -1 : 1;
}

/* Numbers of search_thing grow with time within a kind, so the higher one is the newer. A full
 * reindex numbers a kind anew. */
static int
rank_order(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;
	const int by[] = {
		sooner(x->opened > y->opened, x->opened < y->opened),
		sooner(x->matched > y->matched, x->matched < y->matched),
		sooner(x->typos < y->typos, x->typos > y->typos),
		sooner(x->how < y->how, x->how > y->how),
		sooner(x->field < y->field, x->field > y->field),
		sooner(x->own, y->own),
		sooner(x->no > y->no, x->no < y->no),
	};

	for (size_t i = 0; i < sizeof by / sizeof *by; i++)
		if (by[i])
			return by[i];
	return strcmp(x->id, y->id);
}

/* ---- rights ---- */

static int
found_order(const void *a, const void *b)
{
	return strcmp(((const struct found *)a)->key, ((const struct found *)b)->key);
}

static int
found_compare(const void *id, const void *found)
{
	return strcmp(id, ((const struct found *)found)->key);
}

/* Checks rights for the best CHECKED candidates of one kind and fills `found` of those that the
 * caller may see. */
static enum err
kind_show(struct searching *s, const struct finds *f)
{
	const char **ids = mem_array(s->c->mem, const char *, s->all.n + 1);
	struct find_asked asked = { s->who, s->within, NULL };
	struct found_list found;
	size_t n = 0;

	for (size_t i = 0; i < s->all.n && n < CHECKED; i++)
		if (s->all.v[i].kind == f->kind)
			ids[n++] = s->all.v[i].id;
	if (!n)
		return E_OK;
	asked.ids = ids_json(s->c, ids, n);
	TRY(f->show(s->c, &asked, &found));
	if (!found.n)
		return E_OK;
	qsort(found.v, found.n, sizeof *found.v, found_order);
	for (size_t i = 0; i < s->all.n; i++) {
		struct rank *r = &s->all.v[i];

		if (r->kind != f->kind)
			continue;
		r->found =
		    bsearch(r->id, found.v, found.n, sizeof *found.v, found_compare);
		r->own = r->found && r->found->own;
	}
	return E_OK;
}

/* Drops candidates that the caller may not see and those that match fewer words than the best. */
static enum err
ranks_show(struct searching *s)
{
	size_t n = 0, most = 0;

	for (const struct finds *(*const *noun)(void) = finders; *noun; noun++)
		TRY(kind_show(s, (*noun)()));
	for (size_t i = 0; i < s->all.n; i++)
		if (s->all.v[i].found && s->all.v[i].matched > most)
			most = s->all.v[i].matched;
	for (size_t i = 0; i < s->all.n; i++)
		if (s->all.v[i].found && s->all.v[i].matched == most)
			s->all.v[n++] = s->all.v[i];
	s->all.n = n;
	qsort(s->all.v, n, sizeof *s->all.v, rank_order);
	return E_OK;
}

/* ---- the reply ---- */

static void
groups_count(
    struct search_counts *counts, const struct search_query *q, const struct ranks *all)
{
	for (size_t i = 0; i < search_counts_shape.n; i++) {
		const struct field *f = &search_counts_shape.fields[i];
		int64_t *n = (void *)((char *)counts + f->off);

		if (!group_asked(q, f->name))
			continue;
		*((uint8_t *)counts + f->has) = GIVEN;
		for (size_t k = 0; k < all->n && *n < SEARCH_COUNTED; k++)
			*n += str_eq(finds_of(all->v[k].kind)->group, f->name);
	}
}

/* Returns the spelling that was found if the best result has typos, else NULL. */
static const char *
spelling_found(const struct searching *s)
{
	const struct rank *best = s->all.v;
	struct buf b = BUF(s->c->mem);

	if (!s->all.n || !best->typos)
		return NULL;
	for (size_t i = 0; i < s->terms.n; i++)
		if (best->words[i])
			buf_fmt(&b, "%s%s", b.n ? " " : "",
			    word_in_text(s->c->mem, best->words[i], best->found->title));
	return b.n ? buf_done(&b) : NULL;
}

/* ---- texts of pages ---- */

static enum err
kind_snippets(struct searching *s, const struct finds *f, struct search_found *out)
{
	void *mem = s->c->mem;
	const char **ids = mem_array(mem, const char *, out->results.n + 1);
	struct find_page_list pages;
	size_t n = 0;

	for (size_t i = 0; i < out->results.n; i++)
		if (s->all.v[i].page && s->all.v[i].kind == f->kind)
			ids[n++] = s->all.v[i].id;
	if (!n)
		return E_OK;
	TRY(db_all(s->c, f->page, ARGS(ids_json(s->c, ids, n)), &pages));
	for (size_t k = 0; k < pages.n; k++) {
		const char *page = find_plain(f, mem, pages.v[k].page);

		for (size_t i = 0; i < out->results.n; i++) {
			struct search_result *r = &out->results.v[i];

			if (!str_eq(s->all.v[i].id, pages.v[k].id))
				continue;
			r->snippet = terms_snippet(mem, &s->terms, page);
			if (r->snippet)
				r->snippet_marked = terms_marked(mem, &s->terms, r->snippet);
		}
	}
	return E_OK;
}

static void
results_make(struct searching *s, const struct search_query *q, struct search_found *out)
{
	size_t limit = q->limit ? (size_t)q->limit : SEARCH_LIMIT_USUAL;

	groups_count(&out->counts, q, &s->all);
	out->instead = spelling_found(s);
	out->results.n = s->all.n < limit ? s->all.n : limit;
	out->results.v = mem_array(s->c->mem, struct search_result, out->results.n + 1);
	for (size_t i = 0; i < out->results.n; i++) {
		const struct rank *r = &s->all.v[i];
		const struct found *f = r->found;

		out->results.v[i] = (struct search_result){ .group = finds_of(r->kind)->group,
			.id = f->id, .title = f->title, .subtitle = f->subtitle, .url = f->url,
			.artifact_id = f->artifact_id, .workspace_id = f->workspace_id,
			.typos = r->typos, .updated_at = f->updated_at,
			.marked = terms_marked(s->c->mem, &s->terms, f->title) };
	}
}

/* ---- recently opened ---- */

#define SEARCH_OPENED(F, T) \
	F(T, INT, kind) \
	F(T, STR, id) \
	F(T, INT, at)
SHAPE(search_opened, SEARCH_OPENED);

enum { OPENED_MOST = 200 };

static void
opened_add(struct ranks *all, const struct search_opened_list *opened)
{
	for (size_t i = 0; i < opened->n; i++) {
		const enum find_kind kind = (enum find_kind)opened->v[i].kind;
		struct rank *r = NULL;

		for (size_t k = 0; k < all->n && !r; k++)
			if (all->v[k].kind == kind && str_eq(all->v[k].id, opened->v[i].id))
				r = &all->v[k];
		if (!r) {
			r = &all->v[all->n++];
			*r = (struct rank){ .kind = kind, .id = opened->v[i].id };
		}
		r->opened = opened->v[i].at;
	}
}

static enum err
ranks_find(struct searching *s, bool blank)
{
	struct search_opened_list opened = { 0 };
	struct search_candidate_list all;

	TRY(lookup(s->c, s->who, s->within, s->kinds, &s->terms, &all));
	if (blank && !s->who->grants_only)
		TRY(db_all(s->c,
		    ROWS(search_opened,
			"SELECT kind, id, at FROM search_recent WHERE user_id = ?"
			" AND (1 << kind) & ? ORDER BY at DESC LIMIT ?"),
		    ARGS(s->who->user_id, (int64_t)s->kinds, OPENED_MOST), &opened));
	s->all.v = mem_array(s->c->mem, struct rank, all.n + opened.n + 1);
	for (size_t i = 0; i < all.n; i++) {
		s->all.v[s->all.n] = rank_of(s->c, &s->terms, &all.v[i]);
		s->all.n += blank || s->all.v[s->all.n].matched;
	}
	opened_add(&s->all, &opened);
	qsort(s->all.v, s->all.n, sizeof *s->all.v, rank_order);
	return E_OK;
}

enum err
search(struct ctx *c, const struct principal *who, const struct search_query *q,
    struct search_found *out)
{
	const bool blank = !q->q[strspn(q->q, " ")];
	struct searching s = { .c = c, .who = who, .within = q->workspace };

	*out = (struct search_found){ 0 };
	if (q->workspace) {
		struct workspace *w;

		TRY(workspace_get(c, q->workspace, who, false, &w));
		if (w->deleted_at)
			return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	}
	TRY(kinds_asked(c, who, q, &s.kinds));
	index_due_of(c, who->user_id);
	s.terms = terms_of(c->mem, q->q);
	if (blank || s.terms.n) {
		TRY(ranks_find(&s, blank));
		TRY(ranks_show(&s));
	}
	results_make(&s, q, out);
	for (const struct finds *(*const *noun)(void) = finders; *noun; noun++)
		TRY(kind_snippets(&s, (*noun)(), out));
	return E_OK;
}
