/* SPDX-License-Identifier: Apache-2.0 */
#include "sharing/sharee.h"

#include "base/dataurl.h"
#include "base/id.h"
#include "base/json.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/audit.h"
#include "core/branding.h"
#include "core/find.h"
#include "core/name.h"
#include "db/db.h"
#include "sharing/sharee_member.h"
#include "team/logo.h"

SHAPE_DEFINE(sharee_branding, SHAREE_BRANDING);
SHAPE_DEFINE(sharee, SHAREE);
SHAPE_DEFINE(sharee_branding_new, SHAREE_BRANDING_NEW);
SHAPE_DEFINE(sharee_new, SHAREE_NEW);
SHAPE_DEFINE(sharee_edit, SHAREE_EDIT);
SHAPE_DEFINE(sharee_query, SHAREE_QUERY);

enum { PROPERTY_CHARS = 100, PURGED_AT_ONCE = 20 };

/* ---- reading ---- */

#define SHAREE_COLUMNS \
	"s.id, s.name, s.type, COALESCE(s.properties, '{}') AS properties," \
	" s.color AS `branding.color`," \
	" (SELECT COUNT(*) FROM sharee_member m WHERE m.sharee_id = s.id) AS member_count," \
	" s.created_at, s.name_key, s.logo AS logo_name"

static void
sharee_set_logo_url(struct ctx *c, struct sharee *s)
{
	((struct sharee_branding *)s->branding)->logo = workspace_logo_url(c, s->logo_name);
}

enum err
sharee_list(struct ctx *c, const struct workspace *w, const struct sharee_query *q,
    struct sharee_list *out, const char **next)
{
	const char *part = q->q ? unicode_name_key(c->mem, q->q) : NULL;

	TRY(db_part(c,
	    ROWS(sharee,
		"SELECT " SHAREE_COLUMNS
		" FROM sharee s WHERE s.workspace_id = ?"
		" AND s.name_key > ? AND (? IS NULL OR LOCATE(?, s.name_key))"
			      " ORDER BY s.name_key LIMIT ?"),
	    ARGS(w->id, q->cursor ? q->cursor : "", part, part), q->limit, out, next,
	    last->name_key));
	for (size_t i = 0; i < out->n; i++)
		sharee_set_logo_url(c, &out->v[i]);
	return E_OK;
}

enum err
sharee_get(struct ctx *c, const struct workspace *w, const char *id, struct sharee **out)
{
	TRY(db_one(c,
	    ROWS(sharee,
		"SELECT " SHAREE_COLUMNS
		" FROM sharee s WHERE s.workspace_id = ? AND s.id = ?"), ARGS(w->id, id), out));
	sharee_set_logo_url(c, *out);
	return E_OK;
}

/* ---- checking fields ---- */

static enum err
type_check(struct ctx *c, const char *type)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

	return strchr(letters, *type) &&
		!type[strspn(type, "abcdefghijklmnopqrstuvwxyz0123456789_-")]
	    ? E_OK
	    : fail(c, E_INVALID,
		  "type: must be a word of a-z, 0-9, - and _ that begins with a letter");
}

static int
property_check(void *arg, const char *key, const struct json *value)
{
	struct ctx *c = arg;

	if (!*key || !str_plain(key) || str_chars(key) > PROPERTY_CHARS)
		return (int)fail(c, E_INVALID,
		    "properties: a name must have 1 to %d characters, "
		    "and no control characters",
		    PROPERTY_CHARS);
	if (json_kind(value) == J_OBJ || json_kind(value) == J_ARR)
		return (int)fail(c, E_INVALID,
		    "properties.%s: must be text, a number, true, false or null", key);
	return E_OK;
}

static enum err
properties_check(struct ctx *c, const char *text)
{
	struct json *all;

	TRY(json_parse(c, text, strlen(text), &all));
	if (json_len(all) > SHAREE_PROPERTIES)
		return fail(c, E_INVALID, "properties: has %zu values; the maximum is %d",
		    json_len(all), SHAREE_PROPERTIES);
	return (enum err)json_each(all, property_check, c);
}

enum err
sharee_logo_store(
    struct ctx *c, const struct sharee_branding_new *in, struct object **out)
{
	const char *bytes;
	size_t n;
	enum err e;

	*out = NULL;
	if (!in || !in->logo || !str_starts(in->logo, "data:"))
		return E_OK;
	TRY(data_url_parse(c, "branding.logo", "png|jpeg|webp", in->logo, &bytes, &n));
	if (n > SHAREE_LOGO_BYTES)
		return fail(c, E_FILE_TOO_LARGE, "branding.logo: is %s; the maximum is %s",
		    str_amount(c->mem, (int64_t)n), str_amount(c->mem, SHAREE_LOGO_BYTES));
	e = logo_keep(c, "branding.logo", bytes, n, out);
	return e == E_MEDIA_TYPE
	    ? fail(c, E_INVALID, "branding.logo: isn't a PNG, JPEG or WebP image")
	    : e;
}

/* ---- changing ---- */

enum err
audit_sharee(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const struct sharee *s, const char *before, const char *after)
{
	return audit_add(c, w->id, who,
	    &(struct audit){ .action = action,
		.type = "sharee",
		.id = s->id,
		.name = s->name,
		.before = before,
		.after = after });
}

static const char *
sharee_facts(struct ctx *c, const struct sharee *s)
{
	const struct sharee_branding *b = s->branding;

	return audit_facts(c, "name|type|properties|logo|color", s->name, s->type, s->properties,
	    b->logo, b->color);
}

/* Stores the logo; NULL removes it. */
static enum err
logo_write(struct ctx *c, const char *id, const struct object *o)
{
	return db_exec1(c,
	    EXEC("UPDATE sharee SET logo = ?, logo_sha256 = ?, logo_size = ? WHERE id = ?"),
	    ARGS(o ? logo_name(c) : NULL,
		arg_sha256(o ? o->sha256 : NULL),
		o ? arg_int(o->size) : arg_null(), id));
}

/* Merges the edit into the present values. */
static enum err
sharee_merge(struct ctx *c, const struct sharee *was, const struct sharee_edit *in,
    struct sharee *to, struct sharee_branding *look)
{
	const struct sharee_branding_new *brand = in->branding;

	*to = *was;
	*look = *(const struct sharee_branding *)was->branding;
	if (in->name)
		TRY(name_check(c, in->name, SHAREE_CHARS, &to->name, &to->name_key));
	if (in->type)
		TRY(type_check(c, to->type = in->type));
	if (in->has.properties != ABSENT)
		to->properties = in->properties;
	if (in->properties)
		TRY(properties_check(c, in->properties));
	if (in->has.branding == NULLED || (brand && brand->has.color != ABSENT))
		TRY(branding_color(
		    c, "branding.color", brand ? brand->color : NULL, &look->color));
	if (!brand || !brand->logo || str_starts(brand->logo, "data:"))
		return E_OK;
	/* The only logo that can be named is the one that the client has. */
	return str_eq(brand->logo, look->logo)
	    ? E_OK
	    : fail(c, E_INVALID,
		  "branding.logo: must be a data: URL with the image itself "
		  "(data:image/png;base64,…); addresses aren't fetched");
}

static enum err
name_refuse(struct ctx *c, const char *name)
{
	return c->err == E_CONFLICT
	    ? fail(c, E_CONFLICT, "name: the workspace already has a client called %s", name)
	    : c->err;
}

#define SHAREE_NUMBER(F, T) F(T, INT, n)
SHAPE(sharee_number, SHAREE_NUMBER);

static enum err
room_check(struct ctx *c, const struct workspace *w)
{
	struct sharee_number *row;

	TRY(db_one(c,
	    ROWS(sharee_number, "SELECT COUNT(*) AS n FROM sharee WHERE workspace_id = ?"),
	    ARGS(w->id), &row));
	if (row->n < SHAREES)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"limit\":%d}", SHAREES);
	return fail(c, E_LIMIT_REACHED,
	    "The workspace has %s clients, which is the maximum; delete some first",
	    str_number(c->mem, SHAREES));
}

enum err
sharee_add(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct sharee_new *in, const struct object *logo, const char **id)
{
	const struct sharee_edit edit = { .name = in->name,
		.type = in->type,
		.properties = in->properties,
		.branding = in->branding,
		.has = { .properties = in->has.properties, .branding = in->has.branding } };
	const struct sharee none = { .type = "client",
		.branding = &(struct sharee_branding){ 0 } };
	struct sharee_branding look;
	struct sharee to, *made;

	TRY(sharee_merge(c, &none, &edit, &to, &look));
	TRY(room_check(c, w));
	*id = id_new(c->mem, "shr_");
	if (db_exec(c,
		EXEC(
		    "INSERT INTO sharee (id, workspace_id, name, name_key, type, properties,"
		    " color, created_by, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
		ARGS(*id, w->id, to.name, to.name_key, to.type, to.properties, look.color,
		    who->user_id, c->now),
		NULL))
		return name_refuse(c, to.name);
	if (logo)
		TRY(logo_write(c, *id, logo));
	TRY(find_changed(c, FIND_CLIENT, *id));
	TRY(sharee_get(c, w, *id, &made));
	return audit_sharee(c, w, who, "sharee.created", made, NULL, sharee_facts(c, made));
}

enum err
sharee_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct sharee *s, const struct sharee_edit *in, const struct object *logo)
{
	const struct sharee_branding_new *brand = in->branding;
	bool no_logo = in->has.branding == NULLED || (brand && brand->has.logo == NULLED);
	const char *before = sharee_facts(c, s), *after;
	struct sharee_branding look;
	struct sharee to, *now;

	TRY(sharee_merge(c, s, in, &to, &look));
	if (db_exec(c,
		EXEC(
		    "UPDATE sharee SET name = ?, name_key = ?, type = ?,"
		    " properties = NULLIF(?, '{}'), color = ? WHERE id = ?"),
		ARGS(to.name, to.name_key, to.type, to.properties, look.color, s->id), NULL))
		return name_refuse(c, to.name);
	if (logo || (no_logo && s->logo_name))
		TRY(logo_write(c, s->id, logo));
	if (!str_eq(to.name, s->name) || !str_eq(to.type, s->type))
		TRY(find_changed(c, FIND_CLIENT, s->id));
	TRY(sharee_get(c, w, s->id, &now));
	after = sharee_facts(c, now);
	return str_eq(before, after)
	    ? E_OK
	    : audit_sharee(c, w, who, "sharee.changed", now, before, after);
}

enum err
sharee_delete(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct sharee *s)
{
	TRY(sharee_members_end(c, s->id, NULL));
	TRY(db_exec(c, EXEC("DELETE FROM share_grant WHERE subject_id = ?"), ARGS(s->id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM token WHERE sharee_id = ?"), ARGS(s->id), NULL));
	TRY(db_exec1(c, EXEC("DELETE FROM sharee WHERE id = ?"), ARGS(s->id)));
	TRY(follow(c, REACH_ENDED, &(struct happened){ .find_id = s->id }));
	TRY(find_changed(c, FIND_CLIENT, s->id));
	return audit_sharee(c, w, who, "sharee.deleted", s, sharee_facts(c, s), NULL);
}

/* ---- when other things change ---- */

/* Deletes the client's people and notes, too. */
static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	int64_t gone;

	TRY(db_exec(c, EXEC(FIND_LATER "SELECT ?, id FROM sharee WHERE workspace_id = ?"),
	    ARGS(FIND_CLIENT, h->workspace_id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM sharee WHERE workspace_id = ? LIMIT ?"),
	    ARGS(h->workspace_id, PURGED_AT_ONCE), &gone));
	*h->more = gone == PURGED_AT_ONCE;
	return E_OK;
}

USERS(USER_UNSET(sharee, created_by))
FOLLOWS(sharee, USERS_FOLLOW, { WORKSPACE_PURGED, workspace_purged });

/* ---- how it is found ---- */

#define SHAREE_FOUND(F, T) \
	FOUND(F, T) \
	TIER_ROW(F, T)
SHAPE(found_sharee, SHAREE_FOUND);

/* Admins of the workspace find its clients, while its plan includes sharing. */
static enum err
sharee_found(struct ctx *c, const struct find_asked *asked, struct found_list *out)
{
	struct found_sharee_list rows;

	TRY(db_all(c,
	    ROWS(found_sharee,
		"SELECT a.id AS `key`, a.id, a.name AS title,"
		" CONCAT('Client of ', wk.name) AS subtitle,"
		" CONCAT('/w/', wk.id, '/clients/', a.id) AS url, wk.id AS workspace_id,"
		" a.created_at AS updated_at, " TIER_COLUMNS("wk")
		" FROM " FIND_ASKED " STRAIGHT_JOIN sharee a ON a.id = t.id"
		MEMBER_TABLES("s.user_id") " WHERE " FIND_WITHIN("a.workspace_id")
		" AND " WORKSPACE_ROLE_COLUMN " IN ('admin', 'owner')"),
	    FIND_ARGS(asked), &rows));
	*out = (struct found_list){ mem_array(c->mem, struct found, rows.n + 1), 0 };
	for (size_t i = 0; i < rows.n; i++) {
		struct tier tier;

		tier_read(c, TIER_ROW_OF(&rows.v[i]), &tier);
		if (tier.features & 1u << FEATURE_EXTERNAL_SHARING)
			out->v[out->n++] = FOUND_OF(c, &rows.v[i]);
	}
	return E_OK;
}

FINDS(sharee, FIND_CLIENT, "people", NO_SCOPE, sharee_found,
    .text = ROWS(find_text,
	"SELECT c.id, CONCAT(c.workspace_id, '" FIND_ADMINS "') AS audiences, c.name,"
	" c.type AS text FROM " ID_TABLE " STRAIGHT_JOIN sharee c ON c.id = t.id"),
    .all = FIND_ALL("sharee"));
