/* SPDX-License-Identifier: Apache-2.0
 * Watches and alerts in the browser: watches on the page of their table, alerts on a page of the
 * Data tab. */
#include "base/email.h"
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "core/find.h"
#include "core/way.h"
#include "http/form.h"
#include "watch/alert.h"

/* ---- alerts ---- */

static enum err
alerts_say(struct req *r, struct shown *out)
{
	struct metric_alert *al = out->rows.v;

	for (size_t i = 0; i < out->rows.n; i++)
		alert_say(r->c, &al[i]);
	return E_OK;
}

static enum err
alert_find(struct req *r, struct shown *out)
{
	struct metric_alert *al;

	TRY(alert_get(r->c, r->art, r->who, req_param(r, "alert"), &al));
	alert_say(r->c, al);
	*out = SHOWN(metric_alert, al);
	return E_OK;
}

/* ---- recipients ---- */

/* The address is a secret: anybody who has a chat's address can post there. */
#define DESTINATION_FORM(F, T) \
	F(T, WORD, type,    .flags = F_REQ, .arg = ALERT_DESTINATION_TYPES) \
	F(T, STR,  address, .flags = F_REQ | F_SECRET, .lo = 1, .hi = 2048)
SHAPE(destination_form, DESTINATION_FORM);

/* Adds a destination. The form has one field where the API has three. A new secret is shown once,
 * on the page that follows. */
static enum err
h_destination_form(struct req *r)
{
	const struct destination_form *in = r->in;
	struct alert_destination_new d = { .type = in->type };
	const char *id = req_param(r, "alert");
	struct alert_secrets made = { 0 };
	struct metric_alert *al;

	TRY(alert_get(r->c, r->art, r->who, id, &al));
	if (str_eq(in->type, "email"))
		d.email = in->address;
	else if (str_eq(in->type, "webhook"))
		d.url = in->address;
	else
		d.webhook_url = in->address;
	if (d.email && !(d.email = email_read(r->c->mem, d.email)))
		return fail(r->c, E_INVALID, "email: must be an e-mail address");
	TRY(destination_add(r->c, r->art, id, &d, &made));
	return made.n ? form_stay(r, made.v[0].secret) : form_done(r, NULL);
}

static enum err
h_destination_remove(struct req *r)
{
	const char *id = req_param(r, "alert");
	struct metric_alert *al;

	TRY(alert_get(r->c, r->art, r->who, id, &al));
	TRY(destination_remove(r->c, r->art, al->id, req_param(r, "dst")));
	return form_done(r, NULL);
}

/* ---- links in e-mails, for people without an account, too ---- */

/* Mail programs open links by themselves, so this changes nothing. */
static enum err
h_unsubscribe_ask(struct req *r)
{
	const struct stop_query *q = r->query;
	struct unsubscribe *told;

	TRY(alert_stop_find(r->c, q->t, &told));
	return reply_page(r, 0, told);
}

/* A mail program may send this for its person (RFC 8058): without a cookie or a page. We ignore the
 * body. */
static enum err
h_unsubscribe(struct req *r)
{
	const struct stop_query *q = r->query;

	TRY(alert_stop(r->c, q->t));
	return reply_page(r, 0, NULL);
}

#define GRID "/a/{art}/data/tables/{table}"
#define ALERTS "/a/{art}/data/alerts"
static const struct route metric_page_routes[] = {
  { POST, GRID "/watch", ART_VIEW, DOES("POST /v1/metric-watch"), .called = "column=of_column",
    .then = GRID "?done=watched#watch", .again = GRID, .doc = "Watch a table" },
  { POST, GRID "/watch/{watch}/remove", DOES("DELETE /v1/metric-watch/{watch}"),
    .then = GRID "?done=gone#watch", .again = GRID, .doc = "Remove a watch of yours" },
  { SHOWN_PAGE(ALERTS, ART_VIEW, "alerts"), .query = &tab_query_shape,
    .shows = SHOWS({ "alerts", "GET /v1/metric-alerts?artifact_id={art}&limit=200", alerts_say },
	{ "tables", "GET /v1/data/{art}/tables?limit=200" }),
    .title = "Alerts", .doc = "The alerts on its tables" },
  { POST, ALERTS, ART_CHANGE, DOES("POST /v1/metric-alerts"),
    .then = ALERTS "/{id}?done=alert_made", .again = ALERTS, .doc = "Create an alert" },
  { SHOWN_PAGE(ALERTS "/{alert}", ART_CHANGE, "alert"), .query = &tab_query_shape,
    .shows = SHOWS({ "alert", .find = alert_find, .of = &metric_alert_shape }),
    .opened = FIND_ALERT, .title = "Alert", .doc = "One alert, and whom it notifies" },
  { POST, ALERTS "/{alert}", DOES("PATCH /v1/metric-alerts/{alert}"),
    .then = ALERTS "/{alert}?done=saved", .again = ALERTS "/{alert}", .doc = "Change an alert" },
  { POST, ALERTS "/{alert}/enabled", DOES("PATCH /v1/metric-alerts/{alert}"),
    .then = ALERTS "?done=saved", .again = ALERTS, .doc = "Pause an alert, or resume it" },
  { POST, ALERTS "/{alert}/subscribe", DOES("POST /v1/metric-alerts/{alert}/subscribe"),
    .then = ALERTS "?done=saved", .again = ALERTS, .doc = "Get e-mail about an alert" },
  { POST, ALERTS "/{alert}/unsubscribe", DOES("DELETE /v1/metric-alerts/{alert}/subscribe"),
    .then = ALERTS "?done=saved", .again = ALERTS, .doc = "Get no e-mail about an alert" },
  { FORM(ALERTS "/{alert}/destinations", ART_CHANGE, destination_form, h_destination_form),
    .called = "email=address&url=address&webhook_url=address", .stays = ALERTS "/{alert}",
    .then = ALERTS "/{alert}?done=saved", .again = ALERTS "/{alert}",
    .doc = "Add a destination to an alert" },
  { FORM(ALERTS "/{alert}/destinations/{dst}/remove", ART_CHANGE, button, h_destination_remove),
    .then = ALERTS "/{alert}?done=gone", .again = ALERTS "/{alert}",
    .doc = "Remove a destination from an alert" },
  { POST, ALERTS "/{alert}/delete", DOES("DELETE /v1/metric-alerts/{alert}"),
    .ask = ASK("Delete the alert {name}?",
	"No one will be notified anymore. This can’t be undone.", "Delete alert",
	ALERTS "/{alert}", .of = "GET /v1/metric-alerts/{alert}", .who = ART_CHANGE),
    .then = ALERTS "?done=gone", .doc = "Delete an alert" },
  { PAGE_OF(ALERT_STOP, PUBLIC, "unsubscribe", &unsubscribe_shape, h_unsubscribe_ask),
    .query = &stop_query_shape,
    .doc = "Asks whether to stop an alert's e-mail, with the link from one" },
  { POST, ALERT_STOP, PUBLIC, TAKES_NOTHING,
    { ANSWER_PAGE, "unsubscribe", &unsubscribe_shape }, h_unsubscribe,
    .query = &stop_query_shape, .doc = "Stop an alert's e-mail" },
};
ROUTES(metric_page, "Pages: watches and alerts",
    "Watches and alerts on an artifact's tables in the browser.");
