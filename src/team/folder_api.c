/* SPDX-License-Identifier: Apache-2.0
 * Folders of a workspace. Source: interface, "Folders". */
#include "team/folder.h"

#include "base/str.h"
#include "core/artifact.h"
#include "core/find.h"
#include "core/workspace.h"
#include "http/req.h"

static enum err
h_folder_list(struct req *r)
{
	return reply_list_of(r, struct folder_list, folder_list, r->ws, r->who, r->query);
}

static enum err
folder_reply(struct req *r, const char *id)
{
	struct folder *f;

	TRY(folder_get(r->c, r->ws, r->who, id, &f));
	return reply_noun(r, f);
}

static enum err
h_folder_get(struct req *r)
{
	return folder_reply(r, req_param(r, "fld"));
}

/* Reads the names of the path as they were sent, because in {+} a slash between two names and an
 * encoded slash look alike. */
static bool
path_names(struct req *r, struct strs *out)
{
	static const char before[] = "/folders/by-path/";
	char *path = mem_strndup(r->c->mem, r->uri, strcspn(r->uri, "?")), *rest, *part;

	rest = strstr(path, before) + strlen(before);
	out->v = mem_array(r->c->mem, const char *, strlen(rest) + 1);
	out->n = 0;
	while ((part = str_split(&rest, '/'))) {
		if (!str_unescape(part, false) || strchr(part, '/'))
			return false;
		out->v[out->n++] = part;
	}
	return true;
}

static enum err
h_folder_by_path(struct req *r)
{
	struct strs names;
	struct folder *f;

	if (!path_names(r, &names))
		return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	TRY(folder_by_path(r->c, r->ws, r->who, &names, &f));
	return reply_noun(r, f);
}

static enum err
h_folder_add(struct req *r)
{
	const char *id;

	TRY(folder_add(r->c, r->ws, r->who, r->in, &id));
	reply_header(r, "Location", "/v1/workspaces/%s/folders/%s", r->ws->id, id);
	return folder_reply(r, id);
}

static enum err
h_folder_change(struct req *r)
{
	const struct folder_edit *in = r->in;
	struct shared_with_list to;
	struct folder *f;

	TRY(folder_get(r->c, r->ws, r->who, req_param(r, "fld"), &f));
	TRY(req_if_match(r, "folder", &folder_shape, f));
	TRY(folder_change(r->c, r->ws, r->who, f, in));
	TRY(folder_get(r->c, r->ws, r->who, f->id, &f));
	if (in->has.parent_id != ABSENT) {
		TRY(shown_in(r->c, f->id, &to));
		SHOWN_SET(f, to);
	}
	return reply_noun(r, f);
}

#define FOLDER_DELETE_QUERY(F, T) \
	F(T, BOOL, recursive, \
		.doc = "1: also delete the folders in it; " \
		       "their artifacts move up and aren't deleted")
SHAPE(folder_delete_query, FOLDER_DELETE_QUERY);

static enum err
folder_to_delete(struct req *r, struct folder **f)
{
	TRY(folder_get(r->c, r->ws, r->who, req_param(r, "fld"), f));
	return req_if_match(r, "folder", &folder_shape, *f);
}

static enum err
p_folder_delete(struct req *r)
{
	const struct folder_delete_query *q = r->query;
	struct folder *f;

	TRY(folder_to_delete(r, &f));
	return q->recursive ? folder_lighten(r->c, f) : E_OK;
}

static enum err
h_folder_delete(struct req *r)
{
	const struct folder_delete_query *q = r->query;
	struct folder *f;

	TRY(folder_to_delete(r, &f));
	TRY(folder_delete(r->c, r->ws, r->who, f, q->recursive));
	return reply_none(r);
}

static enum err
h_folder_take(struct req *r)
{
	const struct folder_put *in = r->in;
	struct shared_with_list to;
	struct artifact *a;

	TRY(folder_take(r->c, r->ws, r->who, req_param(r, "art"), in->folder_id));
	TRY(artifact_get(r->c, req_param(r, "art"), r->who, false, &a));
	TRY(shown_in(r->c, a->folder_id, &to));
	SHOWN_SET(a, to);
	return reply_noun(r, a);
}

static const struct route folder_routes[] = {
/*  method  path                                        who
    body                reply                          handler */
  { GET,    "/v1/workspaces/{ws}/folders",              WS_READ,
    TAKES_NOTHING,      GIVES_LIST("folders", folder), h_folder_list,
    .scope = ARTIFACTS_READ, .query = &folder_query_shape,
    .doc = "List folders by name: all, or those in one folder" },
  { POST,   "/v1/workspaces/{ws}/folders",              WS_READ,
    TAKES(folder_new),  GIVES("folder", folder),       h_folder_add,
    .scope = ARTIFACTS_PUBLISH, .success = 201, .doc = "Create a folder" },
  { GET,    "/v1/workspaces/{ws}/folders/{fld}",        WS_READ,
    TAKES_NOTHING,      GIVES("folder", folder),       h_folder_get,
    .scope = ARTIFACTS_READ, .opened = FIND_FOLDER, .doc = "Get a folder and its path" },
  { PATCH,  "/v1/workspaces/{ws}/folders/{fld}",        WS_MEMBER,
    TAKES(folder_edit), GIVES("folder", folder),       h_folder_change,
    .doc = "Rename a folder, or move it into another one" },
  { DELETE, "/v1/workspaces/{ws}/folders/{fld}",        WS_MEMBER,
    TAKES_NOTHING,      GIVES_NOTHING,                 h_folder_delete,
    .slow = true, .query = &folder_delete_query_shape, .prepare = p_folder_delete,
    .doc = "Delete an empty folder, or, with recursive=1, any folder; its artifacts move up" },
  { GET,    "/v1/workspaces/{ws}/folders/by-path/{+}",  WS_READ,
    TAKES_NOTHING,      GIVES("folder", folder),       h_folder_by_path,
    .scope = ARTIFACTS_READ, .doc = "Find a folder by its path; case doesn't matter" },
  { POST,   "/v1/workspaces/{ws}/artifacts/{art}/move", WS_READ,
    TAKES(folder_put),  GIVES("artifact", artifact),   h_folder_take,
    .scope = ARTIFACTS_PUBLISH, .doc = "Move an artifact into a folder, or out of all folders" },
};
ROUTES(folder, "Folders",
    "How a workspace's artifacts are organized. A folder doesn't change who can see them.");
