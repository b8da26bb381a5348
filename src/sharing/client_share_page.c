/* SPDX-License-Identifier: Apache-2.0
 * The page on which something is chosen to be shared with a client: a folder, an artifact, or a
 * file, each in a form of its own. */
#include "base/str.h"
#include "http/req.h"
#include "sharing/client_look.h"
#include "sharing/client_page.h"
#include "sharing/share_grant.h"
#include "team/folder.h"

enum { SHOWN_EACH = 20, THINGS_MOST = 3 * SHOWN_EACH };

/* capability: NULL, so that the first is chosen. */
#define SHARE_CHOICE(F, T) \
	F(T, WORD, resource_type, .arg = OUTSIDE_THINGS) \
	F(T, STR,  id) \
	F(T, STR,  name,       .doc = "Of a folder its path") \
	F(T, WORD, capability, .arg = CAPABILITIES) \
	F(T, BOOL, given,      .doc = "They have it already")
SHAPE(share_choice, SHARE_CHOICE);

#define CLIENT_SHARE_PAGE(F, T) \
	CLIENT_TOP(F, T) \
	F(T, LIST, things,   .sub = &share_choice_shape) \
	F(T, BOOL, cut,      .doc = "There are more than are shown")
SHAPE(client_share_page, CLIENT_SHARE_PAGE);

struct choices {
	struct share_choice v[THINGS_MOST];
	size_t n;
	bool cut;
};

static void
choice_add(struct choices *to, const char *type, const char *id, const char *name)
{
	to->v[to->n++] = (struct share_choice){ .resource_type = type, .id = id, .name = name };
}

static enum err
folders_choose(struct req *r, const char *q, struct choices *to)
{
	struct folder_list rows;
	const char *next;

	TRY(folder_list(r->c, r->ws, r->who, &(struct folder_query){ .q = q, .limit = SHOWN_EACH },
	    &rows, &next));
	for (size_t i = 0; i < rows.n; i++)
		choice_add(to, "folder", rows.v[i].id, rows.v[i].path + 1);
	to->cut = to->cut || next;
	return E_OK;
}

static enum err
artifacts_choose(struct req *r, const char *q, struct choices *to)
{
	struct list rows;
	const struct artifact *a;
	const char *next;

	TRY(artifact_list(r->c, r->who,
	    &(struct artifact_query){ .workspace_id = r->ws->id, .q = q, .limit = SHOWN_EACH },
	    &rows, &next));
	a = rows.v;
	for (size_t i = 0; i < rows.n; i++)
		choice_add(to, "artifact", a[i].id, a[i].name);
	to->cut = to->cut || next;
	return E_OK;
}

static enum err
files_choose(struct req *r, const char *q, struct choices *to)
{
	struct shareable_file_list rows;

	TRY(shareable_files(r->c, r->ws, q, SHOWN_EACH + 1, &rows));
	for (size_t i = 0; i < rows.n && i < SHOWN_EACH; i++)
		choice_add(to, "file", rows.v[i].id, rows.v[i].name);
	to->cut = to->cut || rows.n > SHOWN_EACH;
	return E_OK;
}

/* Lists the last PAGE_MAX things that the client was given; sharing one again replaces its grant.
 */
static enum err
given_mark(struct req *r, const struct sharee *s, struct choices *to)
{
	struct share_grant_list rows;
	const char *next;

	TRY(share_grant_list(r->c, r->ws,
	    &(struct share_grant_query){ .subject_id = s->id, .limit = PAGE_MAX }, &rows,
	    &next));
	for (size_t i = 0; i < to->n; i++)
		for (size_t k = 0; k < rows.n; k++)
			if (str_eq(rows.v[k].resource_id, to->v[i].id))
				to->v[i].given = true;
	return E_OK;
}

static enum err
h_client_share(struct req *r)
{
	const struct list_query *query = r->query;
	const char *q = str_given(query->q);
	struct choices *found = mem_new(r->c->mem, struct choices);
	struct client_share_page page;
	struct sharee *s;

	TRY(client_here(r, &s));
	if (!s)
		return E_OK;
	TRY(folders_choose(r, q, found));
	TRY(artifacts_choose(r, q, found));
	TRY(files_choose(r, q, found));
	TRY(given_mark(r, s, found));
	page = (struct client_share_page){ CLIENT_TOP_OF(r, s),
		.things = { found->v, found->n },
		.cut = found->cut };
	return reply_page(r, 0, &page);
}

#define CLIENT "/w/{ws}/clients/{shr}"
#define SHARE(type, id) \
  { POST, CLIENT "/share/" type "/{" id "}", DOES("POST /v1/workspaces/{ws}/grants"), \
    .with = "subject_type=sharee&subject_id={shr}&resource_type=" type \
	    "&resource_id={" id "}", \
    .then = CLIENT "?done=shared_with_client", .again = CLIENT "/share", \
    .doc = "Share a " type " with it" }
static const struct route client_share_page_routes[] = {
  { PAGE(CLIENT "/share", WS_ADMIN, client_share, h_client_share), .title = "Share",
    .query = &list_query_shape, .doc = "What may be shared with a client" },
  SHARE("folder", "fld"),
  SHARE("artifact", "art"),
  SHARE("file", "dlv"),
};
ROUTES(client_share_page, "Pages: sharing with clients",
    "How admins share something with a client in the browser.");
