/* SPDX-License-Identifier: Apache-2.0 */
#include "site/visit.h"

#include "base/seal.h"
#include "core/guess.h"
#include "core/viewer.h"

#include <stdlib.h>
#include <string.h>

SHAPE_DEFINE(site_seen, SITE_SEEN);

#define SITE_COLUMNS \
	"a.id, a.slug, " ARTIFACT_SUBDOMAIN " AS subdomain, " ARTIFACT_IS_OPEN " AS is_open," \
	" a.visibility = 'unlisted' AS unlisted, a.paused_at IS NOT NULL AS paused," \
	" a.deleted_at IS NOT NULL AS deleted, v.version_no, v.is_open AS version_open," \
	" v.entrypoint, v.routing, v.version_no <=> a.live_no AS live"
#define SITE_TABLES \
	"slug h JOIN artifact a ON a.id = h.artifact_id" \
	" LEFT JOIN version v ON v.artifact_id = a.id AND v.version_no = COALESCE(?, a.live_no)"

static enum err
find_for_all(struct ctx *c, const char *slug, struct arg no, struct site_seen **out)
{
	return db_find(c,
	    ROWS(site_seen,
		"SELECT " SITE_COLUMNS " FROM " SITE_TABLES WORKSPACE_TABLE
		" WHERE h.slug = ? AND " ARTIFACT_IS_OPEN),
	    ARGS(no, slug), out);
}

/* What nearly every visit with a cookie asks for, from the cookie on: the live version at its
 * present address. Each row is found by its primary key; a fifth of the statement would go into
 * weighing what other indexes there are. */
#define COOKIE_COLUMNS \
	"a.id, a.slug, " ARTIFACT_IS_OPEN " AS is_open, a.visibility = 'unlisted' AS unlisted," \
	" a.paused_at IS NOT NULL AS paused, a.live_no AS version_no, TRUE AS version_open," \
	" TRUE AS live"
#define COOKIE_TABLES \
	"viewer w FORCE INDEX (PRIMARY)" \
	" JOIN session e FORCE INDEX (PRIMARY) ON e.id = w.session_id" \
	" JOIN user u FORCE INDEX (PRIMARY) ON u.id = e.user_id AND u.disabled_at IS NULL" \
	" AND " SESSION_RUNS("e", "u") \
	" JOIN artifact a FORCE INDEX (PRIMARY) ON a.id = w.artifact_id AND a.slug = ?" \
	" AND a.live_no IS NOT NULL AND a.deleted_at IS NULL"
#define COOKIE_WHERE " WHERE w.hash = ? AND w.kind = 'cookie' AND w.expires_at > ?"
#define COOKIE_ARGS(c, slug, cookie) ARGS(SESSION_NOW(c), slug, *(cookie), (c)->now)

/* What is told of it to whoever shares it. */
#define SHARED_COLUMNS "u.id AS user_id, a.workspace_id, a.name, u.outside"

/* Who was given it sees what is live. */
static void
seen_settle(struct ctx *c, struct site_seen *s)
{
	struct reach r;

	if (!s || s->role || !s->outside || !s->live)
		return;
	reach_read(c, s->given, TIER_ROW_OF(s), &r);
	s->role = r.view ? "external" : NULL;
}

/* *out is NULL when it is anything else. */
static enum err
seen_by_cookie(struct ctx *c, const char *slug, const struct bytes *cookie, enum guessed how,
    struct site_seen **out)
{
	if (how == GUESS_OWN)
		return db_find(c,
		    ROWS(site_seen,
			"SELECT " COOKIE_COLUMNS ", 'owner' AS role FROM " COOKIE_TABLES
			COOKIE_WHERE " AND " ARTIFACT_IS_OWN(AS_PERSON("u.id"))),
		    COOKIE_ARGS(c, slug, cookie), out);
	if (how == GUESS_ALL)
		return db_find(c,
		    ROWS(site_seen,
			"SELECT " COOKIE_COLUMNS ", " ARTIFACT_SUBDOMAIN " AS subdomain, "
			ROLE_COLUMN_QUICK(AS_PERSON("u.id")) " AS role, " SHARED_COLUMNS ", "
			REACH_GIVEN " AS given, " TIER_COLUMNS("wk") " FROM " COOKIE_TABLES
			ROLE_TABLES("u.id") REACH_TABLES("u.id", "NULL") COOKIE_WHERE REACH_GROUP),
		    ARGS(SESSION_NOW(c), slug, c->now, c->now, *cookie, c->now), out);
	return db_find(c,
	    ROWS(site_seen,
		"SELECT " COOKIE_COLUMNS ", " ARTIFACT_SUBDOMAIN " AS subdomain, "
		ROLE_COLUMN_QUICK(AS_PERSON("u.id")) " AS role, u.outside FROM " COOKIE_TABLES
		    ROLE_TABLES("u.id") COOKIE_WHERE),
	    COOKIE_ARGS(c, slug, cookie), out);
}

static enum err
find_by_cookie(struct ctx *c, const char *slug, const struct bytes *cookie, struct site_seen **out)
{
	struct guess g = guess_of(*cookie, slug);
	enum guessed was = GUESS_ROLES;

	TRY(seen_by_cookie(c, slug, cookie, g.first, out));
	if (*out && g.first == GUESS_OWN)
		return E_OK;
	if (g.first == GUESS_OWN)
		TRY(seen_by_cookie(c, slug, cookie, GUESS_ROLES, out));
	if (*out && (*out)->outside)
		was = GUESS_ALL;
	/* Whose cookie it is was not known before. */
	if (was == GUESS_ALL && g.first != GUESS_ALL && !(*out)->role)
		TRY(seen_by_cookie(c, slug, cookie, GUESS_ALL, out));
	guess_learn(&g, was);
	seen_settle(c, *out);
	if (*out && !(*out)->role)
		*out = NULL;
	return E_OK;
}

/* The cookie leads to a person's session, and the person's role is read anew for each visit.
 * Folders are looked at only for who may have been given something. */
static enum err
find_for_viewer(struct ctx *c, const char *slug, struct arg no, const struct bytes *cookie,
    struct site_seen **out)
{
	TRY(db_find(c,
	    ROWS(site_seen,
		"SELECT " SITE_COLUMNS ", " ROLE_COLUMN(AS_PERSON("u.id")) " AS role, "
		SHARED_COLUMNS ", " REACH_GIVEN " AS given, " TIER_COLUMNS("wk") " FROM "
		SITE_TABLES VIEWER_TABLES ROLE_TABLES("u.id")
		REACH_TABLES_FROM("IF(u.outside, a.folder_id, NULL)", "IF(u.outside, u.id, NULL)",
		    "NULL") " WHERE h.slug = ? AND (" ARTIFACT_IS_KNOWN("u.id") " OR " REACH_IS ")"
		REACH_GROUP),
	    ARGS(no, VIEWER(c, cookie), c->now, c->now, slug), out));
	seen_settle(c, *out);
	return E_OK;
}

enum err
visit_find(struct ctx *c, const char *slug, int64_t no, const char *cookie, struct site_seen **out)
{
	const struct bytes *digest = cookie ? secret_digest(c, cookie, "vie_") : NULL;
	struct arg which = no ? arg_int(no) : arg_null();

	if (!digest)
		return find_for_all(c, slug, which, out);
	*out = NULL;
	if (!no)
		TRY(find_by_cookie(c, slug, digest, out));
	return *out ? E_OK : find_for_viewer(c, slug, which, digest, out);
}

enum { PASS_S = 60 };
#define PASS "pass to see an artifact"

const char *
visit_pass(struct ctx *c, const char *artifact_id)
{
	return seal_close(c->mem, PASS,
	    mem_printf(c->mem, "%lld %s", (long long)(c->now + PASS_S), artifact_id));
}

enum err
visit_find_by_pass(struct ctx *c, const char *slug, const char *pass, struct site_seen **out)
{
	const char *text = seal_open(c->mem, PASS, pass), *id = text ? strchr(text, ' ') : NULL;

	*out = NULL;
	if (!id || strtoll(text, NULL, 10) < c->now)
		return E_OK;
	return db_find(c,
	    ROWS(site_seen,
		"SELECT " SITE_COLUMNS ", 'viewer' AS role FROM " SITE_TABLES WORKSPACE_TABLE
		" WHERE h.slug = ? AND a.id = ? AND NOT a.closed"),
	    ARGS(arg_null(), slug, id + 1), out);
}

#define HOST(F, T) F(T, ID, artifact_id, .arg = "art_")
SHAPE_DECLARE(host, HOST);
SHAPE_DEFINE(host, HOST);

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
SHAPE_DECLARE(seen_mime, SEEN_MIME);
SHAPE_DEFINE(seen_mime, SEEN_MIME);

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
