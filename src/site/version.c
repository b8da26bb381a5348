/* SPDX-License-Identifier: Apache-2.0 */
#include "site/version.h"

#include "base/conf.h"
#include "base/crypto.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/audit.h"
#include "core/declare.h"
#include "core/event.h"
#include "core/find.h"
#include "core/slug.h"
#include "data/policy.h"
#include "db/db.h"
#include "import/import.h"
#include "site/digest.h"
#include "site/reviewing.h"
#include "store/archive.h"
#include "store/object.h"

SHAPE_DEFINE(version_checks, VERSION_CHECKS);
SHAPE_DEFINE(version, VERSION);
SHAPE_DEFINE(version_file, VERSION_FILE);
SHAPE_DEFINE(version_edit, VERSION_EDIT);
SHAPE_DEFINE(files_query, FILES_QUERY);

#define VERSION_COLUMNS \
	"v.id, v.version_no, v.created_at, v.created_by, v.message, v.entrypoint, v.file_count," \
	" v.size_bytes, v.approved, v.agent_name, v.check_state, v.check_why," \
	" (SELECT COALESCE(NULLIF(vu.name, ''), vu.email) FROM user vu" \
	" WHERE vu.id = v.created_by) AS author, " VERSION_NEXT ", " VERSION_AGENT "," \
	" v.is_open OR v.version_no <=> a.live_no AS is_open, COALESCE(v.version_no = a.live_no," \
	" 0) AS is_live, COALESCE(v.version_no = a.pinned_no, 0) AS is_pinned," \
	" v.first_live_at IS NULL AND NOT v.version_no <=> a.live_no AS is_draft"

bool
version_sees_declared(const struct artifact *a)
{
	return a->can_edit || role_rank(a->role) >= ROLE_EDITOR;
}

static bool
may_see_all(const struct artifact *a)
{
	return a->role != NULL;
}

const char *
version_newest(struct ctx *c, const struct artifact *a)
{
	if (may_see_all(a))
		return mem_printf(
		    c->mem, "; the newest is version %lld", (long long)a->last_no);
	return a->version_no
	    ? mem_printf(c->mem, "; version %lld is live", (long long)a->version_no)
	    : "";
}

const char *
version_address(struct ctx *c, const char *slug, int64_t no)
{
	const char *label = slug_of_version(c->mem, slug, no);

	return label ? mem_printf(c->mem, "%s/", conf_site_origin(c->mem, c->conf, label)) : NULL;
}

struct strs
version_changes(struct ctx *c, const char **next)
{
	char *rest = mem_strdup(c->mem, *next ? *next : ""), *word;
	struct strs all = { mem_array(c->mem, const char *, VERSION_NEXT_MOST), 0 };
	struct buf words = BUF(c->mem);

	while ((word = str_split(&rest, ',')) && *word) {
		buf_fmt(&words, "%s%s", all.n ? ", " : "",
		    str_eq(word, "name")                ? "its name"
			: str_eq(word, "access_policy") ? "who can read and write its data"
			: str_eq(word, DECLARE_FILE)    ? "what " DECLARE_FILE " says of its data"
							: "its chat agent");
		all.v[all.n++] = word;
	}
	*next = all.n ? buf_done(&words) : NULL;
	return all;
}

static void
version_fill(struct ctx *c, const struct artifact *a, struct version *v)
{
	v->url = version_address(c, a->slug, v->version_no);
	v->changes = version_changes(c, &v->next);
	if (v->check_state && may_see_all(a)) {
		struct version_checks *checks = v->checks = mem_new(c->mem, struct version_checks);

		checks->state = v->check_state;
		checks->why = v->check_why;
	}
	if (!may_see_all(a))
		v->author = v->agent_name = NULL;
}

enum err
version_list(struct ctx *c, const struct artifact *a, const struct page_query *q, struct list *out,
    const char **next)
{
	int64_t before = INT32_MAX;
	struct version *rows;

	if (q->cursor && !str_int(q->cursor, &before))
		return fail_cursor(c);
	TRY(db_part(c,
	    ROWS(version,
		"SELECT " VERSION_COLUMNS " FROM version v JOIN artifact a ON a.id = v.artifact_id"
		" WHERE v.artifact_id = ? AND v.version_no < ? AND (? OR v.version_no = a.live_no)"
		" ORDER BY v.version_no DESC LIMIT ?"),
	    ARGS(a->id, before, may_see_all(a)), q->limit, out, next,
	    mem_printf(c->mem, "%lld", (long long)last->version_no)));
	rows = out->v;
	for (size_t i = 0; i < out->n; i++)
		version_fill(c, a, &rows[i]);
	return E_OK;
}

enum err
version_get(struct ctx *c, const struct artifact *a, int64_t no, struct version **out)
{
	bool may = may_see_all(a);

	/* A person whom a review asks by a grant also sees the version that it is about. */
	if (!may && a->can_comment && a->review_id && c->actor && no != a->version_no)
		TRY(reviewing_asks(c, a->id, no, c->actor->user_id, &may));
	TRY(db_find(c,
	    ROWS(version,
		"SELECT " VERSION_COLUMNS " FROM version v JOIN artifact a ON a.id = v.artifact_id"
		" WHERE v.artifact_id = ? AND v.version_no = ?"
		" AND (? OR v.version_no = a.live_no)"),
	    ARGS(a->id, no, may), out));
	if (!*out)
		return fail(c, E_NOT_FOUND,
		    "There is no version %lld, or you don't have access to it%s",
		    (long long)no, version_newest(c, a));
	version_fill(c, a, *out);
	return E_OK;
}

enum err
version_is_open(struct ctx *c, const struct artifact *a, int64_t no, bool *yes)
{
	struct version *v;

	TRY(db_find(c,
	    ROWS(version,
		"SELECT v.version_no FROM version v"
		" WHERE v.artifact_id = ? AND v.version_no = ? AND v.is_open"),
	    ARGS(a->id, no), &v));
	*yes = v != NULL;
	return E_OK;
}

enum err
version_pick(struct ctx *c, const struct artifact *a, int64_t no, struct version **out)
{
	if (!no && !a->version_no)
		return fail(c, E_NOT_FOUND, "version: there are only drafts; specify one");
	return version_get(c, a, no ? no : a->version_no, out);
}

enum err
version_draft(struct ctx *c, const char *artifact_id, int64_t no, const char *name,
    const char *policy, const char *agent, const char *app)
{
	return name || policy || agent || app
	    ? db_exec1(c,
		  EXEC(
		      "UPDATE version SET next_name = ?, next_policy = ?, next_agent = ?,"
		      " next_app = ? WHERE artifact_id = ? AND version_no = ?"),
		  ARGS(name, policy, agent, app, artifact_id, no))
	    : E_OK;
}

#define DRAFTED(F, T) \
	F(T, STR, next_name) \
	F(T, STR, next_policy) \
	F(T, STR, next_agent) \
	F(T, STR, next_app) \
	F(T, STR, access_policy)
SHAPE(drafted, DRAFTED);

/* The replies that make a version live have no plan, so drift is a warning. */
static enum err
app_apply(struct ctx *c, const struct artifact *a, const char *text)
{
	struct declaring d = { .c = c, .who = c->actor };

	if (c->actor && !principal_has_scope(c->actor, DATA_WRITE))
		return fail(c, E_SCOPE,
		    DECLARE_FILE ": this token lacks the scope %s, which the version requires",
		    scope_name(DATA_WRITE));
	TRY(declare_apply(&d, a, text));
	for (size_t i = 0; i < d.plan.n; i++)
		if (str_eq(d.plan.v[i].action, "drift"))
			warn(c, DECLARE_FILE ": %s was changed by hand and stays so",
			    d.plan.v[i].what);
	return E_OK;
}

static enum err
drafted_apply(struct ctx *c, const struct artifact *a, int64_t no)
{
	struct drafted *d;

	TRY(db_find(c,
	    ROWS(drafted,
		"SELECT v.next_name, v.next_policy, v.next_agent, v.next_app, a.access_policy"
		" FROM version v JOIN artifact a ON a.id = v.artifact_id"
		" WHERE v.artifact_id = ? AND v.version_no = ?"
		" AND COALESCE(v.next_name, v.next_policy, v.next_agent, v.next_app) IS NOT NULL"),
	    ARGS(a->id, no), &d));
	if (!d)
		return E_OK;
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE artifact SET name = COALESCE(?, name), access_policy = IF(?, NULLIF(?, ''),"
		" access_policy), agent = IF(?, NULLIF(?, ''), agent) WHERE id = ?"),
	    ARGS(d->next_name, d->next_policy != NULL, d->next_policy, d->next_agent != NULL,
		d->next_agent, a->id)));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE version SET next_name = NULL, next_policy = NULL, next_agent = NULL,"
		" next_app = NULL WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(a->id, no)));
	if (d->next_name)
		TRY(find_changed(c, FIND_ARTIFACT, a->id));
	if (d->next_policy)
		TRY(policy_changed(c, a, d->access_policy, d->next_policy, NULL));
	return d->next_app ? app_apply(c, a, d->next_app) : E_OK;
}

enum err
version_show(struct ctx *c, const struct artifact *a, int64_t no)
{
	const char *digest;

	if (a->pinned_version && no != a->pinned_version)
		return fail(c, E_CONFLICT,
		    "version_no: version %lld is pinned, so no other can go live; its owner can "
		    "end that with PATCH /v1/artifacts/%s {\"pinned_version\": null}",
		    (long long)a->pinned_version, a->id);
	if (a->reviewed_id)
		TRY(digest_get(c, a->id, no, &digest));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE artifact a JOIN version v ON v.artifact_id = a.id"
		" SET a.live_no = v.version_no,"
		" v.first_live_at = COALESCE(v.first_live_at, ?), v.is_open = v.is_open"
		" OR a.visibility <> 'private', a.live_mobile = v.mobile_sha256 IS NOT NULL,"
		" a.reviewed_live = IF(a.reviewed_digest = v.digest, v.version_no,"
		" a.reviewed_live),"
		" a.updated_at = ? WHERE a.id = ? AND v.version_no = ? AND a.deleted_at IS NULL"),
	    ARGS(c->now, c->now, a->id, no)));
	TRY(follow(c, VERSION_LIVE, &(struct happened){ .art = a, .version_no = no }));
	return drafted_apply(c, a, no);
}

enum err
version_restore(struct ctx *c, const struct artifact *a, int64_t no)
{
	struct version *v;

	TRY(version_get(c, a, no, &v));
	if (v->is_live)
		return E_OK;
	if (a->paused)
		return fail(c, E_PAUSED,
		    "The artifact is paused; "
		    "its live version can't be changed until the pause ends");
	TRY(ceiling_check(c, c->actor, a->visibility, "version_no",
	    mem_printf(c->mem, "/a/%s/versions", a->id)));
	if (a->needs_approval && !str_eq(a->visibility, "private") && !v->approved)
		return fail(c, E_APPROVAL_REQUIRED,
		    "The workspace must approve version %lld before it can go live; "
		    "to request approval, use POST /v1/artifacts/%s/publish-approval",
		    (long long)no, a->id);
	TRY(version_show(c, a, no));
	/* The address of the version that was live before may close now. */
	return artifact_touch_whole(c, a->id, EVENT_PAYLOAD_UPDATED("version"));
}

static enum err
version_check_open(struct ctx *c, const struct artifact *a, const struct version *v, bool open)
{
	long long no = v->version_no;

	if (v->is_live)
		return fail(c, E_CONFLICT,
		    "is_open: version %lld is live, so it is as open as the artifact; "
		    "make another version live first",
		    no);
	if (v->is_draft)
		return fail(c, E_CONFLICT,
		    "is_open: version %lld is a draft; make it live to open it", no);
	if (a->paused)
		return fail(c, E_PAUSED,
		    "The artifact is paused; no version of it can be opened until the pause ends");
	if (open)
		TRY(ceiling_check(c, c->actor,
		    str_eq(a->visibility, "private") ? "unlisted" : a->visibility, "is_open",
		    mem_printf(c->mem, "/a/%s/versions", a->id)));
	if (open && a->needs_approval && !v->approved)
		return fail(c, E_APPROVAL_REQUIRED,
		    "is_open: the workspace never approved version %lld; "
		    "publish its files as a new version and request approval of that",
		    no);
	return E_OK;
}

enum err
version_change(struct ctx *c, const struct artifact *a, int64_t no, const struct version_edit *in)
{
	struct version *v;

	TRY(version_get(c, a, no, &v));
	if (v->is_open == in->is_open)
		return E_OK;
	TRY(version_check_open(c, a, v, in->is_open));
	TRY(db_exec1(c,
	    EXEC("UPDATE version SET is_open = ? WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(in->is_open, a->id, no)));
	TRY(audit_artifact(c, a,
	    in->is_open ? "artifact.version_opened" : "artifact.version_closed", NULL,
	    audit_facts(c, "version_no", no)));
	return artifact_touch_whole(c, a->id, NULL);
}

const char *
version_file_url(struct ctx *c, const struct artifact *a, const struct version *v, const char *path)
{
	struct buf b = BUF(c->mem);

	if (!v->is_live && !v->url)
		return NULL;
	buf_str(&b,
	    v->is_live ? mem_printf(c->mem, "%s/", artifact_origin(c, a))
		       : v->url);
	buf_url(&b, path);
	return buf_done(&b);
}

enum err
version_files(struct ctx *c, const struct artifact *a, const struct files_query *q,
    struct list *out, const char **next)
{
	char *after = mem_strdup(c->mem, q->cursor ? q->cursor : "");
	struct version_file *rows;
	struct buf b = BUF(c->mem);
	struct version *v;

	if (!str_unescape(after, false))
		return fail_cursor(c);
	TRY(version_pick(c, a, q->version, &v));
	TRY(db_part(c, ROWS(version_file, "SELECT path, size_bytes, sha256, mime FROM version_file"
	    " WHERE artifact_id = ? AND version_no = ? AND path > ?" FILE_SHOWN
	    " ORDER BY path LIMIT ?"),
	    ARGS(a->id, v->version_no, after, version_sees_declared(a)), q->limit, out, next,
	    (buf_url(&b, last->path), buf_done(&b))));
	rows = out->v;
	for (size_t i = 0; i < out->n; i++)
		rows[i].url = version_file_url(c, a, v, rows[i].path);
	return E_OK;
}

enum err
version_file_of(struct ctx *c, const struct artifact *a, const struct version *v, const char *path,
    struct version_file **out)
{
	path = unicode_composed(c->mem, path);
	TRY(db_find(c, ROWS(version_file, "SELECT path, size_bytes, sha256, mime FROM version_file"
	    " WHERE artifact_id = ? AND version_no = ? AND path = ?" FILE_SHOWN),
	    ARGS(a->id, v->version_no, path, version_sees_declared(a)), out));
	if (!*out)
		return fail(c, E_NOT_FOUND,
		    "There is no file %s in version %lld, or you don't have access to it",
		    str_one_line(c->mem, path), (long long)v->version_no);
	(*out)->url = version_file_url(c, a, v, path);
	return E_OK;
}

enum err
version_file_get(struct ctx *c, const struct artifact *a, int64_t no, const char *path,
    struct version_file **out)
{
	struct version *v;

	TRY(version_pick(c, a, no, &v));
	return version_file_of(c, a, v, path, out);
}

enum err
import_file_find(
    struct ctx *c, const struct artifact *a, const struct import_file *in, struct object *out)
{
	struct version_file *f;

	TRY(version_file_get(c, a, in->version, in->path, &f));
	out->size = f->size_bytes;
	return crypto_unhex(f->sha256, out->sha256, sizeof out->sha256)
	    ? E_OK
	    : fail_here(c, "%s is not a digest", f->sha256);
}

static enum err
export_file(struct ctx *c, struct archive_out *zip, const struct version_file *f)
{
	uint8_t sha256[SHA256_BYTES];
	int64_t size;
	int fd;

	if (!crypto_unhex(f->sha256, sha256, sizeof sha256))
		return fail_here(c, "digest of %s", f->path);
	TRY(object_open(c, sha256, &fd, &size));
	return archive_add_fd(zip, f->path, fd, size);
}

/* Each file is read into memory of its own, because a version may have more files than a process
 * can have descriptors. */
static enum err
export_file_alone(struct ctx *c, struct archive_out *zip, const struct version_file *f)
{
	struct ctx one = *c;
	enum err e;

	one.mem = mem_new(c->mem, char);
	e = export_file(&one, zip, f);
	if (!e)
		mem_free(one.mem);
	else if (one.internal)
		c->internal = one.internal;
	return e;
}

enum err
version_files_of(struct ctx *c, const struct artifact *a, int64_t no, struct list *out)
{
	return db_all(c,
	    ROWS(version_file,
		"SELECT path, size_bytes, sha256, mime FROM version_file"
		" WHERE artifact_id = ? AND version_no = ?" FILE_SHOWN " ORDER BY path"),
	    ARGS(a->id, no, version_sees_declared(a)), out);
}

enum err
version_export_files(struct ctx *c, const struct artifact *a, int64_t no, struct list *out)
{
	struct version *v;

	TRY(version_pick(c, a, no, &v));
	return version_files_of(c, a, v->version_no, out);
}

enum err
version_export(struct ctx *c, const struct list *files,
    enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n), void *arg)
{
	struct archive_out *zip;

	TRY(archive_zip_begin(c, write, arg, &zip));
	for (size_t i = 0; i < files->n; i++)
		TRY(export_file_alone(c, zip, (const struct version_file *)files->v + i));
	return archive_end(zip);
}

/* ---- when other things change ---- */

static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	return db_exec(c, EXEC("UPDATE version SET created_by = ? WHERE created_by = ?"),
	    ARGS(h->user_id, h->from_id), NULL);
}

FOLLOWS(version, { USER_MERGED, user_merged });
PURGES(version,
    STMT("DELETE FROM view WHERE artifact_id = ? ORDER BY version_no, path LIMIT ?"),
    STMT("DELETE FROM version_file WHERE artifact_id = ? ORDER BY version_no, path LIMIT ?"),
    STMT("DELETE FROM version WHERE artifact_id = ? ORDER BY version_no LIMIT ?"));
