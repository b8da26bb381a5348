/* SPDX-License-Identifier: Apache-2.0
 * `vitrine dev` shows a folder as it would be published, on this machine alone, and shows changes
 * at once. Files are those that a publish would send, views are drawn by the service, and the
 * page's data are those of the artifact that the folder was published as. Requests for data carry
 * the user's token from here to the service; nothing that a page gets contains it. */
#include "cli/cmd.h"

#include "base/mime.h"
#include "base/str.h"
#include "base/viewkind.h"
#include "cli/folder.h"
#include "cli/http.h"
#include "cli/memory.h"
#include "cli/serve.h"

#include <ftw.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { VIEW_BYTES = 1 << 20, SETTLE_MS = 60 };
#define WATCHED (IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB)
#define RELOAD "\n<script src=\"/_vitrine/dev.js?%d\"></script>\n"

struct dev {
	struct cli *cli;
	const char *place;
	struct folder files;
	void *mem;           /* owns files */
	struct buf wrong;    /* why a publish of the folder would be refused; empty: it wouldn't */
	const char *service; /* the service's address; NULL: pages alone are shown */
	const char *token;   /* NULL: none, or --as visitor */
	const char *artifact, *pages; /* id; address of the artifact's host; or NULL */
};

/* ---- the folder ---- */

static int watching;

static int
dir_watch(const char *path, const struct stat *st, int type, struct FTW *at)
{
	const char *name = path + at->base;

	(void)st;
	if (type != FTW_D)
		return FTW_CONTINUE;
	if (at->level && (*name == '.' || str_eq(name, "node_modules")))
		return FTW_SKIP_SUBTREE;
	inotify_add_watch(watching, path, WATCHED);
	return FTW_CONTINUE;
}

/* Watches all folders, also those from which a publish would be refused. An editor may replace a
 * lone file, so its folder is watched. */
static void
folder_watch(struct serve *s, const struct dev *d)
{
	const char *base = str_base(d->place);

	s->watch = watching = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (!d->files.single)
		nftw(mem_printf(d->mem, "%s/.", d->place), dir_watch, 16,
		    FTW_PHYS | FTW_ACTIONRETVAL);
	else
		inotify_add_watch(watching,
		    base == d->place
			? "."
			: mem_strndup(d->mem, d->place, (size_t)(base - d->place)),
		    WATCHED);
}

static void
folder_again(struct dev *d)
{
	struct cli one = *d->cli;
	struct ctx of = *d->cli->c;

	mem_free(d->mem);
	d->mem = mem_root("folder");
	of.mem = d->mem;
	one.c = &of;
	d->wrong = BUF(d->mem);
	cli_listen(&d->wrong);
	if (!folder_read(&one, d->place, -1, &d->files))
		d->files.n = 0;
	cli_listen(NULL);
}

/* Editors write a file in several steps, so we wait until nothing has changed for a moment. What
 * changes while the folder is read and watched anew is noticed by the former watch. */
static void
dev_changed(struct serve *s)
{
	struct dev *d = s->arg;
	struct pollfd former;
	char events[65536];

	do {
		former = (struct pollfd){ .fd = s->watch, .events = POLLIN };
		while (read(former.fd, events, sizeof events) > 0 &&
		    poll(&former, 1, SETTLE_MS) > 0)
			;
		folder_again(d);
		folder_watch(s, d);
		former.revents = 0;
		poll(&former, 1, 0);
		close(former.fd);
	} while (former.revents);
	if (d->wrong.n)
		cli_note("%s", mem_strndup(d->mem, d->wrong.s, d->wrong.n - 1));
}

static const struct folder_file *
file_at(const struct dev *d, const char *path)
{
	return str_in(path, "vitrine.yaml|_redirects|_headers")
	    ? NULL
	    : folder_file_at(&d->files, path);
}

/* ---- answers ---- */

static void
say(struct reply *r, int status, const char *words)
{
	r->status = status;
	r->mime = "text/html; charset=utf-8";
	r->body.n = 0;
	buf_str(&r->body, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
			  "<meta name=\"viewport\" content=\"width=device-width\">"
			  "<title>vitrine dev</title><h1>vitrine dev</h1>"
			  "<pre style=\"white-space:pre-wrap\">");
	buf_html(&r->body, words);
	buf_fmt(&r->body, "</pre>" RELOAD, r->changes);
}

static void
file_answer(struct dev *d, const struct folder_file *f, struct reply *r)
{
	struct buf why = BUF(d->mem);
	char *bytes;
	bool good;

	cli_listen(&why);
	good = folder_content(d->cli, &d->files, f, &bytes);
	cli_listen(NULL);
	if (!good) {
		say(r, 404, buf_done(&why));
		return;
	}
	r->mime = mime_of(f->path);
	buf_add(&r->body, bytes, (size_t)f->size);
	if (mime_is_html(r->mime))
		buf_fmt(&r->body, RELOAD, r->changes);
}

/* Sends a request with the user's token (at: the service) or without one (at: a host of pages). */
static bool
service_ask(struct dev *d, const char *at, const char *token, struct http_req *req,
    struct http_res *res)
{
	struct cli one = *d->cli;

	one.url = at;
	one.token = token;
	one.quiet = true;
	req->save_fd = -1;
	req->once = true;
	return http_try(&one, req, res);
}

/* Adds the other files to an order to draw what is the app or a part of it. */
static void
parts_add(struct dev *d, const struct folder_file *drawn, struct buf *body)
{
	const char *between = "";

	body->n--;
	buf_str(body, ",\"files\":[");
	for (size_t i = 0; i < d->files.n; i++) {
		const struct folder_file *f = &d->files.v[i];
		bool reads = view_app_reads(f->path);
		char *text = "";

		if (f == drawn || (!reads && !view_app_names(f->path)) ||
		    (reads &&
			(f->size > VIEW_BYTES || !folder_content(d->cli, &d->files, f, &text) ||
			    !str_is_text(text, (size_t)f->size))))
			continue;
		buf_fmt(body, "%s{\"path\":", between);
		buf_json(body, f->path);
		buf_str(body, ",\"content\":");
		buf_json(body, text);
		buf_chr(body, '}');
		between = ",";
	}
	buf_str(body, "]}");
}

static void
view_answer(struct dev *d, const struct folder_file *f, struct reply *r)
{
	struct http_req req = { .method = "POST", .path = "/v1/render" };
	struct http_res res;
	struct buf body;
	char *text;

	if (!d->service || !d->cli->token) {
		say(r, 404, "The service draws this file's page: sign in with vitrine login.");
		return;
	}
	if (f->size > VIEW_BYTES || !folder_content(d->cli, &d->files, f, &text) ||
	    !str_is_text(text, (size_t)f->size)) {
		say(r, 404,
		    "Only a text of up to 1 MB has its page here; publish the folder to see it.");
		return;
	}
	body = json_object_of(d->cli->c->mem, "path", f->path, "content", text, NULL);
	if (view_app_of(&f->path, 1) == 0)
		parts_add(d, f, &body);
	req.body = buf_done(&body);
	req.body_n = body.n;
	if (!service_ask(d, d->service, d->cli->token, &req, &res) || res.status != 200) {
		say(r, 502,
		    res.json ? json_member(res.json, "error") : "The service didn't answer.");
		return;
	}
	r->mime = "text/html; charset=utf-8";
	buf_str(&r->body, json_member(res.json, "html"));
	buf_fmt(&r->body, RELOAD, r->changes);
}

/* Lists the names directly in a folder, "" or "guide/". False if nothing is below it. */
static bool
list_answer(struct dev *d, const char *dir, struct reply *r)
{
	const char *last = "";
	size_t n = 0;

	say(r, 200, *dir ? dir : "/");
	buf_str(&r->body, "<ul>");
	for (size_t i = 0; i < d->files.n; i++) {
		const char *path = d->files.v[i].path, *name = path + strlen(dir);
		const char *one = str_starts(path, dir)
		    ? mem_strndup(d->cli->c->mem, name,
			  strcspn(name, "/") + (strchr(name, '/') != NULL))
		    : "";
		bool view = !str_ends(one, "/") && view_kind_is_read(view_kind_of(path));

		if (!*one || str_eq(one, last) || !file_at(d, path))
			continue;
		last = one;
		n++;
		buf_fmt(&r->body, "<li><a href=\"%s%s\">", url_encoded(d->cli->c->mem, one),
		    view ? ".html" : "");
		buf_html(&r->body, one);
		buf_str(&r->body, "</a>");
	}
	buf_str(&r->body, "</ul>");
	return n > 0;
}

/* Answers with the view of a file at its address, or of a folder. */
static bool
made_answer(struct dev *d, const char *path, bool folder, struct reply *r)
{
	const char **paths = mem_array(d->cli->c->mem, const char *, d->files.n + 1);
	const struct folder_file *f = NULL, *app;
	size_t at;
	bool below; /* the app is in a folder, so it is shown at the top alone */

	/* Views are drawn only if every file can have one, as with --views auto. */
	for (size_t i = 0; i < d->files.n; i++)
		if (view_kind_of(d->files.v[i].path) == VIEW_NONE)
			return false;
	/* Publishing builds the folder's app with the files that it imports. */
	for (size_t i = 0; i < d->files.n; i++)
		paths[i] = d->files.v[i].path;
	at = view_app_of(paths, d->files.n);
	app = at < d->files.n ? &d->files.v[at] : NULL;
	below = app && strchr(app->path, '/');
	if (app && (!*path || (below && str_eq(path, "index.html"))))
		f = app;
	else if (!*path && d->files.n == 1)
		f = file_at(d, d->files.v[0].path);
	else if (str_ends(path, ".html"))
		f = file_at(d, mem_strndup(d->cli->c->mem, path, strlen(path) - strlen(".html")));
	if (below && str_starts(path, app->path))
		f = NULL;
	if (f)
		view_answer(d, f, r);
	return f || (folder && !app && list_answer(d, path, r));
}

static void
page_answer(struct dev *d, const char *asked, struct reply *r)
{
	static const char *const endings[] = { "", ".html", "/index.html" };
	char *path = mem_strdup(d->cli->c->mem, asked + 1);
	bool folder = str_unescape(path, false) && (!*path || str_ends(path, "/"));
	const struct folder_file *f = NULL;

	for (size_t i = folder ? 2 : 0; !f && i < sizeof endings / sizeof *endings; i++) {
		f = file_at(d,
		    mem_printf(d->cli->c->mem, "%s%s", path, endings[i] + (folder ? 1 : 0)));
		if (f && i == 2 && !folder) {
			r->status = 302;
			r->location = mem_printf(d->cli->c->mem, "%s/", asked);
			return;
		}
	}
	if (f) {
		file_answer(d, f, r);
	} else if (!made_answer(d, path, folder, r)) {
		if ((f = file_at(d, "404.html")))
			file_answer(d, f, r);
		else
			say(r, 404, "There is no such file in the folder.");
		r->status = 404;
	}
}

/* ---- what the service answers ---- */

/* Answers with what a host of pages has for all of them: the script that reaches data, and the
 * libraries. No token goes there. */
static void
shared_answer(struct dev *d, const char *path, struct reply *r)
{
	struct http_req req = { .method = "GET", .path = path };
	struct http_res res;

	if (!d->pages || strstr(path, "..") ||
	    !service_ask(d, d->pages, NULL, &req, &res) || res.status != 200) {
		say(r, 404, "This file is the service's, which didn't send it.");
		return;
	}
	r->mime = res.mime;
	buf_add(&r->body, res.text, res.text_n);
}

/* True for the data that a published page reaches at its own host. */
static bool
data_is_open(void *mem, const char *path)
{
	char *rest = mem_strdup(mem, path), *of = str_split(&rest, '/'), *name, *more;

	if (strchr(path, '%') || strstr(path, ".."))
		return false;
	if (str_in(of, "json|viewer"))
		return !rest;
	if (!str_in(of, "tables|blobs"))
		return false;
	name = rest ? str_split(&rest, '/') : NULL;
	more = rest ? str_split(&rest, '/') : NULL;
	return !name || !more || str_in(more, "rows|summary|content");
}

static void
data_answer(struct dev *d, const struct asked *q, struct reply *r)
{
	void *mem = d->cli->c->mem;
	const char *rest = q->path + strlen("/v1/data/self/"), *heads[3] = { NULL };
	struct http_req req = { .method = str_eq(q->method, "HEAD") ? "GET" : q->method,
		.heads = heads };
	struct http_res res;
	size_t n = 0;

	r->mime = "application/json";
	if (!d->artifact || !data_is_open(mem, rest)) {
		r->status = 404;
		buf_str(&r->body, "{\"success\":false,\"code\":\"NOT_FOUND\","
				  "\"error\":\"vitrine dev has the data of a folder that you have "
				  "published, "
				  "its document, tables and files\"}");
		return;
	}
	if (q->if_match)
		heads[n++] = mem_printf(mem, "If-Match: %s", q->if_match);
	if (q->if_none_match)
		heads[n++] = mem_printf(mem, "If-None-Match: %s", q->if_none_match);
	req.path = mem_printf(mem, "/v1/data/%s/%s%s", d->artifact, rest, q->query);
	req.body = q->body_n ? q->body : NULL;
	req.body_n = q->body_n;
	if (!service_ask(d, d->service, d->token, &req, &res)) {
		r->status = 502;
		buf_fmt(&r->body, "{\"success\":false,\"code\":\"UNAVAILABLE\",\"error\":");
		buf_json(&r->body, res.again);
		buf_chr(&r->body, '}');
		return;
	}
	r->status = (int)res.status;
	r->mime = res.mime;
	r->etag = res.etag;
	buf_add(&r->body, res.text, res.text_n);
}

static void
dev_answer(struct serve *s, void *mem, const struct asked *q, struct reply *r)
{
	struct dev *d = s->arg;

	(void)mem;
	if (str_eq(q->path, "/_vitrine/dev.js")) {
		r->mime = "text/javascript; charset=utf-8";
		buf_str(&r->body,
		    "new EventSource('/_vitrine/dev' + new URL(document.currentScript.src).search)"
		    ".onmessage = () => location.reload();\n");
	} else if (str_starts(q->path, "/v1/data/self/")) {
		data_answer(d, q, r);
	} else if (!str_in(q->method, "GET|HEAD")) {
		say(r, 404, "vitrine dev has the page's data alone.");
	} else if (str_starts(q->path, "/_vitrine/")) {
		shared_answer(d, q->path, r);
	} else if (d->wrong.n) {
		say(r, 500, d->wrong.s);
	} else {
		page_answer(d, q->path, r);
	}
}

/* ---- the command ---- */

/* Finds the service, and the artifact that the folder was published as. Without them, pages alone
 * are shown, which is said. */
static void
service_find(struct dev *d)
{
	struct buf why = BUF(d->cli->c->mem);
	struct http_req req = { .method = "GET", .path = "/v1" };
	struct memory m;
	struct http_res res;
	const char *sites, *slug;
	bool signed_in;

	cli_listen(&why);
	signed_in = cmd_service(d->cli, NEEDS_TOKEN) == EXIT_FINE;
	cli_listen(NULL);
	if (!signed_in || !service_ask(d, d->cli->url, d->cli->token, &req, &res)) {
		cli_note("without a service, so pages alone are shown: %s",
		    why.n ? mem_strndup(why.owner, why.s, why.n - 1) : res.again);
		return;
	}
	d->service = d->cli->url;
	d->token = str_eq(cli_option(d->cli, "--as"), "visitor") ? NULL : d->cli->token;
	sites = json_member(res.json, "sites");
	if ((slug = strstr(sites, "<slug>"))) {
		d->pages = mem_printf(d->cli->c->mem, "%.*sdev%.*s", (int)(slug - sites), sites,
		    (int)strcspn(slug + 6, "/"), slug + 6);
		d->pages = str_starts(d->pages, "https://") ? d->pages : NULL;
	}
	if (memory_locate(d->cli, d->place, &m) && memory_read(d->cli, &m) && m.found && m.ours)
		d->artifact = m.found->artifact_id;
}

static int
dev_serve(struct dev *d, int port)
{
	struct serve s = { .cli = d->cli, .watch = -1, .port = port, .arg = d,
		.changed = dev_changed, .answer = dev_answer };

	folder_again(d);
	if (!d->files.place || d->wrong.n)
		return cli_fail("%s", mem_strndup(d->mem, d->wrong.s, d->wrong.n - 1));
	service_find(d);
	if (!serve_open(&s))
		return EXIT_REFUSED;
	folder_watch(&s, d);
	if (d->cli->json)
		cli_line("{\"url\":\"http://localhost:%d/\"}", s.port);
	else
		cli_line("http://localhost:%d/", s.port);
	fflush(stdout);
	if (d->artifact && !d->cli->quiet)
		cli_note("with the data of %s, as %s; Ctrl-C ends it", d->artifact,
		    d->token ? "you" : "a visitor who isn't signed in");
	serve_run(&s);
	return EXIT_FINE;
}

static int
run_dev(struct cli *cli)
{
	struct dev d = { .cli = cli, .place = cli->with.n ? cli->with.args[0] : "." };
	const char *port = cli_option(cli, "--port");
	int64_t number = 0;
	int status;

	if (port && (!str_int(port, &number) || number < 1 || number > 65535))
		return cli_misuse("--port: %s isn't a port", port);
	status = dev_serve(&d, (int)number);
	mem_free(d.mem);
	return status;
}

static const struct cli_option dev_options[] = {
	{ "--as me|visitor",
	    "whose view of the data the page gets: yours (default), or a stranger's",
	    .checked = true },
	{ "--port N", "listen there (default: 8420, or the next free port)" },
	{ 0 },
};

const struct cli_cmd dev_cli[] = {
	{ "dev", "[DIR]",
	    "show a folder as it would be published, on this machine, and follow its changes",
	    dev_options, .run = run_dev, .needs = NEEDS_NOTHING },
	{ 0 },
};
