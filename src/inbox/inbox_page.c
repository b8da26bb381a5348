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
	F(T, OBJ,  counts,   .sub = &inbox_counts_shape) \
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

static enum err
h_inbox_page(struct req *r)
{
	const struct inbox_page_query *q = r->query;
	const struct inbox_query asked = {
		.box = q->box, .kind = q->kind, .limit = q->limit, .cursor = q->cursor
	};
	struct inbox_page page = { 0 };
	struct inbox_part part;

	TRY(inbox_list(r->c, r->who, &asked, &part));
	page.counts = part.counts;
	page.next = req_next(r, part.next_cursor, NEXT_WITHOUT);
	page_divide(r, &part, &page);
	return reply_page(r, 0, &page);
}

/* ---- the settings ---- */

#define INBOX_WAYS_FORM(F, T) \
	F(T, STRS, ways, .flags = F_REQ, .hi = 40, .item_hi = 60, .doc = "kind.way of each") \
	F(T, STR,  digest_at, .hi = 5) \
	F(T, STR,  zone,      .hi = 64)
SHAPE(inbox_ways_form, INBOX_WAYS_FORM);

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
  { SHOWN_PAGE("/auth/account/inbox", SESSION, "inbox_ways"),
    .shows = SHOWS({ "settings", "GET /v1/inbox/settings" }),
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
