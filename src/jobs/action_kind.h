/* SPDX-License-Identifier: Apache-2.0
 * Between the files of jobs/action.h and jobs/action_config.h: what an action is, and what several
 * of them need. */
#ifndef VITRINE_ACTION_KIND_H
#define VITRINE_ACTION_KIND_H
#include "base/json.h"
#include "data/intake.h"
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

/* What of a config is kept sealed, whatever the action. */
#define ACTION_SECRETS(F, T) \
	F(T, STR,  secret,       .flags = F_OPT, .doc = "Signs what a webhook sends") \
	F(T, STR,  secret_old,   .flags = F_OPT, .doc = "Signs it, too, until") \
	F(T, INT,  secret_until, .flags = F_OPT) \
	F(T, JSON, headers,      .flags = F_OPT, .arg = "object") \
	F(T, STR,  headers_by,   .flags = F_OPT, .doc = "The user who gave the headers") \
	F(T, STR,  webhook_url,  .flags = F_OPT)
SHAPE_DECLARE(action_secrets, ACTION_SECRETS);

/* A config to be checked, and the job's before: NULL of a new job, where old is empty. */
struct action_input {
	const struct json *sent, *before;
	const struct action_secrets *old;
	const char *by; /* the user who sends it; NULL: no person */
};
/* A run to be carried out: its config, its secrets and what its event says (NULL: nothing). */
struct action_run {
	const struct run_held *held;
	const struct json *config, *data;
	const struct action_secrets *secrets;
	const char *url; /* the artifact's */
	const struct connection_used *used; /* NULL: its config has none */
	const struct action_asked *asked;   /* of take: what was asked */
	const struct postgres_res *rows;    /* what it gave; NULL: nothing, yet */
	struct redact *secrets_used;        /* of take: its connection's secrets; NULL: none */
};
/* What action_take() has found. */
struct action_taken {
	const char *wrong; /* with the answer: the run has failed. NULL: nothing */
	const void *found; /* the action's own */
	bool struck;       /* a secret of the connection was struck out of what is kept */
};

struct action_kind {
	const char *name;
	/* Messages begin with the field, without "config.". */
	enum err (*config)(struct ctx *c, const struct action_input *, struct action_config *out);
	/* NULL: there is nothing to be asked. */
	enum err (*begin)(struct ctx *c, const struct action_run *, struct egress_req **req);
	/* The same in place of begin where its connection is a database. NULL: it asks none. */
	enum err (*ask)(struct ctx *c, const struct action_run *, struct postgres_req **query);
	/* Of an answer that succeeded, res or the run's rows; NULL: nothing is kept of it.
	 * E_INVALID and what else a person can mend become the run's error. */
	enum err (*take)(struct ctx *c, const struct action_run *, const struct egress_res *,
	    const void **found);
	/* The same in the transaction; res is NULL without a request by HTTP. *out is a success. */
	enum err (*end)(struct ctx *c, const struct action_run *, const struct egress_res *,
	    const void *found, struct run_outcome *out);
};
extern const struct action_kind action_email, action_webhook, action_chat_a, action_chat_b,
    action_http_get, action_materialize;

enum err action_kind_find(struct ctx *c, const char *name, const struct action_kind **out);
/* Of a text as the rows have it; *out is NULL for NULL, the secrets are then all absent. */
enum err action_json_of(struct ctx *c, const char *text, const struct json **out);
enum err action_secrets_read(struct ctx *c, const char *text, const struct action_secrets **out);

/* ---- texts ---- */

/* Their names in texts; what the run's event does not have stands for nothing. */
#define ACTION_WORDS \
	"artifact.id|artifact.name|artifact.slug|artifact.url|job.id|job.name|" \
	"run.id|run.scheduled_for|run.trigger|event.type|comment.id|comment.text|comment.author|" \
	"comment.path|views|version_no|change|alert.text"
/* E_INVALID, with `at` before it, when text has another name in {{…}}. */
enum err action_text_check(struct ctx *c, const char *at, const char *text);
/* The same of each string in a JSON value. */
enum err action_json_check(struct ctx *c, const char *at, const struct json *value);
/* text with its words put in; what they say goes through escape (NULL: as it is), and is never
 * looked at for words again. */
typedef void action_escape(struct buf *b, const char *value);
const char *action_text(struct ctx *c, const struct action_run *, const char *text,
    action_escape *escape);
/* A JSON value with the words of its strings put in; members' names stay. */
void action_json(struct ctx *c, struct buf *b, const struct action_run *, const struct json *value);
/* "artifact.updated" and its like; "job.run" where it was time, or somebody asked for it. */
const char *action_type(const struct run_held *);

/* ---- addresses and headers ---- */

/* E_INVALID for an address that is longer than 2,000 characters or that this service serves. */
enum err action_url_check(struct ctx *c, const char *at, const char *url);
/* Scheme, host and port: who gets what is sent to the address. */
const char *action_origin(void *owner, const char *url);
/* Fills in the headers of out: `sent` (a JSON object), or the old ones where that is NULL. The old
 * ones went to url_old. E_INVALID where they would go to another origin, or where somebody else
 * than who gave them sends them to another address or (kept: its place before and now) has what
 * they fetch kept elsewhere. */
struct action_use {
	const char *url, *url_old;
	const char *kept, *kept_old; /* NULL: what comes back is not kept */
};
enum err action_headers(struct ctx *c, const char *at, const char *sent,
    const struct action_input *, const struct action_use *, struct action_secrets *out);
/* "header_names":["…"], for the part that is shown. */
void action_header_names(struct ctx *c, struct buf *b, const char *headers);
/* As lines, with `more` (ended by NULL, or NULL) before them; NULL: none at all. */
enum err action_header_lines(struct ctx *c, const char *headers, const char *const *more,
    const char *const **out);

/* "v1,…", and one more of the secret before while it is good: what webhook-signature says. */
const char *action_signature(struct ctx *c, const struct action_secrets *, const char *id,
    int64_t when, const char *body);

/* ---- connections ---- */

/* Where something is fetched from: an address, or a connection with a path or a query. */
#define ACTION_SOURCE(F, T) \
	F(T, URL,  url) \
	F(T, JSON, headers,       .arg = "object") \
	F(T, ID,   connection_id, .arg = "con_") \
	F(T, STR,  path,          .hi = 2000)
struct action_source {
	const char *url, *headers, *connection_id, *path, *query;
};
/* E_INVALID unless it is one of both. `at` stands before the fields' names: "source.", or "". Fills
 * in out->connection_id and what goes with it. `may_query`: it may be a database. */
enum err action_source_check(struct ctx *c, const char *at, const struct action_source *,
    bool may_query, struct action_config *out);
/* Its members, for the part that is shown. headers: as action_headers() gives them. */
void action_source_write(
    struct ctx *c, struct buf *b, const struct action_source *, const char *headers);
/* What the connection's server is asked; source is the part of the config that has its path. No
 * redirects. */
enum err action_connection_fetch(struct ctx *c, const struct action_run *,
    const struct json *source, struct egress_req **req);
enum err action_connection_ask(struct ctx *c, const struct action_run *,
    const struct json *source, struct postgres_req **query);

/* What fetches: redirects are followed unless headers go along. */
enum err action_fetch(struct ctx *c, const char *url, const char *headers, size_t max_bytes,
    struct egress_req **req);

/* ---- answers ---- */

/* The text of secrets as a JSON object; NULL when there are none. */
const char *action_secrets_text(struct ctx *c, struct action_secrets *);
/* The answer with its body as UTF-8, by the charset that it says or the mark that it begins with.
 * E_INVALID for one that is compressed or of an unknown charset. */
enum err action_decoded(struct ctx *c, const struct egress_res *, struct egress_res *out);
/* An answer that is to be the document: E_INVALID unless it is a JSON object. */
enum err action_document_read(struct ctx *c, const struct egress_res *, const void **found);
/* Puts it in the document's place. */
enum err action_document_keep(struct ctx *c, const struct action_run *, const struct json *,
    struct run_outcome *out);
/* Rows of an answer, or of a database, into a table: before the transaction, and in it. */
enum err action_rows_read(struct ctx *c, const struct egress_res *, enum intake_format,
    struct intake **out);
enum err action_table_take(struct ctx *c, const struct action_run *, const struct egress_res *,
    enum intake_format, const char *table, bool replace, const void **found);
enum err action_table_keep(struct ctx *c, const struct action_run *, const struct intake *,
    struct run_outcome *out);
/* What a database gave. */
enum err action_query_rows(struct ctx *c, const struct action_run *, struct intake **out);
/* The artifact, as whoever set the job up has it, but without its access_policy, which binds
 * visitors and not the job. */
enum err action_artifact(struct ctx *c, const struct run_held *, struct artifact **out);
#endif
