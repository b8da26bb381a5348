/* SPDX-License-Identifier: Apache-2.0 */
#include "agents/resource.h"

#include "agents/pagefile.h"
#include "agents/skill.h"
#include "base/crypto.h"
#include "base/id.h"
#include "base/str.h"
#include "http/page.h"
#include "site/picture.h"

#define SCHEME "vitrine://artifact/"
enum { HOUR_S = 3600, DAY_S = 86400 };

enum err
resources_write(struct req *r, const char *cursor, struct buf *b)
{
	struct call k = { .r = r };
	struct shaped list;
	const char *next;

	TRY(tool_ask_page(&k,
	    ASKS(GET, "/v1/artifacts",
		QUERY({ "limit", tool_digits(&k, RESOURCES_A_PAGE) }, { "cursor", cursor })),
	    &list, &next));
	buf_str(b, "\"resources\":[");
	if (!cursor) {
		buf_str(b,
		    "{\"uri\":\"" SKILL_URI "\",\"name\":\"" SKILL_NAME
		    "\",\"title\":\"How to use Vitrine\",\"description\":");
		buf_json(b, skill_description(b->owner, r->c->conf));
		buf_str(b, ",\"mimeType\":\"text/markdown\"}");
	}
	for (size_t i = 0; i < list.n; i++) {
		const struct artifact *a = shaped_at(list, i).v;

		buf_fmt(b, "%s{\"uri\":\"" SCHEME "%s\",\"name\":\"%s\",\"title\":",
		    i || !cursor ? "," : "", a->id, a->slug);
		buf_json(b, a->name);
		buf_str(b, ",\"mimeType\":\"application/json\"}");
	}
	buf_chr(b, ']');
	if (next)
		json_add(b, "nextCursor", next);
	return E_OK;
}

void
resource_templates_write(struct buf *b)
{
	static const struct {
		const char *address, *name, *title;
	} all[] = { { SCHEME "{id}", "artifact", "An artifact" },
		{ SCHEME "{id}/files/{+path}", "file", "A file of its live version" },
		{ SCHEME "{id}@{no}/files/{+path}", "version-file", "A file of a version" },
		{ SCHEME "{id}/tables/{table}", "table", "The first rows of a table" },
		{ SCHEME "{id}/thumbnail", "thumbnail", "A small picture of its page" } };

	buf_str(b, "\"resourceTemplates\":[");
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		buf_fmt(b, "%s{\"uriTemplate\":\"%s\",\"name\":\"%s\",\"title\":\"%s\"}",
		    i ? "," : "", all[i].address, all[i].name, all[i].title);
	buf_chr(b, ']');
}

static void
content_begin(struct buf *b, const char *uri, const char *mime, const char *as)
{
	buf_str(b, "\"contents\":[{\"uri\":");
	buf_json(b, uri);
	buf_str(b, ",\"mimeType\":");
	buf_json(b, mime);
	buf_fmt(b, ",\"%s\":", as);
}

static enum err
json_content(struct call *k, const char *uri, const struct serving *ask, struct buf *b)
{
	k->out = BUF(k->r->c->mem);
	buf_str(&k->out, "{\"success\":true");
	TRY(tool_ask_all(k, ask));
	buf_chr(&k->out, '}');
	content_begin(b, uri, "application/json", "text");
	buf_json(b, buf_done(&k->out));
	buf_str(b, "}]");
	return E_OK;
}

/* table: percent-encoded. */
static enum err
table_content(struct call *k, const char *uri, const char *id, char *table, struct buf *b)
{
	enum err e = json_content(k, uri,
	    ASKS(GET, tool_uri(k, "/v1/data/%s/tables/%s/rows", id, table),
		QUERY({ "limit", "200" })),
	    b);

	return str_unescape(table, false) ? tool_table_unknown(k, e, id, table) : e;
}

static enum err
file_content(
    struct call *k, const char *uri, const char *id, int64_t no, const char *path, struct buf *b)
{
	struct ctx *c = k->r->c;
	const struct artifact *art;
	struct pagefile f;

	TRY(pagefile_read(k, id, no, path, &art, &f));
	if (f.n > RESOURCE_BYTES)
		return fail(c, E_INVALID,
		    "the file has %zu bytes, which is too large to read here; "
		    "it is at %s",
		    f.n, art->url);
	content_begin(b, uri, f.mime, f.text ? "text" : "blob");
	buf_json(b, f.text ? f.bytes : crypto_base64(c->mem, f.bytes, f.n));
	buf_str(b, "}]");
	return E_OK;
}

/* Reads a page's picture. Its rights are the artifact's. Only public artifacts have one. */
static enum err
thumbnail_content(struct call *k, const char *uri, const char *id, struct buf *b)
{
	struct ctx *c = k->r->c;
	uint8_t sha256[SHA256_BYTES];
	const struct artifact *art;
	const char *hex, *bytes;
	enum err e;
	size_t n;

	TRY(pagefile_artifact(k, id, &art));
	TRY(picture_find(c, art, &hex));
	if (!hex)
		return fail(c, E_NOT_FOUND, "there is no picture of this page");
	if (!crypto_unhex(hex, sha256, sizeof sha256))
		return fail_here(c, "a digest");
	e = object_read(c, sha256, THUMBNAIL_BYTES, &bytes, &n);
	if (e == E_FILE_TOO_LARGE)
		return fail(c, E_NOT_FOUND, "the picture of this page is too large to read here");
	TRY(e);
	content_begin(b, uri, "image/png", "blob");
	buf_json(b, crypto_base64(c->mem, bytes, n));
	buf_str(b, "}]");
	return E_OK;
}

/* Returns our own page, which shows a tool's answer. We never return a published page so, because a
 * program lets such a page act for its user. */
static enum err
card_content(struct req *r, struct buf *b)
{
	static const struct shape nothing = { .name = "nothing" };
	const struct shell shell = { 0 };

	content_begin(b, CARD_URI, "text/html;profile=mcp-app", "text");
	buf_json(b, page_render(r->c->mem, "mcp-card", &nothing, NULL, &shell, NULL));
	buf_str(b, ",\"_meta\":{\"ui\":{\"prefersBorder\":true}}}]");
	return E_OK;
}

/* uri: vitrine://artifact/ID[@NO][/files/PATH | /tables/TABLE | /thumbnail], with each part
 * percent-encoded. */
enum err
resource_read(struct req *r, const char *uri, struct buf *b, int64_t *keep)
{
	struct call k = { .r = r };
	char *id, *rest, *at;
	int64_t no = 0;

	*keep = 0;
	if (str_eq(uri, SKILL_URI)) {
		*keep = HOUR_S;
		content_begin(b, SKILL_URI, "text/markdown", "text");
		buf_json(b, skill_text(r->c->mem, r->c->conf));
		buf_str(b, "}]");
		return E_OK;
	}
	if (str_eq(uri, CARD_URI)) {
		*keep = HOUR_S;
		return card_content(r, b);
	}
	if (!str_starts(uri, SCHEME))
		return fail(r->c, E_NOT_FOUND, "there is no such resource");
	rest = mem_strdup(r->c->mem, uri + strlen(SCHEME));
	id = str_split(&rest, '/');
	at = strchr(id, '@');
	if (at) {
		*at = '\0';
		if (!str_int(at + 1, &no) || no < 1)
			return fail(r->c, E_NOT_FOUND, "there is no such version");
	}
	if (!id_valid(id, "art_"))
		return fail(r->c, E_NOT_FOUND, "there is no such artifact");
	if (!rest)
		return json_content(&k, uri, ASKS(GET, tool_uri(&k, "/v1/artifacts/%s", id)), b);
	if (str_starts(rest, "files/") && rest[6]) {
		if (!str_unescape(rest + 6, false))
			return fail(r->c, E_NOT_FOUND, "there is no such file");
		*keep = no ? DAY_S : 0;
		return file_content(&k, uri, id, no, rest + 6, b);
	}
	if (str_eq(rest, "thumbnail"))
		return thumbnail_content(&k, uri, id, b);
	if (str_starts(rest, "tables/") && rest[7] && !strpbrk(rest + 7, "/?#"))
		return table_content(&k, uri, id, rest + 7, b);
	return fail(r->c, E_NOT_FOUND, "there is no such resource");
}

/* Completes only artifacts, by a part of their name. */
enum err
resource_complete(struct req *r, const struct json *argument, struct buf *b)
{
	struct call k = { .r = r };
	const char *name = json_word(argument, "name"), *value = json_word(argument, "value");
	struct shaped list;

	buf_str(b, "\"completion\":{\"values\":[");
	if (name && value && str_in(name, "id|artifact")) {
		TRY(tool_ask(&k,
		    ASKS(GET, "/v1/artifacts",
			QUERY({ "limit", tool_digits(&k, COMPLETIONS) },
			    { "q", str_cut(b->owner, value, 200) })),
		    &list));
		for (size_t i = 0; i < list.n; i++) {
			buf_str(b, i ? "," : "");
			buf_json(
			    b, shaped_text(shaped_at(list, i), str_eq(name, "id") ? "id" : "slug"));
		}
	}
	buf_str(b, "]}");
	return E_OK;
}
