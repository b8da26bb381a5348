/* SPDX-License-Identifier: Apache-2.0
 * Asking for access to a private artifact. Asking is answered alike whatever exists; the owner
 * decides. Source: interface, "Access requests". */
#ifndef VITRINE_ACCESS_H
#define VITRINE_ACCESS_H
#include "domain/artifact.h"

#define ACCESS_NEW(F, T) \
	F(T, URL,   url,         .doc = "Address of the page; or artifact_id, or slug") \
	F(T, ID,    artifact_id, .arg = "art_") \
	F(T, SLUG,  slug) \
	F(T, EMAIL, email,       .doc = "Who asks; taken from the session or token when there is one") \
	F(T, STR,   message,     .flags = F_LONG | F_NUL, .hi = 2000)
SHAPE_DECLARE(access_new, ACCESS_NEW);

#define ACCESS_REQUEST(F, T) \
	F(T, ID,    id,            .arg = "acr_") \
	F(T, ID,    artifact_id,   .arg = "art_") \
	F(T, STR,   artifact_name) \
	F(T, URL,   url) \
	F(T, EMAIL, email) \
	F(T, STR,   message) \
	F(T, WORD,  status,        .arg = "pending|approved|denied") \
	F(T, TIME,  created_at) \
	F(T, TIME,  decided_at,    .flags = F_NUL) \
	F(T, SLUG,  slug,          .flags = F_HID)
SHAPE_DECLARE(access_request, ACCESS_REQUEST);

#define ACCESS_DECISION(F, T) \
	F(T, WORD, action, .flags = F_REQ, .arg = "approve|deny") \
	F(T, WORD, role,   .arg = "viewer|editor", .doc = "viewer when absent")
SHAPE_DECLARE(access_decision, ACCESS_DECISION);

/* The slug in the address of a page of ours, and what follows the host in *rest; NULL when it is
 * none. *label keeps the version's "--v3". */
const char *
access_slug_of_url(struct ctx *c, const char *url, const char **label, const char **rest);
/* E_INVALID unless one of url, artifact_id and slug is given, and an address is known. Otherwise
 * E_OK, whatever is there: the owner gets a mail when it is private, the asker has no role, and has
 * not asked lately. who may be NULL. */
enum err access_ask(struct ctx *c, const struct access_new *, const struct principal *who);
enum err access_list(struct ctx *c, const struct principal *who, const struct page_query *,
    struct list *out, const char **next); /* pending, the newest first */
/* E_NOT_FOUND unless by owns the artifact; E_CONFLICT when it is decided. */
enum err access_decide(struct ctx *c, const char *id, const struct access_decision *,
    const struct principal *by, struct access_request **out);
#endif
