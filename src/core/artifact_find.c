/* SPDX-License-Identifier: Apache-2.0
 * Finds one artifact, as somebody sees it: by id, by slug, by what a token or a cookie leads to. */
#include "core/artifact.h"

#include "base/str.h"
#include "core/artifact_row.h"
#include "core/document_row.h"
#include "core/guess.h"
#include "core/viewer.h"
#include "db/db.h"

/* What is read of one artifact: also what the rules of its data are asked of. The role still has to
 * be settled. */
#define ARTIFACT_WHOLE(p, ...) \
	ARTIFACT_COLUMNS(p, ROLE_COLUMN_QUICK(__VA_ARGS__)) ", " \
	ROLE_INVITED " AS `" p "invited`, " ROLE_BOUND(__VA_ARGS__) " AS `" p "agent_bound`, " \
	WORKSPACE_ROLE_PERSON(__VA_ARGS__) " AS `" p "workspace_role`," \
	" wm.role IS NOT NULL AND wk.catalog AS `" p "has_catalog`," \
	" a.access_policy AS `" p "access_policy`"
/* The same with what grants give (core/reach.h), for who may have been given something. */
#define ARTIFACT_REACHED(p, ...) \
	ARTIFACT_WHOLE(p, __VA_ARGS__) ", " REACH_GIVEN " AS `" p "given`, " \
	TIER_COLUMNS_AS("wk", p)
#define ARTIFACT_IS_REACHED(user) "(" ARTIFACT_IS_KNOWN(user) " OR " REACH_IS ")"
/* The same of what somebody has by grants alone. */
#define ARTIFACT_GIVEN(p) \
	ARTIFACT_PLAIN(p) ", " ARTIFACT_SUBDOMAIN " AS `" p "subdomain`," \
	" a.access_policy AS `" p "access_policy`, " REACH_GIVEN_EACH " AS `" p "given`, " \
	TIER_COLUMNS_AS("wk", p)
#define ARTIFACT_GIVEN_TABLES(user, sharee) ROLE_TABLES(user) REACH_TABLES(user, sharee)
#define ARTIFACT_IS_GIVEN(user) \
	"(NOT a.owner_id <=> " user " AND co.user_id IS NULL AND wk.id IS NOT NULL" \
	" AND wm.user_id IS NULL AND " REACH_IS " AND NOT " ARTIFACT_IS_OPEN ")"
/* The same of what ARTIFACT_IS_OWN; the rest is as if there were no workspace. */
#define ARTIFACT_OWN(p) \
	ARTIFACT_PLAIN(p) ", " IS_FAVORITE(p) ", 'owner' AS `" p "role`," \
	" a.access_policy AS `" p "access_policy`"
#define ARTIFACT_OWN_TABLES FAVORITE_TABLE("a.id", "a.owner_id")
/* The same for somebody who isn't signed in, and so has no role: most visitors of public pages. */
#define ARTIFACT_OF_NOBODY(p) \
	ARTIFACT_PLAIN(p) ", " ARTIFACT_SUBDOMAIN " AS `" p "subdomain`," \
	" a.access_policy AS `" p "access_policy`"
#define NEEDS_APPROVAL "COALESCE(wk.publish_policy = 'require_approval', FALSE)"

#define ROLE_SEEN(F, T) F(T, WORD, role, .arg = ROLES)
SHAPE_DECLARE(role_seen, ROLE_SEEN);
SHAPE_DEFINE(role_seen, ROLE_SEEN);

/* A collaborator whom an access policy may keep out: one statement more, of the few who are. */
static enum err
role_settle(struct ctx *c, const struct principal *who, struct artifact *a)
{
	struct role_seen *row;

	if (a->role || !a->invited)
		return E_OK;
	TRY(db_find(c,
	    ROWS(role_seen,
		"SELECT " ROLE_COLUMN(AS_NO_AGENT) " AS role FROM " SUBJECT_TABLE
		" JOIN artifact a" ROLE_TABLES("s.user_id") " WHERE a.id = ?"),
	    ARGS(SUBJECT(who), a->id), &row));
	a->role = row ? row->role : NULL;
	return E_OK;
}

static const char *
capability_of(const struct artifact *a)
{
	return a->can_edit ? "edit" : a->can_comment ? "comment" : a->can_view ? "view" : NULL;
}

/* Who may only look has nothing to look at before it is published. */
static void
reach_settle(const struct ctx *c, const struct principal *who, struct artifact *a)
{
	struct reach r = { 0 };

	if (reach_may(who) && !a->deleted_at &&
	    (!who->workspace_id || str_eq(who->workspace_id, a->workspace_id)))
		reach_read(c, a->given, TIER_ROW_OF(a), &r);
	a->can_edit = r.edit;
	a->can_view = r.edit || (r.view && a->version_no);
	a->can_comment = r.comment && a->can_view;
	a->capability = capability_of(a);
	/* Who has it by a grant alone marks nothing; they may have while it was open. */
	a->is_favorite = a->is_favorite && (a->role || a->is_open);
	/* What everybody sees is not theirs by a grant. */
	if (who && who->grants_only)
		a->is_open = a->is_open && a->can_view;
}

/* An agent that the artifact's workspace keeps out hears so where its person has a role, or
 * something by a grant; elsewhere it is a stranger. */
static enum err
agent_settle(struct ctx *c, const struct principal *who, struct artifact *a)
{
	bool seen = a->role && (!a->deleted_at || str_eq(a->role, "owner") ||
	    member_rank(a->workspace_role) >= MEMBER_ADMIN);

	if (!agent_is_barred(a->agent_bound))
		return E_OK;
	if (seen || a->can_view || (a->is_open && a->workspace_role))
		return agent_reads(c, who, a->agent_bound);
	a->role = a->workspace_role = a->workspace_name = NULL;
	return E_OK;
}

/* What every statement that finds one artifact ends with. */
static enum err
artifact_finish(struct ctx *c, const struct principal *who, struct artifact *a)
{
	TRY(role_settle(c, who, a));
	reach_settle(c, who, a);
	TRY(agent_settle(c, who, a));
	artifact_dress(c, a);
	return E_OK;
}

/* ---- the short statement first (core/guess.h) ---- */

static enum guessed
found_by(const struct principal *who, const struct artifact *a)
{
	if (a && str_eq(a->role, "owner") && !a->workspace_id)
		return GUESS_OWN;
	return reach_may(who) ? GUESS_ALL : GUESS_ROLES;
}

/* What is the caller's own under that id or slug is likely found by `own`, of ARGS(what, user),
 * unless more than roles bounds what they may; everything by `whole`. *out is NULL when neither
 * finds it. */
static enum err
find_guessed(struct ctx *c, const struct principal *who, const char *what,
    struct artifact_rows own, struct artifact_rows whole, struct args args,
    struct artifact **out)
{
	bool alone = who && !who->workspace_id && !who->grants_only;
	struct guess g = { .first = GUESS_ROLES };

	*out = NULL;
	if (alone)
		g = guess_of((struct bytes){ who->user_id, strlen(who->user_id) }, what);
	if (g.first == GUESS_OWN)
		TRY(db_find(c, own, ARGS(what, who->user_id), out));
	if (!*out) {
		TRY(db_find(c, whole, args, out));
		if (alone)
			guess_learn(&g, found_by(who, *out));
	}
	return *out ? artifact_finish(c, who, *out) : E_OK;
}

#define ARTIFACT_GET_FROM \
	", " NEEDS_APPROVAL " AS needs_approval FROM " SUBJECT_TABLE \
	" JOIN artifact a" ARTIFACT_TABLES("s.user_id")
#define ARTIFACT_GET(...) \
	"SELECT " ARTIFACT_WHOLE("", __VA_ARGS__) ARTIFACT_GET_FROM \
	" WHERE a.id = ? AND " ARTIFACT_IS_KNOWN("s.user_id")
#define ARTIFACT_GET_REACHED \
	"SELECT " ARTIFACT_REACHED("", AS_SUBJECT) ARTIFACT_GET_FROM \
	    REACH_TABLES("s.user_id", "?") \
	" WHERE a.id = ? AND " ARTIFACT_IS_REACHED("s.user_id") REACH_GROUP
#define ARTIFACT_GET_OWN \
	"SELECT " ARTIFACT_OWN("") " FROM artifact a" ARTIFACT_OWN_TABLES \
	" WHERE a.id = ? AND " ARTIFACT_IS_OWN(AS_PERSON("?"))

static enum err
artifact_get_as_nobody(struct ctx *c, const char *id, struct artifact **out)
{
	TRY(db_find(c,
	    ROWS(artifact,
		"SELECT " ARTIFACT_OF_NOBODY("") " FROM artifact a" WORKSPACE_TABLE
		" WHERE a.id = ? AND IF(" ARTIFACT_IS_OPEN ", TRUE, FALSE)"),
	    ARGS(id), out));
	return *out ? artifact_finish(c, NULL, *out) : E_NOT_FOUND;
}

static struct artifact_rows
artifact_get_whole(const struct principal *who, bool for_update)
{
	if (who && who->agent_host)
		return for_update ? ROWS(artifact, ARTIFACT_GET(AS_SUBJECT) " FOR UPDATE")
				  : ROWS(artifact, ARTIFACT_GET(AS_SUBJECT));
	return for_update ? ROWS(artifact, ARTIFACT_GET(AS_NO_AGENT) " FOR UPDATE")
			  : ROWS(artifact, ARTIFACT_GET(AS_NO_AGENT));
}

/* For who may have been given something. It holds the artifact alone, not the folders above it;
 * what was given may end while it waits for that. */
static enum err
artifact_get_reached(struct ctx *c, const char *id, const struct principal *who, bool for_update,
    struct artifact **out)
{
	const struct artifact_rows own = ROWS(artifact, ARTIFACT_GET_OWN),
				   whole = ROWS(artifact, ARTIFACT_GET_REACHED);
	const struct args args = ARGS(SUBJECT(who), REACH_ARGS(c, who), id);

	TRY(find_guessed(c, who, id, own, whole, args, out));
	if (!*out || !for_update)
		return E_OK;
	TRY(db_find(c, ROWS(artifact, "SELECT id FROM artifact WHERE id = ? FOR UPDATE"), ARGS(id),
	    out));
	return find_guessed(c, who, id, own, whole, args, out);
}

enum err
artifact_get(struct ctx *c, const char *id, const struct principal *who, bool for_update,
    struct artifact **out)
{
	if (!who && !for_update)
		return artifact_get_as_nobody(c, id, out);
	/* The caller's collaborator and favorite are locked, too, after the artifact: who changes
	 * those either holds the artifact or touches nothing else. */
	TRY(reach_may(who)
		? artifact_get_reached(c, id, who, for_update, out)
		: find_guessed(c, who, id,
		      for_update ? ROWS(artifact, ARTIFACT_GET_OWN " FOR UPDATE")
				 : ROWS(artifact, ARTIFACT_GET_OWN),
		      artifact_get_whole(who, for_update), ARGS(SUBJECT(who), id), out));
	return *out ? E_OK : E_NOT_FOUND;
}

static enum err
artifact_judge_edit(struct ctx *c, const struct artifact *a)
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
		e = artifact_judge_edit(c, *out);
	/* A stranger does not get as far as the lock; the role may go while one waits for it. */
	if (!e && lock)
		e = artifact_get(c, id, who, true, out);
	if (!e && lock)
		e = artifact_judge_edit(c, *out);
	if (!e && lock)
		e = agent_changes(c, who, (*out)->agent_bound);
	return e != E_NOT_FOUND ? e
				: fail(c, E_NOT_FOUND,
				      "artifact_id: this artifact doesn't exist, "
				      "or you don't have access to it");
}

SHAPE_DEFINE(document, DOCUMENT);

#define SEEN(F, T) \
	F(T, OBJ,  who, .sub = &principal_shape) \
	F(T, OBJ,  art, .sub = &artifact_shape) \
	F(T, OBJ,  doc, .sub = &document_shape)
SHAPE_DECLARE(seen, SEEN);
SHAPE_DEFINE(seen, SEEN);

/* What somebody has by grants alone. */
static enum err
seen_by_grants(struct ctx *c, const char *id, struct bytes digest, struct seen **out)
{
	struct seen_list all;

	TRY(db_all(c,
	    ROWS(seen,
		"SELECT " PRINCIPAL_COLUMNS("who.") ", " ARTIFACT_GIVEN("art.")
		" FROM " PRINCIPAL_TABLES " JOIN artifact a"
		ARTIFACT_GIVEN_TABLES("t.user_id", "t.sharee_id")
		" WHERE t.hash = ? AND a.id = ? AND " ARTIFACT_IS_GIVEN("t.user_id")),
	    ARGS(c->now, c->now, digest, id), &all));
	*out = all.n ? all.v : NULL;
	for (size_t i = 1; i < all.n; i++)
		((struct artifact *)all.v->art)->given |=
		    ((struct artifact *)all.v[i].art)->given;
	return E_OK;
}

/* By the token's digest; *out is NULL for what is hidden, as for what is absent. */
static enum err
seen_by_token(struct ctx *c, const char *id, struct bytes digest, enum guessed how,
    struct seen **out)
{
	if (how == GUESS_OWN)
		return db_find(c,
		    ROWS(seen,
			"SELECT " PRINCIPAL_COLUMNS("who.") ", " ARTIFACT_OWN("art.")
			" FROM " PRINCIPAL_TABLES " JOIN artifact a" ARTIFACT_OWN_TABLES
			" WHERE t.hash = ? AND a.id = ? AND " ARTIFACT_IS_OWN(AS_TOKEN)),
		    ARGS(digest, id), out);
	if (how == GUESS_GRANTS)
		return seen_by_grants(c, id, digest, out);
	if (how == GUESS_ALL)
		return db_find(c,
		    ROWS(seen,
			"SELECT " PRINCIPAL_COLUMNS("who.") ", " ARTIFACT_REACHED("art.", AS_TOKEN)
			" FROM " PRINCIPAL_TABLES " JOIN artifact a" ARTIFACT_TABLES("t.user_id")
			REACH_TABLES("t.user_id", "t.sharee_id")
			" WHERE t.hash = ? AND a.id = ? AND " ARTIFACT_IS_REACHED("t.user_id")
			REACH_GROUP),
		    ARGS(c->now, c->now, digest, id), out);
	return db_find(c,
	    ROWS(seen,
		"SELECT " PRINCIPAL_COLUMNS("who.") ", " ARTIFACT_WHOLE("art.", AS_TOKEN)
		" FROM " PRINCIPAL_TABLES " JOIN artifact a" ARTIFACT_TABLES("t.user_id")
		" WHERE t.hash = ? AND a.id = ? AND " ARTIFACT_IS_KNOWN("t.user_id")),
	    ARGS(digest, id), out);
}

/* What is found by each statement in turn, and by which; a token comes without what is known of its
 * user, so that grants are to be asked shows the first time. */
static enum err
seen_guessed(struct ctx *c, const char *id, const char *bearer, struct bytes digest,
    struct guess *g, struct seen **row, struct principal **who)
{
	enum guessed how = g->first;

	TRY(seen_by_token(c, id, digest, how, row));
	if (!*row && (how == GUESS_OWN || how == GUESS_GRANTS)) {
		how = how == GUESS_OWN ? GUESS_ROLES : GUESS_ALL;
		TRY(seen_by_token(c, id, digest, how, row));
	}
	if (!*row)
		TRY(token_check(c, bearer, who));
	else
		TRY(principal_check(c, (*row)->who));
	*who = *row ? (*row)->who : *who;
	if (how == GUESS_ROLES && found_by(*who, *row ? (*row)->art : NULL) == GUESS_ALL) {
		how = GUESS_ALL;
		TRY(seen_by_token(c, id, digest, how, row));
	}
	g->first = how;
	return E_OK;
}

enum err
artifact_get_by_token(struct ctx *c, const char *id, const char *bearer, struct principal **who,
    struct artifact **out)
{
	struct seen *row = NULL;
	struct bytes digest;
	enum guessed was;
	struct guess g;

	*out = NULL;
	TRY(token_digest(c, bearer, &digest));
	g = guess_of(digest, id);
	TRY(seen_guessed(c, id, bearer, digest, &g, &row, who));
	*out = row ? row->art : NULL;
	was = found_by(*who, *out);
	if (*out)
		TRY(artifact_finish(c, *who, *out));
	if (was == GUESS_ALL && *out && (*out)->can_view && !(*out)->role && !(*out)->is_open)
		was = GUESS_GRANTS;
	guess_learn(&g, was);
	return E_OK;
}

/* With what else is to be read. */
#define VISITOR_WHERE \
	" WHERE h.slug = ? AND (? IS NULL OR ? = " ARTIFACT_SUBDOMAIN ")" \
	" AND h.artifact_id = COALESCE(?, h.artifact_id)"
#define VISITOR_COLUMNS \
	"u.kind AS `who.kind`, u.id AS `who.user_id`," \
	" u.email AS `who.email`, u.name AS `who.name`, u.outside AS `who.outside`," \
	" e.id AS `who.session_id`, e.last_used_at AS `who.last_used_at`, "
#define VISITOR_TABLES \
	" FROM slug h JOIN artifact a ON a.id = h.artifact_id" VIEWER_TABLES ARTIFACT_TABLES("u.id")
#define VISITOR_GET(more_columns, more_tables) \
	"SELECT " more_columns VISITOR_COLUMNS ARTIFACT_WHOLE("art.", AS_PERSON("u.id")) \
	    VISITOR_TABLES more_tables VISITOR_WHERE
#define VISITOR_GET_REACHED(more_columns, more_tables) \
	"SELECT " more_columns VISITOR_COLUMNS \
	    ARTIFACT_REACHED("art.", AS_PERSON("u.id")) \
	VISITOR_TABLES more_tables REACH_TABLES("u.id", "NULL") VISITOR_WHERE REACH_GROUP
#define NOBODY_GET(more_columns, more_tables) \
	"SELECT " more_columns ARTIFACT_OF_NOBODY("art.") \
	" FROM slug h JOIN artifact a ON a.id = h.artifact_id" WORKSPACE_TABLE more_tables \
	VISITOR_WHERE
#define WITH_DOCUMENT DOCUMENT_COLUMNS("doc.") ", ", DOCUMENT_TABLE("a.id")
#define WITH_NOTHING "", ""
#define GET_WITH(get, ...) get(__VA_ARGS__) /* one of these is two arguments */
#define VISITOR_ARGS(v, id) (v)->slug, (v)->subdomain, (v)->subdomain, id

static enum err
seen_by_nobody(struct ctx *c, const char *id, const struct visitor *v, struct seen **out)
{
	return v->document
	    ? db_find(c, ROWS(seen, GET_WITH(NOBODY_GET, WITH_DOCUMENT)),
		  ARGS(v->known, VISITOR_ARGS(v, id)), out)
	    : db_find(c, ROWS(seen, GET_WITH(NOBODY_GET, WITH_NOTHING)),
		  ARGS(VISITOR_ARGS(v, id)), out);
}

static enum err
seen_by_visitor(struct ctx *c, const char *id, const struct visitor *v,
    const struct bytes *digest, bool grants, struct seen **out)
{
	if (grants)
		return v->document
		    ? db_find(c, ROWS(seen, GET_WITH(VISITOR_GET_REACHED, WITH_DOCUMENT)),
			  ARGS(v->known, VIEWER(c, digest), c->now, c->now, VISITOR_ARGS(v, id)),
			  out)
		    : db_find(c, ROWS(seen, GET_WITH(VISITOR_GET_REACHED, WITH_NOTHING)),
			  ARGS(VIEWER(c, digest), c->now, c->now, VISITOR_ARGS(v, id)), out);
	return v->document
	    ? db_find(c, ROWS(seen, GET_WITH(VISITOR_GET, WITH_DOCUMENT)),
		  ARGS(v->known, VIEWER(c, digest), VISITOR_ARGS(v, id)), out)
	    : db_find(c, ROWS(seen, GET_WITH(VISITOR_GET, WITH_NOTHING)),
		  ARGS(VIEWER(c, digest), VISITOR_ARGS(v, id)), out);
}

/* Whom the cookie is of is known afterwards: who may have been given something is asked about
 * again, the first time. */
static enum err
seen_by_cookie(struct ctx *c, const char *id, const struct visitor *v,
    const struct bytes *digest, struct seen **out)
{
	struct guess g = guess_of(*digest, v->slug);

	TRY(seen_by_visitor(c, id, v, digest, g.first == GUESS_ALL, out));
	if (!*out || g.first == GUESS_ALL || !reach_may((*out)->who))
		return E_OK;
	guess_learn(&g, GUESS_ALL);
	return seen_by_visitor(c, id, v, digest, true, out);
}

enum err
artifact_get_by_visitor(struct ctx *c, const char *id, const struct visitor *v,
    struct principal **who, struct artifact **out)
{
	const struct bytes *digest = v->cookie ? secret_digest(c, v->cookie, "vie_") : NULL;
	struct principal *p;
	struct seen *row;

	*who = NULL;
	*out = NULL;
	TRY(digest ? seen_by_cookie(c, id, v, digest, &row) : seen_by_nobody(c, id, v, &row));
	if (!row)
		return E_OK;
	p = row->who;
	*who = p && p->user_id ? p : NULL;
	*out = row->art;
	(*out)->document = v->document ? row->doc : NULL;
	return artifact_finish(c, *who, *out);
}

#define ARTIFACT_BY_SLUG_FROM \
	", " NEEDS_APPROVAL " AS needs_approval FROM " SUBJECT_TABLE \
	" JOIN slug h JOIN artifact a ON a.id = h.artifact_id" ARTIFACT_TABLES("s.user_id")
#define ARTIFACT_BY_SLUG(...) \
	"SELECT " ARTIFACT_WHOLE("", __VA_ARGS__) ARTIFACT_BY_SLUG_FROM \
	" WHERE h.slug = ? AND a.deleted_at IS NULL" \
	" AND (? OR " ARTIFACT_IS_KNOWN("s.user_id") ")"
#define ARTIFACT_BY_SLUG_OWN \
	"SELECT " ARTIFACT_OWN("") \
	" FROM slug h JOIN artifact a ON a.id = h.artifact_id" ARTIFACT_OWN_TABLES \
	" WHERE h.slug = ? AND a.deleted_at IS NULL AND " ARTIFACT_IS_OWN(AS_PERSON("?"))

enum err
artifact_find_by_slug(struct ctx *c, const char *slug, const struct principal *who, bool hidden,
    struct artifact **out)
{
	if (reach_may(who))
		return find_guessed(c, who, slug, ROWS(artifact, ARTIFACT_BY_SLUG_OWN),
		    ROWS(artifact,
			"SELECT " ARTIFACT_REACHED("", AS_SUBJECT)
			ARTIFACT_BY_SLUG_FROM REACH_TABLES("s.user_id", "?")
			" WHERE h.slug = ? AND a.deleted_at IS NULL AND (? OR "
			ARTIFACT_IS_REACHED("s.user_id") ")" REACH_GROUP),
		    ARGS(SUBJECT(who), REACH_ARGS(c, who), slug, hidden), out);
	return find_guessed(c, who, slug, ROWS(artifact, ARTIFACT_BY_SLUG_OWN),
	    who && who->agent_host ? ROWS(artifact, ARTIFACT_BY_SLUG(AS_SUBJECT))
				   : ROWS(artifact, ARTIFACT_BY_SLUG(AS_NO_AGENT)),
	    ARGS(SUBJECT(who), slug, hidden), out);
}
