/* SPDX-License-Identifier: Apache-2.0 */
#include "oauth/client.h"

#include "base/crypto.h"
#include "base/host.h"
#include "base/json.h"
#include "base/str.h"
#include "ext/egress.h"

enum { DOCUMENT_BYTES = 16 << 10, DOCUMENT_S = 5 };

static const char registered[] = "acl_";

#define HOST_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-:[]"

/* ---- addresses that people may be sent back to ---- */

static const char *
loopback_host(const char *uri, const char **rest)
{
	return str_starts(uri, "http://") ? host_loopback(uri, rest) : NULL;
}

bool
client_uri_fits(const char *uri)
{
	const char *rest, *host = uri + strlen("https://");
	size_t n;

	for (const char *p = uri; *p; p++)
		if (*p <= ' ' || *p >= 0x7f || strchr("#\\\"<>", *p))
			return false;
	if (strlen(uri) > CLIENT_URI_MAX)
		return false;
	if (str_starts(uri, "https://"))
		return strcspn(host, "/?") > 0 && strspn(host, HOST_CHARS) == strcspn(host, "/?");
	if (loopback_host(uri, &rest))
		return true;
	/* Accepts a known app's scheme ("cursor:") or one with a domain ("com.example.app:"). */
	n = strcspn(uri, ":");
	return uri[n] == ':' && n > 1 &&
	    strspn(uri, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == n &&
	    (memchr(uri, '.', n) || str_starts(uri, "cursor:") || str_starts(uri, "vscode:") ||
		str_starts(uri, "vscode-insiders:"));
}

const char *
client_uri_host(void *mem, const char *uri)
{
	const char *rest, *local = loopback_host(uri, &rest);
	const char *at = strstr(uri, "://");

	if (local)
		return local;
	return at && str_starts(uri, "https:")
	    ? str_lower(mem_strndup(mem, at + 3, strcspn(at + 3, "/?")))
	    : mem_strndup(mem, uri, strcspn(uri, ":") + 1);
}

const char *
client_host(void *mem, const struct oauth_client *client, const char *redirect_uri)
{
	return client->host ? client->host : client_uri_host(mem, redirect_uri);
}

bool
client_returns_to(const struct oauth_client *client, const char *uri)
{
	const char *rest, *known_rest, *host = loopback_host(uri, &rest);

	for (size_t i = 0; i < client->uris.n; i++) {
		const char *known = client->uris.v[i];

		if (str_eq(known, uri) ||
		    (host && str_eq(loopback_host(known, &known_rest), host) &&
			str_eq(known_rest, rest)))
			return true;
	}
	return false;
}

/* ---- registered programs ---- */

/* Returns the name as one line of plain text, so a name can't pose as something else. */
static const char *
name_plain(struct ctx *c, const char *name)
{
	struct buf b = BUF(c->mem);

	for (name = name ? name : ""; *name;) {
		size_t n = str_plain_run(name);

		buf_add(&b, name, n);
		name += n;
		if (*name)
			name++;
	}
	name = str_cut(c->mem, buf_done(&b), CLIENT_NAME_CHARS);
	return name[strspn(name, " ")] ? name : "A program without a name";
}

static struct strs
uris_fitting(struct ctx *c, const struct strs *uris)
{
	struct strs out = { mem_array(c->mem, const char *, uris->n + 1), 0 };

	for (size_t i = 0; i < uris->n; i++)
		if (client_uri_fits(uris->v[i]))
			out.v[out.n++] = uris->v[i];
	return out;
}

bool
client_register(struct ctx *c, const char *name, const struct strs *uris, struct oauth_client *out)
{
	struct buf b = BUF(c->mem);

	*out = (struct oauth_client){ .name = name_plain(c, name), .uris = uris_fitting(c, uris) };
	buf_str(&b, out->name);
	for (size_t i = 0; i < out->uris.n; i++)
		buf_fmt(&b, "\n%s", out->uris.v[i]);
	out->id = mem_printf(
	    c->mem, "%s%s", registered, crypto_base64url(c->mem, buf_done(&b), b.n));
	return out->uris.n && out->uris.n <= CLIENT_URIS && strlen(out->id) <= CLIENT_ID_MAX;
}

/* Reads the registration in an id. An id that we would not give out for it is refused. */
static enum err
client_unpack(struct ctx *c, const char *id, struct oauth_client *out)
{
	const char *packed = id + strlen(registered);
	char *text = mem_zalloc(c->mem, strlen(packed) + 1), *line;
	size_t n;
	struct strs uris = { mem_array(c->mem, const char *, CLIENT_URIS + 1), 0 };
	bool whole = strlen(id) <= CLIENT_ID_MAX &&
	    crypto_unbase64url(packed, strlen(packed), (uint8_t *)text, &n) && strlen(text) == n;
	const char *name = whole ? strsep(&text, "\n") : NULL;

	while (name && (line = strsep(&text, "\n")) && uris.n <= CLIENT_URIS)
		uris.v[uris.n++] = line;
	return name && client_register(c, name, &uris, out) && str_eq(out->id, id)
	    ? E_OK
	    : fail(c, E_INVALID, "client_id: isn't one that this service has given out");
}

/* ---- programs with a document ---- */

#define DOCUMENT(F, T) \
	F(T, STR,  client_id,    .flags = F_REQ) \
	F(T, STR,  client_name) \
	F(T, STRS, redirect_uris, .flags = F_REQ, .hi = 100)
SHAPE(client_document, DOCUMENT);

static enum err
document_read(
    struct ctx *c, const char *id, const struct egress_res *res, struct oauth_client *out)
{
	struct client_document *doc;
	struct json *json;
	void *read;

	if (res->status != 200)
		return fail(
		    c, E_INVALID, "client_id: its address answers with status %ld", res->status);
	if (json_parse(c, res->body, res->body_n, &json) ||
	    shape_read(c, &client_document_shape, json, &read))
		return fail(
		    c, E_INVALID, "client_id: what is at its address doesn't describe a program");
	doc = read;
	if (!str_eq(doc->client_id, id))
		return fail(c, E_INVALID, "client_id: what is at its address is another program's");
	*out = (struct oauth_client){ .id = id,
		.name = name_plain(c, doc->client_name),
		.host = egress_host(c->mem, id),
		.uris = uris_fitting(c, &doc->redirect_uris) };
	return E_OK;
}

enum err
client_find(struct ctx *c, const char *id, struct oauth_client *out)
{
	struct egress_res *res;
	const char *path;

	if (str_starts(id, registered))
		return client_unpack(c, id, out);
	/* An address must have a path and be in its only spelling. */
	path = str_starts(id, "https://") ? strchr(id + strlen("https://"), '/') : NULL;
	if (!path || !path[1] || !client_uri_fits(id) || strstr(path, "/./") ||
	    strstr(path, "/../"))
		return fail(c, E_INVALID,
		    "client_id: isn't one that this service has given out, nor an https address");
	if (egress_send(c,
		&(struct egress_req){ .url = id,
		    .max_bytes = DOCUMENT_BYTES,
		    .timeout_s = DOCUMENT_S,
		    .headers = (const char *const[]){ "Accept: application/json", NULL } },
		&res))
		return fail(c, E_INVALID, "client_id: its address can't be read; try again later");
	return document_read(c, id, res, out);
}
