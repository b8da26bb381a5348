/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/publish.h"

#include "base/id.h"
#include "base/json.h"
#include "base/mime.h"
#include "base/str.h"
#include "base/viewkind.h"
#include "cli/artifact.h"
#include "cli/commands.h"
#include "cli/conflict.h"
#include "cli/folder.h"
#include "cli/http.h"
#include "cli/line.h"
#include "cli/memory.h"
#include "cli/refers.h"
#include "cli/unpack.h"
#include "cli/which.h"
#include "cli/workspace.h"

#include <unistd.h>

enum { AS_JSON_BYTES = 8 << 20 }; /* more bytes are sent as an archive */

struct publishing {
	struct cli *cli;
	const struct publish_what *what;
	struct folder folder;
	struct memory memory;
	bool *send;             /* for each file: send its bytes; else only its digest */
	const char *artifact;   /* the artifact that gets a version; NULL: a new artifact */
	const struct json *was; /* that artifact before; NULL if there is none or it is unread */
	bool unread;            /* the token can publish to the artifact but not read it */
	const char *base;       /* the version that the files come from, or NULL */
	const char *candidate;  /* --candidate: the conflicts that the files settle, or NULL */
	struct strs settled;    /* of a candidate: the paths to send */
	const char *expected;   /* --expected-version; "0": there must be no artifact */
	const char *policy;     /* JSON of --access-policy, or NULL */
	const char *workspace, *folder_id; /* ids of --workspace and --folder, or NULL */
};

static const char *
option(const struct publishing *p, const char *name)
{
	return cli_option(p->cli, name);
}

/* Standard input has no place that could be remembered. */
static bool
is_remembered(const struct publishing *p)
{
	return !p->what->files && !str_eq(p->folder.place, FOLDER_STDIN);
}

/* ---- which artifact ---- */

/* Asks for the artifact. A token without the scope to read it may still publish to it. */
static int
target_ask(struct publishing *p, const char *path, struct http_res *res)
{
	int status = http_send(p->cli,
	    &(struct http_req){
		.method = "GET", .path = path, .save_fd = -1, .reword = artifact_reword },
	    "INSUFFICIENT_SCOPE", res);

	p->unread = status && str_eq(json_member(res->json, "code"), "INSUFFICIENT_SCOPE");
	return p->unread ? EXIT_FINE : status;
}

/* True if the files here come from a known version of the artifact, and others may have published
 * since. */
static bool
memory_is_base(const struct publishing *p, const char *id)
{
	const struct memory_entry *found = p->memory.found;

	return !p->base && !p->expected && !p->candidate && !option(p, "--force") && found &&
	    p->memory.ours && found->version > 0 && str_eq(found->artifact_id, id);
}

static int
target_get(struct publishing *p, const char *id)
{
	struct http_res res;
	int status = target_ask(p, mem_printf(p->cli->c->mem, "/v1/artifacts/%s", id), &res);

	if (status)
		return status;
	p->artifact = id;
	/* Without the right to read, a base that is gone couldn't be told from one that is closed.
	 */
	if (memory_is_base(p, id))
		p->base = mem_printf(
		    p->cli->c->mem, "%lld", (long long)p->memory.found->version);
	p->was = p->unread ? NULL : json_get(res.json, "artifact");
	return EXIT_FINE;
}

/* A slug that no artifact of the user has is for a new artifact. */
static int
target_by_slug(struct publishing *p, const char *slug)
{
	const struct json *rows;
	struct http_res res;
	size_t n;
	int status = target_ask(p,
	    mem_printf(p->cli->c->mem, "/v1/artifacts?slug=%s", form_encoded(p->cli->c->mem, slug)),
	    &res);

	rows = status || p->unread ? NULL : json_list(res.json, "artifacts", &n);
	if (!rows || !n)
		return status;
	p->was = json_at(rows, 0);
	p->artifact = json_member(p->was, "id");
	if (!id_valid(p->artifact, "art_"))
		return cli_fail("%s: the service didn't return an artifact", slug);
	if (!option(p, "--new"))
		return EXIT_FINE;
	cli_fail(
	    "--new: you already have an artifact %s; "
	    "leave out --new to publish a new version of it, or choose another --slug",
	    slug);
	return EXIT_CONFLICT;
}

static int
target_by_memory(struct publishing *p)
{
	struct memory *m = &p->memory;
	const char *url;
	int status;

	if (option(p, "--new") || !m->found)
		return EXIT_FINE;
	status = target_get(p, m->found->artifact_id);
	if (status == EXIT_REFUSED)
		cli_note(
		    "  %s says that this is %s; publish with --new to create another artifact",
		    m->file, m->found->artifact_id);
	if (status || m->ours)
		return status;
	/* A stranger who knows the id of an artifact of ours may have written the memory. */
	url = json_member(p->was, "url");
	url = *url ? url : m->found->url;
	if (cli_ask(
		"%s says that this is %s (%s), but you didn't write that here. Publish over it?",
		m->file, url, m->found->artifact_id))
		return EXIT_FINE;
	return cli_fail("%s says that this is %s, but you didn't write that here: "
			"publish with --artifact %s if it is right, or with --new",
	    m->file, url, m->found->artifact_id);
}

static int
target_find(struct publishing *p)
{
	const char *slug = option(p, "--slug"), *artifact = option(p, "--artifact");
	int status = EXIT_FINE;

	if (artifact && option(p, "--new"))
		return cli_misuse("--new creates an artifact and --artifact names an existing one: "
				  "leave one of them out");
	if (is_remembered(p) && !memory_locate(p->cli, p->folder.place, &p->memory))
		return EXIT_REFUSED;
	if (artifact && !(artifact = which_named(p->cli, artifact, &status)))
		return status;
	/* The memory matters only if no option says which artifact is meant. */
	if (is_remembered(p) && !artifact && !slug && !option(p, "--new") &&
	    !memory_read(p->cli, &p->memory))
		return EXIT_REFUSED;
	if (artifact)
		return target_get(p, artifact);
	return slug ? target_by_slug(p, slug) : target_by_memory(p);
}

/* Remembers the artifact. If another one is remembered, --slug and --artifact count for this time
 * only; naming the remembered one confirms it. */
static void
target_remember(struct publishing *p, const char *id, const char *url, int64_t version)
{
	struct memory *m = &p->memory;
	bool named = option(p, "--slug") || option(p, "--artifact");

	if (!is_remembered(p))
		return;
	if (named || option(p, "--new"))
		memory_peek(p->cli, m);
	if (named && m->found && !str_eq(m->found->artifact_id, id))
		return;
	if (m->found && !str_eq(m->found->artifact_id, id))
		cli_note("%s was %s and is remembered as %s from now on", p->folder.place,
		    m->found->url, url);
	if (!m->found || !m->ours || !str_eq(m->found->artifact_id, id) ||
	    m->found->version != version)
		memory_write(p->cli, m, id, url, version);
}

/* ---- the request ---- */

static bool
file_write(struct publishing *p, struct buf *b, const struct folder_file *f, bool content)
{
	void *mem = p->cli->c->mem;
	char *bytes;

	buf_chr(b, '{');
	json_add(b, "path", f->path);
	json_key(b, "size_bytes");
	buf_fmt(b, "%lld", (long long)f->size);
	json_add(b, "sha256", crypto_hex(mem, f->sha256, SHA256_BYTES));
	if (content) {
		bool text;

		if (!folder_content(p->cli, &p->folder, f, &bytes))
			return false;
		text = !memchr(bytes, '\0', (size_t)f->size) &&
		    str_utf8_valid(bytes, (size_t)f->size);
		if (!text)
			json_add(b, "encoding", "base64");
		json_add(b, "content", text ? bytes : crypto_base64(mem, bytes, (size_t)f->size));
		mem_free(bytes);
	}
	buf_chr(b, '}');
	return true;
}

/* Returns the name to send; NULL for an existing artifact, unless --name is given. */
static const char *
name_sent(struct publishing *p)
{
	const char *name = option(p, "--name");

	if (name || p->artifact)
		return name;
	return p->folder.packed && is_remembered(p) ? unpack_name(p->cli, p->folder.place)
	    : is_remembered(p)  ? memory_name(p->cli, &p->memory)
				: p->folder.v[0].path;
}

static void
flags_write(const struct publishing *p, struct buf *b)
{
	static const char *const flags[][2] = { { "--draft", "draft" }, { "--dry-run", "dry_run" },
		{ "--reset", "reset" } };

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (option(p, flags[i][0])) {
			json_key(b, flags[i][1]);
			buf_str(b, "true");
		}
}

/* Writes the request that settles conflicts: the files in conflict as they are here, and those that
 * aren't here to be deleted. */
static bool
settled_write(struct publishing *p, struct buf *b)
{
	struct buf gone = BUF(b->owner);
	const struct folder_file *f;
	size_t n = 0;

	buf_chr(b, '{');
	json_texts(b, "candidate", p->candidate, "message", option(p, "--message"),
	    "wait", option(p, "--wait") ? "render" : NULL, NULL);
	flags_write(p, b);
	json_key(b, "files");
	buf_chr(b, '[');
	for (size_t i = 0; i < p->settled.n; i++) {
		if (!(f = folder_file_at(&p->folder, p->settled.v[i]))) {
			buf_str(&gone, gone.n ? "," : "");
			buf_json(&gone, p->settled.v[i]);
			continue;
		}
		buf_str(b, n++ ? "," : "");
		if (!file_write(p, b, f, true))
			return false;
	}
	buf_fmt(b, "],\"delete\":[%s]}", buf_done(&gone));
	return true;
}

static void
resolves_write(const struct publishing *p, struct buf *b)
{
	const char *ids = option(p, "--resolves");

	json_texts(b, "reply", option(p, "--reply"), NULL);
	if (!ids || !*ids)
		return;
	json_key(b, "resolves");
	json_split(b, ids);
}

/* Writes the request's JSON. Files that an archive contains aren't listed, except the first: an
 * archive without a listed file would count as a packed folder. */
static bool
manifest_write(struct publishing *p, struct buf *b, bool archived)
{
	bool first = true;

	if (p->candidate)
		return settled_write(p, b);
	buf_chr(b, '{');
	json_texts(b, "name", name_sent(p), "slug", option(p, "--slug"), "visibility",
	    option(p, "--visibility"), "message", option(p, "--message"), "entrypoint",
	    option(p, "--entrypoint"), "views", option(p, "--views"), "artifact_id", p->artifact,
	    NULL);
	if (p->expected) {
		json_key(b, "expected_version");
		buf_str(b, p->expected);
	}
	if (p->base) {
		json_key(b, "base_version");
		buf_str(b, p->base);
	}
	flags_write(p, b);
	json_texts(b, "wait", option(p, "--wait") ? "render" : NULL, "routing",
	    option(p, "--spa") ? "spa" : NULL, "workspace_id", p->workspace, "folder_id",
	    p->folder_id, NULL);
	if (p->policy) {
		json_key(b, "access_policy");
		buf_str(b, p->policy);
	}
	resolves_write(p, b);
	if (option(p, "--checks")) {
		json_key(b, "checks");
		json_split(b, option(p, "--checks"));
	}
	json_key(b, "files");
	buf_chr(b, '[');
	for (size_t i = 0; i < p->folder.n; i++) {
		if (archived && p->send[i] && !first)
			continue;
		if (!first)
			buf_chr(b, ',');
		first = false;
		if (!file_write(p, b, &p->folder.v[i], p->send[i] && !archived))
			return false;
	}
	buf_str(b, "]}");
	return true;
}

static int64_t
bytes_to_send(const struct publishing *p)
{
	int64_t n = 0;

	for (size_t i = 0; i < p->folder.n; i++)
		n += p->send[i] ? p->folder.v[i].size : 0;
	return n;
}

static const char *
publish_reword(struct cli *cli, const char *error, const void *arg)
{
	static const char *const options[][2] = { { "base_version", "--base" },
		{ "expected_version", "--expected-version" }, { "candidate", "--candidate" },
		{ "checks", "--checks" }, { "resolves", "--resolves" }, { "reply", "--reply" },
		{ "access_policy", "--access-policy" }, { "workspace_id", "--workspace" },
		{ "folder_id", "--folder" }, { NULL } };
	const char *slug = cli_text_replaced(
	    cli, error, "use PATCH /v1/artifacts/{id}", "run vitrine rename --slug");
	const char *reworded = cli_member_error(cli, error, options);

	error = slug ? slug : error;
	return reworded ? reworded : artifact_reword(cli, error, arg);
}

static int
publish_attempt(struct publishing *p, const char *quiet, struct http_res *res)
{
	struct http_req req = {
		.method = "POST", .path = "/v1/publish", .save_fd = -1, .reword = publish_reword
	};
	bool archived = !p->candidate && bytes_to_send(p) > AS_JSON_BYTES;
	struct buf b = BUF(p->cli->c->mem);

	if (!manifest_write(p, &b, archived))
		return EXIT_REFUSED;
	if (archived && !(req.archive = folder_pack(p->cli, &p->folder, p->send)))
		return EXIT_REFUSED;
	req.body = b.s;
	req.body_n = b.n;
	if (!p->cli->quiet && cli_shows() && !p->candidate)
		cli_note("%s, %s; sending %s", str_count(b.owner, (int64_t)p->folder.n, "file"),
		    str_amount(b.owner, (int64_t)p->folder.bytes),
		    str_amount(b.owner, (int64_t)bytes_to_send(p)));
	return http_send(p->cli, &req, quiet, res);
}

/* Marks files whose bytes the service lacks. Returns false if it named none of ours, since another
 * try would fail, too. */
static bool
missing_mark(struct publishing *p, const struct json *reply)
{
	void *mem = p->cli->c->mem;
	size_t n;
	const struct json *missing = json_list(reply, "details.missing", &n);
	const char **v = mem_array(mem, const char *, n + 1);
	bool any = false;

	for (size_t i = 0; i < n; i++)
		v[i] = json_member(json_at(missing, i), "");
	qsort(v, n, sizeof *v, str_order);
	for (size_t i = 0; i < p->folder.n; i++) {
		const char *hex = crypto_hex(mem, p->folder.v[i].sha256, SHA256_BYTES);

		if (!p->send[i] && bsearch(&hex, v, n, sizeof *v, str_order))
			any = p->send[i] = true;
	}
	return any;
}

/* ---- notes and questions to the user ---- */

static void
left_out_print(const struct publishing *p)
{
	const struct folder *o = &p->folder;
	struct buf b = BUF(p->cli->c->mem);
	size_t most = sizeof o->left / sizeof *o->left;

	if (!o->left_n || p->cli->quiet)
		return;
	for (size_t i = 0; i < o->left_n && i < most; i++)
		buf_fmt(&b, "%s%s", i ? ", " : "", o->left[i]);
	cli_note("left out %zu: %s%s", o->left_n, b.s, o->left_n > most ? ", …" : "");
}

/* Asks about files that look like secrets. Without a terminal it only warns: the guess may be
 * wrong, and a script that always worked must not stop for a word in a page. An agent is refused,
 * since it doesn't decide for its person. */
static bool
secrets_confirm(const struct publishing *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->folder.n; i++) {
		const struct folder_file *f = &p->folder.v[i];

		if (f->secret && n++ < 10)
			cli_warn("%s looks like %s", f->path, f->secret);
	}
	if (n > 10)
		cli_warn("%s more like these", str_number(p->cli->c->mem, (int64_t)n - 10));
	if (n && p->what->agent)
		return cli_fail("take %s out, list %s in .vitrineignore, or have your person run "
				"vitrine publish %s",
			   n == 1 ? "it" : "them", n == 1 ? "it" : "them", p->what->place) ==
		    EXIT_FINE;
	return !n || option(p, "--yes") || !cli_asks() ||
	    cli_ask("Publish %s anyway?", n == 1 ? "it" : "them");
}

/* Says who can open the page. A visibility that waits for approval isn't announced as done. */
static void
visibility_print(const struct publishing *p, const struct json *reply)
{
	const char *v = json_member(reply, "artifact.visibility"),
		   *id = json_member(reply, "artifact.id");
	const struct json *waits = json_get(reply, "approval_required");
	bool team = *json_member(reply, "artifact.workspace_id");
	const char *audience = "";

	if (p->was && str_eq(v, json_member(p->was, "visibility")))
		audience = json_member(p->was, "audience");
	if (waits && json_kind(waits) == J_BOOL && json_true(waits))
		cli_note(
		    "it is waiting for the workspace's approval; request it at %s/a/%s/sharing",
		    p->cli->url, id);
	else if (str_eq(json_member(reply, "held_for"), "checks") &&
	    json_true(json_get(json_get(reply, "version"), "is_draft")))
		cli_note("a draft: it goes live when a browser has seen that it passes its checks");
	else if (str_eq(json_member(reply, "held_for"), "pin"))
		cli_note("a draft: another version is pinned; vitrine pin --end unpins it");
	else if (!option(p, "--draft"))
		visibility_explain(p->cli, v, audience, team);
	else if (option(p, "--draft") && !p->cli->quiet)
		cli_note(team
			? "a draft: until it goes live, only you, its collaborators and those "
			  "in the workspace with a role on it can see it"
			: "a draft: only you and its collaborators can see it until it goes live");
}

/* Names the changes by others that the version has and the files here lack. Returns the version
 * that the files here come from, which is the former one if there are such changes. */
static int64_t
files_version(struct publishing *p, const struct json *reply)
{
	const struct json *merged = json_get_as(reply, "merged", J_OBJ);
	int64_t kept = json_number(merged, "kept"), base = 0;
	size_t lines = json_len(json_get(merged, "lines"));

	if (!p->candidate && (!merged || (!kept && !lines)))
		return json_true(json_get(json_get(reply, "version"), "is_draft"))
		    ? p->memory.found ? p->memory.found->version : 0
		    : json_number(reply, "version.version_no");
	if (merged && !p->cli->quiet)
		cli_note("merged with version %lld: %s of others kept, %s merged by lines",
		    (long long)json_number(merged, "with"),
		    str_count(p->cli->c->mem, kept, "file"),
		    str_count(p->cli->c->mem, (int64_t)lines, "file"));
	if (!p->cli->quiet)
		cli_note("to have their changes here: vitrine pull --force %s %s",
		    json_member(reply, "deployment.slug"),
		    str_shell(p->cli->c->mem, p->folder.place));
	if (p->base)
		str_int(p->base, &base);
	return base ? base : p->memory.found ? p->memory.found->version : 0;
}

static void
warnings_print(const struct json *reply)
{
	size_t n;
	const struct json *warnings = json_list(reply, "warnings", &n);

	for (size_t i = 0; i < n; i++)
		cli_fail("%s", json_member(json_at(warnings, i), ""));
}

/* Prints the plan of vitrine.yaml. */
static int
plan_print(struct cli *cli, const struct json *reply)
{
	size_t n;

	warnings_print(reply);
	json_list(reply, "plan", &n);
	if (!cli->json && !n && !cli->quiet)
		cli_note("nothing would be changed besides the files");
	return cli->json ? EXIT_FINE
			 : line_list(cli, "{-6 action} {what}[: {before}][ -> {after}]", reply,
			       "plan");
}

/* Warns of what was changed by hand and stays so. */
static void
drift_print(const struct json *reply)
{
	size_t n;
	const struct json *plan = json_list(reply, "plan", &n);

	for (size_t i = 0; i < n; i++)
		if (str_eq(json_member(json_at(plan, i), "action"), "drift"))
			cli_warn("%s was changed by hand and stays so; --reset replaces it",
			    json_member(json_at(plan, i), "what"));
}

static int
published_print(struct publishing *p, const struct json *reply)
{
	const char *id = json_member(reply, "artifact.id"),
		   *url = json_member(reply, "deployment.url"),
		   *version = json_member(reply, "deployment.version_url");
	const struct json *seen;

	if (!id_valid(id, "art_") || !str_http_url(url) ||
	    (*version && !str_http_url(version))) {
		cli_fail("%s didn't answer as Vitrine does; the publish may have succeeded",
		    p->cli->url);
		return EXIT_NETWORK;
	}
	target_remember(p, id, url, files_version(p, reply));
	if (p->folder.n == 1 && !option(p, "--entrypoint") && !p->cli->quiet &&
	    view_kind_of(p->folder.v[0].path) != VIEW_NONE)
		cli_note("a page shows the file; --entrypoint %s publishes the file alone",
		    p->folder.v[0].path);
	warnings_print(reply);
	visibility_print(p, reply);
	seen = json_get_as(reply, "seen", J_OBJ);
	if (seen && !problems_print(p->cli, seen, "problems", cli_note) && !p->cli->quiet)
		line_print(p->cli,
		    "{status=seen?'a browser saw it: nothing went wrong'}"
		    "{status=waiting?'no browser has seen it yet; ask later: vitrine problems'}"
		    "{status=not_seen?'no browser saw it'}"
		    "{why=no_browser?': none can run there'}{why=paused?': the artifact is paused'}"
		    "{why=busy?': the machine is busy; see later with vitrine problems'}"
		    "{why=gone?': the page could not be fetched'}"
		    "{why=sign_in?': its visitors must sign in'}"
		    "{why=crashed?': the browser crashed'}",
		    seen, cli_note);
	return EXIT_FINE;
}

/* Asks which paths are in conflict, then sends them. */
static int
settled_send(struct publishing *p, struct http_res *res)
{
	int status = publish_attempt(p, "INVALID_REQUEST|VERSION_CONFLICT", res);
	const struct json *open;
	const char *error, *reworded;
	size_t n;

	open = status ? json_list(res->json, "details.open", &n) : NULL;
	if (status == EXIT_CONFLICT)
		return conflict_tell(p->cli, res->json, p->what->place);
	if (!open && status) {
		error = json_member(res->json, "error");
		reworded = publish_reword(p->cli, error, NULL);
		return cli_fail("%s", reworded ? reworded : error);
	}
	if (!open)
		return EXIT_FINE;
	for (size_t i = 0; i < n; i++)
		strs_add(p->cli->c->mem, &p->settled, json_str(json_at(open, i)));
	status = publish_attempt(p, "VERSION_CONFLICT", res);
	return status == EXIT_CONFLICT ? conflict_tell(p->cli, res->json, p->what->place) : status;
}

/* Sends digests first, then the bytes that the service lacks. */
static int
publish_send(struct publishing *p, struct http_res *res)
{
	int status;

	p->send = mem_array(p->cli->c->mem, bool, p->folder.n);
	/* Somebody may take the slug after target_find() has asked for it. */
	if (option(p, "--new") && option(p, "--slug") && !p->expected)
		p->expected = "0";
	if (p->candidate)
		return settled_send(p, res);
	status = publish_attempt(p, "MISSING_BLOBS|VERSION_CONFLICT", res);
	if (status == EXIT_CONFLICT && str_eq(json_member(res->json, "code"), "MISSING_BLOBS") &&
	    missing_mark(p, res->json))
		status = publish_attempt(p, "VERSION_CONFLICT", res);
	return status == EXIT_CONFLICT ? conflict_tell(p->cli, res->json, p->what->place) : status;
}

/* Checks only that the rules are an object, since other text would break the request's JSON. The
 * service checks the rest. */
static bool
policy_read(struct publishing *p)
{
	const char *given = option(p, "--access-policy");
	struct buf text = BUF(p->cli->c->mem);
	struct json *tree;

	if (!given)
		return true;
	if (!cli_given(given, &text))
		return false;
	if (json_parse(p->cli->c, text.s, text.n, &tree) || json_kind(tree) != J_OBJ)
		return cli_fail("--access-policy: %s isn't a JSON object", given) == EXIT_FINE;
	p->policy = text.s;
	return true;
}

/* Finds the workspace of --workspace and the folder of --folder. */
static int
place_find(struct publishing *p)
{
	const char *folder = option(p, "--folder");
	int status = EXIT_FINE;

	if (!folder && !option(p, "--workspace"))
		return EXIT_FINE;
	if (!(p->workspace = workspace_which(p->cli, &status)) || !folder)
		return status;
	p->folder_id = workspace_folder(p->cli, p->workspace, folder, &status);
	if (p->folder_id && !*p->folder_id)
		p->folder_id = NULL;
	return status;
}

/* With --entrypoint and the archive's own name, an archive is published as a lone file. */
static int
files_read(struct publishing *p)
{
	const char *place = p->what->place;

	if (p->what->files) {
		p->folder = *p->what->files;
		return EXIT_FINE;
	}
	if (p->what->dir < 0 && unpack_is_archive(place) &&
	    !str_eq(option(p, "--entrypoint"), str_base(place)))
		return unpack_read(p->cli, place, &p->folder);
	if (!folder_read(p->cli, place, p->what->dir, &p->folder))
		return EXIT_REFUSED;
	return str_eq(place, FOLDER_STDIN) ? unpack_stdin(p->cli, &p->folder) : EXIT_FINE;
}

/* Names local files that a lone page refers to, since they aren't published with it. */
static void
refers_print(struct publishing *p)
{
	const struct folder *o = &p->folder;
	const char *dir = mem_strndup(
	    p->cli->c->mem, o->place, strlen(o->place) - strlen(str_base(o->place)));
	struct strs all;
	char *html;

	if (!o->single || !is_remembered(p) || p->cli->quiet ||
	    !mime_is_html(mime_of(o->v[0].path)) ||
	    !folder_content(p->cli, o, &o->v[0], &html))
		return;
	all = refers_find(p->cli->c->mem, html, *dir ? dir : ".");
	for (size_t i = 0; i < all.n; i++)
		cli_note("%s refers to %s, which isn't published", str_base(o->place), all.v[i]);
	if (all.n)
		cli_note("publish the folder to send them: vitrine publish %s", *dir ? dir : ".");
}

int
publish(struct cli *cli, const struct publish_what *what, const struct json **reply)
{
	struct publishing p = {
		.cli = cli, .what = what, .expected = cli_option(cli, "--expected-version")
	};
	struct http_res res;
	int64_t number;
	int status;

	p.base = cli_option(cli, "--base");
	p.candidate = cli_option(cli, "--candidate");
	if (p.expected && !str_int(p.expected, &number))
		return cli_misuse("--expected-version: %s is not a number", p.expected);
	if (p.base && (!str_int(p.base, &number) || number < 1))
		return cli_misuse("--base: %s is not a version's number", p.base);
	if ((p.base != NULL) + (p.expected != NULL) + (p.candidate != NULL) +
	    (option(&p, "--force") != NULL) > 1)
		return cli_misuse("--base, --force, --expected-version, --candidate: leave all "
				  "but one of them out");
	if (!policy_read(&p))
		return EXIT_USAGE;
	if ((status = files_read(&p)))
		return status;
	left_out_print(&p);
	refers_print(&p);
	if ((status = target_find(&p)) || (status = place_find(&p)))
		return status;
	if (!secrets_confirm(&p))
		return cli_fail("nothing was published");
	/* The token may rename an artifact that it can't read. */
	if (p.unread && !p.artifact && !option(&p, "--new") && !option(&p, "--name") && !cli->quiet)
		cli_note("this token can't read artifacts, so the name is set to \"%s\"; "
			 "--name sets another",
		    name_sent(&p));
	if ((status = publish_send(&p, &res)))
		return status;
	*reply = res.json;
	if (option(&p, "--dry-run"))
		return plan_print(cli, res.json);
	drift_print(res.json);
	return published_print(&p, res.json);
}

static int
run_publish(struct cli *cli)
{
	struct publish_what what = { .place = cli->with.args[0], .dir = -1 };
	const struct json *reply;
	const char *version;
	bool draft;
	int status = publish(cli, &what, &reply);

	if (status)
		return status;
	version = json_member(reply, "deployment.version_url");
	draft = json_true(json_get(json_get(reply, "version"), "is_draft"));
	if (cli->json)
		cli_print(cli, reply);
	else if (!cli_option(cli, "--dry-run"))
		cli_line("%s",
		    draft && *version ? version : json_member(reply, "deployment.url"));
	return EXIT_FINE;
}

static const struct cli_option publish_options[] = {
	{ "--slug S", "publish to the artifact with this slug, or create it" },
	{ "--name N", "name of the artifact (default: its current name, or the folder's)" },
	{ "--visibility V", "public, unlisted (anyone with the address), or private",
	    "public|unlisted|private" },
	{ "--message M", "what changed, for the list of versions" },
	{ "--resolves IDS", "comments whose threads the version resolves, with commas between" },
	{ "--reply TEXT", "what each of these threads is answered" },
	{ "--draft", "create the version without making it live" },
	{ "--checks WORDS",
	    "go live only if a browser sees that it passes them, with commas between: "
	    "blank, errors, missing, basics" },
	{ "--wait", "wait some seconds for a browser of the service's, and tell what it saw" },
	{ "--dry-run", "only say what vitrine.yaml would change" },
	{ "--reset", "vitrine.yaml also replaces what was changed by hand" },
	{ "--entrypoint P",
	    "the first page (default: index.html, or a view of the files)" },
	{ "--views V",
	    "pages that show the files: auto (if no file is a page), all (beside pages), or off",
	    "auto|all|off" },
	{ "--spa", "serve the entry page for paths that have no file" },
	{ "--access-policy FILE",
	    "rules for who can read and write its data: JSON, or a file with it" },
	{ "--workspace W", "create the artifact in this workspace (slug or id)" },
	{ "--folder PATH", "create it in this folder of the workspace, such as /Reports/2026" },
	{ "--artifact A", "publish a new version of this artifact (id or slug)" },
	{ "--base N", "the version that the files come from; what others changed since is merged" },
	{ "--force", "publish the files as they are, without what others changed" },
	{ "--candidate C", "settle the conflicts of a publish with the files as they are here" },
	{ "--expected-version N", "publish only if this is the live version" },
	{ "--new", "always create a new artifact" },
	{ "--yes", "don't ask about files that look like secrets" },
	{ 0 },
};

const struct cli_cmd publish_cli[] = {
	{ "publish", "DIR|FILE|-",
	    "publish a folder, a file, an archive, or standard input (-) and print its address",
	    publish_options, .run = run_publish },
	{ 0 },
};
