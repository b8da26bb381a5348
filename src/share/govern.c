/* SPDX-License-Identifier: Apache-2.0 */
#include "share/govern.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "core/branding.h"
#include "core/follow.h"
#include "core/member.h"
#include "core/place.h"
#include "core/tell.h"
#include "share/collaborator.h"
#include "team/folder.h"

SHAPE_DEFINE(governed, GOVERNED);
SHAPE_DEFINE(govern_query, GOVERN_QUERY);
SHAPE_DEFINE(govern_pause, GOVERN_PAUSE);
SHAPE_DEFINE(govern_visibility, GOVERN_VISIBILITY);
SHAPE_DEFINE(govern_transfer, GOVERN_TRANSFER);

/* ---- the table ---- */

/* grants is always 0. */
#define GOVERN_COLUMNS \
	"a.id, a.name, a.slug, o.id AS `owner.user_id`," \
	" o.name AS `owner.name`, o.email AS `owner.email`, o.kind AS `owner.kind`, a.visibility," \
	" a.paused_at IS NOT NULL AS paused, a.pauser AS paused_by, a.pause_reason," \
	" a.folder_id, fd.name AS folder_name, a.live_no AS version_no, s.views AS views_30d," \
	" s.bytes AS size_bytes, 0 AS grants, a.updated_at"
/* Filters rows that an index has found. */
#define GOVERN_WHERE \
	" AND a.deleted_at IS NULL" \
	" AND (? IS NULL OR LOCATE(LOWER(?), LOWER(CONCAT(a.name, ' ', a.slug))))" \
	" AND (? IS NULL OR a.owner_id = ?)" \
	" AND (? IS NULL OR a.visibility = ?) AND (? IS NULL OR (a.paused_at IS NOT NULL) = ?)" \
	" AND (NOT ? OR a.folder_id <=> ?)"
#define GOVERN_FOLDER \
	" LEFT JOIN folder fd ON fd.id = a.folder_id AND fd.workspace_id = a.workspace_id"

/* Where a page of the table begins: after the row with this figure and id. */
struct govern_place {
	int64_t figure;
	const char *id;
};

/* "12.art_…": the figure that it is sorted by, and the artifact. */
static enum err
govern_cursor(struct ctx *c, const char *cursor, struct govern_place *out)
{
	char *figure = mem_strdup(c->mem, cursor ? cursor : ""), *id = strchr(figure, '.');

	*out = (struct govern_place){ INT64_MAX, "art_~" };
	if (!cursor)
		return E_OK;
	if (id)
		*id++ = '\0';
	if (!id || !id_valid(id, "art_") || !str_int(figure, &out->figure))
		return fail_cursor(c);
	out->id = id;
	return E_OK;
}

static int64_t
govern_figure(const struct govern_query *q, const struct governed *g)
{
	return *q->sort == 'v' ? g->views_30d : *q->sort == 's' ? g->size_bytes : g->updated_at;
}

static enum err
govern_find(struct ctx *c, const char *ws, const struct govern_query *q, const char *folder,
    const struct govern_place *at, struct governed_list *out)
{
	const struct args args = ARGS(ws, at->figure, at->figure, at->id, q->q, q->q, q->owner_id,
	    q->owner_id, q->visibility, q->visibility, arg_opt(q->has.paused, q->paused),
	    arg_opt(q->has.paused, q->paused), q->folder_id != NULL, folder, q->limit + 1);

	if (*q->sort == 'v')
		return db_all(c,
		    ROWS(governed,
			"SELECT STRAIGHT_JOIN " GOVERN_COLUMNS
			" FROM artifact_storage s FORCE INDEX (artifact_storage_views)"
			" JOIN artifact a ON a.id = s.artifact_id"
			" JOIN user o ON o.id = a.owner_id" GOVERN_FOLDER
			" WHERE s.workspace_id = ?"
			" AND (s.views < ? OR (s.views = ? AND s.artifact_id < ?))" GOVERN_WHERE
			" ORDER BY s.views DESC, s.artifact_id DESC LIMIT ?"),
		    args, out);
	if (*q->sort == 's')
		return db_all(c,
		    ROWS(governed,
			"SELECT STRAIGHT_JOIN " GOVERN_COLUMNS
			" FROM artifact_storage s FORCE INDEX (artifact_storage_bytes)"
			" JOIN artifact a ON a.id = s.artifact_id"
			" JOIN user o ON o.id = a.owner_id" GOVERN_FOLDER
			" WHERE s.workspace_id = ?"
			" AND (s.bytes < ? OR (s.bytes = ? AND s.artifact_id < ?))" GOVERN_WHERE
			" ORDER BY s.bytes DESC, s.artifact_id DESC LIMIT ?"),
		    args, out);
	return db_all(c,
	    ROWS(governed,
		"SELECT STRAIGHT_JOIN " GOVERN_COLUMNS
		" FROM artifact a FORCE INDEX (artifact_touched)"
		" JOIN user o ON o.id = a.owner_id JOIN artifact_storage s ON s.artifact_id = a.id"
		GOVERN_FOLDER " WHERE a.workspace_id = ?"
		" AND (a.updated_at < ? OR (a.updated_at = ? AND a.id < ?))" GOVERN_WHERE
		" ORDER BY a.updated_at DESC, a.id DESC LIMIT ?"),
	    args, out);
}

static void
governed_set_url(struct ctx *c, struct governed *g)
{
	g->url = mem_printf(c->mem, "%s/", conf_site_origin(c->mem, c->conf, g->slug));
}

enum err
govern_list(struct ctx *c, const struct workspace *w, const struct govern_query *q,
    struct governed_list *out, const char **next)
{
	const char *folder = NULL;
	struct govern_place at;

	TRY(govern_cursor(c, q->cursor, &at));
	if (q->folder_id)
		TRY(place_named(c, w->id, "folder_id", q->folder_id, &folder));
	TRY(govern_find(c, w->id, q, folder, &at, out));
	*next = db_page(out, q->limit,
	    mem_printf(c->mem, "%lld.%s", (long long)govern_figure(q, last), last->id));
	for (size_t i = 0; i < out->n; i++)
		governed_set_url(c, &out->v[i]);
	return E_OK;
}

enum err
govern_row(struct ctx *c, const struct workspace *w, const char *id, struct governed **out)
{
	TRY(db_one(c,
	    ROWS(governed,
		"SELECT STRAIGHT_JOIN " GOVERN_COLUMNS
		" FROM artifact a JOIN user o ON o.id = a.owner_id"
		" JOIN artifact_storage s ON s.artifact_id = a.id" GOVERN_FOLDER
		" WHERE a.id = ? AND a.workspace_id = ? AND a.deleted_at IS NULL"),
	    ARGS(id, w->id), out));
	governed_set_url(c, *out);
	return E_OK;
}

/* ---- mail ---- */

#define GOVERN_TOLD(F, T) F(T, EMAIL, email)
SHAPE(govern_told, GOVERN_TOLD);

/* Mails a present or former owner about an act of the context’s actor. values has the template’s
 * fields beside workspace, by and artifact. */
static enum err
govern_mail(struct ctx *c, const struct artifact *a, const char *user_id,
    enum mail_template template, const struct mail_values *values)
{
	struct mail m = { .template = template, .values = *values };
	struct govern_told *to;

	if (!a->workspace_id || !c->actor || str_eq(c->actor->user_id, user_id) ||
	    !mail_enabled(c))
		return E_OK;
	TRY(db_find(c,
	    ROWS(govern_told,
		"SELECT u.email FROM user u"
		" WHERE u.id = ? AND u.email IS NOT NULL AND u.disabled_at IS NULL"),
	    ARGS(user_id), &to));
	if (!to)
		return E_OK;
	m.to = to->email;
	m.sender_id = c->actor->user_id;
	TRY(branding_on_mail(c, a->workspace_id, &m.values));
	m.values.by = principal_word(c->actor);
	m.values.artifact = a->name;
	return tell(c, &m);
}

static const char *
govern_link(struct ctx *c, const struct artifact *a, const char *page)
{
	return mem_printf(c->mem, "/a/%s%s", a->id, page);
}

/* ---- changes ---- */

enum err
govern_get(struct ctx *c, const struct workspace *w, const struct principal *who, const char *id,
    struct artifact **out)
{
	TRY(artifact_get(c, id, who, true, out));
	return str_eq((*out)->workspace_id, w->id) && !(*out)->deleted_at
	    ? E_OK
	    : fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

enum err
govern_pause_set(struct ctx *c, const struct artifact *a, const struct govern_pause *in)
{
	bool by_operator = a->paused && str_eq(a->paused_by, "operator");

	if (by_operator && in->paused)
		return E_OK;
	if (by_operator)
		return fail(c, E_DENIED,
		    "The operator of the service paused this artifact, "
		    "and only the operator can resume it");
	if (!a->paused && !in->paused)
		return E_OK;
	TRY(artifact_pause(c, a, "admin", in->paused, in->reason));
	/* Another reason for a pause isn’t a second pause. */
	return a->paused == in->paused
	    ? E_OK
	    : govern_mail(c, a, a->owner_id, in->paused ? MAIL_GOVERN_PAUSED : MAIL_GOVERN_RESUMED,
		  &(struct mail_values){ .message = in->paused ? in->reason : NULL,
		      .link = govern_link(c, a, "") });
}

enum err
govern_show(struct ctx *c, const struct artifact *a, const char *visibility)
{
	TRY(artifact_change(c, a,
	    &(struct artifact_edit){ .visibility = visibility, .has.visibility = GIVEN }));
	return str_eq(a->visibility, visibility)
	    ? E_OK
	    : govern_mail(c, a, a->owner_id, MAIL_GOVERN_VISIBILITY,
		  &(struct mail_values){ .what = visibility,
		      .link = govern_link(c, a, "/sharing") });
}

/* ---- another owner ---- */

/* Columns of a member `m` and their account `u`; takes the present time. */
#define MAY_INHERIT \
	"u.disabled_at IS NULL" \
	" AND (m.role <> 'agent' OR EXISTS (SELECT 1 FROM token t WHERE t.user_id = m.user_id" \
	" AND t.workspace_id = m.workspace_id AND t.revoked_at IS NULL AND t.expires_at > ?))"

enum err
govern_heirs(struct ctx *c, const struct workspace *w, const char *q, int64_t limit,
    struct ws_person_list *out)
{
	return db_all(c,
	    ROWS(ws_person,
		"SELECT m.user_id, u.name, u.email,"
		" IF(m.role = 'agent', 'agent', 'member') AS kind, NULLIF(m.role, 'agent') AS role"
		" FROM member m JOIN user u ON u.id = m.user_id"
		" WHERE m.workspace_id = ? AND (? IS NULL OR " PERSON_FITS ") AND " MAY_INHERIT
		" ORDER BY m.user_id LIMIT ?"),
	    ARGS(w->id, q, q, c->now, limit), out);
}

#define HEIR_FOUND(F, T) \
	F(T, ID,    id,    .arg = "usr_") \
	F(T, STR,   name) \
	F(T, EMAIL, email, .flags = F_NUL) \
	F(T, WORD,  kind,  .arg = SUBJECT_KINDS)
SHAPE(heir_found, HEIR_FOUND);

static const char *
heir_word(const struct heir_found *to)
{
	return *to->name ? to->name : to->email ? to->email : "an agent";
}

enum err
govern_give(struct ctx *c, const struct workspace *w, const struct artifact *a, const char *heir_id)
{
	struct heir_found *to;

	TRY(db_find(c,
	    ROWS(heir_found,
		"SELECT u.id, u.name, u.email, u.kind FROM member m JOIN user u ON u.id = m.user_id"
		" WHERE m.workspace_id = ? AND m.user_id = ? AND " MAY_INHERIT),
	    ARGS(w->id, heir_id, c->now), &to));
	if (!to)
		return fail(c, E_INVALID,
		    "new_owner_id: must be a member of the workspace whose account isn't disabled, "
		    "or an agent with an active token");
	if (str_eq(to->id, a->owner_id))
		return E_OK;
	TRY(artifact_give(c, a,
	    &(struct heir){ .id = to->id,
		.agent = str_eq(to->kind, "agent"),
		.named = mem_printf(c->mem, "new_owner_id: %s", heir_word(to)) }));
	TRY(govern_mail(c, a, a->owner_id, MAIL_GOVERN_TAKEN,
	    &(struct mail_values){ .who = heir_word(to), .link = govern_link(c, a, "") }));
	return govern_mail(c, a, to->id, MAIL_GOVERN_GIVEN,
	    &(struct mail_values){ .link = govern_link(c, a, "") });
}

/* ---- when other things change ---- */

static enum err
artifact_deleted(struct ctx *c, const struct happened *h)
{
	return govern_mail(c, h->art, h->art->owner_id, MAIL_GOVERN_DELETED,
	    &(struct mail_values){ .link = govern_link(c, h->art, "/trash") });
}

static enum err
artifact_purged(struct ctx *c, const struct happened *h)
{
	return govern_mail(c, h->art, h->art->owner_id, MAIL_GOVERN_PURGED,
	    &(struct mail_values){ .link = "/" });
}

FOLLOWS(govern, { ARTIFACT_DELETED, artifact_deleted }, { ARTIFACT_PURGED, artifact_purged });
