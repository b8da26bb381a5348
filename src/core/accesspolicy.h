/* SPDX-License-Identifier: Apache-2.0
 * The access policy of a workspace: the e-mail domains and addresses that it admits. An empty
 * policy admits everybody who is invited, and nobody joins without an invite. With any other
 * policy, only people whom it names can be invited, added, or made collaborators of the workspace's
 * artifacts, and they may join without an invite. A collaborator whom it doesn't name can't see the
 * private artifacts (core/rights.h). Members are exempt. Every request checks it. Source:
 * core/README.md. */
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
/* Sets *out to the domain in its stored form. E_INVALID, whose message begins with `at`, for text
 * that is no domain, or for a domain where anybody gets an address. */
enum err mail_domain_check(struct ctx *c, const char *at, const char *domain, const char **out);
/* Replaces the whole policy. E_INVALID names an entry that is no domain, or a domain where anybody
 * gets an address. */
enum err access_policy_set(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct access_policy *);
/* True if the policy lets a person with this address join (a member: stay), or if there is no
 * policy. */
enum err access_policy_allows(
    struct ctx *c, const char *workspace_id, const char *email, bool *yes);
/* access_policy_allows() for a person who isn’t a member, by a policy that access_policy_get()
 * read, for callers that ask about many. */
bool access_policy_names(struct ctx *c, const struct access_policy *, const char *email);
/* True if the policy lists the user's address; false without a policy. */
enum err access_policy_names_user(
    struct ctx *c, const char *workspace_id, const char *user_id, bool *yes);
/* True if the caller may join without an invite. False without a policy, and for a token that is
 * confined to another workspace or to grants. */
enum err access_policy_joins(
    struct ctx *c, const char *workspace_id, const struct principal *who, bool *yes);
#endif
