/* SPDX-License-Identifier: Apache-2.0 */
#include "core/artifact.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "core/artifact_row.h"
#include "core/audit.h"
#include "core/event.h"
#include "core/find.h"
#include "core/follow.h"
#include "core/learn_want.h"
#include "core/picture_want.h"
#include "core/place.h"
#include "core/slug.h"
#include "core/spread.h"
#include "core/storage.h"
#include "core/workspace.h"
#include "db/db.h"
#include "db/ids.h"

SHAPE_DEFINE(artifact_reviewed, ARTIFACT_REVIEWED);
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

/* The text of base/visibility.def is for the owner of an artifact in no workspace. */
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

static const char *const check_words[] = { "blank", "errors", "missing", "basics" };

int64_t
check_bits(const struct strs *words)
{
	int64_t bits = 0;

	for (size_t i = 0; i < sizeof check_words / sizeof *check_words; i++)
		if (strs_have(words, check_words[i]))
			bits |= 1 << i;
	return bits;
}

/* Addresses are made from slug and id and not stored, so they are never stale. */
void
artifact_dress(struct ctx *c, struct artifact *a)
{
	const char *origin = artifact_origin(c, a);

	a->domains = strs_split(c->mem, a->domain_hosts, ' ');
	for (size_t i = 0; i < sizeof check_words / sizeof *check_words; i++)
		if (a->check_bits & 1 << i)
			strs_add(c->mem, &a->checks, check_words[i]);
	a->url = mem_printf(c->mem, "%s/", origin);
	a->mobile_url = a->has_mobile ? mem_printf(c->mem, "%s/_m/", origin) : NULL;
	if (!str_eq(a->role, "owner")) {
		a->pause_reason = NULL;
		a->has.comment_mails = NULLED;
	}
	if (a->role && a->reviewed_id) {
		struct artifact_reviewed *reviewed = mem_new(c->mem, struct artifact_reviewed);

		*reviewed = (struct artifact_reviewed){ .review_id = a->reviewed_id,
			.version_no = a->reviewed_no,
			.at = a->reviewed_at,
			.applies = a->reviewed_applies };
		a->reviewed = reviewed;
	}
	a->audience = a->role ? artifact_audience(c, a, a->visibility) : NULL;
	a->thumbnail_url = mem_printf(
	    c->mem, "%s/v1/artifacts/%s/thumbnail", c->conf->base_url, a->id);
}

/* ---- the list ---- */

/* Follows ROLE_COLUMN. Selects the rows that the caller may see and that match the query. LIST_ARGS
 * gives the arguments. */
#define LIST_WHERE \
	" IS NOT NULL AND (? IS NULL OR a.visibility = ?)" \
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
		"SELECT " ARTIFACT_COLUMNS ", " ROLE_COLUMN " AS role FROM " SUBJECT_TABLE
		" JOIN artifact a ON a.owner_id = s.user_id" ROLE_TABLES("s.user_id")
		FAVORITE_TABLE("s.user_id")
		" WHERE a.owner_id = ? AND a.id < ?"
		" AND IF(?, a.deleted_at IS NOT NULL, a.deleted_at IS NULL)"
		" AND " ROLE_COLUMN LIST_WHERE
		" ORDER BY a.id DESC LIMIT ?"),
	    ARGS(SUBJECT(who), who->user_id, LIST_BEFORE(q), q->deleted, LIST_ARGS(q), limit), out);
}

static enum err
list_shared(struct ctx *c, const struct principal *who, const struct artifact_query *q,
    int64_t limit, struct artifact_list *out)
{
	*out = (struct artifact_list){ 0 };
	/* Only its owner sees an artifact in the trash, so nothing is shared there. */
	if (q->deleted)
		return E_OK;
	return db_all(c,
	    ROWS(artifact,
		"SELECT " ARTIFACT_COLUMNS ", " ROLE_COLUMN " AS role FROM " SUBJECT_TABLE
		" JOIN collaborator co JOIN artifact a ON a.id = co.artifact_id"
		MEMBER_TABLES("s.user_id") FAVORITE_TABLE("s.user_id")
		" WHERE co.user_id = ? AND co.artifact_id < ?"
		" AND a.deleted_at IS NULL AND a.owner_id <> co.user_id"
		" AND " ROLE_COLUMN LIST_WHERE
		" ORDER BY co.artifact_id DESC LIMIT ?"),
	    ARGS(SUBJECT(who), who->user_id, LIST_BEFORE(q), LIST_ARGS(q), limit), out);
}

#define OF_WORKSPACE_WHERE \
	" WHERE a.workspace_id = ? AND a.id < ? AND a.owner_id IS NOT NULL" \
	" AND IF(?, a.deleted_at IS NOT NULL" \
	" AND (a.owner_id = s.user_id OR " GOVERNS "), a.deleted_at IS NULL)" \
	" AND (? IS NULL OR (a.owner_id = s.user_id) = (? = 'me'))"
#define LIST_OF_WORKSPACE_ARGS(w, q) \
	(w)->id, LIST_BEFORE(q), (q)->deleted, (q)->owner, (q)->owner, LIST_ARGS(q)

/* Lists a workspace's artifacts, for members who see all of them. We force the index; otherwise
 * MariaDB may scan the ids of all artifacts to find the few of a small workspace. */
static enum err
list_of_workspace(struct ctx *c, const struct principal *who, const struct workspace *w,
    const struct artifact_query *q, int64_t limit, struct artifact_list *out)
{
	const char *folder = str_eq(q->folder_id, FOLDER_TOP) ? NULL : q->folder_id;

	if (q->folder_id)
		return db_all(c,
		    ROWS(artifact,
			"SELECT " ARTIFACT_COLUMNS ", " ROLE_COLUMN " AS role FROM " SUBJECT_TABLE
			" JOIN artifact a FORCE INDEX (artifact_folder)" ROLE_TABLES("s.user_id")
			FAVORITE_TABLE("s.user_id") OF_WORKSPACE_WHERE " AND " ROLE_COLUMN
			LIST_WHERE " AND a.folder_id <=> ? ORDER BY a.id DESC LIMIT ?"),
		    ARGS(SUBJECT(who), LIST_OF_WORKSPACE_ARGS(w, q), folder, limit), out);
	return db_all(c,
	    ROWS(artifact,
		"SELECT " ARTIFACT_COLUMNS ", " ROLE_COLUMN " AS role FROM " SUBJECT_TABLE
		" JOIN artifact a FORCE INDEX (artifact_workspace)" ROLE_TABLES("s.user_id")
		FAVORITE_TABLE("s.user_id") OF_WORKSPACE_WHERE " AND " ROLE_COLUMN LIST_WHERE
		" ORDER BY a.id DESC LIMIT ?"),
	    ARGS(SUBJECT(who), LIST_OF_WORKSPACE_ARGS(w, q), limit), out);
}

/* Returns the workspace whose index leads the list. NULL for members who see only their own
 * artifacts and those shared with them: their indexes lead. */
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
artifact_touch_with(
    struct ctx *c, const char *id, const char *payload, const struct effect *how, bool closes)
{
	const char *outbox_id = id_new(c->mem, "out_"), *earlier = effect_row(c, id);

	if (earlier)
		return closes ? spread_one(c, earlier, true) : E_OK;
	effect_add(c,
	    &(struct effect){ .artifact_id = id,
		.outbox_id = outbox_id,
		.whole = how->whole,
		.rebuild_no = how->rebuild_no });
	TRY(db_exec(c,
	    EXEC(
		"BEGIN NOT ATOMIC DECLARE art " SQL_ID " DEFAULT ?; DECLARE at BIGINT DEFAULT ?;"
		" DECLARE told TEXT DEFAULT ?;"
		PROJECT_WANT
		" IF told IS NOT NULL THEN" EVENT_UPDATED("art", "told", "at")
		" END IF;" PICTURE_WANT("art", "at") SEEN_WANT("art", "at")
		LEARN_WANT("art", "at") " END"),
	    ARGS(id, c->now, payload, outbox_id), NULL));
	return spread_one(c, outbox_id, closes);
}

enum err
artifact_touch_rebuilt(struct ctx *c, const char *id, int64_t version_no)
{
	return artifact_touch_with(
	    c, id, NULL, &(struct effect){ .rebuild_no = version_no }, false);
}

enum err
artifact_touch(struct ctx *c, const char *id)
{
	return artifact_touch_with(c, id, NULL, &(struct effect){ 0 }, true);
}

enum err
artifact_touch_told(struct ctx *c, const char *id, const char *payload, bool closes)
{
	return artifact_touch_with(c, id, payload, &(struct effect){ 0 }, closes);
}

enum err
artifact_touch_whole(struct ctx *c, const char *id, const char *payload)
{
	return artifact_touch_with(c, id, payload, &(struct effect){ .whole = true }, true);
}

/* ---- changes ---- */

#define SLUG_INSERT "INSERT INTO slug (slug, owner_id, artifact_id) VALUES (?, ?, ?)"
#define ARTIFACT_INSERT \
	"INSERT INTO artifact (slug, owner_id, id, workspace_id, folder_id, by_agent, name," \
	" visibility, last_no, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)"
#define ARTIFACT_ARGS(c, who, a) \
	(a)->slug, (a)->owner_id, (a)->id, (a)->workspace_id, (a)->folder_id, \
	    str_eq((who)->kind, "agent"), (a)->name, (a)->visibility, (c)->now, (c)->now

/* Both rows are one statement unless the slug has one, as released slugs do. */
enum err
artifact_insert(struct ctx *c, const struct principal *who, struct artifact *a)
{
	const bool open = str_eq(a->visibility, "public");
	const char *given = a->slug;
	enum err e = E_CONFLICT;

	if (!given)
		a->slug = slug_from_name_once(c->mem, a->name, open);
	if (a->slug)
		e = db_exec(c,
		    EXEC("BEGIN NOT ATOMIC " SLUG_INSERT "; " ARTIFACT_INSERT "; END"),
		    ARGS(a->slug, a->owner_id, a->id, ARTIFACT_ARGS(c, who, a)), NULL);
	if (e != E_CONFLICT)
		return e;
	TRY(given ? slug_take_by(c, given, who->user_id, a->owner_id, a->id)
		  : slug_make(c, a->name, open, a->owner_id, a->id, &a->slug));
	return db_exec(c, EXEC(ARTIFACT_INSERT), ARGS(ARTIFACT_ARGS(c, who, a)), NULL);
}

static struct arg
text_given(uint8_t has, const char *text)
{
	return has == GIVEN ? arg_str(text) : arg_null();
}

/* True if the edit changes the page, which comments are not part of. */
static bool
edit_is_seen(const struct artifact_edit *in)
{
	return in->has.name || in->has.slug || in->has.visibility || in->has.social_title ||
	    in->has.social_description || in->has.social_image_url;
}

/* True if the edit changes words that search indexes. */
static bool
words_change(const struct artifact *a, const struct artifact_edit *in)
{
	return (in->name && !str_eq(in->name, a->name)) ||
	    (in->slug && !str_eq(in->slug, a->slug)) || in->has.social_title ||
	    in->has.social_description;
}

/* True if the edit may close an address. */
static bool
edit_closes(const struct artifact *a, const struct artifact_edit *in)
{
	return !str_eq(a->visibility, "private") &&
	    ((in->slug && !str_eq(in->slug, a->slug)) ||
		(in->visibility && !str_eq(in->visibility, a->visibility)));
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
		" comments_open), comments_from = COALESCE(?, comments_from),"
		" comment_mails = COALESCE(?, comment_mails), checks = COALESCE(?, checks),"
		" updated_at = ?"
		" WHERE id = ? AND owner_id = ?"),
	    ARGS(in->name, in->slug, in->visibility, in->has.social_title != ABSENT,
		text_given(in->has.social_title, in->social_title),
		in->has.social_description != ABSENT,
		text_given(in->has.social_description, in->social_description),
		in->has.social_image_url != ABSENT,
		text_given(in->has.social_image_url, in->social_image_url),
		arg_opt(in->has.comments_open, in->comments_open), in->comments_from,
		arg_opt(in->has.comment_mails, in->comment_mails),
		arg_opt(in->has.checks, check_bits(&in->checks)), c->now, a->id, a->owner_id)));
	if (in->visibility && !str_eq(in->visibility, "private"))
		TRY(db_exec(c,
		    EXEC(
			"UPDATE version SET is_open = TRUE"
			" WHERE artifact_id = ? AND version_no = ?"),
		    ARGS(a->id, a->version_no), NULL));
	TRY(audit_visibility(c, a, in->visibility));
	if (in->has.checks && check_bits(&in->checks) != a->check_bits)
		TRY(audit_artifact(c, a, "artifact.checks_changed", NULL,
		    audit_facts(c, "checks", strs_join(c->mem, &in->checks, ", "))));
	if (words_change(a, in))
		TRY(find_changed(c, FIND_ARTIFACT, a->id));
	return artifact_touch_told(c, a->id,
	    edit_is_seen(in) ? EVENT_PAYLOAD_UPDATED("settings") : NULL, edit_closes(a, in));
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
		TRY(find_changed(c, FIND_ARTIFACT, a->id));
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
	TRY(follow(c, FINDERS_CHANGE, &(struct happened){ .artifact_id = a->id }));
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
	return artifact_touch_told(c, a->id, NULL, paused);
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
	TRY(find_changed(c, FIND_ARTIFACT, a->id));
	return artifact_touch_told(c, a->id, EVENT_PAYLOAD_UPDATED("restored"), false);
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

/* Returns a long text as its length, because an audit row has no room for it. */
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

/* ---- when other things change ---- */

static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	/* Includes artifacts on which they collaborate: collaborators are merged after this. */
	TRY(follow(c, FINDERS_CHANGE, &(struct happened){ .user_id = h->from_id }));
	/* People who know the artifact by its owner's address keep seeing that address. */
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
	/* Former slugs of the account become free. */
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

/* A single artifact is indexed with the reply; the runner indexes many. */
static enum err
finders_change(struct ctx *c, const struct happened *h)
{
	return h->artifact_id
	    ? find_changed(c, FIND_ARTIFACT, h->artifact_id)
	    : db_exec(c, EXEC(FIND_LATER "SELECT ?, a.id" FIND_HAPPENED),
		  ARGS(FIND_ARTIFACT, FIND_HAPPENED_ARGS(h)), NULL);
}

FOLLOWS(artifact, { USER_MERGED, user_merged }, { USER_DELETED, user_deleted },
    { WORKSPACE_PURGED, workspace_purged }, { FINDERS_CHANGE, finders_change });
PURGES(artifact, ROWS_OF(favorite));

/* ---- search ---- */

/* The subtitle is the place, for members of its workspace and the owner. */
static enum err
artifact_found(struct ctx *c, const struct find_asked *asked, struct found_list *out)
{
	return find_rows(c,
	    ROWS(found,
		"SELECT a.id AS `key`, a.id, a.name AS title,"
		" CONCAT_WS(' · ', CASE WHEN wm.role IS NOT NULL"
		" THEN CONCAT_WS(' / ', wk.name, IF(d.parent_id IS NULL, NULL, '…'), d.name)"
		" WHEN a.owner_id = s.user_id THEN 'Your own' ELSE 'Shared with you' END,"
		" CASE WHEN wm.role IS NULL THEN NULL WHEN a.owner_id = s.user_id THEN 'yours'"
		" ELSE COALESCE(NULLIF(u.name, ''), u.email) END) AS subtitle,"
		" CONCAT('/a/', a.id) AS url, a.workspace_id,"
		" a.owner_id = s.user_id OR f.user_id IS NOT NULL AS own, a.updated_at"
		" FROM " FIND_ASKED " STRAIGHT_JOIN artifact a ON a.id = t.id"
		ROLE_TABLES("s.user_id") FAVORITE_TABLE("s.user_id")
		" LEFT JOIN user u ON u.id = a.owner_id"
		" LEFT JOIN folder d ON d.id = a.folder_id AND wm.role IS NOT NULL"
		" WHERE " FIND_ARTIFACT_SHOWN " AND " ROLE_COLUMN " IS NOT NULL"),
	    asked, out);
}

FINDS(artifact, FIND_ARTIFACT, "pages", ARTIFACTS_READ, artifact_found,
    .text = ROWS(find_text,
	"SELECT a.id, " FIND_ARTIFACT_AUDIENCES " AS audiences, a.name, a.slug AS also,"
	" NULLIF(CONCAT_WS(' ', a.social_title, a.social_description), '') AS text,"
	" p.body AS page FROM " ID_TABLE " STRAIGHT_JOIN artifact a ON a.id = t.id"
	" LEFT JOIN page_text p ON p.artifact_id = a.id AND a.live_no IS NOT NULL"
	" WHERE a.deleted_at IS NULL AND a.owner_id IS NOT NULL"),
    .all = FIND_ALL("artifact"),
    .page = ROWS(find_page,
	"SELECT a.id, p.body AS page FROM " ID_TABLE " STRAIGHT_JOIN artifact a ON a.id = t.id"
	" STRAIGHT_JOIN page_text p ON p.artifact_id = a.id AND p.version_no = a.live_no"));
