/* SPDX-License-Identifier: Apache-2.0
 * Tools that read: who the caller is, which things there are, what a page says. */
#include "agents/pagefile.h"
#include "agents/tool.h"
#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"

enum { FETCH_CHARS = 30000, LINES_OF_COMMENT = 50 };

/* ---- whoami ---- */

#define WHOAMI_IN(F, T) F(T, BOOL, workspaces, .doc = "Also the workspaces that you can work in")
SHAPE(whoami_in, WHOAMI_IN);

static enum err
t_whoami(struct call *k, const void *arg)
{
	const struct whoami_in *in = arg;
	const struct principal *who = k->r->who;
	const struct json *reply;

	TRY(tool_ask(k, GET, NULL, NULL, &reply, "/v1/auth/me"));
	tool_tell_all(k, reply);
	if (who->grant_id)
		tool_tell_text(k, "opens_to", who->opens_to);
	if (who->agent_bound)
		tool_tell_text(
		    k, "workspace_policy", agent_words(k->r->c, who, who->agent_bound));
	if (!in->workspaces)
		return E_OK;
	if (tool_ask(k, GET, NULL, NULL, &reply, "/v1/workspaces"))
		return ctx_forgive(k->r->c);
	tool_tell(k, "workspaces", json_get(reply, "workspaces"));
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
	struct buf query = BUF(k->r->c->mem), *b = &k->out;
	const struct json *reply, *list;

	query_add(&query, "q", in->query);
	query_add(&query, "workspace", in->workspace);
	TRY(tool_ask(k, GET, NULL, NULL, &reply, "/v1/search?groups=pages&%slimit=%lld",
	    buf_done(&query), (long long)(in->limit ? in->limit : 20)));
	list = json_get(reply, "results");
	buf_str(b, "\"results\":[");
	for (size_t i = 0; i < json_len(list); i++) {
		const struct json *a = json_at(list, i);

		/* The id of a note is its address. */
		const char *id = json_word(a, "id");

		buf_str(b, i ? ",{\"id\":" : "{\"id\":");
		buf_json(b, str_starts(id, "art_") ? id : json_word(a, "url"));
		buf_str(b, ",\"title\":");
		buf_json(b, json_word(a, "title"));
		buf_str(b, ",\"url\":");
		buf_json(b, json_word(a, "url"));
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
	struct buf uri = BUF(k->r->c->mem);
	const struct json *reply;

	buf_str(&uri, "/v1/artifacts?");
	query_add(&uri, "q", in->q);
	query_add(&uri, "workspace_id", in->workspace);
	query_add(&uri, "folder_id", in->folder);
	query_add(&uri, "owner", in->shared ? "shared" : NULL);
	query_add(&uri, "deleted", in->deleted ? "1" : NULL);
	query_add(&uri, "cursor", in->cursor);
	TRY(tool_ask_list(k, in->limit ? in->limit : 30, &reply, buf_done(&uri)));
	tool_tell_all(k, reply);
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

	tool_tell_text(
	    k, "text", tool_quote(k, by, mem_strndup(k->r->c->mem, from, (size_t)(to - from))));
	if (*to)
		tool_tell_int(k, "next_offset",
		    in->offset +
			(int64_t)str_chars(mem_strndup(k->r->c->mem, from, (size_t)(to - from))));
}

/* Reads the address of a note's page, /w/{ws}/notes/read/…. Returns false for other addresses. */
static bool
note_named(struct call *k, const char *said, const char **ws, const char **path)
{
	static const char page[] = "/notes/read/";
	struct ctx *c = k->r->c;
	const char *at = mem_printf(c->mem, "%s/w/", c->conf->base_url);
	const char *from = said + strlen(at), *notes = strstr(said, page);
	char *rest;

	if (!str_starts(said, at) || !notes || notes < from)
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
	const struct json *art;
	struct pagefile f;
	const char *id, *path;
	int64_t no;
	bool html;

	if (note_named(k, in->id, &id, &path))
		return tool_tell_note(k, id, path);
	TRY(tool_artifact(k, "id", in->id, &id, &no, &path));
	TRY(pagefile_read(k, id, no, path, &art, &f));
	if (!f.text)
		return fail(c, E_INVALID, "id: %s isn't text; it is at %s", f.path,
		    json_word(art, "url"));
	html = str_starts(f.mime, "text/html") && !str_eq(in->view, "source");
	tool_tell_text(
	    k, "id", mem_printf(c->mem, "%s@%lld/%s", id, (long long)f.version_no, f.path));
	tool_tell_text(k, "title", json_word(art, "name"));
	tool_tell_text(k, "url", json_word(art, "url"));
	tell_part(k, in, mem_printf(c->mem, "the page %s", json_word(art, "slug")),
	    html ? pagefile_words(c->mem, f.bytes) : f.bytes);
	buf_str(&k->out, ",\"metadata\":{\"path\":");
	buf_json(&k->out, f.path);
	buf_fmt(&k->out, ",\"version_no\":%lld,\"mime\":", (long long)f.version_no);
	buf_json(&k->out, f.mime);
	buf_fmt(&k->out, ",\"sha256\":\"%s\",\"size_bytes\":%zu}", f.sha256, f.n);
	return E_OK;
}

/* ---- get_artifact ---- */

#define GET_INCLUDES "files|versions|problems|comments|stats|tables|exposure|jobs"
#define GET_IN(F, T) \
	F(T, STR,  artifact,   .flags = F_REQ, .lo = 1, .hi = 2000, \
		.doc = "Its id, slug or address") \
	F(T, STRS, include,    .flags = F_ONE, .item = K_WORD, \
		.arg = GET_INCLUDES, .hi = 8, \
		.doc = "problems: what broke when a browser opened it; " \
		       "exposure: how much of its data who can read and write") \
	F(T, INT,  compare_to, .lo = 1, .hi = INT32_MAX, \
		.doc = "A version: which files the live one added, removed, changed since")
SHAPE(get_in, GET_IN);

static enum err
tell_included(struct call *k, const char *id, const char *what)
{
	static const struct {
		const char *word, *uri, *member;
	} rows[] = { { "files", "/v1/artifacts/%s/files?limit=200", "files" },
		{ "versions", "/v1/artifacts/%s/versions?limit=20", "versions" },
		{ "stats", "/v1/artifacts/%s/stats", "stats" },
		{ "tables", "/v1/data/%s/tables", "tables" },
		{ "exposure", "/v1/artifacts/%s/exposure", "exposure" },
		{ "jobs", "/v1/jobs?artifact_id=%s", "jobs" } };
	const struct json *reply;
	struct buf text = BUF(k->r->c->mem);

	/* Comments are others' words, so they are quoted. */
	if (str_eq(what, "comments")) {
		TRY(tool_ask(k, GET, NULL, NULL, &reply, "/v1/artifacts/%s/comments?limit=%d", id,
		    LINES_OF_COMMENT));
		json_lean(&text, json_get(reply, "comments"));
		tool_tell_text(k, "comments", tool_quote(k, "people who comment", buf_done(&text)));
	}
	if (str_eq(what, "problems")) {
		TRY(tool_ask_problems(k, id, &reply));
		tool_tell_problems(k, what, reply);
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!str_eq(rows[i].word, what))
			continue;
		TRY(tool_ask(k, GET, NULL, NULL, &reply, rows[i].uri, id));
		tool_tell(k, what, json_get(reply, rows[i].member));
	}
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
	const struct json *reply, *art;
	struct version_file_list now, then;
	const char *id;
	int64_t no;

	if (strs_have(&in->include, "exposure"))
		TRY(tool_slow(k));
	TRY(tool_artifact(k, "artifact", in->artifact, &id, NULL, NULL));
	TRY(tool_ask(k, GET, NULL, NULL, &reply, "/v1/artifacts/%s", id));
	art = json_get(reply, "artifact");
	tool_tell(k, "artifact", art);
	tool_tell_text(
	    k, "manage_url", mem_printf(k->r->c->mem, "%s/a/%s", k->r->c->conf->base_url, id));
	k->link = mem_printf(k->r->c->mem, "vitrine://artifact/%s", id);
	k->link_name = json_word(art, "slug");
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

const struct tool tools_about[] = {
	{ "whoami", "Who am I",
	    "Tells as whom you act, what you may do, and how much room there is. Call it first if "
	    "another tool refuses you.",
	    &whoami_in_shape, ANY_SCOPE, .reads = true, .call = t_whoami },
	{ "search", "Search pages",
	    "Finds your person's artifacts and those shared with them, and notes of their "
	    "workspaces, by words of their names and descriptions, even with typos, or on them. "
	    "Then fetch one by its id.",
	    &search_in_shape, ARTIFACTS_READ, .reads = true, .call = t_search },
	{ "fetch", "Read a page or file",
	    "Reads a page as text, or a file's source, a part at a time. Use view source before "
	    "you change a file. For versions, comments or tables use get_artifact or query_data.",
	    &fetch_in_shape, ARTIFACTS_READ, .reads = true, .call = t_fetch },
	{ "list_artifacts", "List artifacts",
	    "Lists artifacts with who can see each, newest first: your person's own and shared, or "
	    "those of a workspace or folder.",
	    &list_in_shape, ARTIFACTS_READ, .reads = true, .call = t_list },
	{ "get_artifact", "Look at an artifact",
	    "Tells who can open an artifact, which version is live, and on request its files, "
	    "versions, what broke in a browser, comments, views, tables, jobs, and what changed.",
	    &get_in_shape, ARTIFACTS_READ, DATA_READ, .reads = true, .card = true, .call = t_get },
	{ NULL },
};
