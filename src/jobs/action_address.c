/* SPDX-License-Identifier: Apache-2.0
 * Addresses and headers that jobs send to. */
#include "base/conf.h"
#include "base/host.h"
#include "base/str.h"
#include "ext/header.h"
#include "jobs/action_kind.h"

enum { URL_CHARS = 2000, HEADERS = 20, VALUE_BYTES = 2048, HEADERS_BYTES = 8192 };

enum err
action_url_check(struct ctx *c, const char *at, const char *url)
{
	const char *host, *port;

	if (strlen(url) > URL_CHARS)
		return fail(c, E_INVALID, "%s: has %zu characters; the maximum is %d", at,
		    strlen(url), URL_CHARS);
	host = egress_host(c->mem, url);
	if (!host)
		return fail(c, E_INVALID,
		    "%s: must be an http:// or https:// address without a user name in it", at);
	if (host_is_ours(c->conf, host))
		return fail(c, E_INVALID,
		    "%s: %s is part of this service; jobs can only call other servers", at, host);
	return egress_port_may(c, url, &port)
	    ? E_OK
	    : fail(c, E_INVALID, "%s: port %s isn't allowed; use 80 or 443", at, port);
}

const char *
action_origin(void *owner, const char *url)
{
	size_t scheme = strcspn(url, "/"), n = scheme + 2 + strcspn(url + scheme + 2, "/?#");

	return str_lower(mem_strndup(owner, url, n));
}

/* ---- headers ---- */

struct header_check {
	struct ctx *c;
	const char *at;
	const struct json *all;
	size_t bytes;
};

static int
header_same(void *arg, const char *name, const struct json *value)
{
	(void)value;
	return strcasecmp(name, arg) == 0 && strcmp(name, arg) != 0;
}

static int
header_check(void *arg, const char *name, const struct json *value)
{
	struct header_check *k = arg;
	struct ctx *c = k->c;

	if (!header_name_valid(name))
		return (int)fail(c, E_INVALID,
		    "%s: header names must have 1 to %d letters, digits, hyphens, "
		    "or other characters that RFC 9110 allows in a token",
		    k->at, HEADER_NAME_BYTES);
	if (header_is_ours(name))
		return (int)fail(c, E_INVALID, "%s.%s: this header can't be set", k->at, name);
	if (json_each(k->all, header_same, (void *)(uintptr_t)name))
		return (int)fail(
		    c, E_INVALID, "%s.%s: is given twice, with different capitalization",
		    k->at, name);
	/* The error doesn't quote the value, which may be a secret. */
	if (json_kind(value) != J_STR || strlen(json_str(value)) > VALUE_BYTES ||
	    !header_value_valid(json_str(value)))
		return (int)fail(c, E_INVALID,
		    "%s.%s: must be a string of 1 to %d visible ASCII characters, "
		    "with spaces only between them",
		    k->at, name, VALUE_BYTES);
	k->bytes += strlen(name) + strlen(json_str(value));
	return 0;
}

static enum err
headers_keep_check(struct ctx *c, const char *at, const struct action_input *in,
    const struct action_use *use)
{
	const char *was = use->url_old;

	if (was && !str_eq(action_origin(c->mem, use->url), action_origin(c->mem, was)))
		return fail(c, E_INVALID,
		    "%s: the stored headers were for another server; "
		    "send them again, or {} to remove them",
		    at);
	if (in->by && str_eq(in->by, in->old->headers_by))
		return E_OK;
	return str_eq(use->url, was) && str_eq(use->kept, use->kept_old)
	    ? E_OK
	    : fail(c, E_INVALID,
		  "%s: somebody else gave the stored headers for %s; send headers of your own, "
		  "or {} to remove them, or have who gave them make this change",
		  at, str_eq(use->url, was) ? "another target" : "another address");
}

enum err
action_headers(struct ctx *c, const char *at, const char *sent, const struct action_input *in,
    const struct action_use *use, struct action_secrets *out)
{
	struct header_check k = { .c = c, .at = at };
	struct json *all;

	out->headers = out->headers_by = NULL;
	if (sent) {
		TRY(json_parse(c, sent, strlen(sent), &all));
		if (json_len(all) > HEADERS)
			return fail(c, E_INVALID, "%s: has %zu headers; the maximum is %d", at,
			    json_len(all), HEADERS);
		k.all = all;
		TRY((enum err)json_each(all, header_check, &k));
		if (k.bytes > HEADERS_BYTES)
			return fail(c, E_INVALID, "%s: has %zu bytes; the maximum is %d", at,
			    k.bytes, HEADERS_BYTES);
		if (!json_len(all))
			return E_OK;
		out->headers = json_text(c->mem, all);
		out->headers_by = in->by;
	} else if (in->old->headers) {
		TRY(headers_keep_check(c, at, in, use));
		out->headers = in->old->headers;
		out->headers_by = in->old->headers_by;
	}
	return E_OK;
}

static int
header_name(void *arg, const char *name, const struct json *value)
{
	struct buf *b = arg;

	(void)value;
	if (b->s[b->n - 1] != '[')
		buf_chr(b, ',');
	buf_json(b, name);
	return 0;
}

void
action_header_names(struct ctx *c, struct buf *b, const char *headers)
{
	struct json *all;

	buf_str(b, "\"header_names\":[");
	if (headers && !json_parse(c, headers, strlen(headers), &all))
		json_each(all, header_name, b);
	buf_chr(b, ']');
}

struct header_lines {
	struct ctx *c;
	const char **v;
	size_t n;
};

static int
header_line(void *arg, const char *name, const struct json *value)
{
	struct header_lines *l = arg;

	l->v[l->n++] = mem_printf(l->c->mem, "%s: %s", name, json_str(value));
	return 0;
}

enum err
action_header_lines(struct ctx *c, const char *headers, const char *const *more,
    const char *const **out)
{
	struct header_lines l = { .c = c };
	struct json *all = NULL;
	size_t n = 0;

	*out = NULL;
	while (more && more[n])
		n++;
	if (headers)
		TRY(json_parse(c, headers, strlen(headers), &all));
	if (!n && !all)
		return E_OK;
	l.v = mem_array(c->mem, const char *, n + (all ? json_len(all) : 0) + 1);
	for (; l.n < n; l.n++)
		l.v[l.n] = more[l.n];
	if (all)
		json_each(all, header_line, &l);
	*out = l.v;
	return E_OK;
}
