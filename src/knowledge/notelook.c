/* SPDX-License-Identifier: Apache-2.0 */
#include "knowledge/notelook.h"

#include "base/markdown.h"
#include "base/str.h"
#include "knowledge/notetext.h"

struct leading {
	struct ctx *c;
	const struct workspace *w;
	const struct note_link_list links;
	struct markdown_to to;
};

static const char *
write_url(struct ctx *c, const struct workspace *w, const char *path)
{
	struct buf b = BUF(c->mem);

	buf_fmt(&b, "/w/%s/notes/new?path=", w->id);
	buf_form(&b, path);
	return buf_done(&b);
}

/* Finds the targets of a note's links for its reader. Under NOTE_PAGES, a link to a hidden or
 * missing note is plain text. */
static const struct markdown_to *
link_target(void *arg, const char *address)
{
	struct leading *l = arg;
	struct ctx *c = l->c;
	const char *path = note_link_path(c, address);
	struct note_ref ref;

	if (!path)
		return NULL;
	ref = note_ref_of(c, path);
	for (size_t i = 0; i < l->links.n; i++) {
		const struct note_link *link = &l->links.v[i];

		if (memcmp(note_ref_of(c, link->said_path).key, ref.key, sizeof ref.key) != 0)
			continue;
		l->to = link->title
		    ? (struct markdown_to){ note_page_path(c, l->w->id, "read", link->path),
			    NULL }
		    : (struct markdown_to){ write_url(c, l->w, link->path),
			    "No note has this name yet" };
		return &l->to;
	}
	return NULL;
}

static const struct markdown_to *
link_target_unchecked(void *arg, const char *address)
{
	struct leading *l = arg;
	const char *path = note_link_path(l->c, address);

	if (!path)
		return NULL;
	l->to.url = note_page_path(l->c, l->w->id, "read", path);
	return &l->to;
}

const char *
note_shown(struct ctx *c, const char *content)
{
	struct bytes text = note_text((struct bytes){ content, strlen(content) });

	return mem_strndup(c->mem, text.p, text.n);
}

const char *
note_linked(struct ctx *c, const struct workspace *w, const struct note *n)
{
	const char *text = note_shown(c, n->content);

	return markdown_linked(c->mem, text, strlen(text), link_target,
	    &(struct leading){ c, w, { n->links.v, n->links.n }, { 0 } });
}

const char *
note_preview(struct ctx *c, const struct workspace *w, const char *typed)
{
	const char *text = note_shown(c, typed);

	return markdown_linked(c->mem, text, strlen(text), link_target_unchecked,
	    &(struct leading){ c, w, { NULL, 0 }, { 0 } });
}
