/* SPDX-License-Identifier: Apache-2.0
 * Who works on an artifact beside its owner. An address without an account is kept as pending;
 * nothing that is answered tells the two apart. Source: interface, "Collaborators"; decisions,
 * "People and access". */
#ifndef VITRINE_COLLABORATOR_H
#define VITRINE_COLLABORATOR_H
#include "domain/artifact.h"

#define COLLABORATOR(F, T) \
	F(T, EMAIL, email, .flags = F_NUL, .doc = "null for an agent") \
	F(T, WORD,  role,  .arg = ROLES)
SHAPE_DECLARE(collaborator, COLLABORATOR);

#define COLLABORATOR_NEW(F, T) \
	F(T, STRS, emails, .flags = F_REQ, .lo = 1, .hi = 100, .item = K_EMAIL, .item_hi = 254) \
	F(T, WORD, role,   .flags = F_REQ, .arg = ROLES)
SHAPE_DECLARE(collaborator_new, COLLABORATOR_NEW);

#define NEW_OWNER(F, T) F(T, EMAIL, email, .flags = F_REQ, .doc = "Of somebody with an account")
SHAPE_DECLARE(new_owner, NEW_OWNER);

enum err collaborator_list(struct ctx *c, const struct artifact *a,
    struct list *out); /* the owner first, pending ones included */
/* Gives all of them the role, or none. Callers give roles below their own and change nobody's at or
 * above it: E_DENIED. E_INVALID for the owner's role or address. Each is told by e-mail where there
 * is a mail server and budget. */
enum err collaborator_add(struct ctx *c, const struct artifact *a, const struct principal *by,
    const struct collaborator_new *in, struct list *out);
/* The role without the questions: for one who may decide. Never takes a higher role away. */
enum err
collaborator_give(struct ctx *c, const char *artifact_id, const char *email, const char *role);
/* E_CONFLICT for the owner; E_DENIED for roles not below the caller's, unless it is their own;
 * E_NOT_FOUND. */
enum err collaborator_remove(
    struct ctx *c, const struct artifact *a, const struct principal *by, const char *email);
/* To somebody with an account: E_NOT_FOUND. The former owner stays as an editor. */
enum err artifact_transfer(struct ctx *c, const struct artifact *a, const char *email);
#endif
