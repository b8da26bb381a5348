/* SPDX-License-Identifier: Apache-2.0
 * Commands about a workspace's data catalog. */
#include "base/str.h"
#include "cli/commands.h"
#include "cli/http.h"
#include "cli/line.h"
#include "cli/named.h"
#include "cli/row.h"
#include "cli/textfiles.h"
#include "cli/workspace.h"

enum { FILES = 5000 };

/* ---- which entry ---- */

static const char *
catalog_find(struct cli *cli, const char *what, int *status)
{
	const char *ws, *path = row_given(cli, "PATH"), *id;

	if (!str_eq(what, "entry") || !(ws = row_found(cli, "workspace")))
		return NULL;
	id = named_find(cli,
	    mem_printf(
		cli->c->mem, "/v1/workspaces/%s/catalog?q=%s", ws, form_encoded(cli->c->mem, path)),
	    &(struct named){ "entries", "path", NULL, .exact = true }, path, status);
	if (!id && !*status)
		*status = cli_fail(
		    "there's no %s in the catalog; vitrine catalog lists what there is", path);
	return id;
}

/* ---- to a folder and back ---- */

static const struct text_library catalog = { .called = "the catalog",
	.endings = { ".md", ".yaml", ".yml" },
	.most = FILES,
	.all = "catalog",
	.list = "entries",
	.off = "the catalog is off; an admin can turn it on: vitrine catalog enable",
	.one = "catalog/entries/",
	.content = "entry.content",
	.remove = "catalog/files?path=",
	.put = "catalog/files",
	.has_ids = true };

/* ---- lineage ---- */

static const char *
node_name(const struct json *nodes, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(json_member(json_at(nodes, i), "id"), id))
			return json_member(json_at(nodes, i), "name");
	return id;
}

/* Prints an edge on each line: "Warehouse -> orders (materialize)". */
static int
lineage_print(struct cli *cli, const struct json *reply)
{
	size_t node_n, edge_n;
	const struct json *nodes = json_list(reply, "nodes", &node_n),
			  *edges = json_list(reply, "edges", &edge_n);

	if (cli->json)
		cli_print(cli, reply);
	for (size_t i = 0; !cli->json && i < edge_n; i++) {
		const struct json *e = json_at(edges, i);

		cli_line("%s -> %s (%s)", node_name(nodes, node_n, json_member(e, "from")),
		    node_name(nodes, node_n, json_member(e, "to")), json_member(e, "kind"));
	}
	return EXIT_FINE;
}

/* ---- the commands ---- */

static const struct cli_option catalog_options[] = {
	{ "--workspace W", WORKSPACE_RULE },
	{ "--kind K", "only these: dataset, source, page, metric, term, or doc", .only = "[list]" },
	{ "--domain D", "only of this domain", .only = "[list]" },
	{ "--status S", "only these: draft, verified, or deprecated", .only = "[list]" },
	{ "--tag T", "only with this tag", .only = "[list]" },
	{ "--sort O", "in this order (default: changed, with words best)",
	    .words = "best|used|changed", .only = "[list]" },
	{ "--direction D", "what it comes from, or what comes from it (default: both)",
	    .words = "up|down|both", .only = "lineage" },
	{ "--depth N", "so many steps each way (default: 2)", .only = "lineage" },
	{ "--force", "overwrite files that differ", .only = "pull" },
	{ "--delete", "delete what the folder doesn't have", .only = "push" },
	{ "--yes", "delete without asking", .only = "push" },
	{ 0 },
};

#define CATALOG "/v1/workspaces/{@workspace}/catalog"
static const struct cli_row catalog_rows[] = {
	{ "[list]", "[WORDS]", "GET " CATALOG,
	    "q=WORDS kind=--kind domain=--domain status=--status tag=--tag sort=--sort",
	    .list = "entries", .line = "{-10 status}  {-7 kind}  {path}  {title}" },
	{ "show", "PATH", "GET " CATALOG "/entries/{@entry}", .text = "entry.content" },
	{ "lineage", "PATH", "GET " CATALOG "/lineage",
	    "entry=@entry direction=--direction depth:number=--depth", .then = lineage_print },
	{ "pull", "DIR", .run = text_files_pull },
	{ "push", "DIR", .run = text_files_push },
	{ "seed", NULL, "POST " CATALOG "/seed",
	    .note = "{created} made, {updated} renewed, {unchanged} left as they are" },
	{ "enable", NULL, "POST " CATALOG "/enable", "enabled:json='true'",
	    .note = "the catalog is on" },
	{ "disable", NULL, "POST " CATALOG "/enable", "enabled:json='false'",
	    .note = "the catalog is off; its files are kept" },
	{ 0 },
};

const struct cli_cmd catalog_cli[] = {
	{ "catalog", "[list|show|lineage|pull|push|seed|enable|disable] [WORDS|PATH|DIR]",
	    "what a workspace's data means: list, with WORDS; show PATH, its file; lineage PATH, "
	    "where it comes from and what comes from it; pull and push DIR, all files to a folder "
	    "and back; seed, a file for each table, document and connection; enable; disable",
	    catalog_options, catalog_rows, .find = catalog_find, .texts = &catalog },
	{ 0 },
};
