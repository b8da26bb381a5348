/* SPDX-License-Identifier: Apache-2.0
 * Tools for a workspace's notes: what was learned of its pages, and what people wrote. */
#include "agents/tool.h"
#include "base/etag.h"
#include "base/str.h"

enum { PATHS_SHOWN = 500 };

static const char *
note_address(struct call *k, const char *ws, const char *path)
{
	return tool_uri(k, "/v1/workspaces/%s/knowledge/files/%s", ws,
	    url_encoded(k->r->c->mem, path));
}

/* ---- note_read ---- */

#define NOTE_READ_IN(F, T) \
	F(T, ID,  workspace, .arg = "wsp_") \
	F(T, STR, path,      .lo = 1, .hi = 255, .doc = "Absent: which notes there are") \
	F(T, STR, folder,    .lo = 1, .hi = 255, .doc = "Absent: of all folders")
SHAPE(note_read_in, NOTE_READ_IN);

static enum err
tell_paths(struct call *k, const char *ws, const char *folder)
{
	struct buf b = BUF(k->r->c->mem);
	struct shaped tree;
	int64_t shown = 0, all = 0;
	size_t n = folder ? strlen(folder) : 0;

	TRY(tool_look(k, &tree, "/v1/workspaces/%s/knowledge/tree", ws));
	tree = shaped_of(tree, "tree");
	for (size_t i = 0; i < tree.n; i++) {
		struct shaped one = shaped_at(tree, i);
		const char *path = shaped_text(one, "path");

		if (!str_eq(shaped_text(one, "type"), "file") ||
		    (n && (strncmp(path, folder, n) != 0 || path[n] != '/')) ||
		    all++ >= PATHS_SHOWN)
			continue;
		buf_fmt(&b, "%s: %s\n", path, shaped_text(one, "title"));
		shown++;
	}
	tool_tell_text(k, "notes", tool_quote(k, "members of the workspace", buf_done(&b)));
	if (all > shown)
		tool_tell_int(k, "more", all - shown);
	return E_OK;
}

enum err
tool_tell_note(struct call *k, const char *ws, const char *path)
{
	static const char *const rest[] = { "origin", "source", "links", "backlinks",
		"updated_at" };
	struct shaped note;
	enum err e = tool_ask(k, ASKS(GET, note_address(k, ws, path)), &note);

	if (e == E_NOT_FOUND)
		return fail(k->r->c, e,
		    "There is no note %s that you can read; note_read without path lists them",
		    path);
	TRY(e);
	tool_tell_field(k, note, "path");
	tool_tell_field(k, note, "title");
	tool_tell_text(k, "text",
	    tool_quote(k, "members of the workspace, or a page", shaped_text(note, "content")));
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		tool_tell_field(k, note, rest[i]);
	return E_OK;
}

static enum err
t_note_read(struct call *k, const void *arg)
{
	const struct note_read_in *in = arg;
	const char *ws;

	TRY(tool_workspace_only(k, in->workspace, &ws));
	return in->path ? tool_tell_note(k, ws, in->path) : tell_paths(k, ws, in->folder);
}

/* ---- note_write ---- */

#define NOTE_WRITE_IN(F, T) \
	F(T, ID,  workspace, .arg = "wsp_") \
	F(T, STR, path,      .flags = F_REQ, .lo = 1, .hi = 255, \
		.doc = "Such as guides/price-rules.md") \
	F(T, STR, text,      .flags = F_REQ | F_LONG, .hi = 262144, \
		.doc = "All of it, as Markdown; [[folder/name]] links to another note") \
	F(T, STR, before,    .flags = F_LONG, .hi = 262144, \
		.doc = "The text that it replaces, as you read it; absent: it is new")
SHAPE(note_write_in, NOTE_WRITE_IN);

static enum err
fail_before(struct call *k, const struct note_write_in *in)
{
	return fail(k->r->c, E_CONFLICT,
	    "before: isn't what %s says now; read it with note_read, and send its text as before",
	    in->path);
}

static enum err
t_note_write(struct call *k, const void *arg)
{
	const struct note_write_in *in = arg;
	struct ctx *c = k->r->c;
	const char *ws, *address, *etag = NULL;
	struct shaped note;
	bool is_new;
	enum err e;

	TRY(tool_workspace_only(k, in->workspace, &ws));
	address = note_address(k, ws, in->path);
	e = tool_ask(k, ASKS(GET, address), &note);
	is_new = e == E_NOT_FOUND;
	if (is_new) {
		ctx_forgive(c);
	} else {
		TRY(e);
		/* The agent must have read the text that it replaces. */
		if (!str_eq(in->before, shaped_text(note, "content")))
			return fail_before(k, in);
		etag = etag_of_bytes(c->mem, in->before, strlen(in->before));
	}
	/* Writes on the condition that the note is still as it was read. */
	e = tool_ask(k,
	    ASKS(PUT, address, .body = json_new(c, "content", in->text, NULL), .if_match = etag,
		.if_none_match = is_new ? "*" : NULL),
	    &note);
	if (e == E_PRECONDITION)
		return fail_before(k, in);
	TRY(e);
	tool_tell_text(k, "saved", is_new ? "new" : "changed");
	tool_tell_field(k, note, "path");
	tool_tell_field(k, note, "title");
	return E_OK;
}

const struct tool tools_notes[] = {
	{ "note_read", "Read notes",
	    "Reads a note of a workspace, what it links to and what links to it, or tells which "
	    "notes there are. pages/<slug>.md says what a page says; the rest people wrote.",
	    &note_read_in_shape, DATA_READ, .reads = true, .call = t_note_read },
	{ "note_write", "Write a note",
	    "Writes a note of a workspace, new or in place of the text you read. What "
	    "you correct in a learned note stays.",
	    &note_write_in_shape, DATA_WRITE, DATA_READ, .destroys = true, .again = true,
	    .call = t_note_write },
	{ NULL },
};
