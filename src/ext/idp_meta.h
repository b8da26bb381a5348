/* SPDX-License-Identifier: Apache-2.0
 * What a provider publishes, fetched and kept for the process: its configuration (OpenID Connect
 * Discovery 1.0 section 4) and its keys. For idp.c. */
#ifndef VITRINE_IDP_META_H
#define VITRINE_IDP_META_H
#include "base/json.h"
#include "ext/idp.h"

enum { IDP_CACHE_S = 600, IDP_REFETCH_S = 60, IDP_BYTES = 1 << 20, IDP_TIMEOUT_S = 10 };

/* A request to the provider; form and headers as in egress.h. E_UNAVAILABLE when it can't be
 * reached. */
struct egress_res;
enum err idp_send(struct ctx *c, const struct idp *, const char *url, const char *form,
    const char *const *headers, struct egress_res **out);
/* The JSON object in an answer; E_UNAVAILABLE names url when it is none. */
enum err
idp_object(struct ctx *c, const char *url, const struct egress_res *, const struct json **out);
/* The set of keys. newer: fetch it anew; NULL is left when it was fetched less than a minute ago
 * and so can't be newer. */
enum err idp_keys(struct ctx *c, const struct idp *, bool newer, const struct json **out);
/* A member that is a string, else NULL. */
const char *idp_text(const struct json *object, const char *name);
#endif
