/* SPDX-License-Identifier: Apache-2.0
 * The interface of an action, and helpers that several actions share. */
#ifndef VITRINE_ACTION_KIND_H
#define VITRINE_ACTION_KIND_H
#include "base/json.h"
#include "import/feed.h"
#include "ext/egress.h"
#include "jobs/action_config.h"

struct action_asked;
struct artifact;
struct connection_used;
struct postgres_req;
struct postgres_res;
struct redact;
struct run_held;
struct run_outcome;

/* The sealed part of a config; each action uses some of the fields. */
#define ACTION_SECRETS(F, T) \
	F(T, STR,  secret,       .flags = F_OPT, .doc = "Signs what a webhook sends") \
	F(T, STR,  secret_old,   .flags = F_OPT, .doc = "Signs it, too, until") \
	F(T, INT,  secret_until, .flags = F_OPT) \
	F(T, JSON, headers,      .flags = F_OPT, .arg = "object") \
	F(T, STR,  headers_by,   .flags = F_OPT, .doc = "The user who gave the headers") \
	F(T, STR,  webhook_url,  .flags = F_OPT)
SHAPE_DECLARE(action_secrets, ACTION_SECRETS);

/* A config to check. before and old describe the job as it was: before is NULL and old is empty
 * for a new job. */
struct action_input {
	const struct json *sent, *before;
	const struct action_secrets *old;
	const char *by; /* id of the user who sends it; NULL: not a person */
};
/* A run to carry out. data: the event's payload; NULL: none. */
struct action_run {
	const struct run_held *held;
	const struct json *config, *data;
	const struct action_secrets *secrets;
	const char *url; /* the artifact's address */
	const struct connection_used *used; /* the connection; NULL: none */
	const struct action_asked *asked;   /* in take: what was asked */
	const struct postgres_res *rows;    /* in take: the rows of a query; NULL: none */
	/* in take: secrets of the connection, to strike out; NULL: none */
	struct redact *secrets_used;
};
/* The result of action_take(), for action_end(). */
struct action_taken {
	const char *wrong; /* the error in the answer, so the run fails; NULL: none */
	const void *found; /* the result of the action's take */
	bool struck;       /* a connection's secret was removed from what is saved */
};

struct action_kind {
	const char *name;
	/* Checks a config and fills in *out. Messages begin with the field, without "config.". */
	enum err (*config)(struct ctx *c, const struct action_input *, struct action_config *out);
	/* Makes the request. NULL: the action sends none. */
	enum err (*begin)(struct ctx *c, const struct action_run *, struct egress_req **req);
	/* Makes the query instead, when the connection is a database. NULL: the action can't
	 * query. */
	enum err (*ask)(struct ctx *c, const struct action_run *, struct postgres_req **query);
	/* Reads a successful answer: res, or the run's rows. Called outside of a transaction.
	 * NULL: nothing is saved. E_INVALID and other errors that a person can mend become the
	 * run's error. */
	enum err (*take)(struct ctx *c, const struct action_run *, const struct egress_res *,
	    const void **found);
	/* Saves the result, in the transaction that ends the run. res is NULL without an HTTP
	 * request. On entry, *out says success. */
	enum err (*end)(struct ctx *c, const struct action_run *, const struct egress_res *,
	    const void *found, struct run_outcome *out);
};
extern const struct action_kind action_email, action_webhook, action_chat_a, action_chat_b,
    action_http_get, action_materialize;

enum err action_kind_find(struct ctx *c, const char *name, const struct action_kind **out);
/* Parse the JSON columns of a job. NULL text gives NULL, or secrets that are all absent. */
enum err action_json_of(struct ctx *c, const char *text, const struct json **out);
enum err action_secrets_read(struct ctx *c, const char *text, const struct action_secrets **out);

/* ---- texts ---- */

/* Names of the placeholders. A placeholder that the run's event has no value for becomes empty. */
#define ACTION_WORDS \
	"artifact.id|artifact.name|artifact.slug|artifact.url|job.id|job.name|" \
	"run.id|run.scheduled_for|run.trigger|event.type|comment.id|comment.text|comment.author|" \
	"comment.path|views|version_no|change|alert.text"
/* E_INVALID if text has an unknown placeholder {{…}}; the message begins with `at`. */
enum err action_text_check(struct ctx *c, const char *at, const char *text);
/* Does the same for each string in a JSON value. */
enum err action_json_check(struct ctx *c, const char *at, const struct json *value);
/* Replaces the placeholders of a text by their values, in c->mem. Each value goes through escape
 * (NULL: unchanged) and is not searched for placeholders. */
typedef void action_escape(struct buf *b, const char *value);
const char *action_text(struct ctx *c, const struct action_run *, const char *text,
    action_escape *escape);
/* Appends a JSON value with the placeholders in its strings replaced; names of members stay as
 * they are. */
void action_json(struct ctx *c, struct buf *b, const struct action_run *, const struct json *value);
/* The type that a webhook reports: "artifact.updated" and other events; "job.run" for a
 * scheduled or manual run. */
const char *action_type(const struct run_held *);

/* ---- addresses and headers ---- */

/* E_INVALID for an address of more than 2,000 characters, or on a host of this service. */
enum err action_url_check(struct ctx *c, const char *at, const char *url);
/* Scheme, host and port of an address, in owner's memory. */
const char *action_origin(void *owner, const char *url);
/* Sets out->headers from `sent`, a JSON object as text; NULL keeps the headers of the job
 * before, which went to use->url_old. E_INVALID if kept headers would go to another origin; also
 * if a person who didn't give them changes the address, or the place where the result is saved
 * (use->kept). */
struct action_use {
	const char *url, *url_old;
	/* where the result is saved, now and before; NULL: it isn't saved */
	const char *kept, *kept_old;
};
enum err action_headers(struct ctx *c, const char *at, const char *sent,
    const struct action_input *, const struct action_use *, struct action_secrets *out);
/* Appends "header_names":["…"], for the public part of a config. */
void action_header_names(struct ctx *c, struct buf *b, const char *headers);
/* Headers as request lines, after those of `more` (ends with NULL; or NULL). *out is NULL if
 * there are none. */
enum err action_header_lines(struct ctx *c, const char *headers, const char *const *more,
    const char *const **out);

/* The value of webhook-signature: "v1,…", and a second one while the previous secret is valid. */
const char *action_signature(struct ctx *c, const struct action_secrets *, const char *id,
    int64_t when, const char *body);

/* ---- connections ---- */

/* The source of a fetch: an address, or a connection with a path or a query. */
#define ACTION_SOURCE(F, T) \
	F(T, URL,  url) \
	F(T, JSON, headers,       .arg = "object") \
	F(T, ID,   connection_id, .arg = "con_") \
	F(T, STR,  path,          .hi = 2000)
struct action_source {
	const char *url, *headers, *connection_id, *path, *query;
};
/* E_INVALID unless the source is an address or a connection. Field names in messages begin with
 * `at`: "source.", or "". Fills in out->connection_id and the fields about it. may_query: the
 * connection may be a database. */
enum err action_source_check(struct ctx *c, const char *at, const struct action_source *,
    bool may_query, struct action_config *out);
/* Appends the members of the source, for the public part of a config. headers: from
 * action_headers(). */
void action_source_write(
    struct ctx *c, struct buf *b, const struct action_source *, const char *headers);
/* Make the request to the connection's server, which follows no redirect, or the query. source:
 * the object in the config with the path or the query. */
enum err action_connection_fetch(struct ctx *c, const struct action_run *,
    const struct json *source, struct egress_req **req);
enum err action_connection_ask(struct ctx *c, const struct action_run *,
    const struct json *source, struct postgres_req **query);

/* Makes a request of method GET, which follows redirects only if it has no headers. */
enum err action_fetch(struct ctx *c, const char *url, const char *headers, size_t max_bytes,
    struct egress_req **req);

/* ---- answers ---- */

/* The secrets as JSON text, in c->mem; NULL: there are none. */
const char *action_secrets_text(struct ctx *c, struct action_secrets *);
/* The answer with its body as UTF-8, decoded by its charset or byte order mark. E_INVALID if it
 * is compressed or has an unknown charset. */
enum err action_decoded(struct ctx *c, const struct egress_res *, struct egress_res *out);
/* Parses an answer that is to become the document. E_INVALID unless it is a JSON object. */
enum err action_document_read(struct ctx *c, const struct egress_res *, const void **found);
/* Replaces the document by it. */
enum err action_document_keep(struct ctx *c, const struct action_run *, const struct json *,
    struct run_outcome *out);
/* action_rows_read() splits an answer into rows. action_table_take() fills the table before the
 * transaction where that is possible, and action_table_keep() finishes in the transaction. */
enum err action_rows_read(struct ctx *c, const struct action_run *, const struct egress_res *,
    enum read_format, struct feed **out);
enum err action_table_take(struct ctx *c, const struct action_run *, const struct egress_res *,
    enum read_format, const char *table, bool replace, const void **found);
enum err action_table_keep(struct ctx *c, const struct action_run *, const void *found,
    struct run_outcome *out);
/* The rows that a database gave. */
enum err action_query_rows(struct ctx *c, const struct action_run *, struct feed **out);
/* The artifact as the job's maker has it, without access_policy, which restricts visitors and
 * not jobs. */
enum err action_artifact(struct ctx *c, const struct run_held *, struct artifact **out);
#endif
