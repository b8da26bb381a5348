/* SPDX-License-Identifier: Apache-2.0 */
#include "people/invite.h"

#include "base/id.h"
#include "base/str.h"
#include "core/accesspolicy.h"
#include "core/audit.h"
#include "core/branding.h"
#include "core/follow.h"
#include "db/db.h"
#include "inbox/item.h"
#include "store/rounds.h"

SHAPE_DEFINE(invite, INVITE);
SHAPE_DEFINE(invites_new, INVITES_NEW);
SHAPE_DEFINE(invite_skipped, INVITE_SKIPPED);
SHAPE_DEFINE(invites_made, INVITES_MADE);
SHAPE_DEFINE(invite_query, INVITE_QUERY);
SHAPE_DEFINE(member_new, MEMBER_NEW);
SHAPE_DEFINE(member_added, MEMBER_ADDED);
SHAPE_DEFINE(ws_seen, WS_SEEN);
SHAPE_DEFINE(my_invite, MY_INVITE);
SHAPE_DEFINE(invite_open, INVITE_OPEN);

enum { LIFE_S = INVITE_DAYS * 86400, KEPT_S = 30 * 86400, SECRET_CHARS = 43 };

/* ---- the link ---- */

static const char base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const struct bytes *
invite_digest(struct ctx *c, const char *secret)
{
	struct bytes *out = mem_new(c->mem, struct bytes);
	uint8_t *hash = mem_zalloc(c->mem, SHA256_BYTES);

	if (!secret || strlen(secret) != SECRET_CHARS || strspn(secret, base62) != SECRET_CHARS)
		return NULL;
	crypto_sha256(secret, SECRET_CHARS, hash);
	*out = (struct bytes){ hash, SHA256_BYTES };
	return out;
}

/* ---- reading ---- */

#define INVITER_COLUMNS \
	"b.id AS `invited_by.user_id`, b.name AS `invited_by.name`," \
	" b.email AS `invited_by.email`, b.kind AS `invited_by.kind`"
/* Each takes the present time as its first argument. */
#define INVITE_COLUMNS \
	"IF(v.status = 'pending' AND v.expires_at <= ?, 'expired', v.status) AS status, v.id," \
	" v.email, v.role, v.created_at, v.expires_at, v.sent_at, v.mailed, " \
	INVITER_COLUMNS
/* Addresses of a JSON list, in its order. */
#define ADDRESSES \
	"JSON_TABLE(?, '$[*]' COLUMNS (i FOR ORDINALITY," \
	" e VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$')) j"

/* Lists pending invites without expired ones, or the other way round. */
enum err
invite_list(struct ctx *c, const struct workspace *w, const struct invite_query *q,
    struct invite_list *out, const char **next)
{
	bool expired = str_eq(q->status, "expired");
	const char *stored = expired ? "pending" : q->status;

	return db_part(c,
	    ROWS(invite,
		"SELECT " INVITE_COLUMNS
		" FROM invite v JOIN user b ON b.id = v.invited_by"
		" WHERE v.workspace_id = ? AND v.status = ? AND v.id > ?"
		" AND (v.status <> 'pending' OR (v.expires_at <= ?) = ?) ORDER BY v.id LIMIT ?"),
	    ARGS(c->now, w->id, stored, arg_after(q->cursor, "inv_"), c->now, expired), q->limit,
	    out, next, last->id);
}

static const char *
strs_json(struct ctx *c, const struct strs *s)
{
	struct buf b = BUF(c->mem);

	buf_jsons(&b, s->v, s->n);
	return buf_done(&b);
}

/* ---- inviting ---- */

/* An invite waits for the account that has its address. */
INBOX_WAITS(invite, ITEM_INVITED,
    INBOX_ROW("o.id", "v.id", "v.invited_by", "b.email", "NULL", "v.workspace_id",
	"(SELECT w.brand_name FROM workspace w WHERE w.id = v.workspace_id)",
	"IF(v.role = 'admin', 'an admin', 'a member')", "NULL", "v.expires_at"),
    " STRAIGHT_JOIN invite v ON v.id = f.id STRAIGHT_JOIN user b ON b.id = v.invited_by"
    " LEFT JOIN email_alias al ON al.email = v.email STRAIGHT_JOIN user o"
    " ON o.id = COALESCE(al.user_id, (SELECT x.id FROM user x WHERE x.email = v.email))"
    " WHERE v.status = 'pending'",
    "SELECT id FROM invite WHERE id = ?",
    "WITH z AS (SELECT id, email FROM user WHERE id = ?) SELECT v.id FROM z"
    " STRAIGHT_JOIN invite v ON v.email = z.email UNION SELECT v.id FROM z"
    " STRAIGHT_JOIN email_alias e ON e.user_id = z.id"
    " STRAIGHT_JOIN invite v ON v.email = e.email",
    INBOX_NONE, "SELECT id FROM invite WHERE invited_by = ? AND status = 'pending'",
    "SELECT id FROM invite WHERE status = 'pending'");

/* The facts about an address to invite. */
#define ADDRESSEE(F, T) \
	F(T, EMAIL, email) \
	F(T, STR,   role, .doc = "As a member, of the account that has the address") \
	F(T, STR,   invited_as) \
	F(T, BOOL,  pending)
SHAPE(addressee, ADDRESSEE);

/* Returns the addresses in lower case, each once. */
static struct strs
emails_fold(struct ctx *c, const struct strs *in)
{
	struct strs out = { .v = mem_array(c->mem, const char *, in->n + 1) };

	for (size_t i = 0; i < in->n; i++) {
		const char *email = email_fold(c, in->v[i]);
		size_t k = 0;

		while (k < out.n && !str_eq(out.v[k], email))
			k++;
		if (k == out.n)
			out.v[out.n++] = email;
	}
	return out;
}

static enum err
role_check(struct ctx *c, const struct workspace *w, const char *role)
{
	return member_rank(role) < member_rank(w->role)
	    ? E_OK
	    : fail(c, E_DENIED, "role: you can assign only roles below your own, which is %s",
		  w->role);
}

/* An admin may change an invite that somebody with a higher role sent. */
static enum err
invited_check(struct ctx *c, const struct workspace *w, const char *email, const char *role)
{
	return member_rank(role) < member_rank(w->role)
	    ? E_OK
	    : fail(c, E_DENIED,
		  "%s is already invited as %s; "
		  "only someone with a higher role than that can change it",
		  email, role);
}

/* Sorts the addresses into those to be invited and those passed over. */
static enum err
addressees_sort(struct ctx *c, const struct workspace *w, const struct addressee_list *all,
    struct strs *to, struct list *skipped)
{
	struct invite_skipped *passed = mem_array(c->mem, struct invite_skipped, all->n + 1);
	struct access_policy *policy;

	TRY(access_policy_get(c, w, &policy));
	*to = (struct strs){ .v = mem_array(c->mem, const char *, all->n + 1) };
	*skipped = (struct list){ passed, 0 };
	for (size_t i = 0; i < all->n; i++) {
		const struct addressee *a = &all->v[i];

		if (a->pending)
			TRY(invited_check(c, w, a->email, a->invited_as));
		if (a->role || !access_policy_names(c, policy, a->email))
			passed[skipped->n++] = (struct invite_skipped){
				.email = a->email, .reason = a->role ? "member" : "not_allowed"
			};
		else
			to->v[to->n++] = a->email;
	}
	return E_OK;
}

#define INVITES_WAITING(F, T) F(T, INT, n)
SHAPE(invites_waiting, INVITES_WAITING);

/* Counts the invitations that wait once the new ones are written, so that one that is renewed
 * counts once. */
static enum err
pending_check(struct ctx *c, const struct workspace *w)
{
	struct invites_waiting *row;

	TRY(db_one(c,
	    ROWS(invites_waiting,
		"SELECT COUNT(*) AS n FROM invite"
		" WHERE workspace_id = ? AND status = 'pending' AND expires_at > ?"),
	    ARGS(w->id, c->now), &row));
	if (row->n <= INVITES_PENDING)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"limit\":%d}", INVITES_PENDING);
	return fail(c, E_LIMIT_REACHED,
	    "emails: %s would be pending; the maximum is %s, so revoke some first",
	    str_count(c->mem, row->n, "invite"), str_number(c->mem, INVITES_PENDING));
}

static enum err
invites_mail(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *to, const char *const *secrets, const char *role, bool *sent)
{
	struct mail *all = mem_array(c->mem, struct mail, to->n + 1);
	struct mail_values branded = { 0 };

	if (!mail_enabled(c))
		return E_OK;
	TRY(branding_on_mail(c, w->id, &branded));
	for (size_t i = 0; i < to->n; i++)
		all[i] = (struct mail){ .template = MAIL_WORKSPACE_INVITED,
			.to = to->v[i],
			.typed = to->v[i],
			.sender_id = who->user_id,
			.values = { .workspace = branded.workspace,
			    .brand = branded.brand,
			    .by = principal_word(who),
			    .who = who->email ? who->email : who->name,
			    .role = role,
			    .until = str_date(c->mem, c->now + LIFE_S),
			    .link = mem_printf(c->mem, "/auth/invite?t=%s", secrets[i]) } };
	return mail_send_many(c, all, to->n, sent);
}

enum { INVITE_ARGS = 10 };

static enum err
invites_write(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *to, const char *role)
{
	struct arg *v = mem_array(c->mem, struct arg, INVITE_ARGS * to->n + 1);
	const char **secrets = mem_array(c->mem, const char *, to->n + 1);
	bool *sent = mem_array(c->mem, bool, to->n + 1);

	/* Secrets lack the checksum of tokens: the page helps a person who copied one wrong. */
	for (size_t i = 0; i < to->n; i++)
		secrets[i] = mem_strndup(c->mem, token_new(c->mem, ""), SECRET_CHARS);
	TRY(invites_mail(c, w, who, to, secrets, role, sent));
	for (size_t i = 0; i < to->n; i++) {
		const struct args row = ARGS(id_new(c->mem, "inv_"), w->id, to->v[i], role,
		    *invite_digest(c, secrets[i]), who->user_id, c->now, c->now, sent[i],
		    c->now + LIFE_S);

		memcpy(&v[INVITE_ARGS * i], row.v, INVITE_ARGS * sizeof *v);
	}
	return db_exec_many(c,
	    EXEC(
		"INSERT INTO invite (id, workspace_id,"
		" email, role, status, hash, invited_by, created_at, sent_at, mailed, expires_at)"
		" VALUES (?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?)"
		" ON DUPLICATE KEY UPDATE"
		" created_at = IF(status = 'pending', created_at, VALUES(created_at)),"
		" role = VALUES(role), status = 'pending', hash = VALUES(hash),"
		" invited_by = VALUES(invited_by), sent_at = VALUES(sent_at),"
		" mailed = VALUES(mailed), expires_at = VALUES(expires_at)"),
	    v, INVITE_ARGS, to->n);
}

static enum err
invites_record(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const struct invite_list *all)
{
	struct audit *rows = mem_array(c->mem, struct audit, all->n + 1);

	for (size_t i = 0; i < all->n; i++)
		rows[i] = (struct audit){ .action = action,
			.type = "invite",
			.id = all->v[i].id,
			.name = all->v[i].email,
			.after = audit_facts(c, "role", all->v[i].role) };
	return audit_add_many(c, w->id, who, rows, all->n);
}

static enum err
invites_make(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *to, const char *role, struct invite_list *out)
{
	TRY(invites_write(c, w, who, to, role));
	TRY(pending_check(c, w));
	TRY(inbox_sync(c, &invite_waits, BY_ACTOR, who->user_id));
	TRY(db_all(c,
	    ROWS(invite,
		"SELECT " INVITE_COLUMNS " FROM " ADDRESSES
		" JOIN invite v ON v.workspace_id = ? AND v.email = j.e"
		" JOIN user b ON b.id = v.invited_by ORDER BY j.i"),
	    ARGS(c->now, strs_json(c, to), w->id), out));
	return invites_record(c, w, who, "invite.sent", out);
}

/* Checks seats before any e-mail is sent, so that nobody makes an account and then finds no seat.
 * Invites that wait already count once. */
static enum err
seats_check(struct ctx *c, const struct workspace *w, const struct addressee_list *known,
    const struct strs *to)
{
	const struct seats *s = w->seats;
	int64_t more = (int64_t)to->n;

	for (size_t i = 0; i < known->n; i++)
		more -= known->v[i].pending && strs_have(to, known->v[i].email);
	if (more <= 0 || !s || s->has.remaining != GIVEN || more + s->pending <= s->remaining)
		return E_OK;
	return fail(c, E_SEATS_FULL,
	    "emails: %s free, with %s. Add seats on the plan page, revoke invitations, or invite "
	    "fewer people. No one has been invited yet",
	    s->remaining == 1 ? "1 seat is"
			      : mem_printf(c->mem, "%s seats are",
				    s->remaining ? str_number(c->mem, s->remaining) : "No"),
	    str_count(c->mem, s->pending, "open invitation"));
}

enum err
invite_send(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct invites_new *in, struct invites_made *out)
{
	const char *role = in->role ? in->role : "member";
	struct strs emails = emails_fold(c, &in->emails), to;
	struct addressee_list known;
	struct invite_list made;

	TRY(role_check(c, w, role));
	TRY(db_all(c,
	    ROWS(addressee,
		"SELECT j.e AS email, m.role, v.role AS invited_as,"
		" v.status = 'pending' AND v.expires_at > ? AS pending FROM " ADDRESSES
		" LEFT JOIN email_alias al ON al.email = j.e LEFT JOIN user ow ON ow.email = j.e"
		" LEFT JOIN member m ON m.workspace_id = ?"
		" AND m.user_id = COALESCE(al.user_id, ow.id)"
		" LEFT JOIN invite v ON v.workspace_id = ? AND v.email = j.e ORDER BY j.i"),
	    ARGS(c->now, strs_json(c, &emails), w->id, w->id), &known));
	TRY(addressees_sort(c, w, &known, &to, &out->skipped));
	TRY(seats_check(c, w, &known, &to));
	TRY(invites_make(c, w, who, &to, role, &made));
	out->invites = (struct list){ made.v, made.n };
	return E_OK;
}

static enum err
invite_get(struct ctx *c, const struct workspace *w, const char *id, struct invite **out)
{
	return db_one(c,
	    ROWS(invite,
		"SELECT " INVITE_COLUMNS
		" FROM invite v JOIN user b ON b.id = v.invited_by"
		" WHERE v.workspace_id = ? AND v.id = ?"),
	    ARGS(c->now, w->id, id), out);
}

/* Fails: the invite isn't open any more. instead: advice for an accepted one. */
static enum err
invite_answered(struct ctx *c, const struct invite *v, const char *instead)
{
	if (str_eq(v->status, "accepted"))
		return fail(c, E_CONFLICT, "%s has already accepted this invite; %s",
		    v->email, instead);
	return fail(c, E_CONFLICT, "This invite was %s; send %s a new one", v->status, v->email);
}

enum err
invite_resend(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *id, struct invite **out)
{
	struct strs to = { .v = mem_array(c->mem, const char *, 1), .n = 1 };
	struct invite_list again;
	bool allowed;

	TRY(invite_get(c, w, id, out));
	TRY(invited_check(c, w, (*out)->email, (*out)->role));
	if (!str_in((*out)->status, "pending|expired"))
		return invite_answered(
		    c, *out, "if they have left the workspace since, invite them again");
	TRY(access_policy_allows(c, w->id, (*out)->email, &allowed));
	if (!allowed)
		return fail(
		    c, E_DENIED, "The workspace's access policy doesn't allow %s", (*out)->email);
	to.v[0] = (*out)->email;
	TRY(invites_make(c, w, who, &to, (*out)->role, &again));
	*out = again.v;
	return E_OK;
}

enum err
invite_revoke(
    struct ctx *c, const struct workspace *w, const struct principal *who, const char *id)
{
	struct invite *v;

	TRY(invite_get(c, w, id, &v));
	TRY(invited_check(c, w, v->email, v->role));
	if (str_eq(v->status, "revoked"))
		return E_OK;
	if (!str_in(v->status, "pending|expired"))
		return invite_answered(
		    c, v, "to take their access away, remove them from the members");
	TRY(db_exec1(c,
	    EXEC("UPDATE invite SET status = 'revoked' WHERE id = ? AND workspace_id = ?"),
	    ARGS(id, w->id)));
	TRY(inbox_sync(c, &invite_waits, BY_SUBJECT, id));
	return invites_record(
	    c, w, who, "invite.revoked", &(struct invite_list){ .v = v, .n = 1 });
}

/* ---- adding ---- */

/* Finds the account of the address or id; NULL if the address has none. */
static enum err
added_find(struct ctx *c, const struct member_new *in, struct user **out)
{
	const char *id = in->user_id;

	*out = NULL;
	if (in->email)
		TRY(user_id_of_email(c, in->email, &id));
	if (id)
		TRY(db_find(c,
		    ROWS(user,
			"SELECT id, email, name, created_at, disabled_at FROM user"
			" WHERE id = ? AND kind = 'person'"),
		    ARGS(id), out));
	if (*out)
		return user_may_receive(c, in->email ? "email" : "user_id",
		    in->email ? in->email : in->user_id, (*out)->disabled_at);
	return in->email ? E_OK : fail(c, E_NOT_FOUND, "user_id: there's no such person");
}

static enum err
person_add(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct user *u, const char *role, struct member **out)
{
	enum err e = member_get(c, w->id, u->id, false, out);

	if (!e)
		return fail(c, E_CONFLICT, "%s is already a member", u->email);
	if (e != E_NOT_FOUND)
		return e;
	TRY(member_join(c, w->id, u->id, role));
	TRY(member_get(c, w->id, u->id, false, out));
	TRY(audit_member(c, w, who, "member.added", *out, NULL, audit_facts(c, "role", role)));
	return member_tell(c, MAIL_WORKSPACE_ADDED, w, who, u->email,
	    &(struct mail_values){ .role = role, .link = mem_printf(c->mem, "/w/%s", w->id) });
}

enum err
member_add(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct member_new *in, struct member_added *out)
{
	const char *role = in->role ? in->role : "member", *email;
	struct invites_made made = { 0 };
	struct member *m = NULL;
	struct user *u;
	bool allowed;

	if (!in->email == !in->user_id)
		return fail(c, E_INVALID, "email: specify exactly one of email and user_id");
	TRY(role_check(c, w, role));
	TRY(added_find(c, in, &u));
	email = in->email ? in->email : u->email;
	TRY(access_policy_allows(c, w->id, email_fold(c, email), &allowed));
	if (!allowed)
		return fail(c, E_DENIED, "The workspace's access policy doesn't allow %s", email);
	if (u)
		TRY(person_add(c, w, who, u, role, &m));
	else
		TRY(invite_send(c, w, who,
		    &(struct invites_new){ .emails = { &email, 1 }, .role = role }, &made));
	*out = (struct member_added){ .member = m, .invite = m ? NULL : made.invites.v };
	return E_OK;
}

/* ---- invited people ---- */

#define OPEN_COLUMNS \
	"v.id, v.workspace_id, w.name AS workspace, w.slug, v.email, v.role, b.name AS `by`," \
	" b.email AS by_email, v.expires_at," \
	" COALESCE((SELECT al.user_id FROM email_alias al WHERE al.email = v.email)," \
	" (SELECT ow.id FROM user ow WHERE ow.email = v.email)) AS user_id"
#define OPEN_TABLES \
	" FROM invite v JOIN workspace w ON w.id = v.workspace_id AND w.deleted_at IS NULL" \
	" JOIN user b ON b.id = v.invited_by"

static enum err
open_find(struct ctx *c, const struct invite_key *key, struct invite_open **out)
{
	if (key->id)
		return db_find(c,
		    ROWS(invite_open,
			"SELECT " OPEN_COLUMNS OPEN_TABLES " JOIN " INVITE_ADDRESSES
			" ON mine.email = v.email WHERE v.id = ? AND " INVITE_IS_OPEN),
		    ARGS(key->by->user_id, key->by->user_id, key->id, c->now), out);
	*out = NULL;
	if (!key->hash)
		return E_OK;
	return db_find(c,
	    ROWS(invite_open,
		"SELECT " OPEN_COLUMNS OPEN_TABLES " WHERE v.hash = ? AND " INVITE_IS_OPEN),
	    ARGS(*key->hash, c->now), out);
}

#define INVITE_HELD(F, T) F(T, ID, id)
SHAPE(invite_held, INVITE_HELD);

/* Locks the workspace’s row, as every change of an invite does. The first read finds the workspace;
 * the second, under the lock, sees concurrent changes. */
enum err
invite_find(struct ctx *c, const struct invite_key *key, bool lock, struct invite_open **out)
{
	struct invite_held *row;

	TRY(open_find(c, key, out));
	if (!*out || !lock)
		return E_OK;
	TRY(db_find(c,
	    ROWS(invite_held, "SELECT id FROM workspace WHERE id = ? FOR UPDATE"),
	    ARGS((*out)->workspace_id), &row));
	return open_find(c, key, out);
}

enum err
invite_mine(struct ctx *c, const struct principal *who, const struct page_query *q,
    struct my_invite_list *out, const char **next)
{
	TRY(db_part(c,
	    ROWS(my_invite,
		"SELECT v.id, w.id AS `workspace.id`, w.name AS `workspace.name`,"
		" w.logo AS `workspace.logo`, w.brand_name AS `workspace.brand_name`, v.email,"
		" v.role, v.created_at, v.expires_at, " INVITER_COLUMNS
		" FROM " INVITE_ADDRESSES " JOIN invite v ON v.email = mine.email"
		" JOIN workspace w ON w.id = v.workspace_id AND w.deleted_at IS NULL"
		" JOIN user b ON b.id = v.invited_by WHERE v.id > ? AND " INVITE_IS_OPEN
		" ORDER BY v.id LIMIT ?"),
	    ARGS(who->user_id, who->user_id, arg_after(q->cursor, "inv_"), c->now), q->limit, out,
	    next, last->id));
	for (size_t i = 0; i < out->n; i++) {
		struct ws_seen *w = out->v[i].workspace;

		w->logo_url = workspace_logo_url(c, w->logo);
	}
	return E_OK;
}

struct principal *
invite_person(struct ctx *c, const struct user *u)
{
	struct principal *who = mem_new(c->mem, struct principal);

	*who = (struct principal){
		.kind = "person", .user_id = u->id, .email = u->email, .name = u->name
	};
	return who;
}

static enum err
answer_write(
    struct ctx *c, const struct invite_open *v, const struct principal *who, const char *status)
{
	bool accepted = str_eq(status, "accepted");

	TRY(db_exec1(
	    c, EXEC("UPDATE invite SET status = ? WHERE id = ?"), ARGS(status, v->id)));
	TRY(inbox_sync(c, &invite_waits, BY_SUBJECT, v->id));
	return audit_add(c, v->workspace_id, who,
	    &(struct audit){ .action = accepted ? "invite.accepted" : "invite.declined",
		.type = "invite",
		.id = v->id,
		.name = v->email,
		.after = audit_facts(c, "role", v->role) });
}

static enum err
invite_is_for(struct ctx *c, const struct invite_open *v, const struct principal *who)
{
	const char *user_id;

	TRY(user_id_of_email(c, v->email, &user_id));
	return str_eq(user_id, who->user_id)
	    ? E_OK
	    : fail(c, E_DENIED, "This invite is for %s, but you're signed in as %s", v->email,
		  who->email);
}

enum err
invite_accept(struct ctx *c, const struct invite_open *v, const struct principal *who)
{
	struct member *m;
	bool allowed;
	enum err e;

	TRY(invite_is_for(c, v, who));
	TRY(access_policy_allows(c, v->workspace_id, v->email, &allowed));
	if (!allowed)
		return fail(c, E_DENIED,
		    "The workspace no longer allows %s; ask the person who invited you", v->email);
	e = member_get(c, v->workspace_id, who->user_id, true, &m);
	if (e == E_NOT_FOUND)
		e = member_join(c, v->workspace_id, who->user_id, v->role);
	TRY(e);
	return answer_write(c, v, who, "accepted");
}

static enum err
invite_is_over(struct ctx *c)
{
	return fail(c, E_NOT_FOUND,
	    "This invitation is no longer valid; it was revoked, or it is too old");
}

enum err
invite_take(struct ctx *c, const struct invite_key *key, const struct principal *who,
    const char **workspace_id)
{
	struct invite_open *v;
	struct invite_held *row;

	TRY(invite_find(c, key, true, &v));
	if (v) {
		*workspace_id = v->workspace_id;
		return invite_accept(c, v, who);
	}
	/* Finds an invite that they accepted earlier and are still a member by, because a browser
	 * may send a click twice. */
	TRY(db_find(c,
	    ROWS(invite_held,
		"SELECT v.workspace_id AS id"
		" FROM invite v JOIN member m ON m.workspace_id = v.workspace_id AND m.user_id = ?"
		" JOIN workspace w ON w.id = v.workspace_id AND w.deleted_at IS NULL"
		" JOIN " INVITE_ADDRESSES " ON mine.email = v.email"
		" WHERE v.status = 'accepted' AND (v.id = ? OR v.hash = ?)"),
	    ARGS(who->user_id, who->user_id, who->user_id, key->id,
		key->hash ? arg_bytes(*key->hash) : arg_null()),
	    &row));
	*workspace_id = row ? row->id : NULL;
	return row ? E_OK : invite_is_over(c);
}

enum err
invite_decline(struct ctx *c, const struct invite_key *key, const struct principal *who)
{
	struct invite_open *v;

	TRY(invite_find(c, key, true, &v));
	if (!v)
		return invite_is_over(c);
	if (who)
		TRY(invite_is_for(c, v, who));
	/* The person with the link may have no account. */
	return answer_write(
	    c, v, who ? who : &(struct principal){ .name = v->email }, "declined");
}

static enum err
invite_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM invite WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now - KEPT_S, limit), removed);
}

/* ---- in words ---- */

const char *
invites_told(struct ctx *c, const struct invites_made *made)
{
	const struct invite_skipped *no = made->skipped.v;
	const struct invite *sent = made->invites.v;
	struct buf b = BUF(c->mem);
	size_t unmailed = 0;

	for (size_t i = 0; i < made->invites.n; i++)
		unmailed += !sent[i].mailed;
	if (made->invites.n)
		buf_fmt(&b, "%zu invitation%s created.", made->invites.n,
		    made->invites.n == 1 ? "" : "s");
	if (unmailed && unmailed == made->invites.n)
		buf_str(&b,
		    " No e-mail was sent, so tell them to sign in here; "
		    "who has no account yet needs one from the operator of the service.");
	else if (unmailed)
		buf_fmt(&b, " %zu of them didn’t get an e-mail, so tell them to sign in here.",
		    unmailed);
	for (size_t i = 0; i < made->skipped.n; i++)
		buf_fmt(&b, "%s%s %s.", b.n ? " " : "", no[i].email,
		    str_eq(no[i].reason, "member")
			? "is already a member"
			: "isn’t allowed by the policy on who can join");
	return buf_done(&b);
}

/* ---- when other things change ---- */

/* Invites that they may not have sent now were revoked. */
static enum err
member_ranked(struct ctx *c, const struct happened *h)
{
	return inbox_sync(c, &invite_waits, BY_ACTOR, h->user_id);
}

USERS(USER_ENDS(invite, invited_by))
WORKSPACE_ROWS(invite, "")
FOLLOWS(invite, USERS_FOLLOW, { MEMBER_RANKED, member_ranked }, { MEMBER_LEFT, member_ranked },
    { WORKSPACE_PURGED, workspace_purged });
ROUNDS(invite, { "invites", .rows = invite_reap });
