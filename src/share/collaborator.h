/* SPDX-License-Identifier: Apache-2.0
 * The people who have a role on an artifact, besides its owner. An address without an account is
 * stored as pending and gets an e-mail with a link to make one. Source: interface, "Collaborators";
 * share/README.md. */
#ifndef VITRINE_COLLABORATOR_H
#define VITRINE_COLLABORATOR_H
#include "core/artifact.h"

#define COLLABORATOR(F, T) \
	F(T, EMAIL, email) \
	F(T, WORD,  role,   .arg = ROLES) \
	F(T, BOOL,  mailed, .flags = F_OPT, \
		.doc = "Whether an e-mail tells them; " \
		       "only in the reply to adding them, if the role is new to them") \
	F(T, BOOL,  pending, .flags = F_OPT, \
		.doc = "true: the address has no account yet; only in the list") \
	F(T, ID,    user_id, .flags = F_HID)
/* email is the address by which the person got the role, which may not be their account's; NULL for
 * an agent. user_id is NULL for a pending one. */
SHAPE_DECLARE(collaborator, COLLABORATOR);

#define COLLABORATOR_NEW(F, T) \
	F(T, STRS, emails, .flags = F_REQ, .lo = 1, .hi = 100, .item = K_EMAIL, .item_hi = 254) \
	F(T, WORD, role,   .flags = F_REQ, .arg = ROLES, \
		.doc = "owner is refused: an artifact has one owner, " \
		       "whom POST …/transfer-ownership changes", .eg = "\"viewer\"")
SHAPE_DECLARE(collaborator_new, COLLABORATOR_NEW);

#define NEW_OWNER(F, T) \
	F(T, EMAIL, email, .flags = F_REQ, .doc = "Address of a person who has an account")
SHAPE_DECLARE(new_owner, NEW_OWNER);

/* Lists the owner first, then the collaborators by address, pending ones included. */
enum err collaborator_list(struct ctx *c, const struct artifact *a,
    struct list *out);
/* Gives the role to all of the addresses, or to none. `by` may give only roles below their own, and
 * only to people whose role is below their own: otherwise E_DENIED. E_INVALID for the role owner
 * and for the owner's address. Each new collaborator is mailed when there is a mail server and
 * budget. *out lists who has the role now. */
enum err collaborator_add(struct ctx *c, const struct artifact *a, const struct principal *by,
    const struct collaborator_new *in, struct list *out);
/* Gives the role without checking who may give it, which the caller has done. Never lowers a role.
 * Uses only the artifact's id, name and workspace_id. */
enum err collaborator_give(
    struct ctx *c, const struct artifact *a, const char *email, const char *role);
/* Removes the role of the address. Everybody may remove themselves; editors and owners may remove
 * people whose role is below their own: otherwise E_DENIED. E_CONFLICT for the owner; E_NOT_FOUND
 * if the address has no role. */
enum err collaborator_remove(
    struct ctx *c, const struct artifact *a, const struct principal *by, const char *email);
/* Makes the person with that address the owner; E_NOT_FOUND when they have no account, it is
 * disabled, or they are not in the artifact's workspace. The former owner stays as an editor, if
 * they are still in that. */
enum err artifact_transfer(struct ctx *c, const struct artifact *a, const char *email);
/* The new owner of an artifact; the caller has checked that they may have it. */
struct heir {
	const char *id, *given; /* an address other than the account's own, or NULL */
	const char *named;      /* for errors: "email: ann@example.org" */
	bool agent;
};
/* Last in the transaction. */
enum err artifact_give(struct ctx *c, const struct artifact *a, const struct heir *to);
#endif
