/* SPDX-License-Identifier: Apache-2.0
 * A client's people. They take no seat, and only the client's list shows them. A person without an
 * account is a guest (core/guest.h). The end of a membership ends the tokens made for it; the end
 * of the last one in a workspace also ends the person's own grants there. Nobody is both outside
 * and inside: a person who becomes a member of the workspace leaves its clients. Source: interface,
 * "External sharing"; sharing/README.md. */
#ifndef VITRINE_SHAREE_MEMBER_H
#define VITRINE_SHAREE_MEMBER_H
#include "sharing/sharee.h"

enum { SHAREE_MEMBERS = 1000 /* of a client */ };

#define SHAREE_MEMBER(F, T) \
	F(T, ID,    id,         .arg = "usr_") \
	F(T, EMAIL, email,      .doc = "The address that was invited") \
	F(T, STR,   name,       .flags = F_NUL, .doc = "null: they haven't said it") \
	F(T, WORD,  status,     .arg = "invited|active", \
		.doc = "invited: nobody with this address has signed in yet") \
	F(T, TIME,  created_at, .doc = "When they were invited") \
	F(T, TIME,  disabled_at, .flags = F_HID | F_NUL) \
	F(T, TIME,  seen_at,     .flags = F_HID, .doc = "When they last did something; for pages")
SHAPE_DECLARE(sharee_member, SHAREE_MEMBER);

#define SHAREE_MEMBER_NEW(F, T) \
	F(T, EMAIL, email, .flags = F_REQ, .eg = "\"priya@example.org\"")
SHAPE_DECLARE(sharee_member_new, SHAREE_MEMBER_NEW);

/* The oldest accounts first. */
enum err sharee_member_list(struct ctx *c, const struct sharee *, const struct page_query *,
    struct sharee_member_list *out, const char **next);
/* E_NOT_FOUND. */
enum err sharee_member_get(struct ctx *c, const struct sharee *, const char *user_id,
    struct sharee_member **out);
/* *made is false when they are in it already. E_INTERNAL_MEMBER for a member of the workspace,
 * E_LIMIT_REACHED past SHAREE_MEMBERS. They are mailed, unless they have been before and have
 * signed in. */
enum err sharee_member_add(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct sharee *, const char *email, struct sharee_member **out, bool *made);
enum err sharee_member_remove(struct ctx *c, const struct workspace *,
    const struct principal *who, const struct sharee *, const char *user_id);

/* Ends the membership of one person, or (NULL) of all, with all that depends on it. */
enum err sharee_members_end(struct ctx *c, const char *sharee_id, const char *user_id);
#endif
