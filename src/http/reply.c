/* SPDX-License-Identifier: Apache-2.0 */
#include "base/conf.h"
#include "base/etag.h"
#include "base/log.h"
#include "base/str.h"
#include "http/above.h"
#include "http/form.h"
#include "http/share.h"
#include "store/object.h"

/* Returns header_n if the reply has no such header. */
static size_t
header_at(const struct req *r, const char *name)
{
	size_t i = 0;

	while (i < r->header_n && strcasecmp(r->headers[i].name, name) != 0)
		i++;
	return i;
}

bool
reply_has_header(const struct req *r, const char *name)
{
	return header_at(r, name) < r->header_n;
}

void
reply_header(struct req *r, const char *name, const char *fmt, ...)
{
	size_t i = header_at(r, name);
	va_list ap;
	const char *value = fmt;

	va_start(ap, fmt);
	if (strchr(fmt, '%'))
		value = mem_vprintf(r->c->mem, fmt, ap);
	va_end(ap);
	if (value[strcspn(value, "\r\n")]) {
		log_line(LOG_LEVEL_ERROR, "header refused: line break in its value", "name", name,
		    "request_id", r->id, NULL);
		return;
	}
	if (i == sizeof r->headers / sizeof *r->headers)
		return;
	r->headers[i] = (struct header){ name, value };
	r->header_n += i == r->header_n;
}

void
reply_forward(struct req *r, const char *place)
{
	r->forwarded = true;
	r->status = 200;
	r->header_n = r->cookie_n = 0;
	reply_header(r, "X-Accel-Redirect", "%s", place);
}

static void
reply_begin(struct req *r)
{
	r->status = r->route->success ? r->route->success : 200;
	r->out = BUF(r->c->mem);
	buf_str(&r->out, "{\"success\":true");
}

enum err
reply_none(struct req *r)
{
	if (r->route->does)
		return form_done(r, NULL);
	reply_begin(r);
	buf_chr(&r->out, '}');
	return E_OK;
}

static void
lean_write(struct req *r, const void *value, const struct list *rows, const char *cursor)
{
	const struct answer *a = &r->route->answer;
	struct shaped all = { a->shape, rows ? rows->v : value, rows ? rows->n : value != NULL,
		rows != NULL };

	r->out = BUF(r->c->mem);
	if (a->kind == ANSWER_FLAT) {
		shaped_write(&r->out, all);
		return;
	}
	buf_chr(&r->out, '{');
	if (value || rows) {
		json_key(&r->out, a->noun);
		shaped_write(&r->out, all);
	}
	if (cursor)
		json_add(&r->out, "next_cursor", cursor);
	buf_chr(&r->out, '}');
}

/* Gives the answer to req_show() or req_serve() instead of writing it as JSON. */
static enum err
shown_fill(struct req *r, const void *value, const struct list *rows, const char *cursor)
{
	const struct shape *s = r->route->answer.shape;
	bool lean = r->shown->lean;

	*r->shown = (struct shown){ .shape = s, .lean = lean, .cursor = cursor };
	if (lean) {
		lean_write(r, value, rows, cursor);
		return E_OK;
	}
	if (value) /* which may be on the handler's stack */
		r->shown->value = mem_dup(r->c->mem, value, s->size);
	if (rows)
		r->shown->rows = *rows;
	return E_OK;
}

enum err
reply_flat(struct req *r, const void *value)
{
	if (r->shown)
		return shown_fill(r, value, NULL, NULL);
	if (r->route->does)
		return form_done(r, value);
	reply_begin(r);
	buf_chr(&r->out, ',');
	shape_write_fields(&r->out, r->route->answer.shape, value);
	buf_chr(&r->out, '}');
	return E_OK;
}

static void
write_noun(struct buf *b, const char *noun, const struct shape *shape, const void *value)
{
	buf_chr(b, ',');
	buf_json(b, noun);
	buf_chr(b, ':');
	shape_write(b, shape, value);
	buf_chr(b, '}');
}

enum err
reply_noun(struct req *r, const void *value)
{
	if (r->shown)
		return shown_fill(r, value, NULL, NULL);
	if (r->route->does)
		return form_done(r, value);
	reply_begin(r);
	write_noun(&r->out, r->route->answer.noun, r->route->answer.shape, value);
	return E_OK;
}

void
reply_status(struct req *r, int status)
{
	if (!r->route->does)
		r->status = status;
}

const char *
req_with(const struct req *r, const char *name, const char *value, const char *without)
{
	const char *query = strchr(r->uri, '?');
	struct buf b = BUF(r->c->mem);
	char *rest = mem_strdup(r->c->mem, query ? query + 1 : ""), *part;

	buf_fmt(&b, "%.*s?", (int)strcspn(r->uri, "?"), r->uri);
	while ((part = str_split(&rest, '&')))
		if (*part && !str_in(mem_strndup(b.owner, part, strcspn(part, "=")), without))
			buf_fmt(&b, "%s&", part);
	buf_fmt(&b, "%s=", name);
	buf_form(&b, value);
	return buf_done(&b);
}

const char *
req_next(const struct req *r, const char *cursor, const char *without)
{
	return cursor ? req_with(r, "cursor", cursor, without) : NULL;
}

enum err
reply_list(struct req *r, const struct list *rows, const char *cursor)
{
	const struct answer *a = &r->route->answer;

	if (r->shown)
		return shown_fill(r, NULL, rows, cursor);
	if (r->route->does)
		return form_done(r, NULL);
	reply_begin(r);
	buf_fmt(&r->out, ",\"%s\":[", a->noun);
	for (size_t i = 0; i < rows->n; i++) {
		if (i)
			buf_chr(&r->out, ',');
		shape_write(&r->out, a->shape, (const char *)rows->v + i * a->shape->size);
	}
	buf_str(&r->out, "],\"next_cursor\":");
	buf_json(&r->out, cursor);
	buf_chr(&r->out, '}');
	if (cursor)
		reply_header(r, "Link", "<%s>; rel=\"next\"", req_next(r, cursor, "cursor"));
	return E_OK;
}

/* Replaces a missing text by a dash; only the row of an agent that owns an artifact has none. */
static const char *
row_key(const struct list *rows, const struct shape *shape, size_t i)
{
	const char *row = (const char *)rows->v + i * shape->size;
	const char *key = *(const char *const *)(row + shape->fields->off);

	return key ? key : "-";
}

/* Returns where the page after the cursor begins: after its row, or after the last row that would
 * precede it; SIZE_MAX if that can't be determined. */
static size_t
part_start(const struct list *rows, const struct shape *shape, enum list_order order,
    const char *cursor)
{
	size_t start = order == LIST_OWNER_FIRST;

	for (size_t i = 0; i < rows->n; i++) {
		int way = strcmp(row_key(rows, shape, i), cursor);

		if (way == 0)
			return i + 1;
		if (order == LIST_FALLING ? way > 0 : way < 0)
			start = i + 1;
	}
	return order == LIST_UNSORTED ? SIZE_MAX : start;
}

enum err
reply_part(struct req *r, const struct list *rows, enum list_order order, int64_t limit,
    const char *cursor)
{
	const struct shape *shape = r->route->answer.shape;
	size_t start = cursor ? part_start(rows, shape, order, cursor) : 0;
	struct list part;

	if (start == SIZE_MAX)
		return fail_cursor(r->c);
	part = (struct list){ (char *)rows->v + start * shape->size, rows->n - start };
	if (part.n <= (size_t)limit)
		return reply_list(r, &part, NULL);
	part.n = (size_t)limit;
	return reply_list(r, &part, row_key(&part, shape, part.n - 1));
}

static void
page_headers(struct req *r, int status)
{
	r->status = status;
	r->out = BUF(r->c->mem);
	r->stream = NULL;
	reply_header(r, "Content-Type", "text/html; charset=utf-8");
	reply_header(r, "Content-Security-Policy", "%s", page_csp(r->c->conf));
	reply_header(r, "Referrer-Policy", "no-referrer");
	reply_header(r, "Cache-Control", "no-store");
}

enum err
reply_page(struct req *r, int status, const void *value)
{
	const struct answer *a = &r->route->answer;
	struct page_asked query;
	const char *html, *rest;
	struct shell shell;

	if (r->route->shows)
		TRY(shows_read(r, &value));
	TRY(shell_read(r, &shell));
	page_headers(r, status ? status : 200);
	query = (struct page_asked){ r->route->query, r->query, r->p };
	html = page_render(r->c->mem, a->noun, a->shape, value, &shell, &query);
	if (r->refused.row)
		html = form_fill(r, html, &shell.problem);
	/* A reason that belongs to no field of the form is shown above the page. */
	if (shell.problem)
		html = form_fill(r,
		    page_render(r->c->mem, a->noun, a->shape, value, &shell, &query), &rest);
	buf_str(&r->out, html);
	return E_OK;
}

enum err
reply_refused(struct req *r, int status, const char *why, const void *value)
{
	r->refused = (struct refused){ r->route, shell_of(r).place, why };
	return reply_page(r, status, value);
}

enum err
reply_again(struct req *r, int status, const char *why, const void *value)
{
	const struct route *form = r->route;
	enum err e;

	r->refused = (struct refused){ form, shell_of(r).place, why };
	r->route = route_named(GET, form->again);
	e = reply_page(r, status, value);
	r->route = form;
	return e;
}

enum err
reply_redirect(struct req *r, const char *to)
{
	page_headers(r, 303);
	reply_header(r, "Location", "%s", to);
	return E_OK;
}

enum err
reply_go(struct req *r, const char *fmt, ...)
{
	const char *to;
	va_list ap;

	va_start(ap, fmt);
	to = mem_vprintf(r->c->mem, fmt, ap);
	va_end(ap);
	return reply_redirect(r, to);
}

void
reply_site_page(struct req *r, int status, const char *name, const struct shape *shape,
    const void *value)
{
	const struct page_asked query = { r->route ? r->route->query : NULL, r->query, r->p };
	struct shell shell = shell_of(r);

	page_headers(r, status);
	buf_str(&r->out, page_render(r->c->mem, name, shape, value, &shell, &query));
}

void
reply_error_page(struct req *r, int status, const struct page_error *what)
{
	reply_site_page(r, status, "error", &page_error_shape, what);
}

static bool
is_page(const struct req *r)
{
	const struct route *row = r->route ? r->route : r->meant;

	if (row)
		return !route_is_api(row);
	return !r->content && !(str_starts(r->uri, "/v1") && strchr("/?", r->uri[3]));
}

/* True for a link to a file of the API that somebody follows: its refusal is a page, too. */
static bool
is_followed(const struct req *r)
{
	const enum answer_kind kind = r->route ? r->route->answer.kind : ANSWER_NONE;

	return r->method == GET && !r->content && (kind == ANSWER_BYTES || kind == ANSWER_STREAM) &&
	    req_is_opened(r);
}

/* Returns the address of a new support ticket about this failure. */
static const char *
support_link(struct req *r)
{
	struct buf b = BUF(r->c->mem);

	if (r->content)
		return NULL;
	buf_str(&b, "/support?request=");
	buf_form(&b, r->id);
	if (r->route) {
		bool secret = false;

		/* Paths with secrets, as in mailed links, must not be copied; only ids aren't
		 * secret. */
		for (const char *p = r->route->path; (p = strchr(p, '{')); p++)
			secret |= !param_prefix(p + 1);
		buf_str(&b, "&page=");
		buf_form(&b, secret ? r->route->path : shell_of(r).place);
	}
	for (size_t i = 0; i < PATH_PARAMS && r->p[i].name; i++)
		if (str_eq(r->p[i].name, "ws"))
			buf_fmt(&b, "&workspace=%s", r->p[i].value);
	buf_str(&b, "#new");
	return buf_done(&b);
}

/* A page that requires signing in redirects to the sign-in, and for a GET back afterwards. */
static void
error_as_page(struct req *r, const struct err_row *row, const char *text)
{
	struct buf to = BUF(r->c->mem);

	if (row->status == 401 && row != &err_table[E_GATE]) {
		buf_str(&to, "/auth/signin");
		if (r->method == GET) {
			buf_str(&to, "?next=");
			buf_form(&to, r->uri);
		}
		reply_redirect(r, buf_done(&to));
		return;
	}
	reply_error_page(r, row->status,
	    &(struct page_error){ .title = row->status >= 500 ? "Something went wrong"
		    : row->status == 404                      ? "Page not found"
		    : row->status == 429                      ? "Too many attempts"
		    : row->status == 403                      ? "You can’t do this"
							      : "This didn’t work",
		.message = row->status == 404
		    ? "No page has this address, or it isn’t shared with you."
		    : text,
		.request = row->status >= 500 ? r->id : NULL,
		.support = support_link(r),
		.home = "/",
		.go = "Go to your artifacts" });
}

const char *
req_served_etag(struct req *outer, const struct req *served)
{
	return etag_of_bytes(outer->c->mem, served->out.s, served->out.n);
}

/* True if a list of entity tags has this one. The weak form matches for If-None-Match only. */
static bool
etag_listed(struct req *r, const char *list, const char *etag, bool weak)
{
	char *rest = mem_strdup(r->c->mem, list), *part;

	while ((part = str_split(&rest, ','))) {
		part += strspn(part, " \t");
		part[strcspn(part, " \t")] = '\0';
		if (str_eq(part, "*") || str_eq(part, etag) ||
		    (weak && str_starts(part, "W/") && str_eq(part + 2, etag)))
			return true;
	}
	return false;
}

static enum err
if_match(struct req *r, const char *etag)
{
	const char *wanted = req_header(r, "HTTP_IF_MATCH");

	if (!wanted || (etag && etag_listed(r, wanted, etag, false)))
		return E_OK;
	return fail(r->c, E_PRECONDITION,
	    "If-Match: it has changed since you read it; read it again and retry the change");
}

enum err
req_if_match(struct req *r, const char *noun, const struct shape *shape, const void *value)
{
	struct buf b = BUF(r->c->mem);

	if (!req_header(r, "HTTP_IF_MATCH"))
		return E_OK;
	buf_str(&b, "{\"success\":true");
	write_noun(&b, noun, shape, value);
	return if_match(r, etag_of_bytes(r->c->mem, b.s, b.n));
}

enum err
req_if_match_body(struct req *r, const char *body)
{
	return if_match(r, etag_of_bytes(r->c->mem, body, strlen(body)));
}

enum err
req_conditions(struct req *r, const char *etag)
{
	const char *known = req_header(r, "HTTP_IF_NONE_MATCH");

	TRY(if_match(r, etag));
	if (!known || !etag || !etag_listed(r, known, etag, true))
		return E_OK;
	return fail(r->c, E_PRECONDITION,
	    str_eq(known, "*") ? "If-None-Match: it already exists"
			       : "If-None-Match: it still has the ETag you sent");
}

bool
reply_etag(struct req *r, const char *etag)
{
	const char *known = req_header(r, "HTTP_IF_NONE_MATCH");

	if (r->shown)
		return false;
	reply_header(r, "ETag", "%s", etag);
	r->etag_given = true;
	if (r->method != GET || !known || !etag_listed(r, known, etag, true))
		return false;
	r->status = 304;
	r->out = BUF(r->c->mem);
	return true;
}

static void
bytes_headers(struct req *r, const char *mime, const char *file_name, bool inside)
{
	struct buf name = BUF(r->c->mem);
	char *ascii = mem_strdup(r->c->mem, file_name);

	r->status = 200;
	r->out = BUF(r->c->mem);
	reply_header(r, "Content-Type", "%s", mime);
	/* Source: RFC 6266, appendix D, and RFC 8187. */
	buf_url(&name, file_name);
	for (size_t i = 0; i < name.n; i++)
		if (name.s[i] == '/')
			name.s[i] = '_';
	/* Old clients get ASCII without characters that end the quotes or look like an escape. */
	for (char *p = ascii; *p; p++)
		if (*p < ' ' || *p > '~' || strchr("\"\\%/", *p))
			*p = '_';
	reply_header(r, "Content-Disposition", "%s; filename=\"%s\"; filename*=UTF-8''%s",
	    inside ? "inline" : "attachment", ascii, buf_done(&name));
	/* A browser shows a film in a page that it makes, which loads the film again. */
	reply_header(r, "Content-Security-Policy",
	    inside ? "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; "
		     "style-src 'unsafe-inline'"
		   : "sandbox; default-src 'none'");
}

enum err
reply_object(struct req *r, const char *sha256_hex, const char *mime, const char *file_name,
    bool inside)
{
	uint8_t sha256[SHA256_BYTES];

	if (crypto_unhex(sha256_hex, sha256, sizeof sha256))
		TRY(object_bring(r->c, sha256));
	bytes_headers(r, mime, file_name, inside);
	reply_header(r, "X-Accel-Redirect", "%s/%.2s/%s",
	    r->content ? "/_vitrine/objects" : "/_objects", sha256_hex, sha256_hex);
	return E_OK;
}

/* A slow client holds a worker, so the number of such workers is limited. */
enum err
reply_stream(struct req *r, const char *mime, const char *file_name,
    enum err (*write)(struct req *, void *arg), void *arg)
{
	if (!r->head)
		TRY(share_stream(r));
	bytes_headers(r, mime, file_name, false);
	reply_header(r, "Accept-Ranges", "none");
	/* The named location after the line is configured with buffering. */
	if (req_env(r, "VITRINE_LINED"))
		reply_header(r, "X-Accel-Buffering", "no");
	r->stream = write;
	r->stream_arg = arg;
	return E_OK;
}

void
reply_events(struct req *r, enum err (*write)(struct req *, void *arg), void *arg)
{
	r->status = 200;
	r->out = BUF(r->c->mem);
	reply_header(r, "Content-Type", "text/event-stream");
	reply_header(r, "X-Accel-Buffering", "no");
	r->stream = write;
	r->stream_arg = arg;
}

void
reply_retry_after(struct req *r, int status)
{
	if (r->turned_away) {
		enum { HEAD_BYTES = 600 };

		/* A refused client that retries at once would keep nginx and the workers as busy as
		 * an answered one. nginx sends the reply in two halves, a second apart, so the
		 * client waits. */
		reply_header(r, "X-Accel-Limit-Rate", "%lld",
		    (long long)(HEAD_BYTES + (int64_t)r->out.n) / 2);
	}
	if (r->retry_after_s)
		reply_header(r, "Retry-After", "%lld", (long long)r->retry_after_s);
	else if ((status == 409 || status == 429) && r->c->retry_after_s)
		reply_header(r, "Retry-After", "%lld", (long long)r->c->retry_after_s);
	else if (status == 429 && r->quota.limit)
		reply_header(r, "Retry-After", "%lld", (long long)r->quota.reset_s);
	else if (status == 503 && r->c->err != E_OUTCOME &&
	    !(r->c->lacks && r->c->message == r->c->lacks))
		reply_header(r, "Retry-After", r->c->err == E_NOT_ACTIVE ? "1" : "2");
}

void
reply_error(struct req *r, enum err e)
{
	const struct err_row *row = &err_table[e];
	struct ctx *c = r->c;

	/* A failed request must not set cookies; a committed one may. */
	if (e != E_PENDING)
		r->cookie_n = 0;
	if (r->route && r->route->refuse) {
		r->out = BUF(c->mem);
		r->stream = NULL;
		r->route->refuse(r, e);
		reply_retry_after(r, r->status);
		return;
	}
	if (is_page(r) || is_followed(r)) {
		const char *text = ctx_told(c, e);
		/* In a link's refusal, "field: " names a parameter of the address. */
		size_t n = is_page(r) ? 0 : strspn(text, "abcdefghijklmnopqrstuvwxyz_");

		error_as_page(r, row, n && str_starts(text + n, ": ") ? text + n + 2 : text);
		reply_retry_after(r, row->status);
		return;
	}
	r->status = row->status;
	r->out = BUF(c->mem);
	r->stream = NULL;
	reply_header(r, "Content-Type", "application/json");
	buf_str(&r->out, "{\"success\":false,\"error\":");
	buf_json(&r->out, ctx_told(c, e));
	buf_fmt(&r->out, ",\"code\":\"%s\",\"request_id\":", row->code);
	buf_json(&r->out, r->id);
	if (c->details)
		buf_fmt(&r->out, ",\"details\":%s", c->details);
	buf_chr(&r->out, '}');
	if (row->status == 401 && e != E_GATE)
		reply_header(r, "WWW-Authenticate", "Bearer%s",
		    e == E_UNAUTHENTICATED ? "" : " error=\"invalid_token\"");
	reply_retry_after(r, row->status);
}

enum err
reply_not_active(struct req *r)
{
	r->header_n = r->cookie_n = 0;
	r->status = 0;
	r->out = BUF(r->c->mem);
	r->stream = NULL;
	reply_header(r, "Content-Type", "application/json");
	reply_header(r, "Cache-Control", "no-store");
	return fail(r->c, E_NOT_ACTIVE, "%s", err_table[E_NOT_ACTIVE].text);
}

/* Adds warnings as the last member of a JSON reply. The ETag, with which If-Match is compared, is
 * made without them. */
static void
reply_warn(struct req *r)
{
	struct ctx *c = r->c;
	size_t n = r->out.n;

	if (!c->warning_n || !req_warns(r) || !n || r->out.s[n - 1] != '}')
		return;
	/* A flat answer may have a field of this name itself. */
	if (r->route->answer.kind == ANSWER_FLAT && r->status < 400 &&
	    shape_field(r->route->answer.shape, "warnings"))
		return;
	r->out.n = n - 1;
	json_key(&r->out, "warnings");
	buf_jsons(&r->out, c->warnings, c->warning_n);
	buf_chr(&r->out, '}');
}

void
reply_finish(struct req *r)
{
	if (r->shown) { /* nobody sees the headers */
		reply_warn(r);
		return;
	}
	/* A JSON answer to GET has a strong ETag. */
	if (r->out.n && r->method == GET && r->status == 200 && r->route && !r->etag_given &&
	    r->route->answer.kind != ANSWER_BYTES && !is_page(r))
		reply_etag(r, etag_of_bytes(r->c->mem, r->out.s, r->out.n));
	reply_warn(r);
	if (r->quota.limit) {
		reply_header(r, "RateLimit-Policy", "\"default\";q=%lld;w=%lld",
		    (long long)r->quota.limit, (long long)r->quota.window_s);
		reply_header(r, "RateLimit", "\"default\";r=%lld;t=%lld", (long long)r->quota.left,
		    (long long)r->quota.reset_s);
		reply_header(r, "X-RateLimit-Limit", "%lld", (long long)r->quota.limit);
		reply_header(r, "X-RateLimit-Remaining", "%lld", (long long)r->quota.left);
		reply_header(
		    r, "X-RateLimit-Reset", "%lld", (long long)(r->c->now + r->quota.reset_s));
	}
	if (req_header(r, "HTTP_ORIGIN") && !is_page(r) && !r->content) {
		reply_header(r, "Access-Control-Allow-Origin", "*");
		reply_header(r, "Access-Control-Expose-Headers",
		    "ETag, Link, Location, Retry-After, WWW-Authenticate, X-Request-Id, RateLimit, "
		    "RateLimit-Policy");
	}
	/* Replies on a page's own host are for that page only; sibling hosts count as the same
	 * site. */
	if (r->site)
		reply_header(r, "Cross-Origin-Resource-Policy", "same-origin");
	reply_header(r, "X-Request-Id", "%s", r->id);
}

const char *
reply_reason(int status)
{
	static const struct {
		int status;
		const char *phrase;
	} known[] = { { 200, "OK" }, { 201, "Created" }, { 202, "Accepted" }, { 204, "No Content" },
		{ 301, "Moved Permanently" }, { 302, "Found" }, { 303, "See Other" },
		{ 304, "Not Modified" }, { 307, "Temporary Redirect" },
		{ 308, "Permanent Redirect" }, { 400, "Bad Request" }, { 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" }, { 405, "Method Not Allowed" }, { 409, "Conflict" },
		{ 410, "Gone" }, { 412, "Precondition Failed" }, { 413, "Content Too Large" },
		{ 415, "Unsupported Media Type" }, { 416, "Range Not Satisfiable" },
		{ 422, "Unprocessable Content" }, { 429, "Too Many Requests" },
		{ 500, "Internal Server Error" }, { 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
		{ 507, "Insufficient Storage" } };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].status == status)
			return known[i].phrase;
	return "Other";
}
