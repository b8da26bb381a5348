/* SPDX-License-Identifier: Apache-2.0
 * Finding things in the browser: a page that needs no script, and what of it the box in the header
 * (nginx/assets/find.js) shows while somebody types. Both are of everything, or of a workspace. */
#include "search/search.h"

#include "base/str.h"
#include "core/marked.h"
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

#define SEARCH_ROW(F, T) \
	F(T, OBJ,  found,   .sub = &search_result_shape) \
	F(T, LIST, pieces,  .sub = &marked_piece_shape) \
	F(T, LIST, around,  .sub = &marked_piece_shape, .doc = "Of what stands on its page") \
	F(T, BOOL, by_page, .doc = "It is found by that") \
	F(T, STR,  letters, .doc = "Of somebody's name") \
	F(T, BOOL, dated,   .doc = "When it changed is of interest") \
	F(T, BOOL, best,    .doc = "It matches best of all")
SHAPE_DECLARE(search_row, SEARCH_ROW);
SHAPE_DEFINE(search_row, SEARCH_ROW);

#define SEARCH_KIND(F, T) \
	F(T, STR,  kind) \
	F(T, STR,  kind_title) \
	F(T, STR,  kind_url,   .doc = "Where these are alone") \
	F(T, STR,  count) \
	F(T, BOOL, current,    .doc = "These are alone") \
	F(T, BOOL, shown,      .doc = "No other kind is alone") \
	F(T, LIST, rows,       .sub = &search_row_shape) \
	F(T, STR,  left,       .doc = "How many more there are, such as \"2 more in pages\"")
SHAPE_DECLARE(search_kind, SEARCH_KIND);
SHAPE_DEFINE(search_kind, SEARCH_KIND);

#define SEARCH_PAGE(F, T) \
	F(T, STR,  q) \
	F(T, STR,  at,      .doc = "Path of the page") \
	F(T, STR,  within,  .doc = "Name of the one workspace that is searched, or NULL") \
	F(T, STR,  home,    .doc = "Where one publishes") \
	F(T, STR,  outside, .doc = "Where everything is searched for the same") \
	F(T, STR,  all,     .doc = "Where all kinds are") \
	F(T, STR,  total,   .doc = "How many of all kinds; NULL: none") \
	F(T, STR,  said,    .doc = "What was found, in a sentence") \
	F(T, STR,  instead, .doc = "Words that were found, since nothing is spelled like q") \
	F(T, BOOL, blank,   .doc = "Nothing is searched for") \
	F(T, BOOL, some) \
	F(T, BOOL, one,     .doc = "One kind is alone") \
	F(T, BOOL, cut,     .doc = "There are more of it than are shown") \
	F(T, BOOL, recent_some) \
	F(T, LIST, recent,  .sub = &search_row_shape, .doc = "Opened last; if blank") \
	F(T, LIST, kinds,   .sub = &search_kind_shape, .doc = "Of which there is something")
SHAPE_DECLARE(search_page, SEARCH_PAGE);
SHAPE_DEFINE(search_page, SEARCH_PAGE);

#define SEARCH_PAGE_QUERY(F, T) \
	F(T, STR,  q,      .hi = SEARCH_CHARS) \
	F(T, WORD, groups, .arg = FIND_GROUPS, .doc = "One, alone") \
	F(T, ID,   workspace, .arg = "wsp_", .doc = "Leads to its own page")
SHAPE_DECLARE(search_page_query, SEARCH_PAGE_QUERY);
SHAPE_DEFINE(search_page_query, SEARCH_PAGE_QUERY);

static const char *
address(void *mem, const char *at, const char *q, const char *group)
{
	struct buf b = BUF(mem);

	buf_str(&b, at);
	if (q)
		buf_str(&b, "?q="), buf_form(&b, q);
	if (group)
		buf_fmt(&b, "%sgroups=%s", q ? "&" : "?", group);
	return buf_done(&b);
}

/* The number of results; capped: or more. */
static const char *
count_words(void *mem, int64_t n, bool capped)
{
	return mem_printf(mem, "%lld%s", (long long)n, capped ? "+" : "");
}

static struct search_row
row_of(void *mem, const struct search_result *found)
{
	return (struct search_row){ .found = (void *)found,
		.pieces = marked_pieces(mem, found->marked),
		.around = found->snippet ? marked_pieces(mem, found->snippet_marked)
					 : (struct list){ 0 },
		.by_page = found->snippet != NULL,
		.letters = page_initials(mem, found->title),
		.dated = str_in(found->group, "pages|files") };
}

static struct list
recent_rows(void *mem, const struct search_result_list *all)
{
	struct search_row *rows = mem_array(mem, struct search_row, all->n + 1);

	for (size_t i = 0; i < all->n; i++)
		rows[i] = row_of(mem, &all->v[i]);
	return (struct list){ rows, all->n };
}

/* The maximum for each kind. */
static struct list
kind_rows(void *mem, const struct search_result_list *all, const char *group, size_t most)
{
	struct search_row *rows = mem_array(mem, struct search_row, all->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < all->n && n < most; i++) {
		if (!str_eq(all->v[i].group, group))
			continue;
		rows[n] = row_of(mem, &all->v[i]);
		rows[n++].best = i == 0;
	}
	return (struct list){ rows, n };
}

static const char *
in_sentence(void *mem, const char *title)
{
	char *words = mem_strndup(mem, title, strlen(title));

	*words = (char)tolower((unsigned char)*words);
	return words;
}

/* Fills the rows of a kind and their number, unless another kind is shown alone. */
static void
kind_fill(struct ctx *c, const struct kind_words *k, int64_t count, const char *alone,
    const struct room *room, const struct search_result_list *results,
    const struct search_page *page, struct search_kind *out)
{
	bool capped = count >= SEARCH_COUNTED;

	*out = (struct search_kind){ .kind = k->group,
		.kind_title = k->title,
		.kind_url = address(c->mem, page->at, page->q, k->group),
		.count = count_words(c->mem, count, capped),
		.current = str_eq(k->group, alone),
		.shown = count && (!alone || str_eq(k->group, alone)) };
	if (!out->shown)
		return;
	out->rows = kind_rows(c->mem, results, k->group, alone ? SEARCH_LIMIT : room->of_kind);
	if (!alone && count > (int64_t)out->rows.n)
		out->left = mem_printf(c->mem, "%s %sin %s",
		    count_words(c->mem, count - (int64_t)out->rows.n, capped),
		    out->rows.n ? "more " : "", in_sentence(c->mem, k->title));
}

/* The kinds with results, and the one that is shown alone. */
static void
kinds_fill(struct ctx *c, const struct search_counts *counts, const char *alone,
    const struct room *room, const struct search_result_list *results, struct search_page *page)
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
		kind_fill(c, &kinds[i], count, alone, room, results, page, &out[n++]);
		if (alone && !is_alone)
			continue;
		told += count;
		words[words_n++] = in_sentence(c->mem, kinds[i].title);
		page->cut = alone && count >= SEARCH_COUNTED;
	}
	page->kinds = (struct list){ out, n };
	page->total = total ? count_words(c->mem, total, capped) : NULL;
	page->some = told > 0;
	if (page->some)
		page->said = mem_printf(c->mem, "%s %s for %s, in %s",
		    count_words(c->mem, told, alone ? page->cut : capped),
		    told == 1 ? "result" : "results", page->instead ? page->instead : page->q,
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
	page->recent = recent_rows(r->c->mem, &found.results);
	page->some = page->recent_some = found.results.n > 0;
	page->said = page->some ? "Your recent items" : NULL;
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
	page->instead = found.instead;
	kinds_fill(r->c, &all.counts, alone, room, &found.results, page);
	return E_OK;
}

static const char *
workspace_path(void *mem, const char *id)
{
	return mem_printf(mem, "/w/%s/search", id);
}

static enum err
search_fill(struct req *r, const struct room *room, struct search_page *page)
{
	const struct search_page_query *q = r->query;
	const char *text = q->q ? q->q : "", *ws = r->ws ? r->ws->id : NULL;
	struct search_query ask = { .q = text, .workspace = ws };

	*page = (struct search_page){ .q = text,
		.at = ws ? workspace_path(r->c->mem, ws) : "/search",
		.within = ws ? r->ws->name : NULL,
		.home = ws ? mem_printf(r->c->mem, "/w/%s", ws) : "/",
		.blank = !text[strspn(text, " ")],
		.one = q->groups != NULL };
	page->outside = ws ? address(r->c->mem, "/search", text, q->groups) : NULL;
	page->all = address(r->c->mem, page->at, text, NULL);
	return page->blank ? recent_fill(r, &ask, room, page) : found_fill(r, &ask, room, page);
}

static enum err
h_search(struct req *r)
{
	const struct search_page_query *q = r->query;
	struct search_page page;

	if (q->workspace)
		return reply_redirect(r,
		    address(r->c->mem, workspace_path(r->c->mem, q->workspace), q->q, q->groups));
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
