/* SPDX-License-Identifier: Apache-2.0
 * The access policy of a workspace: the e-mail domains and addresses that it admits. An empty
 * policy is no fence, and nobody joins by themselves. Otherwise only whom it names is invited,
 * added, accepted, or made a collaborator of its artifacts, and may join without being asked; other
 * collaborators who are no members don't see its private artifacts meanwhile (core/rights.h).
 * Members are exempt. It is judged at each request. Source: core/README.md. */
#ifndef VITRINE_ACCESSPOLICY_H
#define VITRINE_ACCESSPOLICY_H
#include "core/workspace.h"

enum { ALLOWED_DOMAINS = 100, ALLOWED_EMAILS = 1000 };

#define ACCESS_POLICY(F, T) \
	F(T, STRS, allowed_domains, .hi = ALLOWED_DOMAINS, .item_lo = 1, .item_hi = 253, \
		.doc = "Exact matches only; subdomains aren't included", \
		.eg = "[\"example.org\"]") \
	F(T, STRS, allowed_emails,  .hi = ALLOWED_EMAILS, .item = K_EMAIL, \
		.eg = "[\"ann@example.net\"]")
SHAPE_DECLARE(access_policy, ACCESS_POLICY);

enum err access_policy_get(
    struct ctx *c, const struct workspace *, struct access_policy **out);
/* *out is the domain as it is stored. E_INVALID, which begins with `at`, for what is no domain, or
 * one at which anybody gets an address. */
enum err mail_domain_check(struct ctx *c, const char *at, const char *domain, const char **out);
/* Replaces all of it. E_INVALID names what is no domain, or one at which anybody gets an
 * address. */
enum err access_policy_set(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct access_policy *);
/* Whether somebody of that address may come in (or, a member, is in): true without a policy. */
enum err access_policy_allows(
    struct ctx *c, const char *workspace_id, const char *email, bool *yes);
/* access_policy_allows() for a person who isn’t a member, by a policy that access_policy_get()
 * read, for callers that ask about many. */
bool access_policy_names(struct ctx *c, const struct access_policy *, const char *email);
/* Whether the policy lists the address of that user; false without a policy. */
enum err access_policy_names_user(
    struct ctx *c, const char *workspace_id, const char *user_id, bool *yes);
/* Whether they may join without being asked: false without a policy, and for a token that is
 * confined to another workspace or to grants. */
enum err access_policy_joins(
    struct ctx *c, const char *workspace_id, const struct principal *who, bool *yes);
#endif
