/* SPDX-License-Identifier: Apache-2.0 */
#include "agents/pagefile.h"

#include "base/str.h"
#include "site/fileview.h"
#include "site/version.h"
#include "store/object.h"

enum err
pagefile_artifact(struct call *k, const char *id, const struct artifact **art)
{
	struct shown unused = { 0 };
	const struct req *served;

	TRY(tool_serve(
	    k, ASKS(GET, tool_uri(k, "/v1/artifacts/%s", id), .shown = &unused), &served));
	*art = served->art;
	return E_OK;
}

enum err
pagefile_read(struct call *k, const char *id, int64_t no, const char *path,
    const struct artifact **art, struct pagefile *out)
{
	struct ctx *c = k->r->c;
	uint8_t sha256[SHA256_BYTES];
	struct version_file *f;
	struct version *v;
	enum err e;

	TRY(pagefile_artifact(k, id, art));
	TRY(version_pick(c, *art, no, &v));
	e = version_file_of(c, *art, v, path ? path : v->entrypoint, &f);
	/* If the entry page is a view, the file that it shows is read. */
	if (e == E_NOT_FOUND && !path) {
		ctx_forgive(c);
		TRY(fileview_shows(c, (*art)->id, v->version_no, v->entrypoint, &path));
		e = version_file_of(c, *art, v, path, &f);
	}
	TRY(e);
	*out = (struct pagefile){
		.path = f->path, .mime = f->mime, .sha256 = f->sha256, .version_no = v->version_no
	};
	if (!crypto_unhex(f->sha256, sha256, sizeof sha256))
		return fail_here(c, "a digest");
	TRY(object_read(c, sha256, PAGEFILE_BYTES, &out->bytes, &out->n));
	out->text = str_is_text(out->bytes, out->n);
	return E_OK;
}

enum err
pagefile_all(
    struct call *k, const char *id, int64_t no, struct version_file_list *out, int64_t *live)
{
	const struct artifact *art;
	struct version *v;
	struct list all;

	*out = (struct version_file_list){ 0 };
	TRY(pagefile_artifact(k, id, &art));
	*live = no ? no : art->version_no;
	if (!*live)
		return E_OK;
	if (no)
		TRY(version_pick(k->r->c, art, no, &v));
	TRY(version_files_of(k->r->c, art, *live, &all));
	*out = (struct version_file_list){ all.v, all.n };
	return E_OK;
}

static int
by_path(const void *path, const void *file)
{
	return strcmp(path, ((const struct version_file *)file)->path);
}

const struct version_file *
pagefile_of(const struct version_file_list *all, const char *path)
{
	return all->n ? bsearch(path, all->v, all->n, sizeof *all->v, by_path) : NULL;
}

/* ---- words ---- */

static bool
tag_is(const char *at, const char *name)
{
	size_t n = strlen(name);

	return strncasecmp(at, name, n) == 0 && !isalnum((unsigned char)at[n]) && at[n] != '-';
}

/* Returns the end of an element whose text isn't shown; NULL if it has none. */
static const char *
element_skip(const char *at, const char *name)
{
	size_t n = strlen(name);

	while ((at = strchr(at, '<'))) {
		if (at[1] == '/' && strncasecmp(at + 2, name, n) == 0)
			return at + 2 + n + strcspn(at + 2 + n, ">");
		at++;
	}
	return NULL;
}

/* Returns the end of a tag, whose quoted values may contain any character. */
static const char *
tag_skip(const char *at)
{
	char quote = 0;

	for (; *at; at++) {
		if (quote)
			quote = *at == quote ? 0 : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else if (*at == '>')
			return at + 1;
	}
	return at;
}

static const char *
tag_read(struct buf *b, const char *at)
{
	static const char *const unseen[] = { "script", "style", "template", "noscript", "svg" };
	static const char *const inside[] = { "a", "b", "i", "em", "strong", "span", "code",
		"small", "abbr", "mark", "sub", "sup", "time", "u", "s", "q", "kbd" };
	const char *name = at + 1 + (at[1] == '/');
	bool block = true;

	if (str_starts(at, "<!--")) {
		const char *end = strstr(at + 4, "-->");

		return end ? end + 3 : at + strlen(at);
	}
	for (size_t i = 0; i < sizeof unseen / sizeof *unseen && at[1] != '/'; i++)
		if (tag_is(name, unseen[i])) {
			const char *end = element_skip(tag_skip(at), unseen[i]);

			return end ? end + (*end == '>') : at + strlen(at);
		}
	for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
		block = block && !tag_is(name, inside[i]);
	if (block && b->n && b->s[b->n - 1] != '\n')
		buf_chr(b, tag_is(name, "td") || tag_is(name, "th") ? '\t' : '\n');
	return tag_skip(at);
}

const char *
pagefile_words(void *owner, const char *html)
{
	struct buf b = BUF(owner);

	while (*html) {
		if (*html == '<' &&
		    (isalpha((unsigned char)html[1]) || html[1] == '/' || html[1] == '!')) {
			html = tag_read(&b, html);
		} else if (*html == '&') {
			html += buf_entity(&b, html);
		} else if (isspace((unsigned char)*html)) {
			if (b.n && !isspace((unsigned char)b.s[b.n - 1]))
				buf_chr(&b, ' ');
			html++;
		} else {
			buf_chr(&b, *html++);
		}
	}
	return buf_done(&b);
}
