/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/front.h"

#include "admin/cmd.h"
#include "base/buf.h"
#include "base/conf.h"
#include "base/mime.h"
#include "base/str.h"
#include "http/page.h"
#include "http/route.h"
#include "http/share.h"
#include "site/rules.h"

/* Writes a path as an expression for nginx's $uri, which is decoded once, as in a worker. */
static void
path_expression(struct buf *out, const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "{}");

		for (size_t i = 0; i < n; i++)
			buf_fmt(out, "%s%c", path[i] == '.' ? "\\" : "", path[i]);
		path += n;
		if (*path == '{')
			buf_str(out, param_pattern(path + 1));
		path += strcspn(path, "}");
		path += *path == '}';
	}
}

static void
print_mime_types(FILE *out, const struct conf *conf, const char *dir)
{
	(void)conf, (void)dir;
	fputs("types {\n", out);
	for (const struct mime_row *row = mime_table; row->ext; row++)
		fprintf(out, "\t%s %s;\n", row->mime, row->ext);
	fputs("}\n", out);
}

/* Passes a header of the worker's reply on with a file's bytes. Nginx adds no empty header. */
static void
print_handed_on(FILE *out, const char *name)
{
	fprintf(out, "add_header %s $upstream_http_", name);
	for (const char *p = name; *p; p++)
		fputc(*p == '-' ? '_' : tolower((unsigned char)*p), out);
	fputs(";\n", out);
}

/* Passes on the headers that _headers may set. */
static void
print_headers(FILE *out, const struct conf *conf, const char *dir)
{
	(void)conf, (void)dir;
	for (const char *const *name = rules_header_names; *name; name++)
		if (!str_in(*name, "Cache-Control|Content-Type")) /* nginx passes these itself */
			print_handed_on(out, *name);
}

/* Passes on the API's own headers, and those that keep files out of search engines. */
static void
print_handed(FILE *out, const struct conf *conf, const char *dir)
{
	static const char *const names[] = { "X-Request-Id", "RateLimit-Policy", "RateLimit",
		"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
		"Access-Control-Expose-Headers", "Cross-Origin-Resource-Policy", "Referrer-Policy",
		"X-Robots-Tag" };

	(void)conf, (void)dir;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		print_handed_on(out, names[i]);
}

/* For the http block: the balancers, whose word for a visitor's address counts. */
static void
print_balancers(FILE *out, const struct conf *conf, const char *dir)
{
	void *mem = mem_root("balancers");
	char *rest = mem_strdup(mem, conf->balancers), *one;

	(void)dir;
	if (conf_has(conf->balancers)) {
		while ((one = str_split(&rest, ' ')))
			if (*one)
				fprintf(out, "set_real_ip_from %s;\n", one);
		fputs("real_ip_header proxy_protocol;\n", out);
	}
	mem_free(mem);
}

/* For each server: how long nginx waits for a client, and how many requests a client may have. */
static void
print_bounds(FILE *out, const struct conf *conf, const char *dir)
{
	(void)dir;
	fprintf(out,
	    "client_header_timeout %llds;\nclient_body_timeout %llds;\nsend_timeout %llds;\n"
	    "keepalive_timeout %llds;\nkeepalive_requests 10000;\nreset_timedout_connection on;\n"
	    "limit_conn vitrine_clients %lld;\nlimit_conn_status 429;\n"
	    "limit_conn_log_level notice;\n",
	    (long long)conf->client_header_s, (long long)conf->client_body_s,
	    (long long)conf->client_send_s, (long long)conf->client_keepalive_s,
	    (long long)conf->client_requests);
}

/* ---- routes that nginx treats differently ---- */

/* Nginx tests each request against these, also requests for published pages. So we join routes into
 * one expression, as many as nginx accepts (4096 bytes), instead of one for each. */
struct some_routes {
	void *mem;
	struct a_route {
		const struct route_list *list;
		const struct route *row;
	} *v;
	size_t n;
};
enum { EXPRESSION_BYTES = 3000 };

/* Returns an expression that matches the first *n rows. */
static const char *
routes_expression(struct some_routes some, bool with_method, size_t *n)
{
	struct buf text = BUF(some.mem);

	buf_str(&text, "^(?:");
	for (*n = 0; *n < some.n && text.n < EXPRESSION_BYTES; ++*n) {
		const struct route *row = some.v[*n].row;

		buf_str(&text, *n ? "|" : "");
		if (with_method)
			buf_fmt(&text, "%s:",
			    row->method == GET ? "(?:GET|HEAD)" : method_names[row->method]);
		path_expression(&text, row->path);
	}
	buf_str(&text, ")$");
	return buf_done(&text);
}

static struct some_routes
routes_after(struct some_routes some, size_t n)
{
	return (struct some_routes){ some.mem, some.v + n, some.n - n };
}

/* True if an earlier row has the same path, and so its location. content: only rows that answer on
 * content hosts count. */
static bool
path_before(const struct a_route *one, bool content)
{
	for (const struct route *other = one->list->rows; other < one->row; other++)
		if (str_eq(other->path, one->row->path) && (other->content || !content))
			return true;
	return false;
}

/* Demands of a path's rows on its location. Paths with equal demands share one. */
struct place {
	const char *path;
	int64_t body;
	enum body_size size; /* of that body */
	bool stream, judged, page;
};

/* content: only rows that answer on content hosts count. */
static struct place
place_of(const struct conf *conf, const struct a_route *one, bool content)
{
	const int64_t usual = body_bytes(conf, BODY_USUAL);
	const struct route *rows = one->list->rows;
	struct place out = { .path = one->row->path, .body = usual,
		.page = !route_is_api(one->row) };

	for (const struct route *row = rows; row < rows + one->list->n; row++) {
		if (!str_eq(row->path, out.path) || (content && !row->content))
			continue;
		out.stream |= row->answer.kind == ANSWER_STREAM;
		if (body_bytes(conf, row->max_body) <= out.body)
			continue;
		out.size = row->max_body;
		out.body = body_bytes(conf, row->max_body);
	}
	out.judged = out.body > usual;
	return out;
}

enum routes_of { TAKE_BLOBS, TAKE_FILES, ARE_SLOW, HAVE_PLACES, ARE_CONTENT };

static bool
route_fits(const struct a_route *one, enum routes_of what, const struct conf *conf)
{
	const struct route *row = one->row;
	struct place p;

	switch (what) {
	case TAKE_BLOBS:
		return row->max_body == BODY_BLOB && str_starts(row->path, "/v1/");
	case TAKE_FILES:
		/* A page that accepts a picture lets larger bodies through, and refuses them
		 * itself. */
		p = place_of(conf, one, false);
		return p.judged && p.size != BODY_PICTURE && !str_starts(row->path, "/v1/") &&
		    !path_before(one, false);
	case ARE_SLOW:
		return row->slow && (!row->quick_when_small || share_waits_for_store(conf));
	case HAVE_PLACES:
		p = place_of(conf, one, false);
		return (p.judged || p.stream) && !path_before(one, false);
	default:
		return row->content && !path_before(one, true);
	}
}

static struct some_routes
routes_choose(enum routes_of what, const struct conf *conf)
{
	void *mem = mem_root("routes");
	struct some_routes out = { mem, mem_array(mem, struct a_route, route_count()), 0 };

	for (const struct route_list *const *at = routes_all(); *at; at++)
		for (size_t i = 0; i < (*at)->n; i++) {
			struct a_route one = { *at, &(*at)->rows[i] };

			if (route_fits(&one, what, conf))
				out.v[out.n++] = one;
		}
	return out;
}

/* An error that nginx returns itself, without the closing brace: its text and code. */
#define ENVELOPE \
	"{\"success\":false,\"error\":\"%s\",\"code\":\"%s\"," \
	"\"request_id\":\"$vitrine_asked_id\""

/* For the http block: the limit of each page's form, in words. */
static void
print_limits(FILE *out, const struct conf *conf)
{
	struct some_routes some = routes_choose(TAKE_FILES, conf);

	fprintf(out, "map $request_uri $vitrine_limit {\n\tdefault '%s';\n",
	    str_amount_1024(some.mem, body_bytes(conf, BODY_USUAL)));
	for (size_t i = 0; i < some.n; i++) {
		struct place p = place_of(conf, &some.v[i], false);
		struct buf path = BUF(some.mem);

		path_expression(&path, p.path);
		fprintf(out, "\t\"~^%s(?:[?]|$)\" '%s';\n", buf_done(&path),
		    str_amount_1024(some.mem, p.body - BODY_AROUND));
	}
	fputs("}\n", out);
	mem_free(some.mem);
}

/* Escapes a text for single quotes in nginx's configuration. */
static const char *
quotable(void *mem, const char *text)
{
	struct buf b = BUF(mem);

	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			buf_chr(&b, '\\');
		buf_chr(&b, *text);
	}
	return buf_done(&b);
}

/* For the http block: the error for a body that is too large; for a file, the worker's words. */
static void
print_too_large(FILE *out, const struct conf *conf)
{
	struct some_routes some = routes_choose(TAKE_BLOBS, conf);

	fputs("map $content_length $vitrine_sent {\n\tdefault $content_length;\n\t\"\" null;\n}\n",
	    out);
	fprintf(out,
	    "map $request_uri $vitrine_too_large {\n\tdefault '" ENVELOPE "}';\n",
	    "The request body is too large", err_table[E_BODY_TOO_LARGE].code);
	for (size_t i = 0; i < some.n; i++) {
		struct buf path = BUF(some.mem);

		path_expression(&path, some.v[i].row->path);
		fprintf(out,
		    "\t\"~^%s(?:[?]|$)\" '" ENVELOPE ",\"details\":{\"used\":$vitrine_sent,"
		    "\"limit\":%lld,\"unit\":\"bytes\"}}';\n",
		    buf_done(&path),
		    mem_printf(some.mem, "The file is larger than the limit of %s",
			str_amount_1024(some.mem, conf->max_blob_bytes)),
		    err_table[E_FILE_TOO_LARGE].code, (long long)conf->max_blob_bytes);
	}
	fputs("}\n", out);
	mem_free(some.mem);
}

/* ---- nginx's own errors ---- */

enum { SOON_S = 1 };
/* If nginx has failed to store a body, a location sees the method GET; this variable has the real
 * one. */
#define IF_BODY "if ($request !~ \"^(GET|HEAD) \") "

/* Not an error: the body is large, and the location for it isn't this one. */
#define ERROR_FILED "error_page 418 = $vitrine_filed;\n"

/* by: nginx's own status, which is sent, too, unless `other`: then status is sent. e: E_OK if text
 * is a variable with the whole envelope. */
static const struct refusal {
	const char *by;
	int status;
	bool other;
	enum err e;
	const char *text;
} refusals[] = {
	{ "400", 400, false, E_INVALID, "The request is malformed" },
	{ "495 496 497", 400, true, E_INVALID, "The request is malformed" },
	{ "404", 404, false, E_NOT_FOUND, "There is no such address" },
	{ "405", 405, false, E_METHOD, "This address doesn't support that method" },
	{ "408", 408, false, E_INVALID, "The request did not arrive in time" },
	{ "411", 411, false, E_INVALID, "The request body must have a Content-Length" },
	{ "412", 412, false, E_PRECONDITION,
	    "If-Match, If-Unmodified-Since: it has changed since you read it; read it again" },
	{ "413", 413, false, E_OK, "$vitrine_too_large" },
	{ "414", 414, false, E_INVALID, "The address is too long" },
	{ "416", 416, false, E_RANGE,
	    "Range: it is outside the file; Content-Range says how long that is" },
	{ "421", 421, false, E_OK, "$vitrine_elsewhere" },
	{ "429", 429, false, E_RATE_LIMITED,
	    "Too many requests from your address are in progress at once; try again shortly" },
	{ "494", 431, true, E_INVALID, "The headers of the request are too large" },
	{ "500", 500, false, E_INTERNAL, "Something went wrong on our side; nothing was stored" },
	{ "501", 501, false, E_INVALID, "This transfer encoding isn't supported" },
	{ "502", 502, false, E_UNAVAILABLE, "The service is being restarted; try again shortly" },
	{ "503", 503, false, E_UNAVAILABLE, "The service is busy; try again shortly" },
	{ "504", 504, false, E_UNAVAILABLE, "The service took too long; try again" },
	{ "505", 505, false, E_INVALID, "This version of HTTP isn't supported" },
};

/* For the http block: what the location of an error answers, by the status in its address, and the
 * request's id: the worker's, if a worker has answered. Nginx adds no empty header. */
static void
print_error_texts(FILE *out)
{
	void *mem = mem_root("errors");

	fputs("map $upstream_http_x_request_id $vitrine_asked_id {\n"
	      "\tdefault $upstream_http_x_request_id;\n\t\"\" $request_id;\n}\n"
	      "map $uri $vitrine_error {\n\tvolatile;\n\t~/40[13]$ $vitrine_refusal;\n",
	    out);
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		const struct refusal *row = &refusals[i];

		if (row->e == E_OK)
			fprintf(out, "\t~/%d$ %s;\n", row->status, row->text);
		else if (!i || row[-1].status != row->status)
			fprintf(out, "\t~/%d$ '" ENVELOPE "}';\n", row->status,
			    quotable(mem, row->text), err_table[row->e].code);
	}
	fprintf(out,
	    "}\nmap $uri $vitrine_error_id {\n\tvolatile;\n\tdefault $vitrine_asked_id;\n"
	    "\t~/40[13]$ $vitrine_refusal_id;\n}\n"
	    "map $uri $vitrine_error_retry {\n\tvolatile;\n\tdefault \"\";\n"
	    "\t~/(?:429|502|503)$ %d;\n}\n",
	    SOON_S);
	mem_free(mem);
}

/* ---- pools ---- */

/* For the http block: an upstream for each pool and for the line; and $vitrine_pool, the pool that
 * answers a request by its method, path and size. */
static void
print_pools(FILE *out, const struct conf *conf, const char *dir)
{
	struct some_routes slow = routes_choose(ARE_SLOW, conf);

	(void)dir;
	/* The network that limits count. Whether a body is of the usual size by its headers, so
	 * that nginx can read it before the caller is known. */
	fputs(
	    "map $binary_remote_addr $vitrine_client {\n\tdefault $binary_remote_addr;\n"
	    "\t\"~(?s)^(?<vitrine_network>.{8}).{8}$\" $vitrine_network;\n}\n"
	    "limit_conn_zone $vitrine_client zone=vitrine_clients:10m;\n"
	    "map \"$server_protocol $content_length $http_transfer_encoding\" $vitrine_body_small "
	    "{\n\tdefault \"\";\n\t\"~^HTTP/1\\.[01]  $\" 1;\n\t\"~^[^ ]+ [0-9]{1,6} $\" 1;\n}\n",
	    out);
	/* Whether a request may be a large one, by its body. The size of a chunked body isn't
	 * known, nor with HTTP/2 that of a body without a Content-Length. */
	fprintf(out,
	    "map \"$server_protocol $request_method $content_length $http_transfer_encoding\" "
	    "$vitrine_large {\n\tdefault +;\n\t\"~^HTTP/1\\.[01] [A-Z]+  $\" \"\";\n"
	    "\t\"~^[^ ]+ (?:GET|HEAD|DELETE|OPTIONS)  $\" \"\";\n"
	    "\t\"~^[^ ]+ [A-Z]+ [0-9]{1,%d} $\" \"\";\n}\n"
	    /* Where a body may be so large that its sender must be known. With HTTP/2, a GET may
	     * have one without saying so. */
	    "map \"$server_protocol $content_length $http_transfer_encoding\" $vitrine_filing {\n"
	    "\tdefault +;\n\t\"~^HTTP/1\\.[01]  $\" \"\";\n"
	    "\t\"~^[^ ]+ [0-9]{1,%d} $\" \"\";\n}\n",
	    SMALL_BODY_DIGITS, SMALL_BODY_DIGITS);
	print_too_large(out, conf);
	print_limits(out, conf);
	/* The server of domains answers so before it comes to a location of errors.conf. */
	fprintf(out, "map \"\" $vitrine_elsewhere {\n\tdefault '" ENVELOPE "}';\n}\n",
	    "This host isn\\'t served here", err_table[E_NOT_FOUND].code);
	print_error_texts(out);
	fprintf(out,
	    "upstream vitrine_quick { server unix:%s; keepalive 64; }\n"
	    "upstream vitrine_slow { server unix:%s; keepalive 64; }\n"
	    "upstream vitrine_line { server unix:%s; }\n"
	    "map \"$vitrine_large$request_method:$uri\" $vitrine_pool {\n\tdefault vitrine_quick;\n"
	    "\t\"~^[+]\" vitrine_slow;\n",
	    conf->socket, conf->slow_socket, conf->line_socket);
	for (size_t n; slow.n; slow = routes_after(slow, n))
		fprintf(out, "\t\"~%s\" vitrine_slow;\n", routes_expression(slow, true, &n));
	fputs("}\n", out);
	mem_free(slow.mem);
}

/* ---- where nginx's own errors are answered ---- */

/* Names the location that answers each of nginx's own errors. */
static void
print_error_names(FILE *out, const char *prefix)
{
	void *mem = mem_root("errors");

	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		const struct refusal *row = &refusals[i];

		fprintf(out, "error_page %s %s%s/%d;\n", row->by,
		    row->other		 ? mem_printf(mem, "=%d ", row->status)
			: row->status == 500 ? "= "
					     : "",
		    prefix, row->status);
	}
	/* A worker has refused the caller of a large body. */
	fprintf(out, "error_page 401 %s/401;\nerror_page 403 = %s/403;\n", prefix, prefix);
	fputs(ERROR_FILED, out);
	mem_free(mem);
}

/* An error's text, with the status of the error_page that leads there. */
#define ERROR_SAID "\treturn 200 $vitrine_error;\n"

/* Writes a location of errors. The refused request's body may have any size. */
static void
print_error_place(FILE *out, const char *place, const char *more, const char *returns)
{
	fprintf(out,
	    "location %s {\n\tinternal;\n\tdefault_type application/json;\n"
	    "\tclient_max_body_size 0;\n%s%s}\n",
	    place, more, returns);
}

static void
print_error_places(FILE *out, const char *prefix, const char *dir)
{
	void *mem = mem_root("errors");
	/* A published page's host answers that page alone, so it needs no CORS. */
	const char *more = mem_printf(mem,
	    "\tinclude %s/always.conf;\n\tadd_header Cache-Control no-store always;\n"
	    "\tadd_header X-Request-Id $vitrine_error_id always;\n"
	    "\tadd_header Retry-After $vitrine_error_retry always;\n%s",
	    dir,
	    str_starts(prefix, "/_vitrine/")
		? ""
		: "\tadd_header Access-Control-Allow-Origin \"*\" always;\n");
	struct buf judged = BUF(mem);

	print_error_place(out, mem_printf(mem, "^~ %s/", prefix), more, ERROR_SAID);
	/* For 416, nginx keeps the headers that it has set for the file, so none are repeated here.
	 * A location that adds no header would inherit its server's. */
	print_error_place(out, mem_printf(mem, "= %s/416", prefix),
	    "\tadd_header Last-Modified \"\";\n", ERROR_SAID);
	/* Nginx fails with 500 if it can't store a body. */
	print_error_place(out, mem_printf(mem, "= %s/500", prefix), more,
	    mem_printf(mem, "\t" IF_BODY "{ return 507 '" ENVELOPE "}'; }\n"
			    "\treturn 500 $vitrine_error;\n",
		"The server has no space left for what you sent; nothing was stored. "
		"Try again later",
		err_table[E_DISK_FULL].code));
	/* A worker answers 403 for any refusal but 401; a header has the real status. */
	for (const int *status = judged_statuses; *status; status++)
		buf_fmt(&judged,
		    "\tif ($vitrine_refusal_status = %d) { return %d $vitrine_error; }\n", *status,
		    *status);
	buf_str(&judged, "\treturn 403 $vitrine_error;\n");
	print_error_place(out, mem_printf(mem, "= %s/403", prefix), more, buf_done(&judged));
	mem_free(mem);
}

/* For servers of programs: all of nginx's errors as the API's envelope. */
static void
print_errors(FILE *out, const struct conf *conf, const char *dir)
{
	(void)conf;
	print_error_names(out, "/_error");
	print_error_places(out, "/_error", dir);
}

/* ---- locations of the API's paths ---- */

/* Directives of the locations of one kind of server: page of its pages, api of all others. */
struct places {
	const char *dir, *judge, *page, *api;
};

/* Ends a location: the request goes to a worker. how: fastcgi.conf or filed.conf. */
static void
print_pass(FILE *out, const struct places *all, const struct place *p, const char *how)
{
	fprintf(out, "\tclient_max_body_size %lld;\n%s", (long long)p->body,
	    p->page ? all->page : all->api);
	/* Without a temporary file, a slow client holds the worker back. */
	if (p->stream)
		fputs("\tfastcgi_max_temp_file_size 0;\n", out);
	fprintf(out, "\tfastcgi_pass $vitrine_pool;\n\tinclude %s/%s.conf;\n}\n", all->dir, how);
}

/* Large bodies become files here. Nginx stores one only for a known caller: it asks a worker before
 * it reads the body. */
static void
print_filed(FILE *out, const struct places *all, const struct place *p, size_t id)
{
	fprintf(out, "location @filed_%zu {\n", id);
	if (p->judged)
		fprintf(out,
		    "\tauth_request %s;\n"
		    "\tauth_request_set $vitrine_refusal $upstream_http_x_vitrine_refusal;\n"
		    "\tauth_request_set $vitrine_refusal_id $upstream_http_x_request_id;\n"
		    "\tauth_request_set $vitrine_refusal_status $upstream_http_x_vitrine_status;\n",
		    all->judge);
	print_pass(out, all, p, "filed");
}

/* Moves the rows that demand what the first one does, to the front. Returns their number. */
static size_t
routes_alike(const struct conf *conf, struct some_routes some, bool content, struct place *first)
{
	size_t n = 0;

	*first = place_of(conf, &some.v[0], content);
	for (size_t i = 0; i < some.n; i++) {
		const struct a_route one = some.v[i];
		struct place p = place_of(conf, &one, content);

		if (p.body != first->body || p.stream != first->stream ||
		    p.judged != first->judged || p.page != first->page)
			continue;
		some.v[i] = some.v[n];
		some.v[n++] = one;
	}
	return n;
}

/* Prints a location for the paths of each kind of place, within `outer` if that isn't NULL, and on
 * the server's level, where nginx demands it, those for large bodies. */
static void
print_places(FILE *out, const struct conf *conf, const struct places *all, struct some_routes some,
    const char *outer)
{
	struct place *kinds = mem_array(some.mem, struct place, some.n);
	size_t kinds_n = 0;

	if (outer)
		fprintf(out, "location %s {\n", outer);
	for (size_t alike; some.n; some = routes_after(some, alike), kinds_n++) {
		struct place *p = &kinds[kinds_n];
		struct some_routes these = some;

		alike = these.n = routes_alike(conf, some, outer != NULL, p);
		for (size_t n; these.n; these = routes_after(these, n)) {
			fprintf(out,
			    "location ~ \"%s\" {\n\trecursive_error_pages on;\n"
			    "\tset $vitrine_filed @filed_%zu;\n"
			    "\tif ($vitrine_%s) { return 418; }\n",
			    routes_expression(these, false, &n), kinds_n,
			    p->judged ? "filing" : "large");
			print_pass(out, all, p, "fastcgi");
		}
	}
	if (outer)
		fputs("}\n", out);
	for (size_t id = 0; id < kinds_n; id++)
		print_filed(out, all, &kinds[id], id);
}

/* ---- the line, and where requests continue ---- */

/* The worker's reply has named the caller and where the request continues. The line gets only these
 * two. Without a line, the request continues at once. */
static void
print_line(FILE *out)
{
	fputs(
	    "location @line {\n\tset $vitrine_caller $upstream_http_x_vitrine_caller;\n"
	    "\tset $vitrine_back $upstream_http_x_vitrine_back;\n\trecursive_error_pages on;\n"
	    "\terror_page 502 504 = $vitrine_back;\n"
	    "\tfastcgi_pass vitrine_line;\n\tfastcgi_keep_conn on;\n\tfastcgi_next_upstream off;\n"
	    "\tfastcgi_read_timeout 120s;\n\tfastcgi_pass_request_body off;\n"
	    "\tfastcgi_pass_request_headers off;\n"
	    "\tfastcgi_param VITRINE_CALLER $vitrine_caller;\n"
	    "\tfastcgi_param VITRINE_BACK $vitrine_back;\n}\n",
	    out);
}

static void
print_back(FILE *out, const char *name, const char *pool, const char *more, const char *dir,
    const char *how)
{
	fprintf(out,
	    "location @%s {\n\tset $vitrine_ticket $upstream_http_x_vitrine_ticket;\n"
	    "\trecursive_error_pages on;\n%s\tfastcgi_pass vitrine_%s;\n"
	    "\tinclude %s/%s.conf;\n"
	    "\tfastcgi_param VITRINE_LINED 1;\n"
	    "\tfastcgi_param VITRINE_TICKET $vitrine_ticket;\n"
	    "\tfastcgi_param VITRINE_CALLER $vitrine_caller;\n}\n",
	    name, more, pool, dir, how);
}

/* For each pool, with a small body and with one that became a file. after: of the names. */
static void
print_backs(FILE *out, void *mem, const char *after, const char *more, const char *dir)
{
	for (int which = 0; which < POOLS; which++) {
		const char *pool = pool_names[which], *name = mem_printf(mem, "%s%s", pool, after);

		print_back(out, name, pool, more, dir, "fastcgi");
		print_back(out, mem_printf(mem, "%s_filed", name), pool, more, dir, "filed");
	}
}

/* Workers send requests for a page that costs too much here. */
static void
print_busy(FILE *out, const char *dir)
{
	fprintf(out,
	    "location @busy {\n\tinclude %s/pageerrors.conf;\n\trecursive_error_pages on;\n"
	    "\treturn 503;\n}\n",
	    dir);
}

/* Returns the parameters that tell a worker about a content host. */
static const char *
plane(void *mem, const char *name)
{
	return mem_printf(mem,
	    "\tfastcgi_param VITRINE_PLANE %s;\n\tfastcgi_param VITRINE_SLUG $slug;\n"
	    "\tfastcgi_param VITRINE_SUBDOMAIN $subdomain;\n"
	    "\tfastcgi_param VITRINE_DOMAIN $domain;\n"
	    "\tfastcgi_param VITRINE_FRAME $frame;\n",
	    name);
}

/* Returns what all locations for paths of the API have on content hosts. */
static const char *
visitor_more(void *mem, const char *dir)
{
	const char *more;
	char *names;
	size_t n;
	FILE *text = open_memstream(&names, &n);

	print_error_names(text, "/_vitrine/error");
	fclose(text);
	more = mem_printf(
	    mem, "%s\tinclude %s/always.conf;\n%s", names, dir, plane(mem, "visitor"));
	free(names);
	return more;
}

static void
print_script(FILE *out, const char *dir, const char *name, const char *mime)
{
	fprintf(out,
	    "location = /_vitrine/%s {\n\talias %s/nginx/page/%s;\n\ttypes {}\n"
	    "\tdefault_type \"%s; charset=utf-8\";\n\tcharset off;\n"
	    "\tgzip_static off;\n\tbrotli_static off;\n\tinclude %s/always.conf;\n"
	    "\tadd_header Last-Modified \"\";\n\tadd_header Cache-Control no-cache;\n}\n",
	    name, conf_share_dir(), name, mime, dir);
}

/* Libraries: base/weblib.h. Nobody is asked who they are, and views don't count them. of: those
 * whose folders begin so. */
static void
print_libraries(FILE *out, const char *dir, const char *of, const char *errors)
{
	static const char place[] =
	    "location %s/_vitrine/lib/%s {\n\talias %s/nginx/lib/%s;\n"
	    "\ttypes { text/javascript js; application/json json; }\n"
	    "\tdefault_type \"text/plain; charset=utf-8\";\n\tcharset off;\n\taccess_log off;\n"
	    "\tgzip_static on;\n\tbrotli_static on;\n\tlog_not_found off;\n"
	    "\terror_page 403 404 405 %s;\n"
	    "\tinclude %s/always.conf;\n\tadd_header Last-Modified \"\";\n"
	    "\tadd_header Vary Accept-Encoding;\n\tadd_header Cache-Control \"%s\";\n}\n";
	static const char list[] = "index.json";
	void *mem = mem_root("libraries");

	/* Where there are none, an empty list says so: a page that asks breaks nothing. */
	fprintf(out, place, "= ", list, conf_share_dir(), list, "= @no_libraries", dir, "no-cache");
	fprintf(out, place, "^~ ", of, conf_share_dir(), of,
	    mem_printf(mem, "=404 %s/404", errors), dir, "public, max-age=31536000, immutable");
	fprintf(out,
	    "location @no_libraries {\n\tdefault_type application/json;\n"
	    "\tinclude %s/always.conf;\n\tadd_header Cache-Control no-cache;\n"
	    "\treturn 200 '{}';\n}\n",
	    dir);
	mem_free(mem);
}

/* For the API's server: locations for the paths that accept a large body or send a stream. */
static void
print_routes(FILE *out, const struct conf *conf, const char *dir)
{
	struct some_routes some = routes_choose(HAVE_PLACES, conf);
	const char *page = mem_printf(some.mem, "\tinclude %s/pageerrors.conf;\n", dir);
	const struct places all = { dir, "/_judge",
		mem_printf(some.mem, "%s\terror_page 401 403 /_vitrine/refused.html;\n", page),
		"" };

	print_places(out, conf, &all, some, NULL);
	print_line(out);
	print_busy(out, dir);
	print_backs(out, some.mem, "", "", dir);
	print_backs(out, some.mem, "_page", page, dir);
	mem_free(some.mem);
	/* The Files tab colors code as views do. All else that views load would be of use to
	 * somebody who finds a way to add HTML to our pages. */
	print_script(out, dir, "draw.js", "text/javascript");
	print_libraries(out, dir, "highlight.js@", "/_error");
}

/* For servers of published pages: a location for each path of the API that answers there. Nginx's
 * own errors have the API's form there. */
static void
print_visitor(FILE *out, const struct conf *conf, const char *dir)
{
	/* A page can load these to reach its data; views load them, too. */
	static const char *const scripts[] = { "vitrine.js", "vitrine.mjs", "view.js", "draw.js",
		"remark.js" };
	struct some_routes some = routes_choose(ARE_CONTENT, conf);
	const char *more = visitor_more(some.mem, dir);
	const struct places all = { dir, "/_vitrine/judge", more, more };

	/* Only requests below /v1/ are tested against these expressions. */
	print_places(out, conf, &all, some, "/v1/");
	print_line(out);
	print_busy(out, dir);
	print_backs(out, some.mem, "", more, dir);
	more = mem_printf(some.mem,
	    "\tinclude %s/always.conf;\n%s\tfastcgi_param VITRINE_NO $no;\n", dir,
	    plane(some.mem, "content"));
	print_back(out, "gate_again", "quick", more, dir, "fastcgi");
	print_back(out, "gate_again_slow", "slow", more, dir, "fastcgi");
	mem_free(some.mem);
	print_error_places(out, "/_vitrine/error", dir);
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
		print_script(out, dir, scripts[i], "text/javascript");
	print_script(out, dir, "vitrine.d.ts", "text/plain");
	print_libraries(out, dir, "", "/_vitrine/error");
}

/* ---- pages ---- */

/* The pages that nginx shows browsers: for a malformed request, for a busy service, for a body that
 * is too large. */
static const struct page_error page_refused = {
	.title = "This didn’t work",
	.message = "Your browser sent a request that this service can’t answer.",
};
static const struct page_error page_busy = {
	.title = "Back in a moment",
	.message = "The service is busy or being restarted. Try again in ten seconds.",
};

static const struct page_error page_large = {
	.title = "This is too large",
	.message = "What you sent is larger than the limit of $vitrine_limit here, "
		   "so nothing was stored. Go back, and choose a smaller file.",
};

static const char *
page_text(void *mem, const struct conf *conf, const struct page_error *page)
{
	const struct shell shell = { .base = conf->base_url };

	return page_render(mem, "error", &page_error_shape, page, &shell, NULL);
}

void
front_page(FILE *out, const struct conf *conf, const struct page_error *page)
{
	void *mem = mem_root("page");

	fputs(page_text(mem, conf, page), out);
	mem_free(mem);
}

static const struct page_error page_full = {
	.title = "There is no room",
	.message = "The server has no space left for what you sent, so nothing was stored. "
		   "Try again later.",
};

/* Writes a page as a location, because its text or status depends on a variable. returns: its
 * directive. */
static void
print_page_location(FILE *out, const struct conf *conf, const char *dir, const char *name,
    const char *returns)
{
	fprintf(out,
	    "location = /_vitrine/%s.html {\n\tinternal;\n\ttypes {}\n"
	    "\tdefault_type \"text/html; charset=utf-8\";\n\tcharset off;\n"
	    "\tclient_max_body_size 0;\n"
	    "\tinclude %s/always.conf;\n\tadd_header Cache-Control no-store always;\n"
	    "\tadd_header Content-Security-Policy \"%s\" always;\n%s}\n",
	    name, dir, page_csp(conf), returns);
}

/* For servers with pages: the locations of the error pages. _vitrine/ is ours on hosts of published
 * pages, too. */
static void
print_pages(FILE *out, const struct conf *conf, const char *dir)
{
	static const char *const names[] = { "refused", "busy" };
	void *mem = mem_root("page");

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		fprintf(out,
		    "location = /_vitrine/%s.html {\n\tinternal;\n\talias %s/%s.html;\n\ttypes {}\n"
		    "\tdefault_type \"text/html; charset=utf-8\";\n"
		    "\tcharset off;\n\tetag off;\n\tclient_max_body_size 0;\n\tgzip_static off;\n"
		    "\tbrotli_static off;\n\tinclude %s/always.conf;\n"
		    "\tadd_header Last-Modified \"\";\n"
		    "\tadd_header Cache-Control no-store always;\n"
		    "\tadd_header Content-Security-Policy \"%s\" always;\n%s}\n",
		    names[i], dir, names[i], dir, page_csp(conf),
		    i ? "\tadd_header Retry-After 10 always;\n" : "");
	print_page_location(out, conf, dir, "large",
	    mem_printf(
		mem, "\treturn 413 '%s';\n", quotable(mem, page_text(mem, conf, &page_large))));
	print_page_location(out, conf, dir, "full",
	    mem_printf(mem, "\t" IF_BODY "{ return 507 '%s'; }\n\treturn 500 '%s';\n",
		quotable(mem, page_text(mem, conf, &page_full)),
		quotable(mem, page_text(mem, conf, &page_busy))));
	mem_free(mem);
}

/* For locations that answer browsers: the pages for nginx's own errors. */
static void
print_page_errors(FILE *out, const struct conf *conf, const char *dir)
{
	(void)conf, (void)dir;
	fputs(
	    "error_page 400 408 411 414 501 505 /_vitrine/refused.html;\n"
	    "error_page 413 /_vitrine/large.html;\n"
	    "error_page 495 496 497 =400 /_vitrine/refused.html;\n"
	    "error_page 494 =431 /_vitrine/refused.html;\n"
	    "error_page 429 502 503 504 /_vitrine/busy.html;\n"
	    "error_page 500 = /_vitrine/full.html;\n" ERROR_FILED,
	    out);
}

const struct front_file front_files[] = {
	{ "mime.types", print_mime_types },
	{ "headers.conf", print_headers },
	{ "handed.conf", print_handed },
	{ "pools.conf", print_pools },
	{ "bounds.conf", print_bounds },
	{ "balancers.conf", print_balancers },
	{ "routes.conf", print_routes },
	{ "visitor.conf", print_visitor },
	{ "errors.conf", print_errors },
	{ "pages.conf", print_pages },
	{ "pageerrors.conf", print_page_errors },
	{ "refused.html", .page = &page_refused },
	{ "busy.html", .page = &page_busy },
	{ 0 },
};
