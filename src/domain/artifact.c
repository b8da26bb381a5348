/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/artifact.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "domain/slug.h"

SHAPE_DEFINE(artifact, ARTIFACT);
SHAPE_DEFINE(artifact_edit, ARTIFACT_EDIT);
SHAPE_DEFINE(artifact_query, ARTIFACT_QUERY);
SHAPE_DEFINE(page_query, PAGE_QUERY);
SHAPE_DEFINE(favorite, FAVORITE);

/* The addresses are derived, so they are never stale. */
static void
artifact_dress(struct ctx *c, struct artifact *a)
{
	const char *origin = conf_site_origin(c->mem, c->conf, a->slug);

	a->url = mem_printf(c->mem, "%s/", origin);
	a->mobile_url = a->has_mobile ? mem_printf(c->mem, "%s/_m/", origin) : NULL;
	a->thumbnail_url = mem_printf(
	    c->mem, "%s/v1/artifacts/%s/thumbnail", c->conf->base_url, a->id);
}

/* p names the object of the row that the columns go to; user is the SQL of who looks. */
#define ARTIFACT_COLUMNS(p, user) \
	"a.id AS `" p "id`, a.name AS `" p "name`, a.slug AS `" p "slug`, a.visibility AS `" p "visibility`, a.owner_id AS `" p "owner_id`," \
	" a.last_no AS `" p "last_no`, a.live_no AS `" p "version_no`, a.paused_at IS NOT NULL AS `" p "paused`," \
	" a.created_at AS `" p "created_at`, a.updated_at AS `" p "updated_at`, a.deleted_at AS `" p "deleted_at`," \
	" a.social_title AS `" p "social_title`, a.social_description AS `" p "social_description`," \
	" a.social_image_url AS `" p "social_image_url`, a.live_mobile AS `" p "has_mobile`," \
	" f.user_id IS NOT NULL AS `" p "is_favorite`, CASE WHEN a.owner_id = " user " THEN 'owner' ELSE co.role END AS `" p "role`"
#define ARTIFACT_TABLES(user) \
	" LEFT JOIN collaborator co ON co.artifact_id = a.id AND co.user_id = " user \
	" LEFT JOIN favorite f ON f.artifact_id = a.id AND f.user_id = " user

enum err
artifact_get(
    struct ctx *c, const char *id, const char *user, bool for_update, struct artifact **out)
{
	struct stmt *read = ROWS(artifact,
	    "SELECT " ARTIFACT_COLUMNS("", "?") " FROM artifact a" ARTIFACT_TABLES(
		"?") " WHERE a.id = ?");

	if (for_update)
		TRY(db_exec1(
		    c, EXEC("UPDATE artifact SET updated_at = updated_at WHERE id = ?"), ARGS(id)));
	TRY(db_one(c, read, ARGS(user, user, user, id), out));
	artifact_dress(c, *out);
	return E_OK;
}

#define SEEN(F, T) \
	F(T, OBJ, who, .sub = &principal_shape) \
	F(T, OBJ, art, .sub = &artifact_shape)
SHAPE_DECLARE(seen, SEEN);
SHAPE_DEFINE(seen, SEEN);

enum err
artifact_get_by_token(struct ctx *c, const char *id, const char *bearer, struct principal **who,
    struct artifact **out)
{
	struct bytes digest;
	struct seen *row;

	*out = NULL;
	TRY(token_digest(c, bearer, &digest));
	TRY(db_find(c,
	    ROWS(seen,
		"SELECT " PRINCIPAL_COLUMNS("who.") ", " ARTIFACT_COLUMNS(
		    "art.", "t.user_id") " FROM " PRINCIPAL_TABLES
					 " LEFT JOIN artifact a ON a.id = ?" ARTIFACT_TABLES(
					     "t.user_id") " WHERE t.hash = ?"),
	    ARGS(id, digest), &row));
	TRY(principal_check(c, row ? row->who : NULL));
	*who = row->who;
	*out = row->art;
	if (!(*out)->id)
		*out = NULL;
	else
		artifact_dress(c, *out);
	return E_OK;
}

enum err
artifact_find_by_slug(struct ctx *c, const char *slug, const char *user, struct artifact **out)
{
	TRY(db_find(c,
	    ROWS(artifact,
		"SELECT " ARTIFACT_COLUMNS("", "?") " FROM slug s JOIN artifact a ON a.id = s.artifact_id" ARTIFACT_TABLES(
		    "?") " WHERE s.slug = ? AND a.deleted_at IS NULL"),
	    ARGS(user, user, user, slug), out));
	if (*out)
		artifact_dress(c, *out);
	return E_OK;
}

enum err
artifact_list(struct ctx *c, const char *user, const struct artifact_query *q, struct list *out,
    const char **next)
{
	int64_t limit = q->limit > PAGE_MAX ? PAGE_MAX : q->limit;
	struct artifact *rows;

	if (q->cursor && !id_valid(q->cursor, "art_"))
		return fail(c, E_INVALID, "cursor: is not one that a list returned");
	TRY(db_all(c,
	    ROWS(artifact,
		"SELECT " ARTIFACT_COLUMNS("", "u.id") " FROM (SELECT ? AS id) u JOIN artifact a" ARTIFACT_TABLES(
		    "u.id") " WHERE (a.owner_id = u.id OR co.user_id IS NOT NULL)"
			    " AND (? IS NULL OR (? = 'me') = (a.owner_id = u.id)) AND (? IS NULL OR a.visibility = ?) AND (? IS NULL OR a.slug = ?)"
			    " AND (? IS NULL OR LOCATE(LOWER(?), LOWER(CONCAT(a.name, ' ', a.slug)))) AND (NOT ? OR f.user_id IS NOT NULL)"
			    " AND IF(?, a.deleted_at IS NOT NULL AND a.owner_id = u.id, a.deleted_at IS NULL)"
			    " AND (? IS NULL OR a.id < ?) ORDER BY a.id DESC LIMIT ?"),
	    ARGS(user, q->owner, q->owner, q->visibility, q->visibility, q->slug, q->slug, q->q,
		q->q, q->favorite, q->deleted, q->cursor, q->cursor, limit + 1),
	    out));
	rows = out->v;
	*next = NULL;
	if ((int64_t)out->n > limit) {
		out->n = (size_t)limit;
		*next = rows[limit - 1].id;
	}
	for (size_t i = 0; i < out->n; i++)
		artifact_dress(c, &rows[i]);
	return E_OK;
}

enum err
artifact_show(struct ctx *c, const char *id, int64_t no)
{
	return db_exec1(c,
	    EXEC(
		"UPDATE artifact a JOIN version v ON v.artifact_id = a.id SET a.live_no = v.version_no,"
		" a.live_mobile = v.mobile_sha256 IS NOT NULL, a.updated_at = ? WHERE a.id = ? AND v.version_no = ? AND a.deleted_at IS NULL"),
	    ARGS(c->now, id, no));
}

enum err
artifact_touch(struct ctx *c, const char *id)
{
	const char *outbox_id = id_new(c->mem, "out_");

	if (!effect_add(c, id, outbox_id))
		return E_OK;
	return db_exec(c,
	    EXEC("INSERT INTO outbox (id, kind, subject, due_at) VALUES (?, 'project', ?, ?)"),
	    ARGS(outbox_id, id, c->now), NULL);
}

/* ---- slugs ---- */

enum err
slug_take(struct ctx *c, const char *slug, const char *owner, const char *artifact)
{
	int64_t changed;

	if (db_exec(c, EXEC("INSERT INTO slug (slug, owner_id, artifact_id) VALUES (?, ?, ?)"),
		ARGS(slug, owner, artifact), NULL) == E_OK)
		return E_OK;
	if (c->err != E_CONFLICT)
		return c->err;
	/* Its owner may take a released one again; everybody else only when it has rested for
	 * trash_days. */
	TRY(db_exec(c, EXEC("UPDATE slug SET owner_id = ?, artifact_id = ?, released_at = NULL"
	    " WHERE slug = ? AND released_at IS NOT NULL AND (owner_id = ? OR released_at <= ?)"),
	    ARGS(owner, artifact, slug, owner, c->now - c->conf->trash_days * 86400), &changed));
	return changed
	    ? E_OK
	    : fail(c, E_SLUG_TAKEN,
		  "slug: %s is already taken; choose another, or leave it out to have one made",
		  slug);
}

static enum err
slug_release(struct ctx *c, const struct artifact *a)
{
	return db_exec(c,
	    EXEC(
		"UPDATE slug SET released_at = ? WHERE slug = ? AND artifact_id = ? AND released_at IS NULL"),
	    ARGS(c->now, a->slug, a->id), NULL);
}

/* ---- changes ---- */

static struct arg
text_or_keep(uint8_t has, const char *text)
{
	return has == GIVEN ? arg_str(text) : arg_null();
}

enum err
artifact_change(struct ctx *c, const struct artifact *a, const struct artifact_edit *in)
{
	if (in->has.slug && !str_eq(in->slug, a->slug)) {
		TRY(slug_check(c, in->slug));
		TRY(slug_release(c, a));
		TRY(slug_take(c, in->slug, a->owner_id, a->id));
	}
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE artifact SET name = COALESCE(?, name), slug = COALESCE(?, slug), visibility = COALESCE(?, visibility),"
		" social_title = IF(?, ?, social_title), social_description = IF(?, ?, social_description),"
		" social_image_url = IF(?, ?, social_image_url), updated_at = ? WHERE id = ? AND owner_id = ?"),
	    ARGS(in->name, in->slug, in->visibility, in->has.social_title != ABSENT,
		text_or_keep(in->has.social_title, in->social_title),
		in->has.social_description != ABSENT,
		text_or_keep(in->has.social_description, in->social_description),
		in->has.social_image_url != ABSENT,
		text_or_keep(in->has.social_image_url, in->social_image_url), c->now, a->id,
		a->owner_id)));
	return artifact_touch(c, a->id);
}

enum err
artifact_delete(struct ctx *c, const struct artifact *a)
{
	TRY(slug_release(c, a));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE artifact SET deleted_at = ?, updated_at = ? WHERE id = ? AND owner_id = ? AND deleted_at IS NULL"),
	    ARGS(c->now, c->now, a->id, a->owner_id), NULL));
	return artifact_touch(c, a->id);
}

enum err
artifact_purge(struct ctx *c, const struct artifact *a)
{
	TRY(slug_release(c, a));
	TRY(db_exec(c, EXEC("DELETE FROM artifact WHERE id = ? AND owner_id = ?"),
	    ARGS(a->id, a->owner_id), NULL));
	return artifact_touch(c, a->id);
}

enum err
artifact_restore(struct ctx *c, const struct artifact *a)
{
	if (!a->deleted_at)
		return fail(c, E_CONFLICT, "The artifact is not deleted");
	TRY(slug_take(c, a->slug, a->owner_id, a->id));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE artifact SET deleted_at = NULL, updated_at = ? WHERE id = ? AND owner_id = ?"),
	    ARGS(c->now, a->id, a->owner_id)));
	return artifact_touch(c, a->id);
}

enum err
artifact_favor(struct ctx *c, const struct artifact *a, const char *user, bool on)
{
	if (on)
		return db_exec(c,
		    EXEC(
			"INSERT IGNORE INTO favorite (user_id, artifact_id, created_at) VALUES (?, ?, ?)"),
		    ARGS(user, a->id, c->now), NULL);
	return db_exec(c, EXEC("DELETE FROM favorite WHERE user_id = ? AND artifact_id = ?"),
	    ARGS(user, a->id), NULL);
}
