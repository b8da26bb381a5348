/* SPDX-License-Identifier: Apache-2.0
 * The inbox in the browser. Its rows have the forms that decide things, which are the nouns' own.
 */
#include "base/buf.h"
#include "base/str.h"
#include "http/form.h"
#include "http/req.h"
#include "inbox/inbox.h"
#include "inbox/stop.h"

enum { DAY_S = 86400 };

#define INBOX_PAGE(F, T) \
	F(T, LIST, today,    .sub = &inbox_item_shape) \
	F(T, LIST, earlier,  .sub = &inbox_item_shape) \
	F(T, INT,  waiting_n) \
	F(T, INT,  know_n,   .doc = "Not seen") \
	F(T, STR,  shelf,    .doc = "The box that is shown") \
	F(T, STR,  next,     .doc = "Address of the next part")
SHAPE(inbox_page, INBOX_PAGE);

#define INBOX_PAGE_QUERY(F, T) \
	INBOX_QUERY(F, T) \
	F(T, STR, done, .hi = 40)
SHAPE(inbox_page_query, INBOX_PAGE_QUERY);

/* Items come newest first, so a place divides today's from the others. */
static void
page_divide(struct req *r, const struct inbox_part *part, struct inbox_page *page)
{
	const struct inbox_item *v = part->items.v;
	size_t n = 0;

	while (n < part->items.n && v[n].updated_at >= r->c->now - r->c->now % DAY_S)
		n++;
	page->today = (struct list){ part->items.v, n };
	page->earlier = (struct list){ (struct inbox_item *)part->items.v + n, part->items.n - n };
}

static const char *
next_path(struct req *r, const struct inbox_page_query *q, const char *cursor)
{
	struct buf b = BUF(r->c->mem);

	if (!cursor)
		return NULL;
	buf_fmt(&b, "/inbox?box=%s", q->box);
	if (q->kind) {
		buf_str(&b, "&kind=");
		buf_form(&b, q->kind);
	}
	buf_str(&b, "&cursor=");
	buf_form(&b, cursor);
	return buf_done(&b);
}

static enum err
h_inbox_page(struct req *r)
{
	const struct inbox_page_query *q = r->query;
	const struct inbox_query asked = {
		.box = q->box, .kind = q->kind, .limit = q->limit, .cursor = q->cursor
	};
	struct inbox_page page = { .shelf = q->box };
	const struct inbox_counts *counts;
	struct inbox_part part;

	TRY(inbox_list(r->c, r->who, &asked, &part));
	counts = part.counts;
	page.waiting_n = counts->waiting;
	page.know_n = counts->know;
	page.next = next_path(r, q, part.next_cursor);
	page_divide(r, &part, &page);
	return reply_page(r, 0, &page);
}

/* ---- the settings ---- */

#define WAY_CHOICE(F, T) \
	F(T, STR,  value) \
	F(T, STR,  said) \
	F(T, BOOL, chosen)
SHAPE(way_choice, WAY_CHOICE);
#define WAY_FIELD(F, T) \
	F(T, STR,  kind) \
	F(T, STR,  what) \
	F(T, STR,  only,    .doc = "The one way that it has") \
	F(T, LIST, choices, .sub = &way_choice_shape)
SHAPE(way_field, WAY_FIELD);
#define INBOX_WAYS_PAGE(F, T) \
	F(T, LIST, kinds,     .sub = &way_field_shape) \
	F(T, STR,  digest_at) \
	F(T, STR,  zone)
SHAPE(inbox_ways_page, INBOX_WAYS_PAGE);

#define INBOX_WAYS_FORM(F, T) \
	F(T, STRS, ways, .flags = F_REQ, .hi = 40, .item_hi = 60, .doc = "kind.way of each") \
	F(T, STR,  digest_at, .hi = 5) \
	F(T, STR,  zone,      .hi = 64)
SHAPE(inbox_ways_form, INBOX_WAYS_FORM);

static const char *
way_said(const char *way)
{
	return str_eq(way, "mail")    ? "Inbox and e-mail"
	    : str_eq(way, "digest") ? "Inbox and once a day by e-mail"
	    : str_eq(way, "page")   ? "Inbox"
				    : "Not at all";
}

static struct way_field
way_field_of(struct ctx *c, const struct inbox_way *w)
{
	struct way_choice *v = mem_array(c->mem, struct way_choice, w->ways.n);

	for (size_t i = 0; i < w->ways.n; i++)
		v[i] = (struct way_choice){ mem_printf(c->mem, "%s.%s", w->kind, w->ways.v[i]),
			way_said(w->ways.v[i]), str_eq(w->way, w->ways.v[i]) };
	return (struct way_field){ .kind = w->kind,
		.what = w->title,
		.only = w->ways.n == 1 ? v->said : NULL,
		.choices = { v, w->ways.n } };
}

static enum err
h_ways(struct req *r)
{
	struct inbox_ways_page page;
	struct way_field *fields;
	struct inbox_settings s;

	TRY(inbox_settings_get(r->c, r->who, &s));
	fields = mem_array(r->c->mem, struct way_field, s.kinds.n);
	for (size_t i = 0; i < s.kinds.n; i++)
		fields[i] = way_field_of(r->c, (struct inbox_way *)s.kinds.v + i);
	page = (struct inbox_ways_page){ { fields, s.kinds.n }, s.digest_at, s.zone };
	return reply_page(r, 0, &page);
}

static enum err
h_ways_form(struct req *r)
{
	const struct inbox_ways_form *in = r->in;
	struct buf b = BUF(r->c->mem);
	char between = '{';

	for (size_t i = 0; i < in->ways.n; i++) {
		char *way = mem_strdup(r->c->mem, in->ways.v[i]), *kind = str_split(&way, '.');

		buf_chr(&b, between);
		buf_json(&b, kind);
		buf_chr(&b, ':');
		buf_json(&b, way ? way : "");
		between = ',';
	}
	buf_str(&b, in->ways.n ? "}" : "{}");
	TRY(inbox_settings_put(r->c, r->who,
	    &(struct inbox_settings_edit){ .ways = buf_done(&b),
		.digest_at = str_given(in->digest_at),
		.zone = str_given(in->zone) }));
	return form_done(r, NULL);
}

/* ---- links in e-mails ---- */

/* Mail programs open links by themselves, so this changes nothing. */
static enum err
h_stop_ask(struct req *r)
{
	const struct stop_query *q = r->query;
	struct unsubscribe *what;

	TRY(inbox_stop_find(r->c, q->t, &what));
	return reply_page(r, 0, what);
}

/* A mail program may send this for its person (RFC 8058): without a cookie or a page. We ignore the
 * body. */
static enum err
h_stop(struct req *r)
{
	const struct stop_query *q = r->query;

	TRY(inbox_stop(r->c, q->t));
	return reply_page(r, 0, NULL);
}

static const struct route inbox_page_routes[] = {
  { PAGE("/inbox", SESSION, inbox, h_inbox_page), .query = &inbox_page_query_shape,
    .title = "Inbox", .doc = "What waits for you, what you should know, and what is done" },
  { POST, "/inbox/seen", SESSION, DOES("POST /v1/inbox/seen"),
    .then = "/inbox?done=inbox_seen", .again = "/inbox", .doc = "Mark all as seen" },
  { POST, "/inbox/{inb}", SESSION, DOES("PATCH /v1/inbox/{inb}"),
    .then = "/inbox?done=inbox_done", .again = "/inbox", .doc = "Mark an item as done" },
  { PAGE("/auth/account/inbox", SESSION, inbox_ways, h_ways),
    .title = "Notifications", .doc = "How you hear of each kind of items" },
  { FORM("/auth/account/inbox", SESSION, inbox_ways_form, h_ways_form),
    .then = "/auth/account/inbox?done=inbox_ways", .again = "/auth/account/inbox",
    .doc = "Change how you hear of them" },
  { PAGE_OF(INBOX_STOP, PUBLIC, "unsubscribe", &unsubscribe_shape, h_stop_ask),
    .query = &stop_query_shape,
    .doc = "Asks whether to stop e-mail of a kind, with the link from one" },
  { POST, INBOX_STOP, PUBLIC, TAKES_NOTHING,
    { ANSWER_PAGE, "unsubscribe", &unsubscribe_shape }, h_stop,
    .query = &stop_query_shape, .doc = "Stop e-mail of a kind" },
};
ROUTES(inbox_page, "Pages: inbox",
    "The inbox in the browser.");
