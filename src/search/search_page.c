/* SPDX-License-Identifier: Apache-2.0
 * Finding things in the browser: a page that needs no script, and what of it the box in the header
 * (nginx/assets/find.js) shows while somebody types. Both are of everything, or of a workspace. */
#include "search/search.h"

#include "base/str.h"
#include "core/find.h"
#include "core/workspace.h"
#include "http/req.h"

/* Rows of one kind among others; all results of one kind; and recently opened things. */
struct room {
	size_t of_kind;
	int64_t found, recent;
};
static const struct room page_room = { 10, SEARCH_LIMIT, 20 }, box_room = { 5, 50, 8 };

/* The kinds of things in the order in which pages show them. */
#define KIND(group_, title_) { #group_, title_, offsetof(struct search_counts, group_) }
static const struct kind_words {
	const char *group, *title;
	size_t count; /* where struct search_counts has the kind's number */
} kinds[] = {
	KIND(pages, "Pages"),
	KIND(folders, "Folders"),
	KIND(files, "Files"),
	KIND(datasets, "Data"),
	KIND(connectors, "Connections"),
	KIND(schedules, "Jobs"),
	KIND(alerts, "Alerts"),
	KIND(people, "People"),
	KIND(crew, "Agents"),
};
enum { KINDS = sizeof kinds / sizeof *kinds };

#define SEARCH_KIND(F, T) \
	F(T, STR,  kind) \
	F(T, STR,  kind_title) \
	F(T, INT,  count) \
	F(T, LIST, rows,   .sub = &search_result_shape, .doc = "None if another kind is alone") \
	F(T, STR,  left,   .doc = "How many more there are, such as \"2 more in pages\"")
SHAPE(search_kind, SEARCH_KIND);

#define SEARCH_PAGE(F, T) \
	F(T, STR,  at,      .doc = "Path of the workspace; empty: everything is searched") \
	F(T, STR,  within,  .doc = "Its name, or NULL") \
	F(T, STR,  total,   .doc = "How many of all kinds; NULL: none") \
	F(T, STR,  said,    .doc = "What was found, in a sentence; NULL: nothing") \
	F(T, STR,  instead, .doc = "Words that were found, since nothing is spelled like q") \
	F(T, BOOL, blank,   .doc = "Nothing is searched for") \
	F(T, BOOL, cut,     .doc = "There are more of the kind that is alone than are shown") \
	F(T, LIST, recent,  .sub = &search_result_shape, .doc = "Opened last; if blank") \
	F(T, LIST, kinds,   .sub = &search_kind_shape, .doc = "Of which there is something")
SHAPE(search_page, SEARCH_PAGE);

#define SEARCH_PAGE_QUERY(F, T) \
	F(T, STR,  q,      .hi = SEARCH_CHARS) \
	F(T, WORD, groups, .arg = FIND_GROUPS, .doc = "One, alone") \
	F(T, ID,   workspace, .arg = "wsp_", .doc = "Leads to its own page")
SHAPE(search_page_query, SEARCH_PAGE_QUERY);

/* The number of results; capped: or more. */
static const char *
count_words(void *mem, int64_t n, bool capped)
{
	return mem_printf(mem, "%lld%s", (long long)n, capped ? "+" : "");
}

/* Returns at most so many of a kind. */
static struct list
kind_rows(void *mem, const struct search_result_list *all, const char *group, size_t most)
{
	struct search_result *rows = mem_array(mem, struct search_result, all->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < all->n && n < most; i++)
		if (str_eq(all->v[i].group, group))
			rows[n++] = all->v[i];
	return (struct list){ rows, n };
}

static const char *
in_sentence(void *mem, const char *title)
{
	char *words = mem_strndup(mem, title, strlen(title));

	*words = (char)tolower((unsigned char)*words);
	return words;
}

/* Fills the rows of a kind, unless another kind is shown alone. */
static struct search_kind
kind_of(struct ctx *c, const struct kind_words *k, int64_t count, const char *alone,
    const struct room *room, const struct search_result_list *results)
{
	struct search_kind out = { .kind = k->group, .kind_title = k->title, .count = count };

	if (alone && !str_eq(k->group, alone))
		return out;
	out.rows = kind_rows(c->mem, results, k->group, alone ? SEARCH_LIMIT : room->of_kind);
	if (!alone && count > (int64_t)out.rows.n)
		out.left = mem_printf(c->mem, "%s %sin %s",
		    count_words(c->mem, count - (int64_t)out.rows.n, count >= SEARCH_COUNTED),
		    out.rows.n ? "more " : "", in_sentence(c->mem, k->title));
	return out;
}

/* The kinds with results, and the one that is shown alone. */
static void
kinds_fill(struct ctx *c, const struct search_counts *counts, const char *alone,
    const struct room *room, const struct search_result_list *results, const char *q,
    struct search_page *page)
{
	struct search_kind *out = mem_array(c->mem, struct search_kind, KINDS);
	const char **words = mem_array(c->mem, const char *, KINDS);
	int64_t total = 0, told = 0;
	bool capped = false;
	size_t n = 0, words_n = 0;

	for (size_t i = 0; i < KINDS; i++) {
		int64_t count = *(const int64_t *)((const char *)counts + kinds[i].count);
		bool is_alone = str_eq(kinds[i].group, alone);

		total += count;
		capped = capped || count >= SEARCH_COUNTED;
		if (!count && !is_alone)
			continue;
		out[n++] = kind_of(c, &kinds[i], count, alone, room, results);
		if (alone && !is_alone)
			continue;
		told += count;
		words[words_n++] = in_sentence(c->mem, kinds[i].title);
		page->cut = alone && count >= SEARCH_COUNTED;
	}
	page->kinds = (struct list){ out, n };
	page->total = total ? count_words(c->mem, total, capped) : NULL;
	if (told)
		page->said = mem_printf(c->mem, "%s %s for %s, in %s",
		    count_words(c->mem, told, alone ? page->cut : capped),
		    told == 1 ? "result" : "results", page->instead ? page->instead : q,
		    str_some(c->mem, words, words_n));
}

/* Lists recently opened and new things. */
static enum err
recent_fill(struct req *r, struct search_query *ask, const struct room *room,
    struct search_page *page)
{
	struct search_found found;

	ask->limit = room->recent;
	TRY(search(r->c, r->who, ask, &found));
	page->recent = (struct list){ found.results.v, found.results.n };
	page->said = found.results.n ? "Your recent items" : NULL;
	return E_OK;
}

/* With one kind alone, the others are still counted. */
static enum err
found_fill(struct req *r, struct search_query *ask, const struct room *room,
    struct search_page *page)
{
	const char *alone = ((const struct search_page_query *)r->query)->groups;
	struct search_found all, found;

	ask->limit = alone ? 1 : room->found;
	TRY(search(r->c, r->who, ask, &all));
	found = all;
	if (alone) {
		ask->groups = (struct strs){ &alone, 1 };
		ask->limit = SEARCH_LIMIT;
		TRY(search(r->c, r->who, ask, &found));
	}
	if (found.results.n)
		found.results.v[0].best = true;
	page->instead = found.instead;
	kinds_fill(r->c, &all.counts, alone, room, &found.results, ask->q, page);
	return E_OK;
}

static enum err
search_fill(struct req *r, const struct room *room, struct search_page *page)
{
	const struct search_page_query *q = r->query;
	const char *text = q->q ? q->q : "";
	struct search_query ask = { .q = text, .workspace = r->ws ? r->ws->id : NULL };

	*page = (struct search_page){ .at = r->ws ? mem_printf(r->c->mem, "/w/%s", r->ws->id) : "",
		.within = r->ws ? r->ws->name : NULL,
		.blank = !text[strspn(text, " ")] };
	return page->blank ? recent_fill(r, &ask, room, page) : found_fill(r, &ask, room, page);
}

static enum err
h_search(struct req *r)
{
	const struct search_page_query *q = r->query;
	struct search_page page;
	struct buf to = BUF(r->c->mem);

	if (q->workspace) {
		buf_fmt(&to, "/w/%s/search?q=", q->workspace);
		buf_form(&to, q->q ? q->q : "");
		if (q->groups)
			buf_fmt(&to, "&groups=%s", q->groups);
		return reply_redirect(r, buf_done(&to));
	}
	TRY(search_fill(r, &page_room, &page));
	return reply_page(r, 0, &page);
}

/* The list without the rest of the page, for a script while somebody types. */
static enum err
h_search_box(struct req *r)
{
	const struct answer *a = &r->route->answer;
	struct search_page page;

	TRY(search_fill(r, &box_room, &page));
	reply_site_page(r, 200, a->noun, a->shape, &page);
	return E_OK;
}

#define SEARCH_PAGES(at, who_) \
  { GET, at,          who_, TAKES_NOTHING, GIVES_PAGE(search), h_search, \
    .query = &search_page_query_shape, .doc = "Finds things by words" }, \
  { GET, at "/box",   who_, TAKES_NOTHING, GIVES_PART, h_search_box, \
    .query = &search_page_query_shape, .doc = "What the box in the header shows of it" }
#define GIVES_PART { ANSWER_PAGE, "search_found", &search_page_shape }

static const struct route search_page_routes[] = {
  SEARCH_PAGES("/search", SESSION),
  SEARCH_PAGES("/w/{ws}/search", WS_MEMBER),
};
ROUTES(search_page, "Pages: search",
    "Finding things in the browser, among everything and in a workspace.");
