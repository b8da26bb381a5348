/* SPDX-License-Identifier: Apache-2.0
 * Reviews in the browser: the form on the page of versions, and a review's page, which people
 * outside of the workspace see in its looks. */
#include "base/email.h"
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "core/branding.h"
#include "http/req.h"
#include "db/db.h"
#include "review/review.h"
#include "site/compare_page.h"

/* ---- the form ---- */

enum { PEOPLE_CHARS = 16000 };

#define REVIEW_FORM(F, T) \
	F(T, STR, people,     .flags = F_REQ | F_LONG, .lo = 1, .hi = PEOPLE_CHARS, \
		.doc = "Addresses, and names of clients, on lines or between commas") \
	F(T, INT, version_no, .lo = 1, .hi = 2147483647) \
	F(T, STR, until,      .hi = 10, .doc = "A day, which ends at midnight, UTC") \
	F(T, STR, message,    .flags = F_LONG, .hi = 1000)
SHAPE(review_form, REVIEW_FORM);

#define NAMED_CLIENT(F, T) F(T, ID, id, .arg = "shr_")
SHAPE(named_client, NAMED_CLIENT);

static enum err
client_named(struct req *r, const char *name, const char **id)
{
	struct named_client *row;

	TRY(db_find(r->c,
	    ROWS(named_client, "SELECT id FROM sharee WHERE workspace_id = ? AND name = ?"),
	    ARGS(r->art->workspace_id, name), &row));
	*id = row ? row->id : NULL;
	return *id ? E_OK
		   : fail(r->c, E_INVALID,
			 "people: %s is neither an address nor the name of a client", name);
}

static enum err
people_read(struct req *r, char *text, struct list *out)
{
	struct review_ask *v = mem_array(r->c->mem, struct review_ask, REVIEW_ASKED);

	*out = (struct list){ v, 0 };
	for (char *p = text; *p; p++)
		*p = strchr("\r\n;", *p) ? ',' : *p;
	for (char *part; (part = str_split(&text, ','));) {
		const char *one = str_trimmed(r->c->mem, part);

		if (!*one)
			continue;
		if (out->n == REVIEW_ASKED)
			return fail(r->c, E_INVALID, "people: at most %d", REVIEW_ASKED);
		v[out->n].email = strchr(one, '@') ? email_read(r->c->mem, one) : NULL;
		if (!v[out->n].email)
			TRY(client_named(r, one, &v[out->n].sharee_id));
		out->n++;
	}
	return out->n ? E_OK : fail(r->c, E_INVALID, "people: name somebody");
}

static enum err
h_review_form(struct req *r)
{
	const struct review_form *in = r->in;
	struct review_new ask = { .version_no = in->version_no,
		.has.version_no = in->has.version_no,
		.message = in->message && *in->message ? str_lines(r->c->mem, in->message) : NULL };
	const char *id;

	TRY(people_read(r, mem_strdup(r->c->mem, in->people), &ask.ask));
	if (in->until && *in->until) {
		ask.has.due_at = GIVEN;
		if (!str_from_rfc3339(
			mem_printf(r->c->mem, "%sT23:59:59Z", in->until), &ask.due_at))
			return fail(
			    r->c, E_INVALID, "until: must be a day, such as 2027-01-31");
	}
	TRY(review_ask_people(r->c, r->art, r->who, &ask, &id));
	return reply_go(r, "/a/%s/reviews/%s?done=review_asked", r->art->id, id);
}

/* ---- the page ---- */

#define REVIEW_OF(F, T) F(T, INT, version_no)
SHAPE(review_of, REVIEW_OF);

/* Finds what differs, for a caller who sees the version: until the review ends, or with a role. */
static enum err
review_pictures(struct req *r, struct shown *out)
{
	struct review_of *row;

	TRY(db_find(r->c,
	    ROWS(review_of, "SELECT version_no FROM review WHERE id = ? AND artifact_id = ?"),
	    ARGS(req_param(r, "rvw"), r->art->id), &row));
	return row ? pictures_part_find(r, row->version_no, out) : E_OK;
}

static enum err
brand_find(struct req *r, struct shown *out)
{
	struct branding *brand;

	TRY(branding_get(r->c, r->art->workspace_id, &brand));
	*out = SHOWN(branding, brand);
	return E_OK;
}

/* Redirects a caller with a role on the artifact to its own page. */
static enum err
h_shared_review(struct req *r)
{
	return r->art->role
	    ? reply_go(r, "/a/%s/reviews/%s", r->art->id, req_param(r, "rvw"))
	    : reply_page(r, 0, NULL);
}

#define API "/v1/artifacts/{art}/reviews"
#define OWN "/a/{art}/reviews/{rvw}"
#define REVIEW_SHOWN \
	{ "review", "GET " API "/{rvw}" }, \
	    { "pictures", .find = review_pictures, .of = &pictured_shape }
#define SHARED "/shared/artifacts/{art}/reviews/{rvw}"
static const struct route review_page_routes[] = {
  { FORM("/a/{art}/reviews", ART_EDIT, review_form, h_review_form),
    .again = "/a/{art}/versions",
    .called = "ask=people&due_at=until", .doc = "Ask for a review of a version" },
  { SHOWN_PAGE(OWN, ART_VIEW, "review"), .shows = SHOWS(REVIEW_SHOWN),
    .query = &tab_query_shape, .title = "Review",
    .doc = "A review: who has answered what, and does it apply" },
  { POST, OWN "/answer", DOES("POST " API "/{rvw}/answer"),
    .then = OWN "?done=review_{answer}", .again = OWN, .doc = "Approve it, or send it back" },
  { POST, OWN "/close", DOES("POST " API "/{rvw}/close"),
    .then = OWN "?done=review_closed", .again = OWN, .doc = "Close a review" },
  { PAGE_OF(SHARED, ART_GIVEN, "shared_review", NULL, h_shared_review),
    .shows = SHOWS(REVIEW_SHOWN, { "brand", .find = brand_find, .of = &branding_shape }),
    .query = &tab_query_shape,
    .doc = "A review of something that is shared with you" },
  { POST, SHARED "/answer", DOES("POST " API "/{rvw}/answer"),
    .then = SHARED "?done=review_{answer}", .again = SHARED,
    .doc = "Approve it, or send it back" },
};
ROUTES(review_page, "Pages: reviews", "What people see of reviews in the browser.");
