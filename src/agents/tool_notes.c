/* SPDX-License-Identifier: Apache-2.0
 * Tools for a workspace's notes: what was learned of its pages, and what people wrote. */
#include "agents/tool.h"
#include "base/etag.h"
#include "base/str.h"

enum { PATHS_SHOWN = 500 };

/* Returns the workspace that is named, else the one that the token is confined to. */
static enum err
notes_of(struct call *k, const char *named, const char **ws)
{
	const struct json *reply;
	bool none;

	*ws = tool_workspace(k, named);
	if (*ws)
		return E_OK;
	none = !tool_ask(k, GET, NULL, NULL, &reply, "/v1/workspaces") &&
	    !json_len(json_get(reply, "workspaces"));
	ctx_forgive(k->r->c);
	return fail(k->r->c, E_INVALID,
	    none ? "workspace: notes belong to a workspace, and you are in none"
		 : "workspace: name it by its id; whoami with workspaces lists them");
}

static const char *
note_address(struct call *k, const char *ws, const char *path)
{
	struct buf b = BUF(k->r->c->mem);

	buf_fmt(&b, "/v1/workspaces/%s/knowledge/files/", ws);
	buf_url(&b, path);
	return buf_done(&b);
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
	const struct json *reply, *tree;
	int64_t shown = 0, all = 0;
	size_t n = folder ? strlen(folder) : 0;

	TRY(tool_ask(k, GET, NULL, NULL, &reply, "/v1/workspaces/%s/knowledge/tree", ws));
	tree = json_get(reply, "tree");
	for (size_t i = 0; i < json_len(tree); i++) {
		const struct json *one = json_at(tree, i);
		const char *path = json_word(one, "path");

		if (!str_eq(json_word(one, "type"), "file") ||
		    (n && (strncmp(path, folder, n) != 0 || path[n] != '/')) ||
		    all++ >= PATHS_SHOWN)
			continue;
		buf_fmt(&b, "%s: %s\n", path, json_word(one, "title"));
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
	const struct json *reply;

	TRY(tool_ask(k, GET, NULL, NULL, &reply, "%s", note_address(k, ws, path)));
	tool_tell(k, "path", json_get(reply, "path"));
	tool_tell(k, "title", json_get(reply, "title"));
	tool_tell_text(k, "text",
	    tool_quote(k, "members of the workspace, or a page", json_word(reply, "content")));
	tool_tell(k, "origin", json_get(reply, "origin"));
	tool_tell(k, "source", json_get(reply, "source"));
	tool_tell(k, "links", json_get(reply, "links"));
	tool_tell(k, "backlinks", json_get(reply, "backlinks"));
	tool_tell(k, "updated_at", json_get(reply, "updated_at"));
	return E_OK;
}

static enum err
t_note_read(struct call *k, const void *arg)
{
	const struct note_read_in *in = arg;
	const char *ws;

	TRY(notes_of(k, in->workspace, &ws));
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

/* Checks that the agent has read the text that it replaces. */
static enum err
before_check(struct call *k, const struct note_write_in *in, const char *address, bool *is_new)
{
	const struct json *reply;
	enum err e = tool_ask(k, GET, NULL, NULL, &reply, "%s", address);

	*is_new = e == E_NOT_FOUND;
	if (*is_new)
		return ctx_forgive(k->r->c);
	TRY(e);
	if (str_eq(in->before, json_word(reply, "content")))
		return E_OK;
	return fail_before(k, in);
}

/* Writes the note on the condition that it is unchanged since before_check(). */
static enum err
note_put(struct call *k, const struct note_write_in *in, const char *address, bool is_new,
    const struct json **reply)
{
	struct buf body = BUF(k->r->c->mem);
	struct serving put = { .method = method_names[PUT], .uri = address };
	const struct req *served;
	struct json *tree;
	enum err e;

	buf_str(&body, "{\"content\":");
	buf_json(&body, in->text);
	buf_chr(&body, '}');
	put.json = buf_done(&body);
	if (is_new)
		put.if_none_match = "*";
	else
		put.if_match = etag_of_bytes(k->r->c->mem, in->before, strlen(in->before));
	served = req_serve(k->r, &put);
	if (served->forwarded)
		return tool_slow(k);
	e = req_served(k->r, served);
	if (e == E_PRECONDITION)
		return fail_before(k, in);
	TRY(e);
	TRY(json_parse(k->r->c, served->out.s, served->out.n, &tree));
	*reply = tree;
	return E_OK;
}

static enum err
t_note_write(struct call *k, const void *arg)
{
	const struct note_write_in *in = arg;
	const struct json *reply;
	const char *ws, *address;
	bool is_new;

	TRY(notes_of(k, in->workspace, &ws));
	address = note_address(k, ws, in->path);
	TRY(before_check(k, in, address, &is_new));
	TRY(note_put(k, in, address, is_new, &reply));
	tool_tell_text(k, "saved", is_new ? "new" : "changed");
	tool_tell(k, "path", json_get(reply, "path"));
	tool_tell(k, "title", json_get(reply, "title"));
	return E_OK;
}

const struct tool tools_notes[] = {
	{ "note_read", "Read notes",
	    "Reads a note of a workspace, what it links to and what links to it, or tells which "
	    "notes there are. pages/<slug>.md says what a page says; the rest people wrote. search "
	    "finds notes, too.",
	    &note_read_in_shape, DATA_READ, .reads = true, .call = t_note_read },
	{ "note_write", "Write a note",
	    "Writes a note of a workspace, new or in place of the text that you have read. What "
	    "you correct in a learned note stays.",
	    &note_write_in_shape, DATA_WRITE, DATA_READ, .destroys = true, .again = true,
	    .call = t_note_write },
	{ NULL },
};
