/* SPDX-License-Identifier: Apache-2.0 */
#include "talk/proxy.h"

#include "base/conf.h"
#include "base/host.h"
#include "base/mime.h"
#include "base/str.h"
#include "core/follow.h"
#include "ext/egress.h"

SHAPE_DEFINE(proxy, PROXY);

enum { BYTES = 5 << 20, SECONDS = 10, REDIRECTS = 3 };

#define LISTED(F, T) F(T, STR, host)
SHAPE(listed, LISTED);

/* ---- the list ---- */

static enum err
hosts_find(struct ctx *c, const struct artifact *a, struct listed_list *out)
{
	return db_all(c,
	    ROWS(listed, "SELECT host FROM proxy_host WHERE artifact_id = ? ORDER BY host"),
	    ARGS(a->id), out);
}

enum err
proxy_get(struct ctx *c, const struct artifact *a, struct proxy **out)
{
	struct listed_list rows;

	TRY(hosts_find(c, a, &rows));
	*out = mem_new(c->mem, struct proxy);
	(*out)->hosts = (struct strs){ mem_array(c->mem, const char *, rows.n), rows.n };
	for (size_t i = 0; i < rows.n; i++)
		(*out)->hosts.v[i] = rows.v[i].host;
	return E_OK;
}

static enum err
host_read(struct ctx *c, size_t i, const char *sent, const char **out)
{
	const char *host = *out = host_name(c->mem, sent);

	if (!host)
		return fail(c, E_INVALID,
		    "hosts[%zu]: %s isn't a host name; "
		    "list names such as api.example.org, without a scheme, port or path",
		    i, sent);
	return host_is_ours(c->conf, host)
	    ? fail(c, E_INVALID, "hosts[%zu]: %s is served by this service; call it directly", i,
		sent)
	    : E_OK;
}

enum err
proxy_set(struct ctx *c, const struct artifact *a, const struct proxy *in)
{
	const char **hosts = mem_array(c->mem, const char *, in->hosts.n);
	const char *was, *is;
	struct proxy *list;

	TRY(proxy_get(c, a, &list));
	was = shape_text(c->mem, &proxy_shape, list);
	for (size_t i = 0; i < in->hosts.n; i++)
		TRY(host_read(c, i, in->hosts.v[i], &hosts[i]));
	TRY(db_exec(
	    c, EXEC("DELETE FROM proxy_host WHERE artifact_id = ?"), ARGS(a->id), NULL));
	for (size_t i = 0; i < in->hosts.n; i++)
		TRY(db_exec(c,
		    EXEC("INSERT IGNORE INTO proxy_host (artifact_id, host) VALUES (?, ?)"),
		    ARGS(a->id, hosts[i]), NULL));
	TRY(proxy_get(c, a, &list));
	is = shape_text(c->mem, &proxy_shape, list);
	return str_eq(was, is) ? E_OK : audit_artifact(c, a, "artifact.proxy", was, is);
}

/* ---- fetching ---- */

struct allowed {
	const struct conf *conf;
	struct listed_list hosts;
};

static bool
host_allowed(void *arg, const char *host)
{
	const struct allowed *all = arg;

	for (size_t i = 0; i < all->hosts.n; i++)
		if (str_eq(all->hosts.v[i].host, host))
			return !host_is_ours(all->conf, host);
	return false;
}

/* Returns the type to send if a browser shows it without running code, else NULL. SVG is missing
 * because it can contain script. Text other than CSV becomes text/plain. */
static const char *
type_shown(const char *bare)
{
	if (str_eq(bare, "application/json") || str_ends(bare, "+json"))
		return "application/json";
	if (str_in(bare, "text/csv|image/png|image/jpeg|image/gif|image/webp|image/avif"))
		return bare;
	if (str_in(bare, "text/plain|text/markdown|text/tab-separated-values|text/calendar|"
			 "text/xml|application/xml"))
		return "text/plain";
	return NULL;
}

/* Returns the value of the charset parameter, or NULL. */
static const char *
type_charset(void *mem, const char *type)
{
	const char *at = strcasestr(type, "charset=");
	size_t n;

	if (!at)
		return NULL;
	at += strlen("charset=");
	at += *at == '"';
	n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:");
	return n && n <= 40 ? mem_strndup(mem, at, n) : NULL;
}

static void
type_set(struct ctx *c, const struct egress_res *res, struct proxied *out)
{
	char *bare = mem_strdup(c->mem, res->type ? res->type : "");
	const char *shown, *charset;

	bare[strcspn(bare, "; \t")] = '\0';
	str_lower(bare);
	shown = mime_valid(bare) ? type_shown(bare) : NULL;
	charset = shown && str_starts(shown, "text/") ? type_charset(c->mem, res->type) : NULL;
	out->in_line = shown != NULL;
	out->type = !shown ? "application/octet-stream"
	    : charset      ? mem_printf(c->mem, "%s; charset=%s", shown, charset)
			   : shown;
}

enum err
proxy_fetch(struct ctx *c, const struct artifact *a, const char *url, struct proxied **out)
{
	struct allowed all = { .conf = c->conf };
	struct egress_req req = { .url = url,
		.max_bytes = BYTES,
		.timeout_s = SECONDS,
		.max_redirects = REDIRECTS,
		.host_may = host_allowed,
		.arg = &all };
	const char *host = egress_host(c->mem, url);
	struct egress_res *res;

	if (!host)
		return fail(c, E_INVALID,
		    "url: must be an address that starts with https:// or http://");
	TRY(hosts_find(c, a, &all.hosts));
	if (!host_allowed(&all, host))
		return fail(c, E_DENIED,
		    "url: %s isn't one of the hosts that the artifact's owner allows; "
		    "the owner can add it with PUT /v1/artifacts/%s/proxy",
		    host, a->id);
	/* Only the log has the reason: it would show a stranger which inner hosts listen. */
	if (egress_send(c, &req, &res) || res->status < 200 ||
	    (res->status > 299 && res->status < 400) || res->status > 599 || res->encoded)
		return fail(c, E_UPSTREAM, "%s", err_table[E_UPSTREAM].text);
	*out = mem_new(c->mem, struct proxied);
	**out = (struct proxied){
		.status = (int)res->status, .body = res->body, .body_n = res->body_n
	};
	type_set(c, res, *out);
	return E_OK;
}

PURGES(proxy, ROWS_OF(proxy_host));
