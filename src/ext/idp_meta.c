/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/idp_meta.h"

#include "base/buf.h"
#include "base/str.h"
#include "ext/egress.h"
#include "ext/jws.h"

/* A provider's documents, cached as text, because a parsed tree lives in one request's memory and
 * parsing takes microseconds. */
struct kept {
	struct kept *next;
	const char *issuer;
	const char *meta, *keys; /* NULL until fetched */
	int64_t meta_at, keys_at, newer_at;
	int64_t failed_at; /* for PAUSE_S after this, requests fail without trying again */
};

enum { KEPT_ISSUERS = 16, PAUSE_S = 5 };
static struct kept *all_kept; /* the most recently used first */

/* Finds or makes the entry of an issuer and moves it to the front. Frees the least recently used
 * entry beyond KEPT_ISSUERS. */
static struct kept *
kept_of(const char *issuer)
{
	struct kept **at = &all_kept, *k;
	int n = 1;

	for (; *at && !str_eq((*at)->issuer, issuer); at = &(*at)->next)
		if (++n > KEPT_ISSUERS && !(*at)->next)
			break;
	k = *at;
	if (k)
		*at = k->next;
	if (k && !str_eq(k->issuer, issuer)) {
		mem_free(k);
		k = NULL;
	}
	if (!k) {
		k = mem_zalloc(NULL, sizeof *k);
		k->issuer = mem_strdup(k, issuer);
	}
	k->next = all_kept;
	return all_kept = k;
}

static void
meta_keep(struct kept *k, const char **slot, int64_t *at, const struct ctx *c, const char *text)
{
	mem_free((void *)(uintptr_t)*slot);
	*slot = mem_strdup(k, text);
	*at = c->now;
}

static bool
meta_fresh(const struct ctx *c, int64_t at, int64_t seconds)
{
	return c->now >= at && c->now - at < seconds;
}

enum err
idp_send(struct ctx *c, const struct idp *idp, const char *url, const char *form,
    const char *const *headers, struct egress_res **out)
{
	struct egress_req req = { .url = url,
		.max_bytes = IDP_BYTES,
		.timeout_s = IDP_TIMEOUT_S,
		.form = form,
		.headers = headers,
		.trusted = idp->trusted };

	if (egress_send(c, &req, out))
		return fail(c, E_UNAVAILABLE,
		    "the sign-in provider %s can't be reached; try again shortly", idp->issuer);
	return E_OK;
}

enum err
idp_object(struct ctx *c, const char *url, const struct egress_res *res, const struct json **out)
{
	struct json *tree;

	if (res->status != 200)
		return fail(c, E_UNAVAILABLE, "the sign-in provider returned status %ld at %s",
		    res->status, url);
	if (json_parse(c, res->body, res->body_n, &tree) || json_kind(tree) != J_OBJ)
		return fail(c, E_UNAVAILABLE,
		    "the sign-in provider's response at %s isn't a JSON object", url);
	*out = tree;
	return E_OK;
}

static enum err
meta_fetch(struct ctx *c, const struct idp *idp, const char *url, const struct json **tree,
    const char **text)
{
	struct egress_res *res;

	TRY(idp_send(c, idp, url, NULL, NULL, &res));
	TRY(idp_object(c, url, res, tree));
	*text = res->body;
	return E_OK;
}

static enum err
meta_endpoint(
    struct ctx *c, const struct json *meta, const char *name, bool required, const char **out)
{
	const char *url = json_word(meta, name);

	*out = NULL;
	if (!url && !required)
		return E_OK;
	if (!url || !str_http_url(url) || !str_starts(url, "https://") || strchr(url, '#'))
		return fail(c, E_UNAVAILABLE,
		    "the sign-in provider's configuration: "
		    "%s must be an https:// address without a fragment",
		    name);
	*out = url;
	return E_OK;
}

static bool
meta_offers(const struct json *list, const char *word)
{
	for (size_t i = 0; json_kind(list) == J_ARR && i < json_len(list); i++)
		if (json_kind(json_at(list, i)) == J_STR &&
		    str_eq(json_str(json_at(list, i)), word))
			return true;
	return false;
}

static enum err
meta_read(struct ctx *c, const struct idp *idp, const struct json *tree, struct idp_meta **out)
{
	const struct json *auth = json_get(tree, "token_endpoint_auth_methods_supported");
	const struct json *iss = json_get(tree, "authorization_response_iss_parameter_supported");
	struct idp_meta *m = mem_new(c->mem, struct idp_meta);

	m->issuer = json_word(tree, "issuer");
	if (!str_eq(m->issuer, idp->issuer))
		return fail(c, E_UNAVAILABLE,
		    "the sign-in provider's issuer isn't exactly the same "
		    "as the configured issuer %s",
		    idp->issuer);
	TRY(meta_endpoint(c, tree, "authorization_endpoint", true, &m->authorization_endpoint));
	TRY(meta_endpoint(c, tree, "token_endpoint", true, &m->token_endpoint));
	TRY(meta_endpoint(c, tree, "jwks_uri", true, &m->jwks_uri));
	TRY(meta_endpoint(c, tree, "userinfo_endpoint", false, &m->userinfo_endpoint));
	m->iss_parameter = iss && json_kind(iss) == J_BOOL && json_true(iss);
	m->secret_in_form = auth && !meta_offers(auth, "client_secret_basic") &&
	    meta_offers(auth, "client_secret_post");
	*out = m;
	return E_OK;
}

enum err
idp_discover(struct ctx *c, const struct idp *idp, struct idp_meta **out)
{
	struct kept *k = kept_of(idp->issuer);
	const char *url, *text;
	const struct json *tree;
	struct json *kept_tree;
	size_t n = strlen(idp->issuer);

	if (k->meta && meta_fresh(c, k->meta_at, IDP_CACHE_S)) {
		TRY(json_parse(c, k->meta, strlen(k->meta), &kept_tree));
		return meta_read(c, idp, kept_tree, out);
	}
	if (!str_http_url(idp->issuer) || !str_starts(idp->issuer, "https://") ||
	    strpbrk(idp->issuer, "?#"))
		return fail(c, E_UNAVAILABLE,
		    "issuer: %s must be an https:// address without a query or fragment",
		    idp->issuer);
	if (meta_fresh(c, k->failed_at, PAUSE_S))
		return fail(c, E_UNAVAILABLE,
		    "the sign-in provider %s can't be reached; try again shortly", idp->issuer);
	n -= idp->issuer[n - 1] == '/';
	k->failed_at = c->now;
	url = mem_printf(c->mem, "%.*s/.well-known/openid-configuration", (int)n, idp->issuer);
	TRY(meta_fetch(c, idp, url, &tree, &text));
	TRY(meta_read(c, idp, tree, out));
	k->failed_at = 0;
	meta_keep(k, &k->meta, &k->meta_at, c, text);
	return E_OK;
}

static enum err
keys_fetch(struct ctx *c, const struct idp *idp, struct kept *k)
{
	struct idp_meta *meta;
	const struct json *tree;
	const char *text;

	TRY(idp_discover(c, idp, &meta));
	TRY(meta_fetch(c, idp, meta->jwks_uri, &tree, &text));
	if (jwks_parse(c, text, strlen(text), &tree))
		return fail(c, E_UNAVAILABLE,
		    "the sign-in provider's keys at %s aren't a JSON Web Key Set of "
		    "at most %d keys",
		    meta->jwks_uri, JWKS_KEYS);
	meta_keep(k, &k->keys, &k->keys_at, c, text);
	return E_OK;
}

enum err
idp_keys(struct ctx *c, const struct idp *idp, bool newer, const struct json **out)
{
	struct kept *k = kept_of(idp->issuer);

	*out = NULL;
	if (newer && meta_fresh(c, k->newer_at, IDP_REFETCH_S))
		return E_OK;
	if (newer)
		k->newer_at = c->now;
	if (newer || !k->keys || !meta_fresh(c, k->keys_at, IDP_CACHE_S))
		TRY(keys_fetch(c, idp, k));
	return jwks_parse(c, k->keys, strlen(k->keys), out);
}
