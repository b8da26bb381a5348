/* SPDX-License-Identifier: Apache-2.0
 * A workspace's policy on connected agents, programs that people have connected (oauth/grant.h).
 * They may do all that their person may, read only, or nothing; the policy may also list the hosts
 * that they may be connected from. It binds agents that are confined to the workspace and agents
 * that reach it otherwise. Every request checks it (core/rights.h). It doesn't bind people, their
 * own tokens, or the workspace's agents. Source: oauth/README.md. */
#ifndef VITRINE_AGENTPOLICY_H
#define VITRINE_AGENTPOLICY_H
#include "core/workspace.h"

enum { AGENT_HOSTS = 50, AGENT_HOST_CHARS = 253 };

#define AGENTS_MODES "on|read_only|off"
#define AGENT_POLICY(F, T) \
	F(T, WORD, agents,      .arg = AGENTS_MODES, \
		.doc = "What connected agents can do: what their person can, read only, nothing", \
		.eg = "\"read_only\"") \
	F(T, STRS, agent_hosts, .hi = AGENT_HOSTS, .item_lo = 1, .item_hi = AGENT_HOST_CHARS, \
		.doc = "Hosts that they are connected from, as the consent page shows them; " \
		       "empty: any", \
		.eg = "[\"claude.ai\"]") \
	F(T, STR,  hosts,       .flags = F_HID, .doc = "As the row has them")
SHAPE_DECLARE(agent_policy, AGENT_POLICY);
#define AGENT_POLICY_EDIT(F, T) \
	F(T, WORD, agents,      .arg = AGENTS_MODES, .eg = "\"read_only\"") \
	F(T, STRS, agent_hosts, .hi = AGENT_HOSTS, .item_lo = 1, .item_hi = AGENT_HOST_CHARS, \
		.doc = "Replaces all of them; empty: any", .eg = "[\"claude.ai\"]")
SHAPE_DECLARE(agent_policy_edit, AGENT_POLICY_EDIT);

enum err agent_policy_get(struct ctx *c, const char *workspace_id, struct agent_policy **out);
/* E_INVALID names an entry that is no host. */
enum err agent_policy_change(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct agent_policy_edit *);

/* A workspace, and what a connected agent of some host may do there. */
#define AGENT_PLACE(F, T) \
	F(T, ID,   id, .arg = "wsp_") \
	F(T, STR,  name) \
	F(T, BOOL, off) \
	F(T, BOOL, other_hosts, .doc = "Only agents of others can") \
	F(T, BOOL, read_only) \
	F(T, STR,  member_access, .doc = "What its members may do with what is private there")
SHAPE_DECLARE(agent_place, AGENT_PLACE);
/* Lists the workspaces of a person, oldest first. */
enum err agent_places(struct ctx *c, const char *user_id, const char *host, int64_t limit,
    struct agent_place_list *out);
/* Splits them into those that let the program in and the others. Returns true if in some of the
 * first, members see only their own. */
bool agent_places_split(struct ctx *c, const struct agent_place_list *all, struct list *open,
    struct list *closed);
#endif
