/* SPDX-License-Identifier: Apache-2.0
 * Pages for operators, who can find, pause, resume and delete anybody's artifact, and see how
 * backups and machines are. The log records each act and its actor. */
#include "app/operations.h"
#include "base/log.h"
#include "base/str.h"
#include "core/notice.h"
#include "core/storage.h"
#include "core/way.h"
#include "http/req.h"
#include "share/oversight.h"

#define STAFF_QUERY(F, T) \
	F(T, STR, q,      .hi = 254) \
	F(T, STR, cursor, .hi = 200) \
	F(T, STR, done,   .hi = 40)
SHAPE(staff_query, STAFF_QUERY);

#define STAFF_PAGE(F, T) \
	F(T, STR,  q) \
	F(T, STR,  done) \
	F(T, LIST, artifacts, .sub = &overseen_shape) \
	F(T, STR,  next) \
	F(T, STR,  owner,   .doc = "Whose artifacts these are, when it was asked for a person's") \
	F(T, OBJ,  storage, .sub = &storage_shape, .doc = "That person's") \
	F(T, OBJ,  service, .sub = &operations_shape, .doc = "On the first page, without a search")
SHAPE(staff_page, STAFF_PAGE);

enum { STAFF_ROWS = 50 };

static enum err
h_staff(struct req *r)
{
	const struct staff_query *q = r->query;
	struct staff_page page = { .q = str_given(q->q),
		.done = notice_text(r->c, q->done) };
	const struct overseen *first;
	struct operations service;
	struct storage *storage;
	const char *cursor;

	TRY(oversight_find(r->c, page.q, q->cursor, STAFF_ROWS, &page.artifacts, &cursor));
	/* A search for a person's address also shows that person's storage. */
	first = page.artifacts.v;
	if (page.q && strchr(page.q, '@') && page.artifacts.n) {
		TRY(storage_get(r->c, first->owner_id, &storage));
		page.storage = storage;
		page.owner = first->email;
	}
	page.next = req_next(r, cursor, NEXT_WITHOUT);
	if (!page.q && !q->cursor) {
		TRY(operations_read(r->c, &service));
		page.service = &service;
	}
	return reply_page(r, 0, &page);
}

static enum err
staff_change(struct req *r, enum oversight what, const char *word)
{
	TRY(oversight_change(r->c, req_param(r, "art"), what));
	log_line(LOG_LEVEL_WARN, "oversight", "request_id", r->id, "by", r->who->email, "did", word,
	    "artifact", req_param(r, "art"), NULL);
	return reply_redirect(r,
	    mem_printf(r->c->mem, "/staff?q=%s&done=%s", req_param(r, "art"), word));
}

static enum err
h_staff_pause(struct req *r)
{
	return staff_change(r, OVERSIGHT_PAUSE, "paused");
}

static enum err
h_staff_resume(struct req *r)
{
	return staff_change(r, OVERSIGHT_RESUME, "resumed");
}

static enum err
overseen_find(struct req *r, struct shown *out)
{
	const char *next;
	const struct overseen *a;
	struct list rows;

	TRY(oversight_find(r->c, req_param(r, "art"), NULL, 1, &rows, &next));
	if (!rows.n)
		return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	a = rows.v;
	return ASKED(r, out, .name = a->name, .words = a->email ? a->email : "its agent",
	    .url = a->url);
}

static enum err
h_staff_delete(struct req *r)
{
	return staff_change(r, OVERSIGHT_TRASH, "deleted");
}

static const struct route staff_routes[] = {
/*  method path                  who
    body                reply                handler */
  { GET,  "/staff",              OVERSIGHT,
    TAKES_NOTHING,      GIVES_PAGE(staff),   h_staff,
    .query = &staff_query_shape, .doc = "Everyone's artifacts" },
  { POST, "/staff/{art}/delete", OVERSIGHT,
    TAKES_FORM(button), GIVES_REDIRECT,      h_staff_delete,
    .ask = ASK("Delete {name}?",
	"It goes to the trash of {words}, who can restore it for a limited time.",
	"Delete artifact", "/staff", .find = overseen_find, .url = "{url}"),
    .doc = "Move it to its owner's trash" },
  { POST, "/staff/{art}/pause",  OVERSIGHT,
    TAKES_FORM(button), GIVES_REDIRECT,      h_staff_pause,
    .again = "/staff", .doc = "Close its addresses" },
  { POST, "/staff/{art}/resume", OVERSIGHT,
    TAKES_FORM(button), GIVES_REDIRECT,      h_staff_resume,
    .again = "/staff", .doc = "Open them again" },
};
ROUTES(staff, "Pages: staff",
    "What the people who run the service see of everyone's artifacts.");
