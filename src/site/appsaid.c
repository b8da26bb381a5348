/* SPDX-License-Identifier: Apache-2.0 */
#include "site/appsaid.h"

#include "base/json.h"
#include "base/str.h"
#include "base/weblib.h"
#include "ext/parcel.h"

#include <ctype.h>

enum { ERRORS_MOST = 20, TEXT_CHARS = 300 };

/* ---- mistakes ---- */

struct wrong {
	const char *file, *text;
	int64_t line, column; /* from 1 */
};
struct wrongs {
	struct wrong v[ERRORS_MOST];
	size_t n;
};

static void
wrong_add(struct wrongs *all, const char *file, int64_t line, int64_t column, const char *text)
{
	if (all->n < ERRORS_MOST)
		all->v[all->n++] = (struct wrong){ file, text, line, column };
}

static const char *
no_library(struct ctx *c, const char *specifier)
{
	return mem_printf(c->mem, "“%s” is not one of the libraries that apps can import",
	    str_cut(c->mem, specifier, TEXT_CHARS));
}

static const char *
wrong_text(struct ctx *c, const char *text)
{
	static const char begins[] = "Could not resolve \"";
	const char *name = text + strlen(begins), *end;
	bool library;

	if (!str_starts(text, begins) || !(end = strchr(name, '"')))
		return str_cut(c->mem, str_one_line(c->mem, text), TEXT_CHARS);
	name = mem_strndup(c->mem, name, (size_t)(end - name));
	library = *name && *name != '.' && *name != '/' && !str_starts(name, "@/");
	return library
	    ? no_library(c, name)
	    : mem_printf(c->mem, "there is no file “%s”", str_cut(c->mem, name, TEXT_CHARS));
}

/* Reads "    FILE:LINE:COLUMN:"; esbuild counts columns from 0. */
static bool
place_read(struct ctx *c, const char *line, struct wrong *out)
{
	char *file = mem_strdup(c->mem, line + strspn(line, " "));
	size_t n = strlen(file);
	char *column, *no;

	if (!n || file[n - 1] != ':')
		return false;
	file[n - 1] = '\0';
	column = strrchr(file, ':');
	if (!column)
		return false;
	*column++ = '\0';
	no = strrchr(file, ':');
	if (!no)
		return false;
	*no++ = '\0';
	out->file = file;
	if (!str_int(no, &out->line) || !str_int(column, &out->column))
		return false;
	out->column++;
	return true;
}

/* The log's messages are "✘ [ERROR] TEXT", a blank line, and their place. */
static void
log_read(struct ctx *c, const struct built *b, struct wrongs *all)
{
	static const char begins[] = "✘ [ERROR] ";
	char *rest = mem_strndup(c->mem, b->log ? b->log : "", b->log_n), *line;
	const char *text = NULL;
	struct wrong w;

	while ((line = str_split(&rest, '\n'))) {
		if (str_starts(line, begins)) {
			text = wrong_text(c, line + strlen(begins));
		} else if (text && place_read(c, line, &w)) {
			wrong_add(all, w.file, w.line, w.column, text);
			text = NULL;
		}
	}
}

/* Finds where a source has a text. */
static void
place_find(struct ctx *c, const struct buf *parcel, const char *path, const char *text,
    struct wrong *w)
{
	const char *source = mem_printf(c->mem, "src/%s", path), *name, *bytes, *found = NULL;
	size_t at = 0, n;

	*w = (struct wrong){ .file = path, .line = 1, .column = 1 };
	while (!found && parcel_next(parcel->s, parcel->n, &at, &name, &bytes, &n))
		if (str_eq(name, source))
			found = memmem(bytes, n, text, strlen(text));
	for (; found && bytes < found; bytes++) {
		w->column = *bytes == '\n' ? 1 : w->column + 1;
		w->line += *bytes == '\n';
	}
}

/* ---- what it imports ---- */

struct imports {
	struct ctx *c;
	const struct buf *parcel;
	const char *from; /* the file that is looked at */
	struct wrongs wrongs;
	struct app_said *said;
};

static void
once_add(struct imports *im, struct strs *list, const char *text)
{
	if (!strs_have(list, text))
		strs_add(im->c->mem, list, text);
}

/* "https://a.example/x" and "//a.example/x" have the origin https://a.example. */
static const char *
origin_of(struct ctx *c, const char *address)
{
	const char *host = strstr(address, "//");

	if (!host || (host != address && !str_starts(address, "https:")))
		return NULL;
	host += 2;
	host = mem_strndup(c->mem, host, strcspn(host, "/?#"));
	for (const char *p = host; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr(".-:", *p))
			return NULL;
	return *host ? mem_printf(c->mem, "https://%s", host) : NULL;
}

static void
import_read(struct imports *im, const struct json *one)
{
	const char *path = json_word(one, "path"), *as = json_word(one, "original"), *origin;
	bool external = json_true(json_get(one, "external"));
	struct wrong w;

	if (!path || (!external && !str_starts(path, "../")))
		return;
	/* A style sheet loads no scripts. */
	if (external && str_in(json_word(one, "kind"), "import-rule|url-token"))
		return;
	origin = external ? origin_of(im->c, path) : NULL;
	if (external && weblib_url(path)) {
		once_add(im, &im->said->libraries, path);
	} else if (origin) {
		once_add(im, &im->said->hosts, origin);
	} else if (!external || !str_starts(path, "data:")) {
		as = as ? as : path;
		place_find(im->c, im->parcel, im->from, as, &w);
		wrong_add(&im->wrongs, w.file, w.line, w.column,
		    external ? no_library(im->c, as)
			     : mem_printf(im->c->mem, "“%s” is no file of this version",
				   str_cut(im->c->mem, as, TEXT_CHARS)));
	}
}

static int
input_read(void *arg, const char *path, const struct json *input)
{
	struct imports *im = arg;
	const struct json *all = json_get(input, "imports");

	im->from = path;
	for (size_t i = 0; i < json_len(all); i++)
		import_read(im, json_at(all, i));
	return 0;
}

static enum err
wrongs_fail(struct ctx *c, const struct wrongs *all)
{
	const struct wrong *w = all->v;
	const struct weblib *libs;
	struct buf b = BUF(c->mem);
	size_t libs_n;

	buf_str(&b, "{\"errors\":[");
	for (size_t i = 0; i < all->n; i++) {
		buf_str(&b, i ? ",{\"file\":" : "{\"file\":");
		buf_json(&b, w[i].file);
		buf_fmt(&b, ",\"line\":%lld,\"column\":%lld,\"text\":", (long long)w[i].line,
		    (long long)w[i].column);
		buf_json(&b, w[i].text);
		buf_chr(&b, '}');
	}
	buf_str(&b, "],\"libraries\":[");
	libs = weblib_all(&libs_n);
	for (size_t i = 0; i < libs_n; i++) {
		buf_str(&b, i ? "," : "");
		buf_json(&b, libs[i].specifier);
	}
	buf_str(&b, "]}");
	c->details = buf_done(&b);
	return fail(c, E_INVALID, "the app can’t be built: %s, line %lld: %s%s", w->file,
	    (long long)w->line, w->text,
	    all->n > 1 ? mem_printf(c->mem, " (and %s)",
			     str_count(c->mem, (int64_t)all->n - 1, "more mistake"))
		       : "");
}

enum err
app_said(
    struct ctx *c, const struct built *b, const struct buf *parcel, struct app_said *out)
{
	struct imports im = { .c = c, .parcel = parcel, .said = out };
	struct json *meta;

	*out = (struct app_said){ 0 };
	log_read(c, b, &im.wrongs);
	if (!im.wrongs.n && b->js) {
		TRY(json_parse(c, b->meta ? b->meta : "", b->meta_n, &meta));
		json_each(json_get_as(meta, "inputs", J_OBJ), input_read, &im);
	}
	return im.wrongs.n ? wrongs_fail(c, &im.wrongs) : E_OK;
}
