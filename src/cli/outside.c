/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/outside.h"

#include "base/email.h"
#include "base/id.h"
#include "base/str.h"
#include "cli/delivery.h"
#include "cli/http.h"
#include "cli/library.h"
#include "cli/line.h"
#include "cli/row.h"
#include "cli/which.h"
#include "cli/workspace.h"

/* ---- the shared thing ---- */

struct thing {
	const char *type, *id, *workspace;
};

static int
artifact_find(struct cli *cli, const char *slug, struct thing *out)
{
	struct http_res res;
	int status = EXIT_FINE;

	if (cli_option(cli, "--workspace"))
		return cli_misuse("--workspace goes with --folder and --file");
	if (!(out->id = which_artifact(cli, slug, &status)) ||
	    (status = http_do(cli, &res, "GET /v1/artifacts/%s", out->id)))
		return status;
	out->type = "artifact";
	out->workspace = json_member(res.json, "artifact.workspace_id");
	return *out->workspace
	    ? EXIT_FINE
	    : cli_fail("%s isn't in a workspace; share it without --with, or move it into one",
		  json_member(res.json, "artifact.slug"));
}

static int
thing_find(struct cli *cli, struct thing *out)
{
	const char *folder = cli_option(cli, "--folder"), *file = cli_option(cli, "--file"),
		   *slug = row_given(cli, "SLUG");
	int status = EXIT_FINE;

	if ((folder != NULL) + (file != NULL) + (slug != NULL) > 1)
		return cli_misuse("name one thing: an artifact, --folder, or --file");
	if (!folder && !file)
		return artifact_find(cli, slug, out);
	if (!(out->workspace = workspace_which(cli, &status)))
		return status;
	out->type = folder ? "folder" : "file";
	out->id = folder
	    ? workspace_folder(cli, out->workspace, folder, &status)
	    : library_file_id(cli, library_at(cli, out->workspace), file, &status);
	if (!out->id)
		return status;
	return *out->id ? EXIT_FINE
			: cli_misuse("--folder: name a folder; a whole workspace can't be shared");
}

static int
with_check(struct cli *cli, const char *with)
{
	return id_valid(with, "shr_") || email_likely(cli->c->mem, with)
	    ? EXIT_FINE
	    : cli_misuse("--with: %s is neither an e-mail address nor the id of a client", with);
}

/* Posts *b, an object that lacks the thing, the capability and its end. */
static int
post(struct cli *cli, const struct thing *of, const char *where, struct buf *b,
    const char *capability, struct http_res *res)
{
	static const char *const options[][2] = { { "email", "--with" }, { "subject_id", "--with" },
		{ "capability", "--can" }, { "expires_at", "--expires" },
		{ "message", "--message" }, { NULL } };

	json_add(b, "resource_type", of->type);
	json_add(b, "resource_id", of->id);
	json_add(b, "capability", capability);
	if (!expiry_add(cli, b, "expires_at"))
		return EXIT_USAGE;
	buf_chr(b, '}');
	return http_json(cli, "POST",
	    mem_printf(cli->c->mem, "/v1/workspaces/%s/%s", of->workspace, where), b, options, res);
}

static int
grant_post(struct cli *cli, const struct thing *of, const char *type, const char *id,
    const char *capability, struct http_res *res)
{
	struct buf b = BUF(cli->c->mem);

	buf_chr(&b, '{');
	json_texts(&b, "subject_type", type, "subject_id", id, NULL);
	return post(cli, of, "grants", &b, capability, res);
}

/* POST share-person grants little at most; more is granted to the person that it creates. */
static int
person_post(struct cli *cli, const struct thing *of, const char *email, const char *capability,
    struct http_res *res)
{
	bool enough = str_in(capability, "view|comment") ||
	    (str_eq(capability, "edit") && str_eq(of->type, "artifact"));
	struct buf b = BUF(cli->c->mem);
	int status;

	buf_chr(&b, '{');
	json_texts(&b, "email", email, "message", cli_option(cli, "--message"), NULL);
	if ((status = post(cli, of, "share-person", &b, enough ? capability : "view", res)))
		return status;
	if (!cli->quiet)
		line_print(cli,
		    "{person.email} {mailed?'gets an e-mail'|'gets no e-mail now'}",
		    res->json, cli_note);
	return enough ? EXIT_FINE
		      : grant_post(cli, of, "external_user", json_member(res->json, "person.id"),
			    capability, res);
}

int
run_share_with(struct cli *cli)
{
	const char *with = cli_option(cli, "--with"), *can = cli_option(cli, "--can");
	struct thing of;
	struct http_res res;
	int status;

	can = can ? can : "view";
	if (cli_option(cli, "--role"))
		return cli_misuse("--role is for people who become editors or viewers; "
				  "with --with, use --can");
	if ((status = with_check(cli, with)) || (status = thing_find(cli, &of)))
		return status;
	if (!str_in(can, CAPABILITIES))
		return cli_misuse("--can: %s isn't one of view, comment, create, and edit", can);
	if (str_eq(can, "create") && !str_eq(of.type, "folder"))
		return cli_misuse("--can create goes with --folder");
	status = id_valid(with, "shr_") ? grant_post(cli, &of, "sharee", with, can, &res)
					: person_post(cli, &of, with, can, &res);
	return status
	    ? status
	    : line_result(cli,
		  "{-7 grant.capability}  {grant.subject_name}  {grant.resource_type} "
		  "{grant.resource_name}[  until {grant.expires_at:time}]",
		  res.json);
}

/* ---- the end of it ---- */

static int
grant_end(struct cli *cli, const struct json *reply, void *arg)
{
	const struct thing *of = arg;
	size_t n;
	const struct json *rows = json_list(reply, "grants", &n);
	struct http_res res;
	int status = EXIT_FINE;

	for (size_t i = 0; i < n && !status; i++)
		status = http_do(cli, &res, "DELETE /v1/workspaces/%s/grants/%s", of->workspace,
		    json_member(json_at(rows, i), "id"));
	if (!n)
		return cli_fail("this isn't shared with %s by itself; vitrine grants lists what is",
		    cli_option(cli, "--with"));
	if (!status && !cli->quiet)
		cli_note("no longer shared with %s", cli_option(cli, "--with"));
	return status;
}

int
run_unshare_with(struct cli *cli)
{
	const char *with = cli_option(cli, "--with");
	struct thing of;
	int status;

	if ((status = with_check(cli, with)) || (status = thing_find(cli, &of)))
		return status;
	return http_pages(cli,
	    mem_printf(cli->c->mem, "/v1/workspaces/%s/grants?resource_id=%s&%s=%s", of.workspace,
		of.id, id_valid(with, "shr_") ? "subject_id" : "email",
		form_encoded(cli->c->mem, with)),
	    "grants", grant_end, &of);
}

int
outside_check(struct cli *cli)
{
	static const char *const options[] = { "--can", "--folder", "--file", "--workspace",
		"--expires", "--message" };

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (cli_option(cli, options[i]))
			return cli_misuse("%s goes with --with", options[i]);
	return EXIT_FINE;
}
