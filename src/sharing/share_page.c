/* SPDX-License-Identifier: Apache-2.0
 * The pages on which admins share an artifact, a folder or a file with people outside of the
 * workspace, see who has access and why, change it, and stop it. */
#include "base/email.h"
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "sharing/outsiders.h"
#include "sharing/share_page.h"

enum { DAY_CHARS = 10 };

/* ---- people with access ---- */

SHAPE_DEFINE(share_part, SHARE_PART);

enum err
share_part_read(
    struct req *r, const struct workspace *w, const struct share_thing *thing, void **out)
{
	struct share_part *part = *out = mem_new(r->c->mem, struct share_part);
	struct share_access_list rows;

	TRY(outsiders_of(r->c, w, thing, &rows));
	*part = (struct share_part){ .at = share_path(r->c, w->id, thing),
		.resource_type = thing->type,
		.capability = "view",
		.outsiders = { rows.v, rows.n },
		.most = rows.n == OUTSIDERS_MOST ? OUTSIDERS_MOST : 0 };
	return E_OK;
}

/* ---- the page ---- */

#define SHARE_PAGE(F, T) \
	F(T, STR,  thing_name) \
	F(T, STR,  back,  .doc = "Path of the thing's own page") \
	F(T, STR,  today, .doc = "The first day that can be chosen") \
	F(T, OBJ,  part,  .sub = &share_part_shape) \
	F(T, LIST, known, .sub = &share_known_shape)
SHAPE(share_page, SHARE_PAGE);

static const char *
thing_path(struct ctx *c, const char *workspace_id, const struct share_thing *thing)
{
	if (str_eq(thing->type, "artifact"))
		return mem_printf(c->mem, "/w/%s/artifacts/%s", workspace_id, thing->id);
	return mem_printf(c->mem, "/w/%s/%s/%s", workspace_id,
	    str_eq(thing->type, "folder") ? "folders" : "library", thing->id);
}

const char *
share_path(struct ctx *c, const char *workspace_id, const struct share_thing *thing)
{
	return mem_printf(c->mem, "%s/share", thing_path(c, workspace_id, thing));
}

/* Reads the thing that the path names. */
static enum err
thing_here(struct req *r, struct share_thing **out)
{
	const char *path = r->route->path;

	if (strstr(path, "{art}"))
		return share_thing_get(r->c, r->ws, "artifact", req_param(r, "art"), out);
	return strstr(path, "{fld}")
	    ? share_thing_get(r->c, r->ws, "folder", req_param(r, "fld"), out)
	    : share_thing_get(r->c, r->ws, "file", req_param(r, "dlv"), out);
}

static enum err
h_share_ask(struct req *r)
{
	struct share_page page = {
		.today = mem_strndup(r->c->mem, str_rfc3339(r->c->mem, r->c->now), DAY_CHARS) };
	struct share_known_list known;
	struct share_thing *thing;

	TRY(thing_here(r, &thing));
	TRY(share_part_read(r, r->ws, thing, &page.part));
	TRY(share_known_list(r->c, r->ws, &known));
	page.known = (struct list){ known.v, known.n };
	page.thing_name = thing->name;
	page.back = str_eq(thing->type, "artifact")
	    ? mem_printf(r->c->mem, "/a/%s/sharing", thing->id)
	    : thing_path(r->c, r->ws->id, thing);
	return reply_page(r, 0, &page);
}

/* ---- to share ---- */

#define SHARE_WITH_FORM(F, T) \
	F(T, STR,  with,       .flags = F_REQ, .hi = 254, .doc = "An address, or a client's name") \
	F(T, WORD, capability, .flags = F_REQ, .arg = CAPABILITIES) \
	F(T, STR,  until,      .hi = DAY_CHARS) \
	F(T, STR,  message,    .flags = F_LONG, .hi = 1000)
SHAPE(share_with_form, SHARE_WITH_FORM);

/* A day ends at midnight, UTC. */
static enum err
until_read(struct ctx *c, const char *day, uint8_t *has, int64_t *at)
{
	*has = day && *day ? GIVEN : ABSENT;
	return *has == ABSENT || str_from_rfc3339(mem_printf(c->mem, "%sT23:59:59Z", day), at)
	    ? E_OK
	    : fail(c, E_INVALID, "until: must be a day, such as 2027-01-31");
}

static enum err
share_with_client(struct req *r, const struct share_thing *thing, const char *client_id,
    const char **done)
{
	const struct share_with_form *in = r->in;
	struct share_grant_new wish = { .subject_type = "sharee",
		.subject_id = client_id,
		.resource_type = thing->type,
		.resource_id = thing->id,
		.capability = in->capability };
	struct share_grant *given;
	bool made;

	TRY(until_read(r->c, in->until, &wish.has.expires_at, &wish.expires_at));
	TRY(share_grant_give(r->c, r->ws, r->who, &wish, &made, &given));
	*done = "shared_with_client";
	return E_OK;
}

static enum err
share_with_person(struct req *r, const struct share_thing *thing, const char **done)
{
	const struct share_with_form *in = r->in;
	struct share_person_new wish = { .resource_type = thing->type,
		.resource_id = thing->id,
		.capability = in->capability,
		.message = in->message ? str_lines(r->c->mem, in->message) : NULL };
	struct shared_person given;

	if (!(wish.email = email_read(r->c->mem, in->with)))
		return fail(r->c, E_INVALID,
		    "with: must be an e-mail address, or the name of a client of the workspace");
	TRY(until_read(r->c, in->until, &wish.has.expires_at, &wish.expires_at));
	TRY(share_grant_to_person(r->c, r->ws, r->who, &wish, &given));
	*done = given.mailed ? "shared" : "shared_quietly";
	return E_OK;
}

static enum err
h_share(struct req *r)
{
	const struct share_with_form *in = r->in;
	const char *client, *done;
	struct share_thing *thing;
	enum err e;

	TRY(thing_here(r, &thing));
	TRY(share_client_named(r->c, r->ws, in->with, &client));
	e = client ? share_with_client(r, thing, client, &done)
		   : share_with_person(r, thing, &done);
	if (e == E_INTERNAL_MEMBER)
		return fail(r->c, e, "with: %s", r->c->message);
	TRY(e);
	return reply_go(r, "%s?done=%s", share_path(r->c, r->ws->id, thing), done);
}

/* The pages of one kind of thing: where they are, its type in the API, and the parameter of `at`
 * that has its id. */
#define SHARE_PAGES(at, type, parameter) \
  { PAGE(at "/share", SHARE_ADMIN, share, h_share_ask), .query = &tab_query_shape, \
    .doc = "Who outside has access, and a form that shares it" }, \
  { FORM(at "/share", SHARE_ADMIN, share_with_form, h_share), .again = at "/share", \
    .called = "email=with&subject_id=with&expires_at=until", \
    .doc = "Share it with a person or a client" }, \
  { POST, at "/share/change", DOES("POST /v1/workspaces/{ws}/grants"), \
    .with = "resource_type=" type "&resource_id={" parameter "}", \
    .then = at "/share?done=share_changed", .again = at "/share", \
    .doc = "Change what somebody may do with it" }, \
  { POST, at "/share/{grt}/stop", DOES("DELETE /v1/workspaces/{ws}/grants/{grt}"), \
    .then = at "/share?done=share_stopped", .again = at "/share", \
    .doc = "Stop sharing it with somebody" }

static const struct route share_page_routes[] = {
  SHARE_PAGES("/w/{ws}/artifacts/{art}", "artifact", "art"),
  SHARE_PAGES("/w/{ws}/folders/{fld}", "folder", "fld"),
  SHARE_PAGES("/w/{ws}/library/{dlv}", "file", "dlv"),
};
ROUTES(share_page, "Pages: sharing with people outside",
    "How admins share an artifact, a folder or a file with people outside of the workspace, and "
    "stop that.");
