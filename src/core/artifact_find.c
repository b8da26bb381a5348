/* SPDX-License-Identifier: Apache-2.0
 * Finds one artifact, as a caller sees it: by id, by slug, by a token or a cookie. Each statement
 * reads the facts (core/artifact_row.h); rights_of() turns them into rights (core/rights.h). */
#include "core/artifact.h"

#include "base/str.h"
#include "core/accesspolicy.h"
#include "core/artifact_row.h"
#include "core/document_row.h"
#include "core/guess.h"
#include "core/reach.h"
#include "core/viewer.h"
#include "db/db.h"

/* ---- from facts to rights ---- */

static struct facts
facts_of(const struct ctx *c, const struct artifact *a)
{
	return (struct facts){ .owner_id = a->owner_id,
		.workspace_id = a->workspace_id,
		.visibility = a->visibility,
		.published = a->version_no != 0,
		.paused = a->paused,
		.deleted = a->deleted_at != 0,
		.closed = a->closed,
		.by_agent = a->by_agent,
		.in_workspace = a->in_workspace,
		.member_access = a->member_access,
		.agents = a->agents,
		.other_host = a->other_host,
		.fenced = a->fenced,
		.shares = a->given && reach_shares(c, TIER_ROW_OF(a)),
		.member = a->member,
		.collaborator = a->collaborator,
		.given = a->given };
}

/* Only members see the name of the workspace. An agent that isn't allowed there doesn't. */
static void
rights_show(struct artifact *a, const struct facts *f, const struct rights *r)
{
	bool stranger = agent_is_barred(r->agent_bound) || !f->member;

	a->role = role_word(r->role);
	a->workspace_role = r->member ? f->member : NULL;
	a->workspace_name = stranger ? NULL : a->workspace_name;
	a->has_catalog = a->has_catalog && f->member;
	a->is_open = r->open;
	a->can_view = r->view;
	a->can_comment = r->comment;
	a->can_edit = r->edit;
	a->capability = r->edit ? "edit" : r->comment ? "comment" : r->view ? "view" : NULL;
	a->agent_bound = r->agent_bound;
	a->stopped = r->stopped;
	/* A caller may have marked a favorite while the artifact was open to them. */
	a->is_favorite = a->is_favorite && (r->role || facts_open(f));
}

/* Runs after each statement. Takes one more statement for a collaborator whom an access policy may
 * keep out. E_DENIED for an agent that the workspace bars. */
static enum err
artifact_finish(struct ctx *c, const struct principal *who, struct artifact *a)
{
	struct facts f = facts_of(c, a);
	struct rights r;

	if (facts_fence(who, &f))
		TRY(access_policy_names_user(c, a->workspace_id, who->user_id, &f.named));
	r = rights_of(who, &f);
	if (r.refused)
		return agent_reads(c, who, r.agent_bound);
	rights_show(a, &f, &r);
	artifact_dress(c, a);
	return E_OK;
}

/* ---- three statements (core/guess.h) ---- */

/* Columns for GUESS_OWN. An artifact in no workspace has no other facts. */
#define OWN_COLUMNS(p) \
	ARTIFACT_PLAIN(p) ", a.access_policy AS `" p "access_policy`," \
	" f.user_id IS NOT NULL AS `" p "is_favorite`"

static enum guessed
found_by(const struct principal *who, const struct artifact *a)
{
	bool own = who && a && !who->workspace_id && !who->grants_only && !a->workspace_id &&
	    str_eq(a->owner_id, who->user_id);

	return own ? GUESS_OWN : rights_may_be_given(who) ? GUESS_GRANTS : GUESS_FACTS;
}

/* A single statement, or three, of which the guessed one runs first. */
struct finding {
	const char *what; /* an id or a slug */
	struct artifact_rows own;
	struct args own_args;
	struct artifact_rows all; /* for the caller, with or without grants */
	struct args all_args;
	bool both; /* `own` finds a row wherever `all` does, and the caller decides whose it is */
};

/* *out is NULL if no statement finds it. */
static enum err
find_guessed(struct ctx *c, const struct principal *who, const struct finding *f,
    struct artifact **out)
{
	bool alone = who && !who->workspace_id && !who->grants_only;
	struct guess g = { .first = GUESS_FACTS };
	struct artifact_list rows;

	*out = NULL;
	if (alone)
		g = guess_of((struct bytes){ who->user_id, strlen(who->user_id) }, f->what);
	if (g.first == GUESS_OWN)
		TRY(db_find(c, f->own, f->own_args, out));
	if (g.first == GUESS_OWN && f->both && !*out)
		return E_OK;
	if (*out && found_by(who, *out) != GUESS_OWN)
		*out = NULL;
	if (!*out) {
		TRY(db_all(c, f->all, f->all_args, &rows));
		*out = rows.n ? rows.v : NULL;
		/* The rows differ only in their grants, which add up. */
		for (size_t i = 0; i < rows.n; i++)
			(*out)->given |= capability_bits(rows.v[i].client_given) |
			    capability_bits(rows.v[i].person_given);
		if (alone)
			guess_learn(&g, found_by(who, *out));
	}
	return *out ? artifact_finish(c, who, *out) : E_OK;
}

#define READ_TABLES(user) FACTS_TABLES(user) FAVORITE_TABLE(user)

/* ---- by id ---- */

static struct artifact_rows
own_rows(bool for_update)
{
	if (for_update)
		return ROWS(artifact,
		    "SELECT " OWN_COLUMNS("") " FROM artifact a" FAVORITE_TABLE("a.owner_id")
		    " WHERE a.id = ? AND IF(a.owner_id = ? AND a.workspace_id IS NULL, TRUE, FALSE)"
		    " FOR UPDATE");
	return ROWS(artifact,
	    "SELECT " OWN_COLUMNS("") " FROM artifact a" FAVORITE_TABLE("a.owner_id")
	    " WHERE a.id = ? AND IF(a.owner_id = ? AND a.workspace_id IS NULL, TRUE, FALSE)");
}

/* The lock includes the caller's rows as collaborator and favorite, after the artifact's. Code that
 * changes these either locks the artifact first or touches nothing else. */
static struct artifact_rows
role_rows(bool for_update)
{
	if (for_update)
		return ROWS(artifact,
		    "SELECT " ARTIFACT_PLAIN("") ", " FACTS_COLUMNS("") ","
		    " FIND_IN_SET(?, wk.agent_hosts) = 0 AS other_host"
		    " FROM artifact a FORCE INDEX (PRIMARY)" READ_TABLES("?")
		    " WHERE a.id = ? AND " FACTS_KNOWN("?") " FOR UPDATE");
	return ROWS(artifact,
	    "SELECT " ARTIFACT_PLAIN("") ", " FACTS_COLUMNS("") ","
	    " FIND_IN_SET(?, wk.agent_hosts) = 0 AS other_host"
	    " FROM artifact a FORCE INDEX (PRIMARY)" READ_TABLES("?")
	    " WHERE a.id = ? AND " FACTS_KNOWN("?"));
}

static enum err
get_by_grants(
    struct ctx *c, const char *id, const struct principal *who, struct artifact **out)
{
	const char *user = who->user_id;

	return find_guessed(c, who,
	    &(struct finding){ id, own_rows(false), ARGS(id, user),
		ROWS(artifact,
		    "SELECT " ARTIFACT_PLAIN("") ", " FACTS_COLUMNS("") ", " GIVEN_COLUMNS("") ", "
		    TIER_COLUMNS("wk") ", FIND_IN_SET(?, wk.agent_hosts) = 0 AS other_host"
		    " FROM artifact a FORCE INDEX (PRIMARY)" READ_TABLES("?")
		    GIVEN_TABLES("a.folder_id", "?", "?") " WHERE a.id = ? AND (" FACTS_KNOWN("?")
		    " OR gc.id IS NOT NULL OR gd.id IS NOT NULL)"),
		ARGS(who->agent_host, user, user, user, user, who->sharee_id, c->now, user, c->now,
		    id, user), false },
	    out);
}

enum err
artifact_get(struct ctx *c, const char *id, const struct principal *who, bool for_update,
    struct artifact **out)
{
	const char *user = who ? who->user_id : NULL, *host = who ? who->agent_host : NULL;

	if (!who && !for_update) {
		TRY(db_find(c,
		    ROWS(artifact,
			"SELECT " ARTIFACT_PLAIN("") ", wk.subdomain, a.access_policy"
			" FROM artifact a LEFT JOIN workspace wk"
			" ON wk.id = a.workspace_id AND wk.deleted_at IS NULL"
			" WHERE a.id = ? AND IF(" ARTIFACT_IS_OPEN ", TRUE, FALSE)"),
		    ARGS(id), out));
		return *out ? artifact_finish(c, NULL, *out) : E_NOT_FOUND;
	}
	if (!rights_may_be_given(who)) {
		TRY(find_guessed(c, who,
		    &(struct finding){ id, own_rows(for_update), ARGS(id, user),
			role_rows(for_update), ARGS(host, user, user, user, id, user), false },
		    out));
		return *out ? E_OK : E_NOT_FOUND;
	}
	TRY(get_by_grants(c, id, who, out));
	if (*out && for_update) {
		/* Locks only the artifact, not the folders above it. A grant may end while the
		 * caller waits for the lock. */
		TRY(db_find(c, ROWS(artifact, "SELECT id FROM artifact WHERE id = ? FOR UPDATE"),
		    ARGS(id), out));
		TRY(get_by_grants(c, id, who, out));
	}
	return *out ? E_OK : E_NOT_FOUND;
}

static enum err
artifact_edit_check(struct ctx *c, const struct artifact *a)
{
	enum role role = role_rank(a->role);

	if (a->deleted_at || (!role && !a->is_open && !a->can_view))
		return E_NOT_FOUND;
	if (a->paused && role != ROLE_OWNER)
		return fail(c, E_PAUSED, "%s", err_table[E_PAUSED].text);
	return role >= ROLE_EDITOR ? E_OK
				   : fail(c, E_DENIED,
					 "artifact_id: you need to be an editor or the owner of %s",
					 a->slug);
}

enum err
artifact_get_to_edit(struct ctx *c, const char *id, const struct principal *who, bool lock,
    struct artifact **out)
{
	enum err e = artifact_get(c, id, who, false, out);

	if (!e)
		e = artifact_edit_check(c, *out);
	/* Strangers never lock the row. A caller may lose their role while they wait for the
	 * lock. */
	if (!e && lock)
		e = artifact_get(c, id, who, true, out);
	if (!e && lock)
		e = artifact_edit_check(c, *out);
	if (!e && lock)
		e = agent_changes(c, who, (*out)->agent_bound);
	return e != E_NOT_FOUND ? e
				: fail(c, E_NOT_FOUND,
				      "artifact_id: this artifact doesn't exist, "
				      "or you don't have access to it");
}

/* ---- by a token, with the token's principal ---- */

SHAPE_DEFINE(document, DOCUMENT);

#define SEEN(F, T) \
	F(T, OBJ,  who, .sub = &principal_shape) \
	F(T, OBJ,  art, .sub = &artifact_shape) \
	F(T, OBJ,  doc, .sub = &document_shape)
SHAPE(seen, SEEN);

/* Adds up the grants of the rows, which differ only in these. *out is NULL if there are no rows. */
static void
seen_join(const struct seen_list *rows, struct seen **out)
{
	struct artifact *first;

	*out = rows->n ? rows->v : NULL;
	for (size_t i = 0; i < rows->n; i++) {
		const struct artifact *a = rows->v[i].art;

		first = rows->v->art;
		first->given |= capability_bits(a->client_given) | capability_bits(a->person_given);
	}
}

/* Finds by the token's digest; *out is NULL if it is hidden or absent. */
static enum err
seen_by_token(struct ctx *c, const char *id, struct bytes digest, enum guessed how,
    struct seen **out)
{
	struct seen_list rows;

	if (how == GUESS_OWN)
		return db_find(c,
		    ROWS(seen,
			"SELECT " PRINCIPAL_COLUMNS("who.") ", " OWN_COLUMNS("art.")
			" FROM " PRINCIPAL_TABLES " JOIN artifact a" FAVORITE_TABLE("a.owner_id")
			" WHERE t.hash = ? AND a.id = ? AND IF(a.owner_id = t.user_id"
			" AND a.workspace_id IS NULL AND t.workspace_id IS NULL"
			" AND NOT t.grants_only, TRUE, FALSE)"),
		    ARGS(digest, id), out);
	if (how == GUESS_FACTS)
		return db_find(c,
		    ROWS(seen,
			"SELECT " PRINCIPAL_COLUMNS("who.") ", " ARTIFACT_PLAIN("art.") ", "
			FACTS_COLUMNS("art.") " FROM " PRINCIPAL_TABLES
			" JOIN artifact a FORCE INDEX (PRIMARY)" READ_TABLES("t.user_id")
			" WHERE t.hash = ? AND a.id = ? AND " FACTS_KNOWN("t.user_id")),
		    ARGS(digest, id), out);
	TRY(db_all(c,
	    ROWS(seen,
		"SELECT " PRINCIPAL_COLUMNS("who.") ", " ARTIFACT_PLAIN("art.") ", "
		FACTS_COLUMNS("art.") ", " GIVEN_COLUMNS("art.") ", " TIER_COLUMNS_AS("wk", "art.")
		" FROM " PRINCIPAL_TABLES " JOIN artifact a FORCE INDEX (PRIMARY)"
		READ_TABLES("t.user_id")
		GIVEN_TABLES("a.folder_id", "t.user_id", "t.sharee_id")
		" WHERE t.hash = ? AND a.id = ? AND (" FACTS_KNOWN("t.user_id")
		" OR gc.id IS NOT NULL OR gd.id IS NOT NULL)"),
	    ARGS(c->now, c->now, digest, id), &rows));
	seen_join(&rows, out);
	return E_OK;
}

enum err
artifact_get_by_token(struct ctx *c, const char *id, const char *bearer, struct principal **who,
    struct artifact **out)
{
	struct seen *row = NULL;
	struct bytes digest;
	enum guessed how;
	struct guess g;

	*out = NULL;
	TRY(token_digest(c, bearer, &digest));
	g = guess_of(digest, id);
	how = g.first;
	TRY(seen_by_token(c, id, digest, how, &row));
	if (!row && how == GUESS_OWN) {
		how = GUESS_FACTS;
		TRY(seen_by_token(c, id, digest, how, &row));
	}
	if (!row)
		TRY(token_check(c, bearer, who));
	else
		TRY(principal_check(c, row->who));
	*who = row ? row->who : *who;
	/* Only the row names the token's user, and so whether grants must be read. */
	if (how == GUESS_FACTS && found_by(*who, row ? row->art : NULL) == GUESS_GRANTS)
		TRY(seen_by_token(c, id, digest, GUESS_GRANTS, &row));
	*out = row ? row->art : NULL;
	guess_learn(&g, found_by(*who, *out));
	return *out ? artifact_finish(c, *who, *out) : E_OK;
}

/* ---- by a visitor's cookie, with the visitor ---- */

#define VISITOR_COLUMNS \
	"u.kind AS `who.kind`, u.id AS `who.user_id`," \
	" u.email AS `who.email`, u.name AS `who.name`, u.outside AS `who.outside`," \
	" e.id AS `who.session_id`, e.last_used_at AS `who.last_used_at`, " ARTIFACT_PLAIN("art.") \
	", " FACTS_COLUMNS("art.")
#define NOBODY_COLUMNS \
	ARTIFACT_PLAIN("art.") ", wk.subdomain AS `art.subdomain`," \
	" a.access_policy AS `art.access_policy`"
#define OF_SLUG " FROM slug h JOIN artifact a ON a.id = h.artifact_id"
#define VISITOR_WHERE \
	" WHERE h.slug = ? AND (? IS NULL OR ? = wk.subdomain)" \
	" AND h.artifact_id = COALESCE(?, h.artifact_id)"
#define VISITOR_ARGS(v, id) (v)->slug, (v)->subdomain, (v)->subdomain, id

static enum err
seen_by_nobody(struct ctx *c, const char *id, const struct visitor *v, struct seen **out)
{
	return v->document
	    ? db_find(c,
		  ROWS(seen,
		      "SELECT " DOCUMENT_COLUMNS("doc.") ", " NOBODY_COLUMNS OF_SLUG WORKSPACE_TABLE
		      DOCUMENT_TABLE("a.id") VISITOR_WHERE),
		  ARGS(v->known, VISITOR_ARGS(v, id)), out)
	    : db_find(c, ROWS(seen, "SELECT " NOBODY_COLUMNS OF_SLUG WORKSPACE_TABLE VISITOR_WHERE),
		  ARGS(VISITOR_ARGS(v, id)), out);
}

static enum err
seen_by_visitor(struct ctx *c, const char *id, const struct visitor *v,
    const struct bytes *digest, struct seen **out)
{
	return v->document
	    ? db_find(c,
		  ROWS(seen,
		      "SELECT " DOCUMENT_COLUMNS("doc.") ", " VISITOR_COLUMNS OF_SLUG VIEWER_TABLES
		      READ_TABLES("u.id") DOCUMENT_TABLE("a.id") VISITOR_WHERE),
		  ARGS(v->known, VIEWER(c, digest), VISITOR_ARGS(v, id)), out)
	    : db_find(c,
		  ROWS(seen,
		      "SELECT " VISITOR_COLUMNS OF_SLUG VIEWER_TABLES READ_TABLES("u.id")
		      VISITOR_WHERE),
		  ARGS(VIEWER(c, digest), VISITOR_ARGS(v, id)), out);
}

static enum err
seen_by_guest(struct ctx *c, const char *id, const struct visitor *v,
    const struct bytes *digest, struct seen **out)
{
	const struct args args = v->document
	    ? ARGS(v->known, VIEWER(c, digest), c->now, c->now, VISITOR_ARGS(v, id))
	    : ARGS(VIEWER(c, digest), c->now, c->now, VISITOR_ARGS(v, id));
	struct seen_list rows;

	TRY(v->document ? db_all(c,
			      ROWS(seen,
				  "SELECT " DOCUMENT_COLUMNS("doc.") ", " VISITOR_COLUMNS ", "
				  GIVEN_COLUMNS("art.") ", " TIER_COLUMNS_AS("wk", "art.") OF_SLUG
				  VIEWER_TABLES READ_TABLES("u.id") DOCUMENT_TABLE("a.id")
				  GIVEN_TABLES("a.folder_id", "u.id", "NULL") VISITOR_WHERE),
			      args, &rows)
			: db_all(c,
			      ROWS(seen,
				  "SELECT " VISITOR_COLUMNS ", " GIVEN_COLUMNS("art.") ", "
				  TIER_COLUMNS_AS("wk", "art.") OF_SLUG VIEWER_TABLES
				  READ_TABLES("u.id") GIVEN_TABLES("a.folder_id", "u.id", "NULL")
				  VISITOR_WHERE),
			      args, &rows));
	seen_join(&rows, out);
	return E_OK;
}

/* Finds whose cookie it is by the row. If they may have grants, another statement reads these, but
 * only the first time. */
static enum err
seen_by_cookie(struct ctx *c, const char *id, const struct visitor *v,
    const struct bytes *digest, struct seen **out)
{
	struct guess g = guess_of(*digest, v->slug);

	if (g.first == GUESS_GRANTS)
		return seen_by_guest(c, id, v, digest, out);
	TRY(seen_by_visitor(c, id, v, digest, out));
	if (!*out || !rights_may_be_given((*out)->who))
		return E_OK;
	guess_learn(&g, GUESS_GRANTS);
	return seen_by_guest(c, id, v, digest, out);
}

static enum err
visitor_finish(struct ctx *c, const struct visitor *v, struct seen *row, struct principal **who,
    struct artifact **out)
{
	struct principal *p = row->who;

	*who = p && p->user_id ? p : NULL;
	*out = row->art;
	(*out)->document = v->document ? row->doc : NULL;
	return artifact_finish(c, *who, *out);
}

/* A frame reads an open artifact as nobody, so that its page doesn't learn who reviews it. */
static enum err
get_by_frame(struct ctx *c, const char *id, const struct visitor *v, struct principal **who,
    struct artifact **out)
{
	const struct principal *p;
	struct seen *row;

	TRY(seen_by_cookie(c, id, v, viewer_frame_digest(c, v->frame), &row));
	p = row ? row->who : NULL;
	if (!p || !p->user_id)
		return E_OK;
	TRY(visitor_finish(c, v, row, who, out));
	if (!(*out)->is_open)
		return E_OK;
	TRY(seen_by_nobody(c, id, v, &row));
	return row ? visitor_finish(c, v, row, who, out) : E_OK;
}

enum err
artifact_get_by_visitor(struct ctx *c, const char *id, const struct visitor *v,
    struct principal **who, struct artifact **out)
{
	const struct bytes *digest = v->cookie ? secret_digest(c, v->cookie, "vie_") : NULL;
	struct seen *row;

	*who = NULL;
	*out = NULL;
	if (v->frame)
		return get_by_frame(c, id, v, who, out);
	TRY(digest ? seen_by_cookie(c, id, v, digest, &row) : seen_by_nobody(c, id, v, &row));
	return row ? visitor_finish(c, v, row, who, out) : E_OK;
}

/* ---- by slug ---- */

enum err
artifact_find_by_slug(struct ctx *c, const char *slug, const struct principal *who, bool hidden,
    struct artifact **out)
{
	const char *user = who ? who->user_id : NULL, *host = who ? who->agent_host : NULL;
	const struct artifact_rows own = ROWS(artifact,
	    "SELECT " OWN_COLUMNS("") OF_SLUG FAVORITE_TABLE("a.owner_id")
	    " WHERE h.slug = ? AND a.deleted_at IS NULL"
	    " AND (? OR IF(a.owner_id = ? AND a.workspace_id IS NULL, TRUE, FALSE))");

	if (rights_may_be_given(who))
		return find_guessed(c, who,
		    &(struct finding){ slug, own, ARGS(slug, hidden, user),
			ROWS(artifact,
			    "SELECT " ARTIFACT_PLAIN("") ", " FACTS_COLUMNS("") ","
			    " FIND_IN_SET(?, wk.agent_hosts) = 0 AS other_host, "
			    GIVEN_COLUMNS("") ", " TIER_COLUMNS("wk") OF_SLUG
			    READ_TABLES("?") GIVEN_TABLES("a.folder_id", "?", "?")
			    " WHERE h.slug = ? AND a.deleted_at IS NULL AND (? OR "
			    FACTS_KNOWN("?") " OR gc.id IS NOT NULL OR gd.id IS NOT NULL)"),
			ARGS(host, user, user, user, user, who->sharee_id, c->now, user, c->now,
			    slug, hidden, user), hidden },
		    out);
	return find_guessed(c, who,
	    &(struct finding){ slug, own, ARGS(slug, hidden, user),
		ROWS(artifact,
		    "SELECT " ARTIFACT_PLAIN("") ", " FACTS_COLUMNS("") ","
		    " FIND_IN_SET(?, wk.agent_hosts) = 0 AS other_host" OF_SLUG READ_TABLES("?")
		    " WHERE h.slug = ? AND a.deleted_at IS NULL AND (? OR " FACTS_KNOWN("?") ")"),
		ARGS(host, user, user, user, slug, hidden, user), hidden },
	    out);
}
