/* SPDX-License-Identifier: Apache-2.0 */
#include "core/artifact.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/document_row.h"
#include "core/event.h"
#include "core/follow.h"
#include "core/guess.h"
#include "core/picture_want.h"
#include "core/place.h"
#include "core/slug.h"
#include "core/storage.h"
#include "core/viewer.h"
#include "core/workspace.h"
#include "db/db.h"
#include "db/ids.h"

SHAPE_DEFINE(artifact, ARTIFACT);
SHAPE_DEFINE(artifact_edit, ARTIFACT_EDIT);
SHAPE_DEFINE(artifact_back, ARTIFACT_BACK);
SHAPE_DEFINE(artifact_query, ARTIFACT_QUERY);
SHAPE_DEFINE(page_query, PAGE_QUERY);
SHAPE_DEFINE(favorite, FAVORITE);

const char *
artifact_origin(struct ctx *c, const struct artifact *a)
{
	return conf_site_origin(c->mem, c->conf, slug_host(c->mem, a->slug, a->subdomain));
}

/* What base/visibility.def says holds for the owner of one that is in no workspace. */
static const char *
audience_of_private(struct ctx *c, const struct artifact *a)
{
	bool own = str_eq(a->role, "owner");
	const char *shared = own ? "people you share it with" : "the people it is shared with";
	const char *name = a->workspace_name ? a->workspace_name : "its workspace";

	if (!a->workspace_id)
		return mem_printf(c->mem,
		    "only its owner and %s can open it, after signing in", shared);
	if (str_eq(a->member_access, "none"))
		return mem_printf(c->mem,
		    "only %s, the admins of %s, and %s can open it, after signing in",
		    own ? "you" : "its owner", name, shared);
	return mem_printf(c->mem,
	    "every member of %s can open %sit, and so can %s, after signing in", name,
	    str_eq(a->member_access, "editor") ? "and edit " : "", shared);
}

const char *
artifact_audience(struct ctx *c, const struct artifact *a, const char *visibility)
{
	static const struct {
		const char *word, *means;
	} known[] = {
#define VISIBILITY(word_, means_) { #word_, means_ },
#include "base/visibility.def"
#undef VISIBILITY
	};
	size_t i = 0;

	if (str_eq(visibility, "private") && (a->workspace_id || !str_eq(a->role, "owner")))
		return audience_of_private(c, a);
	while (!str_eq(known[i].word, visibility))
		i++;
	return known[i].means;
}

/* Fills in the addresses. They are made from slug and id and not stored, so they are never
 * stale. */
static void
artifact_dress(struct ctx *c, struct artifact *a)
{
	const char *origin = artifact_origin(c, a);

	a->url = mem_printf(c->mem, "%s/", origin);
	a->mobile_url = a->has_mobile ? mem_printf(c->mem, "%s/_m/", origin) : NULL;
	if (!str_eq(a->role, "owner")) {
		a->pause_reason = NULL;
		a->has.comment_mails = NULLED;
	}
	a->audience = a->role ? artifact_audience(c, a, a->visibility) : NULL;
	a->thumbnail_url = mem_printf(
	    c->mem, "%s/v1/artifacts/%s/thumbnail", c->conf->base_url, a->id);
}

/* p is put before each column's name, so that the columns fill an object of the row's shape
 * ("art."); "" fills the row itself. `role` is ROLE_COLUMN (role.h) of the subject that looks. */
#define ARTIFACT_COLUMNS(p, role) \
	ARTIFACT_PLAIN(p) ", " IS_FAVORITE(p) ", " ARTIFACT_SUBDOMAIN " AS `" p "subdomain`," \
	" IF(wm.role IS NULL, NULL, wk.name) AS `" p "workspace_name`," \
	" wk.member_access AS `" p "member_access`, " role " AS `" p "role`"
#define ARTIFACT_PLAIN(p) \
	"a.id AS `" p "id`, a.name AS `" p "name`, a.slug AS `" p "slug`," \
	" a.visibility AS `" p "visibility`, a.workspace_id AS `" p "workspace_id`," \
	" a.folder_id AS `" p "folder_id`, a.owner_id AS `" p "owner_id`," \
	" a.last_no AS `" p "last_no`, a.live_no AS `" p "version_no`," \
	" a.paused_at IS NOT NULL AS `" p "paused`, a.pauser AS `" p "paused_by`," \
	" a.pause_reason AS `" p "pause_reason`," \
	" a.created_at AS `" p "created_at`, a.updated_at AS `" p "updated_at`," \
	" a.deleted_at AS `" p "deleted_at`," \
	" a.social_title AS `" p "social_title`," \
	" a.social_description AS `" p "social_description`," \
	" a.social_image_url AS `" p "social_image_url`, a.comments_open AS `" p "comments_open`," \
	" a.comment_mails AS `" p "comment_mails`, a.live_mobile AS `" p "has_mobile`, " \
	ARTIFACT_IS_OPEN " AS `" p "is_open`"
/* The same for one artifact, with what the rules of its data are asked of. The role still has to be
 * settled. */
#define ARTIFACT_WHOLE(p, ...) \
	ARTIFACT_COLUMNS(p, ROLE_COLUMN_QUICK(__VA_ARGS__)) ", " \
	ROLE_INVITED " AS `" p "invited`, " ROLE_BOUND(__VA_ARGS__) " AS `" p "agent_bound`, " \
	WORKSPACE_ROLE_PERSON(__VA_ARGS__) " AS `" p "workspace_role`," \
	" a.access_policy AS `" p "access_policy`"
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
#define IS_FAVORITE(p) "f.user_id IS NOT NULL AS `" p "is_favorite`"
#define FAVORITE_TABLE(id, user) \
	" LEFT JOIN favorite f ON f.artifact_id = " id " AND f.user_id = " user
#define ARTIFACT_TABLES(user) ROLE_TABLES(user) FAVORITE_TABLE("a.id", user)

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

/* An agent that the artifact's workspace keeps out hears so where its person has a role; elsewhere
 * it is a stranger. */
static enum err
agent_settle(struct ctx *c, const struct principal *who, struct artifact *a)
{
	bool seen = a->role && (!a->deleted_at || str_eq(a->role, "owner") ||
	    member_rank(a->workspace_role) >= MEMBER_ADMIN);

	if (!agent_is_barred(a->agent_bound))
		return E_OK;
	if (seen || (a->is_open && a->workspace_role))
		return agent_reads(c, who, a->agent_bound);
	a->role = a->workspace_role = a->workspace_name = NULL;
	return E_OK;
}

/* What every statement that finds one artifact ends with. */
static enum err
artifact_finish(struct ctx *c, const struct principal *who, struct artifact *a)
{
	TRY(role_settle(c, who, a));
	TRY(agent_settle(c, who, a));
	artifact_dress(c, a);
	return E_OK;
}

/* ---- the short statement first (core/guess.h) ---- */

static bool
is_own(const struct artifact *a)
{
	return a && str_eq(a->role, "owner") && !a->workspace_id;
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
	struct guess g = { 0 };

	*out = NULL;
	if (alone)
		g = guess_own((struct bytes){ who->user_id, strlen(who->user_id) }, what);
	if (g.own)
		TRY(db_find(c, own, ARGS(what, who->user_id), out));
	if (!*out) {
		TRY(db_find(c, whole, args, out));
		if (alone)
			guess_learn(&g, is_own(*out));
	}
	return *out ? artifact_finish(c, who, *out) : E_OK;
}

#define ARTIFACT_GET(...) \
	"SELECT " ARTIFACT_WHOLE("", __VA_ARGS__) ", " NEEDS_APPROVAL " AS needs_approval" \
	    " FROM " SUBJECT_TABLE " JOIN artifact a" ARTIFACT_TABLES( \
		"s.user_id") " WHERE a.id = ? AND " ARTIFACT_IS_KNOWN("s.user_id")
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

enum err
artifact_get(struct ctx *c, const char *id, const struct principal *who, bool for_update,
    struct artifact **out)
{
	if (!who && !for_update)
		return artifact_get_as_nobody(c, id, out);
	/* The caller's collaborator and favorite are locked, too, after the artifact: who changes
	 * those either holds the artifact or touches nothing else. */
	TRY(find_guessed(c, who, id,
	    for_update ? ROWS(artifact, ARTIFACT_GET_OWN " FOR UPDATE")
		       : ROWS(artifact, ARTIFACT_GET_OWN),
	    artifact_get_whole(who, for_update), ARGS(SUBJECT(who), id), out));
	return *out ? E_OK : E_NOT_FOUND;
}

static enum err
artifact_judge_edit(struct ctx *c, const struct artifact *a)
{
	enum role role = role_rank(a->role);

	if (a->deleted_at || (!role && !a->is_open))
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

enum err
artifact_get_by_token(struct ctx *c, const char *id, const char *bearer, struct principal **who,
    struct artifact **out)
{
	struct seen *row = NULL;
	struct bytes digest;
	struct guess g;

	*out = NULL;
	TRY(token_digest(c, bearer, &digest));
	g = guess_own(digest, id);
	if (g.own)
		TRY(db_find(c,
		    ROWS(seen,
			"SELECT " PRINCIPAL_COLUMNS("who.") ", " ARTIFACT_OWN("art.")
			" FROM " PRINCIPAL_TABLES " JOIN artifact a" ARTIFACT_OWN_TABLES
			" WHERE t.hash = ? AND a.id = ? AND " ARTIFACT_IS_OWN(AS_TOKEN)),
		    ARGS(digest, id), &row));
	/* What is hidden gives no row, as what is absent does. */
	if (!row) {
		TRY(db_find(c,
		    ROWS(seen,
			"SELECT " PRINCIPAL_COLUMNS("who.") ", " ARTIFACT_WHOLE("art.", AS_TOKEN)
			" FROM " PRINCIPAL_TABLES " JOIN artifact a" ARTIFACT_TABLES("t.user_id")
			" WHERE t.hash = ? AND a.id = ? AND " ARTIFACT_IS_KNOWN("t.user_id")),
		    ARGS(digest, id), &row));
		guess_learn(&g, is_own(row ? row->art : NULL));
	}
	if (!row)
		return token_check(c, bearer, who);
	TRY(principal_check(c, row->who));
	*who = row->who;
	*out = row->art;
	return artifact_finish(c, *who, *out);
}

/* With what else is to be read. */
#define VISITOR_WHERE \
	" WHERE h.slug = ? AND (? IS NULL OR ? = " ARTIFACT_SUBDOMAIN ")" \
	" AND h.artifact_id = COALESCE(?, h.artifact_id)"
#define VISITOR_GET(more_columns, more_tables) \
	"SELECT " more_columns "u.kind AS `who.kind`, u.id AS `who.user_id`," \
	" u.email AS `who.email`, u.name AS `who.name`, u.outside AS `who.outside`," \
	" e.id AS `who.session_id`, e.last_used_at AS `who.last_used_at`, " \
	ARTIFACT_WHOLE("art.", AS_PERSON("u.id")) \
	" FROM slug h JOIN artifact a ON a.id = h.artifact_id" VIEWER_TABLES \
	ARTIFACT_TABLES("u.id") more_tables VISITOR_WHERE
#define NOBODY_GET(more_columns, more_tables) \
	"SELECT " more_columns ARTIFACT_OF_NOBODY("art.") \
	" FROM slug h JOIN artifact a ON a.id = h.artifact_id" WORKSPACE_TABLE more_tables \
	VISITOR_WHERE
#define WITH_DOCUMENT DOCUMENT_COLUMNS("doc.") ", ", DOCUMENT_TABLE("a.id")
#define WITH_NOTHING "", ""
#define GET_WITH(get, ...) get(__VA_ARGS__) /* one of these is two arguments */

enum err
artifact_get_by_visitor(struct ctx *c, const char *id, const struct visitor *v,
    struct principal **who, struct artifact **out)
{
	const struct bytes *digest = v->cookie ? secret_digest(c, v->cookie, "vie_") : NULL;
	struct principal *p;
	struct seen *row;

	*who = NULL;
	*out = NULL;
	if (!digest && v->document)
		TRY(db_find(c, ROWS(seen, GET_WITH(NOBODY_GET, WITH_DOCUMENT)),
		    ARGS(v->known, v->slug, v->subdomain, v->subdomain, id), &row));
	else if (!digest)
		TRY(db_find(c, ROWS(seen, GET_WITH(NOBODY_GET, WITH_NOTHING)),
		    ARGS(v->slug, v->subdomain, v->subdomain, id), &row));
	else if (v->document)
		TRY(db_find(c, ROWS(seen, GET_WITH(VISITOR_GET, WITH_DOCUMENT)),
		    ARGS(v->known, VIEWER(c, digest), v->slug, v->subdomain, v->subdomain, id),
		    &row));
	else
		TRY(db_find(c, ROWS(seen, GET_WITH(VISITOR_GET, WITH_NOTHING)),
		    ARGS(VIEWER(c, digest), v->slug, v->subdomain, v->subdomain, id), &row));
	if (!row)
		return E_OK;
	p = row->who;
	*who = p && p->user_id ? p : NULL;
	*out = row->art;
	(*out)->document = v->document ? row->doc : NULL;
	return artifact_finish(c, *who, *out);
}

#define ARTIFACT_BY_SLUG(...) \
	"SELECT " ARTIFACT_WHOLE("", __VA_ARGS__) ", " NEEDS_APPROVAL " AS needs_approval" \
	" FROM " SUBJECT_TABLE \
	" JOIN slug h JOIN artifact a ON a.id = h.artifact_id" ARTIFACT_TABLES("s.user_id") \
	" WHERE h.slug = ? AND a.deleted_at IS NULL" \
	" AND (? OR " ARTIFACT_IS_KNOWN("s.user_id") ")"

enum err
artifact_find_by_slug(struct ctx *c, const char *slug, const struct principal *who, bool hidden,
    struct artifact **out)
{
	return find_guessed(c, who, slug,
	    ROWS(artifact,
		"SELECT " ARTIFACT_OWN("")
		" FROM slug h JOIN artifact a ON a.id = h.artifact_id" ARTIFACT_OWN_TABLES
		" WHERE h.slug = ? AND a.deleted_at IS NULL AND " ARTIFACT_IS_OWN(AS_PERSON("?"))),
	    who && who->agent_host ? ROWS(artifact, ARTIFACT_BY_SLUG(AS_SUBJECT))
				   : ROWS(artifact, ARTIFACT_BY_SLUG(AS_NO_AGENT)),
	    ARGS(SUBJECT(who), slug, hidden), out);
}

/* ---- the list ---- */

/* Keeps, of rows that an index has led to, those that the caller may see and has asked for.
 * LIST_ARGS gives the arguments. */
#define LIST_WHERE \
	" AND " ROLE_COLUMN(AS_SUBJECT) " IS NOT NULL AND (? IS NULL OR a.visibility = ?)" \
	" AND (? IS NULL OR a.slug = ?)" \
	" AND (? IS NULL OR LOCATE(LOWER(?), LOWER(CONCAT(a.name, ' ', a.slug))))" \
	" AND (NOT ? OR f.user_id IS NOT NULL)" \
	" AND (? IS NULL OR a.workspace_id = ?)" \
	" AND (? IS NULL OR a.folder_id <=> NULLIF(?, '" FOLDER_TOP "'))"
#define LIST_ARGS(q) \
	(q)->visibility, (q)->visibility, (q)->slug, (q)->slug, (q)->q, (q)->q, (q)->favorite, \
	    (q)->workspace_id, (q)->workspace_id, (q)->folder_id, (q)->folder_id
/* Ids begin with the time, so the greatest id is the newest. */
#define LIST_BEFORE(q) arg_before((q)->cursor, "art_")

static enum err
list_owned(struct ctx *c, const struct principal *who, const struct artifact_query *q,
    int64_t limit, struct artifact_list *out)
{
	return db_all(c,
	    ROWS(artifact,
		"SELECT " ARTIFACT_COLUMNS("", ROLE_COLUMN(AS_SUBJECT)) " FROM " SUBJECT_TABLE
		" JOIN artifact a ON a.owner_id = s.user_id" ARTIFACT_TABLES("s.user_id")
		" WHERE a.owner_id = ? AND a.id < ?"
		" AND IF(?, a.deleted_at IS NOT NULL, a.deleted_at IS NULL)" LIST_WHERE
		" ORDER BY a.id DESC LIMIT ?"),
	    ARGS(SUBJECT(who), who->user_id, LIST_BEFORE(q), q->deleted, LIST_ARGS(q), limit), out);
}

static enum err
list_shared(struct ctx *c, const struct principal *who, const struct artifact_query *q,
    int64_t limit, struct artifact_list *out)
{
	*out = (struct artifact_list){ 0 };
	/* Only its owner sees an artifact in the trash, so nothing there is shared. */
	if (q->deleted)
		return E_OK;
	return db_all(c,
	    ROWS(artifact,
		"SELECT " ARTIFACT_COLUMNS("",
		    ROLE_COLUMN(AS_SUBJECT)) " FROM " SUBJECT_TABLE
				" JOIN collaborator co JOIN artifact a ON a.id = co.artifact_id"
				MEMBER_TABLES("s.user_id") FAVORITE_TABLE("a.id", "s.user_id")
				" WHERE co.user_id = ? AND co.artifact_id < ?"
				" AND a.deleted_at IS NULL AND a.owner_id <> co.user_id" LIST_WHERE
				" ORDER BY co.artifact_id DESC LIMIT ?"),
	    ARGS(SUBJECT(who), who->user_id, LIST_BEFORE(q), LIST_ARGS(q), limit), out);
}

/* The index leads; else a small workspace among large ones may be read by the ids of all. */
#define LIST_OF_WORKSPACE(index) \
	"SELECT " ARTIFACT_COLUMNS("", ROLE_COLUMN(AS_SUBJECT)) " FROM " SUBJECT_TABLE \
	" JOIN artifact a FORCE INDEX (" index ")" ARTIFACT_TABLES("s.user_id") \
	" WHERE a.workspace_id = ? AND a.id < ? AND a.owner_id IS NOT NULL" \
	" AND IF(?, a.deleted_at IS NOT NULL" \
	" AND (a.owner_id = s.user_id OR " GOVERNS "), a.deleted_at IS NULL)" \
	" AND (? IS NULL OR (a.owner_id = s.user_id) = (? = 'me'))" LIST_WHERE
#define LIST_OF_WORKSPACE_ARGS(w, q) \
	(w)->id, LIST_BEFORE(q), (q)->deleted, (q)->owner, (q)->owner, LIST_ARGS(q)

/* Of whoever sees all of it. */
static enum err
list_of_workspace(struct ctx *c, const struct principal *who, const struct workspace *w,
    const struct artifact_query *q, int64_t limit, struct artifact_list *out)
{
	const char *folder = str_eq(q->folder_id, FOLDER_TOP) ? NULL : q->folder_id;

	if (q->folder_id)
		return db_all(c,
		    ROWS(artifact,
			LIST_OF_WORKSPACE("artifact_folder") " AND a.folder_id <=> ?"
			" ORDER BY a.id DESC LIMIT ?"),
		    ARGS(SUBJECT(who), LIST_OF_WORKSPACE_ARGS(w, q), folder, limit), out);
	return db_all(c,
	    ROWS(artifact, LIST_OF_WORKSPACE("artifact_workspace") " ORDER BY a.id DESC LIMIT ?"),
	    ARGS(SUBJECT(who), LIST_OF_WORKSPACE_ARGS(w, q), limit), out);
}

/* The workspace to lead the list; NULL where it is led by what is theirs and what is shared with
 * them, which is all that some members see of it. */
static enum err
list_leader(struct ctx *c, const struct principal *who, const struct artifact_query *q,
    struct workspace **out)
{
	struct workspace *w;
	const char *folder;

	*out = NULL;
	if (q->folder_id && !q->workspace_id)
		return fail(c, E_INVALID, "folder_id: also requires workspace_id");
	if (!q->workspace_id)
		return E_OK;
	TRY(workspace_get(c, q->workspace_id, who, false, &w));
	if (w->deleted_at)
		return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	if (q->folder_id)
		TRY(place_named(c, w->id, "folder_id", q->folder_id, &folder));
	*out = workspace_shows_all(w) && !str_eq(q->owner, "me") ? w : NULL;
	return E_OK;
}

/* Merges two lists, each newest first, into one of the `most` newest. */
static struct artifact_list
lists_merge(struct ctx *c, const struct artifact_list *a, const struct artifact_list *b,
    size_t most)
{
	const struct artifact *x = a->v, *y = b->v, *x_end = x + a->n, *y_end = y + b->n;
	struct artifact *rows = mem_array(c->mem, struct artifact, most);
	size_t n = 0;

	while (n < most && (x < x_end || y < y_end)) {
		bool first = y == y_end || (x < x_end && strcmp(x->id, y->id) > 0);

		rows[n++] = first ? *x++ : *y++;
	}
	return (struct artifact_list){ rows, n };
}

enum err
artifact_list(struct ctx *c, const struct principal *who, const struct artifact_query *q,
    struct list *out, const char **next)
{
	struct artifact_list owned = { 0 }, shared = { 0 }, all;
	int64_t limit = q->limit + 1;
	struct workspace *w;

	TRY(list_leader(c, who, q, &w));
	if (w)
		TRY(list_of_workspace(c, who, w, q, limit, &owned));
	else if (!str_eq(q->owner, "shared"))
		TRY(list_owned(c, who, q, limit, &owned));
	if (!w && !str_eq(q->owner, "me"))
		TRY(list_shared(c, who, q, limit, &shared));
	all = lists_merge(c, &owned, &shared, (size_t)limit);
	*next = db_page(&all, q->limit, last->id);
	for (size_t i = 0; i < all.n; i++)
		artifact_dress(c, &all.v[i]);
	*out = (struct list){ all.v, all.n };
	return E_OK;
}

static enum err
artifact_touch_as(struct ctx *c, const char *id, const char *payload, bool whole)
{
	const char *outbox_id = id_new(c->mem, "out_");

	if (!effect_add(
		c, &(struct effect){ .artifact_id = id, .outbox_id = outbox_id, .whole = whole }))
		return E_OK;
	return db_exec(c,
	    EXEC(
		"BEGIN NOT ATOMIC DECLARE art " SQL_ID " DEFAULT ?; DECLARE at BIGINT DEFAULT ?;"
		" DECLARE told TEXT DEFAULT ?;"
		PROJECT_WANT
		" IF told IS NOT NULL THEN" EVENT_UPDATED("art", "told", "at")
		" END IF;" PICTURE_WANT("art", "at") CHECK_WANT("art", "at") " END"),
	    ARGS(id, c->now, payload, outbox_id), NULL);
}

enum err
artifact_touch(struct ctx *c, const char *id)
{
	return artifact_touch_as(c, id, NULL, false);
}

enum err
artifact_touch_told(struct ctx *c, const char *id, const char *payload)
{
	return artifact_touch_as(c, id, payload, false);
}

enum err
artifact_touch_whole(struct ctx *c, const char *id, const char *payload)
{
	return artifact_touch_as(c, id, payload, true);
}

/* ---- changes ---- */

static struct arg
text_or_keep(uint8_t has, const char *text)
{
	return has == GIVEN ? arg_str(text) : arg_null();
}

/* Comments are no part of the page. */
static bool
edit_is_seen(const struct artifact_edit *in)
{
	return in->has.name || in->has.slug || in->has.visibility || in->has.social_title ||
	    in->has.social_description || in->has.social_image_url;
}

enum err
artifact_change(struct ctx *c, const struct artifact *a, const struct artifact_edit *in)
{
	if (visibility_opens(a->visibility, in->visibility))
		TRY(ceiling_check(c, c->actor, in->visibility, "visibility",
		    mem_printf(c->mem, "/a/%s/sharing", a->id)));
	TRY(follow(c, ARTIFACT_OPENS,
	    &(struct happened){ .art = a, .visibility = in->visibility }));
	if (in->has.slug && !str_eq(in->slug, a->slug)) {
		TRY(slug_check(c, in->slug));
		TRY(slug_release(c, a->slug, a->id));
		TRY(slug_take(c, in->slug, a->owner_id, a->id));
	}
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE artifact SET name = COALESCE(?, name), slug = COALESCE(?, slug),"
		" visibility = COALESCE(?, visibility),"
		" social_title = IF(?, ?, social_title),"
		" social_description = IF(?, ?, social_description),"
		" social_image_url = IF(?, ?, social_image_url), comments_open = COALESCE(?,"
		" comments_open), comment_mails = COALESCE(?, comment_mails), updated_at = ?"
		" WHERE id = ? AND owner_id = ?"),
	    ARGS(in->name, in->slug, in->visibility, in->has.social_title != ABSENT,
		text_or_keep(in->has.social_title, in->social_title),
		in->has.social_description != ABSENT,
		text_or_keep(in->has.social_description, in->social_description),
		in->has.social_image_url != ABSENT,
		text_or_keep(in->has.social_image_url, in->social_image_url),
		arg_opt(in->has.comments_open, in->comments_open),
		arg_opt(in->has.comment_mails, in->comment_mails), c->now, a->id, a->owner_id)));
	if (in->visibility && !str_eq(in->visibility, "private"))
		TRY(db_exec(c,
		    EXEC(
			"UPDATE version SET is_open = TRUE"
			" WHERE artifact_id = ? AND version_no = ?"),
		    ARGS(a->id, a->version_no), NULL));
	TRY(audit_visibility(c, a, in->visibility));
	return artifact_touch_told(c, a->id,
	    edit_is_seen(in) ? EVENT_PAYLOAD_UPDATED("settings") : NULL);
}

enum err
artifact_delete(struct ctx *c, const struct artifact *a)
{
	int64_t changed;

	TRY(slug_release(c, a->slug, a->id));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE artifact SET deleted_at = ?, updated_at = ?"
		" WHERE id = ? AND owner_id = ? AND deleted_at IS NULL"),
	    ARGS(c->now, c->now, a->id, a->owner_id), &changed));
	if (changed) {
		TRY(audit_artifact(c, a, "artifact.deleted", NULL, NULL));
		TRY(follow(c, ARTIFACT_DELETED, &(struct happened){ .art = a }));
	}
	return artifact_touch(c, a->id);
}

enum err
artifact_purge(struct ctx *c, const struct artifact *a)
{
	TRY(slug_release(c, a->slug, a->id));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE artifact"
		" SET owner_id = NULL, folder_id = NULL, deleted_at = ?, updated_at = ?"
		" WHERE id = ? AND owner_id = ?"),
	    ARGS(c->now, c->now, a->id, a->owner_id)));
	TRY(audit_artifact(c, a, "artifact.purged", NULL, NULL));
	TRY(follow(c, ARTIFACT_PURGED, &(struct happened){ .art = a }));
	TRY(artifact_touch(c, a->id));
	return storage_leave(c, a->id, a->owner_id);
}

enum err
artifact_pause(struct ctx *c, const struct artifact *a, const char *by, bool paused,
    const char *reason)
{
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE artifact SET paused_at = IF(?, COALESCE(paused_at, ?), NULL),"
		" pauser = IF(?, IF(pauser = 'operator', pauser, ?), NULL), pause_reason = ?,"
		" updated_at = ? WHERE id = ? AND owner_id IS NOT NULL"),
	    ARGS(paused, c->now, paused, by, paused ? reason : NULL, c->now, a->id)));
	TRY(audit_artifact(c, a, paused ? "artifact.paused" : "artifact.resumed", NULL,
	    audit_facts(c, "by|reason", by, reason)));
	if (!paused)
		TRY(follow(c, ARTIFACT_BACK, &(struct happened){ .art = a }));
	return artifact_touch(c, a->id);
}

enum err
artifact_restore(struct ctx *c, const struct artifact *a, const char *slug)
{
	const char *as = slug ? slug : a->slug;
	enum err e;

	if (!a->deleted_at)
		return fail(c, E_CONFLICT, "The artifact isn't in the trash");
	if (slug)
		TRY(slug_check(c, slug));
	e = slug_take(c, as, a->owner_id, a->id);
	if (e == E_SLUG_TAKEN)
		return fail(c, e,
		    "slug: the slug %s is now taken by another artifact; send {\"slug\": \"...\"} "
		    "to restore this one under another slug, or free up %s first",
		    as, as);
	TRY(e);
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE artifact SET slug = ?, deleted_at = NULL, updated_at = ?"
		" WHERE id = ? AND owner_id = ?"),
	    ARGS(as, c->now, a->id, a->owner_id)));
	TRY(follow(c, ARTIFACT_BACK, &(struct happened){ .art = a }));
	TRY(audit_artifact(c, a, "artifact.restored", NULL, NULL));
	return artifact_touch_told(c, a->id, EVENT_PAYLOAD_UPDATED("restored"));
}

enum err
artifact_favor(
    struct ctx *c, const struct artifact *a, const struct principal *who, bool on)
{
	if (on)
		return db_exec(c,
		    EXEC(
			"INSERT IGNORE INTO favorite (user_id, artifact_id, created_at)"
			" VALUES (?, ?, ?)"),
		    ARGS(who->user_id, a->id, c->now), NULL);
	return db_exec(c, EXEC("DELETE FROM favorite WHERE user_id = ? AND artifact_id = ?"),
	    ARGS(who->user_id, a->id), NULL);
}

/* ---- the audit ---- */

enum err
audit_artifact(struct ctx *c, const struct artifact *a, const char *action, const char *before,
    const char *after)
{
	if (!a->workspace_id)
		return E_OK;
	return audit_add(c, a->workspace_id, c->actor,
	    &(struct audit){ .action = action,
		.type = "artifact",
		.id = a->id,
		.name = a->name,
		.before = before,
		.after = after });
}

enum err
audit_visibility(struct ctx *c, const struct artifact *a, const char *becomes)
{
	return !becomes || str_eq(becomes, a->visibility)
	    ? E_OK
	    : audit_artifact(c, a, "artifact.visibility",
		  audit_facts(c, "visibility", a->visibility),
		  audit_facts(c, "visibility", becomes));
}

enum { POLICY_BYTES = 16 << 10 };

/* A long one as its length, since a row has no room for it. */
static const char *
policy_fact(struct ctx *c, const char *policy)
{
	size_t n = strlen(policy);

	return n > POLICY_BYTES
	    ? audit_facts(c, "access_policy_bytes", (int64_t)n)
	    : mem_printf(c->mem, "{\"access_policy\":%s}", n ? policy : "null");
}

enum err
audit_policy(
    struct ctx *c, const struct artifact *a, const char *before, const char *after)
{
	before = before ? before : "";
	after = after ? after : "";
	return str_eq(before, after)
	    ? E_OK
	    : audit_artifact(c, a, "artifact.data_rules", policy_fact(c, before),
		  policy_fact(c, after));
}

/* ---- what happens to others ---- */

static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	/* Their people go on to see the address that they know. */
	TRY(db_exec(c,
	    EXEC(
		"UPDATE artifact a JOIN user u ON u.id = a.owner_id"
		" SET a.owner_given = COALESCE(a.owner_given, u.email), a.owner_id = ?"
		" WHERE a.owner_id = ?"),
	    ARGS(h->user_id, h->from_id), NULL));
	TRY(db_exec(c, EXEC("UPDATE slug SET owner_id = ? WHERE owner_id = ?"),
	    ARGS(h->user_id, h->from_id), NULL));
	TRY(db_exec(c,
	    EXEC(
		"INSERT IGNORE INTO favorite (user_id, artifact_id, created_at)"
		" SELECT ?, artifact_id, created_at FROM favorite WHERE user_id = ?"),
	    ARGS(h->user_id, h->from_id), NULL));
	return db_exec(c, EXEC("DELETE FROM favorite WHERE user_id = ?"),
	    ARGS(h->from_id), NULL);
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(c, EXEC("DELETE FROM favorite WHERE user_id = ?"),
	    ARGS(h->user_id), NULL));
	/* What they let go of is kept for nobody. */
	return db_exec(c, EXEC("DELETE FROM slug WHERE owner_id = ?"),
	    ARGS(h->user_id), NULL);
}

enum { PURGED_AT_ONCE = 50 };

static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	struct artifact_list arts;

	TRY(db_all(c,
	    ROWS(artifact,
		"SELECT id, slug, owner_id FROM artifact"
		" WHERE workspace_id = ? AND owner_id IS NOT NULL LIMIT ?"),
	    ARGS(h->workspace_id, PURGED_AT_ONCE), &arts));
	for (size_t i = 0; i < arts.n; i++)
		TRY(artifact_purge(c, &arts.v[i]));
	*h->more = arts.n == PURGED_AT_ONCE;
	return E_OK;
}

FOLLOWS(artifact, { USER_MERGED, user_merged }, { USER_DELETED, user_deleted },
    { WORKSPACE_PURGED, workspace_purged });
PURGES(artifact, ROWS_OF(favorite));
