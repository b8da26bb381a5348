/* SPDX-License-Identifier: Apache-2.0
 * /v1/artifacts. Source: interface, "Artifacts". */
#include "base/conf.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/find.h"
#include "core/slug.h"
#include "http/req.h"
#include "site/derive.h"
#include "site/handoff.h"
#include "site/picture.h"
#include "site/retention.h"

static enum err
h_artifact_list(struct req *r)
{
	return reply_list_of(r, struct list, artifact_list, r->who, r->query);
}

static enum err
h_artifact_get(struct req *r)
{
	return reply_noun(r, r->art);
}

/* Replies with the artifact as it is for the caller after the change. */
static enum err
reply_fresh(struct req *r)
{
	struct artifact *a;

	TRY(artifact_get(r->c, r->art->id, r->who, false, &a));
	return reply_noun(r, a);
}

/* Returns true if the edit asks for more than another workspace or pin. */
static bool
edit_changes(const struct artifact_edit *in)
{
	return in->name || in->slug || in->visibility || in->has.social_title ||
	    in->has.social_description || in->has.social_image_url || in->has.comments_open ||
	    in->has.comments_from || in->has.comment_mails || in->has.checks;
}

/* A person who moved it out of a workspace may no longer see it; they get the reply that its owner
 * would. */
static enum err
reply_moved(struct req *r)
{
	const struct principal owner = { .user_id = r->art->owner_id };
	enum err e = reply_fresh(r);
	struct artifact *a;

	if (e != E_NOT_FOUND)
		return e;
	TRY(artifact_get(r->c, r->art->id, &owner, false, &a));
	a->role = NULL;
	return reply_noun(r, a);
}

static enum err
h_artifact_change(struct req *r)
{
	const struct artifact_edit *in = r->in;
	bool owner = str_eq(r->art->role, "owner");
	const struct artifact *now = r->art;
	struct artifact *changed;

	TRY(req_if_match(r, "artifact", &artifact_shape, r->art));
	if (role_rank(r->art->role) < ROLE_EDITOR && edit_changes(in))
		return fail(r->c, E_DENIED,
		    "As an admin of its workspace you can only move it out; "
		    "only its editors and owner can change the rest");
	if (!owner &&
	    (in->has.visibility || in->has.slug || in->has.comments_open || in->has.comments_from ||
		in->has.comment_mails || in->has.checks))
		return fail(r->c, E_DENIED, "%s: only the owner can change it",
		    in->has.visibility          ? "visibility"
			: in->has.slug          ? "slug"
			: in->has.comments_open ? "comments_open"
			: in->has.comments_from ? "comments_from"
			: in->has.comment_mails ? "comment_mails"
						: "checks");
	if (in->has.checks && principal_is_agent(r->who))
		return fail(r->c, E_DENIED, "checks: agents can't change them; a person can");
	if (in->has.pinned_version != ABSENT && !owner &&
	    member_rank(r->art->workspace_role) < MEMBER_ADMIN)
		return fail(r->c, E_DENIED,
		    "pinned_version: only the owner or an admin of its workspace can change it");
	if (in->has.pinned_version != ABSENT)
		TRY(version_pin(r->c, r->art, in->pinned_version));
	if (edit_changes(in) ||
	    (in->has.workspace_id == ABSENT && in->has.pinned_version == ABSENT))
		TRY(artifact_change(r->c, r->art, in));
	if (in->has.workspace_id == ABSENT)
		return reply_fresh(r);
	/* Rights on a move are checked against the artifact as the transaction reads it. */
	if (edit_changes(in)) {
		TRY(artifact_get(r->c, r->art->id, r->who, true, &changed));
		now = changed;
	}
	TRY(artifact_rehome(r->c, now, r->who, in->workspace_id));
	return reply_moved(r);
}

#define DELETE_QUERY(F, T) \
	F(T, BOOL, purge, .doc = "1: delete it permanently instead of moving it to the trash")
SHAPE(delete_query, DELETE_QUERY);

static enum err
h_artifact_delete(struct req *r)
{
	const struct delete_query *q = r->query;

	TRY(req_if_match(r, "artifact", &artifact_shape, r->art));
	/* Agents can’t purge, so that their person can undo everything. */
	if (q->purge && r->outer)
		return fail(r->c, E_DENIED,
		    "purge: agents can't delete for good; "
		    "your person can, on its page in the trash");
	if (r->art->deleted_at && !q->purge)
		return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	TRY(q->purge ? artifact_purge(r->c, r->art) : artifact_delete(r->c, r->art));
	return reply_none(r);
}

static enum err
h_artifact_restore(struct req *r)
{
	const struct artifact_back *in = r->in;

	TRY(artifact_restore(r->c, r->art, in ? in->slug : NULL));
	return reply_fresh(r);
}

static enum err
favorite_set(struct req *r, bool on)
{
	struct favorite out = { .artifact_id = r->art->id, .favorited = on };

	TRY(artifact_favor(r->c, r->art, r->who, on));
	return reply_flat(r, &out);
}

static enum err
h_favor(struct req *r)
{
	return favorite_set(r, true);
}

static enum err
h_unfavor(struct req *r)
{
	return favorite_set(r, false);
}

/* The live version and its visibility may change, so each use of a cached copy must ask again. */
static enum err
h_thumbnail(struct req *r)
{
	const char *sha256;

	TRY(picture_find(r->c, r->art, &sha256));
	if (!sha256) {
		r->status = 200;
		buf_str(&r->out, derive_card_svg(r->c->mem, r->art->name, r->art->slug));
		reply_header(r, "Content-Type", "image/svg+xml");
		reply_header(r, "Content-Security-Policy",
		    "default-src 'none'; style-src 'unsafe-inline'; sandbox");
		return E_OK;
	}
	TRY(reply_object(
	    r, sha256, "image/png", mem_printf(r->c->mem, "%s.png", r->art->slug), true));
	reply_header(r, "Cache-Control", "private, no-cache");
	return E_OK;
}

/* Mailed links lead here, since they are always addresses under base_url. Redirects by way of
 * /auth/view to the page's own host, after signing in if that is needed. The reply does not tell
 * whether the page exists. */
static enum err
h_open(struct req *r)
{
	struct buf to = BUF(r->c->mem);

	if (slug_check(r->c, req_param(r, "slug")))
		return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	page_way(&to, "",
	    mem_printf(
		r->c->mem, "%s/", conf_site_origin(r->c->mem, r->c->conf, req_param(r, "slug"))));
	reply_header(r, "Location", "%s", buf_done(&to));
	return reply_none(r);
}

static const struct route artifact_routes[] = {
/*  method  path                             who
    body                  reply                              handler */
  { GET,    "/v1/artifacts",                 SIGNED_IN,
    TAKES_NOTHING,        GIVES_LIST("artifacts", artifact), h_artifact_list,
    .scope = ARTIFACTS_READ, .query = &artifact_query_shape,
    .doc = "List your artifacts and those shared with you, newest first" },
  { GET,    "/v1/artifacts/{art}",           ART_READ,
    TAKES_NOTHING,        GIVES("artifact", artifact),       h_artifact_get,
    .scope = ARTIFACTS_READ, .content = true, .doc = "Get one artifact", .visit = "view",
    .opened = FIND_ARTIFACT },
  { PATCH,  "/v1/artifacts/{art}",           ART_CHANGE,
    TAKES(artifact_edit), GIVES("artifact", artifact),       h_artifact_change,
    .scope = ARTIFACTS_PUBLISH,
    .doc = "Change the name, slug, visibility, link preview, pinned version, checks or workspace",
    .did = "Changed the settings of", .undo = true },
  { DELETE, "/v1/artifacts/{art}",           ART_TRASH,
    TAKES_NOTHING,        GIVES_NOTHING,                     h_artifact_delete,
    .scope = ARTIFACTS_PUBLISH, .query = &delete_query_shape,
    .doc = "Delete an artifact; it can be restored for a while",
    .did = "Moved to the trash:", .undo = true },
  { POST,   "/v1/artifacts/{art}/restore",   ART_TRASH,
    { BODY_JSON_OPTIONAL, &artifact_back_shape }, GIVES("artifact", artifact),
    h_artifact_restore,
    .scope = ARTIFACTS_PUBLISH,
    .doc = "Restore an artifact from the trash, under another slug if its own is taken",
    .did = "Took out of the trash:" },
  { PUT,    "/v1/artifacts/{art}/favorite",  ART_MARK,
    TAKES_NOTHING,        GIVES_FLAT(favorite),              h_favor,
    .doc = "Add an artifact to your favorites" },
  { POST,   "/v1/artifacts/{art}/favorite",  ART_MARK,
    TAKES_NOTHING,        GIVES_FLAT(favorite),              h_favor,
    .doc = "Add an artifact to your favorites" },
  { DELETE, "/v1/artifacts/{art}/favorite",  ART_MARK,
    TAKES_NOTHING,        GIVES_FLAT(favorite),              h_unfavor,
    .doc = "Remove an artifact from your favorites" },
  { GET,    "/v1/artifacts/{art}/thumbnail", ART_READ,
    TAKES_NOTHING,        GIVES_BYTES,                       h_thumbnail,
    .scope = ARTIFACTS_READ, .doc = "Get the artifact's thumbnail" },
  { GET,    "/v1/open/{slug}",               PUBLIC,
    TAKES_NOTHING,        GIVES_NOTHING,                     h_open,
    .success = 302, .doc = "Go to the page with this slug; links in e-mails point here" },
};
ROUTES(artifact, "Artifacts",
    "A page and its assets, published under a slug with an address of its own: "
    "list, rename, share, delete, restore.");
