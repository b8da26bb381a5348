/* SPDX-License-Identifier: Apache-2.0
 * Asking for a review: who is asked, and telling them. A refusal reads alike for an address without
 * an account and for somebody who can't comment, so it finds nobody. */
#include "base/id.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/branding.h"
#include "core/member.h"
#include "core/tell.h"
#include "core/user.h"
#include "db/db.h"
#include "inbox/stop.h"
#include "people/password.h"
#include "review/entry.h"
#include "site/comparepic.h"
#include "site/digest.h"
#include "site/version.h"

SHAPE_DEFINE(reviewer, REVIEWER);

enum { DAY_S = 86400 };

/* ---- who ---- */

#define REVIEWER_COLUMNS \
	"u.id, COALESCE(u.email, u.invited_email) AS email, u.kind = 'guest' AS is_guest," \
	" " INBOX_MAILED("review", "u.id") " AS mailed"
#define REVIEWER_IS " u.kind <> 'agent' AND u.disabled_at IS NULL"

enum err
reviewers_of_client(
    struct ctx *c, const char *workspace_id, const char *sharee_id, struct reviewer_list *out)
{
	return db_all(c,
	    ROWS(reviewer,
		"SELECT " REVIEWER_COLUMNS " FROM sharee_member m JOIN user u ON u.id = m.user_id"
		" WHERE m.sharee_id = ? AND m.workspace_id = ? AND" REVIEWER_IS
		" ORDER BY u.id LIMIT ?"),
	    ARGS(sharee_id, workspace_id, REVIEW_CLIENT_PEOPLE + 1), out);
}

enum err
reviewer_can(struct ctx *c, const char *artifact_id, const char *user_id, bool *can)
{
	const struct principal them = { .kind = "person", .user_id = user_id, .outside = true };
	struct artifact *a;
	enum err e = artifact_get(c, artifact_id, &them, false, &a);

	*can = !e && !a->deleted_at && (a->role || a->can_comment);
	return e == E_NOT_FOUND || e == E_DENIED ? ctx_forgive(c) : e;
}

struct asking {
	struct ctx *c;
	const struct artifact *art;
	const struct principal *who;
	const struct review_new *in;
	const char *id;
	int64_t version_no, due_at;
	struct reviewer *people; /* to tell, each once */
	size_t n;
	struct arg *rows; /* of review_asked */
};
enum { ROW = 5 };

static enum err
fail_unable(struct asking *k, size_t i, const char *named)
{
	return fail(k->c, E_INVALID,
	    "ask[%zu]: %s can't comment on this artifact; give them a role, or share it with them",
	    i, named);
}

static enum err
recipient_add(struct asking *k, size_t i, const struct reviewer *p)
{
	for (size_t j = 0; j < k->n; j++)
		if (str_eq(k->people[j].id, p->id))
			return E_OK;
	if (k->n == REVIEW_PEOPLE)
		return fail(k->c, E_INVALID, "ask[%zu]: these are more than %d people together", i,
		    REVIEW_PEOPLE);
	k->people[k->n++] = *p;
	return E_OK;
}

static enum err
entry_add(struct asking *k, size_t i, const char *kind, const char *subject, const char *email)
{
	struct arg *v = k->rows + i * ROW;

	for (size_t j = 0; j < i; j++)
		if (str_eq(k->rows[j * ROW + 3].p, subject))
			return fail(k->c, E_INVALID, "ask[%zu]: is named twice", i);
	v[0] = arg_str(k->id);
	v[1] = arg_int((int64_t)i);
	v[2] = arg_str(kind);
	v[3] = arg_str(subject);
	v[4] = arg_str(email);
	return E_OK;
}

static enum err
person_add(struct asking *k, size_t i, const struct review_ask *ask)
{
	const char *email = ask->email ? email_fold(k->c, ask->email) : NULL;
	const char *named = email ? email : ask->user_id;
	struct reviewer *p;
	bool can = false;

	TRY(db_find(k->c,
	    ROWS(reviewer,
		"SELECT " REVIEWER_COLUMNS " FROM user u WHERE u.id = COALESCE(?, " USER_OF_EMAIL
		", (SELECT g.id FROM user g WHERE g.invited_email = ?)) AND" REVIEWER_IS),
	    ARGS(ask->user_id, USER_OF(email), email), &p));
	if (p && str_eq(p->id, k->who->user_id))
		return fail(k->c, E_INVALID, "ask[%zu]: you can't ask yourself", i);
	if (p)
		TRY(reviewer_can(k->c, k->art->id, p->id, &can));
	if (!can)
		return fail_unable(k, i, named);
	TRY(entry_add(k, i, "person", p->id, email));
	return recipient_add(k, i, p);
}

/* Adds a client, and its people who can comment. */
static enum err
client_add(struct asking *k, size_t i, const char *sharee_id)
{
	struct reviewer_list all;
	bool can, any = false;

	TRY(reviewers_of_client(k->c, k->art->workspace_id, sharee_id, &all));
	if (all.n > REVIEW_CLIENT_PEOPLE)
		return fail(k->c, E_INVALID,
		    "ask[%zu]: the client has more than %d people; name some of them", i,
		    REVIEW_CLIENT_PEOPLE);
	for (size_t j = 0; j < all.n; j++) {
		if (str_eq(all.v[j].id, k->who->user_id))
			continue;
		TRY(reviewer_can(k->c, k->art->id, all.v[j].id, &can));
		if (can)
			TRY(recipient_add(k, i, &all.v[j]));
		any = any || can;
	}
	return any ? entry_add(k, i, "client", sharee_id, NULL) : fail_unable(k, i, sharee_id);
}

static enum err
entries_add(struct asking *k)
{
	const struct review_ask *ask = k->in->ask.v;

	k->people = mem_array(k->c->mem, struct reviewer, REVIEW_PEOPLE);
	k->rows = mem_array(k->c->mem, struct arg, k->in->ask.n * ROW);
	for (size_t i = 0; i < k->in->ask.n; i++) {
		if ((ask[i].user_id != NULL) + (ask[i].email != NULL) +
			(ask[i].sharee_id != NULL) !=
		    1)
			return fail(k->c, E_INVALID,
			    "ask[%zu]: needs exactly one of user_id, email, and sharee_id", i);
		TRY(ask[i].sharee_id ? client_add(k, i, ask[i].sharee_id)
				     : person_add(k, i, &ask[i]));
	}
	return db_exec_many(k->c,
	    EXEC("INSERT INTO review_asked (review_id, n, kind, subject_id, given_email)"
		 " VALUES (?, ?, ?, ?, ?)"),
	    k->rows, ROW, k->in->ask.n);
}

/* ---- telling ---- */

/* Mails each person once. A guest's link lets them choose a password first. */
static enum err
people_mail(struct asking *k)
{
	const struct artifact *a = k->art;
	struct ctx *c = k->c;
	struct mail *mails = mem_array(c->mem, struct mail, k->n + 1);
	size_t n = 0;
	struct mail m = { .template = MAIL_REVIEW_ASKED,
		.sender_id = k->who->user_id,
		.values = { .by = principal_word(k->who),
		    .artifact = a->name,
		    .when = str_date(c->mem, k->due_at),
		    .message = k->in->message,
		    .link = mem_printf(
			c->mem, "/shared/artifacts/%s/reviews/%s", a->id, k->id) } };

	if (!mail_enabled(c))
		return E_OK;
	if (a->workspace_id)
		TRY(branding_on_mail(c, a->workspace_id, &m.values));
	for (size_t i = 0; i < k->n; i++) {
		const struct reviewer *p = &k->people[i];
		struct mail *to = &mails[n];

		if (!p->mailed)
			continue;
		n++;
		*to = m;
		to->to = p->email;
		to->values.stop = inbox_stop_path(c, "review", p->id);
		if (p->is_guest)
			TRY(password_guest_link(c, p->id, &to->values.link, &to->values.until));
	}
	return tell_many(c, mails, n);
}

/* ---- the review ---- */

/* Refuses while another review is open. Ends one whose time is over, in case the runner hasn't. */
static enum err
open_review_check(struct ctx *c, const struct artifact *a)
{
	struct review *r = NULL;

	if (a->review_id)
		TRY(review_hold(c, a->id, a->review_id, &r));
	if (!r)
		return E_OK;
	return review_is_over(c, r)
	    ? review_end(c, a->id, r, "expired", NULL, NULL)
	    : fail(c, E_CONFLICT,
		  "A review of version %lld is open; close it first, or wait for its end",
		  (long long)r->version_no);
}

enum err
review_ask_people(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct review_new *in, const char **id)
{
	struct asking k = { .c = c,
		.art = a,
		.who = who,
		.in = in,
		.id = *id = id_new(c->mem, "rvw_"),
		.version_no = in->has.version_no == GIVEN ? in->version_no : a->last_no };
	const char *digest;
	struct version *v;

	k.due_at = in->has.due_at == GIVEN ? in->due_at : c->now + REVIEW_DAYS * DAY_S;
	if (k.due_at <= c->now || k.due_at > c->now + REVIEW_DAYS_MOST * DAY_S)
		return fail(c, E_INVALID, "due_at: must be in the future, at most %d days away",
		    REVIEW_DAYS_MOST);
	TRY(version_get(c, a, k.version_no, &v));
	TRY(open_review_check(c, a));
	TRY(digest_get(c, a->id, k.version_no, &digest));
	TRY(db_exec1(c,
	    EXEC("INSERT INTO review (id, artifact_id, version_no, digest, message, created_by,"
		 " created_at, due_at, look_at) VALUES (?, ?, ?, UNHEX(?), ?, ?, ?, ?, ?)"),
	    ARGS(*id, a->id, k.version_no, digest, in->message, who->user_id, c->now, k.due_at,
		c->now + REVIEW_LOOK_S)));
	TRY(db_exec1(
	    c, EXEC("UPDATE artifact SET review_id = ? WHERE id = ?"), ARGS(*id, a->id)));
	TRY(entries_add(&k));
	TRY(inbox_sync(c, &review_waits, BY_SUBJECT, *id));
	TRY(audit_artifact(
	    c, a, "review.asked", NULL, audit_facts(c, "review|version_no", *id, k.version_no)));
	TRY(pictured_prepare(c, a, k.version_no));
	return people_mail(&k);
}
