/* SPDX-License-Identifier: Apache-2.0
 * Routes of /v1/metric-watch and /v1/metric-alerts. Source: interface, "Metric alerts and
 * watches"; watch/README.md. */
#include "base/str.h"
#include "core/artifact.h"
#include "core/who_api.h"
#include "http/req.h"
#include "watch/alert.h"
#include "watch/watch.h"

/* ---- watches ---- */

static enum err
h_watches(struct req *r)
{
	const struct metric_query *q = r->query;
	struct metric_watch_list rows;

	TRY(watch_list(r->c, r->who, q->artifact_id, &rows));
	return reply_part(
	    r, &(struct list){ rows.v, rows.n }, LIST_RISING, q->limit, q->cursor);
}

static enum err
watch_reply(struct req *r, const char *id)
{
	struct metric_watch *w;

	TRY(watch_get(r->c, r->art, r->who, id, &w));
	return reply_noun(r, w);
}

static enum err
h_watch_add(struct req *r)
{
	struct artifact *a;
	const char *id;

	TRY(watch_add(r->c, r->who, r->in, &id, &a));
	r->art = a;
	reply_header(r, "Location", "/v1/metric-watch/%s", id);
	return watch_reply(r, id);
}

static enum err
h_watch(struct req *r)
{
	return watch_reply(r, req_param(r, "watch"));
}

static enum err
h_watch_remove(struct req *r)
{
	TRY(watch_remove(r->c, r->who, req_param(r, "watch")));
	return reply_none(r);
}

/* ---- alerts ---- */

static enum err
h_alerts(struct req *r)
{
	const struct alert_query *q = r->query;
	struct metric_alert_list rows;

	TRY(alert_list(r->c, r->who, q->artifact_id, &rows));
	return reply_part(
	    r, &(struct list){ rows.v, rows.n }, LIST_RISING, q->limit, q->cursor);
}

/* made: generated secrets to show in this reply, or NULL. */
static enum err
alert_reply(struct req *r, const char *id, const struct alert_secrets *made)
{
	struct alert_destination *d;
	struct metric_alert *al;

	TRY(alert_get(r->c, r->art, r->who, id, &al));
	d = al->destinations.v;
	for (size_t i = 0; made && i < al->destinations.n; i++)
		for (size_t j = 0; j < made->n; j++)
			if (str_eq(d[i].id, made->v[j].id))
				d[i].secret = made->v[j].secret;
	return reply_noun(r, al);
}

static enum err
h_alert_add(struct req *r)
{
	const struct metric_alert_new *in = r->in;
	struct alert_secrets made;
	struct artifact *a;
	const char *id;

	TRY(alert_add(r->c, r->who, in, &id, &made));
	TRY(metric_artifact(r->c, in->artifact_id, r->who, false, ROLE_EDITOR, &a));
	r->art = a;
	reply_header(r, "Location", "/v1/metric-alerts/%s", id);
	return alert_reply(r, id, &made);
}

static enum err
h_alert(struct req *r)
{
	return alert_reply(r, req_param(r, "alert"), NULL);
}

static enum err
h_alert_change(struct req *r)
{
	const char *id = req_param(r, "alert");
	struct alert_secrets made;

	TRY(alert_change(r->c, r->art, r->who, id, r->in, &made));
	return alert_reply(r, id, &made);
}

static enum err
h_alert_delete(struct req *r)
{
	TRY(alert_delete(r->c, r->art, r->who, req_param(r, "alert")));
	return reply_none(r);
}

static enum err
h_alert_subscribe(struct req *r)
{
	const struct alert_subscribe *in = r->in;
	const char *id = req_param(r, "alert");

	TRY(alert_subscribe(r->c, r->art, r->who, id, in ? in->email : NULL));
	return alert_reply(r, id, NULL);
}

static enum err
h_alert_unsubscribe(struct req *r)
{
	const char *id = req_param(r, "alert");

	TRY(alert_unsubscribe(r->c, r->art, r->who, id));
	return alert_reply(r, id, NULL);
}

#define ALERT_PATH "/v1/metric-alerts/{alert}"
static const struct noun watch_noun =
    NOUN_OF_ARTIFACT("watch", "watched artifact", watch_artifact);
static const struct noun alert_noun =
    NOUN_OF_ARTIFACT("alert", "artifact that the alert is on", alert_artifact);
/* A role on the artifact; the handler checks whose watch it is. */
static WHO(WATCH_VIEW, "watch_view", KNOWN, &watch_noun, ROLE_VIEWER);
static WHO(ALERT_VIEW, "alert_view", KNOWN, &alert_noun, ROLE_VIEWER);
static WHO(ALERT_EDIT, "alert_edit", KNOWN, &alert_noun, ROLE_EDITOR, .lock = true,
    .governed = true);

static const struct route metric_routes[] = {
/* method  path                        who body                      reply
 * handler */
  { GET,    "/v1/metric-watch",         SIGNED_IN,
    TAKES_NOTHING,            GIVES_LIST("watches", metric_watch), h_watches,
    .scope = DATA_READ, .query = &metric_query_shape,
    .doc = "List your watches on one artifact or all; "
	   "if you can edit the artifact, everyone's on tables whose rows you can all see" },
  { POST,   "/v1/metric-watch",         SIGNED_IN,
    TAKES(metric_watch_new),  GIVES("watch", metric_watch),        h_watch_add,
    .slow = true, .scope = DATA_WRITE, .success = 201,
    .doc = "Watch a table: you get an e-mail when a measure of the rows you can see "
	   "changes by threshold_pct" },
  { GET,    "/v1/metric-watch/{watch}", WATCH_VIEW,
    TAKES_NOTHING,            GIVES("watch", metric_watch),        h_watch,
    .scope = DATA_READ, .doc = "Get one of your watches" },
  { DELETE, "/v1/metric-watch/{watch}", WATCH_VIEW,
    TAKES_NOTHING,            GIVES_NOTHING,                       h_watch_remove,
    .scope = DATA_WRITE, .doc = "Remove one of your watches" },
  { GET,    "/v1/metric-alerts",        SIGNED_IN,
    TAKES_NOTHING,            GIVES_LIST("alerts", metric_alert),  h_alerts,
    .scope = ARTIFACTS_READ, .query = &alert_query_shape,
    .doc = "List an artifact's alerts, except on tables where you can't see all rows" },
  { POST,   "/v1/metric-alerts",        SIGNED_IN,
    TAKES(metric_alert_new),  GIVES("alert", metric_alert),        h_alert_add,
    .slow = true, .scope = ARTIFACTS_PUBLISH, .success = 201,
    .doc = "Create an alert on a table whose rows you can all see; "
	   "for the artifact's owner and editors, and admins of its workspace" },
  { GET,    ALERT_PATH,                 ALERT_VIEW,
    TAKES_NOTHING,            GIVES("alert", metric_alert),        h_alert,
    .scope = ARTIFACTS_READ, .doc = "Get one alert" },
  { PATCH,  ALERT_PATH,                 ALERT_EDIT,
    TAKES(metric_alert_edit), GIVES("alert", metric_alert),        h_alert_change,
    .scope = ARTIFACTS_PUBLISH,
    .doc = "Change an alert, turn it on or off, or set whom it notifies" },
  { DELETE, ALERT_PATH,                 ALERT_EDIT,
    TAKES_NOTHING,            GIVES_NOTHING,                       h_alert_delete,
    .scope = ARTIFACTS_PUBLISH, .doc = "Delete an alert" },
  { POST,   ALERT_PATH "/subscribe",    ALERT_VIEW,
    { BODY_JSON_OPTIONAL, &alert_subscribe_shape }, GIVES("alert", metric_alert),
    h_alert_subscribe,
    .scope = DATA_WRITE, .doc = "Get an alert by e-mail" },
  { DELETE, ALERT_PATH "/subscribe",    ALERT_VIEW,
    TAKES_NOTHING,            GIVES("alert", metric_alert),        h_alert_unsubscribe,
    .scope = DATA_WRITE, .doc = "Stop getting an alert by e-mail" },
};
ROUTES(metric, "Watches and alerts",
    "Measures of a table's rows: their count, or the sum, average, minimum, maximum, latest "
    "or number of distinct values of a column. A watch e-mails you when the measure changes; "
    "an alert notifies people and programs when it is above or below a value.");
