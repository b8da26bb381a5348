/* SPDX-License-Identifier: Apache-2.0 */
#include "site/app.h"

#include "base/conf.h"
#include "base/str.h"
#include "base/viewdraw.h"
#include "base/weblib.h"
#include "ext/helper.h"
#include "ext/parcel.h"
#include "ext/room.h"
#include "site/appsaid.h"
#include "site/shownfile.h"
#include "store/object.h"
#include "store/temp.h"

#include <sys/stat.h>

enum { SOURCES_MOST = 5000, SOURCES_BYTES = 32 << 20, BUILT_BYTES = 64 << 20, VERSION_CHARS = 40 };
#define TAILWIND "tailwindcss" /* a style sheet may import it */

size_t
app_find(void *owner, const struct shown_file *files, size_t n)
{
	const char **paths = mem_array(owner, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		paths[i] = files[i].path;
	return view_app_of(paths, n);
}

/* ---- what goes into the room ---- */

static const char main_js[] =
    "import { createElement } from \"react\";\nimport { createRoot } from \"react-dom/client\";\n"
    "const App = page[\"default\"];\n"
    "if (App) createRoot(document.getElementById(\"root\")).render(createElement(App));\n";
static const char tsconfig[] =
    "{\"compilerOptions\":{\"baseUrl\":\"/tmp/src\",\"paths\":{\"@/*\":[\"./*\"]}}}";
/* No published path can be in _vitrine/. A file of the kind `file` is named by its own path. */
static const char usual_args[] =
    "_vitrine/app.js\n--bundle\n--format=esm\n--target=es2022\n--jsx=automatic\n"
    "--outdir=/tmp/out\n--outbase=/tmp/src\n--entry-names=main\n--asset-names=[dir]/[name]\n"
    "--public-path=/\n--metafile=/tmp/meta.json\n--tsconfig=/tmp/tsconfig.json\n"
    "--minify-whitespace\n--minify-syntax\n--charset=utf8\n--legal-comments=none\n"
    "--log-limit=20\n--log-level=error\n--color=false\n--external:" TAILWIND "\n"
    "--define:process.env.NODE_ENV=\"production\"\n";

/* "@/components/ui/button" is a library unless the version has a file of that name. */
static bool
has_own_file(const struct shown_file *files, size_t n, const char *specifier)
{
	size_t length;

	if (!str_starts(specifier, "@/"))
		return false;
	specifier += 2;
	length = strlen(specifier);
	for (size_t i = 0; i < n; i++)
		if (str_starts(files[i].path, specifier) &&
		    (files[i].path[length] == '.' || files[i].path[length] == '/'))
			return true;
	return false;
}

static void
args_add(struct buf *parcel, const struct shown_file *files, size_t n)
{
	struct buf args = BUF(parcel->owner);
	char *rest = mem_strdup(parcel->owner, VIEW_APP_NAMES), *ending;
	const struct weblib *libs;
	size_t libs_n;

	buf_str(&args, usual_args);
	while ((ending = str_split(&rest, '|')))
		buf_fmt(&args, "--loader:.%s=file\n", ending);
	libs = weblib_all(&libs_n);
	for (size_t i = 0; i < libs_n; i++)
		if (!has_own_file(files, n, libs[i].specifier))
			buf_fmt(&args, "--external:%s\n", libs[i].specifier);
	parcel_add(parcel, "args", buf_done(&args), args.n);
}

static void
main_add(struct buf *parcel, const char *entry)
{
	struct buf b = BUF(parcel->owner);

	buf_str(&b, "import * as page from ");
	buf_json(&b, mem_printf(parcel->owner, "../%s", entry));
	buf_fmt(&b, ";\n%s", main_js);
	parcel_add(parcel, "src/_vitrine/app.js", buf_done(&b), b.n);
	parcel_add(parcel, "tsconfig.json", tsconfig, strlen(tsconfig));
}

static enum err
source_add(struct ctx *c, struct buf *parcel, const struct shown_file *f)
{
	const char *bytes = f->bytes ? f->bytes : "";
	bool reads = view_app_reads(f->path);
	uint8_t sha256[SHA256_BYTES];
	size_t n = reads ? (size_t)f->size : 0;

	if (!reads && !view_app_names(f->path))
		return E_OK;
	if (reads && !f->bytes) {
		if (!crypto_unhex(f->sha256, sha256, sizeof sha256))
			return fail_here(c, "%s is not a digest", f->sha256);
		TRY(object_read(c, sha256, SOURCES_BYTES, &bytes, &n));
	}
	parcel_add(parcel, mem_printf(c->mem, "src/%s", f->path), bytes, n);
	return E_OK;
}

static bool
sources_fit(const struct shown_file *files, size_t n)
{
	int64_t bytes = 0;
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		bool reads = view_app_reads(files[i].path);

		count += reads || view_app_names(files[i].path);
		bytes += reads ? files[i].size : 0;
	}
	return count <= SOURCES_MOST && bytes <= SOURCES_BYTES;
}

/* ---- the room ---- */

static void
built_read(const char *parcel, size_t n, struct built *out)
{
	const char *name, *bytes;
	size_t at = 0, bytes_n;

	while (parcel_next(parcel, n, &at, &name, &bytes, &bytes_n)) {
		if (str_eq(name, "log"))
			out->log = bytes, out->log_n = bytes_n;
		else if (str_eq(name, "out/main.js"))
			out->js = bytes, out->js_n = bytes_n;
		else if (str_eq(name, "out/main.css"))
			out->css = bytes, out->css_n = bytes_n;
		else if (str_eq(name, "meta.json"))
			out->meta = bytes, out->meta_n = bytes_n;
	}
}

/* *out is empty if the program was ended. */
static enum err
room_build(struct ctx *c, const struct buf *parcel, struct built *out)
{
	struct room *room;
	const char *said;
	size_t n;
	enum err e;
	int fd;

	*out = (struct built){ 0 };
	TRY(temp_nameless(c, c->mem, &fd));
	if (!helper_write(fd, parcel->s, parcel->n))
		return fail_here(c, "sources for the builder");
	TRY(room_open(c, ROOM_BUILD, fd, 0, &room));
	e = room_output(c, room, BUILT_BYTES, &said, &n);
	mem_free(room);
	if (!e)
		built_read(said, n, out);
	ctx_forgive(c);
	return E_OK;
}

/* Asks a program for its version once, until it is replaced. */
enum err
app_builder(struct ctx *c, const char *program, const char **version)
{
	static char known[VERSION_CHARS];
	static struct timespec known_at;
	struct buf parcel = BUF(c->mem);
	struct built built;
	struct stat st;

	*version = known;
	if (stat(program, &st))
		return fail_here(c, "stat %s", program);
	if (*known && st.st_mtim.tv_sec == known_at.tv_sec &&
	    st.st_mtim.tv_nsec == known_at.tv_nsec)
		return E_OK;
	parcel_add(&parcel, "args", "--version", strlen("--version"));
	parcel_add(&parcel, "src/none", "", 0);
	TRY(room_build(c, &parcel, &built));
	if (!built.log_n)
		return fail(c, E_UNAVAILABLE, "%s doesn't start", program);
	snprintf(known, sizeof known, "%.*s", (int)built.log_n, built.log);
	known[strspn(known, "0123456789.")] = '\0';
	known_at = st.st_mtim;
	return E_OK;
}

/* ---- the page ---- */

static const char *
script_hash(struct ctx *c, const char *text, size_t n)
{
	uint8_t sha256[SHA256_BYTES];

	crypto_sha256(text, n, sha256);
	return mem_printf(c->mem, "'sha256-%s'", crypto_base64(c->mem, sha256, sizeof sha256));
}

static const char *
import_map(struct ctx *c, const struct app_said *said)
{
	struct buf b = BUF(c->mem);

	buf_str(&b, "{\"imports\":{");
	for (size_t i = 0; i < said->libraries.n; i++) {
		buf_str(&b, i ? "," : "");
		buf_json(&b, said->libraries.v[i]);
		buf_chr(&b, ':');
		buf_json(&b, weblib_url(said->libraries.v[i]));
	}
	buf_str(&b, "}}");
	return buf_done(&b);
}

/* Writes each "<!--" as an escape: it would keep the script's end from being one. esbuild writes it
 * only in strings and templates. */
static void
script_add(struct buf *b, const char *js, size_t n)
{
	static const char opens[] = "<!--";

	for (const char *at = js, *end = js + n, *found; at < end; at = found + 1) {
		found = memmem(at, (size_t)(end - at), opens, strlen(opens));
		buf_add(b, at, (size_t)((found ? found : end) - at));
		if (!found)
			return;
		buf_str(b, "<\\x21");
		found += 1;
	}
}

/* Utility classes need Tailwind: those of the components among the libraries, those of an app
 * without a style sheet of its own, or with one that asks for it. */
static const char *
tailwind_url(const struct built *b, const struct app_said *said, bool *within)
{
	bool wanted = !b->css_n && memmem(b->js, b->js_n, "className", strlen("className"));

	*within = b->css_n &&
	    (memmem(b->css, b->css_n, TAILWIND, strlen(TAILWIND)) ||
		memmem(b->css, b->css_n, "@tailwind", strlen("@tailwind")));
	for (size_t i = 0; i < said->libraries.n; i++)
		wanted |= str_starts(said->libraries.v[i], "@/components/");
	return *within || wanted ? weblib_url("@tailwindcss/browser") : NULL;
}

static void
head_add(struct ctx *c, const struct built *built, const struct app_said *said,
    struct view_drawn *out, const struct buf *js)
{
	struct buf *b = &out->html;
	const char *map = import_map(c, said), *tailwind;
	bool within;

	tailwind = tailwind_url(built, said, &within);
	buf_str(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
	/* A page may load pictures and data of any host, as one that was published as HTML may, but
	 * only scripts that it was built with or imports. */
	buf_fmt(b,
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self' https: "
	    "data: blob:; script-src 'self' %s %s",
	    script_hash(c, map, strlen(map)), script_hash(c, js->s, js->n));
	for (size_t i = 0; i < said->hosts.n; i++)
		buf_fmt(b, " %s", said->hosts.v[i]);
	buf_str(b,
	    "; style-src 'self' 'unsafe-inline' https:; object-src 'none'; base-uri 'none'\">\n");
	buf_str(b,
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<title>");
	buf_html(b, out->title);
	buf_str(b, "</title>\n");
	if (built->css_n)
		buf_fmt(b, "<style%s>%.*s</style>\n", within ? " type=\"text/tailwindcss\"" : "",
		    (int)built->css_n, built->css);
	buf_fmt(b, "<script type=\"importmap\">%s</script>\n", map);
	if (tailwind)
		buf_fmt(b, "<script type=\"module\" src=\"%s\"></script>\n", tailwind);
}

static void
page_draw(struct ctx *c, const struct built *built, const struct app_said *said, const char *path,
    struct view_drawn *out)
{
	struct buf js = BUF(c->mem), *b = &out->html;
	const char *name = str_base(path);

	*out = (struct view_drawn){ .html = BUF(c->mem),
		.title = mem_strndup(c->mem, name, strlen(name) - strlen(".tsx")) };
	script_add(&js, built->js, built->js_n);
	buf_done(&js);
	head_add(c, built, said, out, &js);
	buf_str(b,
	    "</head>\n<body>\n<div id=\"root\"></div>\n<noscript><p>This page is an app and "
	    "needs JavaScript. <a href=\"/");
	buf_url(b, path);
	buf_str(b, "\">Its source</a></p></noscript>\n<script type=\"module\">");
	buf_add(b, js.s, js.n);
	buf_str(b, "</script>\n</body>\n</html>\n");
}

/* ---- all of it ---- */

enum err
app_draw(struct ctx *c, const struct shown_file *files, size_t n, size_t entry,
    struct view_drawn *out, const char **renderer, const char **why)
{
	struct buf parcel = BUF(c->mem);
	const char *program = room_program(c->mem, c->conf, ROOM_BUILD), *version;
	struct app_said said;
	struct built built;
	enum err e;

	*why = !program ? "this service has no esbuild"
	    : !weblib_url("react") || !weblib_url("react/jsx-runtime") ||
		    !weblib_url("react-dom/client")
	    ? "this service has no libraries for apps"
	    : !sources_fit(files, n) ? "its sources are too many"
				     : NULL;
	if (*why)
		return E_OK;
	args_add(&parcel, files, n);
	main_add(&parcel, files[entry].path);
	for (size_t i = 0; i < n; i++)
		TRY(source_add(c, &parcel, &files[i]));
	e = app_builder(c, program, &version);
	if (!e)
		e = room_build(c, &parcel, &built);
	if (e == E_UNAVAILABLE) {
		*why = "this service can’t build apps";
		ctx_forgive(c);
		return E_OK;
	}
	TRY(e);
	TRY(app_said(c, &built, &parcel, &said));
	if (!built.js) {
		*why = "it takes too much memory or time to build";
		return E_OK;
	}
	page_draw(c, &built, &said, files[entry].path, out);
	*renderer = mem_printf(c->mem, "%s esbuild %s", view_renderer(VIEW_APP), version);
	return E_OK;
}
