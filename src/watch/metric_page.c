/* SPDX-License-Identifier: Apache-2.0
 * Watches and alerts in the browser: watches on the page of their table, alerts on a page of the
 * Data tab. */
#include "watch/metric_page.h"

#include "base/email.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/artifact_top_page.h"
#include "core/find.h"
#include "core/way.h"
#include "data/table_page.h"
#include "http/form.h"
#include "watch/alert.h"

/* ---- watches ---- */

enum err
metric_page_watches(struct req *r, const char *table, struct list *out)
{
	struct metric_watch_list rows;

	TRY(watch_list_own(r->c, r->art, r->who, table, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		struct metric_watch *w = &rows.v[i];
		const struct metric m = { w->table, w->kind, w->column };

		w->words = metric_words(r->c->mem, &m);
	}
	*out = (struct list){ rows.v, rows.n };
	return E_OK;
}

/* The page's own `column` is that of its filter. */
#define WATCH_FORM(F, T) \
	F(T, WORD, kind,          .flags = F_REQ, .arg = METRIC_KINDS) \
	F(T, STR,  of_column,     .hi = 64) \
	F(T, NUM,  threshold_pct, .flags = F_REQ)
SHAPE(watch_form, WATCH_FORM);

/* The API's error "column: is …" is shown beside a field of another name. */
static enum err
form_refused(struct req *r, enum err e, const char *names, const char *field)
{
	const char *text = r->c->message, *after = text ? strstr(text, ": ") : NULL;

	if (e == E_INVALID && after &&
	    str_in(mem_strndup(r->c->mem, text, (size_t)(after - text)), names))
		r->c->message = mem_printf(r->c->mem, "%s%s", field, after);
	return e;
}

static enum err
h_watch_form(struct req *r)
{
	const char *table = req_param(r, "table"), *id;
	const struct watch_form *in = r->in;
	struct artifact *on;
	const struct metric_watch_new wanted = { .artifact_id = r->art->id,
		.table = table,
		.kind = in->kind,
		.column = in->of_column && *in->of_column ? in->of_column : NULL,
		.threshold_pct = in->threshold_pct,
		.has = { .threshold_pct = GIVEN } };

	TRY(form_refused(r, watch_add(r->c, r->who, &wanted, &id, &on), "column", "of_column"));
	return form_done(r, NULL);
}

/* ---- the list of alerts ---- */

#define ALERTS_PAGE(F, T) \
	F(T, LIST, alerts, .sub = &metric_alert_shape) \
	F(T, BOOL, may_manage) \
	F(T, LIST, tables, .sub = &data_table_shape, .doc = "Those that an alert may be of")
SHAPE(alerts_page, ALERTS_PAGE);

static void
alert_say(struct ctx *c, struct metric_alert *al)
{
	const struct metric m = { al->table, al->kind, al->column };

	al->words = mem_printf(c->mem, "%s, %s", metric_words(c->mem, &m), alert_limit(c->mem, al));
}

/* Lists the tables of which the caller sees all rows: the API tells their row_count. */
static enum err
tables_whole(struct req *r, struct list *out)
{
	struct data_table_list tables;
	const char *more;
	size_t n = 0;

	TRY(table_list(
	    r->c, r->art, r->who, &(struct page_query){ .limit = TABLES_MAX }, &tables, &more));
	for (size_t i = 0; i < tables.n; i++)
		if (tables.v[i].has.row_count != NULLED)
			tables.v[n++] = tables.v[i];
	*out = (struct list){ tables.v, n };
	return E_OK;
}

static enum err
h_alerts_page(struct req *r)
{
	struct alerts_page page = { 0 };
	struct metric_alert_list rows;

	TRY(alert_list(r->c, r->who, r->art->id, &rows));
	TRY(tables_whole(r, &page.tables));
	for (size_t i = 0; i < rows.n; i++)
		alert_say(r->c, &rows.v[i]);
	page.alerts = (struct list){ rows.v, rows.n };
	page.may_manage = alert_is_managed(r->art);
	return reply_page(r, 0, &page);
}

/* ---- one alert ---- */

#define ALERT_PAGE(F, T) \
	F(T, OBJ,  alert,  .sub = &metric_alert_shape)
SHAPE(alert_page, ALERT_PAGE);

static enum err
h_alert_page(struct req *r)
{
	struct alert_page page = { 0 };
	struct metric_alert *al;

	TRY(alert_get(r->c, r->art, r->who, req_param(r, "alert"), &al));
	alert_say(r->c, al);
	page.alert = al;
	return reply_page(r, 0, &page);
}

/* ---- recipients ---- */

/* Anybody who has a chat's address can post there. */
#define DESTINATION_FORM(F, T) \
	F(T, WORD, type,    .flags = F_REQ, .arg = ALERT_DESTINATION_TYPES) \
	F(T, STR,  address, .flags = F_REQ | F_SECRET, .lo = 1, .hi = 2048)
SHAPE(destination_form, DESTINATION_FORM);

static enum err
destination_form_add(struct req *r, const char *id, struct alert_secrets *made)
{
	const struct destination_form *in = r->in;
	struct alert_destination_new d = { .type = in->type };
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
	return destination_add(r->c, r->art, id, &d, made);
}

/* A new secret is shown on this page only. */
static enum err
h_destination_form(struct req *r)
{
	const char *id = req_param(r, "alert");
	struct alert_secrets made = { 0 };

	/* There is one field for what the API has three for. */
	TRY(form_refused(
	    r, destination_form_add(r, id, &made), "email|url|webhook_url", "address"));
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

#define STOP_QUERY(F, T) F(T, STR, t, .hi = 1000, .doc = "From the e-mail")
SHAPE(stop_query, STOP_QUERY);

#define UNSUBSCRIBE_PAGE(F, T) \
	F(T, STR, alert, .doc = "NULL: it has ended") \
	F(T, STR, email) \
	F(T, STR, action)
SHAPE(unsubscribe_page, UNSUBSCRIBE_PAGE);

/* Mail programs open links by themselves, so this changes nothing. */
static enum err
h_unsubscribe_ask(struct req *r)
{
	const struct stop_query *q = r->query;
	struct unsubscribe_page page = { .action = r->uri };
	struct alert_told *told;

	TRY(alert_stop_find(r->c, q->t, &told));
	if (told) {
		page.alert = told->alert;
		page.email = told->email;
	}
	return reply_page(r, 0, &page);
}

/* A mail program may send this for its person (RFC 8058): without a cookie or a page. We ignore the
 * body. */
static enum err
h_unsubscribe(struct req *r)
{
	const struct stop_query *q = r->query;

	TRY(alert_stop(r->c, q->t));
	return reply_page(r, 0, &(struct unsubscribe_page){ 0 });
}

#define GRID "/a/{art}/data/tables/{table}"
#define ALERTS "/a/{art}/data/alerts"
static const struct route metric_page_routes[] = {
  { FORM(GRID "/watch", ART_VIEW, watch_form, h_watch_form), .then = GRID "?done=watched#watch",
    .again = GRID, .slow = true, .doc = "Watch a table" },
  { POST, GRID "/watch/{watch}/remove", DOES("DELETE /v1/metric-watch/{watch}"),
    .then = GRID "?done=gone#watch", .again = GRID, .doc = "Remove a watch of yours" },
  { PAGE(ALERTS, ART_VIEW, alerts, h_alerts_page), .query = &tab_query_shape,
    .doc = "The alerts on its tables" },
  { POST, ALERTS, ART_CHANGE, DOES("POST /v1/metric-alerts"),
    .then = ALERTS "/{id}?done=alert_made", .again = ALERTS, .doc = "Create an alert" },
  { PAGE(ALERTS "/{alert}", ART_CHANGE, alert, h_alert_page), .query = &tab_query_shape,
    .opened = FIND_ALERT, .doc = "One alert, and whom it notifies" },
  { POST, ALERTS "/{alert}", DOES("PATCH /v1/metric-alerts/{alert}"),
    .then = ALERTS "/{alert}?done=saved", .again = ALERTS "/{alert}", .doc = "Change an alert" },
  { POST, ALERTS "/{alert}/enabled", DOES("PATCH /v1/metric-alerts/{alert}"),
    .then = ALERTS "?done=saved", .again = ALERTS, .doc = "Pause an alert, or resume it" },
  { POST, ALERTS "/{alert}/subscribe", DOES("POST /v1/metric-alerts/{alert}/subscribe"),
    .then = ALERTS "?done=saved", .again = ALERTS, .doc = "Get e-mail about an alert" },
  { POST, ALERTS "/{alert}/unsubscribe", DOES("DELETE /v1/metric-alerts/{alert}/subscribe"),
    .then = ALERTS "?done=saved", .again = ALERTS, .doc = "Get no e-mail about an alert" },
  { FORM(ALERTS "/{alert}/destinations", ART_CHANGE, destination_form, h_destination_form),
    .stays = ALERTS "/{alert}", .then = ALERTS "/{alert}?done=saved", .again = ALERTS "/{alert}",
    .doc = "Add a destination to an alert" },
  { FORM(ALERTS "/{alert}/destinations/{dst}/remove", ART_CHANGE, button, h_destination_remove),
    .then = ALERTS "/{alert}?done=gone", .again = ALERTS "/{alert}",
    .doc = "Remove a destination from an alert" },
  { POST, ALERTS "/{alert}/delete", DOES("DELETE /v1/metric-alerts/{alert}"),
    .ask = ASK("Delete the alert {name}?",
	"No one will be notified anymore. This can’t be undone.", "Delete alert",
	ALERTS "/{alert}", .of = "GET /v1/metric-alerts/{alert}", .who = ART_CHANGE),
    .then = ALERTS "?done=gone", .doc = "Delete an alert" },
  { PAGE(ALERT_STOP, PUBLIC, unsubscribe, h_unsubscribe_ask), .query = &stop_query_shape,
    .doc = "Asks whether to stop an alert's e-mail, with the link from one" },
  { POST, ALERT_STOP,                                  PUBLIC,
    TAKES_NOTHING,                 GIVES_PAGE(unsubscribe), h_unsubscribe,
    .query = &stop_query_shape, .doc = "Stop an alert's e-mail" },
};
ROUTES(metric_page, "Pages: watches and alerts",
    "Watches and alerts on an artifact's tables in the browser.");
