/* SPDX-License-Identifier: Apache-2.0
 * Pages that show what rows of the API answer, as structs rather than JSON. */
#include "base/str.h"
#include "http/filled.h"
#include "http/route.h"
#include "http/who.h"

/* Returns a text field of the page’s query; NULL if it is empty or the query has no such field. */
static const char *
page_query_word(const struct req *r, const char *name)
{
	const struct shape *page = r->route->query;
	const struct field *f = page && r->query ? shape_field(page, name) : NULL;

	return f && f->kind <= K_WORD
	    ? str_given(*(const char *const *)((const char *)r->query + f->off))
	    : NULL;
}

/* Fills pairs with the query for a row that a page shows, and returns how many. rest is the text
 * after the "?" of show->from. The page's first row also gets what the page's own query has of the
 * names in known, except words that the row would refuse. */
static size_t
show_query(struct req *r, const struct show *show, const struct shape *known, char *rest,
    struct pair *pairs)
{
	bool own = show == r->route->shows;
	size_t n = 0;
	char *part;

	while (rest && (part = str_split(&rest, '&'))) {
		char *name = str_split(&part, '=');

		pairs[n++] = (struct pair){ name, part };
	}
	for (size_t i = 0; own && known && i < known->n; i++) {
		const struct field *f = &known->fields[i];
		const char *value = page_query_word(r, f->name);
		size_t at = 0;

		if (!value || (f->kind == K_WORD && !str_in(value, f->arg)))
			continue;
		while (at < n && !str_eq(pairs[at].name, f->name))
			at++;
		pairs[at] = (struct pair){ f->name, value };
		n += at == n;
	}
	return n;
}

/* Asks a row of the API for what the page shows. *none: the caller may not see it, and the page
 * does without it. */
static enum err
show_ask(struct req *r, const struct show *show, struct shown *out, bool *none)
{
	enum { QUERY_PAIRS = 32 };
	const struct route *row = r->route->shown[show - r->route->shows];
	char *rest = strchr(show->from, '?');
	struct pair pairs[QUERY_PAIRS];
	size_t n;
	enum err e;

	if (rest)
		rest = mem_strdup(r->c->mem, form_filled(r, rest + 1, NULL));
	n = show_query(r, show, row->query, rest, pairs);
	e = req_show(r, row, pairs, n, out);
	*none = show_text(show) != show->from && (e == E_NOT_FOUND || err_table[e].status == 403);
	return *none ? ctx_forgive(r->c) : e;
}

enum err
shows_read(struct req *r, const void **own)
{
	const struct shape *s = r->route->answer.shape;
	char *page = mem_zalloc(r->c->mem, s->size);
	const struct field *f = s->fields;

	while (!str_eq(f->name, r->route->shows->name))
		f++;
	if (*own)
		memcpy(page, *own, f->off);
	for (const struct show *show = r->route->shows; show->name; show++, f++) {
		struct shown got = { 0 };
		bool none = false;

		if (show->from)
			TRY(show_ask(r, show, &got, &none));
		if (show->find && !none)
			TRY(show->find(r, &got));
		if (f->kind == K_OBJ) {
			*(const void **)(page + f->off) = got.value;
			continue;
		}
		*(struct list *)(page + f->off) = got.rows;
		*(const char **)(page + (++f)->off) = req_next(r, got.cursor, NEXT_WITHOUT);
	}
	*own = page;
	return E_OK;
}

enum err
shows_reply(struct req *r)
{
	return reply_page(r, 0, NULL);
}

enum err
req_show(struct req *r, const struct route *row, const struct pair *query, size_t n,
    struct shown *out)
{
	const struct req before = *r;
	const struct noun *noun = row->who->noun, *page = r->route->who->noun;
	void *read = NULL;
	enum err e;

	/* The page's own check has loaded the same thing already. */
	r->loaded = r->judged && (noun == page || (noun && page && noun->load == page->load));
	r->route = row;
	r->shown = out;
	/* The query is read before the caller is checked. That reveals nothing, because it comes
	 * from the page, whose caller was checked. */
	e = row->query ? shape_read_pairs(r->c, row->query, query, n, &read) : E_OK;
	r->query = read;
	if (!e)
		e = authorise(r);
	if (!e)
		e = row->handler(r);
	r->route = before.route;
	r->query = before.query;
	r->shown = before.shown;
	r->loaded = before.loaded;
	return e;
}

enum err
form_ask(struct req *r)
{
	const struct asked *ask = r->route->ask;
	struct shown of = { 0 };
	struct confirm_page page = { .gentle = ask->gentle };

	if (ask->of)
		TRY(req_show(r, r->route->shown[0], NULL, 0, &of));
	else if (ask->find)
		TRY(ask->find(r, &of));
	page.question = text_filled(r, ask->question, of.shape, of.value);
	page.consequence = text_filled(r, ask->consequence, of.shape, of.value);
	page.verb = ask->verb;
	page.url = ask->url ? text_filled(r, ask->url, of.shape, of.value) : NULL;
	if (of.shape == &asked_words_shape) {
		page.field = ((const struct asked_words *)of.value)->field;
		page.value = ((const struct asked_words *)of.value)->value;
	}
	page.back = form_filled(r, ask->back, NULL);
	page.action = mem_strndup(r->c->mem, r->uri, strcspn(r->uri, "?"));
	return reply_page(r, 0, &page);
}
