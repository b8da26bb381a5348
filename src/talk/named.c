/* SPDX-License-Identifier: Apache-2.0
 * People whom a comment mentions. Whom somebody may mention doesn't depend on whether an address
 * has an account: a refusal reads alike. */
#include "base/email.h"
#include "base/str.h"
#include "core/tell.h"
#include "core/user.h"
#include "db/db.h"
#include "db/ids.h"
#include "inbox/item.h"
#include "inbox/stop.h"
#include "talk/remark.h"

SHAPE_DEFINE(named_person, NAMED_PERSON);
SHAPE_DEFINE(named_people, NAMED_PEOPLE);
SHAPE_DEFINE(named_query, NAMED_QUERY);

enum { PEOPLE_MOST = 20, QUOTED_CHARS = 500 };

/* The people of the clients of a user ("?") in a workspace ("?"). */
#define COLLEAGUES \
	"SELECT y.user_id FROM sharee_member x JOIN sharee_member y ON y.sharee_id = x.sharee_id" \
	" WHERE x.user_id = ? AND x.workspace_id = ?"

/* ---- may they be mentioned? ---- */

#define CANDIDATE(F, T) \
	F(T, ID,   id, .arg = "usr_") \
	F(T, BOOL, people,    .doc = "The thread is for people") \
	F(T, BOOL, spoke,     .doc = "They are in the thread") \
	F(T, BOOL, colleague, .doc = "Of the same client")
SHAPE(candidate, CANDIDATE);

/* *may: they can read the thread; *has_page: on a page of ours. */
static enum err
candidate_access(
    struct ctx *c, const struct naming *n, const struct candidate *p, bool *may, bool *has_page)
{
	const struct principal them = { .kind = "person", .user_id = p->id, .outside = true };
	struct artifact *a;
	enum err e = artifact_get(c, n->art->id, &them, false, &a);

	*has_page = !e && (a->role || a->can_comment);
	*may = *has_page || (!e && a->is_open && !p->people);
	return e == E_NOT_FOUND || e == E_DENIED ? ctx_forgive(c) : e;
}

/* all: people who may be mentioned. mailed: the ones who have a page of ours to read it on. */
struct named {
	struct strs all, mailed;
};

/* Adds the person of an id or address. *may is false, and nobody is added, if they may not be
 * mentioned. */
static enum err
candidate_add(
    struct ctx *c, const struct naming *n, const char *given, struct named *out, bool *may)
{
	const char *address = strchr(given, '@') ? email_fold(c, given) : NULL;
	const struct artifact *a = n->art;
	struct candidate *p;
	bool has_page;

	*may = false;
	TRY(db_find(c,
	    ROWS(candidate,
		"SELECT u.id, h.audience = 'people' AS people,"
		" EXISTS (SELECT 1 FROM comment r WHERE r.author_id = u.id"
		" AND COALESCE(r.thread_id, r.id) = h.id AND r.id <> m.id) AS spoke,"
		" u.id IN (" COLLEAGUES ") AS colleague FROM comment m"
		" JOIN comment h ON h.id = COALESCE(m.thread_id, m.id)"
		" JOIN user u ON u.id = IF(? IS NULL, ?, " USER_OF_EMAIL ")"
		" WHERE m.id = ? AND u.kind = 'person' AND u.disabled_at IS NULL"),
	    ARGS(n->who->user_id, a->workspace_id, address, given, USER_OF(address),
		n->comment_id),
	    &p));
	if (!p)
		return E_OK;
	if (!a->role && !str_eq(p->id, a->owner_id) && !p->spoke &&
	    !(a->can_comment && p->colleague))
		return E_OK;
	TRY(candidate_access(c, n, p, may, &has_page));
	if (!*may || strs_have(&out->all, p->id))
		return E_OK;
	strs_add(c->mem, &out->all, p->id);
	if (has_page && !str_eq(p->id, n->who->user_id))
		strs_add(c->mem, &out->mailed, p->id);
	return E_OK;
}

static enum err
named_in_field(struct ctx *c, const struct naming *n, struct named *out)
{
	bool may;

	for (size_t i = 0; n->field && i < n->field->n; i++) {
		TRY(candidate_add(c, n, n->field->v[i], out, &may));
		if (!may)
			return fail(c, E_INVALID,
			    "mentions[%zu]: %s is nobody who can read this thread and whom you "
			    "may mention",
			    i, n->field->v[i]);
	}
	return E_OK;
}

/* An @ after a blank begins a mention; an address follows it. */
static enum err
named_in_text(struct ctx *c, const struct naming *n, struct named *out)
{
	int tries = 0;
	bool may;

	for (const char *s = n->text; (s = strchr(s, '@')); s++) {
		const char *at = s + 1, *address;
		size_t len = strcspn(at, " \t\n,;:()<>[]\"'");

		if (s > n->text && !strchr(" \t\n(", s[-1]))
			continue;
		while (len && strchr(".!?", at[len - 1])) /* they end a sentence */
			len--;
		address = len && memchr(at, '@', len)
		    ? email_read(c->mem, mem_strndup(c->mem, at, len))
		    : NULL;
		if (!address)
			continue;
		if (tries++ == MENTIONS_MOST)
			return E_OK;
		TRY(candidate_add(c, n, address, out, &may));
		s += strcspn(s + 1, " \t\n");
	}
	return E_OK;
}

/* ---- recording and telling ---- */

#define NEWLY(F, T) \
	F(T, ID,    id, .arg = "usr_") \
	F(T, EMAIL, email)
SHAPE(newly, NEWLY);

static enum err
named_inbox_put(struct ctx *c, const struct naming *n, const struct newly_list *all)
{
	const char **ids = mem_array(c->mem, const char *, all->n + 1);

	for (size_t i = 0; i < all->n; i++)
		ids[i] = all->v[i].id;
	return inbox_put(c,
	    INBOX_PUT("SELECT " INBOX_ROW("t.id", "COALESCE(m.thread_id, m.id)", "m.author_id",
		"NULL", "m.artifact_id", "a.workspace_id", "NULL", "NULL", "m.body", "NULL")
		" FROM " ID_TABLE " JOIN comment m ON m.id = ?"
		" JOIN artifact a ON a.id = m.artifact_id"),
	    ITEM_MENTIONED, ARGS(ids_json(c, ids, all->n), n->comment_id));
}

static enum err
named_mail(struct ctx *c, const struct naming *n, const struct newly_list *all)
{
	struct mail *mails = mem_array(c->mem, struct mail, all->n + 1);
	const char *cut = str_cut(c->mem, n->text, QUOTED_CHARS), *who = n->who->name;
	size_t k = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].email)
			mails[k++] = (struct mail){ .template = MAIL_MENTION,
				.to = all->v[i].email,
				.artifact_id = n->art->id,
				.sender_id = n->who->user_id,
				.values = { .artifact = n->art->name,
				    .who = who && *who ? who : "Somebody",
				    .message = cut,
				    .link = mem_printf(c->mem, "/a/%s/review?thread=%s",
					n->art->id, n->comment_id),
				    .stop = inbox_stop_path(c, "mention", all->v[i].id) } };
	return tell_many(c, mails, k);
}

enum err
named_write(struct ctx *c, const struct naming *n)
{
	struct named named = { 0 };
	struct newly_list newly;

	TRY(named_in_field(c, n, &named));
	TRY(named_in_text(c, n, &named));
	if (!named.all.n)
		return E_OK;
	TRY(db_all(c,
	    ROWS(newly,
		"SELECT u.id, IF(" INBOX_MAILED("mention", "u.id") ", u.email, NULL) AS email"
		" FROM " ID_TABLE " JOIN user u ON u.id = t.id"
		" LEFT JOIN comment_mention m ON m.comment_id = ? AND m.user_id = u.id"
		" WHERE m.user_id IS NULL"),
	    ARGS(ids_json(c, named.mailed.v, named.mailed.n), n->comment_id), &newly));
	TRY(db_exec(c,
	    EXEC("INSERT IGNORE INTO comment_mention (comment_id, user_id)"
		 " SELECT ?, t.id FROM " ID_TABLE),
	    ARGS(n->comment_id, ids_json(c, named.all.v, named.all.n)), NULL));
	if (newly.n)
		TRY(named_inbox_put(c, n, &newly));
	return named_mail(c, n, &newly);
}

/* ---- whom one finds ---- */

static enum err
named_near(struct ctx *c, const struct artifact *a, const char *me, const char *q, struct list *out)
{
	return db_all(c,
	    ROWS(named_person,
		"SELECT u.id, u.name, IF(?, " COMMENT_EMAIL ", NULL) AS email FROM"
		" (SELECT r.author_id AS id FROM comment m JOIN comment r"
		" ON r.artifact_id = m.artifact_id AND (r.id = COALESCE(m.thread_id, m.id)"
		" OR r.thread_id = COALESCE(m.thread_id, m.id)) WHERE m.author_id = ?"
		" AND m.artifact_id = ? UNION SELECT * FROM (" COLLEAGUES ") z) o"
		" STRAIGHT_JOIN user u ON u.id = o.id JOIN artifact a ON a.id = ?"
		" LEFT JOIN collaborator co ON co.artifact_id = a.id AND co.user_id = u.id"
		" WHERE u.kind = 'person' AND u.disabled_at IS NULL AND u.id <> ?"
		" AND COALESCE(LOCATE(LOWER(?), LOWER(u.name)) > 0, TRUE)"
		" ORDER BY u.name, u.id LIMIT ?"),
	    ARGS(a->role != NULL, me, a->id, me, a->can_comment ? a->workspace_id : NULL, a->id, me,
		q, PEOPLE_MOST),
	    out);
}

static enum err
named_of_workspace(
    struct ctx *c, const struct artifact *a, const char *me, const char *q, struct list *out)
{
	return db_all(c,
	    ROWS(named_person,
		"SELECT p.id, p.name, p.email FROM (SELECT u.id, u.name, COALESCE(" COMMENT_EMAIL
		", IF(?, u.email, NULL)) AS email FROM (SELECT owner_id AS id FROM artifact"
		" WHERE id = ? UNION SELECT user_id FROM collaborator WHERE artifact_id = ?"
		" UNION SELECT w.user_id FROM member w JOIN workspace k ON k.id = w.workspace_id"
		" WHERE w.workspace_id = ? AND (k.member_access <> 'none'"
		" OR w.role IN ('admin', 'owner'))) o JOIN user u ON u.id = o.id"
		" JOIN artifact a ON a.id = ? LEFT JOIN collaborator co ON co.artifact_id = a.id"
		" AND co.user_id = u.id WHERE u.kind = 'person' AND u.disabled_at IS NULL"
		" AND u.id <> ?) p WHERE LOCATE(LOWER(?), LOWER(CONCAT_WS(' ', p.name, p.email)))"
		" ORDER BY p.name, p.id LIMIT ?"),
	    ARGS(a->workspace_role != NULL, a->id, a->id, a->workspace_id, a->id, me, q,
		PEOPLE_MOST),
	    out);
}

enum err
named_search(struct ctx *c, const struct artifact *a, const struct principal *who, const char *q,
    struct list *out)
{
	*out = (struct list){ 0 };
	if (!who)
		return E_OK;
	return a->role && q && str_chars(q) >= 2
	    ? named_of_workspace(c, a, who->user_id, q, out)
	    : named_near(c, a, who->user_id, q, out);
}
