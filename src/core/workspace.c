/* SPDX-License-Identifier: Apache-2.0 */
#include "core/workspace.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "core/accesspolicy.h"
#include "core/audit.h"
#include "core/find.h"
#include "core/slug.h"
#include "core/spread.h"
#include "db/ids.h"
#include "store/rounds.h"

SHAPE_DEFINE(workspace_settings, WORKSPACE_SETTINGS);
SHAPE_DEFINE(seats, SEATS);
SHAPE_DEFINE(workspace, WORKSPACE);
SHAPE_DEFINE(workspace_found, WORKSPACE_FOUND);
SHAPE_DEFINE(workspace_new, WORKSPACE_NEW);
SHAPE_DEFINE(workspace_edit, WORKSPACE_EDIT);
SHAPE_DEFINE(workspace_query, WORKSPACE_QUERY);

enum {
	SLUG_LEAST = 2,
	SLUG_MOST = 30,
	SLUG_KEPT_S = 30 * 86400,
	SHOWN_AT_ONCE = 200 /* artifacts that a request projects itself */
};

/* ---- reading ---- */

#define BOUND_COLUMN AGENT_BOUND("w", "?") " AS agent_bound"
#define WORKSPACE_COLUMNS \
	"w.id, w.name, w.slug, m.role, w.member_access AS `settings.member_access`," \
	" w.default_visibility AS `settings.default_visibility`," \
	" w.description AS `settings.description`," \
	" w.people AS `seats.used`, (SELECT COUNT(*) FROM invite v FORCE INDEX (invite_list)" \
	" WHERE v.workspace_id = w.id AND v.status = 'pending' AND v.expires_at > ?)" \
	" AS `seats.pending`, " BOUND_COLUMN \
	", w.logo, w.subdomain, w.created_at, w.updated_at, w.deleted_at, " TIER_COLUMNS("w")
/* The user, and the workspace that their token is confined to. */
#define WORKSPACE_TABLES \
	" FROM workspace w" \
	" JOIN member m ON m.workspace_id = w.id AND m.user_id = ? AND w.id = COALESCE(?, w.id)"
#define WORKSPACE_AS(who) (who)->user_id, (who)->workspace_id
/* Arguments of a statement with WORKSPACE_COLUMNS. */
#define WORKSPACE_OF(who) c->now, AGENT_ARGS(who), WORKSPACE_AS(who)

const char *
workspace_logo_url(struct ctx *c, const char *logo)
{
	return logo ? mem_printf(c->mem, "%s/v1/logos/%s", c->conf->base_url, logo) : NULL;
}

struct tier
workspace_tier(struct ctx *c, const struct workspace *w)
{
	struct tier tier;

	tier_read(c, TIER_ROW_OF(w), &tier);
	return tier;
}

/* Fills in the fields that depend on its plan and its addresses. */
static void
workspace_derive(struct ctx *c, struct workspace *w)
{
	struct tier tier = workspace_tier(c, w);
	struct seats *seats = w->seats;

	w->tier = tier.plan->tier;
	w->logo_url = workspace_logo_url(c, w->logo);
	if (tier.seats < 0)
		return;
	seats->has.limit = seats->has.remaining = GIVEN;
	seats->limit = tier.seats;
	seats->remaining = tier.seats > seats->used ? tier.seats - seats->used : 0;
}

static enum err
workspace_absent(struct ctx *c)
{
	return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

static bool
outside_all(const struct principal *who)
{
	return !who || who->grants_only;
}

enum err
workspace_get(struct ctx *c, const char *id, const struct principal *who, bool lock,
    struct workspace **out)
{
	if (outside_all(who))
		return workspace_absent(c);
	TRY(db_find(c,
	    lock ? ROWS(workspace,
		       "SELECT " WORKSPACE_COLUMNS WORKSPACE_TABLES " WHERE w.id = ? FOR UPDATE")
		 : ROWS(workspace, "SELECT " WORKSPACE_COLUMNS WORKSPACE_TABLES " WHERE w.id = ?"),
	    ARGS(WORKSPACE_OF(who), id), out));
	if (!*out)
		return workspace_absent(c);
	TRY(agent_reads(c, who, (*out)->agent_bound));
	workspace_derive(c, *out);
	return E_OK;
}

enum err
workspace_get_to_join(struct ctx *c, const char *id, bool lock, const struct workspace **out)
{
	struct workspace *w;

	TRY(db_find(c,
	    lock ? ROWS(workspace,
		       "SELECT w.id, w.name, w.slug FROM workspace w"
		       " WHERE w.id = ? AND w.deleted_at IS NULL FOR UPDATE")
		 : ROWS(workspace,
		       "SELECT w.id, w.name, w.slug FROM workspace w"
		       " WHERE w.id = ? AND w.deleted_at IS NULL"),
	    ARGS(id), &w));
	*out = w;
	return w ? E_OK : workspace_absent(c);
}

bool
workspace_shows_all(const struct workspace *w)
{
	const struct workspace_settings *set = w->settings;

	return member_rank(w->role) >= MEMBER_ADMIN || !str_eq(set->member_access, "none");
}

SHAPE_DEFINE(workspace_held, WORKSPACE_HELD);

enum err
workspace_for(struct ctx *c, const struct principal *who, const char *wanted,
    struct workspace_held *out)
{
	const char *id = wanted ? wanted : principal_workspace(who);
	struct workspace_held *row;

	*out = (struct workspace_held){ 0 };
	if (!id)
		return E_OK;
	TRY(db_find(c,
	    ROWS(workspace_held,
		"SELECT w.id, " BOUND_COLUMN
		", w.publish_policy = 'require_approval' AS needs_approval, w.default_visibility,"
		" EXISTS (SELECT 1 FROM share_grant g WHERE g.workspace_id = w.id) AS shares"
		WORKSPACE_TABLES " WHERE w.id = ? AND w.deleted_at IS NULL LOCK IN SHARE MODE"),
	    ARGS(AGENT_ARGS(who), WORKSPACE_AS(who), id), &row));
	if (!row)
		return fail(c, E_NOT_FOUND,
		    "workspace_id: there is no such workspace, or you aren't a member of it");
	*out = *row;
	return agent_changes(c, who, row->agent_bound);
}

enum err
workspace_hold(struct ctx *c, const char *id)
{
	struct workspace_held *row;

	return db_one(c,
	    ROWS(workspace_held, "SELECT id FROM workspace WHERE id = ? LOCK IN SHARE MODE"),
	    ARGS(id), &row);
}

enum err
workspace_of_folder(struct ctx *c, const struct principal *who, const char *folder_id,
    struct workspace_held *out)
{
	struct workspace_held *row;

	TRY(db_one(c,
	    ROWS(workspace_held,
		"SELECT w.id, " BOUND_COLUMN ", o.user_id AS owner_id FROM folder f"
		" JOIN workspace w ON w.id = f.workspace_id AND w.deleted_at IS NULL"
		" JOIN member o ON o.owner_of = w.id WHERE f.id = ? LOCK IN SHARE MODE"),
	    ARGS(AGENT_ARGS(who), folder_id), &row));
	*out = *row;
	return agent_changes(c, who, row->agent_bound);
}

#define WORKSPACE_LABEL(F, T) F(T, STR, subdomain)
SHAPE(workspace_label, WORKSPACE_LABEL);

enum err
workspace_subdomain(struct ctx *c, const char *id, const char **label)
{
	struct workspace_label *row;

	TRY(db_one(c, ROWS(workspace_label, "SELECT subdomain FROM workspace WHERE id = ?"),
	    ARGS(id), &row));
	*label = row->subdomain;
	return E_OK;
}

static enum err
slug_absent(struct ctx *c, const char *slug)
{
	return fail(c, E_NOT_FOUND, "There is no workspace %s, or you don't have access to it",
	    str_cut(c->mem, str_one_line(c->mem, slug), 80));
}

static enum err
workspace_to_join(struct ctx *c, const char *slug, const struct principal *who,
    struct workspace_found **out)
{
	bool may = false;

	TRY(db_find(c,
	    ROWS(workspace_found,
		"SELECT w.id, w.name, w.slug, w.logo, TRUE AS can_join"
		" FROM workspace w"
		" JOIN workspace_slug h ON h.workspace_id = w.id WHERE h.slug = ?"
		" AND w.deleted_at IS NULL AND (h.released_at IS NULL OR h.released_at > ?)"),
	    ARGS(slug, c->now - SLUG_KEPT_S), out));
	if (*out)
		TRY(access_policy_joins(c, (*out)->id, who, &may));
	if (!may)
		return slug_absent(c, slug);
	(*out)->logo_url = workspace_logo_url(c, (*out)->logo);
	return E_OK;
}

enum err
workspace_by_slug(struct ctx *c, const char *slug, const struct principal *who,
    struct workspace_found **out)
{
	struct workspace_found *found;
	struct workspace *w;

	if (outside_all(who))
		return slug_absent(c, slug);
	TRY(db_find(c,
	    ROWS(workspace,
		"SELECT " WORKSPACE_COLUMNS WORKSPACE_TABLES
		" JOIN workspace_slug h ON h.workspace_id = w.id WHERE h.slug = ?"
		" AND w.deleted_at IS NULL AND (h.released_at IS NULL OR h.released_at > ?)"),
	    ARGS(WORKSPACE_OF(who), slug, c->now - SLUG_KEPT_S), &w));
	if (!w)
		return workspace_to_join(c, slug, who, out);
	TRY(agent_reads(c, who, w->agent_bound));
	workspace_derive(c, w);
	found = *out = mem_new(c->mem, struct workspace_found);
	*found = (struct workspace_found){ .id = w->id,
		.name = w->name,
		.slug = w->slug,
		.logo_url = w->logo_url,
		.role = w->role,
		.tier = w->tier,
		.settings = w->settings,
		.seats = w->seats,
		.created_at = w->created_at,
		.updated_at = w->updated_at };
	found->has.created_at = found->has.updated_at = GIVEN;
	return E_OK;
}

enum err
workspace_list(struct ctx *c, const struct principal *who, const struct workspace_query *q,
    struct workspace_list *out, const char **next)
{
	*out = (struct workspace_list){ 0 };
	*next = NULL;
	if (outside_all(who))
		return E_OK;
	TRY(db_part(c,
	    ROWS(workspace,
		"SELECT " WORKSPACE_COLUMNS WORKSPACE_TABLES
		" WHERE m.workspace_id > ?"
		" AND IF(?, w.deleted_at IS NOT NULL AND m.role = 'owner', w.deleted_at IS NULL)"
		" AND NOT " AGENT_BARRED("w", "?") " ORDER BY m.workspace_id LIMIT ?"),
	    ARGS(WORKSPACE_OF(who), arg_after(q->cursor, "wsp_"), q->deleted, AGENT_ARGS(who)),
	    q->limit, out, next, last->id));
	for (size_t i = 0; i < out->n; i++)
		workspace_derive(c, &out->v[i]);
	return E_OK;
}

/* ---- for vitrinectl ---- */

#define WORKSPACE_BARE_COLUMNS \
	"w.id, w.name, w.slug, w.member_access AS `settings.member_access`," \
	" w.default_visibility AS `settings.default_visibility`," \
	" w.description AS `settings.description`," \
	" w.people AS `seats.used`, w.logo, w.subdomain, w.created_at, w.updated_at," \
	" w.deleted_at, " TIER_COLUMNS("w")

enum err
workspace_named(struct ctx *c, const char *name, struct workspace **out)
{
	TRY(db_find(c,
	    ROWS(workspace,
		"SELECT " WORKSPACE_BARE_COLUMNS
		" FROM workspace w"
		" WHERE w.id = COALESCE((SELECT h.workspace_id FROM workspace_slug h"
		" WHERE h.slug = ?), ?)"),
	    ARGS(name, name), out));
	if (!*out)
		return fail(c, E_NOT_FOUND, "there is no workspace %s", name);
	workspace_derive(c, *out);
	return E_OK;
}

#define WORKSPACE_OWNER(F, T) F(T, EMAIL, email)
SHAPE(workspace_owner, WORKSPACE_OWNER);

enum err
workspace_owner_email(struct ctx *c, const char *id, const char **out)
{
	struct workspace_owner *row;

	TRY(db_one(c,
	    ROWS(workspace_owner,
		"SELECT u.email FROM member m JOIN user u ON u.id = m.user_id"
		" WHERE m.owner_of = ?"),
	    ARGS(id), &row));
	*out = row->email;
	return E_OK;
}

enum err
workspace_list_all(struct ctx *c, const char *after, int64_t limit, struct workspace_list *out)
{
	TRY(db_all(c,
	    ROWS(workspace,
		"SELECT " WORKSPACE_BARE_COLUMNS
		" FROM workspace w WHERE w.id > ? ORDER BY w.id LIMIT ?"),
	    ARGS(after, limit), out));
	for (size_t i = 0; i < out->n; i++)
		workspace_derive(c, &out->v[i]);
	return E_OK;
}

/* ---- slugs ---- */

static enum err
workspace_slug_check(struct ctx *c, const char *s)
{
	/* An address would read "v1" as a version's number. */
	bool version = *s == 'v' && s[1] && s[1 + strspn(s + 1, "0123456789")] == '\0';
	size_t n = strlen(s);

	if (!slug_valid(s) || n < SLUG_LEAST || n > SLUG_MOST)
		return fail(c, E_INVALID,
		    "slug: %s must be 2 to 30 characters: "
		    "a-z, 0-9, and single hyphens between them", s);
	if (slug_reserved(s) || version)
		return fail(c, E_INVALID, "slug: %s is reserved; choose another", s);
	return E_OK;
}

static enum err
workspace_slug_take(struct ctx *c, const char *slug, const char *id)
{
	int64_t changed;

	if (db_exec(c, EXEC("INSERT INTO workspace_slug (slug, workspace_id) VALUES (?, ?)"),
		ARGS(slug, id), NULL) == E_OK)
		return E_OK;
	if (c->err != E_CONFLICT)
		return c->err;
	TRY(db_exec(c,
	    EXEC(
		"UPDATE workspace_slug SET workspace_id = ?, released_at = NULL WHERE slug = ?"
		" AND released_at IS NOT NULL AND (workspace_id = ? OR released_at <= ?)"),
	    ARGS(id, slug, id, c->now - SLUG_KEPT_S), &changed));
	return changed ? E_OK
		       : fail(c, E_SLUG_TAKEN, "slug: the address \"%s\" is taken; choose another",
			   slug);
}

static enum err
workspace_slug_release(struct ctx *c, const char *slug, const char *id)
{
	return db_exec(c,
	    EXEC("UPDATE workspace_slug SET released_at = ? WHERE slug = ? AND workspace_id = ?"),
	    ARGS(c->now, slug, id), NULL);
}

static enum err
workspace_slug_make(struct ctx *c, const char *name, const char *id, const char **out)
{
	char *base = mem_strdup(c->mem, slug_from_name(c->mem, name));

	if (strlen(base) > SLUG_MOST - 6)
		base[SLUG_MOST - 6] = '\0';
	for (size_t n = strlen(base); n && base[n - 1] == '-';)
		base[--n] = '\0';
	for (int tries = 0; tries < 8; tries++) {
		*out = !*base ? slug_random(c->mem, 10)
		    : tries   ? slug_with_tail(c->mem, base, 5)
			      : base;
		if (workspace_slug_check(c, *out))
			continue;
		if (workspace_slug_take(c, *out, id) == E_OK)
			return E_OK;
		if (c->err != E_SLUG_TAKEN)
			return c->err;
	}
	return fail(c, E_SLUG_TAKEN, "slug: none could be generated from the name; specify one");
}

static enum err
workspace_slug_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM workspace_slug WHERE released_at <= ? LIMIT ?"),
	    ARGS(conf_trash_end(c->conf, c->now) - SLUG_KEPT_S, limit), removed);
}

/* ---- making and changing ---- */

#define OWNED_COUNT(F, T) F(T, INT, n)
SHAPE(owned_count, OWNED_COUNT);

/* Locks the person's row, so that two concurrent requests count one after the other. */
enum err
workspace_may_own(struct ctx *c, const char *user_id)
{
	struct owned_count *row;

	TRY(db_one(c,
	    ROWS(owned_count, "SELECT 1 AS n FROM user WHERE id = ? FOR UPDATE"),
	    ARGS(user_id), &row));
	TRY(db_one(c,
	    ROWS(owned_count,
		"SELECT COUNT(*) AS n FROM member m JOIN workspace w ON w.id = m.workspace_id"
		" WHERE m.user_id = ? AND m.role = 'owner' AND w.deleted_at IS NULL"),
	    ARGS(user_id), &row));
	if (row->n < WORKSPACES_OWNED)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"limit\":%d}", WORKSPACES_OWNED);
	return fail(c, E_LIMIT_REACHED,
	    "One person can own at most %d workspaces, and that limit has been reached; "
	    "one must be transferred or deleted first",
	    WORKSPACES_OWNED);
}

enum err
audit_workspace(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const char *before, const char *after)
{
	return audit_add(c, w->id, who,
	    &(struct audit){ .action = action,
		.type = "workspace",
		.id = w->id,
		.name = w->name,
		.before = before,
		.after = after });
}

enum err
workspace_add(struct ctx *c, const struct principal *who, const struct workspace_new *in,
    const char **id)
{
	const struct workspace_settings *set = in->settings;
	const char *slug = in->slug;

	if (str_eq(who->kind, "agent") || who->workspace_id || who->grants_only)
		return fail(c, E_DENIED,
		    "Only a person can create a workspace; this token acts in one workspace only");
	TRY(workspace_may_own(c, who->user_id));
	*id = id_new(c->mem, "wsp_");
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO workspace"
		" (id, name, slug, description, member_access, default_visibility, people,"
		" created_at, updated_at)"
		" VALUES (?, ?, '', ?, COALESCE(?, 'viewer'), ?, 1, ?, ?)"),
	    ARGS(*id, in->name, set ? set->description : NULL, set ? set->member_access : NULL,
		set ? set->default_visibility : NULL, c->now, c->now),
	    NULL));
	if (slug) {
		TRY(workspace_slug_check(c, slug));
		TRY(workspace_slug_take(c, slug, *id));
	} else {
		TRY(workspace_slug_make(c, in->name, *id, &slug));
	}
	TRY(db_exec1(
	    c, EXEC("UPDATE workspace SET slug = ? WHERE id = ?"), ARGS(slug, *id)));
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO member (workspace_id, user_id, role, joined_at)"
		" VALUES (?, ?, 'owner', ?)"),
	    ARGS(*id, who->user_id, c->now), NULL));
	TRY(find_changed(c, FIND_PERSON, who->user_id));
	return audit_workspace(c, &(struct workspace){ .id = *id, .name = in->name }, who,
	    "workspace.created", NULL, NULL);
}

/* The fields that admins can change, in the form of the audit. */
static const char *
workspace_facts(struct ctx *c, const struct workspace *w)
{
	const struct workspace_settings *set = w->settings;

	return audit_facts(c, "name|slug|member_access|default_visibility|description", w->name,
	    w->slug, set->member_access, set->default_visibility, set->description);
}

enum err
workspace_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct workspace_edit *in)
{
	const struct workspace_settings *set = in->settings;
	struct workspace *now;

	if (set)
		TRY(ceiling_check(c, who, set->default_visibility, "settings.default_visibility",
		    mem_printf(c->mem, "/w/%s/settings", w->id)));
	if (in->slug && !str_eq(in->slug, w->slug)) {
		TRY(workspace_slug_check(c, in->slug));
		TRY(workspace_slug_release(c, w->slug, w->id));
		TRY(workspace_slug_take(c, in->slug, w->id));
		TRY(follow(c, WORKSPACE_RENAMED,
		    &(struct happened){ .ws = w, .slug = in->slug }));
	}
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE workspace SET name = COALESCE(?, name), slug = COALESCE(?, slug),"
		" member_access = COALESCE(?, member_access),"
		" default_visibility = IF(?, ?, default_visibility),"
		" description = IF(?, ?, description), updated_at = ? WHERE id = ?"),
	    ARGS(in->name, in->slug, set ? set->member_access : NULL,
		set && set->has.default_visibility != ABSENT,
		set ? set->default_visibility : NULL,
		set && set->has.description != ABSENT, set ? set->description : NULL, c->now,
		w->id)));
	TRY(workspace_get(c, w->id, who, false, &now));
	return audit_workspace(
	    c, now, who, "workspace.changed", workspace_facts(c, w), workspace_facts(c, now));
}

/* ---- its pages ---- */

#define OF_WORKSPACE(F, T) F(T, ID, id, .arg = "art_")
SHAPE(of_workspace, OF_WORKSPACE);

/* Each artifact gets a row of the outbox; the request projects some of them itself, the runner the
 * others. It can't share the row of an earlier change, which may already be in work. */
enum err
workspace_pages_show(struct ctx *c, const char *id)
{
	enum { OF_CALL = 4 + 14, OF_ARTIFACT = 12 }; /* characters */
	const char *call = mem_strndup(c->mem, id_new(c->mem, "out_"), OF_CALL);
	struct of_workspace_list some;
	const char **ids;

	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO outbox (id, kind, subject, due_at)"
		" SELECT CONCAT(?, RIGHT(id, ?)), 'project', id, ? FROM artifact"
		" WHERE workspace_id = ? AND visibility <> 'private' AND owner_id IS NOT NULL"),
	    ARGS(call, OF_ARTIFACT, c->now, id), NULL));
	TRY(db_all(c,
	    ROWS(of_workspace,
		"SELECT id FROM artifact WHERE workspace_id = ? AND visibility <> 'private'"
		" AND owner_id IS NOT NULL ORDER BY id DESC LIMIT ?"),
	    ARGS(id, SHOWN_AT_ONCE), &some));
	ids = mem_array(c->mem, const char *, some.n + 1);
	for (size_t i = 0; i < some.n; i++) {
		ids[i] = mem_printf(c->mem, "%s%s", call,
		    some.v[i].id + strlen(some.v[i].id) - OF_ARTIFACT);
		effect_add(c,
		    &(struct effect){ .artifact_id = some.v[i].id, .outbox_id = ids[i] });
	}
	TRY(spread(c, ids_json(c, ids, some.n), true));
	return spread_more(c, call);
}

static enum err
artifacts_close(struct ctx *c, const char *id, bool closed)
{
	TRY(db_exec(c,
	    EXEC("UPDATE artifact SET closed = ?, updated_at = ? WHERE workspace_id = ?"),
	    ARGS(closed, c->now, id), NULL));
	return workspace_pages_show(c, id);
}

/* ---- the trash ---- */

enum err
workspace_delete(struct ctx *c, const struct workspace *w, const struct principal *who)
{
	if (w->deleted_at)
		return workspace_absent(c);
	TRY(db_exec1(c, EXEC("UPDATE workspace SET deleted_at = ?, updated_at = ? WHERE id = ?"),
	    ARGS(c->now, c->now, w->id)));
	TRY(workspace_slug_release(c, w->slug, w->id));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE token SET revoked_at = ? WHERE workspace_id = ? AND revoked_at IS NULL"),
	    ARGS(c->now, w->id), NULL));
	TRY(follow(c, WORKSPACE_DELETED, &(struct happened){ .ws = w }));
	TRY(artifacts_close(c, w->id, true));
	return audit_workspace(c, w, who, "workspace.deleted", NULL, NULL);
}

enum err
workspace_restore(struct ctx *c, const struct workspace *w, const struct principal *who)
{
	const char *slug = w->slug;

	if (!w->deleted_at)
		return fail(c, E_CONFLICT, "The workspace isn't deleted");
	if (who)
		TRY(workspace_may_own(c, who->user_id));
	if (workspace_slug_take(c, slug, w->id)) {
		if (c->err != E_SLUG_TAKEN)
			return c->err;
		TRY(workspace_slug_make(c, w->name, w->id, &slug));
	}
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE workspace SET deleted_at = NULL, slug = ?, updated_at = ? WHERE id = ?"),
	    ARGS(slug, c->now, w->id)));
	TRY(follow(c, WORKSPACE_BACK, &(struct happened){ .ws = w }));
	TRY(artifacts_close(c, w->id, false));
	return audit_workspace(c, w, who, "workspace.restored", NULL, NULL);
}

WORKSPACE_ROWS(workspace_slug, "")
FOLLOWS(workspace, { WORKSPACE_PURGED, workspace_purged });
ROUNDS(workspace, { "workspace_slugs", .rows = workspace_slug_reap });
