/* SPDX-License-Identifier: Apache-2.0
 * Fetches a provider's configuration (OpenID Connect Discovery 1.0 section 4) and keys, and caches
 * both in the process. Only for idp.c. */
#ifndef VITRINE_IDP_META_H
#define VITRINE_IDP_META_H
#include "base/json.h"
#include "ext/idp.h"

enum { IDP_CACHE_S = 600, IDP_REFETCH_S = 60, IDP_BYTES = 1 << 20, IDP_TIMEOUT_S = 10 };

/* Sends one request to the provider; form and headers as in egress.h. E_UNAVAILABLE if it can't be
 * reached. */
struct egress_res;
enum err idp_send(struct ctx *c, const struct idp *, const char *url, const char *form,
    const char *const *headers, struct egress_res **out);
/* *out is the JSON object in the answer. E_UNAVAILABLE, naming url, if the status isn't 200 or the
 * body isn't an object. */
enum err
idp_object(struct ctx *c, const char *url, const struct egress_res *, const struct json **out);
/* *out is the provider's key set, from the cache unless newer asks to fetch it again. If that was
 * done less than a minute ago, *out is NULL. */
enum err idp_keys(struct ctx *c, const struct idp *, bool newer, const struct json **out);
#endif
