/* SPDX-License-Identifier: Apache-2.0
 * Tokens of a workspace's agents. Each agent is a user of kind agent without an address, and a
 * member of this workspace only. It reads as a member does, and changes what it owns. Its token has
 * scopes, and can be replaced or ended; what the agent has published stays. Source: interface,
 * "Agent tokens"; team/README.md. */
#ifndef VITRINE_AGENTTOKEN_H
#define VITRINE_AGENTTOKEN_H
#include "core/artifact.h"
#include "core/token.h"
#include "core/user.h"
#include "core/workspace.h"

#define AGENT_TOKEN(F, T) \
	F(T, ID,   id,           .arg = "tok_") \
	F(T, ID,   principal_id, .arg = "usr_", \
		.doc = "The agent, which owns the artifacts it publishes") \
	F(T, STR,  name) \
	F(T, STRS, scopes) \
	F(T, WORD, opens_to,     .flags = F_NUL, .arg = VISIBILITIES, \
		.doc = "Its ceiling: up to which visibility it can open artifacts; null: none") \
	TOKEN_MADE_FOR(F, T)
SHAPE_DECLARE(agent_token, AGENT_TOKEN);

#define AGENT_TOKEN_NEW(F, T) \
	F(T, STR,  name,       .flags = F_REQ, .lo = 1, .hi = 100, .eg = "\"Nightly build\"") \
	F(T, STRS, scopes,     .flags = F_REQ, .lo = 1, .hi = 4, .item = K_WORD, \
		.arg = SCOPE_WORDS, .eg = "[\"artifacts:publish\"]") \
	F(T, WORD, opens_to,   .flags = F_NUL, .arg = VISIBILITIES, \
		.doc = "A ceiling: up to which visibility it can open artifacts. " \
		       "If absent, there is none") \
	F(T, TIME, expires_at, .flags = F_NUL, \
		.doc = "At most five years from now; if absent, the token doesn't expire")
SHAPE_DECLARE(agent_token_new, AGENT_TOKEN_NEW);

/* Lists all of a workspace, the newest first, ended ones too. */
enum err agent_token_list(struct ctx *c, const struct workspace *, const struct page_query *,
    struct agent_token_list *out, const char **next);
/* E_NOT_FOUND. */
enum err agent_token_get(
    struct ctx *c, const struct workspace *, const char *id, struct agent_token **out);
/* *token is the only copy of the secret. E_LIMIT_REACHED past what the plan allows. */
enum err agent_token_add(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct agent_token_new *, const char **id, const char **token);
/* Gives the agent a new token; the old one ends at once. E_CONFLICT if it has ended. */
enum err agent_token_rotate(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *id, const char **token);
/* Ends the agent at once; E_OK if it has ended. */
enum err agent_token_revoke(
    struct ctx *c, const struct workspace *, const struct principal *who, const char *id);
#endif
