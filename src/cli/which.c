/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/which.h"

#include "base/id.h"
#include "base/str.h"
#include "cli/http.h"
#include "cli/memory.h"

#include <unistd.h>

const char *
which_slug(struct cli *cli, const char *query, const char *slug, int *exit_status)
{
	const struct json *rows;
	struct http_res res;
	size_t n;

	*exit_status = http_do(
	    cli, &res, "GET /v1/artifacts?%sslug=%s", query, form_encoded(cli->c->mem, slug));
	if (*exit_status)
		return NULL;
	rows = json_list(res.json, "artifacts", &n);
	if (n > 1)
		*exit_status = cli_fail(
		    "%s: more than one artifact has had this slug; use an id from vitrine trash",
		    slug);
	if (n != 1)
		return NULL;
	return id_valid(json_member(json_at(rows, 0), "id"), "art_")
	    ? json_member(json_at(rows, 0), "id")
	    : NULL;
}

/* Returns words about the folder or file of this name that was published from here, or "". */
static const char *
place_hint(struct cli *cli, const char *named)
{
	struct memory *m = mem_new(cli->c->mem, struct memory);

	if (which_is_path(named) || access(named, F_OK) || !memory_locate(cli, named, m))
		return "";
	memory_peek(cli, m);
	return m->found && m->ours ? mem_printf(cli->c->mem, "; ./%s was published as %s (%s)",
					 named, m->found->url, m->found->artifact_id)
				   : "";
}

static const char *
named_find(
    struct cli *cli, const char *query, const char *named, const char *none, int *exit_status)
{
	const char *id = id_valid(named, "art_") ? named
						 : which_slug(cli, query, named, exit_status);

	if (!id && !*exit_status)
		*exit_status =
		    cli_fail("%s: %s has this slug%s", named, none, place_hint(cli, named));
	return id;
}

const char *
which_named(struct cli *cli, const char *named, int *exit_status)
{
	return named_find(cli, "", named, "none of your artifacts", exit_status);
}

const char *
which_trashed(struct cli *cli, const char *named, int *exit_status)
{
	return named_find(cli, "deleted=1&", named, "nothing in the trash", exit_status);
}

const char *
which_any(struct cli *cli, const char *named, int *exit_status)
{
	const char *id = id_valid(named, "art_") ? named
						 : which_slug(cli, "", named, exit_status);

	return id || *exit_status ? id : which_trashed(cli, named, exit_status);
}

/* A stranger who knows the id of an artifact of ours may have written the folder's memory. */
static const char *
remembered_confirm(const struct memory *m)
{
	const struct memory_entry *e = m->found;

	if (m->ours ||
	    cli_ask("%s says that this is %s (%s), but you didn't write that here. Is it right?",
		m->file, e->url, e->artifact_id))
		return e->artifact_id;
	cli_fail(
	    "%s says that this is %s, but you didn't write that here: "
	    "name the artifact, %s, if it is right",
	    m->file, e->url, e->artifact_id);
	return NULL;
}

static const char *
id_of_place(struct cli *cli, const char *place)
{
	struct memory *m = mem_new(cli->c->mem, struct memory);
	size_t n;

	if (!memory_locate(cli, place, m) || !memory_read(cli, m))
		return NULL;
	n = memory_choose(cli, m);
	if (n > 1) {
		cli_fail(
		    "%s: more than one artifact was published from this project; name one:", place);
		for (const struct memory_entry *e = m->v; e < m->v + m->n; e++)
			if (str_eq(e->service, m->service))
				cli_note(
				    "  %s/%s  %s  %s", m->dir, e->path, e->artifact_id, e->url);
		return NULL;
	}
	if (n == 1)
		return remembered_confirm(m);
	cli_fail(
	    "nothing was published from %s to %s: name an artifact by its slug or id; "
	    "vitrine list shows them",
	    str_eq(place, ".") ? "this folder" : place, cli->url);
	return NULL;
}

bool
which_is_path(const char *named)
{
	return strchr(named, '/') || str_in(named, ".|..");
}

const char *
which_artifact(struct cli *cli, const char *named, int *exit_status)
{
	const char *id;

	if (named && !which_is_path(named))
		return which_named(cli, named, exit_status);
	if (!(id = id_of_place(cli, named ? named : ".")))
		*exit_status = EXIT_REFUSED;
	return id;
}
