/* SPDX-License-Identifier: Apache-2.0
 * Alerts notify people and programs when a measure of a table (watch/metric.h) passes a value or
 * jumps between two checks, and when that is over. An alert measures all rows, so people who
 * don't see all rows can't see alerts. Source: interface, "Metric alerts and watches";
 * watch/README.md. */
#ifndef VITRINE_ALERT_H
#define VITRINE_ALERT_H
#include "inbox/stop.h"
#include "jobs/run.h"
#include "watch/metric.h"

enum { ALERTS_MAX = 50 /* for each artifact */, ALERT_DESTINATIONS = 10 };

#define ALERT_OPS "above|below|change_pct"
#define ALERT_STATES "ok|firing|no_data"
#define ALERT_DESTINATION_TYPES "email|webhook|chat_a|chat_b"

#define ALERT_DESTINATION(F, T) \
	F(T, ID,   id,           .arg = "dst_") \
	F(T, WORD, type,         .arg = ALERT_DESTINATION_TYPES) \
	F(T, STR,  email,        .flags = F_OPT, .doc = "For email") \
	F(T, STR,  url,          .flags = F_OPT, .doc = "For webhook") \
	F(T, STR,  webhook_host, .flags = F_OPT, \
		.doc = "For chat_a and chat_b: the host of webhook_url, which is kept secret") \
	F(T, WORD, last_status,  .flags = F_OPT, .arg = RUN_STATUSES, \
		.doc = "Status of the last call; absent before the first") \
	F(T, STR,  secret,       .flags = F_OPT, \
		.doc = "For a webhook created without a secret: " \
		       "the generated one, shown only once") \
	F(T, ID,   alert_id,     .flags = F_HID, .arg = "alr_") \
	F(T, ID,   job_id,       .flags = F_HID, .arg = "job_") \
	F(T, STR,  config,       .flags = F_HID)
SHAPE_DECLARE(alert_destination, ALERT_DESTINATION);

#define METRIC_ALERT(F, T) \
	F(T, ID,   id,              .arg = "alr_") \
	F(T, ID,   artifact_id,     .arg = "art_") \
	F(T, STR,  name) \
	F(T, STR,  table) \
	F(T, WORD, kind,            .arg = METRIC_KINDS) \
	F(T, STR,  column,          .flags = F_NUL) \
	F(T, WORD, op,              .arg = ALERT_OPS) \
	F(T, NUM,  value) \
	F(T, INT,  breaches) \
	F(T, BOOL, enabled) \
	F(T, LIST, destinations,    .flags = F_NUL, .sub = &alert_destination_shape, \
		.doc = "null unless you can manage the artifact's alerts") \
	F(T, WORD, state,           .arg = ALERT_STATES) \
	F(T, TIME, state_since) \
	F(T, NUM,  last_value,      .flags = F_NUL) \
	F(T, TIME, last_checked_at, .flags = F_NUL) \
	F(T, BOOL, subscribed,      .doc = "Whether you're notified by e-mail") \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	F(T, INT,  breached,        .flags = F_HID) \
	F(T, INT,  checks,          .flags = F_HID) \
	F(T, ID,   owner_id,        .flags = F_HID, .arg = "usr_") \
	F(T, STR,  words,           .flags = F_HID, \
		.doc = "For pages: \"Number of rows in guests, above 100\"")
SHAPE_DECLARE(metric_alert, METRIC_ALERT);

#define ALERT_DESTINATION_NEW(F, T) \
	F(T, ID,    id,          .arg = "dst_", \
		.doc = "An existing destination to keep, with its secrets; " \
		       "the other fields update it") \
	F(T, WORD,  type,        .flags = F_REQ, .arg = ALERT_DESTINATION_TYPES) \
	F(T, EMAIL, email,       .doc = "For email") \
	F(T, STR,   url,         .hi = 2048, .doc = "For webhook") \
	F(T, STR,   secret,      .hi = 200, \
		.doc = "For webhook: whsec_ followed by base64; generated if absent") \
	F(T, JSON,  headers,     .arg = "object", \
		.doc = "For webhook: additional request headers") \
	F(T, STR,   webhook_url, .hi = 2048, .doc = "For chat_a and chat_b")
SHAPE_DECLARE(alert_destination_new, ALERT_DESTINATION_NEW);

#define METRIC_ALERT_NEW(F, T) \
	F(T, ID,   artifact_id,  .flags = F_REQ, .arg = "art_") \
	F(T, STR,  name,         .flags = F_REQ, .lo = 1, .hi = 120, .eg = "\"Full house\"") \
	F(T, STR,  table,        .flags = F_REQ, .lo = 1, .hi = 64, .eg = "\"guests\"") \
	F(T, WORD, kind,         .flags = F_REQ, .arg = METRIC_KINDS, .eg = "\"row_count\"") \
	F(T, STR,  column,       .flags = F_NUL, .lo = 1, .hi = 64, \
		.doc = "Required for every kind but row_count, which takes none; " \
		       "must hold numbers, except for distinct") \
	F(T, WORD, op,           .flags = F_REQ, .arg = ALERT_OPS, .eg = "\"above\"") \
	F(T, NUM,  value,        .flags = F_REQ, .eg = "100", \
		.doc = "For change_pct: the change from one check to the next in percent, " \
		       "0.1 to 10,000") \
	F(T, INT,  breaches,     .lo = 1, .hi = 10, \
		.doc = "How many checks in a row must meet the condition before it fires; " \
		       "defaults to 1") \
	F(T, BOOL, enabled) \
	F(T, LIST, destinations, .sub = &alert_destination_new_shape, .hi = ALERT_DESTINATIONS, \
		.doc = "If absent, you're subscribed instead")
SHAPE_DECLARE(metric_alert_new, METRIC_ALERT_NEW);

#define METRIC_ALERT_EDIT(F, T) \
	F(T, STR,  name,         .lo = 1, .hi = 120) \
	F(T, WORD, op,           .arg = ALERT_OPS) \
	F(T, NUM,  value) \
	F(T, INT,  breaches,     .lo = 1, .hi = 10) \
	F(T, BOOL, enabled,      .eg = "false") \
	F(T, LIST, destinations, .sub = &alert_destination_new_shape, .hi = ALERT_DESTINATIONS, \
		.doc = "Replaces all destinations")
SHAPE_DECLARE(metric_alert_edit, METRIC_ALERT_EDIT);

#define ALERT_QUERY(F, T) \
	F(T, ID, artifact_id, .flags = F_REQ, .arg = "art_") \
	PAGE_QUERY(F, T)
SHAPE_DECLARE(alert_query, ALERT_QUERY);

#define ALERT_SUBSCRIBE(F, T) \
	F(T, EMAIL, email, .doc = "Another address of yours; defaults to your account's")
SHAPE_DECLARE(alert_subscribe, ALERT_SUBSCRIBE);

/* Generated webhook secrets by destination id. A reply shows them once. */
struct alert_secrets {
	size_t n;
	struct {
		const char *id, *secret;
	} v[ALERT_DESTINATIONS];
};

/* True if the user for whom the artifact was read may edit it or is an admin of its workspace.
 * Such users manage alerts and see destinations. */
bool alert_is_managed(const struct artifact *a);
/* Lists the alerts that `who` may see, the oldest first. Fails like metric_artifact(). */
enum err alert_list(struct ctx *c, const struct principal *who, const char *artifact_id,
    struct metric_alert_list *out);
/* E_NOT_FOUND: another artifact's alert, or `who` can't see all rows of its table. */
enum err alert_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, struct metric_alert **out);
/* Returns the artifact's id, or "" if there is no such alert. */
enum err alert_artifact(struct ctx *c, const char *id, const char **artifact_id);
/* Adds an alert. Fails like metric_artifact() with ROLE_EDITOR. E_INVALID names the field.
 * E_DENIED: `who` sees only some rows of the table. E_CONFLICT: more than ALERTS_MAX. */
enum err alert_add(struct ctx *c, const struct principal *who, const struct metric_alert_new *in,
    const char **id, struct alert_secrets *made);
/* Adds an alert of an artifact that the caller has locked, with the rights that it has there. Fails
 * like alert_add(); E_NOT_FOUND: there is no such table. */
enum err alert_add_held(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct metric_alert_new *in, const char **id, struct alert_secrets *made);
/* The caller holds the lock on the artifact's row for these two. A change of the condition, or
 * switching the alert on, resets its state: if the condition holds, it fires again. */
enum err alert_change(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const struct metric_alert_edit *in, struct alert_secrets *made);
enum err alert_delete(
    struct ctx *c, const struct artifact *a, const struct principal *who, const char *id);
/* Subscribes `who`. `email` NULL means the account's address. E_DENIED: the address isn't
 * theirs. E_CONFLICT: an agent, which has no address. */
enum err alert_subscribe(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const char *email);
enum err alert_unsubscribe(
    struct ctx *c, const struct artifact *a, const struct principal *who, const char *id);

/* ---- destinations: alertdest.c ---- */

#define ALERT_STOP "/auth/unsubscribe"
/* Returns the path of a page that ends the e-mails without an account. Arguments: a
 * destination's id and its address, or the alert's id and the subscriber's user id. The link is
 * sealed, so nobody can forge one. It ends when the destination gets another address. */
const char *alert_stop_path(struct ctx *c, const char *id, const char *whom);
/* *out is NULL if the e-mails have ended already. E_NOT_FOUND: we didn't seal this text. */
enum err alert_stop_find(struct ctx *c, const char *sealed, struct unsubscribe **out);
enum err alert_stop(struct ctx *c, const char *sealed);

/* Adds a destination. E_INVALID names the field. E_CONFLICT: more than ALERT_DESTINATIONS. */
enum err destination_add(struct ctx *c, const struct artifact *a, const char *alert_id,
    const struct alert_destination_new *in, struct alert_secrets *made);
enum err destination_remove(
    struct ctx *c, const struct artifact *a, const char *alert_id, const char *id);
/* Replaces all destinations by the list of alert_destination_new. A destination with an id keeps
 * its secrets. */
enum err destinations_replace(struct ctx *c, const struct artifact *a, const char *alert_id,
    const struct list *in, struct alert_secrets *made);
/* Lists the destinations of all the artifact's alerts, sorted by alert and place. */
enum err destinations_of(
    struct ctx *c, const struct artifact *a, struct alert_destination_list *out);
/* Deletes all destinations of an alert. The runner deletes their jobs. */
enum err destinations_drop(
    struct ctx *c, const struct artifact *a, const char *alert_id);

/* ---- for the runner: alertcheck.c ---- */

/* Measures and, if the state changes, notifies. Runs its own transaction. *lost: another runner
 * checked the alert meanwhile; nothing was written. */
enum err alert_check(struct ctx *c, const char *id, struct metric_seen *, bool *lost);
/* Returns the condition in words: "above 100". */
const char *alert_limit(void *owner, const struct metric_alert *);
void alert_say(struct ctx *c, struct metric_alert *); /* fills its words */
#endif
