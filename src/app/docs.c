/* SPDX-License-Identifier: Apache-2.0
 * The documentation, for people at /docs and for programs in /llms.txt. The reference is made from
 * the route rows; the guides are the templates docs-<name>.html. */
#include "agents/card.h"
#include "agents/skill.h"
#include "agents/tool.h"
#include "base/conf.h"
#include "base/crypto.h"
#include "base/ignore.h"
#include "base/sample.h"
#include "base/str.h"
#include "core/service_api.h"
#include "http/describe.h"
#include "http/req.h"
#include "site/rules.h"

#define DOC_LINK(F, T) \
	F(T, STR,  title) \
	F(T, STR,  url) \
	F(T, BOOL, current)
SHAPE(doc_link, DOC_LINK);

#define DOC_FIELD(F, T) \
	F(T, STR,  name, .doc = "With its path, such as files[].path") \
	F(T, STR,  place, .doc = "For a parameter: path, query, or header") \
	F(T, BOOL, required) \
	F(T, STR,  words,    .doc = "Type and limits") \
	F(T, STR,  meaning)
SHAPE(doc_field, DOC_FIELD);

#define DOC_REFUSAL(F, T) \
	F(T, STR, status) \
	F(T, STR, code) \
	F(T, STR, text)
SHAPE(doc_refusal, DOC_REFUSAL);

#define DOC_ROUTE(F, T) \
	F(T, STR,  method) \
	F(T, STR,  address) \
	F(T, STR,  anchor) \
	F(T, STR,  url) \
	F(T, STR,  about) \
	F(T, STR,  callers) \
	F(T, STR,  token) \
	F(T, STR,  curl) \
	F(T, STR,  archive, .doc = "The command that sends an archive instead") \
	F(T, STR,  success) \
	F(T, STR,  answer,   .doc = "An example of the reply") \
	F(T, STR,  bytes,    .doc = "What the reply is when it isn't JSON") \
	F(T, BOOL, limited) \
	F(T, BOOL, has_params) \
	F(T, BOOL, has_fields) \
	F(T, BOOL, has_gives) \
	F(T, BOOL, has_refusals) \
	F(T, LIST, params,   .sub = &doc_field_shape) \
	F(T, LIST, fields,   .sub = &doc_field_shape) \
	F(T, LIST, gives,    .sub = &doc_field_shape) \
	F(T, LIST, refusals, .sub = &doc_refusal_shape)
SHAPE(doc_route, DOC_ROUTE);

#define DOC_GROUP(F, T) \
	F(T, STR,  title) \
	F(T, STR,  url) \
	F(T, STR,  about) \
	F(T, BOOL, current) \
	F(T, LIST, routes, .sub = &doc_route_shape)
SHAPE(doc_group, DOC_GROUP);

#define DOC_TOOL(F, T) \
	F(T, STR,  name) \
	F(T, STR,  title) \
	F(T, STR,  about) \
	F(T, BOOL, reads,    .doc = "It changes nothing") \
	F(T, BOOL, destroys, .doc = "It can take something away")
SHAPE(doc_tool, DOC_TOOL);

#define DOCS_PAGE(F, T) \
	F(T, STR,  title) \
	F(T, STR,  q) \
	F(T, BOOL, found) \
	F(T, BOOL, index) \
	F(T, STR,  guide,    .doc = "Name of the guide shown") \
	F(T, STR,  site,     .doc = "Address of an artifact with the slug my-site") \
	F(T, STR,  site_headers, .doc = "Headers that _headers can set") \
	F(T, STR,  left_out, .doc = "Patterns of the files left out of a folder") \
	F(T, STR,  mcp,      .doc = "Where agents connect") \
	F(T, STR,  cursor,   .doc = "Opens Cursor, which asks whether to connect") \
	F(T, STR,  vscode,   .doc = "The same for VS Code") \
	F(T, STR,  vscode_server, .doc = "What it is told") \
	F(T, LIST, tools,    .sub = &doc_tool_shape, .doc = "What agents can do there") \
	F(T, OBJ,  limits,   .sub = &limits_now_shape) \
	F(T, LIST, guides,   .sub = &doc_link_shape) \
	F(T, LIST, groups,   .sub = &doc_group_shape) \
	F(T, LIST, shown,    .sub = &doc_group_shape, \
		.doc = "Those in the index, or the one whose reference is shown") \
	F(T, LIST, refusals, .sub = &doc_refusal_shape, .doc = "All error codes")
SHAPE(docs_page, DOCS_PAGE);

#define DOCS_QUERY(F, T) \
	F(T, STR, q, .hi = 200, .doc = "Show only routes that have all of these words")
SHAPE(docs_query, DOCS_QUERY);

#define CONNECT (CARD_GUIDE_PATH + sizeof "/docs/" - 1)
static const struct guide {
	const char *name, *title;
} guides[] = {
	{ "getting-started", "Getting started" },
	{ "starting", "Templates, previews, and pages from elsewhere" },
	{ CONNECT, "Connect an agent" },
	{ "agents", "Agents and tokens" },
	{ "publishing", "Publishing" },
	{ "reviewing", "Remarks and reviews" },
	{ "ci", "Previews of pull requests" },
	{ "files-as-pages", "Files as pages" },
	{ "visibility", "Visibility and sharing" },
	{ "teams", "Teams" },
	{ "share-with-clients", "Share with clients" },
	{ "folders-and-governance", "Folders and governance" },
	{ "find-things", "Search" },
	{ "your-inbox", "Your inbox" },
	{ "redirects", "Redirects and headers" },
	{ "a-domain-of-your-own", "A domain of your own" },
	{ "data-in-your-page", "Data in your page" },
	{ "uploads", "File uploads" },
	{ "describe-your-data", "Data catalog" },
	{ "library", "Asset library" },
	{ "notes", "Notes" },
	{ "what-jobs-do", "Job actions" },
	{ "visitors", "Comments, proxy, and AI chat" },
	{ "tables-and-rules", "Tables and rules" },
	{ "charts-and-views", "Charts and views" },
	{ "importing", "Importing files" },
	{ "jobs-and-webhooks", "Jobs and webhooks" },
};
enum { GUIDES = sizeof guides / sizeof *guides, DEEPEST = 3 };

/* ---- the reference, from the rows ---- */

/* Appends an element of this type to a list. */
#define LIST_ADD(mem, list_, type, ...) \
	((list_)->v = mem_grow((mem), (list_)->v, ((list_)->n + 1) * sizeof(type)), \
	    ((type *)(list_)->v)[(list_)->n++] = (type){ __VA_ARGS__ })

static void
fields_add(void *mem, struct list *to, const struct shape *s, const char *before, bool output,
    int depth)
{
	for (const struct field *f = s->fields; f < s->fields + s->n; f++) {
		const char *name = mem_printf(mem, "%s%s", before, field_wire(f));

		if (f->flags & F_HID)
			continue;
		LIST_ADD(mem, to, struct doc_field, .name = name, .words = field_words(mem, f),
		    .meaning = f->doc,
		    .required = output ? !(f->flags & F_OPT) : (f->flags & F_REQ) != 0);
		if (f->sub && depth < DEEPEST)
			fields_add(mem, to, f->sub,
			    mem_printf(mem, "%s%s.", name, f->kind == K_LIST ? "[]" : ""), output,
			    depth + 1);
	}
}

static void
params_add(void *mem, struct list *to, const struct route *row)
{
	for (const char *p = strchr(row->path, '{'); p; p = strchr(p + 1, '{'))
		LIST_ADD(mem, to, struct doc_field, .name = param_outside(p + 1), .place = "path",
		    .required = true, .words = param_words(mem, p + 1));
	for (size_t i = 0; row->query && i < row->query->n; i++) {
		const struct field *f = &row->query->fields[i];

		if (!(f->flags & F_HID))
			LIST_ADD(mem, to, struct doc_field, .name = field_wire(f),
			    .place = "query", .required = (f->flags & F_REQ) != 0,
			    .words = field_words(mem, f), .meaning = f->doc);
	}
	if (route_is_repeatable(row))
		LIST_ADD(mem, to, struct doc_field, .name = "Idempotency-Key",
		    .place = "header", .words = "text, 1 to 255 visible ASCII characters",
		    .meaning = "For a day, "
			       "repeating the request with the same key returns the first reply");
}

static void
refusals_add(void *mem, struct list *to, int status)
{
	for (int e = 1; e < ERR_COUNT; e++)
		if (!status || err_table[e].status == status)
			LIST_ADD(mem, to, struct doc_refusal,
			    .status = mem_printf(mem, "%d", err_table[e].status),
			    .code = err_table[e].code, .text = err_table[e].text);
}

static const char *
answer_words(const struct route *row)
{
	switch (row->answer.kind) {
	case ANSWER_BYTES: return "The bytes, as a download. Supports ranges and has an ETag.";
	case ANSWER_STREAM: return "The bytes, generated as they are sent: "
				   "no length and no ranges.";
	case ANSWER_TEXT: return "Text.";
	case ANSWER_ANY: return "A JSON document.";
	default: return NULL;
	}
}

static void
route_describe(struct ctx *c, const struct route *row, struct doc_route *out)
{
	const struct answer *a = &row->answer;
	int status[REFUSALS];
	size_t n = route_refusals(row, status);

	out->callers = route_callers(c->mem, row);
	out->token = route_token(c->mem, row);
	out->curl = route_curl(c->mem, c->conf->base_url, row);
	out->archive = row->body.kind == BODY_JSON_OR_FORM
	    ? route_curl_archive(c->mem, c->conf->base_url, row)
	    : NULL;
	out->success = mem_printf(c->mem, "%d", row->success ? row->success : 200);
	out->answer = route_example_answer(c->mem, row);
	out->bytes = answer_words(row);
	out->limited = row->limit || row->failures;
	params_add(c->mem, &out->params, row);
	if (row->body.kind == BODY_IMAGE)
		LIST_ADD(c->mem, &out->fields, struct doc_field, .name = "file", .required = true,
		    .words = "an image's bytes");
	if (row->body.kind == BODY_FILE) {
		LIST_ADD(c->mem, &out->fields, struct doc_field, .name = "file", .required = true,
		    .words = "a file's bytes");
		LIST_ADD(c->mem, &out->fields, struct doc_field, .name = "filename",
		    .words = "text", .meaning = "Filename to use instead of the one in the part");
	}
	if (row->body.shape)
		fields_add(c->mem, &out->fields, row->body.shape, "", false, 0);
	if (a->shape)
		fields_add(c->mem, &out->gives, a->shape,
		    a->kind == ANSWER_FLAT     ? ""
			: a->kind == ANSWER_NOUN ? mem_printf(c->mem, "%s.", a->noun)
						 : mem_printf(c->mem, "%s[].", a->noun),
		    true, 0);
	for (size_t i = 0; i < n; i++)
		refusals_add(c->mem, &out->refusals, status[i]);
	out->has_params = out->params.n > 0;
	out->has_fields = out->fields.n > 0;
	out->has_gives = out->gives.n > 0;
	out->has_refusals = out->refusals.n > 0;
}

/* "Versions and files" gives "/docs/versions-and-files". */
static const char *
group_url(void *mem, const char *tag)
{
	struct buf b = BUF(mem);

	for (const char *p = tag; *p; p++)
		buf_chr(&b, isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '-');
	return mem_printf(mem, "/docs/%s", buf_done(&b));
}

/* True if the index has all words of q (NULL: none) in its texts about the route. */
static bool
route_matches(void *mem, const struct route_list *list, const struct route *row, const char *q)
{
	char *rest = q ? mem_strdup(mem, q) : NULL, *word;
	const char *text;

	if (!q)
		return true;
	text = mem_printf(mem, "%s %s %s %s", method_names[row->method], route_address(mem, row),
	    row->doc, list->tag);
	while ((word = str_split(&rest, ' ')))
		if (!strcasestr(text, word))
			return false;
	return true;
}

static struct doc_group
group_make(struct ctx *c, const struct route_list *list, const char *q)
{
	struct doc_group group = {
		.title = list->tag, .about = list->doc, .url = group_url(c->mem, list->tag)
	};

	for (const struct route *row = list->rows; row < list->rows + list->n; row++) {
		const char *name = route_operation(c->mem, row);

		if (route_is_api(row) && route_matches(c->mem, list, row, q))
			LIST_ADD(c->mem, &group.routes, struct doc_route,
			    .method = method_names[row->method],
			    .address = route_address(c->mem, row), .anchor = name,
			    .url = mem_printf(c->mem, "%s#%s", group.url, name),
			    .about = row->doc);
	}
	return group;
}

/* ---- the pages ---- */

/* Makes a page with its navigation: all guides and groups, and which is open. */
static struct docs_page
docs_begin(struct req *r, const char *title)
{
	void *mem = r->c->mem;
	struct docs_page page = { .title = title, .limits = limits_now(r->c),
		.site = mem_printf(mem, "%s/", conf_site_origin(mem, r->c->conf, "my-site")) };
	const char *place = mem_strndup(mem, r->uri, strcspn(r->uri, "?"));

	for (size_t i = 0; i < GUIDES; i++) {
		const char *url = mem_printf(mem, "/docs/%s", guides[i].name);

		LIST_ADD(mem, &page.guides, struct doc_link, .title = guides[i].title, .url = url,
		    .current = str_eq(url, place));
	}
	for (const struct route_list *const *at = routes_all(), *list; (list = *at); at++) {
		struct doc_group group = group_make(r->c, list, NULL);

		group.current = str_eq(group.url, place);
		if (group.routes.n)
			LIST_ADD(mem, &page.groups, struct doc_group, .title = group.title,
			    .url = group.url, .current = group.current);
	}
	return page;
}

static const char *
header_names(void *mem)
{
	struct buf b = BUF(mem);

	for (const char *const *name = rules_header_names; *name; name++)
		buf_fmt(&b, "%s%s", b.n ? ", " : "", *name);
	return buf_done(&b);
}

static enum err
h_docs(struct req *r)
{
	const struct docs_query *q = r->query;
	struct docs_page page = docs_begin(r, "Documentation");

	page.index = true;
	page.q = str_given(q->q);
	for (const struct route_list *const *at = routes_all(), *list; (list = *at); at++) {
		struct doc_group group = group_make(r->c, list, page.q);

		if (group.routes.n) {
			LIST_ADD(r->c->mem, &page.shown, struct doc_group, .title = group.title,
			    .url = group.url, .about = group.about, .routes = group.routes);
			page.found = true;
		}
	}
	refusals_add(r->c->mem, &page.refusals, 0);
	return reply_page(r, 0, &page);
}

static enum err
docs_group(struct req *r, const struct route_list *list)
{
	struct docs_page page = docs_begin(r, list->tag);
	struct doc_group group = group_make(r->c, list, NULL);
	struct doc_route *out = group.routes.v;

	/* Fills in the fields that the index leaves out. */
	for (const struct route *row = list->rows; row < list->rows + list->n; row++)
		if (route_is_api(row))
			route_describe(r->c, row, out++);
	page.shown = (struct list){ &group, 1 };
	return reply_page(r, 0, &page);
}

/* Fills in a server's configuration for Cursor and VS Code, and links that contain it. Source:
 * cursor.com/docs/mcp/install-links; code.visualstudio.com/api/extension-guides/ai/mcp. */
static void
connect_fill(struct req *r, struct docs_page *page)
{
	void *mem = r->c->mem;
	struct buf cursor = BUF(mem), vscode = BUF(mem);
	const struct tool *t;
	const char *config;

	page->mcp = mem_printf(mem, "%s" CARD_MCP_PATH, r->c->conf->base_url);
	config = mem_printf(mem, "{\"url\":\"%s\"}", page->mcp);
	page->vscode_server = mem_printf(mem,
	    "{\"name\":\"" CARD_SERVER "\",\"type\":\"http\",\"url\":\"%s\"}", page->mcp);
	buf_form(&cursor, crypto_base64(mem, config, strlen(config)));
	buf_form(&vscode, page->vscode_server);
	page->cursor = mem_printf(mem,
	    "cursor://anysphere.cursor-deeplink/mcp/install?name=" CARD_SERVER "&config=%s",
	    buf_done(&cursor));
	page->vscode = mem_printf(mem, "vscode:mcp/install?%s", buf_done(&vscode));
	for (size_t i = 0; (t = tool_at(i)); i++)
		LIST_ADD(mem, &page->tools, struct doc_tool, .name = t->name, .title = t->title,
		    .about = t->doc, .reads = t->reads, .destroys = t->destroys);
}

static enum err
h_docs_topic(struct req *r)
{
	const char *name = req_param(r, "slug");

	for (size_t i = 0; i < GUIDES; i++)
		if (str_eq(guides[i].name, name)) {
			struct docs_page page = docs_begin(r, guides[i].title);

			page.guide = guides[i].name;
			page.site_headers = header_names(r->c->mem);
			page.left_out = ignore_always();
			if (str_eq(page.guide, CONNECT))
				connect_fill(r, &page);
			return reply_page(r, 0, &page);
		}
	for (const struct route_list *const *at = routes_all(), *list; (list = *at); at++)
		if (str_eq(group_url(r->c->mem, list->tag) + strlen("/docs/"), name) &&
		    group_make(r->c, list, NULL).routes.n)
			return docs_group(r, list);
	return fail(r->c, E_NOT_FOUND,
	    "There is no documentation page at this address; /docs lists them all");
}

/* ---- for programs ---- */

static void
llms_begin(struct buf *b, const struct ctx *c)
{
	const char *base = c->conf->base_url;

	buf_fmt(b,
	    "# Vitrine\n\n"
	    "> Publish a folder (a page and its assets) and get an address. Vitrine hosts it "
	    "as an artifact under a slug, with versions, drafts, visibility, and collaborators. "
	    "This is the service at %s; an artifact with the slug my-site is served at %s/.\n\n"
	    "The API is JSON over HTTPS under %s/v1. Every reply is an object with `success`; "
	    "a failure has `error` (what went wrong and what to do), `code`, and `request_id`. "
	    "`warnings` lists anything you sent that the service doesn't recognize.\n\n"
	    "**AI agents** that speak the Model Context Protocol connect to %s" CARD_MCP_PATH
	    ", as %s" CARD_GUIDE_PATH " explains. Others use the API as follows; "
	    "%s" SKILL_PATH " is a skill that tells how to do either well.\n\n",
	    base, conf_site_origin(b->owner, c->conf, "my-site"), base, base, base, base);
}

static void
llms_links(struct buf *b, const char *base)
{
	buf_fmt(b,
	    "## Documents\n\n"
	    "- [OpenAPI 3.1](%s/v1/openapi.json): exact description of every route\n"
	    "- [Documentation](%s/docs): guides and reference\n"
	    "- [Service index](%s/v1): name, version, documents, and first links as JSON\n"
	    "- [Skill](%s" SKILL_PATH "): how an agent works with this service\n",
	    base, base, base, base);
	for (size_t i = 0; i < GUIDES; i++)
		buf_fmt(b, "- [%s](%s/docs/%s): a guide\n", guides[i].title, base, guides[i].name);
	for (const struct route_list *const *at = routes_all(), *list; (list = *at); at++) {
		bool begun = false;

		for (const struct route *row = list->rows; row < list->rows + list->n; row++) {
			if (!route_is_api(row))
				continue;
			if (!begun)
				buf_fmt(b, "\n## %s\n\n", list->tag);
			begun = true;
			buf_fmt(b, "- [%s %s](%s%s#%s): %s\n", method_names[row->method],
			    route_address(b->owner, row), base, group_url(b->owner, list->tag),
			    route_operation(b->owner, row), row->doc);
		}
	}
}

static enum err
h_llms(struct req *r)
{
	r->status = 200;
	reply_header(r, "Content-Type", "text/plain; charset=utf-8");
	llms_begin(&r->out, r->c);
	skill_sign_in(&r->out, r->c->conf);
	skill_publish(&r->out, r->c->conf);
	llms_links(&r->out, r->c->conf->base_url);
	return E_OK;
}

static const struct route docs_routes[] = {
/*  method path            who     body           reply             handler */
  { GET, "/docs",        PUBLIC, TAKES_NOTHING, GIVES_PAGE(docs), h_docs,
    .query = &docs_query_shape, .doc = "The documentation: guides and an index of routes" },
  { GET, "/docs/{slug}", PUBLIC, TAKES_NOTHING, GIVES_PAGE(docs), h_docs_topic,
    .doc = "A guide, or the reference for a group of routes" },
  { GET, "/llms.txt",    PUBLIC, TAKES_NOTHING, GIVES_TEXT,       h_llms,
    .scope = ANY_SCOPE,
    .doc = "What the service is and how to use it, for AI agents (llmstxt.org)" },
};
ROUTES(docs, "Documentation",
    "Documentation for people and for programs.");
