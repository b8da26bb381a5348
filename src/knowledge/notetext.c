/* SPDX-License-Identifier: Apache-2.0 */
#include "knowledge/notetext.h"

#include "base/id.h"
#include "base/path.h"
#include "base/str.h"
#include "base/unicode.h"

#define ENDS ".md"

struct note_ref
note_ref_of(struct ctx *c, const char *path)
{
	const char *key = unicode_casefold_nfkc(c->mem, path), *slug = key + strlen(NOTE_PAGES);
	struct note_ref out = { .path = path, .learned = str_starts(key, NOTE_PAGES) };

	crypto_sha256(key, strlen(key), out.key);
	if (!out.learned || !str_ends(key, ENDS) || strlen(slug) <= strlen(ENDS))
		return out;
	slug = mem_strndup(c->mem, slug, strlen(slug) - strlen(ENDS));
	out.slug = slug_valid(slug) ? slug : NULL;
	return out;
}

const char *
note_learned_path(struct ctx *c, const char *slug)
{
	return mem_printf(c->mem, NOTE_PAGES "%s" ENDS, slug);
}

/* A folder can't be named like a note. */
static bool
folder_is_note(const char *path)
{
	for (const char *at = path; (at = strchr(at, '/')); at++)
		if (at - path >= (ptrdiff_t)strlen(ENDS) &&
		    strncasecmp(at - strlen(ENDS), ENDS, strlen(ENDS)) == 0)
			return true;
	return false;
}

enum err
note_path_check(struct ctx *c, const char *where, const char **given)
{
	const char *path;

	TRY(path_check(c, where, given));
	path = *given;
	if (strlen(path) > NOTE_PATH_BYTES)
		return fail(
		    c, E_INVALID, "%s: is longer than %d bytes", where, NOTE_PATH_BYTES);
	if (!str_ends(path, ENDS) || str_eq(str_base(path), ENDS))
		return fail(c, E_INVALID, "%s: must end with .md, behind a name", where);
	return folder_is_note(path)
	    ? fail(c, E_INVALID, "%s: has a folder that ends with .md, as notes do", where)
	    : E_OK;
}

struct bytes
note_text(struct bytes content)
{
	static const char fence[] = "---\n", end[] = "\n---\n";
	const char *text = content.p, *at;

	if (content.n < strlen(fence) || memcmp(text, fence, strlen(fence)) != 0)
		return content;
	at = memmem(text, content.n, end, strlen(end));
	if (!at)
		return content;
	at += strlen(end);
	return (struct bytes){ at, content.n - (size_t)(at - text) };
}

const char *
note_title(struct ctx *c, const char *path, struct bytes content)
{
	struct bytes text = note_text(content);
	const char *title = markdown_heading(c->mem, text.p, text.n), *name = str_base(path);

	if (!title || !*title)
		title = mem_strndup(c->mem, name, strlen(name) - strlen(ENDS));
	return str_cut(c->mem, title, NOTE_TITLE);
}

const char *
note_link_path(struct ctx *c, const char *target)
{
	const char *path = target;
	size_t n = strlen(path);

	if (n > strlen(ENDS) && strcasecmp(path + n - strlen(ENDS), ENDS) == 0)
		n -= strlen(ENDS);
	path = mem_printf(c->mem, "%.*s" ENDS, (int)n, path);
	if (note_path_check(c, "link", &path) == E_OK)
		return path;
	ctx_forgive(c);
	return NULL;
}

struct links {
	struct ctx *c;
	struct note_saids *out;
};

static bool
link_add(void *arg, const struct markdown_ref *ref)
{
	struct links *l = arg;
	struct note_saids *out = l->out;
	const char *path = note_link_path(l->c, ref->path);
	struct note_said *link = &out->v[out->n];

	if (!path)
		return true;
	*link = (struct note_said){ note_ref_of(l->c, path),
		str_cut(l->c->mem, ref->text, NOTE_TITLE), ref->before, ref->after };
	for (size_t i = 0; i < out->n; i++)
		if (memcmp(out->v[i].to.key, link->to.key, sizeof link->to.key) == 0)
			return true;
	out->more = out->n == NOTE_LINKS;
	out->n += !out->more;
	return !out->more;
}

void
note_links(struct ctx *c, struct bytes content, struct note_saids *out)
{
	struct bytes text = note_text(content);

	*out = (struct note_saids){ .v = mem_array(c->mem, struct note_said, NOTE_LINKS + 1) };
	markdown_refs(c->mem, text.p, text.n, link_add, &(struct links){ c, out });
}
