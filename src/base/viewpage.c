/* SPDX-License-Identifier: Apache-2.0
 * Draws a page of a table. Its links and forms lead to /_vitrine/view/ (site/tablepage.h). */
#include "base/str.h"
#include "base/viewtable.h"

#include <stdlib.h>
#include <string.h>

enum {
	CELL_CHARS = 1000,
	PAGE_BYTES = 4 << 20, /* then values have */
	SHORT_CHARS = 20
};

struct page {
	struct ctx *c;
	const struct view_source *s;
	const struct table_asked *asked;
	struct table t;
	const struct table_side *side;
	struct table_rows shown;
	bool *numbers;
	bool cut; /* a value was */
};

/* ---- links ---- */

static void
address_write(struct buf *b, const struct page *p)
{
	buf_str(b, "/_vitrine/view/");
	buf_url(b, p->asked->path);
}

static void
link_write(struct buf *b, const struct page *p, int64_t page, int64_t sort)
{
	struct buf query = BUF(b->owner);

	if (p->asked->sheet > 1)
		form_pair(
		    &query, "sheet", mem_printf(b->owner, "%lld", (long long)p->asked->sheet));
	if (page > 1)
		form_pair(&query, "page", mem_printf(b->owner, "%lld", (long long)page));
	if (sort)
		form_pair(&query, "sort", mem_printf(b->owner, "%lld", (long long)sort));
	form_pair(&query, "q", str_given(p->asked->q));
	buf_str(b, " href=\"");
	if (query.n) {
		address_write(b, p);
		buf_chr(b, '?');
		buf_html(b, buf_done(&query));
	} else {
		/* The first page is there without a worker. */
		buf_chr(b, '/');
		buf_url(b, p->asked->path);
		buf_str(b, ".html");
	}
	buf_chr(b, '"');
}

static void
hidden_write(struct buf *b, const char *name, const char *value)
{
	buf_fmt(b, "<input type=\"hidden\" name=\"%s\" value=\"", name);
	buf_html(b, value);
	buf_str(b, "\">");
}

/* Begins a form whose answer is as the page is sorted. */
static void
form_begin(struct buf *b, const struct page *p)
{
	buf_str(b, "<form class=\"find\" method=\"get\" action=\"");
	address_write(b, p);
	buf_str(b, "\" style=\"flex-wrap:wrap\">");
	if (p->asked->sheet > 1)
		hidden_write(b, "sheet",
		    mem_printf(b->owner, "%lld", (long long)p->asked->sheet));
	if (p->asked->sort)
		hidden_write(b, "sort",
		    mem_printf(b->owner, "%lld", (long long)p->asked->sort));
}

static void
find_write(struct buf *b, const struct page *p)
{
	form_begin(b, p);
	buf_str(b, "<label for=\".q\">Find in rows</label>"
		   "<input id=\".q\" type=\"search\" name=\"q\" value=\"");
	buf_html(b, p->asked->q);
	buf_fmt(b, "\" maxlength=\"%d\" style=\"min-width:8rem\"><button>Find</button>",
	    TABLE_FIND_CHARS);
	if (*p->asked->q) {
		struct table_asked all = *p->asked;
		struct page of_all = *p;

		all.q = "";
		of_all.asked = &all;
		buf_str(b, "<a");
		link_write(b, &of_all, 1, p->asked->sort);
		buf_str(b, ">All rows</a>");
	}
	buf_str(b, "</form>\n");
}

static void
sheets_write(struct buf *b, const struct page *p)
{
	if (p->asked->sheet_n < 2)
		return;
	buf_str(b, "<nav class=\"find\" style=\"flex-wrap:wrap\" aria-label=\"Sheets\">");
	for (size_t i = 0; i < p->asked->sheet_n; i++) {
		const struct table_asked first = { .path = p->asked->path,
			.q = "",
			.sheet = (int64_t)i + 1 };
		struct page of_sheet = *p;

		of_sheet.asked = &first;
		buf_str(b, first.sheet == p->asked->sheet ? "<a aria-current=\"page\"" : "<a");
		link_write(b, &of_sheet, 1, 0);
		buf_chr(b, '>');
		buf_html(b, p->asked->sheets[i]);
		buf_str(b, "</a>");
	}
	buf_str(b, "</nav>\n");
}

static void
step_write(struct buf *b, const struct page *p, int64_t to, const char *rel, const char *word)
{
	buf_fmt(b, "<a class=\"button\" rel=\"%s\"", rel);
	link_write(b, p, to, p->asked->sort);
	buf_fmt(b, ">%s</a>", word);
}

static void
pages_write(struct buf *b, const struct page *p, int64_t pages)
{
	int64_t no = p->asked->page;

	if (pages < 2 || !p->asked->path)
		return;
	form_begin(b, p);
	if (*p->asked->q)
		hidden_write(b, "q", p->asked->q);
	if (no > 1)
		step_write(b, p, no - 1, "prev", "Previous");
	if (no < pages)
		step_write(b, p, no + 1, "next", "Next");
	buf_fmt(b,
	    "<label for=\".page\">Page</label><input id=\".page\" name=\"page\""
	    " inputmode=\"numeric\" value=\"%lld\" style=\"max-width:6rem\">"
	    "<span>of %s</span><button>Go</button></form>\n",
	    (long long)no, str_number(b->owner, pages));
}

/* ---- the table ---- */

static void
cell_write(struct buf *b, struct page *p, const char *value)
{
	size_t most = b->n > PAGE_BYTES ? SHORT_CHARS : CELL_CHARS, n = strlen(value);
	const char *cut = n > most ? str_cut(p->c->mem, value, most) : value;

	p->cut |= strlen(cut) < n;
	buf_html(b, cut);
}

static void
head_write(struct buf *b, struct page *p)
{
	bool sorts = p->asked->path && p->side->rows > 1 && p->side->rows <= TABLE_SORTED;

	buf_str(b, "<thead><tr><th scope=\"col\" class=\"num soft\">Row</th>");
	for (size_t i = 0; i < p->t.head.n; i++) {
		int64_t no = (int64_t)i + 1, sort = p->asked->sort;
		const char *name = *p->t.head.v[i] ? p->t.head.v[i] : "–";

		buf_fmt(b, "<th scope=\"col\"%s%s>", p->numbers[i] ? " class=\"num\"" : "",
		    sort == no        ? " aria-sort=\"ascending\""
			: sort == -no ? " aria-sort=\"descending\""
				      : "");
		if (sorts) {
			buf_str(b, "<a rel=\"nofollow\"");
			link_write(b, p, 1, sort == no ? -no : no);
			buf_chr(b, '>');
		}
		cell_write(b, p, name);
		if (llabs(sort) == no)
			buf_fmt(b, "<span aria-hidden=\"true\"> %s</span>", sort < 0 ? "↓" : "↑");
		buf_str(b, sorts ? "</a></th>" : "</th>");
	}
	buf_str(b, "</tr></thead>\n<tbody>\n");
}

static void
rows_write(struct buf *b, struct page *p)
{
	for (size_t i = 0; i < p->shown.n; i++) {
		void *mine = mem_zalloc(p->c->mem, 0);
		struct view_row row = { .v = mem_array(mine, const char *, VIEW_COLUMNS) };
		struct table_record r;

		if (!table_next(&p->t, p->shown.v[i].at, &r))
			break;
		table_cut(mine, &p->t, &r, &row);
		buf_fmt(b, "<tr><td class=\"num soft\">%lld</td>",
		    (long long)p->shown.v[i].row + 1);
		for (size_t k = 0; k < row.n; k++) {
			buf_str(b, p->numbers[k] ? "<td class=\"num\">"
				: str_chars(row.v[k]) > SHORT_CHARS ? "<td class=\"text\">"
								    : "<td>");
			cell_write(b, p, row.v[k]);
			buf_str(b, "</td>");
		}
		for (size_t k = row.n; k < p->t.head.n; k++)
			buf_str(b, "<td></td>");
		buf_str(b, "</tr>\n");
		mem_free(mine);
	}
}

/* Finds the columns of numbers, by the first VIEW_ROWS rows. */
static void
numbers_find(struct page *p)
{
	void *mine = mem_zalloc(p->c->mem, 0);
	struct view_row row = { .v = mem_array(mine, const char *, VIEW_COLUMNS) };
	struct table_record r = { .next = p->t.first };

	p->numbers = mem_array(p->c->mem, bool, VIEW_COLUMNS);
	memset(p->numbers, true, VIEW_COLUMNS * sizeof *p->numbers);
	for (size_t n = 0; n < VIEW_ROWS && table_next(&p->t, r.next, &r); n++) {
		table_cut(mine, &p->t, &r, &row);
		for (size_t i = 0; i < row.n; i++)
			if (*row.v[i] && !table_is_number(row.v[i]))
				p->numbers[i] = false;
	}
	mem_free(mine);
}

/* ---- around it ---- */

static void
note_write(struct buf *b, const char *text)
{
	buf_fmt(b, "<p class=\"soft\">%s</p>\n", text);
}

static void
notes_write(struct buf *b, const struct page *p)
{
	void *owner = p->c->mem;

	if (p->s->cut)
		note_write(b,
		    mem_printf(owner,
			"These are the first %s. Download the file to have all.",
			str_count(owner, (int64_t)p->shown.n, "row")));
	if (!p->s->cut && p->side->rows > TABLE_SORTED)
		note_write(b,
		    mem_printf(owner, "Tables of more than %s aren’t sorted here.",
			str_count(owner, TABLE_SORTED, "row")));
	if (p->side->ragged && !p->asked->sheet)
		note_write(b, "Some rows have more or fewer values than the first line.");
	if (p->side->wide)
		note_write(b,
		    mem_printf(owner, "Only the first %s columns are shown.",
			str_number(owner, VIEW_COLUMNS)));
	if (p->cut)
		note_write(b, "Long values are cut. The file has them whole.");
}

static void
range_write(struct buf *b, const struct page *p)
{
	void *owner = p->c->mem;
	const struct table_rows *s = &p->shown;
	int64_t from = (p->asked->page - 1) * VIEW_ROWS;
	const char *all = mem_printf(owner, "%s%s", s->more ? "more than " : "",
	    str_number(owner, s->all));

	if (p->s->cut)
		return;
	buf_str(b, "<p role=\"status\">");
	if (s->n)
		buf_fmt(b, "%s to %s of %s", str_number(owner, from + 1),
		    str_number(owner, from + (int64_t)s->n), all);
	else
		buf_str(b, *p->asked->q ? "No row" : "There are no rows.");
	if (*p->asked->q) {
		buf_str(b, s->n ? " rows with “" : " has “");
		buf_html(b, p->asked->q);
		buf_str(b, "”");
	}
	buf_str(b, "</p>\n");
}

static void
page_write(struct buf *b, struct page *p, int64_t pages)
{
	void *owner = p->c->mem;
	const char *rows = p->s->cut ? "many rows" : str_count(owner, p->side->rows, "row");
	struct buf table = BUF(owner);

	head_write(&table, p);
	rows_write(&table, p);
	view_begin(b,
	    &(struct view_head){ .name = p->s->name,
		.title = p->s->name,
		.path = p->asked->path,
		.facts = mem_printf(owner, "%s, %s, %s", str_amount(owner, p->s->size), rows,
		    str_count(owner, (int64_t)p->t.head.all, "column")),
		.h1 = true,
		.forms = p->asked->path != NULL });
	buf_str(b, "<main>");
	sheets_write(b, p);
	if (p->asked->path && (p->side->rows > VIEW_ROWS || *p->asked->q))
		find_write(b, p);
	notes_write(b, p);
	range_write(b, p);
	buf_str(b, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Rows\">"
		   "<table class=\"data\">");
	buf_add(b, buf_done(&table), table.n);
	buf_str(b, "</tbody></table></div>\n");
	pages_write(b, p, pages);
	buf_str(b, "</main>");
	view_end(b);
}

static void
row_json(struct buf *b, const struct view_row *row)
{
	buf_chr(b, '[');
	for (size_t i = 0; i < row->n; i++) {
		buf_str(b, i ? "," : "");
		buf_json(b, row->v[i]);
	}
	buf_chr(b, ']');
}

/* Values are texts, as they are in the file. */
static void
page_json(struct buf *b, struct page *p, int64_t pages)
{
	buf_str(b, "{\"columns\":");
	row_json(b, &p->t.head);
	buf_str(b, ",\"rows\":[");
	for (size_t i = 0; i < p->shown.n; i++) {
		void *mine = mem_zalloc(p->c->mem, 0);
		struct view_row row = { .v = mem_array(mine, const char *, VIEW_COLUMNS) };
		struct table_record r;

		if (table_next(&p->t, p->shown.v[i].at, &r))
			table_cut(mine, &p->t, &r, &row);
		buf_str(b, i ? "," : "");
		row_json(b, &row);
		mem_free(mine);
	}
	buf_fmt(b, "],\"page\":%lld,\"pages\":%lld,\"total\":%lld,\"more\":%s}\n",
	    (long long)p->asked->page, (long long)pages, (long long)p->shown.all,
	    p->shown.more ? "true" : "false");
}

enum err
table_page(struct ctx *c, const struct view_source *s, const struct table_asked *asked,
    const char *side, size_t side_n, struct buf *html)
{
	struct page p = { .c = c, .s = s, .asked = asked, .side = table_side_of(side, side_n) };
	int64_t pages;

	if (!p.side || p.side->n != s->n || p.side->sort != asked->sort ||
	    !table_open(c->mem, s, &p.t))
		return fail_here(c, "this isn't the table's side");
	table_rows_choose(c->mem, &p.t, p.side, asked, &p.shown);
	pages = (p.shown.all + VIEW_ROWS - 1) / VIEW_ROWS;
	if (asked->page > (pages ? pages : 1))
		return fail(c, E_INVALID, "There is no page %lld; the last one is %lld",
		    (long long)asked->page, (long long)(pages ? pages : 1));
	if (asked->json) {
		page_json(html, &p, pages);
		return E_OK;
	}
	numbers_find(&p);
	page_write(html, &p, pages);
	return E_OK;
}

enum err
table_first(struct ctx *c, const struct view_source *s, const struct table_asked *asked,
    struct buf *html)
{
	struct buf side = BUF(c->mem);

	TRY(table_side_make(c, s, 0, &side));
	return table_page(c, s, asked, buf_done(&side), side.n, html);
}

bool
view_table(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	const struct table_asked first = { .path = s->cut ? NULL : s->path, .page = 1, .q = "" };

	if (!table_first(c, s, &first, &out->html))
		return true;
	ctx_forgive(c);
	return false;
}
