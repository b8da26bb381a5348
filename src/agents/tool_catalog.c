/* SPDX-License-Identifier: Apache-2.0
 * Tools that read a workspace's data catalog: what data there is and what it means. */
#include "agents/tool.h"
#include "base/id.h"
#include "base/str.h"

enum { ENTRIES_SHOWN = 20 };

/* Returns the workspace that is named or confined to, else the caller's only one. */
static enum err
workspace_of(struct call *k, const char *said, const char **out)
{
	const struct json *reply, *all;

	*out = tool_workspace(k, said);
	if (*out)
		return E_OK;
	TRY(tool_ask(k, GET, NULL, NULL, &reply, "/v1/workspaces?limit=2"));
	all = json_get(reply, "workspaces");
	if (json_len(all) != 1)
		return fail(k->r->c, E_INVALID, "workspace: name one; whoami lists them");
	*out = json_word(json_at(all, 0), "id");
	return E_OK;
}

/* Adds a value that people wrote into the catalog. */
static void
tell_quoted(struct call *k, const char *name, const struct json *value)
{
	struct buf text = BUF(k->r->c->mem);

	json_lean(&text, value);
	tool_tell_text(
	    k, name, tool_quote(k, "people who describe the data", buf_done(&text)));
}

static bool
is_off(struct call *k, const struct json *reply)
{
	if (!json_true(json_get(reply, "enabled")))
		tool_tell_text(k, "catalog", "is off; an admin of the workspace can turn it on");
	return !json_true(json_get(reply, "enabled"));
}

/* ---- catalog_search ---- */

#define CATALOG_SEARCH_IN(F, T) \
	F(T, STR, query,     .hi = 200, .doc = "Words; absent: what changed last") \
	F(T, ID,  workspace, .arg = "wsp_") \
	F(T, STR, kind,      .lo = 1, .hi = 40, \
		.doc = "dataset, source, page, metric, term, doc") \
	F(T, STR, tag,       .lo = 1, .hi = 60) \
	F(T, INT, limit,     .lo = 1, .hi = 100) \
	F(T, STR, cursor,    .hi = 40)
SHAPE(catalog_search_in, CATALOG_SEARCH_IN);

static enum err
t_catalog_search(struct call *k, const void *arg)
{
	const struct catalog_search_in *in = arg;
	struct buf uri = BUF(k->r->c->mem);
	const struct json *reply;
	const char *ws;

	TRY(workspace_of(k, in->workspace, &ws));
	buf_fmt(&uri, "/v1/workspaces/%s/catalog?", ws);
	query_add(&uri, "q", in->query);
	query_add(&uri, "kind", in->kind);
	query_add(&uri, "tag", in->tag);
	query_add(&uri, "cursor", in->cursor);
	TRY(tool_ask_list(k, in->limit ? in->limit : ENTRIES_SHOWN, &reply, buf_done(&uri)));
	if (is_off(k, reply))
		return E_OK;
	tell_quoted(k, "entries", json_get(reply, "entries"));
	tool_tell(k, "total", json_get(reply, "total"));
	tool_tell(k, "next_cursor", json_get(reply, "next_cursor"));
	return E_OK;
}

/* ---- catalog_entry ---- */

#define CATALOG_ENTRY_IN(F, T) \
	F(T, STR,  entry,     .flags = F_REQ, .lo = 1, .hi = 255, .doc = "cat_…, or its path") \
	F(T, ID,   workspace, .arg = "wsp_") \
	F(T, BOOL, lineage,   .doc = "Also where its data comes from, and what depends on it")
SHAPE(catalog_entry_in, CATALOG_ENTRY_IN);

static enum err
entry_of(struct call *k, const char *ws, const char *said, const char **id)
{
	struct buf uri = BUF(k->r->c->mem);
	const struct json *reply, *all;

	*id = said;
	if (id_valid(said, "cat_"))
		return E_OK;
	buf_fmt(&uri, "/v1/workspaces/%s/catalog?limit=200&", ws);
	query_add(&uri, "q", said);
	TRY(tool_ask(k, GET, NULL, NULL, &reply, "%s", buf_done(&uri)));
	all = json_get(reply, "entries");
	for (size_t i = 0; i < json_len(all); i++)
		if (str_eq(json_word(json_at(all, i), "path"), said)) {
			*id = json_word(json_at(all, i), "id");
			return E_OK;
		}
	return fail(k->r->c, E_NOT_FOUND,
	    "entry: there is none with this path that you can open; catalog_search finds them");
}

static enum err
t_catalog_entry(struct call *k, const void *arg)
{
	const struct catalog_entry_in *in = arg;
	const struct json *reply;
	const char *ws, *id;

	TRY(workspace_of(k, in->workspace, &ws));
	TRY(entry_of(k, ws, in->entry, &id));
	TRY(tool_ask(
	    k, GET, NULL, NULL, &reply, "/v1/workspaces/%s/catalog/entries/%s", ws, id));
	if (is_off(k, reply))
		return E_OK;
	tell_quoted(k, "entry", json_get(reply, "entry"));
	if (!in->lineage)
		return E_OK;
	TRY(tool_ask(
	    k, GET, NULL, NULL, &reply, "/v1/workspaces/%s/catalog/lineage?entry=%s", ws, id));
	tell_quoted(k, "nodes", json_get(reply, "nodes"));
	tool_tell(k, "edges", json_get(reply, "edges"));
	return E_OK;
}

const struct tool tools_catalog[] = {
	{ "catalog_search", "Find data",
	    "Finds which datasets, metrics and terms a workspace has, with what they and their "
	    "columns mean. Ask it before query_data, to know which table to read.",
	    &catalog_search_in_shape, DATA_READ, .reads = true, .call = t_catalog_search },
	{ "catalog_entry", "Read about data",
	    "Reads the whole entry of the data catalog about a dataset, metric or term, and on "
	    "request where its data comes from. To write one, call putWorkspacesByWorkspaceId"
	    "CatalogFiles.",
	    &catalog_entry_in_shape, DATA_READ, .reads = true, .call = t_catalog_entry },
	{ NULL },
};
