/* SPDX-License-Identifier: Apache-2.0 */
#include "site/visit.h"

#include "base/seal.h"
#include "core/guess.h"
#include "core/viewer.h"
#include "site/reviewing.h"

#include <stdlib.h>
#include <string.h>

SHAPE_DEFINE(site_seen, SITE_SEEN);

/* ---- from facts to rights ---- */

static struct facts
facts_of(const struct ctx *c, const struct site_seen *s)
{
	return (struct facts){ .owner_id = s->owner_id,
		.workspace_id = s->workspace_id,
		.visibility = s->visibility,
		.published = s->published,
		.deleted = s->deleted,
		.closed = s->closed,
		.by_agent = s->by_agent,
		.in_workspace = s->in_workspace,
		.member_access = s->member_access,
		.fenced = s->fenced,
		.shares = s->given && reach_shares(c, TIER_ROW_OF(s)),
		.member = s->member,
		.collaborator = s->collaborator,
		.named = s->named,
		.given = s->given };
}

/* Sets the rights of the cookie's person. A grant shows the live version. */
static void
seen_set_rights(const struct ctx *c, struct site_seen *s)
{
	const struct principal who = { .user_id = s->user_id, .outside = s->outside };
	const struct facts f = facts_of(c, s);
	const struct rights r = rights_of(s->user_id ? &who : NULL, &f);

	s->is_open = r.open;
	s->role = role_word(r.role);
	if (!s->role && s->live && r.view)
		s->role = "external";
}

/* Adds up the grants of all rows, which are the same otherwise. *out is NULL if there are none. */
static void
rows_set_rights(const struct ctx *c, const struct site_seen_list *rows, struct site_seen **out)
{
	*out = rows->n ? rows->v : NULL;
	for (size_t i = 0; i < rows->n; i++)
		(*out)->given |= capability_bits(rows->v[i].client_given) |
		    capability_bits(rows->v[i].person_given);
	if (*out)
		seen_set_rights(c, *out);
}

/* ---- by slug and version ---- */

#define SITE_COLUMNS \
	"a.id, a.slug, a.owner_id, a.workspace_id, a.name, a.visibility, a.moved_to," \
	" wk.subdomain," \
	" a.paused_at IS NOT NULL AS paused, a.deleted_at IS NOT NULL AS deleted, a.closed," \
	" a.by_agent, a.live_no IS NOT NULL AS published, v.version_no," \
	" v.is_open AS version_open, v.entrypoint, v.routing, v.version_no <=> a.live_no AS live"
#define SITE_TABLES \
	" FROM slug h JOIN artifact a ON a.id = h.artifact_id" \
	" LEFT JOIN version v ON v.artifact_id = a.id AND v.version_no = COALESCE(?, a.live_no)"
/* The role of a member or a collaborator, with ROLE_TABLES. */
#define CALLER_COLUMNS \
	"wk.id IS NOT NULL AS in_workspace, wk.member_access, wk.fenced, wm.role AS member," \
	" co.role AS collaborator, u.id AS user_id, u.outside"

/* ---- by a cookie ---- */

/* The statement of nearly every visit with a cookie, from the cookie to the live version at its
 * present address. Each row is found by primary key; otherwise MariaDB spends a fifth of the
 * statement on weighing other indexes. */
#define COOKIE_COLUMNS \
	"a.id, a.slug, a.owner_id, a.workspace_id, a.name, a.visibility, a.moved_to," \
	" a.paused_at IS NOT NULL AS paused, a.closed, a.by_agent, TRUE AS published," \
	" a.live_no AS version_no, TRUE AS version_open, TRUE AS live"
#define COOKIE_TABLES \
	" FROM viewer w FORCE INDEX (PRIMARY)" \
	" JOIN session e FORCE INDEX (PRIMARY) ON e.id = w.session_id" \
	" JOIN user u FORCE INDEX (PRIMARY) ON u.id = e.user_id AND u.disabled_at IS NULL" \
	" AND " SESSION_RUNS("e", "u") \
	" JOIN artifact a FORCE INDEX (PRIMARY) ON a.id = w.artifact_id AND a.slug = ?" \
	" AND a.live_no IS NOT NULL AND a.deleted_at IS NULL"
#define COOKIE_ARGS(c, slug, cookie) ARGS(SESSION_NOW(c), slug, *(cookie), (c)->now)

/* *out is NULL for another version, or at a former address. */
static enum err
seen_by_cookie(struct ctx *c, const char *slug, const struct bytes *cookie, enum guessed how,
    struct site_seen **out)
{
	struct site_seen_list rows;

	if (how == GUESS_OWN)
		TRY(db_all(c,
		    ROWS(site_seen,
			"SELECT " COOKIE_COLUMNS ", u.id AS user_id, u.outside" COOKIE_TABLES
			" WHERE w.hash = ? AND w.kind = 'cookie' AND w.expires_at > ?"
			" AND IF(a.owner_id = u.id AND a.workspace_id IS NULL, TRUE, FALSE)"),
		    COOKIE_ARGS(c, slug, cookie), &rows));
	else if (how == GUESS_FACTS)
		TRY(db_all(c,
		    ROWS(site_seen,
			"SELECT " COOKIE_COLUMNS ", wk.subdomain, " CALLER_COLUMNS COOKIE_TABLES
			FACTS_TABLES("u.id")
			" WHERE w.hash = ? AND w.kind = 'cookie' AND w.expires_at > ?"),
		    COOKIE_ARGS(c, slug, cookie), &rows));
	else
		TRY(db_all(c,
		    ROWS(site_seen,
			"SELECT " COOKIE_COLUMNS ", wk.subdomain, " CALLER_COLUMNS ", "
			GIVEN_COLUMNS("") ", " TIER_COLUMNS("wk") COOKIE_TABLES FACTS_TABLES("u.id")
			GIVEN_TABLES("a.folder_id", "u.id", "NULL")
			" WHERE w.hash = ? AND w.kind = 'cookie' AND w.expires_at > ?"),
		    ARGS(SESSION_NOW(c), slug, c->now, c->now, *cookie, c->now), &rows));
	rows_set_rights(c, &rows, out);
	return E_OK;
}

/* *out is also NULL for a person without a role, and for a collaborator whose role depends on an
 * access policy. */
static enum err
find_by_cookie(struct ctx *c, const char *slug, const struct bytes *cookie, struct site_seen **out)
{
	struct guess g = guess_of(*cookie, slug);
	enum guessed was = GUESS_FACTS;

	TRY(seen_by_cookie(c, slug, cookie, g.first, out));
	if (*out && g.first == GUESS_OWN)
		return E_OK;
	if (g.first == GUESS_OWN)
		TRY(seen_by_cookie(c, slug, cookie, GUESS_FACTS, out));
	if (*out && (*out)->outside)
		was = GUESS_GRANTS;
	/* Only the row says whose cookie it is. */
	if (was == GUESS_GRANTS && g.first != GUESS_GRANTS && !(*out)->role)
		TRY(seen_by_cookie(c, slug, cookie, GUESS_GRANTS, out));
	guess_learn(&g, was);
	if (*out && !(*out)->role)
		*out = NULL;
	return E_OK;
}

/* A grant to comment also shows a version to people whom an open review of it asks. */
static enum err
seen_for_review(struct ctx *c, struct site_seen *s)
{
	const struct principal who = { .user_id = s->user_id, .outside = s->outside };
	const struct facts f = facts_of(c, s);
	bool asked = false;

	if (s->role || s->live || !s->user_id || !s->version_no || !rights_of(&who, &f).comment)
		return E_OK;
	TRY(reviewing_asks(c, s->id, s->version_no, s->user_id, &asked));
	s->role = asked ? "external" : NULL;
	return E_OK;
}

/* Columns and tables of the person u, who may see the artifact a at all. */
#define VIEWER_COLUMNS \
	CALLER_COLUMNS ", EXISTS (SELECT 1 FROM workspace_allowed x WHERE x.workspace_id = wk.id" \
	" AND x.value IN (u.email, SUBSTRING_INDEX(u.email, '@', -1))) AS named, " \
	GIVEN_COLUMNS("") ", " TIER_COLUMNS("wk")
#define VIEWER_GIVEN \
	GIVEN_TABLES("IF(u.outside, a.folder_id, NULL)", "IF(u.outside, u.id, NULL)", "NULL")
#define VIEWER_MAY \
	"(" FACTS_KNOWN("u.id") " OR gc.id IS NOT NULL OR gd.id IS NOT NULL)"

enum err
visit_find(struct ctx *c, const char *slug, int64_t no, const char *cookie, struct site_seen **out)
{
	const struct bytes *digest = cookie ? secret_digest(c, cookie, "vie_") : NULL;
	struct arg which = no ? arg_int(no) : arg_null();
	struct site_seen_list rows;

	if (!digest) {
		TRY(db_find(c,
		    ROWS(site_seen,
			"SELECT " SITE_COLUMNS SITE_TABLES WORKSPACE_TABLE
			" WHERE h.slug = ? AND " ARTIFACT_IS_OPEN),
		    ARGS(which, slug), out));
		if (*out)
			seen_set_rights(c, *out);
		return E_OK;
	}
	*out = NULL;
	if (!no)
		TRY(find_by_cookie(c, slug, digest, out));
	if (*out)
		return E_OK;
	/* The cookie leads to a person's session. Each visit reads their rights again; folders only
	 * for people who may have grants. */
	TRY(db_all(c,
	    ROWS(site_seen,
		"SELECT " SITE_COLUMNS ", " VIEWER_COLUMNS SITE_TABLES VIEWER_TABLES
		ROLE_TABLES("u.id") VIEWER_GIVEN " WHERE h.slug = ? AND " VIEWER_MAY),
	    ARGS(which, VIEWER(c, digest), c->now, c->now, slug), &rows));
	rows_set_rights(c, &rows, out);
	return *out ? seen_for_review(c, *out) : E_OK;
}

/* Reads the person's rights on the version that the frame's row names. */
enum err
visit_find_by_frame(struct ctx *c, const char *name, struct site_seen **out)
{
	struct site_seen_list rows;

	TRY(db_all(c,
	    ROWS(site_seen,
		"SELECT " SITE_COLUMNS ", " VIEWER_COLUMNS
		" FROM viewer w FORCE INDEX (PRIMARY)"
		" JOIN session e FORCE INDEX (PRIMARY) ON e.id = w.session_id"
		" JOIN user u FORCE INDEX (PRIMARY) ON u.id = e.user_id"
		" AND u.disabled_at IS NULL AND " SESSION_RUNS("e", "u")
		" JOIN artifact a FORCE INDEX (PRIMARY) ON a.id = w.artifact_id"
		" JOIN version v FORCE INDEX (PRIMARY) ON v.artifact_id = a.id"
		" AND v.version_no = w.version_no"
		FACTS_TABLES("u.id") VIEWER_GIVEN
		" WHERE w.hash = ? AND w.kind = 'frame' AND w.expires_at > ? AND " VIEWER_MAY),
	    ARGS(SESSION_NOW(c), c->now, c->now, *viewer_frame_digest(c, name), c->now), &rows));
	rows_set_rights(c, &rows, out);
	return *out ? seen_for_review(c, *out) : E_OK;
}

enum { PASS_S = 60 };
#define PASS "pass to see a version"

const char *
visit_pass(struct ctx *c, const char *artifact_id, int64_t no)
{
	return seal_close(c->mem, PASS,
	    mem_printf(c->mem, "%lld %lld %s", (long long)(c->now + PASS_S), (long long)no,
		artifact_id));
}

enum err
visit_find_by_pass(
    struct ctx *c, const char *slug, int64_t no, const char *pass, struct site_seen **out)
{
	const char *text = seal_open(c->mem, PASS, pass), *id = text ? strrchr(text, ' ') : NULL;
	long long until, of;

	*out = NULL;
	if (!id || sscanf(text, "%lld %lld", &until, &of) != 2 || until < c->now)
		return E_OK;
	TRY(db_find(c,
	    ROWS(site_seen,
		"SELECT " SITE_COLUMNS SITE_TABLES WORKSPACE_TABLE
		" WHERE h.slug = ? AND a.id = ? AND v.version_no = ? AND NOT a.closed"),
	    ARGS(no ? arg_int(no) : arg_null(), slug, id + 1, (int64_t)of), out));
	if (*out) {
		seen_set_rights(c, *out);
		(*out)->role = "viewer";
		(*out)->moved_to = NULL;
	}
	return E_OK;
}

#define HOST(F, T) F(T, ID, artifact_id, .arg = "art_")
SHAPE(host, HOST);

enum err
visit_host(struct ctx *c, const char *slug, const char **artifact_id)
{
	struct host *row;

	TRY(db_find(
	    c, ROWS(host, "SELECT artifact_id FROM slug WHERE slug = ?"), ARGS(slug), &row));
	*artifact_id = row ? row->artifact_id : "";
	return E_OK;
}

enum err
visit_version(struct ctx *c, struct site_seen *s)
{
	struct site_seen *row;

	if (s->entrypoint)
		return E_OK;
	TRY(db_one(c,
	    ROWS(site_seen,
		"SELECT entrypoint, routing FROM version WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(s->id, s->version_no), &row));
	s->entrypoint = row->entrypoint;
	s->routing = row->routing;
	return E_OK;
}

bool
visit_may(const struct site_seen *s)
{
	return s && !s->deleted && s->version_no && (visit_is_open(s) || s->role);
}

bool
visit_is_open(const struct site_seen *s)
{
	return s->is_open && s->version_open;
}

#define SEEN_MIME(F, T) F(T, STR, mime)
SHAPE(seen_mime, SEEN_MIME);

enum err
visit_mime(struct ctx *c, const struct site_seen *s, const char *path, const char **mime)
{
	struct seen_mime *row;

	TRY(db_find(c,
	    ROWS(seen_mime,
		"SELECT mime FROM version_file"
		" WHERE artifact_id = ? AND version_no = ? AND path = ?"),
	    ARGS(s->id, s->version_no, path), &row));
	*mime = row ? row->mime : NULL;
	return E_OK;
}
