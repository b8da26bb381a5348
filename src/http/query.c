/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "base/str.h"
#include "base/unknown.h"
#include "http/filled.h"
#include "http/form.h"
#include "store/spool.h"

const char *
req_env(const struct req *r, const char *name)
{
	size_t n = strlen(name);

	for (char **e = r->env; e && *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return (*e)[n + 1] ? *e + n + 1 : NULL;
	return NULL;
}

const char *
req_header(const struct req *r, const char *cgi_name)
{
	return req_env(r, cgi_name);
}

bool
req_is_opened(const struct req *r)
{
	return str_eq(req_header(r, "HTTP_SEC_FETCH_MODE"), "navigate") &&
	    str_eq(req_header(r, "HTTP_SEC_FETCH_DEST"), "document");
}

const char *
req_param(const struct req *r, const char *name)
{
	for (size_t i = 0; i < PATH_PARAMS && r->p[i].name; i++)
		if (str_eq(r->p[i].name, name))
			return r->p[i].value;
	abort(); /* the handler belongs to another row */
}

int64_t
req_param_no(const struct req *r, const char *name)
{
	int64_t no = 0;

	str_int(req_param(r, name), &no);
	return no;
}

static enum err
fail_pairs(struct ctx *c, const char *what)
{
	return fail(c, E_INVALID, "the %s has more than %d parameters", what, PAIRS);
}

/* Splits name=value&… of a query or form. */
static enum err
pairs_split(struct ctx *c, const char *what, char *rest, struct pair pairs[PAIRS], size_t *n)
{
	enum { SENT_CHARS = 80 };
	bool secret = !str_eq(what, "query");
	char *part;

	while ((part = str_split(&rest, '&'))) {
		char *value = strchr(part, '='), *sent;

		if (!*part)
			continue;
		if (*n == PAIRS)
			return fail_pairs(c, what);
		if (value)
			*value++ = '\0';
		else
			value = part + strlen(part);
		sent = str_cut(c->mem, value, SENT_CHARS);
		if (!str_unescape(part, true))
			return fail(c, E_INVALID,
			    "the %s has a name that isn't percent-encoded UTF-8 without NUL", what);
		if (!str_unescape(value, true))
			return fail(c, E_INVALID,
			    "%s: must be percent-encoded UTF-8 without NUL%s%s", part,
			    secret ? "" : ", not ", secret || !str_is_ascii(sent) ? "" : sent);
		pairs[(*n)++] = (struct pair){ part, value };
	}
	return E_OK;
}

static bool
pairs_have(const struct pair *pairs, size_t n, const char *name)
{
	while (n && !str_eq(pairs[n - 1].name, name))
		n--;
	return n > 0;
}

const char *
items_typed(void *mem, const char *typed)
{
	static const char between[] = " \t\r\n,";
	struct buf b = BUF(mem);

	for (typed += strspn(typed, between); *typed; typed += strspn(typed, between)) {
		size_t n = strcspn(typed, between);

		if (b.n)
			buf_chr(&b, ',');
		buf_add(&b, typed, n);
		typed += n;
	}
	return b.n ? buf_done(&b) : NULL;
}

static const char *
days_from_now(struct ctx *c, const char *typed)
{
	enum { MOST_DAYS = 36500 };
	int64_t days;

	if (!str_int(typed, &days) || days < 0 || days > MOST_DAYS)
		return typed;
	return mem_printf(c->mem, "%lld", (long long)(c->now + days * 86400));
}

const char *
req_api_name(void *owner, const struct route *form, const char *name)
{
	char *rest = form->called ? mem_strdup(owner, form->called) : NULL, *pair;

	while (rest && (pair = str_split(&rest, '&'))) {
		const char *api = str_split(&pair, '=');

		if (str_eq(pair, name))
			return api;
	}
	return name;
}

/* Prepares a form's fields for an API row: adds the parameters of its path and row, which can't be
 * typed. A check box may have a hidden field before it with its value when it isn't ticked. */
static enum err
pairs_for_api(struct req *r, struct pair *pairs, size_t *n)
{
	const struct shape *shape = r->route->body.shape;
	bool changes = str_starts(r->route->does, "PATCH");
	struct pair all[2 * PAIRS + PATH_PARAMS];
	size_t all_n = 0, fixed;

	for (size_t i = 0; i < PATH_PARAMS && r->p[i].name; i++)
		all[all_n++] = (struct pair){ r->p[i].outside, r->p[i].value };
	if (r->route->with)
		TRY(pairs_split(r->c, "form",
		    mem_strdup(r->c->mem, form_filled(r, r->route->with, NULL)), all, &all_n));
	fixed = all_n;
	for (size_t i = 0; i < *n; i++) {
		const char *name = req_api_name(r->c->mem, r->route, pairs[i].name),
			   *typed = pairs[i].value;
		const struct field *f = shape_field(shape, name);

		if (!f || pairs_have(all, fixed, name) ||
		    (f->kind == K_BOOL && pairs_have(pairs + i + 1, *n - i - 1, pairs[i].name)))
			continue;
		if (f->kind == K_STRS)
			typed = f->item == K_EMAIL ? str_given(typed)
						   : items_typed(r->c->mem, typed);
		else if (f->kind == K_TIME && *typed == '+') /* "+30": days from now */
			typed = days_from_now(r->c, typed + 1);
		else if (*typed)
			typed = str_lines(r->c->mem, typed);
		else if (f->flags & F_NUL)
			typed = NULL;
		else if (!(f->flags & F_REQ) && !changes)
			continue;
		all[all_n++] = (struct pair){ name, typed };
	}
	memcpy(pairs, all, all_n * sizeof *all);
	*n = all_n;
	return E_OK;
}

/* Drops empty parameters, except those by which a page may mean an empty text. */
static size_t
pairs_drop_empty(const struct req *r, const struct shape *shape, struct pair *pairs, size_t n)
{
	bool page = !route_is_api(r->route);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const struct field *f = shape_field(shape, pairs[i].name);

		if (!f || *pairs[i].value || f->flags & F_REQ ||
		    (page && f->kind == K_STR && !f->lo))
			pairs[kept++] = pairs[i];
	}
	return kept;
}

/* Takes from a form the parameters that the path of the API's row has and its own lacks. The form
 * has them as fields, by their names in the documents. */
static enum err
params_typed(struct req *r, const struct pair *pairs, size_t n)
{
	size_t at = 0;

	while (at < PATH_PARAMS && r->p[at].name)
		at++;
	for (const char *p = strchr(r->route->does, '{'); p; p = strchr(p + 1, '{')) {
		const char *name = mem_strndup(r->c->mem, p + 1, strcspn(p, "}") - 1),
			   *field = param_outside(p + 1), *value = NULL;

		if (route_has_param(r->route, name))
			continue;
		for (size_t i = 0; i < n; i++)
			value = str_eq(pairs[i].name, field) ? pairs[i].value : value;
		if (at == PATH_PARAMS || !value || !param_fits_at(p + 1, value))
			return fail(r->c, E_INVALID, "%s: must be chosen", field);
		r->p[at++] = (struct param){ name, value, field };
	}
	return E_OK;
}

/* Reads the names and values of the query, of which there are at most PAIRS. */
static enum err
query_pairs(struct req *r, struct pair *pairs, size_t *n)
{
	const char *at = strchr(r->uri, '?');

	*n = 0;
	if (!r->asked)
		return pairs_split(
		    r->c, "query", mem_strdup(r->c->mem, at ? at + 1 : ""), pairs, n);
	for (const struct pair *p = r->asked; p->name; p++) {
		if (!p->value)
			continue;
		if (*n == PAIRS)
			return fail_pairs(r->c, "query");
		pairs[(*n)++] = *p;
	}
	return E_OK;
}

/* Reads a form's text, or the query (text NULL), into a struct of the shape. */
static enum err
pairs_read(
    struct req *r, const char *what, char *text, const struct shape *shape, const void **out)
{
	struct pair pairs[2 * PAIRS + PATH_PARAMS];
	size_t n = 0;
	void *into;

	TRY(text ? pairs_split(r->c, what, text, pairs, &n) : query_pairs(r, pairs, &n));
	if (r->route->does && shape == r->route->body.shape) {
		TRY(params_typed(r, pairs, n));
		TRY(pairs_for_api(r, pairs, &n));
	}
	if (r->method == GET)
		n = pairs_drop_empty(r, shape, pairs, n);
	if (r->route->open_query) {
		struct pair *more = mem_array(r->c->mem, struct pair, n + 1);

		r->more = more;
		r->more_n = 0;
		for (size_t i = 0; i < n; i++)
			if (!shape_field(shape, pairs[i].name))
				more[r->more_n++] = pairs[i];
	} else if (req_warns(r)) {
		for (size_t i = 0; i < n; i++)
			unknown_name(r->c, shape, pairs[i].name);
	}
	TRY(shape_read_pairs(r->c, shape, pairs, n, &into));
	*out = into;
	return E_OK;
}

static bool
is_type(const char *content_type, const char *want)
{
	size_t n = strlen(want);

	return content_type && strncasecmp(content_type, want, n) == 0 &&
	    (!content_type[n] || strchr("; \t", content_type[n]));
}

size_t
req_form_pairs(const struct req *r, struct pair pairs[PAIRS])
{
	size_t n = 0;

	if (r->body && is_type(req_env(r, "CONTENT_TYPE"), "application/x-www-form-urlencoded"))
		pairs_split(r->c, "form", mem_strndup(r->c->mem, r->body, r->body_n), pairs, &n);
	return n;
}

/* OAuth clients may send parameters that we don't know (RFC 6749, section 3.1), and pages are for
 * people. */
bool
req_warns(const struct req *r)
{
	return r->route && r->route->answer.kind <= ANSWER_LIST &&
	    r->route->body.kind != BODY_OAUTH;
}

enum err
req_read_query(struct req *r)
{
	const char *at = strchr(r->uri, '?');
	char *rest, *part;

	if (r->route->query)
		return pairs_read(r, "query", NULL, r->route->query, &r->query);
	for (const struct pair *p = r->asked; p && p->name && req_warns(r); p++)
		if (p->value)
			unknown_name(r->c, NULL, p->name);
	if (!at || r->asked || !req_warns(r))
		return E_OK;
	rest = mem_strdup(r->c->mem, at + 1);
	while (r->c->warning_n < WARNINGS && (part = str_split(&rest, '&'))) {
		part[strcspn(part, "=")] = '\0';
		if (*part && str_unescape(part, true))
			unknown_name(r->c, NULL, part);
	}
	return E_OK;
}

static bool
body_is_form(const struct req *r)
{
	enum body_kind kind = r->route->body.kind;

	return (kind == BODY_JSON_OR_FORM || kind == BODY_FILES || kind == BODY_FILE) &&
	    is_type(req_env(r, "CONTENT_TYPE"), "multipart/form-data");
}

/* Handlers that know the content read it in chunks. */
static bool
body_is_span(const struct req *r)
{
	enum body_kind kind = r->route->body.kind;

	return kind == BODY_BYTES || kind == BODY_IMAGE || body_is_form(r);
}

int64_t
req_file_least(const struct req *r)
{
	int64_t around = r->route->body.kind == BODY_BYTES ? 0 : BODY_AROUND, length;
	const char *text = req_env(r, "CONTENT_LENGTH");

	return text && str_int(text, &length) && length > around ? length - around : 0;
}

static enum err
body_fits(struct req *r, int64_t n)
{
	int64_t max = body_bytes(r->c->conf, r->route->max_body);

	return n > max ? fail(r->c, E_BODY_TOO_LARGE,
			     "the body is %lld bytes; the limit here is %lld", (long long)n,
			     (long long)max)
		       : E_OK;
}

enum err
req_map_body(struct req *r)
{
	const char *text = req_env(r, "CONTENT_LENGTH");
	struct span body = r->received;
	int64_t length = 0;

	if (text && (!str_int(text, &length) || length < 0))
		return fail(r->c, E_INVALID, "Content-Length: %s isn't a valid length", text);
	TRY(body_fits(r, length));
	if (r->body)
		return E_OK;
	r->body_path = req_env(r, "REQUEST_BODY_FILE");
	if (r->body_path)
		TRY(spool_open(r->c, r->body_path, &body));
	else if (!body.n)
		return length
		    ? fail_here(r->c, "a body of %lld bytes has not come", (long long)length)
		    : E_OK;
	TRY(body_fits(r, body.n));
	if (length && length != body.n)
		return fail(r->c, E_INVALID, "Content-Length is %lld, but %lld bytes arrived",
		    (long long)length, (long long)body.n);
	if (!body_is_span(r)) {
		r->body_n = (size_t)body.n;
		return span_map(r->c, &body, &r->body);
	}
	r->form = body;
	return E_OK;
}

/* A merge patch may have its own media type (RFC 7396). */
static bool
is_json(const struct req *r, const char *type)
{
	return is_type(type, "application/json") ||
	    (r->route->body.kind == BODY_OBJECT && r->method == PATCH &&
		is_type(type, "application/merge-patch+json"));
}

/* Returns the type that a body must have, or NULL if this one will do. */
static const char *
type_wanted(const struct req *r, const char *type)
{
	switch (r->route->body.kind) {
	case BODY_NONE:
	case BODY_BYTES:
	case BODY_IMAGE:
		return NULL;
	case BODY_FILES:
	case BODY_FILE:
		return body_is_form(r) ? NULL : "multipart/form-data";
	case BODY_FORM:
	case BODY_OAUTH:
		return is_type(type, "application/x-www-form-urlencoded")
		    ? NULL
		    : "application/x-www-form-urlencoded";
	default:
		return is_json(r, type) || body_is_form(r) ? NULL : "application/json";
	}
}

enum err
req_check_type(struct req *r)
{
	const char *type = req_env(r, "CONTENT_TYPE"), *want = type_wanted(r, type);

	return want ? fail(r->c, E_MEDIA_TYPE, "Content-Type: %s is not accepted here; send %s",
			  type ? type : "(none)", want)
		    : E_OK;
}

static enum err
body_tree(struct req *r, const struct json **tree)
{
	bool none = !r->body_n && route_body_optional(r->route);
	struct json *read;

	*tree = r->sent;
	if (r->sent)
		return E_OK;
	if (!none && !r->body_n && r->route->body.kind != BODY_JSON_OR_FORM &&
	    !req_env(r, "CONTENT_TYPE"))
		return fail(r->c, E_INVALID, "the body is missing: send a JSON object");
	if (!none)
		TRY(req_check_type(r));
	TRY(json_parse(r->c, none ? "{}" : r->body, none ? 2 : r->body_n, &read));
	*tree = read;
	return E_OK;
}

/* Clients that always send JSON send {} for an empty body. */
static bool
body_is_empty(const struct req *r)
{
	static const char nothing[] = "{}";
	size_t n = 0;

	for (size_t i = 0; i < r->body_n; i++)
		if (!strchr(" \t\r\n", r->body[i]) && r->body[i] != nothing[n++])
			return false;
	return !n || n == 2;
}

enum err
req_read_body(struct req *r)
{
	const struct json *tree;
	void *into;

	TRY(req_map_body(r));
	/* A body might say what to delete. Ignoring it could delete more than was meant. */
	if (r->route->body.kind == BODY_NONE && r->method == DELETE && !body_is_empty(r))
		return fail(r->c, E_INVALID,
		    "the body: must be empty, since what to delete is said by the path "
		    "and the query; nothing was deleted");
	if (r->route->body.kind == BODY_NONE || body_is_span(r))
		return E_OK;
	if (!r->body_n && !r->sent && r->route->body.kind == BODY_JSON_OPTIONAL)
		return E_OK;
	if (r->route->body.kind == BODY_FILES || r->route->body.kind == BODY_FILE)
		return req_check_type(r);
	if (r->route->body.kind == BODY_MESSAGE && is_json(r, req_env(r, "CONTENT_TYPE")))
		return E_OK;
	if (r->route->body.kind >= BODY_FORM) {
		TRY(req_check_type(r));
		TRY(pairs_read(r, "form",
		    mem_strndup(r->c->mem, r->body_n ? r->body : "", r->body_n),
		    r->route->body.shape, &r->in));
		if (r->route->does)
			r->query = r->in;
		return E_OK;
	}
	TRY(body_tree(r, &tree));
	r->in = r->json = tree;
	if (r->route->body.kind == BODY_OBJECT)
		return json_kind(tree) == J_OBJ
		    ? E_OK
		    : fail(r->c, E_INVALID, "the body: must be an object");
	unknown_members(r->c, r->route->body.shape, tree);
	TRY(shape_read(r->c, r->route->body.shape, tree, &into));
	r->in = into;
	return E_OK;
}

/* Takes the last value; shape_read_pairs() would refuse a repeated parameter. */
static enum err
query_says(struct req *r, const char *name, const char **value)
{
	struct pair pairs[PAIRS];
	size_t n;

	if (!r->route->query || !shape_field(r->route->query, name))
		return E_OK;
	TRY(query_pairs(r, pairs, &n));
	for (size_t i = 0; i < n; i++)
		if (str_eq(pairs[i].name, name))
			*value = pairs[i].value;
	return E_OK;
}

enum err
req_says(struct req *r, const char *name, const char **value)
{
	const struct json *tree;

	*value = NULL;
	TRY(query_says(r, name, value));
	if (*value || r->route->body.kind > BODY_JSON_OPTIONAL || r->route->body.kind == BODY_NONE)
		return E_OK;
	TRY(req_map_body(r));
	if (!r->body_n && !r->sent && r->route->body.kind == BODY_JSON_OPTIONAL)
		return E_OK;
	TRY(body_tree(r, &tree));
	if (json_kind(tree) == J_OBJ)
		*value = json_word(tree, name);
	return E_OK;
}
