/* SPDX-License-Identifier: Apache-2.0
 * Commands about the files of an asset library: a workspace's, or the user's own. */
#include "base/crypto.h"
#include "base/id.h"
#include "base/str.h"
#include "cli/artifact.h"
#include "cli/commands.h"
#include "cli/delivery.h"
#include "cli/file.h"
#include "cli/library.h"
#include "cli/line.h"
#include "cli/row.h"
#include "cli/upload.h"
#include "cli/workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Returns the id of --folder, "" for the top; NULL without --folder. */
static const char *
folder_find(struct cli *cli, const char *ws, int *status)
{
	const char *path = cli_option(cli, "--folder");

	return path && ws ? workspace_folder(cli, ws, path, status) : NULL;
}

static const char *
asset_find(struct cli *cli, const char *what, int *status)
{
	const char *ws, *library, *id;

	if (!str_in(what, "within|into|file"))
		return NULL;
	ws = library_is_own(cli) ? NULL : row_found(cli, "workspace");
	library = library_is_own(cli) ? LIBRARY_OWN : library_at(cli, ws);
	if (!library)
		return NULL;
	if (str_eq(what, "file"))
		return library_file_id(cli, library, row_given(cli, "FILE"), status);
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
	const char *version_of;          /* id of the file that gets a version, or NULL */
};

/* True if the service has used or removed the uploaded bytes. */
static bool
blob_is_used(const struct http_res *res)
{
	return str_starts(json_member(res->json, "error"), "blobId:");
}

/* Makes the uploaded bytes a file of the library. The bytes that an earlier command sent may be
 * used or removed by now: then returns EXIT_FINE without u->blob_id, and the caller sends them
 * anew. */
static int
deliver(const struct putting *p, struct uploaded *u)
{
	struct cli *cli = p->cli;
	struct buf body = json_object_of(cli->c->mem, "blobId", u->blob_id, "name",
	    cli_option(cli, "--name"), "visibility", cli_option(cli, "--visibility"),
	    p->folder_id && *p->folder_id ? "folderId" : NULL, p->folder_id, NULL);
	struct http_req req = { .method = "POST",
		.body = body.s,
		.body_n = body.n,
		.save_fd = -1,
		.reword = artifact_reword };
	uint8_t digest[SHA256_BYTES];
	const char *whole;
	struct http_res res;
	int status;

	req.path = mem_printf(cli->c->mem, "%s/deliverables%s%s%s", p->library,
	    p->version_of ? "/" : "", p->version_of ? p->version_of : "",
	    p->version_of ? "/version" : "");
	/* A command that resumes sends the same key, so no file is made twice. */
	whole = mem_printf(cli->c->mem, "%s %s", req.path, body.s);
	crypto_sha256(whole, strlen(whole), digest);
	req.key = crypto_hex(cli->c->mem, digest, sizeof digest);
	status = http_send(cli, &req, u->resumed ? "NOT_FOUND" : NULL, &res);
	if (!status || blob_is_used(&res))
		upload_forget(u);
	if (status && u->resumed && blob_is_used(&res)) {
		u->blob_id = NULL;
		return EXIT_FINE;
	}
	if (status && u->resumed && res.status == 404)
		status = http_send(cli, &req, NULL, &res);
	return status ? status
		      : line_result(cli, "{deliverable.id}  {deliverable.url}", res.json);
}

/* Checks the options before anything is sent. */
static int
put_begin(struct putting *p)
{
	struct cli *cli = p->cli;
	const char *of = cli_option(cli, "--version-of"), *ws = NULL;
	bool own = library_is_own(cli), named = cli_option(cli, "--name"),
	     seen = cli_option(cli, "--visibility");
	int status = EXIT_FINE;

	if (cli->with.n > 2 && (of || named))
		return cli_misuse("%s: goes with a single file", of ? "--version-of" : "--name");
	if (of && (named || seen || cli_option(cli, "--folder")))
		return cli_misuse("--version-of: the file keeps its name, its folder, and who can "
				  "see it; vitrine assets change changes them");
	if (own && str_eq(cli_option(cli, "--visibility"), "workspace"))
		return cli_misuse("--visibility workspace: goes with --workspace");
	if (!own && !(ws = workspace_which(cli, &status)))
		return status;
	p->library = ws ? library_at(cli, ws) : LIBRARY_OWN;
	p->folder_id = folder_find(cli, ws, &status);
	if (!status && of)
		p->version_of = library_file_id(cli, p->library, of, &status);
	return status;
}

/* Stops at the first failure; finished files have been printed. */
static int
run_put(struct cli *cli)
{
	struct putting p = { .cli = cli };
	struct uploaded u;
	int status = put_begin(&p);

	for (size_t i = 1; !status && i < cli->with.n; i++)
		do
			if (!(status = upload_file(cli, p.library, cli->with.args[i], &u)))
				status = deliver(&p, &u);
		while (!status && !u.blob_id);
	return status;
}

/* ---- get ---- */

struct getting {
	struct cli *cli;
	struct library_file file;
	const char *called; /* as it was typed */
	int fd;
	struct sha256 *digest;
	int64_t there; /* bytes that are saved */
	bool goes_on;  /* the saved part can be resumed */
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
bytes_check(struct getting *g)
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

/* Reads the part that an earlier command saved. Returns false if the file isn't this user's. */
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

static int
asset_fetch(struct cli *cli, const char *library, const char *named)
{
	struct getting g = { .cli = cli, .called = named };
	uint8_t digest[SHA256_BYTES];
	struct file_place place;
	const char *part;
	int status;

	g.digest = crypto_sha256_begin(cli->c->mem);
	if ((status = library_find(cli, library, named, &g.file)))
		return status;
	if (!crypto_unhex(g.file.sha256, digest, sizeof digest))
		return cli_fail("%s: the service returned no digest", named);
	if (file_out_stdout(cli, &status)) {
		g.fd = STDOUT_FILENO;
		status = status ? status : bytes_get(&g);
		return status ? status : bytes_check(&g);
	}
	if ((status = file_place_find(cli, &place)) ||
	    (status = file_place_judge(&place, named, g.file.name, g.file.size)))
		return status;
	/* The part is named by the file's digest, so bytes of another file never continue it. */
	part = mem_printf(cli->c->mem, ".vitrine:%.16s", g.file.sha256);
	if ((g.fd = file_place_make(&place, part, 0)) < 0)
		return EXIT_REFUSED;
	if (!part_read(&g))
		status = cli_fail("%s/%s: is in the way: remove it", place.dir, part);
	else if (!(status = bytes_get(&g)) && !(status = bytes_check(&g)))
		status = file_place_keep(&place, part, g.fd);
	close(g.fd);
	if (status && !g.goes_on)
		unlinkat(place.at, part, 0);
	return status;
}

/* ---- rm ---- */

/* Removes a file by name or id, or a loose upload by its id. */
static int
asset_remove(struct cli *cli, const char *library, const char *named)
{
	bool loose = id_valid(named, "blb_");
	int status = EXIT_FINE;
	const char *id = loose ? named : library_file_id(cli, library, named, &status);
	struct http_res res;

	if (!id)
		return status;
	status = http_do(
	    cli, &res, "DELETE %s/%s/%s", library, loose ? "blobs" : "deliverables", id);
	if (res.status == 404 && library_is_own(cli))
		cli_note("  --workspace W looks into a workspace's library");
	if (!status && !cli->quiet)
		cli_note("%s is deleted", named);
	return status;
}

/* ---- all ---- */

/* Fetches or removes each file, until one fails. */
static int
run_each(struct cli *cli)
{
	bool get = str_eq(cli->with.args[0], "get");
	int status = EXIT_FINE;
	const char *library;

	if (get && !file_out_judge(cli))
		return EXIT_USAGE;
	library = library_which(cli, &status);
	for (size_t i = 1; !status && i < cli->with.n; i++)
		status = (get ? asset_fetch : asset_remove)(cli, library, cli->with.args[i]);
	return status;
}

static int
change_check(struct cli *cli)
{
	return cli_option(cli, "--name") || cli_option(cli, "--visibility") ||
		cli_option(cli, "--folder")
	    ? EXIT_FINE
	    : cli_misuse("what should change? Use --name, --visibility, or --folder");
}

static bool
change_adds(struct cli *cli, struct buf *body)
{
	const char *folder = cli_option(cli, "--folder") ? row_found(cli, "into") : NULL;

	if (!cli_option(cli, "--folder"))
		return true;
	if (!folder)
		return false;
	json_key(body, "folderId");
	buf_json(body, *folder ? folder : NULL);
	return true;
}

static int
loose_print(struct cli *cli, const struct json *reply)
{
	return line_list(cli, "{id}  {10 size:bytes}  {createdAt}  {filename}", reply, "loose");
}

static const struct cli_option asset_options[] = {
	{ "--workspace W", "the library of this workspace (slug or id) instead of your own" },
	{ "--folder PATH",
	    "for put and change: into this folder of the workspace; for list: only what is in it",
	    .only = "put|list|change" },
	{ "--name NAME",
	    "for put and change: the file's name; for share and send: what the link shows",
	    .only = "put|change|share|send" },
	{ "--visibility private|workspace",
	    "for put and change: only you, or everyone in the workspace (default: private)",
	    .only = "put|change", .checked = true },
	{ "--version-of FILE", "for put: add a version of this file (name or id)", .only = "put" },
	{ "--to DIR", "for get: where to save (default: the current folder)", .only = "get" },
	{ "--out FILE",
	    "for get: save one file under this name; - writes it to standard output",
	    .only = "get" },
	{ "--expires WHEN",
	    "for share and send: last day the link works (UTC), such as 2027-12-31, or a number "
	    "of days (default: no end)",
	    .only = "share|send" },
	{ "--password",
	    "for share and send: ask for a password, or read it from standard input",
	    .only = "share|send" },
	{ "--domains DOMAINS",
	    "for share and send: only who has a mailbox at one of these, separated by commas",
	    .only = "share|send" },
	{ "--email ADDRESSES", "for send: to these addresses, separated by commas",
	    .only = "send" },
	{ "--message TEXT", "for send: what the e-mail says", .only = "send" },
	{ 0 },
};

#define TEAM "/v1/workspaces/{@workspace}/assets"
#define ASSETS_LINE \
	"{id}  {10 size:bytes}  {updatedAt}  v{-3 version} {-9 visibility}  {name}"
#define VERSIONS_LINE \
	"v{-3 version} {10 size:bytes}  {createdAt}  " \
	"{createdBy.email|createdBy.name|'(nobody)'}  {filename}"
#define LINKS_LINE \
	"{id}  {-8 revoked?'revoked'|gate}  {-20 expiresAt|'never expires'}  " \
	"{9 viewCount:count view}  {name}[  to {to}][  {url}]"
/* A row for a workspace's library and a row for the user's own. */
#define BOTH(word, args, method, path, ...) \
	{ word, args, method TEAM path, .with = "--workspace", __VA_ARGS__ }, \
	{ word, args, method LIBRARY_OWN path, __VA_ARGS__ }
#define CHANGE \
	.sends = "name=--name visibility=--visibility", .adds = change_adds, \
	.check = change_check, .reword = artifact_reword, .of = "deliverable", .line = ASSETS_LINE
static const struct cli_row asset_rows[] = {
	{ "put", "FILE…", .run = run_put },
	{ "get", "FILE…", .run = run_each },
	{ "rm", "FILE…", .run = run_each },
	{ "list", NULL, "GET " TEAM, "folderId=@within", .with = "--folder", .list = "deliverables",
	    .line = ASSETS_LINE },
	BOTH("list", NULL, "GET ", "", .list = "deliverables", .line = ASSETS_LINE),
	BOTH("versions", "FILE", "GET ", "/deliverables/{@file}/versions", .list = "versions",
	    .line = VERSIONS_LINE),
	{ "change", "FILE", "PATCH " TEAM "/deliverables/{@file}", .with = "--folder", CHANGE },
	BOTH("change", "FILE", "PATCH ", "/deliverables/{@file}", CHANGE),
	{ "share", "FILE…", .run = run_share },
	{ "send", "FILE…", .run = run_send },
	BOTH("links", NULL, "GET ", "/links", .list = "links", .line = LINKS_LINE),
	BOTH("revoke", "ID…", "POST ", "/links/{ID}/revoke", .note = "{ID} is revoked",
	    .id = { "lnk_", "a link id: vitrine assets links lists them" }),
	BOTH("loose", NULL, "GET ", "", .sends = "limit='1'", .then = loose_print),
	{ 0 },
};

const struct cli_cmd asset_cli[] = {
	{ "assets",
	    "put|get|list|rm|versions|change|share|send|links|revoke|loose [FILE|ID…]",
	    "an asset library's files: put, list; get, rm, change, list versions of, share, or "
	    "send some (by name or id); links; revoke links",
	    asset_options, asset_rows, .find = asset_find },
	{ 0 },
};
