/* SPDX-License-Identifier: Apache-2.0
 * Collaborators and the owner. Source: interface, "Collaborators". */
#include "share/collaborator.h"

#include "base/str.h"
#include "core/artifact.h"
#include "http/quota.h"
#include "http/req.h"

/* Agents have no address, which is what the list is of. */
static enum err
h_collaborator_list(struct req *r)
{
	const struct page_query *q = r->query;
	struct collaborator *co;
	struct list rows;
	size_t n = 0;

	TRY(collaborator_list(r->c, r->art, &rows));
	co = rows.v;
	for (size_t i = 0; i < rows.n; i++)
		if (co[i].email)
			co[n++] = co[i];
	rows.n = n;
	return reply_part(r, &rows,
	    n && str_eq(co->role, "owner") ? LIST_OWNER_FIRST : LIST_RISING, q->limit,
	    q->cursor);
}

static enum err
h_collaborator_add(struct req *r)
{
	struct list rows;

	TRY(collaborator_add(r->c, r->art, r->who, r->in, &rows));
	return reply_list(r, &rows, NULL);
}

static enum err
h_collaborator_remove(struct req *r)
{
	TRY(collaborator_remove(r->c, r->art, r->who, req_param(r, "email")));
	return reply_none(r);
}

static enum err
h_artifact_transfer(struct req *r)
{
	const struct new_owner *in = r->in;
	struct artifact *a;

	TRY(artifact_transfer(r->c, r->art, in->email));
	TRY(artifact_get(r->c, r->art->id, r->who, false, &a));
	return reply_noun(r, a);
}

static LIMIT(LIM_TRANSFER, "transfer", OF_USER, FAILURES, transfer_failures_per_hour,
    "failed transfers");

static const struct route collaborator_routes[] = {
/*  method  path                                         who
    body                     reply                                      handler */
  { GET,    "/v1/artifacts/{art}/collaborators",         ART_VIEW,
    TAKES_NOTHING,           GIVES_LIST("collaborators", collaborator), h_collaborator_list,
    .query = &page_query_shape,
    .doc = "List the owner and the collaborators by address; agents have none and aren't listed" },
  { POST,   "/v1/artifacts/{art}/collaborators",         ART_EDIT,
    TAKES(collaborator_new), GIVES_LIST("collaborators", collaborator), h_collaborator_add,
    .doc = "Give people a role on the artifact; "
	   "whoever has no account yet gets it with the account" },
  { DELETE, "/v1/artifacts/{art}/collaborators/{email}", ART_LEAVE,
    TAKES_NOTHING,           GIVES_NOTHING,                             h_collaborator_remove,
    .doc = "Remove a collaborator, or leave" },
  { POST,   "/v1/artifacts/{art}/transfer-ownership",    ART_OWN,
    TAKES(new_owner),        GIVES("artifact", artifact),               h_artifact_transfer,
    .limit = LIM_TRANSFER, .doc = "Make another person the owner; you stay as an editor" },
};
ROUTES(collaborator, "Collaborators",
    "Who can see and change an artifact: its owner, editors and viewers.");
