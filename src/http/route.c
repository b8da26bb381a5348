/* SPDX-License-Identifier: Apache-2.0 */
#include "http/route.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"
#include "http/page.h"
#include "http/who.h"

const char *const method_names[METHODS] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
const char *const pool_names[POOLS] = { "quick", "slow" };

/* ---- parameters of paths ---- */

bool
param_number_fits(const char *part)
{
	int64_t no;

	return str_int(part, &no) && no > 0 && no < INT32_MAX;
}

/* Returns the kind of the parameter whose name begins at `at`, after its brace; NULL if unknown. */
static const struct param_kind *
param_kind(const char *at)
{
	for (const struct param_kind *k = param_kinds; k->name; k++) {
		size_t n = strlen(k->name);

		if (strncmp(at, k->name, n) == 0 && at[n] == '}')
			return k;
	}
	return NULL;
}

const char *
param_outside(const char *at)
{
	return param_kind(at)->outside;
}

bool
param_is_number(const char *at)
{
	return param_kind(at)->fits == param_number_fits;
}

const char *
param_prefix(const char *at)
{
	return param_kind(at)->prefix;
}

const char *
param_pattern(const char *at)
{
	return param_kind(at)->pattern;
}

const char *
param_sample(const char *at)
{
	static const struct {
		const char *name, *sample;
	} samples[] = { { "no", "1" }, { "slug", "my-site" }, { "provider", "google" },
		{ "chat", "chat_a" }, { "template", "guestbook" },
		{ "email", "ann%40example.org" }, { "table", "guests" }, { "name", "README.md" },
		{ "+", "index.html" }, { "+note", "guides/price-rules.md" } };

	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
		if (str_eq(samples[i].name, param_kind(at)->name))
			return samples[i].sample;
	return NULL;
}

static bool
param_fits(const struct param_kind *kind, const char *part)
{
	if (str_eq(part, PARAM_SELF) && str_eq(kind->name, "art"))
		return true;
	return kind->prefix ? id_valid(part, kind->prefix) : kind->fits(part);
}

bool
param_fits_at(const char *at, const char *part)
{
	return param_fits(param_kind(at), part);
}

/* The parts of a path. We split the raw path at '/' first and then decode each part once, so that
 * %2f never becomes a separator. */
struct parts {
	const char **v;
	size_t n;
};

static bool
parts_split(void *mem, const char *raw, struct parts *out)
{
	char *rest = mem_strdup(mem, raw + 1), *part;
	size_t room = 1;

	for (const char *p = raw; *p; p++)
		room += *p == '/';
	out->v = mem_array(mem, const char *, room);
	while ((part = str_split(&rest, '/'))) {
		if (!str_unescape(part, false) || strpbrk(part, "\\\x7f"))
			return false;
		for (const char *p = part; *p; p++)
			if ((unsigned char)*p < 0x20)
				return false;
		out->v[out->n++] = unicode_composed(mem, part);
	}
	return true;
}

/* Joins the parts from i on with '/', for {+}. */
static const char *
parts_join(void *mem, const struct parts *parts, size_t i)
{
	struct buf b = BUF(mem);

	for (; i < parts->n; i++)
		buf_fmt(&b, "%s%s", b.n ? "/" : "", parts->v[i]);
	return buf_done(&b);
}

/* ---- all rows ---- */

static const struct route_list **lists;
static struct route *rows;
static size_t row_n;

static void
row_wrong(const struct route *row, const char *why)
{
	fprintf(stderr, "route %s %s: %s\n", method_names[row->method], row->path, why);
	exit(70);
}

const struct route *
route_said(const char *text)
{
	for (int m = 0; m < METHODS; m++)
		if (str_starts(text, method_names[m]) && text[strlen(method_names[m])] == ' ')
			return route_named(m, strchr(text, ' ') + 1);
	return NULL;
}

/* Completes a form's row from the API's row that it names. Pages don't accept limited tokens. */
static void
row_link(struct route *row)
{
	static const struct shape nothing = { .name = "nothing" };
	const struct route own = *row, *api = route_said(own.does);
	const struct who_row *own_who = own.who != PUBLIC ? own.who : NULL;

	if (!api || !route_is_api(api) || api->does)
		row_wrong(row, "does what no row of the API does");
	if (own_who && api->who->noun)
		row_wrong(row, "says who may, which the API's row does");
	if (api->query && api->body.shape)
		row_wrong(row, "does what takes a query beside a body");
	if (!(own.then || own.stays) || !(own.again || own.ask))
		row_wrong(row, "doesn't say where it goes on, or is shown again");
	*row = *api;
	row->method = own.method;
	row->path = own.path;
	row->who = own_who ? own_who : api->who;
	row->body = (struct body){ BODY_FORM,
		api->body.shape ? api->body.shape
		    : api->query ? api->query
				 : &nothing };
	row->query = NULL;
	row->answer = (struct answer){ ANSWER_PAGE, NULL,
		api->answer.kind == ANSWER_LIST ? NULL : api->answer.shape };
	row->scope = NO_SCOPE;
	row->content = false;
	row->doc = own.doc;
	row->again = own.again;
	row->does = own.does;
	row->called = own.called;
	row->instead = own.instead;
	row->with = own.with;
	row->then = own.then;
	row->stays = own.stays;
	row->success = own.stays ? 0 : row->success;
	row->ask = own.ask;
}

/* The row of the API that a page shows; text may have a query. */
static const struct route *
show_row(void *mem, const struct route *page, const char *text)
{
	const char *from = mem_strndup(mem, text, strcspn(text, "?"));
	const struct route *row = route_said(from);
	enum answer_kind kind = row ? row->answer.kind : ANSWER_NONE;

	if (!row || row->method != GET ||
	    (kind != ANSWER_LIST && kind != ANSWER_NOUN && kind != ANSWER_FLAT))
		row_wrong(page, mem_printf(mem, "shows %s, which is no GET of the API", from));
	return row;
}

/* Makes the row of the page that asks before the form of `form` is sent, and links the two. */
static void
row_ask(void *mem, struct route *page, struct route *form)
{
	const char *of = form->ask->of;
	const struct route *shown = of ? show_row(mem, form, of) : NULL;

	if (form->method != POST || form->answer.kind != ANSWER_PAGE)
		row_wrong(form, "asks first, but isn't a form");
	*page = (struct route){ .method = GET,
		.path = form->path,
		.who = form->ask->who ? form->ask->who : form->who,
		.answer = GIVES_PAGE(confirm),
		.handler = form_ask,
		.doc = mem_printf(mem, "Asks first: %s", form->doc),
		.ask = form->ask,
		.shown = shown ? mem_dup(mem, &shown, sizeof shown) : NULL };
	form->again = form->path;
}

const char *
show_text(const struct show *show)
{
	return show->from + (str_starts(show->from, SHOW_MAY) ? strlen(SHOW_MAY) : 0);
}

/* Appends fields for what the page shows to its own shape. Each takes the room of a struct list. */
static void
row_shows(void *mem, struct route *row)
{
	const struct shape *own = row->answer.shape;
	struct shape *all = mem_new(mem, struct shape);
	const struct route **shown;
	struct field *f;
	size_t n = 0;

	while (row->shows[n].name)
		n++;
	row->shown = shown = mem_array(mem, const struct route *, n);
	*all = own ? *own : (struct shape){ .name = "page" };
	all->fields = f = mem_array(mem, struct field, all->n + 2 * n);
	if (own)
		memcpy(f, own->fields, own->n * sizeof *f);
	for (size_t i = 0; i < n; i++) {
		const struct show *show = &row->shows[i];
		const char *name = show->name;
		const struct route *api = shown[i] =
		    show->from ? show_row(mem, row, show_text(show)) : NULL;
		bool list = api ? api->answer.kind == ANSWER_LIST : show->rows_of != NULL;

		row->whole = row->whole || (api && route_refuses_confined(api));
		f[all->n++] = (struct field){ .name = name, .kind = list ? K_LIST : K_OBJ,
			.off = all->size,
			.sub = api ? api->answer.shape : list ? show->rows_of : show->of };
		all->size += sizeof(struct list);
		if (!list)
			continue;
		f[all->n++] = (struct field){ .name = mem_printf(mem, "%s_next", name),
			.kind = K_STR, .off = all->size };
		all->size += sizeof(char *);
	}
	row->answer.shape = all;
	row->handler = row->handler ? row->handler : shows_reply;
}

const struct route_list *const *
routes_all(void)
{
	void *mem;
	size_t n = 0;

	if (lists)
		return lists;
	mem = mem_root("routes");
	for (; route_lists[n]; n++)
		for (size_t i = 0; i < route_lists[n]->n; i++)
			row_n += route_lists[n]->rows[i].ask ? 2 : 1;
	lists = mem_array(mem, const struct route_list *, n + 1);
	rows = mem_array(mem, struct route, row_n + 1);
	row_n = 0;
	for (size_t i = 0; i < n; i++) {
		struct route_list *list = mem_dup(mem, route_lists[i], sizeof *list);

		list->rows = rows + row_n;
		list->n = 0;
		for (size_t k = 0; k < route_lists[i]->n; k++) {
			list->n += route_lists[i]->rows[k].ask ? 2 : 1;
			rows[row_n + list->n - 1] = route_lists[i]->rows[k];
		}
		row_n += list->n;
		lists[i] = list;
	}
	for (size_t i = 0; i < row_n; i++) {
		if (rows[i].does)
			row_link(&rows[i]);
		if (rows[i].ask)
			row_ask(mem, &rows[i - 1], &rows[i]);
	}
	for (size_t i = 0; i < row_n; i++)
		if (rows[i].shows)
			row_shows(mem, &rows[i]);
	return lists;
}

static const struct route *
route_at(size_t i)
{
	routes_all();
	return i < row_n ? &rows[i] : NULL;
}

size_t
route_count(void)
{
	routes_all();
	return row_n;
}

size_t
route_index(const struct route *row)
{
	return (size_t)(row - rows);
}

/* ---- the tree of paths ---- */

/* A part of the paths of some rows: a text or a parameter. Matching walks down one node per part,
 * so its cost doesn't grow with the number of rows. */
struct node {
	const char *text;              /* not ended by NUL */
	size_t n;
	const struct param_kind *kind; /* NULL: a text */
	struct node *children, *next;  /* texts come before parameters */
	const struct route *row[METHODS];
};

static struct node *
node_child(void *mem, struct node *parent, const char *text, size_t n)
{
	struct node **at = &parent->children, *child;

	while (*at && ((*at)->n != n || memcmp((*at)->text, text, n) != 0))
		at = &(*at)->next;
	if (*at)
		return *at;
	child = mem_new(mem, struct node);
	*child = (struct node){ text, n, .kind = *text == '{' ? param_kind(text + 1) : NULL };
	at = &parent->children;
	while (child->kind && *at)
		at = &(*at)->next;
	child->next = *at;
	*at = child;
	return child;
}

static const struct node *
routes_tree(void)
{
	static struct node *root;
	const struct route *row;
	void *mem;

	if (root)
		return root;
	mem = mem_root("route tree");
	root = mem_new(mem, struct node);
	for (size_t i = 0; (row = route_at(i)); i++) {
		struct node *at = root;
		size_t n;

		for (const char *part = row->path; *part; part += n) {
			n = strcspn(++part, "/");
			at = node_child(mem, at, part, n);
		}
		at->row[row->method] = row;
	}
	return root;
}

/* The state of matching a request. */
struct walk {
	void *mem;
	const struct parts *parts;
	int method;
	struct param p[PATH_PARAMS];
	const struct route *found;
	struct param *found_p;
	unsigned allowed;
};

static void
walk_down(struct walk *w, const struct node *node, size_t i, size_t n)
{
	const char *part = i < w->parts->n ? w->parts->v[i] : NULL;

	if (!part) {
		for (int m = 0; m < METHODS; m++)
			w->allowed |= node->row[m] ? 1u << m : 0;
		if (!w->found && w->method >= 0 && node->row[w->method]) {
			w->found = node->row[w->method];
			memcpy(w->found_p, w->p, sizeof w->p);
		}
		return;
	}
	for (const struct node *child = node->children; child; child = child->next) {
		const struct param_kind *kind = child->kind;
		bool rest = kind && *kind->name == '+';
		const char *value = rest ? parts_join(w->mem, w->parts, i) : part;

		if (!kind && strncmp(part, child->text, child->n) == 0 && !part[child->n])
			walk_down(w, child, i + 1, n);
		if (!kind || !param_fits(kind, value))
			continue;
		w->p[n] = (struct param){ kind->name, value, kind->outside };
		walk_down(w, child, rest ? w->parts->n : i + 1, n + 1);
	}
}

const struct route *
route_find(
    void *mem, int method, const char *raw_path, struct param p[PATH_PARAMS], unsigned *allowed)
{
	struct parts parts = { 0 };
	struct walk w = { mem, &parts, method, .found_p = p };

	*allowed = 0;
	if (raw_path[0] != '/' || !parts_split(mem, raw_path, &parts))
		return NULL;
	walk_down(&w, routes_tree(), 0, 0);
	*allowed = w.allowed;
	return w.found;
}

const struct route *
route_named(enum method method, const char *path)
{
	const struct route *row;

	for (size_t i = 0; (row = route_at(i)); i++)
		if (row->method == method && str_eq(row->path, path))
			return row;
	return NULL;
}

/* Joins the words of text, each with a capital: "artifact_id" gives "ArtifactId". */
static void
operation_words(struct buf *b, const char *text, size_t n)
{
	bool begins = true;

	for (size_t i = 0; i < n; i++) {
		if (isalnum((unsigned char)text[i]))
			buf_chr(b, begins ? (char)toupper((unsigned char)text[i]) : text[i]);
		begins = !isalnum((unsigned char)text[i]);
	}
}

const char *
route_operation(void *owner, const struct route *row)
{
	struct buf b = BUF(owner);
	const char *path = str_starts(row->path, "/v1/") ? row->path + 3 : row->path;

	for (const char *p = method_names[row->method]; *p; p++)
		buf_chr(&b, (char)tolower((unsigned char)*p));
	if (!route_is_api(row))
		buf_str(&b, "Page");
	while (*path++) {
		size_t n = strcspn(path, "/");

		if (*path == '{') {
			const char *outside = param_outside(path + 1);

			buf_str(&b, "By");
			operation_words(&b, outside, strlen(outside));
		} else {
			operation_words(&b, path, n);
		}
		path += n;
	}
	return buf_done(&b);
}

/* Ends the process unless the path has at most PATH_PARAMS parameters, each of a known kind and
 * once. */
static void
row_path_check(const struct route *row)
{
	const struct param_kind *seen[PATH_PARAMS];
	size_t n = 0;

	for (const char *p = strchr(row->path, '{'); p; p = strchr(p + 1, '{')) {
		const struct param_kind *kind = param_kind(p + 1);

		if (!kind || n == PATH_PARAMS)
			row_wrong(row,
			    "has a parameter of an unknown kind, or too many parameters");
		for (size_t i = 0; i < n; i++)
			if (seen[i] == kind)
				row_wrong(row, "names the same parameter twice");
		seen[n++] = kind;
	}
}

bool
route_has_param(const struct route *row, const char *name)
{
	char brace[64];

	snprintf(brace, sizeof brace, "{%s}", name);
	return strstr(row->path, brace) != NULL;
}

static void
row_noun_check(const struct route *row)
{
	const struct noun *noun = row->who->noun;

	if (!noun && row->content)
		row_wrong(row, "is served on content hosts but checks nothing that they have");
	if (!noun)
		return;
	if (!noun->named && !route_has_param(row, noun->param))
		row_wrong(row, "checks something that its path doesn't name");
	if (row->content && !noun->load_by_visitor)
		row_wrong(row, "is served on content hosts, which have no such objects");
}

static void
row_shapes_check(void *mem, const struct route *row)
{
	enum shape_use body = row->body.kind >= BODY_FORM && !row->does ? SHAPE_PAIRS : SHAPE_BODY;
	const struct {
		const struct shape *shape;
		enum shape_use use;
	} named[] = { { row->query, SHAPE_PAIRS }, { row->body.shape, body },
		{ row->answer.shape, SHAPE_ANSWER } };

	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		const char *why =
		    named[i].shape ? shape_wrong(mem, named[i].shape, named[i].use) : NULL;

		if (why)
			row_wrong(row, mem_printf(mem, "%s.%s", named[i].shape->name, why));
	}
}

struct called {
	const struct route *row;
	const char *name;
};

static int
called_cmp(const void *a, const void *b)
{
	const struct called *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Ends the process if a row is listed twice, or two have the same name in the documents. */
static void
rows_names_check(void *mem)
{
	size_t n = route_count();
	struct called *all = mem_array(mem, struct called, n);

	for (size_t i = 0; i < n; i++)
		all[i] = (struct called){ route_at(i), route_operation(all, route_at(i)) };
	qsort(all, n, sizeof *all, called_cmp);
	for (size_t i = 1; i < n; i++)
		if (str_eq(all[i].name, all[i - 1].name))
			row_wrong(all[i].row,
			    mem_printf(mem, "is called %s, like %s", all[i].name,
				all[i - 1].row->path));
	mem_free(all);
}

bool
route_is_api(const struct route *row)
{
	bool bytes = row->answer.kind == ANSWER_STREAM || row->answer.kind == ANSWER_BYTES;

	return row->answer.kind != ANSWER_PAGE && (!bytes || str_starts(row->path, "/v1/"));
}

/* True if filled.c would find the field there. */
static bool
shape_says(const struct shape *s, const char *name)
{
	const struct field *f = s ? shape_field(s, name) : NULL;

	for (size_t i = 0; s && !f && i < s->n; i++)
		if (s->fields[i].kind == K_OBJ && shape_says(s->fields[i].sub, name))
			return true;
	return f && (f->kind <= K_WORD || f->kind == K_BOOL);
}

/* True if each {name} in text is a parameter of the path or, if said, a field of the form or its
 * answer. */
static bool
names_known(void *mem, const struct route *row, const char *text, bool said)
{
	for (const char *p = text; p && (p = strchr(p, '{')); p++) {
		const char *name = mem_strndup(mem, p + 1, strcspn(p, "}") - 1);

		if (!strstr(row->path, mem_printf(mem, "{%s}", name)) &&
		    !(said && (shape_says(row->body.shape, name) ||
				  shape_says(row->answer.shape, name))))
			return false;
	}
	return true;
}

/* Checks that the form's page can be shown with what the form's path and body say. */
static void
row_again_check(void *mem, const struct route *row)
{
	const struct route *page = row->again ? route_named(GET, row->again) : NULL;

	if (!row->again)
		return;
	if (row->answer.kind != ANSWER_PAGE || row->body.kind < BODY_FILES)
		row_wrong(row, "isn't a form on a page, but names a page to show again");
	if (!page || page->answer.kind != ANSWER_PAGE || !page->answer.noun)
		row_wrong(row, "is shown again on something that isn't a page");
	if (!names_known(mem, row, row->again, false))
		row_wrong(row, "lacks a parameter of the page to show again");
	if (!names_known(mem, row, row->then, true))
		row_wrong(row, "goes on to a page with what nobody says");
	if (!names_known(mem, row, row->with, false))
		row_wrong(row, "says what its path lacks");
}

/* Checks the row's template. */
static void
row_page_check(void *mem, const struct route *row)
{
	struct param params[PATH_PARAMS + 1] = { 0 };
	const struct page_asked asked = { row->query, NULL, params };
	const char *at = row->path, *why = NULL;

	for (size_t n = 0; n < PATH_PARAMS && (at = strchr(at, '{')); n++, at++)
		params[n].name = mem_strndup(mem, at + 1, strcspn(at + 1, "}"));
	if (row->answer.kind == ANSWER_PAGE && row->answer.noun)
		why = page_wrong(mem, row->answer.noun, row->answer.shape, &asked);
	if (why)
		row_wrong(row, why);
}

void
routes_check(void)
{
	void *mem = mem_root("routes");

	for (const struct page_alone *p = pages_alone; p->name; p++) {
		const char *why = page_wrong(mem, p->name, p->shape, NULL);

		if (why) {
			fprintf(stderr, "page %s: %s\n", p->name, why);
			exit(70);
		}
	}
	for (size_t i = 0; i < route_count(); i++) {
		const struct route *row = route_at(i);

		if (!row->handler || !row->doc)
			row_wrong(row, "has no handler or no doc");
		row_path_check(row);
		row_noun_check(row);
		if (row->method == GET && row->body.kind != BODY_NONE)
			row_wrong(row, "is a GET with a body");
		if (row->prepare && !row->slow)
			row_wrong(row, "has .prepare but isn't .slow");
		if (row->answer.kind == ANSWER_STREAM && !row->slow)
			row_wrong(row, "sends a stream but isn't .slow");
		row_page_check(mem, row);
		if ((row->answer.kind == ANSWER_FLAT || row->answer.kind == ANSWER_NOUN ||
			row->answer.kind == ANSWER_LIST) &&
		    !row->answer.shape)
			row_wrong(row, "has no shape for its answer");
		row_shapes_check(mem, row);
		row_again_check(mem, row);
	}
	rows_names_check(mem);
	mem_free(mem);
}

void
routes_open(void)
{
	routes_tree();
}

const char *
route_address(void *mem, const struct route *row)
{
	struct buf b = BUF(mem);

	for (const char *p = row->path; *p; p++) {
		buf_chr(&b, *p);
		if (*p == '{') {
			buf_str(&b, param_outside(p + 1));
			p += strcspn(p, "}") - 1;
		}
	}
	return buf_done(&b);
}

bool
route_body_optional(const struct route *row)
{
	const struct shape *s = row->body.shape;

	if (row->body.kind != BODY_JSON || row->method == PUT)
		return row->body.kind == BODY_JSON_OPTIONAL;
	for (size_t i = 0; i < s->n; i++)
		if (s->fields[i].flags & F_REQ)
			return false;
	return true;
}

bool
route_refuses_confined(const struct route *row)
{
	const struct who_row *who = row->who;

	return row->whole || (who->caller == KNOWN && !who->noun && row->scope == NO_SCOPE);
}

static void
route_print(void *mem, const struct route *row)
{
	static const char *const callers[] = { [ANYBODY] = "anybody",
		[KNOWN] = "known",
		[PERSON] = "person",
		[STAFF] = "staff" };
	const struct who_row *who = row->who;
	struct buf b = BUF(mem);

	buf_fmt(&b, "{\"method\":\"%s\",\"path\":\"%s\",\"address\":\"%s\",\"who\":\"%s\"",
	    method_names[row->method], row->path, route_address(mem, row), who->name);
	buf_fmt(&b, ",\"caller\":\"%s\",\"noun\":", callers[who->caller]);
	buf_json(&b, who->noun ? who->noun->param : NULL);
	buf_fmt(&b, ",\"named\":%s",
	    who->noun && who->noun->named && !route_has_param(row, who->noun->param)
		? "true" : "false");
	buf_fmt(&b, ",\"opens\":%s,\"least\":", who->noun && who->noun->opens ? "true" : "false");
	buf_json(&b, who->noun ? who->noun->rungs[who->least].word : NULL);
	buf_fmt(&b, ",\"governed\":%s,\"alias\":%s", who->governed ? "true" : "false",
	    row->alias ? "true" : "false");
	buf_str(&b, ",\"given\":");
	buf_json(&b, who->given ? who->noun->capabilities[who->given] : NULL);
	buf_str(&b, ",\"scope\":");
	buf_json(&b, scope_name(row->scope));
	buf_fmt(&b, ",\"confined\":%s", route_refuses_confined(row) ? "false" : "true");
	buf_str(&b, ",\"again\":");
	buf_json(&b, row->again);
	if (row->body.shape) {
		buf_str(&b, ",\"fields\":");
		shape_schema(&b, row->body.shape, false);
	}
	buf_fmt(&b, ",\"pool\":\"%s\",\"body\":\"%s\",\"page\":%s,\"success\":%d}",
	    pool_names[row->slow && !row->quick_when_small],
	    !row->body.kind                    ? "none"
		: row->body.kind == BODY_FILES ? "files"
		: row->body.kind == BODY_FILE || row->body.kind == BODY_IMAGE ? "file"
		: row->body.kind == BODY_BYTES ? "bytes"
		: row->body.kind == BODY_MESSAGE ? "message"
		: row->body.kind >= BODY_FORM  ? "form"
					       : "json",
	    route_is_api(row) ? "false" : "true",
	    row->success ? row->success : 200);
	puts(buf_done(&b));
}

void
routes_print(void)
{
	void *mem = mem_root("routes");

	for (size_t i = 0; i < route_count(); i++)
		route_print(mem, route_at(i));
	mem_free(mem);
}
