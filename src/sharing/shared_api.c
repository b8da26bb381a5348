/* SPDX-License-Identifier: Apache-2.0
 * /v1/shared. Source: sharing/README.md. */
#include "sharing/shared.h"

#include "http/req.h"

static enum err
h_shared(struct req *r)
{
	return reply_list_of(r, struct shared_list, shared_list, r->who, r->query);
}

static enum err
h_shared_folder(struct req *r)
{
	struct shared_folder out;

	TRY(shared_folder_get(r->c, r->who, req_param(r, "shared_fld"), r->query, &out));
	if (out.next_cursor)
		reply_header(r, "Link", "<%s>; rel=\"next\"",
		    req_next(r, out.next_cursor, "cursor"));
	return reply_flat(r, &out);
}

static const struct route shared_routes[] = {
/*  method  path                             who
    body                reply                        handler */
  { GET,    "/v1/shared",                     SIGNED_IN,
    TAKES_NOTHING,      GIVES_LIST("shared", shared), h_shared,
    .scope = ARTIFACTS_READ, .query = &page_query_shape,
    .doc = "List what workspaces that you aren't in have shared with you" },
  { GET,    "/v1/shared/folders/{shared_fld}", SIGNED_IN,
    TAKES_NOTHING,      GIVES_FLAT(shared_folder),   h_shared_folder,
    .scope = ARTIFACTS_READ, .query = &page_query_shape,
    .doc = "List what lies in a folder that was shared with you, or in one in it" },
};
ROUTES(shared, "Shared with you",
    "What you were given from outside: by grants of workspaces that you aren't in.");
