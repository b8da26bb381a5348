/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/library.h"

#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"
#include "cli/workspace.h"

bool
library_is_own(const struct cli *cli)
{
	return !cli_option(cli, "--workspace") && !cli_option(cli, "--folder");
}

const char *
library_at(struct cli *cli, const char *workspace_id)
{
	return workspace_id ? mem_printf(cli->c->mem, "/v1/workspaces/%s/assets", workspace_id)
			    : NULL;
}

const char *
library_which(struct cli *cli, int *status)
{
	return library_is_own(cli) ? LIBRARY_OWN : library_at(cli, workspace_which(cli, status));
}

struct sought {
	struct cli *cli; /* the command, whose memory outlives a page's */
	const char *named;
	size_t n;
	struct library_file *out;
};

static int
page_match(struct cli *page, const struct json *reply, void *arg)
{
	struct sought *s = arg;
	void *mem = s->cli->c->mem;
	size_t n;
	const struct json *rows = json_list(reply, "deliverables", &n);

	(void)page;
	for (size_t i = 0; i < n; i++) {
		const struct json *d = json_at(rows, i);
		const char *id = json_member(d, "id"), *name = json_member(d, "name");

		if ((!str_eq(id, s->named) && !str_eq(name, s->named)) || !id_valid(id, "dlv_"))
			continue;
		*s->out = (struct library_file){ mem_strdup(mem, id), mem_strdup(mem, name),
			mem_strdup(mem, json_member(d, "sha256")), json_number(d, "size") };
		s->n++;
	}
	return EXIT_FINE;
}

int
library_find(struct cli *cli, const char *library, const char *named, struct library_file *out)
{
	enum { QUERY_BYTES = 100 };
	struct sought s = { .cli = cli, .named = named, .out = out };
	const char *path = library;
	int status;

	if (str_utf8_valid(named, strlen(named)))
		s.named = unicode_nfc(cli->c->mem, named);
	if (!id_valid(named, "dlv_") && *named && strlen(s.named) <= QUERY_BYTES)
		path = mem_printf(
		    cli->c->mem, "%s?q=%s", library, form_encoded(cli->c->mem, s.named));
	if ((status = http_pages(cli, path, "deliverables", page_match, &s)))
		return status;
	if (s.n > 1)
		return cli_fail(
		    "%s: more than one file has this name; use an id from vitrine assets list",
		    named);
	return s.n ? EXIT_FINE
		   : cli_fail(library_is_own(cli)
			   ? "%s: your own library has no such file; "
			     "--workspace W looks into a workspace's"
			   : "%s: the workspace's library has no such file that you can see",
			 named);
}

/* An id isn't looked up, since the token may have no right to read. */
const char *
library_file_id(struct cli *cli, const char *library, const char *named, int *status)
{
	struct library_file found;

	if (id_valid(named, "dlv_"))
		return named;
	*status = library_find(cli, library, named, &found);
	return *status ? NULL : found.id;
}
