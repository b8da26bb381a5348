/* SPDX-License-Identifier: Apache-2.0
 * Tools that read: who the caller is, which things there are, what a page says. */
#include "agents/pagefile.h"
#include "agents/tool.h"
#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"

enum { FETCH_CHARS = 30000, INBOX_SHOWN = 50 };

/* ---- whoami ---- */

#define WHOAMI_IN(F, T) F(T, BOOL, workspaces, .doc = "Also the workspaces that you can work in")
SHAPE(whoami_in, WHOAMI_IN);

static enum err
t_whoami(struct call *k, const void *arg)
{
	const struct whoami_in *in = arg;
	const struct principal *who = k->r->who;
	struct shaped all;

	TRY(tool_ask_all(k, ASKS(GET, "/v1/auth/me")));
	if (who->grant_id)
		tool_tell_text(k, "opens_to", who->opens_to);
	if (who->agent_bound)
		tool_tell_text(
		    k, "workspace_policy", agent_words(k->r->c, who, who->agent_bound));
	if (!in->workspaces)
		return E_OK;
	if (tool_look(k, &all, "/v1/workspaces"))
		return ctx_forgive(k->r->c);
	tool_tell(k, "workspaces", all);
	return E_OK;
}

/* ---- search, and lists ---- */

#define SEARCH_IN(F, T) \
	F(T, STR, query,     .flags = F_REQ, .lo = 1, .hi = 200) \
	F(T, ID,  workspace, .arg = "wsp_") \
	F(T, INT, limit,     .lo = 1, .hi = 50)
SHAPE(search_in, SEARCH_IN);

static enum err
t_search(struct call *k, const void *arg)
{
	const struct search_in *in = arg;
	struct buf *b = &k->out;
	struct shaped all, list;

	TRY(tool_ask(k,
	    ASKS(GET, "/v1/search",
		QUERY({ "groups", "pages" }, { "q", in->query }, { "workspace", in->workspace },
		    { "limit", tool_digits(k, in->limit ? in->limit : 20) })),
	    &all));
	list = shaped_of(all, "results");
	buf_str(b, "\"results\":[");
	for (size_t i = 0; i < list.n; i++) {
		struct shaped a = shaped_at(list, i);
		/* The id of a note is its address. */
		const char *id = shaped_text(a, "id"), *url = shaped_text(a, "url");

		buf_str(b, i ? ",{" : "{");
		json_add(b, "id", str_starts(id, "art_") ? id : url);
		json_add(b, "title", shaped_text(a, "title"));
		json_add(b, "url", url);
		buf_chr(b, '}');
	}
	buf_chr(b, ']');
	return E_OK;
}

#define LIST_IN(F, T) \
	F(T, STR,  q,         .hi = 200, .doc = "Part of the name or slug") \
	F(T, ID,   workspace, .arg = "wsp_") \
	F(T, ID,   folder,    .arg = "fld_") \
	F(T, BOOL, shared,    .doc = "Only what others share with you") \
	F(T, BOOL, deleted,   .doc = "The trash instead") \
	F(T, INT,  limit,     .lo = 1, .hi = 100) \
	F(T, STR,  cursor,    .hi = 300)
SHAPE(list_in, LIST_IN);

static enum err
t_list(struct call *k, const void *arg)
{
	const struct list_in *in = arg;
	struct tool_list list;

	TRY(tool_ask_list(k, in->limit ? in->limit : 30,
	    ASKS(GET, "/v1/artifacts",
		QUERY({ "q", in->q }, { "workspace_id", in->workspace },
		    { "folder_id", in->folder }, { "owner", in->shared ? "shared" : NULL },
		    { "deleted", in->deleted ? "1" : NULL }, { "cursor", in->cursor })),
	    NULL, &list));
	json_key(&k->out, "artifacts");
	buf_str(&k->out, list.text);
	tool_tell_text(k, "next_cursor", list.cursor);
	return E_OK;
}

/* ---- fetch ---- */

#define FETCH_IN(F, T) \
	F(T, STR,  id,        .flags = F_REQ, .lo = 1, .hi = 2000, \
		.doc = "art_…, its slug or address; with a version, art_…@3; " \
		   "with a file, art_…/path") \
	F(T, INT,  offset,    .lo = 0, .hi = INT32_MAX, .doc = "Characters to leave out") \
	F(T, INT,  max_chars, .lo = 1, .hi = TOOL_TEXT_CHARS - 5000) \
	F(T, WORD, view,      .arg = "text|source", \
		.doc = "text: what a page says; source: its code, for edits. " \
		   "Default: text of pages, source of all else")
SHAPE(fetch_in, FETCH_IN);

/* Returns the text after n characters, or its end. */
static const char *
chars_skip(const char *text, int64_t n)
{
	for (; n && *text; n--) {
		text++;
		while (((unsigned char)*text & 0xC0) == 0x80)
			text++;
	}
	return text;
}

static void
tell_part(struct call *k, const struct fetch_in *in, const char *by, const char *text)
{
	const char *from = chars_skip(text, in->offset);
	const char *to = chars_skip(from, in->max_chars ? in->max_chars : FETCH_CHARS);
	const char *part = mem_strndup(k->r->c->mem, from, (size_t)(to - from));

	tool_tell_text(k, "text", tool_quote(k, by, part));
	if (*to)
		tool_tell_int(k, "next_offset", in->offset + (int64_t)str_chars(part));
}

/* Reads the address of a note's page, /w/{ws}/notes/read/…. Returns false for other addresses. */
static bool
note_named(struct call *k, const char *address, const char **ws, const char **path)
{
	static const char page[] = "/notes/read/";
	struct ctx *c = k->r->c;
	const char *at = mem_printf(c->mem, "%s/w/", c->conf->base_url);
	const char *from = address + strlen(at), *notes = strstr(address, page);
	char *rest;

	if (!str_starts(address, at) || !notes || notes < from)
		return false;
	*ws = mem_strndup(c->mem, from, (size_t)(notes - from));
	rest = mem_strdup(c->mem, notes + strlen(page));
	*path = rest;
	return id_valid(*ws, "wsp_") && str_unescape(rest, false) && *rest;
}

static enum err
t_fetch(struct call *k, const void *arg)
{
	const struct fetch_in *in = arg;
	struct ctx *c = k->r->c;
	const struct artifact *art;
	struct pagefile f;
	const char *id, *path;
	int64_t no;
	bool html;

	if (note_named(k, in->id, &id, &path))
		return tool_tell_note(k, id, path);
	TRY(tool_artifact(k, "id", in->id, &id, &no, &path));
	TRY(pagefile_read(k, id, no, path, &art, &f));
	if (!f.text)
		return fail(c, E_INVALID, "id: %s isn't text; it is at %s", f.path, art->url);
	html = str_starts(f.mime, "text/html") && !str_eq(in->view, "source");
	tool_tell_text(
	    k, "id", mem_printf(c->mem, "%s@%lld/%s", id, (long long)f.version_no, f.path));
	tool_tell_text(k, "title", art->name);
	tool_tell_text(k, "url", art->url);
	tell_part(k, in, mem_printf(c->mem, "the page %s", art->slug),
	    html ? pagefile_words(c->mem, f.bytes) : f.bytes);
	buf_str(&k->out, ",\"metadata\":{");
	json_add(&k->out, "path", f.path);
	json_add_int(&k->out, "version_no", f.version_no);
	json_add(&k->out, "mime", f.mime);
	json_add(&k->out, "sha256", f.sha256);
	json_add_int(&k->out, "size_bytes", (int64_t)f.n);
	buf_chr(&k->out, '}');
	return E_OK;
}

/* ---- get_artifact ---- */

#define GET_INCLUDES "files|versions|seen|problems|comments|stats|tables|exposure|jobs"
#define GET_IN(F, T) \
	F(T, STR,  artifact,   .flags = F_REQ, .lo = 1, .hi = 2000, \
		.doc = "Its id, slug or address") \
	F(T, STRS, include,    .flags = F_ONE, .item = K_WORD, \
		.arg = GET_INCLUDES, .hi = 9, \
		.doc = "seen: what a browser saw of the newest version; " \
		       "problems: of the live one; " \
		       "exposure: how much of its data who can read and write") \
	F(T, INT,  compare_to, .lo = 1, .hi = INT32_MAX, \
		.doc = "A version: which files the live one added, removed, changed since")
SHAPE(get_in, GET_IN);

static enum err
tell_included(struct call *k, const char *id, const char *what)
{
	const char *limit = str_eq(what, "files") ? "200"
	    : str_eq(what, "versions")		  ? "20"
	    : str_eq(what, "comments")		  ? "50"
						  : NULL;
	bool jobs = str_eq(what, "jobs");
	const struct artifact *art;
	struct shaped all;

	if (str_eq(what, "seen")) {
		TRY(pagefile_artifact(k, id, &art));
		return tool_tell_seen(k, id, art->last_no);
	}
	TRY(tool_ask(k,
	    ASKS(GET,
		jobs ? "/v1/jobs"
		     : tool_uri(k, "/v1/%s/%s/%s", str_eq(what, "tables") ? "data" : "artifacts",
			   id, what),
		QUERY({ "limit", limit }, { "artifact_id", jobs ? id : NULL })),
	    &all));
	/* Comments are others' words, so they are quoted. */
	if (str_eq(what, "comments"))
		tool_tell_text(
		    k, what, tool_quote(k, "people who comment", tool_lean(k, all)));
	else if (str_eq(what, "problems"))
		tool_tell_problems(k, what, all);
	else
		tool_tell(k, what, all);
	return E_OK;
}

/* Lists paths of `these` that `those` lack; changed: paths of both with different bytes. */
static void
tell_paths(struct call *k, const char *name, const struct version_file_list *these,
    const struct version_file_list *those, bool changed)
{
	const char *between = "";

	buf_fmt(&k->out, ",\"%s\":[", name);
	for (size_t i = 0; i < these->n; i++) {
		const struct version_file *other = pagefile_of(those, these->v[i].path);

		if (changed ? !other || str_eq(other->sha256, these->v[i].sha256) : other != NULL)
			continue;
		buf_str(&k->out, between);
		buf_json(&k->out, these->v[i].path);
		between = ",";
	}
	buf_chr(&k->out, ']');
}

static enum err
t_get(struct call *k, const void *arg)
{
	const struct get_in *in = arg;
	struct version_file_list now, then;
	struct shaped art;
	const char *id;
	int64_t no;

	if (strs_have(&in->include, "exposure"))
		TRY(tool_slow(k));
	TRY(tool_artifact(k, "artifact", in->artifact, &id, NULL, NULL));
	TRY(tool_look(k, &art, "/v1/artifacts/%s", id));
	tool_tell(k, "artifact", art);
	tool_tell_links(k, id, shaped_text(art, "slug"));
	for (size_t i = 0; i < in->include.n; i++)
		if (!(i && strs_have(&(struct strs){ in->include.v, i }, in->include.v[i])))
			TRY(tell_included(k, id, in->include.v[i]));
	if (!in->compare_to)
		return E_OK;
	TRY(pagefile_all(k, id, 0, &now, &no));
	TRY(pagefile_all(k, id, in->compare_to, &then, &no));
	tool_tell_int(k, "compared_to", in->compare_to);
	tell_paths(k, "added", &now, &then, false);
	tell_paths(k, "removed", &then, &now, false);
	tell_paths(k, "changed", &now, &then, true);
	return E_OK;
}

/* ---- inbox ---- */

#define INBOX_IN(F, T) \
	F(T, WORD, box,   .arg = "waiting|know|done") \
	F(T, STR,  kind,  .hi = 20) \
	F(T, INT,  since, .doc = "The last change_no") \
	F(T, INT,  wait,  .doc = "Seconds")
SHAPE(inbox_in, INBOX_IN);

static enum err
t_inbox(struct call *k, const void *arg)
{
	const struct inbox_in *in = arg;
	const char *wait = in->has.wait == GIVEN ? tool_digits(k, in->wait) : NULL;
	const char *since = in->has.since == GIVEN ? tool_digits(k, in->since) : NULL;
	struct tool_list items;

	TRY(tool_ask_list(k, INBOX_SHOWN,
	    ASKS(GET, "/v1/inbox",
		QUERY({ "box", in->box }, { "kind", in->kind }, { "since", since },
		    { "wait", wait })),
	    "items", &items));
	tool_tell_text(
	    k, "items", tool_quote(k, "those who write to your person", items.text));
	tool_tell_field(k, items.all, "counts");
	tool_tell_field(k, items.all, "change_no");
	return E_OK;
}

const struct tool tools_about[] = {
	{ "whoami", "Who am I",
	    "Tells as whom you act, what you may do, and how much room there is. Call it if "
	    "another tool refuses you.",
	    &whoami_in_shape, ANY_SCOPE, .reads = true, .call = t_whoami },
	{ "search", "Search pages",
	    "Finds your person's artifacts, those shared with them, and notes of their workspaces, "
	    "by words of name, description or text, even with typos. "
	    "Then fetch one by id.",
	    &search_in_shape, ARTIFACTS_READ, .reads = true, .call = t_search },
	{ "fetch", "Read a page or file",
	    "Reads a page as text, or a file's source, a part at a time. Use view source before "
	    "you change a file.",
	    &fetch_in_shape, ARTIFACTS_READ, .reads = true, .call = t_fetch },
	{ "list_artifacts", "List artifacts",
	    "Lists artifacts with who can see each, newest first: your person's own and shared, or "
	    "those of a workspace or folder.",
	    &list_in_shape, ARTIFACTS_READ, .reads = true, .call = t_list },
	{ "get_artifact", "Look at an artifact",
	    "Tells who can open an artifact, which version is live, and on request its files, "
	    "versions, what broke in a browser, comments, views, tables, jobs, and what changed.",
	    &get_in_shape, ARTIFACTS_READ, DATA_READ, .reads = true, .card = true, .call = t_get },
	{ "inbox", "Read the inbox",
	    "Lists what waits for your person, such as approvals, or waits for more.",
	    &inbox_in_shape, ARTIFACTS_READ, .reads = true, .call = t_inbox },
	{ NULL },
};
