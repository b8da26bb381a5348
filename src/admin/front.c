/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/front.h"

#include "base/conf.h"
#include "base/mime.h"
#include "base/str.h"
#include "domain/rules.h"
#include "http/route.h"

/* A path as an expression for nginx's $uri, which is decoded once, as a worker does. */
static void
print_path(FILE *out, const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "{}");

		for (size_t i = 0; i < n; i++)
			fprintf(out, "%s%c", path[i] == '.' ? "\\" : "", path[i]);
		path += n;
		if (*path == '{')
			fputs(param_pattern(path + 1), out);
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

/* What _headers may set is handed on by name. */
static void
print_headers(FILE *out, const struct conf *conf, const char *dir)
{
	(void)conf, (void)dir;
	for (const char *const *name = rules_header_names; *name; name++) {
		if (str_eq(*name, "Cache-Control"))
			continue; /* nginx passes it without being told */
		fprintf(out, "add_header %s $upstream_http_", *name);
		for (const char *p = *name; *p; p++)
			fputc(*p == '-' ? '_' : tolower((unsigned char)*p), out);
		fputs(";\n", out);
	}
}

/* For the http block: an upstream for each pool, and $vitrine_pool, which names the one that
 * answers the request's method and path. */
static void
print_pools(FILE *out, const struct conf *conf, const char *dir)
{
	(void)dir;
	fprintf(out,
	    "upstream vitrine_quick { server unix:%s; }\nupstream vitrine_slow { server unix:%s; }\n"
	    "map \"$request_method:$uri\" $vitrine_pool {\n\tdefault vitrine_quick;\n",
	    conf->socket, conf->slow_socket);
	for (const struct route_list *const *at = route_lists, *list; (list = *at); at++) {
		for (const struct route *row = list->rows; row < list->rows + list->n; row++) {
			if (!row->slow)
				continue;
			fprintf(out, "\t\"~^%s:",
			    row->method == GET ? "(?:GET|HEAD)" : method_names[row->method]);
			print_path(out, row->path);
			fputs("$\" vitrine_slow;\n", out);
		}
	}
	fputs("}\n", out);
}

/* Whether an earlier row has the path too: they share one location. */
static bool
path_before(const struct route_list *list, const struct route *row)
{
	for (const struct route *other = list->rows; other < row; other++)
		if (str_eq(other->path, row->path))
			return true;
	return false;
}

static void
print_location(FILE *out, const char *path, int64_t body, bool stream, const char *dir)
{
	fputs("location ~ \"^", out);
	print_path(out, path);
	fprintf(out, "$\" {\n\tclient_max_body_size %lld;\n", (long long)body);
	/* A client that takes its time holds back the worker, not a file of what it has not taken.
	 */
	if (stream)
		fputs("\tfastcgi_max_temp_file_size 0;\n", out);
	fprintf(out, "\tfastcgi_pass $vitrine_pool;\n\tinclude %s/fastcgi.conf;\n}\n", dir);
}

/* For the server of the API: a location for each path that takes more than the usual body, or sends
 * a stream. */
static void
print_routes(FILE *out, const struct conf *conf, const char *dir)
{
	for (const struct route_list *const *at = route_lists, *list; (list = *at); at++) {
		for (const struct route *row = list->rows; row < list->rows + list->n; row++) {
			int64_t body = body_bytes(conf, BODY_USUAL);
			bool special = false, stream = false;

			for (const struct route *one = row; one < list->rows + list->n; one++) {
				if (!str_eq(one->path, row->path))
					continue;
				special |= one->max_body || one->answer.kind == ANSWER_STREAM;
				stream |= one->answer.kind == ANSWER_STREAM;
				if (body_bytes(conf, one->max_body) > body)
					body = body_bytes(conf, one->max_body);
			}
			if (special && !path_before(list, row))
				print_location(out, row->path, body, stream, dir);
		}
	}
}

/* For the servers of published pages: a location for each path of the API that answers there. */
static void
print_visitor(FILE *out, const struct conf *conf, const char *dir)
{
	(void)conf;
	for (const struct route_list *const *at = route_lists, *list; (list = *at); at++) {
		for (const struct route *row = list->rows; row < list->rows + list->n; row++) {
			if (!row->content || path_before(list, row))
				continue;
			fputs("location ~ \"^", out);
			print_path(out, row->path);
			fprintf(out,
			    "$\" {\n\tclient_max_body_size 1m;\n\tclient_body_in_file_only clean;\n\tfastcgi_pass $vitrine_pool;\n"
			    "\tinclude %s/always.conf;\n\tinclude %s/fastcgi.conf;\n"
			    "\tfastcgi_param VITRINE_PLANE visitor;\n\tfastcgi_param VITRINE_SLUG $slug;\n}\n",
			    dir, dir);
		}
	}
}

const struct front_file front_files[] = {
	{ "mime.types", print_mime_types },
	{ "headers.conf", print_headers },
	{ "pools.conf", print_pools },
	{ "routes.conf", print_routes },
	{ "visitor.conf", print_visitor },
	{ 0 },
};
