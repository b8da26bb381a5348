/* SPDX-License-Identifier: Apache-2.0
 * Delivery links: addresses, /d/<secret>, that show a collection to everybody who has one. A link
 * may have a gate and an end, and can be revoked. It shows the latest versions of those files that
 * its maker may still see. Strangers can't tell a link that is revoked, ended, or empty from one
 * that never existed. Source: interface, "Asset library"; assets/README.md. */
#ifndef VITRINE_LINK_H
#define VITRINE_LINK_H
#include "assets/collection.h"
#include "assets/linkshow.h"

enum {
	LINKS_MOST = 2000, /* of one person in a library, those that are not revoked */
	LINK_DOMAINS = 50,
	LINK_RECIPIENTS = 20,
	LINK_YEARS = 5,
	LINK_PASSWORD_MIN = 6
};

#define LINK_GATES "none|password|domain"
#define DELIVERY_LINK(F, T) \
	F(T, ID,   id,            .arg = "lnk_") \
	F(T, STR,  name,          .doc = "The collection's when the link was made") \
	F(T, ID,   collection_id, .wire = "collectionId", .flags = F_NUL, .arg = "col_", \
		.doc = "null: it has been deleted, and the link revoked") \
	F(T, EMAIL, to,           .flags = F_NUL, .doc = "Whom it was sent to") \
	F(T, STR,  message,       .flags = F_NUL) \
	F(T, WORD, gate,          .arg = LINK_GATES) \
	F(T, STRS, domains) \
	F(T, DATETIME, expires_at, .wire = "expiresAt", .flags = F_NUL) \
	F(T, DATETIME, expiry,    .flags = F_NUL, .doc = "The same") \
	F(T, INT,  view_count,    .wire = "viewCount", \
		.doc = "How often its page was opened, its maker's looks left out") \
	F(T, DATETIME, opened_at, .wire = "openedAt", .flags = F_NUL, .doc = "For the first time") \
	F(T, BOOL, revoked) \
	F(T, DATETIME, created_at, .wire = "createdAt") \
	F(T, OBJ,  created_by,    .wire = "createdBy", .flags = F_NUL, .sub = &asset_person_shape) \
	F(T, URL,  url,           .flags = F_NUL, .doc = "null for all but its maker") \
	F(T, STR,  domain_words,  .flags = F_HID) \
	F(T, STR,  sealed,        .flags = F_HID)
SHAPE_DECLARE(delivery_link, DELIVERY_LINK);

#define LINK_WISH(F, T) \
	F(T, DATETIME, expires_at, .wire = "expiresAt", .flags = F_NUL, \
		.doc = "In the future, at most 5 years from now; Unix seconds are accepted, too. " \
		       "null: never") \
	F(T, WORD, gate,     .arg = LINK_GATES, \
		.doc = "Absent: password or domain if one is given, else none") \
	F(T, STR,  password, .flags = F_SECRET, .lo = LINK_PASSWORD_MIN, .hi = 256) \
	F(T, STRS, domains,  .hi = LINK_DOMAINS, .item_lo = 1, .item_hi = 253, \
		.doc = "Who has a mailbox at one of them is let in; subdomains aren't included") \
	F(T, STR,  message,  .flags = F_LONG, .hi = 2000, \
		.doc = "Shown with the files, and in the e-mail")
SHAPE_DECLARE(link_wish, LINK_WISH);
#define LINK_SEND(F, T) \
	F(T, STRS, to, .flags = F_REQ | F_ONE, .lo = 1, .hi = LINK_RECIPIENTS, .item = K_EMAIL, \
		.doc = "Each gets a link of their own", .eg = "[\"client@example.org\"]") \
	LINK_WISH(F, T)
SHAPE_DECLARE(link_send, LINK_SEND);

#define LINK_MADE(F, T) \
	F(T, URL, url) \
	F(T, OBJ, link, .sub = &delivery_link_shape)
SHAPE_DECLARE(link_made, LINK_MADE);
#define LINKS_SENT(F, T) \
	F(T, URL,  url,   .doc = "Of the first") \
	F(T, LIST, links, .sub = &delivery_link_shape)
SHAPE_DECLARE(links_sent, LINKS_SENT);

/* Lists the caller's links; with `all`, those of others in the library, too. Newest first. */
enum err link_list(struct ctx *c, const struct library *, const struct principal *who, bool all,
    const struct page_query *, struct delivery_link_list *out, const char **next);
/* For each of the n files: counts the links that show it. */
enum err links_of_files(struct ctx *c, const char *const *ids, size_t n, int64_t *counts);
enum err link_get(struct ctx *c, const struct library *, const struct principal *who, bool all,
    const char *id, bool lock, struct delivery_link **out);
/* hash: of the password in the wish, by passhash_new(), or NULL. E_NOT_FOUND, E_LIMIT_REACHED;
 * E_INVALID if fields contradict each other. */
enum err link_make(struct ctx *c, const struct library *, const struct principal *who,
    const char *collection_id, const struct link_wish *, const char *hash,
    struct delivery_link **out);
/* Makes and mails a link for each address. E_UNAVAILABLE without a mail server, E_RATE_LIMITED. */
enum err links_send(struct ctx *c, const struct library *, const struct principal *who,
    const char *collection_id, const struct link_send *, const char *hash,
    struct delivery_link_list *out);
/* Changes the fields that are given. People who passed another gate must pass the new one. */
enum err link_change(struct ctx *c, const struct library *, const struct principal *who,
    const char *id, const struct link_wish *, const char *hash);
/* Revokes a link; a revoked one stays as it is. */
enum err link_revoke(struct ctx *c, const struct library *, const struct principal *who, bool all,
    const char *id);
#endif
