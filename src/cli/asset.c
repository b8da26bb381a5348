/* SPDX-License-Identifier: Apache-2.0
 * The files of an asset library: a workspace's, or one's own. */
#include "base/crypto.h"
#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"
#include "cli/artifact.h"
#include "cli/commands.h"
#include "cli/file.h"
#include "cli/line.h"
#include "cli/row.h"
#include "cli/upload.h"
#include "cli/workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define OWN "/v1/assets"

struct asset {
	const char *id, *name, *sha256;
	int64_t size;
};

static const char *
option(const struct cli *cli, const char *name)
{
	return usage_option(&cli->with, name);
}

/* ---- which library, which file ---- */

/* As vitrine list has it: one's own, unless one of a workspace is asked for. */
static bool
is_own(const struct cli *cli)
{
	return !option(cli, "--workspace") && !option(cli, "--folder");
}

static const char *
library_of(struct cli *cli, const char *workspace_id)
{
	return workspace_id ? mem_printf(cli->c->mem, "/v1/workspaces/%s/assets", workspace_id)
			    : NULL;
}

static const char *
library_find(struct cli *cli, int *status)
{
	return is_own(cli) ? OWN : library_of(cli, workspace_which(cli, status));
}

struct sought {
	struct cli *cli; /* the command, whose memory stays */
	const char *named;
	size_t n;
	struct asset *out;
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
		*s->out = (struct asset){ mem_strdup(mem, id), mem_strdup(mem, name),
			mem_strdup(mem, json_member(d, "sha256")), json_number(d, "size") };
		s->n++;
	}
	return EXIT_FINE;
}

/* By its id or its name. Gives the exit status. */
static int
asset_get(struct cli *cli, const char *library, const char *named, struct asset *out)
{
	enum { QUERY_BYTES = 100 };
	struct sought s = { .cli = cli, .named = named, .out = out };
	struct buf path = BUF(cli->c->mem);
	int status;

	buf_str(&path, library);
	if (str_utf8_valid(named, strlen(named)))
		s.named = unicode_nfc(cli->c->mem, named);
	if (!id_valid(named, "dlv_") && *named && strlen(s.named) <= QUERY_BYTES) {
		buf_str(&path, "?q=");
		buf_form(&path, s.named);
	}
	if ((status = http_pages(cli, path.s, "deliverables", page_match, &s)))
		return status;
	if (s.n > 1)
		return cli_fail(
		    "%s: more than one file has this name; use an id from vitrine assets list",
		    named);
	return s.n ? EXIT_FINE
		   : cli_fail(is_own(cli)
			   ? "%s: your own library has no such file; "
			     "--workspace W looks into a workspace's"
			   : "%s: the workspace's library has no such file that you can see",
			 named);
}

/* What has an id needn't be looked for, nor may the token be one that can. */
static const char *
asset_id(struct cli *cli, const char *library, const char *named, int *status)
{
	struct asset found;

	if (id_valid(named, "dlv_"))
		return named;
	*status = asset_get(cli, library, named, &found);
	return *status ? NULL : found.id;
}

/* "" for the top. */
static const char *
folder_find(struct cli *cli, const char *ws, int *status)
{
	const char *path = option(cli, "--folder");

	return path && ws ? workspace_folder(cli, ws, path, status) : NULL;
}

static const char *
asset_find(struct cli *cli, const char *what, int *status)
{
	const char *ws, *library, *id;

	if (!str_in(what, "within|into|file"))
		return NULL;
	ws = is_own(cli) ? NULL : row_found(cli, "workspace");
	library = is_own(cli) ? OWN : library_of(cli, ws);
	if (!library)
		return NULL;
	if (str_eq(what, "file"))
		return asset_id(cli, library, row_given(cli, "FILE"), status);
	id = folder_find(cli, ws, status);
	if (id && !*id && str_eq(what, "within"))
		*status = cli_misuse(
		    "--folder: name a folder; --workspace alone lists the whole library");
	return *status ? NULL : id;
}

/* ---- put ---- */

struct putting {
	struct cli *cli;
	const char *library, *folder_id; /* folder_id: NULL or "" for none */
	const char *version_of;          /* id, or NULL */
};

/* Sent again by a command that goes on, it is the same request, and makes nothing twice. */
static const char *
deliver_key(struct cli *cli, const char *path, const struct buf *body)
{
	const char *whole = mem_printf(cli->c->mem, "%s %s", path, body->s);
	uint8_t digest[SHA256_BYTES];

	crypto_sha256(whole, strlen(whole), digest);
	return crypto_hex(cli->c->mem, digest, sizeof digest);
}

static void
deliver_body(const struct putting *p, const struct uploaded *u, struct buf *b)
{
	const char *name = option(p->cli, "--name"), *seen = option(p->cli, "--visibility");

	buf_chr(b, '{');
	json_add(b, "blobId", u->blob_id);
	if (name)
		json_add(b, "name", name);
	if (seen)
		json_add(b, "visibility", seen);
	if (p->folder_id && *p->folder_id)
		json_add(b, "folderId", p->folder_id);
	buf_chr(b, '}');
}

static bool
is_taken(const struct http_res *res)
{
	return str_starts(json_member(res->json, "error"), "blobId:");
}

/* What an earlier command sent may be another file by now, or removed: then *u is without bytes,
 * which is EXIT_FINE. */
static int
deliver(const struct putting *p, struct uploaded *u)
{
	struct cli *cli = p->cli;
	struct buf body = BUF(cli->c->mem);
	struct http_req req = { .method = "POST", .save_fd = -1, .told = artifact_told };
	struct http_res res;
	int status;

	deliver_body(p, u, &body);
	req.path = mem_printf(cli->c->mem, "%s/deliverables%s%s%s", p->library,
	    p->version_of ? "/" : "", p->version_of ? p->version_of : "",
	    p->version_of ? "/version" : "");
	req.body = body.s;
	req.body_n = body.n;
	req.key = deliver_key(cli, req.path, &body);
	status = http_send(cli, &req, u->resumed ? "NOT_FOUND" : NULL, &res);
	if (!status || is_taken(&res))
		upload_forget(u);
	if (status && u->resumed && is_taken(&res)) {
		u->blob_id = NULL;
		return EXIT_FINE;
	}
	if (status && u->resumed && res.status == 404)
		status = http_send(cli, &req, NULL, &res);
	return status ? status
		      : line_result(cli, "{deliverable.id}  {deliverable.url}", res.json);
}

static int
put_judge(const struct cli *cli)
{
	const char *of = option(cli, "--version-of");

	if (cli->with.n > 2 && (of || option(cli, "--name")))
		return cli_misuse("%s: goes with a single file", of ? "--version-of" : "--name");
	if (of && (option(cli, "--name") || option(cli, "--visibility") || option(cli, "--folder")))
		return cli_misuse("--version-of: the file keeps its name, its folder, and who can "
				  "see it; vitrine assets change changes them");
	if (is_own(cli) && str_eq(option(cli, "--visibility"), "workspace"))
		return cli_misuse("--visibility workspace: goes with --workspace");
	return EXIT_FINE;
}

/* Before anything is sent. */
static int
put_begin(struct putting *p)
{
	struct cli *cli = p->cli;
	const char *of = option(cli, "--version-of"), *ws = NULL;
	int status = put_judge(cli);

	if (status || (!is_own(cli) && !(ws = workspace_which(cli, &status))))
		return status;
	p->library = ws ? library_of(cli, ws) : OWN;
	p->folder_id = folder_find(cli, ws, &status);
	if (!status && of)
		p->version_of = asset_id(cli, p->library, of, &status);
	return status;
}

static int
file_put(struct putting *p, const char *path)
{
	struct uploaded u;
	int status;

	do
		if (!(status = upload_file(p->cli, p->library, path, &u)))
			status = deliver(p, &u);
	while (!status && !u.blob_id);
	return status;
}

/* The first that fails ends it: what was done is said. */
static int
run_put(struct cli *cli)
{
	struct putting p = { .cli = cli };
	int status = put_begin(&p);

	for (size_t i = 1; !status && i < cli->with.n; i++)
		status = file_put(&p, cli->with.args[i]);
	return status;
}

/* ---- get ---- */

struct getting {
	struct cli *cli;
	struct asset file;
	const char *called; /* as it was asked for */
	int fd;
	struct sha256 *digest;
	int64_t there; /* bytes */
	bool goes_on;  /* what is there is worth keeping */
};

static int
bytes_get(struct getting *g)
{
	struct http_req req = { .method = "GET",
		.path = mem_printf(g->cli->c->mem, "/v1/files/%s/content", g->file.id),
		.save_fd = g->fd,
		.digest = g->digest,
		.shown = g->fd != STDOUT_FILENO,
		.once = true };
	struct http_res res;
	int tries = 0, status;

	while (g->there < g->file.size) {
		req.save_from = g->there;
		req.save_bytes = g->file.size - g->there;
		status = http_send(g->cli, &req, NULL, &res);
		tries = res.saved > g->there ? 0 : tries;
		if (!status && res.saved == g->there)
			return cli_fail("%s: the download is incomplete", g->called);
		g->there = res.saved;
		g->goes_on = res.again;
		if (status && (!res.again || !http_wait(g->cli, g->called, &res, &tries)))
			return status;
	}
	return EXIT_FINE;
}

static int
bytes_judge(struct getting *g)
{
	uint8_t digest[SHA256_BYTES];

	g->goes_on = false;
	crypto_sha256_end(g->digest, digest);
	return str_eq(crypto_hex(g->cli->c->mem, digest, sizeof digest), g->file.sha256)
	    ? EXIT_FINE
	    : cli_fail("%s: the bytes received aren't those of the file; "
		       "if it has a new version, get it again",
		  g->called);
}

/* What an earlier command left. Only what is ours is gone on with. */
static bool
part_read(struct getting *g)
{
	char chunk[65536];
	struct stat st;
	ssize_t got;

	if (fstat(g->fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_nlink != 1 || st.st_size > g->file.size)
		return false;
	while ((got = read(g->fd, chunk, sizeof chunk)) > 0) {
		crypto_sha256_add(g->digest, chunk, (size_t)got);
		g->there += got;
	}
	return got == 0;
}

/* It is called by its digest meanwhile, so what was begun is never gone on with by other bytes. */
static int
file_get(struct getting *g, const struct file_place *place)
{
	const char *part = mem_printf(g->cli->c->mem, ".vitrine:%.16s", g->file.sha256);
	int status;

	if ((g->fd = file_place_make(place, part, 0)) < 0)
		return EXIT_REFUSED;
	if (!part_read(g))
		status = cli_fail("%s/%s: is in the way: remove it", place->dir, part);
	else if (!(status = bytes_get(g)) && !(status = bytes_judge(g)))
		status = file_place_keep(place, part, g->fd);
	close(g->fd);
	if (status && !g->goes_on)
		unlinkat(place->at, part, 0);
	return status;
}

static int
stdout_get(struct getting *g)
{
	int status;

	if (isatty(STDOUT_FILENO))
		return cli_misuse("--out -: standard output is a terminal; send it to a program, "
				  "or save the file with --out FILE");
	g->fd = STDOUT_FILENO;
	status = bytes_get(g);
	return status ? status : bytes_judge(g);
}

static int
asset_fetch(struct cli *cli, const char *library, const char *named)
{
	struct getting g = { .cli = cli, .called = named };
	struct file_place place;
	int status;

	g.digest = crypto_sha256_begin(cli->c->mem);
	if ((status = asset_get(cli, library, named, &g.file)))
		return status;
	if (str_eq(option(cli, "--out"), "-"))
		return stdout_get(&g);
	if ((status = file_place_find(cli, &place)) ||
	    (status = file_place_judge(&place, named, g.file.name, g.file.size)))
		return status;
	return file_get(&g, &place);
}

/* ---- rm ---- */

/* Also a loose file, by its id. */
static int
asset_remove(struct cli *cli, const char *library, const char *named)
{
	bool loose = id_valid(named, "blb_");
	int status = EXIT_FINE;
	const char *id = loose ? named : asset_id(cli, library, named, &status);
	struct http_res res;

	if (!id)
		return status;
	status = http_call(cli, "DELETE",
	    mem_printf(
		cli->c->mem, "%s/%s/%s", library, loose ? "blobs" : "deliverables", id),
	    NULL, &res);
	if (res.status == 404 && is_own(cli))
		cli_note("  --workspace W looks into a workspace's library");
	if (!status && !cli->quiet)
		cli_note("%s is deleted", named);
	return status;
}

/* ---- all ---- */

/* The first that fails ends it. */
static int
each_do(struct cli *cli, int (*each)(struct cli *, const char *library, const char *named))
{
	int status = EXIT_FINE;
	const char *library = library_find(cli, &status);

	for (size_t i = 1; !status && i < cli->with.n; i++)
		status = each(cli, library, cli->with.args[i]);
	return status;
}

static int
run_get(struct cli *cli)
{
	return file_out_judge(cli) ? each_do(cli, asset_fetch) : EXIT_USAGE;
}

static int
run_remove(struct cli *cli)
{
	return each_do(cli, asset_remove);
}

static int
change_check(struct cli *cli)
{
	return option(cli, "--name") || option(cli, "--visibility") || option(cli, "--folder")
	    ? EXIT_FINE
	    : cli_misuse("what should change? Use --name, --visibility, or --folder");
}

static bool
change_adds(struct cli *cli, struct buf *body)
{
	const char *folder = option(cli, "--folder") ? row_found(cli, "into") : NULL;

	if (!option(cli, "--folder"))
		return true;
	if (!folder)
		return false;
	json_key(body, "folderId");
	buf_json(body, *folder ? folder : NULL);
	return true;
}

static int
loose_say(struct cli *cli, const struct json *reply)
{
	if (cli->json)
		cli_print(cli, reply);
	else
		line_each(cli, "{id}  {10 size:bytes}  {createdAt}  {filename}", reply, "loose",
		    cli_line);
	return EXIT_FINE;
}

static const struct cli_option asset_options[] = {
	{ "--workspace W", "the library of this workspace (slug or id) instead of your own" },
	{ "--folder PATH",
	    "for put and change: into this folder of the workspace; for list: only what is in it",
	    .only = "put|list|change" },
	{ "--name NAME", "for put and change: its name (default: the file's)",
	    .only = "put|change" },
	{ "--visibility private|workspace",
	    "for put and change: only you, or everyone in the workspace (default: private)",
	    .only = "put|change", .checked = true },
	{ "--version-of FILE", "for put: add a version of this file (name or id)", .only = "put" },
	{ "--to DIR", "for get: where to save (default: the current folder)", .only = "get" },
	{ "--out FILE",
	    "for get: save one file under this name; - writes it to standard output",
	    .only = "get" },
	{ 0 },
};

#define TEAM "/v1/workspaces/{@workspace}/assets"
#define ASSETS_LINE \
	"{id}  {10 size:bytes}  {updatedAt}  v{-3 version} {-9 visibility}  {name}"
#define VERSIONS_LINE \
	"v{-3 version} {10 size:bytes}  {createdAt}  " \
	"{createdBy.email|createdBy.name|'(nobody)'}  {filename}"
/* The same of a workspace's library and of one's own. */
#define BOTH(word, args, method, path, ...) \
	{ word, args, method TEAM path, .with = "--workspace", __VA_ARGS__ }, \
	{ word, args, method OWN path, __VA_ARGS__ }
#define CHANGE \
	.sends = "name=--name visibility=--visibility", .adds = change_adds, \
	.check = change_check, .told = artifact_told, .of = "deliverable", .line = ASSETS_LINE
static const struct cli_row asset_rows[] = {
	{ "put", "FILE…", .run = run_put },
	{ "get", "FILE…", .run = run_get },
	{ "rm", "FILE…", .run = run_remove },
	{ "list", NULL, "GET " TEAM, "folderId=@within", .with = "--folder",
	    .list = "deliverables", .line = ASSETS_LINE },
	BOTH("list", NULL, "GET ", "", .list = "deliverables", .line = ASSETS_LINE),
	BOTH("versions", "FILE", "GET ", "/deliverables/{@file}/versions", .list = "versions",
	    .line = VERSIONS_LINE),
	{ "change", "FILE", "PATCH " TEAM "/deliverables/{@file}", .with = "--folder", CHANGE },
	BOTH("change", "FILE", "PATCH ", "/deliverables/{@file}", CHANGE),
	BOTH("loose", NULL, "GET ", "", .sends = "limit='1'", .then = loose_say),
	{ 0 },
};

const struct cli_cmd asset_cli[] = {
	{ "assets", "put|get|list|rm|versions|change|loose [FILE…]",
	    "an asset library's files: put; get, rm, change, or versions (by name or id); list; "
	    "loose lists uploads in no file",
	    asset_options, asset_rows, .find = asset_find },
	{ 0 },
};
