/* SPDX-License-Identifier: Apache-2.0
 * Draws a page of a table. Its links and forms lead to /_vitrine/view/ (site/tablepage.h). */
#include "base/str.h"
#include "base/viewfind.h"

#include <stdlib.h>
#include <string.h>

enum {
	CELL_CHARS = 1000,
	PAGE_BYTES = 4 << 20, /* then values have */
	SHORT_CHARS = 20
};

/* The rows of a page. */
struct shown {
	struct table_place v[VIEW_ROWS];
	size_t n;
	int64_t all; /* that are found, or that there are */
	bool more;   /* than were counted */
};
struct page {
	struct ctx *c;
	const struct view_source *s;
	const struct table_asked *asked;
	struct table t;
	const struct table_side *side;
	const char *places; /* behind the side's start */
	struct shown shown;
	bool *numbers;
	bool cut; /* a value was */
};

static struct table_place
place_of(const struct page *p, size_t i)
{
	struct table_place out;

	memcpy(&out, p->places + i * sizeof out, sizeof out);
	return out;
}

static uint32_t
block_at(const struct page *p, size_t i)
{
	uint32_t at;

	memcpy(&at, p->places + i * sizeof at, sizeof at);
	return at;
}

/* ---- which rows ---- */

static void
rows_in_order(struct page *p)
{
	size_t from = (size_t)(p->asked->page - 1) * VIEW_ROWS;
	struct table_record r;

	p->shown.all = p->side->rows;
	if (from >= p->side->rows)
		return;
	if (p->side->sort) {
		for (size_t i = from; i < p->side->places && p->shown.n < VIEW_ROWS; i++)
			p->shown.v[p->shown.n++] = place_of(p, i);
		return;
	}
	for (r.next = block_at(p, from / VIEW_ROWS);
	     p->shown.n < VIEW_ROWS && from + p->shown.n < p->side->rows &&
	     table_next(&p->t, r.next, &r);
	     p->shown.n++)
		p->shown.v[p->shown.n] = (struct table_place){ (uint32_t)r.at,
			(uint32_t)(from + p->shown.n) };
}

/* Returns false if no more rows are counted. */
static bool
found_add(struct page *p, struct table_place place)
{
	struct shown *s = &p->shown;

	if (s->all == TABLE_FOUND) {
		s->more = true;
		return false;
	}
	if (s->all++ / VIEW_ROWS == p->asked->page - 1)
		s->v[s->n++] = place;
	return true;
}

/* The block in which a place is: the last one that begins at or before it. */
static size_t
block_of(const struct page *p, size_t x)
{
	size_t from = 0, to = p->side->places;

	while (to - from > 1) {
		size_t at = (from + to) / 2;

		if (block_at(p, at) <= x)
			from = at;
		else
			to = at;
	}
	return from;
}

static void
rows_found(struct page *p, struct finder *f)
{
	struct table_record r = { .next = p->t.first };
	uint32_t row = 0; /* behind r */
	size_t x, block;

	while (p->side->places && (x = finder_next(f, r.next, p->t.n)) < p->t.n) {
		block = block_of(p, x);
		if (block_at(p, block) > r.next) {
			r.next = block_at(p, block);
			row = (uint32_t)block * VIEW_ROWS;
		}
		do {
			if (row == p->side->rows || !table_next(&p->t, r.next, &r))
				return;
			row++;
		} while (r.next <= x);
		if (finder_fits(f, &r) &&
		    !found_add(p, (struct table_place){ (uint32_t)r.at, row - 1 }))
			return;
	}
}

static void
rows_found_in_order(struct page *p, struct finder *f)
{
	for (size_t i = 0; i < p->side->places; i++) {
		struct table_place place = place_of(p, i);
		struct table_record r;

		if (table_next(&p->t, place.at, &r) && finder_in(f, &r) && !found_add(p, place))
			return;
	}
}

static void
rows_choose(struct page *p)
{
	struct finder *f;

	if (!*p->asked->q) {
		rows_in_order(p);
		return;
	}
	f = finder_new(p->c->mem, &p->t, p->asked->q);
	if (p->side->sort)
		rows_found_in_order(p, f);
	else
		rows_found(p, f);
}

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
	buf_str(b, "\">");
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
	buf_fmt(b, "\" maxlength=\"%d\"><button>Find</button>", TABLE_FIND_CHARS);
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
			buf_str(b, p->numbers[k] ? "<td class=\"num\">" : "<td>");
			cell_write(b, p, row.v[k]);
			buf_str(b, "</td>");
		}
		buf_str(b, "</tr>\n");
		mem_free(mine);
	}
}

/* A column has nothing but numbers in the first rows. */
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
	if (p->side->ragged)
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
	const struct shown *s = &p->shown;
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
	if (p->asked->path && (p->side->rows > VIEW_ROWS || *p->asked->q))
		find_write(b, p);
	notes_write(b, p);
	range_write(b, p);
	buf_str(b, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Rows\">"
		   "<table>");
	buf_add(b, buf_done(&table), table.n);
	buf_str(b, "</tbody></table></div>\n");
	pages_write(b, p, pages);
	buf_str(b, "</main>");
	view_end(b);
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
	p.places = side + sizeof *p.side;
	rows_choose(&p);
	pages = (p.shown.all + VIEW_ROWS - 1) / VIEW_ROWS;
	if (asked->page > (pages ? pages : 1))
		return fail(c, E_INVALID, "There is no page %lld; the last one is %lld",
		    (long long)asked->page, (long long)(pages ? pages : 1));
	numbers_find(&p);
	page_write(html, &p, pages);
	return E_OK;
}

bool
view_table(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	const struct table_asked first = { .path = s->cut ? NULL : s->path, .page = 1, .q = "" };
	struct buf side = BUF(c->mem);

	if (table_side_make(c, s, 0, &side) ||
	    table_page(c, s, &first, buf_done(&side), side.n, &out->html)) {
		ctx_forgive(c);
		return false;
	}
	return true;
}
