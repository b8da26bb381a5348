/* SPDX-License-Identifier: Apache-2.0
 * Tools that read a workspace's data catalog: what data there is and what it means. */
#include "agents/tool.h"
#include "base/id.h"
#include "base/str.h"

enum { ENTRIES_SHOWN = 20 };

/* Adds what people wrote into the catalog. */
static void
tell_quoted(struct call *k, const char *name, const char *text)
{
	tool_tell_text(k, name, tool_quote(k, "people who describe the data", text));
}

static bool
is_off(struct call *k, struct shaped reply)
{
	if (!shaped_true(reply, "enabled"))
		tool_tell_text(k, "catalog", "is off; an admin of the workspace can turn it on");
	return !shaped_true(reply, "enabled");
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
	struct tool_list entries;
	const char *ws;

	TRY(tool_workspace_only(k, in->workspace, &ws));
	TRY(tool_ask_list(k, in->limit ? in->limit : ENTRIES_SHOWN,
	    ASKS(GET, tool_uri(k, "/v1/workspaces/%s/catalog", ws),
		QUERY({ "q", in->query }, { "kind", in->kind }, { "tag", in->tag },
		    { "cursor", in->cursor })),
	    "entries", &entries));
	if (is_off(k, entries.all))
		return E_OK;
	tell_quoted(k, "entries", entries.text);
	tool_tell_field(k, entries.all, "total");
	tool_tell_text(k, "next_cursor", entries.cursor);
	return E_OK;
}

/* ---- catalog_entry ---- */

#define CATALOG_ENTRY_IN(F, T) \
	F(T, STR,  entry,     .flags = F_REQ, .lo = 1, .hi = 255, .doc = "cat_…, or its path") \
	F(T, ID,   workspace, .arg = "wsp_") \
	F(T, BOOL, lineage,   .doc = "Also where its data comes from and what uses it")
SHAPE(catalog_entry_in, CATALOG_ENTRY_IN);

static enum err
entry_of(struct call *k, const char *ws, const char *named, const char **id)
{
	struct shaped all;

	*id = named;
	if (id_valid(named, "cat_"))
		return E_OK;
	TRY(tool_ask(k,
	    ASKS(GET, tool_uri(k, "/v1/workspaces/%s/catalog", ws),
		QUERY({ "limit", "200" }, { "q", named })),
	    &all));
	all = shaped_of(all, "entries");
	for (size_t i = 0; i < all.n; i++)
		if (str_eq(shaped_text(shaped_at(all, i), "path"), named)) {
			*id = shaped_text(shaped_at(all, i), "id");
			return E_OK;
		}
	return fail(k->r->c, E_NOT_FOUND,
	    "entry: there is none with this path that you can open; catalog_search finds them");
}

static enum err
t_catalog_entry(struct call *k, const void *arg)
{
	const struct catalog_entry_in *in = arg;
	struct shaped all;
	const char *ws, *id;

	TRY(tool_workspace_only(k, in->workspace, &ws));
	TRY(entry_of(k, ws, in->entry, &id));
	TRY(tool_look(k, &all, "/v1/workspaces/%s/catalog/entries/%s", ws, id));
	if (is_off(k, all))
		return E_OK;
	tell_quoted(k, "entry", tool_lean(k, shaped_of(all, "entry")));
	if (!in->lineage)
		return E_OK;
	TRY(tool_ask(k,
	    ASKS(GET, tool_uri(k, "/v1/workspaces/%s/catalog/lineage", ws),
		QUERY({ "entry", id })),
	    &all));
	tell_quoted(k, "nodes", tool_lean(k, shaped_of(all, "nodes")));
	tool_tell_field(k, all, "edges");
	return E_OK;
}

const struct tool tools_catalog[] = {
	{ "catalog_search", "Find data",
	    "Finds which datasets, metrics and terms a workspace has, with what they and their "
	    "columns mean. Ask it before query_data, to know which table to read.",
	    &catalog_search_in_shape, DATA_READ, .reads = true, .call = t_catalog_search },
	{ "catalog_entry", "Read about data",
	    "Reads the data catalog's entry about a dataset, metric or term, and on "
	    "request where its data comes from. To write one, call putWorkspacesByWorkspaceId"
	    "CatalogFiles.",
	    &catalog_entry_in_shape, DATA_READ, .reads = true, .call = t_catalog_entry },
	{ NULL },
};
