/* SPDX-License-Identifier: Apache-2.0
 * Destinations of alerts: e-mail addresses, and webhooks or chats. Each webhook or chat has a
 * job of its own, which keeps the secrets and appears in no list of jobs. */
#include "base/id.h"
#include "base/str.h"
#include "core/user.h"
#include "jobs/job.h"
#include "watch/alert.h"

SHAPE_DEFINE(alert_destination, ALERT_DESTINATION);
SHAPE_DEFINE(alert_destination_new, ALERT_DESTINATION_NEW);

/* ---- reading ---- */

enum err
destinations_of(struct ctx *c, const struct artifact *a, struct alert_destination_list *out)
{
	TRY(db_all(c,
	    ROWS(alert_destination,
		"SELECT d.id, d.type, d.email, d.alert_id, d.job_id, j.config,"
		" (SELECT r.status FROM job_run r"
		" WHERE r.job_id = d.job_id ORDER BY r.id DESC LIMIT 1) AS last_status"
		" FROM metric_alert al JOIN metric_destination d ON d.alert_id = al.id"
		" LEFT JOIN job j ON j.id = d.job_id WHERE al.artifact_id = ?"
		" ORDER BY al.id, d.place, d.id"),
	    ARGS(a->id), out));
	for (size_t i = 0; i < out->n; i++) {
		struct alert_destination *d = &out->v[i];
		struct json *config;

		if (!d->config || json_parse(c, d->config, strlen(d->config), &config))
			continue;
		d->url = json_str(json_get(config, "url"));
		d->webhook_host = json_str(json_get(config, "webhook_host"));
	}
	return E_OK;
}

/* ---- the job of a destination ---- */

#define DESTINATION_CONFIG(F, T) \
	F(T, STR,  url,         .flags = F_OPT) \
	F(T, STR,  secret,      .flags = F_OPT) \
	F(T, JSON, headers,     .flags = F_OPT) \
	F(T, STR,  webhook_url, .flags = F_OPT) \
	F(T, STR,  text,        .flags = F_OPT)
SHAPE(destination_config, DESTINATION_CONFIG);

/* Returns the config of the destination's job. */
static const char *
destination_config(struct ctx *c, const struct alert_destination_new *in)
{
	return shape_text(c->mem, &destination_config_shape,
	    &(struct destination_config){ .url = in->url,
		.secret = in->secret,
		.headers = in->headers,
		.webhook_url = in->webhook_url,
		.text = str_in(in->type, "chat_a|chat_b") ? "{{alert.text}}" : NULL });
}

/* Turns "config.url: is …" into "destinations[0].url: is …". Returns e. */
static enum err
destination_refused(struct ctx *c, const char *at, enum err e)
{
	static const char before[] = "config.";

	if (e == E_INVALID && str_starts(c->message, before))
		c->message = mem_printf(c->mem, "%s%s", at, c->message + sizeof before - 1);
	return e;
}

/* ---- changing ---- */

static enum err
destination_check(struct ctx *c, const char *at, const struct alert_destination_new *in)
{
	bool email = str_eq(in->type, "email");

	if (email && !in->email)
		return fail(
		    c, E_INVALID, "%semail: is required for a destination of type email", at);
	if (!email && in->email)
		return fail(
		    c, E_INVALID, "%semail: applies only to destinations of type email", at);
	return E_OK;
}

static void
secret_note(struct alert_secrets *made, const char *id, const char *secret)
{
	if (!secret || made->n == ALERT_DESTINATIONS)
		return;
	made->v[made->n].id = id;
	made->v[made->n++].secret = secret;
}

static enum err
destination_insert(struct ctx *c, const struct artifact *a, const char *alert_id, const char *at,
    int64_t place, const struct alert_destination_new *in, struct alert_secrets *made)
{
	const char *id = id_new(c->mem, "dst_"), *job = NULL, *secret = NULL;

	TRY(destination_check(c, at, in));
	if (!in->email)
		TRY(destination_refused(c, at,
		    job_add_alert(
			c, a, in->type, destination_config(c, in), &job, &secret)));
	secret_note(made, id, secret);
	return db_exec(c,
	    EXEC(
		"INSERT INTO metric_destination (id, alert_id, place, type, email, job_id)"
		" VALUES (?, ?, ?, ?, ?, ?)"),
	    ARGS(id, alert_id, place, in->type, in->email ? email_fold(c, in->email) : NULL, job),
	    NULL);
}

static enum err
destination_change(struct ctx *c, const struct artifact *a, const struct alert_destination *old,
    const char *at, int64_t place, const struct alert_destination_new *in,
    struct alert_secrets *made)
{
	const char *secret = NULL;

	if (!str_eq(old->type, in->type))
		return fail(c, E_INVALID,
		    "%stype: %s is of type %s; leave out the id to add a new destination", at,
		    old->id, old->type);
	TRY(destination_check(c, at, in));
	if (old->job_id)
		TRY(destination_refused(c, at,
		    job_change_alert(
			c, a, old->job_id, destination_config(c, in), &secret)));
	secret_note(made, old->id, secret);
	return db_exec1(c,
	    EXEC("UPDATE metric_destination SET place = ?, email = ? WHERE id = ?"),
	    ARGS(place, in->email ? email_fold(c, in->email) : NULL, old->id));
}

/* The runner deletes the job later, with its runs. */
static enum err
destination_drop(struct ctx *c, const struct artifact *a, const struct alert_destination *d)
{
	if (d->job_id)
		TRY(job_delete_alert(c, a, d->job_id));
	return db_exec(c, EXEC("DELETE FROM metric_destination WHERE id = ?"), ARGS(d->id), NULL);
}

static enum err
destinations_read(struct ctx *c, const char *alert_id, struct alert_destination_list *out)
{
	return db_all(c,
	    ROWS(alert_destination,
		"SELECT d.id, d.type, d.email, d.alert_id, d.job_id FROM metric_destination d"
		" WHERE d.alert_id = ? ORDER BY d.place, d.id"),
	    ARGS(alert_id), out);
}

static const struct alert_destination *
destination_named(const struct alert_destination_list *all, const char *id)
{
	for (size_t i = 0; id && i < all->n; i++)
		if (str_eq(all->v[i].id, id))
			return &all->v[i];
	return NULL;
}

static enum err
destination_put(struct ctx *c, const struct artifact *a, const char *alert_id,
    const struct alert_destination_list *all, const struct list *in, size_t i,
    struct alert_secrets *made)
{
	const struct alert_destination_new *d = (const struct alert_destination_new *)in->v + i;
	const struct alert_destination *old = destination_named(all, d->id);
	const char *at = mem_printf(c->mem, "destinations[%zu].", i);

	for (size_t j = 0; d->id && j < i; j++)
		if (str_eq(d->id, (d - i + j)->id))
			return fail(c, E_INVALID, "%sid: is given twice", at);
	if (d->id && !old)
		return fail(c, E_INVALID, "%sid: this alert has no destination %s", at, d->id);
	return old ? destination_change(c, a, old, at, (int64_t)i, d, made)
		   : destination_insert(c, a, alert_id, at, (int64_t)i, d, made);
}

enum err
destinations_replace(struct ctx *c, const struct artifact *a, const char *alert_id,
    const struct list *in, struct alert_secrets *made)
{
	const struct alert_destination_new *d = in->v;
	struct alert_destination_list all;

	TRY(destinations_read(c, alert_id, &all));
	for (size_t i = 0; i < all.n; i++) {
		bool stays = false;

		for (size_t j = 0; j < in->n && !stays; j++)
			stays = str_eq(d[j].id, all.v[i].id);
		if (!stays)
			TRY(destination_drop(c, a, &all.v[i]));
	}
	for (size_t i = 0; i < in->n; i++)
		TRY(destination_put(c, a, alert_id, &all, in, i, made));
	return E_OK;
}

enum err
destination_add(struct ctx *c, const struct artifact *a, const char *alert_id,
    const struct alert_destination_new *in, struct alert_secrets *made)
{
	struct alert_destination_list all;

	TRY(destinations_read(c, alert_id, &all));
	if (all.n >= ALERT_DESTINATIONS)
		return fail(c, E_CONFLICT,
		    "The alert has %d destinations, the maximum; remove one first",
		    ALERT_DESTINATIONS);
	return destination_insert(c, a, alert_id, "", (int64_t)all.n, in, made);
}

enum err
destination_remove(
    struct ctx *c, const struct artifact *a, const char *alert_id, const char *id)
{
	struct alert_destination_list all;
	const struct alert_destination *old;

	TRY(destinations_read(c, alert_id, &all));
	old = destination_named(&all, id);
	return old ? destination_drop(c, a, old)
		   : fail(c, E_NOT_FOUND, "This destination no longer exists");
}

enum err
destinations_drop(struct ctx *c, const struct artifact *a, const char *alert_id)
{
	struct alert_destination_list all;

	TRY(destinations_read(c, alert_id, &all));
	for (size_t i = 0; i < all.n; i++)
		TRY(destination_drop(c, a, &all.v[i]));
	return E_OK;
}

/* ---- ending e-mails by a link ---- */

static const char stop_purpose[] = "alert mail";

/* Of a destination "dst_…" and its address, or an alert "alr_…" and a person "usr_…". */
const char *
alert_stop_path(struct ctx *c, const char *id, const char *whom)
{
	return stop_path(c, ALERT_STOP, stop_purpose, id, whom);
}

#define ALERT_SAID "CONCAT('the alert “', al.name, '”') AS what"
enum err
alert_stop_find(struct ctx *c, const char *sealed, struct unsubscribe **out)
{
	const char *id, *whom;

	TRY(stop_open(c, stop_purpose, sealed, &id, &whom));
	if (str_starts(id, "dst_"))
		return db_find(c,
		    ROWS(unsubscribe,
			"SELECT d.email, " ALERT_SAID
			" FROM metric_destination d JOIN metric_alert al ON al.id = d.alert_id"
			" WHERE d.id = ? AND d.email = ?"),
		    ARGS(id, whom), out);
	return db_find(c,
	    ROWS(unsubscribe,
		"SELECT COALESCE(s.email, u.email) AS email, " ALERT_SAID
		" FROM metric_subscription s"
		" JOIN user u ON u.id = s.user_id JOIN metric_alert al ON al.id = s.alert_id"
		" WHERE s.alert_id = ? AND s.user_id = ?"),
	    ARGS(id, whom), out);
}

enum err
alert_stop(struct ctx *c, const char *sealed)
{
	const char *id, *whom;

	TRY(stop_open(c, stop_purpose, sealed, &id, &whom));
	if (str_starts(id, "dst_"))
		return db_exec(c,
		    EXEC("DELETE FROM metric_destination WHERE id = ? AND email = ?"),
		    ARGS(id, whom), NULL);
	return db_exec(c,
	    EXEC("DELETE FROM metric_subscription WHERE alert_id = ? AND user_id = ?"),
	    ARGS(id, whom), NULL);
}
