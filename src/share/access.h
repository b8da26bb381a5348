/* SPDX-License-Identifier: Apache-2.0
 * Requests for access to a private artifact, which its owner or an admin of its workspace grants or
 * denies. The asker gets the same answer whether the artifact exists or not. Source: interface,
 * "Access requests". */
#ifndef VITRINE_ACCESS_H
#define VITRINE_ACCESS_H
#include "core/artifact.h"

#define ACCESS_NEW(F, T) \
	F(T, URL,   url, \
		.doc = "The page's address. Specify exactly one of url, artifact_id, and slug") \
	F(T, ID,    artifact_id, .arg = "art_") \
	F(T, SLUG,  slug,        .eg = "\"my-site\"") \
	F(T, EMAIL, email,       .eg = "\"ann@example.org\"", \
		.doc = "The requester's address. Required if you aren't signed in; " \
		       "otherwise your account's address is used") \
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
	F(T, SLUG,  slug,          .flags = F_HID) \
	F(T, ID,    workspace_id,  .flags = F_HID, .arg = "wsp_") \
	F(T, STR,   workspace_name, .flags = F_HID)
SHAPE_DECLARE(access_request, ACCESS_REQUEST);

#define ACCESS_DECISION(F, T) \
	F(T, WORD, action, .flags = F_REQ, .arg = "approve|deny") \
	F(T, WORD, role,   .arg = "viewer|editor", .doc = "Defaults to viewer")
SHAPE_DECLARE(access_decision, ACCESS_DECISION);

/* Finds the slug when url is the address of a page on a content host or an active domain; else
 * *slug is NULL. *label is the host's label, which has a version's "--v3" after the slug, or the
 * domain; *rest is what follows the host, at least "/". */
enum err
access_slug_of_url(struct ctx *c, const char *url, const char **label, const char **rest,
    const char **slug);
/* Asks for access to the artifact that url, artifact_id or slug names. E_INVALID unless exactly one
 * of them is given and the asker's address is known, E_CONFLICT for an agent, which has no address.
 * Otherwise E_OK after one statement, whether the artifact exists or not; the runner continues with
 * access_receive(). `who` may be NULL. */
enum err access_ask(struct ctx *c, const struct access_new *, const struct principal *who);
/* Handles a request that access_ask() queued, in the caller’s transaction. Stores it, and mails the
 * owner (for an agent’s artifact the admins of its workspace), only if the artifact isn’t open to
 * everybody and the asker has no role on it and no request that is pending or was recently denied.
 */
enum err access_receive(struct ctx *c, const char *payload);
/* Lists the pending requests that `who` can decide, newest first. *next is NULL on the last
 * page. */
enum err access_list(struct ctx *c, const struct principal *who, const struct page_query *,
    struct list *out, const char **next);
/* Which artifact a request is for: "" when there is no such request. */
enum err access_artifact(struct ctx *c, const char *id, const char **artifact_id);
/* Approves or denies a request. E_NOT_FOUND unless `by` owns the artifact or is an admin of its
 * workspace; E_CONFLICT if it was decided already; E_DENIED for an approval of a person whom the
 * workspace’s access policy doesn’t admit. */
enum err access_decide(struct ctx *c, const char *id, const struct access_decision *,
    const struct principal *by, struct access_request **out);
#endif
