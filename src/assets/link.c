/* SPDX-License-Identifier: Apache-2.0 */
#include "assets/link.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/passhash.h"
#include "base/str.h"
#include "core/accesspolicy.h"
#include "core/audit.h"
#include "core/branding.h"
#include "core/follow.h"
#include "core/mail.h"
#include "core/member.h"
#include "core/workspace.h"
#include "db/ids.h"
#include "store/rounds.h"

SHAPE_DEFINE(delivery_link, DELIVERY_LINK);
SHAPE_DEFINE(link_wish, LINK_WISH);
SHAPE_DEFINE(link_send, LINK_SEND);
SHAPE_DEFINE(link_made, LINK_MADE);
SHAPE_DEFINE(links_sent, LINKS_SENT);

enum { YEAR_S = 365 * 86400, KEPT_S = 90 * 86400, PIECE = 500 };

/* ---- reading ---- */

#define LINK_SELECT \
	"SELECT l.id, l.name, l.collection_id, l.recipient AS `to`, l.message, l.gate," \
	" l.domains AS domain_words, l.expires_at, l.expires_at AS expiry, l.views AS view_count," \
	" l.opened_at, l.revoked_at IS NOT NULL AS revoked, l.created_at, " \
	ASSET_PERSON_COLUMNS("u", "created_by") ", l.sealed" \
	" FROM delivery_link l LEFT JOIN user u ON u.id = l.user_id WHERE l.bucket_id = ?"

static void
link_complete(struct ctx *c, const struct principal *who, struct delivery_link *l)
{
	const struct asset_person *maker = l->created_by;
	char *rest = mem_strdup(c->mem, l->domain_words ? l->domain_words : ""), *domain;
	const char *secret = NULL;

	l->domains.v = mem_array(c->mem, const char *, LINK_DOMAINS);
	while ((domain = str_split(&rest, ' ')) && *domain)
		l->domains.v[l->domains.n++] = domain;
	if (maker && str_eq(maker->id, who->user_id))
		secret = link_secret(c, l->id, l->sealed);
	l->url = secret ? mem_printf(c->mem, "%s/d/%s", c->conf->base_url, secret) : NULL;
}

enum err
link_list(struct ctx *c, const struct library *l, const struct principal *who, bool all,
    const struct page_query *q, struct delivery_link_list *out, const char **next)
{
	struct delivery_link_rows every =
		ROWS(delivery_link, LINK_SELECT " AND l.id < ? ORDER BY l.id DESC LIMIT ?");
	struct delivery_link_rows own = ROWS(delivery_link,
	    LINK_SELECT " AND l.user_id = ? AND l.id < ? ORDER BY l.id DESC LIMIT ?");
	struct arg before = arg_before(q->cursor, "lnk_");

	if (all)
		TRY(db_part(
		    c, every, ARGS(l->bucket_id, before), q->limit, out, next, last->id));
	else
		TRY(db_part(c, own, ARGS(l->bucket_id, who->user_id, before), q->limit, out, next,
		    last->id));
	for (size_t i = 0; i < out->n; i++)
		link_complete(c, who, &out->v[i]);
	return E_OK;
}

#define FILE_LINKS(F, T) \
	F(T, ID,  id, .arg = "dlv_") \
	F(T, INT, links)
SHAPE(file_links, FILE_LINKS);

enum err
links_of_files(struct ctx *c, const char *const *ids, size_t n, int64_t *counts)
{
	struct file_links_list found;

	TRY(db_all(c,
	    ROWS(file_links,
		"SELECT d.id, COUNT(*) AS links FROM " ID_TABLE
		" STRAIGHT_JOIN deliverable d ON d.id = t.id"
		" STRAIGHT_JOIN asset_collection_file f ON f.deliverable_id = d.id"
		" STRAIGHT_JOIN delivery_link l ON l.collection_id = f.collection_id"
		" AND (d.owner_id = l.user_id OR d.visibility = 'workspace')"
		" AND l.revoked_at IS NULL AND (l.expires_at IS NULL OR l.expires_at > ?)"
		" GROUP BY d.id"),
	    ARGS(ids_json(c, ids, n), c->now), &found));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < found.n; k++)
			if (str_eq(found.v[k].id, ids[i]))
				counts[i] = found.v[k].links;
	return E_OK;
}

enum err
link_get(struct ctx *c, const struct library *l, const struct principal *who, bool all,
    const char *id, bool lock, struct delivery_link **out)
{
	struct args args = ARGS(l->bucket_id, id, all, who->user_id);

	TRY(lock ? db_one(c,
		       ROWS(delivery_link,
			   LINK_SELECT " AND l.id = ? AND (? OR l.user_id = ?) FOR UPDATE"),
		       args, out)
		 : db_one(c,
		       ROWS(delivery_link, LINK_SELECT " AND l.id = ? AND (? OR l.user_id = ?)"),
		       args, out));
	link_complete(c, who, *out);
	return E_OK;
}

/* ---- making ---- */

/* The columns of a link's gate, made from a wish. */
struct gate {
	const char *kind, *password, *domains;
};

/* Refuses a password or domains of another gate: the link would be more open than its maker
 * thinks. */
static enum err
gate_read(struct ctx *c, const struct link_wish *in, const char *hash, struct gate *out)
{
	bool domains = in->has.domains == GIVEN;
	struct buf b = BUF(c->mem);
	const char *name;

	*out = (struct gate){ .kind = in->gate ? in->gate
		    : in->password         ? "password"
		    : domains              ? "domain"
					   : "none",
		.password = hash };
	if (in->password && !str_eq(out->kind, "password"))
		return fail(c, E_INVALID,
		    domains && !in->gate
			? "password: specify either a password or domains, not both"
			: "password: belongs to the gate \"password\"; the gate here is \"%s\"",
		    out->kind);
	if (domains && !str_eq(out->kind, "domain"))
		return fail(c, E_INVALID,
		    in->password ? "domains: specify either a password or domains, not both"
				 : "domains: belongs to the gate \"domain\"; the gate here is "
				   "\"%s\"",
		    out->kind);
	if (str_eq(out->kind, "password") && !in->password)
		return fail(c, E_INVALID, "password: is required by the gate \"password\"");
	if (str_eq(out->kind, "domain") && !in->domains.n)
		return fail(c, E_INVALID,
		    "domains: at least one is required by the gate \"domain\"");
	if (!str_eq(out->kind, "domain"))
		return E_OK;
	for (size_t i = 0; i < in->domains.n; i++) {
		TRY(mail_domain_check(c, mem_printf(c->mem, "domains[%zu]", i), in->domains.v[i],
		    &name));
		buf_fmt(&b, "%s%s", i ? " " : "", name);
	}
	out->domains = buf_done(&b);
	return E_OK;
}

static enum err
expiry_check(struct ctx *c, const struct link_wish *in)
{
	if (in->has.expires_at != GIVEN ||
	    (in->expires_at > c->now && in->expires_at <= c->now + LINK_YEARS * YEAR_S))
		return E_OK;
	return fail(c, E_INVALID, "expiresAt: %s must be in the future, and within %d years",
	    str_rfc3339(c->mem, in->expires_at), LINK_YEARS);
}

static enum err
room_check(struct ctx *c, const struct library *l, const struct principal *who, size_t more)
{
	struct asset_sum *there;

	TRY(db_one(c,
	    ROWS(asset_sum,
		"SELECT COUNT(*) AS files FROM delivery_link"
		" WHERE bucket_id = ? AND user_id = ? AND revoked_at IS NULL"),
	    ARGS(l->bucket_id, who->user_id), &there));
	if (there->files + (int64_t)more <= LINKS_MOST)
		return E_OK;
	return fail(c, E_LIMIT_REACHED,
	    "You have %lld links here, and the maximum is %d; revoke some first",
	    (long long)there->files, LINKS_MOST);
}

static enum err
link_audit(struct ctx *c, const struct library *l, const struct principal *who,
    const char *action, const struct delivery_link *k, const char *after)
{
	return !l->workspace_id ? E_OK
				: audit_add(c, l->workspace_id, who,
				      &(struct audit){ action, "delivery_link", k->id, k->name,
					  NULL, after });
}

static enum err
link_add(struct ctx *c, const struct library *l, const struct principal *who,
    const struct collection *k, const struct link_wish *in, const struct gate *g,
    const char *to, struct delivery_link **out)
{
	const char *id = id_new(c->mem, "lnk_"), *secret = token_new(c->mem, "");
	uint8_t hash[SHA256_BYTES];

	token_hash(secret, hash);
	TRY(db_exec(c,
	    EXEC("INSERT INTO delivery_link (id, hash, sealed, collection_id, bucket_id,"
		 " workspace_id, user_id, name, recipient, message, gate, password, domains,"
		 " expires_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(id, ((struct bytes){ hash, sizeof hash }),
		link_seal(c, id, secret), k->id,
		l->bucket_id, l->workspace_id, who->user_id, k->name, to,
		str_given(in->message), g->kind, g->password, g->domains,
		arg_opt(in->has.expires_at, in->expires_at), c->now),
	    NULL));
	TRY(link_get(c, l, who, false, id, false, out));
	return link_audit(c, l, who, "delivery_link.made", *out,
	    audit_facts(c, "gate|to|expires_at", g->kind, to,
		arg_opt(in->has.expires_at, in->expires_at)));
}

enum err
link_make(struct ctx *c, const struct library *l, const struct principal *who,
    const char *collection_id, const struct link_wish *in, const char *hash,
    struct delivery_link **out)
{
	struct collection *k;
	struct gate g;

	TRY(collection_get(c, l, who, collection_id, false, &k));
	TRY(gate_read(c, in, hash, &g));
	TRY(expiry_check(c, in));
	TRY(room_check(c, l, who, 1));
	TRY(link_add(c, l, who, k, in, &g, NULL, out));
	return links_follow(c, &LINK_ONE((*out)->id));
}

/* ---- sending ---- */

static enum err
addresses_check(struct ctx *c, const struct strs *to)
{
	for (size_t i = 0; i < to->n; i++)
		for (size_t k = 0; k < i; k++)
			if (str_eq(email_fold(c, to->v[i]), email_fold(c, to->v[k])))
				return fail(c, E_INVALID, "to[%zu]: %s appears twice", i, to->v[i]);
	return E_OK;
}

static enum err
links_mail(struct ctx *c, const struct library *l, const struct principal *who,
    const struct delivery_link_list *links, const char *message)
{
	struct mail *mails = mem_array(c->mem, struct mail, links->n);
	bool *sent = mem_array(c->mem, bool, links->n);

	for (size_t i = 0; i < links->n; i++) {
		const struct delivery_link *k = &links->v[i];

		mails[i] = (struct mail){ .template = MAIL_DELIVERY, .to = k->to,
			.typed = k->to, .sender_id = who->user_id,
			.values = { .by = principal_word(who), .what = k->name,
			    .message = str_given(message),
			    .limit = k->has.expires_at == GIVEN
				? mem_printf(c->mem, "They are available until %s.",
				      str_date(c->mem, k->expires_at))
				: "They are available until the sender withdraws them.",
			    .link = k->url + strlen(c->conf->base_url) } };
		if (l->workspace_id)
			TRY(branding_on_mail(c, l->workspace_id, &mails[i].values));
	}
	TRY(mail_send_many(c, mails, links->n, sent));
	for (size_t i = 0; i < links->n; i++)
		if (!sent[i])
			return fail(c, E_RATE_LIMITED,
			    "to[%zu]: no more e-mail can be sent to %s by you today; "
			    "share a link and send it yourself", i, links->v[i].to);
	return E_OK;
}

enum err
links_send(struct ctx *c, const struct library *l, const struct principal *who,
    const char *collection_id, const struct link_send *in, const char *hash,
    struct delivery_link_list *out)
{
	const struct link_wish wish = { .expires_at = in->expires_at, .gate = in->gate,
		.password = in->password, .domains = in->domains, .message = in->message,
		.has = { in->has.expires_at, in->has.gate, in->has.password, in->has.domains } };
	struct link_id_list ids = { mem_array(c->mem, struct link_id, in->to.n), in->to.n };
	struct collection *k;
	struct gate g;

	TRY(collection_get(c, l, who, collection_id, false, &k));
	TRY(gate_read(c, &wish, hash, &g));
	TRY(expiry_check(c, &wish));
	TRY(addresses_check(c, &in->to));
	if (!mail_enabled(c))
		return fail_lacks(c,
		    "This service sends no e-mail; share a link and send it yourself");
	TRY(room_check(c, l, who, in->to.n));
	*out = (struct delivery_link_list){ mem_array(c->mem, struct delivery_link, in->to.n),
		in->to.n };
	for (size_t i = 0; i < in->to.n; i++) {
		struct delivery_link *made;

		TRY(link_add(c, l, who, k, &wish, &g, in->to.v[i], &made));
		out->v[i] = *made;
		ids.v[i].id = made->id;
	}
	TRY(links_mail(c, l, who, out, in->message));
	return links_follow(c, &ids);
}

/* ---- changing ---- */

/* Absent members of the wish change nothing. */
enum err
link_change(struct ctx *c, const struct library *l, const struct principal *who, const char *id,
    const struct link_wish *in, const char *hash)
{
	bool gated = in->has.gate == GIVEN || in->password || in->has.domains == GIVEN;
	struct delivery_link *k;
	struct gate g = { 0 };

	TRY(link_get(c, l, who, false, id, true, &k));
	if (k->revoked)
		return fail(c, E_CONFLICT, "The link has been revoked; share another one");
	if (gated)
		TRY(gate_read(c, in, hash, &g));
	TRY(expiry_check(c, in));
	TRY(db_exec1(c,
	    EXEC("UPDATE delivery_link SET gate = COALESCE(?, gate), gate_epoch = gate_epoch + ?,"
		 " password = IF(?, ?, password), domains = IF(?, ?, domains),"
		 " expires_at = IF(?, ?, expires_at), message = IF(?, NULLIF(?, ''), message)"
		 " WHERE id = ?"),
	    ARGS(g.kind, gated, gated, g.password, gated, g.domains,
		in->has.expires_at != ABSENT, arg_opt(in->has.expires_at, in->expires_at),
		in->has.message == GIVEN, in->message, id)));
	TRY(links_follow(c, &LINK_ONE(id)));
	return link_audit(c, l, who, "delivery_link.changed", k,
	    audit_facts(c, "gate|expires_at", g.kind ? g.kind : k->gate,
		in->has.expires_at == ABSENT ? arg_opt(k->has.expires_at, k->expires_at)
					     : arg_opt(in->has.expires_at, in->expires_at)));
}

enum err
link_revoke(struct ctx *c, const struct library *l, const struct principal *who, bool all,
    const char *id)
{
	struct delivery_link *k;

	TRY(link_get(c, l, who, all, id, true, &k));
	if (k->revoked)
		return E_OK;
	TRY(links_revoke(c, &LINK_ONE(id)));
	return link_audit(c, l, who, "delivery_link.revoked", k, NULL);
}

/* ---- when other things change ---- */

/* Revokes all links of a person, in a workspace or (NULL) anywhere; adds their number to *n. */
static enum err
links_of_maker_end(struct ctx *c, const char *user_id, const char *workspace_id, int64_t *n)
{
	struct link_id_list links;

	TRY(db_all(c,
	    ROWS(link_id,
		"SELECT id FROM delivery_link WHERE user_id = ? AND revoked_at IS NULL"
		" AND (? IS NULL OR workspace_id = ?)"),
	    ARGS(user_id, workspace_id, workspace_id), &links));
	*n += (int64_t)links.n;
	TRY(links_revoke(c, &links));
	return db_exec(c,
	    EXEC("DELETE FROM asset_collection WHERE user_id = ?"
		 " AND (? IS NULL OR workspace_id = ?)"),
	    ARGS(user_id, workspace_id, workspace_id), NULL);
}

static enum err
member_left(struct ctx *c, const struct happened *h)
{
	return links_of_maker_end(c, h->user_id, h->workspace_id, h->links);
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	int64_t n = 0;

	TRY(links_of_maker_end(c, h->user_id, NULL, &n));
	/* The runner deletes the rows after nginx has none of their files. */
	return db_exec(c,
	    EXEC("UPDATE delivery_link SET user_id = NULL, revoked_at = 0 WHERE user_id = ?"),
	    ARGS(h->user_id), NULL);
}

static enum err
user_disabled(struct ctx *c, const struct happened *h)
{
	struct link_id_list links;

	TRY(db_all(c,
	    ROWS(link_id, "SELECT id FROM delivery_link WHERE user_id = ? AND " LINK_IS_OPEN),
	    ARGS(h->user_id), &links));
	return links_follow(c, &links);
}

static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	struct library from = library_of(c, NULL, h->from_id);
	struct library to = library_of(c, NULL, h->user_id);

	TRY(db_exec(c,
	    EXEC("UPDATE asset_collection SET user_id = ?,"
		 " bucket_id = IF(bucket_id = ?, ?, bucket_id) WHERE user_id = ?"),
	    ARGS(h->user_id, from.bucket_id, to.bucket_id, h->from_id), NULL));
	return db_exec(c,
	    EXEC("UPDATE delivery_link SET user_id = ?,"
		 " bucket_id = IF(bucket_id = ?, ?, bucket_id) WHERE user_id = ?"),
	    ARGS(h->user_id, from.bucket_id, to.bucket_id, h->from_id), NULL);
}

/* Follows a workspace into the trash, and back. */
static enum err
workspace_changed(struct ctx *c, const struct happened *h)
{
	struct library l = library_of(c, h->ws, NULL);
	struct link_id_list links;

	TRY(db_all(c,
	    ROWS(link_id, "SELECT id FROM delivery_link WHERE bucket_id = ? AND " LINK_IS_OPEN),
	    ARGS(l.bucket_id), &links));
	return links_follow(c, &links);
}

static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	struct library l = library_of(c, &(struct workspace){ .id = h->workspace_id }, NULL);
	int64_t links, collections;

	TRY(db_exec(c, EXEC("DELETE FROM delivery_link WHERE bucket_id = ? LIMIT ?"),
	    ARGS(l.bucket_id, PIECE), &links));
	TRY(db_exec(c, EXEC("DELETE FROM asset_collection WHERE bucket_id = ? LIMIT ?"),
	    ARGS(l.bucket_id, PIECE), &collections));
	if (links == PIECE || collections == PIECE)
		*h->more = true;
	return E_OK;
}

/* ---- rounds ---- */

/* Removes links that ended long ago; their makers see them until then. */
static enum err
revoked_sweep(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c,
	    EXEC("DELETE FROM delivery_link WHERE revoked_at < ? AND NOT EXISTS (SELECT 1"
		 " FROM outbox o WHERE o.kind = 'deliver' AND o.subject = delivery_link.id)"
		 " LIMIT ?"),
	    ARGS(c->now - KEPT_S, limit), removed);
}

static enum err
expired_sweep(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM delivery_link WHERE expires_at < ? LIMIT ?"),
	    ARGS(c->now - KEPT_S, limit), removed);
}

ROUNDS(link, { "revoked links", .rows = revoked_sweep },
    { "expired links", .rows = expired_sweep });
FOLLOWS(link, { MEMBER_LEFT, member_left }, { USER_DISABLED, user_disabled },
    { USER_MERGED, user_merged }, { USER_DELETED, user_deleted },
    { WORKSPACE_DELETED, workspace_changed }, { WORKSPACE_BACK, workspace_changed },
    { WORKSPACE_PURGED, workspace_purged });
