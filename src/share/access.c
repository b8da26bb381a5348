/* SPDX-License-Identifier: Apache-2.0 */
#include "share/access.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/json.h"
#include "base/str.h"
#include "core/accesspolicy.h"
#include "core/artifact.h"
#include "core/audit.h"
#include "core/follow.h"
#include "core/slug.h"
#include "core/tell.h"
#include "core/user.h"
#include "inbox/item.h"
#include "inbox/stop.h"
#include "share/collaborator.h"

SHAPE_DEFINE(access_new, ACCESS_NEW);
SHAPE_DEFINE(access_request, ACCESS_REQUEST);
SHAPE_DEFINE(access_decision, ACCESS_DECISION);

enum { QUIET_S = 7 * 86400, DECIDERS_MAILED = 10 };

/* The request, until the runner handles it. */
#define ACCESS_ASKED(F, T) \
	F(T, STR, slug,        .flags = F_OPT) \
	F(T, STR, artifact_id, .flags = F_OPT) \
	F(T, STR, email,       .flags = F_REQ, .doc = "In lower case") \
	F(T, STR, message,     .flags = F_REQ | F_LONG) \
	F(T, STR, user_id,     .flags = F_OPT, .doc = "Of whoever was signed in")
SHAPE(access_asked, ACCESS_ASKED);

enum err
access_slug_of_url(struct ctx *c, const char *url, const char **label, const char **rest,
    const char **slug)
{
	const char *host, *dot, *subdomain, *origin;
	size_t n, plain;

	*slug = NULL;
	if (!url || !str_starts(url, "https://"))
		return E_OK;
	host = url + strlen("https://");
	n = strcspn(host, "/?#");
	dot = memchr(host, '.', n);
	plain = strspn(host, "abcdefghijklmnopqrstuvwxyz0123456789-.");
	if (!dot || dot == host || (plain != n && host[plain] != ':'))
		return E_OK;
	origin = mem_strndup(c->mem, url, (size_t)(host - url) + n);
	*label = mem_strndup(c->mem, host, (size_t)(dot - host));
	*rest = host[n] == '/' ? host + n : "/";
	if (str_eq(origin, conf_site_origin(c->mem, c->conf, *label))) {
		*slug = slug_of_host(c->mem, *label, &subdomain);
		return E_OK;
	}
	*label = mem_strndup(c->mem, host, plain);
	return str_eq(origin, conf_site_origin(c->mem, c->conf, *label))
	    ? slug_of_domain(c, *label, slug)
	    : E_OK;
}

/* ---- asking ---- */

static enum err
named_check(struct ctx *c, const struct access_new *in, const char **slug)
{
	const char *label, *rest;

	*slug = in->slug;
	if (!!in->url + !!in->artifact_id + !!in->slug != 1)
		return fail(c, E_INVALID, "Specify exactly one of url, artifact_id, and slug");
	if (in->url)
		TRY(access_slug_of_url(c, in->url, &label, &rest, slug));
	if (in->url && !*slug)
		return fail(c, E_INVALID, "url: must be the address of a page under %s",
		    conf_site_origin(c->mem, c->conf, "*"));
	return E_OK;
}

enum err
access_ask(struct ctx *c, const struct access_new *in, const struct principal *who)
{
	struct access_asked asked = { .artifact_id = in->artifact_id,
		.email = who ? who->email : in->email,
		.message = in->message ? in->message : "",
		.user_id = who ? who->user_id : NULL };

	if (who && !who->email)
		return fail(c, E_CONFLICT,
		    "An agent has no e-mail address, so it can't request access; "
		    "ask the artifact's owner to share it, or have a person request access");
	if (!asked.email)
		return fail(c, E_INVALID, "email: is required unless you're signed in");
	TRY(named_check(c, in, &asked.slug));
	asked.email = email_fold(c, asked.email);
	return db_exec(c,
	    EXEC(
		"INSERT INTO outbox (id, kind, subject, payload, due_at)"
		" VALUES (?, 'access_request', ?, ?, ?)"),
	    ARGS(id_new(c->mem, "out_"), asked.email,
		shape_text(c->mem, &access_asked_shape, &asked), c->now),
	    NULL);
}

/* ---- in the runner ---- */

#define WANTED(F, T) \
	F(T, ID,    id, .arg = "art_") \
	F(T, STR,   name) \
	F(T, ID,    owner_id,     .arg = "usr_") \
	F(T, EMAIL, owner_email,  .doc = "NULL for an agent, and while the account is disabled") \
	F(T, ID,    workspace_id, .arg = "wsp_") \
	F(T, BOOL,  mailed,       .doc = "The owner gets such mails") \
	F(T, STR,   role,         .doc = "Of whoever asks")
SHAPE(wanted, WANTED);

#define WANTED_COLUMNS \
	"a.id, a.name, o.id AS owner_id, IF(o.disabled_at IS NULL, o.email, NULL)" \
	" AS owner_email, a.workspace_id," \
	" " INBOX_MAILED("request", "o.id") " AS mailed"

/* *out is NULL if there is no such artifact, or the caller has access already. */
static enum err
wanted_find(struct ctx *c, const struct access_asked *asked, struct wanted **out)
{
	if (asked->slug)
		return db_find(c,
		    ROWS(wanted,
			"SELECT " WANTED_COLUMNS ", " ROLE_OF("u.id") " AS role"
			" FROM slug h JOIN artifact a ON a.id = h.artifact_id"
			" JOIN user o ON o.id = a.owner_id"
			" LEFT JOIN user u ON u.id = " USER_OF_EMAIL ROLE_TABLES("u.id")
			" WHERE h.slug = ? AND a.deleted_at IS NULL AND NOT " ARTIFACT_IS_OPEN),
		    ARGS(USER_OF(asked->email), asked->slug), out);
	return db_find(c,
	    ROWS(wanted,
		"SELECT " WANTED_COLUMNS ", " ROLE_OF("u.id") " AS role"
		" FROM artifact a JOIN user o ON o.id = a.owner_id"
		" LEFT JOIN user u ON u.id = " USER_OF_EMAIL ROLE_TABLES("u.id")
		" WHERE a.id = ? AND a.deleted_at IS NULL AND NOT " ARTIFACT_IS_OPEN),
	    ARGS(USER_OF(asked->email), asked->artifact_id), out);
}

#define ACCESS_DECIDER(F, T) \
	F(T, ID,    id, .arg = "usr_") \
	F(T, EMAIL, email)
SHAPE(access_decider, ACCESS_DECIDER);

/* The owner and the admins of the workspace decide. */
INBOX_WAITS(access, ITEM_ACCESS_ASKED,
    INBOX_ROW("IF(h.role IS NULL, a.owner_id, m.user_id)", "q.id", "NULL", "q.email",
	"q.artifact_id", "q.workspace_id", "NULL", "NULL", "q.message", "NULL"),
    " STRAIGHT_JOIN access_request q ON q.id = f.id"
    " STRAIGHT_JOIN artifact a ON a.id = q.artifact_id STRAIGHT_JOIN"
    " (SELECT NULL AS role UNION ALL SELECT 'owner' UNION ALL SELECT 'admin') h"
    " LEFT JOIN member m FORCE INDEX (member_role)"
    " ON m.workspace_id = q.workspace_id AND m.role = h.role"
    " AND m.user_id <> a.owner_id"
    " WHERE q.state = 'pending' AND IF(h.role IS NULL, a.owner_id, m.user_id) IS NOT NULL",
    "SELECT id FROM access_request WHERE id = ?",
    "WITH z AS (SELECT id FROM user WHERE id = ?) SELECT q.id FROM z STRAIGHT_JOIN artifact a"
    " ON a.owner_id = z.id STRAIGHT_JOIN access_request q ON q.artifact_id = a.id"
    " WHERE q.state = 'pending' UNION SELECT q.id FROM z STRAIGHT_JOIN member m"
    " ON m.user_id = z.id AND m.role IN ('admin', 'owner') STRAIGHT_JOIN access_request q"
    " ON q.workspace_id = m.workspace_id WHERE q.state = 'pending'",
    "SELECT id FROM access_request WHERE artifact_id = ? AND state = 'pending'", INBOX_NONE,
    "SELECT id FROM access_request WHERE state = 'pending'");

/* Mails the owner, or the workspace’s admins if the owner reads no mail. If the mail budget is used
 * up, the request still counts: the owner sees it in the inbox. */
static enum err
deciders_mail(struct ctx *c, const struct wanted *a, const struct access_asked *asked)
{
	struct access_decider owner = { .id = a->owner_id, .email = a->owner_email };
	struct access_decider_list to = { &owner, a->mailed };

	if (!a->owner_email)
		TRY(db_all(c,
		    ROWS(access_decider,
			"SELECT u.id, u.email FROM member m JOIN user u ON u.id = m.user_id"
			" WHERE m.workspace_id = ? AND m.role IN ('admin', 'owner')"
			" AND u.disabled_at IS NULL AND " INBOX_MAILED("request", "u.id")
			" ORDER BY m.role DESC, m.joined_at, m.user_id LIMIT ?"),
		    ARGS(a->workspace_id, (int64_t)DECIDERS_MAILED), &to));
	for (size_t i = 0; i < to.n; i++)
		TRY(tell(c,
		    &(struct mail){ .template = MAIL_ACCESS_REQUEST,
			.to = to.v[i].email,
			.sender_id = asked->user_id,
			.artifact_id = a->id,
			.values = { .artifact = a->name,
			    .who = asked->email,
			    .message = *asked->message ? asked->message : NULL,
			    .link = "/inbox?kind=request",
			    .stop = inbox_stop_path(c, "request", to.v[i].id) } }));
	return E_OK;
}

/* An address has at most one request for an artifact. It can replace an approved request at once,
 * and a denied one QUIET_S (7 days) after the denial. */
static enum err
request_add(struct ctx *c, const struct wanted *a, const struct access_asked *asked)
{
	const char *id = id_new(c->mem, "acr_");
	int64_t new;

	TRY(db_exec(c,
	    EXEC(
		"DELETE FROM access_request WHERE artifact_id = ? AND email = ?"
		" AND state <> 'pending' AND (state = 'approved' OR decided_at <= ?)"),
	    ARGS(a->id, asked->email, c->now - QUIET_S), NULL));
	TRY(db_exec(c,
	    EXEC(
		"INSERT IGNORE INTO access_request"
		" (id, artifact_id, workspace_id, email, message, state, created_at)"
		" SELECT ?, id, workspace_id, ?, ?, 'pending', ? FROM artifact WHERE id = ?"),
	    ARGS(id, asked->email, asked->message, c->now, a->id), &new));
	if (!new)
		return E_OK;
	TRY(inbox_sync(c, &access_waits, BY_SUBJECT, id));
	return deciders_mail(c, a, asked);
}

enum err
access_receive(struct ctx *c, const char *payload)
{
	struct access_asked *asked;
	struct wanted *a;
	struct json *json;

	TRY(json_parse(c, payload ? payload : "", payload ? strlen(payload) : 0, &json));
	TRY(shape_read(c, &access_asked_shape, json, (void **)&asked));
	TRY(wanted_find(c, asked, &a));
	return a && !a->role ? request_add(c, a, asked) : E_OK;
}

/* ---- deciding ---- */

#define REQUEST_COLUMNS \
	"q.id, q.artifact_id, a.name AS artifact_name, a.slug, a.workspace_id," \
	" wk.name AS workspace_name, q.email, q.message, q.state AS status, q.created_at," \
	" q.decided_at"

#define REQUEST_WAITS "q.state = 'pending' AND a.deleted_at IS NULL AND NOT a.closed"
/* Takes the user twice. An artifact whose owner is also an admin of its workspace is in both
 * halves. */
#define WAITING_FOR(most) \
	"(SELECT q.id FROM artifact a STRAIGHT_JOIN access_request q ON q.artifact_id = a.id" \
	" WHERE a.owner_id = ? AND " REQUEST_WAITS most ")" \
	" UNION (SELECT q.id FROM member m STRAIGHT_JOIN access_request q" \
	" ON q.workspace_id = m.workspace_id STRAIGHT_JOIN artifact a ON a.id = q.artifact_id" \
	" WHERE m.user_id = ? AND m.role IN ('admin', 'owner') AND " REQUEST_WAITS most ")"

static void
request_set_url(struct ctx *c, struct access_request *q)
{
	q->url = mem_printf(c->mem, "%s/", conf_site_origin(c->mem, c->conf, q->slug));
}

enum err
access_list(struct ctx *c, const struct principal *who, const struct page_query *q,
    struct list *out, const char **next)
{
	struct access_request *rows;

	TRY(db_part(c,
	    ROWS(access_request,
		"SELECT " REQUEST_COLUMNS
		" FROM " SUBJECT_TABLE " STRAIGHT_JOIN (" WAITING_FOR("") ") w"
		" STRAIGHT_JOIN access_request q ON q.id = w.id"
		" STRAIGHT_JOIN artifact a ON a.id = q.artifact_id"
		    ROLE_TABLES("s.user_id") " WHERE ("
		    ROLE_COLUMN " = 'owner' OR " WORKSPACE_ROLE_COLUMN " IN ('admin', 'owner'))"
		    " AND q.id < ?"
		    " ORDER BY q.id DESC LIMIT ?"),
	    ARGS(SUBJECT(who), who->user_id, who->user_id, arg_before(q->cursor, "acr_")), q->limit,
	    out, next, last->id));
	rows = out->v;
	for (size_t i = 0; i < out->n; i++)
		request_set_url(c, &rows[i]);
	return E_OK;
}

#define REQUESTED_ARTIFACT(F, T) F(T, ID, artifact_id, .arg = "art_")
SHAPE(requested_artifact, REQUESTED_ARTIFACT);

enum err
access_artifact(struct ctx *c, const char *id, const char **artifact_id)
{
	struct requested_artifact *row;

	TRY(db_find(c,
	    ROWS(requested_artifact, "SELECT artifact_id FROM access_request WHERE id = ?"),
	    ARGS(id), &row));
	*artifact_id = row ? row->artifact_id : "";
	return E_OK;
}

static enum err
request_grant(
    struct ctx *c, const struct access_request *q, const char *role, const struct principal *by)
{
	const struct artifact a = { .id = q->artifact_id,
		.name = q->artifact_name,
		.workspace_id = q->workspace_id };
	bool allowed = true;

	if (a.workspace_id)
		TRY(access_policy_allows(c, a.workspace_id, q->email, &allowed));
	if (!allowed)
		return fail(c, E_DENIED,
		    "The workspace's access policy doesn't allow %s; "
		    "add the address there first, or deny the request",
		    q->email);
	TRY(collaborator_give(c, &a, q->email, role));
	TRY(inbox_put(c,
	    INBOX_PUT(
		"SELECT " INBOX_ROW("o.id", "?", "?", "NULL", "a.id", "a.workspace_id", "NULL",
		    "NULL", "NULL", "NULL")
		" FROM artifact a JOIN user o ON o.id = " USER_OF_EMAIL " WHERE a.id = ?"),
	    ITEM_ACCESS_GIVEN, ARGS(q->id, by->user_id, USER_OF(q->email), q->artifact_id)));
	return tell(c,
	    &(struct mail){ .template = MAIL_ACCESS_GRANTED,
		.to = q->email,
		.sender_id = by->user_id,
		.artifact_id = q->artifact_id,
		.values = { .artifact = q->artifact_name,
		    .link = mem_printf(c->mem, "/v1/open/%s", q->slug) } });
}

enum err
access_decide(struct ctx *c, const char *id, const struct access_decision *in,
    const struct principal *by, struct access_request **out)
{
	struct access_request *q;

	TRY(db_one(c,
	    ROWS(access_request,
		"SELECT " REQUEST_COLUMNS " FROM " SUBJECT_TABLE
		" JOIN access_request q JOIN artifact a ON a.id = q.artifact_id"
		ROLE_TABLES("s.user_id")
		" WHERE q.id = ? AND (" ROLE_COLUMN " = 'owner' OR " WORKSPACE_ROLE_COLUMN
		" IN ('admin', 'owner')) AND a.deleted_at IS NULL AND NOT a.closed FOR UPDATE"),
	    ARGS(SUBJECT(by), id), &q));
	request_set_url(c, q);
	if (!str_eq(q->status, "pending"))
		return fail(c, E_CONFLICT, "This request has already been %s", q->status);
	q->status = str_eq(in->action, "approve") ? "approved" : "denied";
	q->decided_at = c->now;
	q->has.decided_at = GIVEN;
	TRY(db_exec1(c, EXEC("UPDATE access_request SET state = ?, decided_at = ? WHERE id = ?"),
	    ARGS(q->status, c->now, id)));
	TRY(inbox_sync(c, &access_waits, BY_SUBJECT, id));
	*out = q;
	if (str_eq(in->action, "approve"))
		return request_grant(c, q, in->role ? in->role : "viewer", by);
	/* People who are denied get no message: they don't learn whether the page exists. */
	return audit_artifact(c,
	    &(struct artifact){ .id = q->artifact_id,
		.name = q->artifact_name,
		.workspace_id = q->workspace_id },
	    "access_request.denied", NULL, audit_facts(c, "email", q->email));
}

PURGES(access, ROWS_OF(access_request));
