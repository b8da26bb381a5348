/* SPDX-License-Identifier: Apache-2.0
 * Who may do what: core/rights.h, case by case. Each row is a caller and an artifact, and what the caller may do there. "-" is nothing; "refused" is an agent
 * that is told why. t/api/rights.t compares the lists of the API with these functions. */
#include "core/rights.h"
#include "tap.h"

/* A row says anew what its artifact has otherwise than most. */
#pragma GCC diagnostic ignored "-Woverride-init"

/* ---- callers ---- */

#define TOKEN(...) { .user_id = "ann", __VA_ARGS__ }
static const struct principal ann = TOKEN(), cleo = { .user_id = "cleo", .outside = true }, /* cleo was given something somewhere */
	to_team = TOKEN(.workspace_id = "team"), to_other = TOKEN(.workspace_id = "other"), to_none = TOKEN(.workspace_id = ""),
	client = { .user_id = "cleo", .outside = true, .workspace_id = "team", .grants_only = true }, agent = TOKEN(.agent_host = "claude.ai"),
	cleos_agent = { .user_id = "cleo", .outside = true, .agent_host = "claude.ai" };

/* ---- artifacts: of ann, or of ben; a person's own, or of a workspace, whose members view everything ---- */

#define PERSONAL .visibility = "private", .published = true
#define TEAM PERSONAL, .workspace_id = "team", .in_workspace = true, .member_access = "viewer", .agents = "on"
#define OF_ANN .owner_id = "ann"
#define OF_BEN .owner_id = "ben"
#define GIVEN(bits) .given = bits, .shares = true
#define VIEW GIVEN_VIEW
#define COMMENT (GIVEN_VIEW | GIVEN_COMMENT)
#define EDIT (GIVEN_VIEW | GIVEN_COMMENT | GIVEN_EDIT)

static const struct {
	const char *what;
	const struct principal *who; /* NULL: nobody is signed in */
	struct facts facts;
	const char *may; /* role, then openness, then what grants give, then a limit of agents */
} cases[] = {
	/* Owners, editors, viewers. */
	{ "an owner", &ann, { PERSONAL, OF_ANN }, "owner" },
	{ "an owner, in a workspace", &ann, { TEAM, OF_ANN }, "owner" },
	{ "an editor", &ann, { PERSONAL, OF_BEN, .collaborator = "editor" }, "editor" },
	{ "a viewer", &ann, { PERSONAL, OF_BEN, .collaborator = "viewer" }, "viewer" },
	{ "somebody else", &ann, { PERSONAL, OF_BEN }, "-" },
	{ "nobody", NULL, { PERSONAL, OF_BEN }, "-" },

	/* What is open. */
	{ "somebody else, a public one", &ann, { PERSONAL, OF_BEN, .visibility = "public" }, "open" },
	{ "somebody else, an unlisted one", &ann, { PERSONAL, OF_BEN, .visibility = "unlisted" }, "open" },
	{ "nobody, a public one", NULL, { PERSONAL, OF_BEN, .visibility = "public" }, "open" },
	{ "nobody, one with drafts only", NULL, { OF_BEN, .visibility = "public" }, "-" },
	{ "a viewer, a public one", &ann, { PERSONAL, OF_BEN, .visibility = "public", .collaborator = "viewer" }, "viewer open" },

	/* The trash: it isn't open, and keeps its roles; who may look there is for the route's row. */
	{ "nobody, a public one in the trash", NULL, { PERSONAL, OF_BEN, .visibility = "public", .deleted = true }, "-" },
	{ "an owner, in the trash", &ann, { PERSONAL, OF_ANN, .deleted = true }, "owner" },
	{ "an outsider, in the trash", &cleo, { TEAM, OF_BEN, GIVEN(EDIT), .deleted = true }, "-" },

	/* A pause stops everybody but the owner and the workspace's admins. */
	{ "an owner, paused", &ann, { PERSONAL, OF_ANN, .paused = true }, "owner" },
	{ "an editor, paused", &ann, { PERSONAL, OF_BEN, .collaborator = "editor", .paused = true }, "editor stopped" },
	{ "nobody, a public one, paused", NULL, { PERSONAL, OF_BEN, .visibility = "public", .paused = true }, "open stopped" },
	{ "a member, paused", &ann, { TEAM, OF_BEN, .member = "member", .paused = true }, "viewer/member stopped" },
	{ "an admin, paused", &ann, { TEAM, OF_BEN, .member = "admin", .paused = true }, "viewer/admin" },
	{ "an admin's token for another workspace, paused", &to_other, { TEAM, OF_BEN, .member = "admin", .paused = true }, "- stopped" },
	{ "an outsider, paused", &cleo, { TEAM, OF_BEN, GIVEN(EDIT), .paused = true }, "- view comment edit stopped" },

	/* A trashed workspace closes its artifacts, and has no members. */
	{ "an owner, closed", &ann, { PERSONAL, OF_ANN, .workspace_id = "team", .closed = true }, "-" },
	{ "an editor, closed", &ann, { PERSONAL, OF_BEN, .workspace_id = "team", .closed = true, .collaborator = "editor" }, "-" },
	{ "nobody, a public one, closed", NULL, { PERSONAL, OF_BEN, .workspace_id = "team", .closed = true, .visibility = "public" }, "-" },

	/* Members, by what their workspace gives all of them. */
	{ "a member", &ann, { TEAM, OF_BEN, .member = "member" }, "viewer/member" },
	{ "a member, where members edit", &ann, { TEAM, OF_BEN, .member = "member", .member_access = "editor" }, "editor/member" },
	{ "a member, where members see nothing private", &ann, { TEAM, OF_BEN, .member = "member", .member_access = "none" }, "-/member" },
	{ "a member who is an editor", &ann, { TEAM, OF_BEN, .member = "member", .collaborator = "editor" }, "editor/member" },
	{ "a member who is a viewer, where members edit", &ann, { TEAM, OF_BEN, .member = "member", .member_access = "editor", .collaborator = "viewer" }, "editor/member" },
	{ "an admin, where members see nothing private", &ann, { TEAM, OF_BEN, .member = "admin", .member_access = "none" }, "viewer/admin" },
	{ "an admin, of what an agent owns", &ann, { TEAM, OF_BEN, .member = "admin", .by_agent = true }, "editor/admin" },
	{ "a member, of what an agent owns", &ann, { TEAM, OF_BEN, .member = "member", .by_agent = true }, "viewer/member" },
	{ "the workspace's owner", &ann, { TEAM, OF_BEN, .member = "owner" }, "viewer/owner" },

	/* A workspace's agent has a token of its own and no limit: it reads as a member does, and writes only what it owns or is invited to. */
	{ "a workspace's agent", &ann, { TEAM, OF_BEN, .member = "agent" }, "viewer/agent" },
	{ "a workspace's agent, where members edit", &ann, { TEAM, OF_BEN, .member = "agent", .member_access = "editor" }, "viewer/agent" },
	{ "a workspace's agent, of its own", &ann, { TEAM, OF_ANN, .member = "agent", .by_agent = true }, "owner/agent" },
	{ "a workspace's agent, invited", &ann, { TEAM, OF_BEN, .member = "agent", .collaborator = "editor" }, "editor/agent" },
	{ "a workspace's agent, where agents that people connect are off", &ann, { TEAM, OF_BEN, .member = "agent", .agents = "off" }, "viewer/agent" },

	/* Fenced: the access policy of the workspace bounds collaborators from outside. */
	{ "an editor that the policy doesn't name", &ann, { TEAM, OF_BEN, .collaborator = "editor", .fenced = true }, "-" },
	{ "an editor that the policy names", &ann, { TEAM, OF_BEN, .collaborator = "editor", .fenced = true, .named = true }, "editor" },
	{ "a member who is an editor, not named", &ann, { TEAM, OF_BEN, .member = "member", .collaborator = "editor", .fenced = true }, "editor/member" },
	{ "an owner, not named", &ann, { TEAM, OF_ANN, .fenced = true }, "owner" },
	{ "an editor that the policy doesn't name, of a public one", &ann, { TEAM, OF_BEN, .collaborator = "editor", .fenced = true, .visibility = "public" }, "open" },

	/* Tokens that are confined: to a workspace, or ("") to what is in none. */
	{ "confined to the workspace", &to_team, { TEAM, OF_ANN, .member = "member" }, "owner/member" },
	{ "confined to another workspace", &to_other, { TEAM, OF_ANN, .member = "member" }, "-" },
	{ "confined to another workspace, a public one", &to_other, { TEAM, OF_ANN, .member = "member", .visibility = "public" }, "open" },
	{ "confined to the workspace, a personal one", &to_team, { PERSONAL, OF_ANN }, "-" },
	{ "confined to what is in none", &to_none, { PERSONAL, OF_ANN }, "owner" },
	{ "confined to what is in none, a workspace's", &to_none, { TEAM, OF_ANN, .member = "member" }, "-" },

	/* Outsiders and guests, by grants on the artifact and on the folders above it. */
	{ "an outsider, without a grant", &cleo, { TEAM, OF_BEN }, "-" },
	{ "an outsider, to view", &cleo, { TEAM, OF_BEN, GIVEN(VIEW) }, "- view" },
	{ "an outsider, to comment", &cleo, { TEAM, OF_BEN, GIVEN(COMMENT) }, "- view comment" },
	{ "an outsider, to edit", &cleo, { TEAM, OF_BEN, GIVEN(EDIT) }, "- view comment edit" },
	{ "an outsider, to create in the folder", &cleo, { TEAM, OF_BEN, GIVEN(VIEW | GIVEN_CREATE) }, "- view" },
	{ "an outsider, to view one with drafts only", &cleo, { TEAM, OF_BEN, GIVEN(COMMENT), .published = false }, "-" },
	{ "an outsider, to edit one with drafts only", &cleo, { TEAM, OF_BEN, GIVEN(EDIT), .published = false }, "- view comment edit" },
	{ "an outsider, of a plan without sharing", &cleo, { TEAM, OF_BEN, .given = EDIT }, "-" },
	{ "an outsider who is a viewer", &cleo, { TEAM, OF_BEN, GIVEN(EDIT), .collaborator = "viewer" }, "viewer view comment edit" },
	{ "an outsider, of a public one", &cleo, { TEAM, OF_BEN, GIVEN(VIEW), .visibility = "public" }, "open view" },
	{ "a member has nothing by grants", &cleo, { TEAM, OF_BEN, GIVEN(EDIT), .member = "member", .member_access = "none" }, "-/member" },
	{ "an outsider, of what moved out of the workspace", &cleo, { PERSONAL, OF_BEN, GIVEN(EDIT) }, "-" },
	{ "an outsider, of a fenced workspace", &cleo, { TEAM, OF_BEN, GIVEN(VIEW), .fenced = true }, "- view" },

	/* A client's token has grants, and nothing else: no role, and what is open only if it was shared. */
	{ "a client's token", &client, { TEAM, OF_BEN, GIVEN(COMMENT) }, "- view comment" },
	{ "a client's token, without a grant", &client, { TEAM, OF_BEN }, "-" },
	{ "a client's token, of its person's own", &client, { TEAM, .owner_id = "cleo" }, "-" },
	{ "a client's token, of a public one", &client, { TEAM, OF_BEN, .visibility = "public" }, "-" },
	{ "a client's token, of a public one that was shared", &client, { TEAM, OF_BEN, .visibility = "public", GIVEN(VIEW) }, "open view" },
	{ "a client's token, of another workspace's", &client, { TEAM, OF_BEN, GIVEN(EDIT), .workspace_id = "other" }, "-" },

	/* Agents that people connect have their person's rights, as far as the workspace lets them. */
	{ "an agent", &agent, { TEAM, OF_BEN, .member = "member" }, "viewer/member" },
	{ "an agent, of its person's own", &agent, { PERSONAL, OF_ANN }, "owner" },
	{ "an agent that may read", &agent, { TEAM, OF_ANN, .member = "member", .agents = "read_only" }, "owner/member read_only" },
	{ "an agent, off", &agent, { TEAM, OF_ANN, .member = "member", .agents = "off" }, "owner/member off refused" },
	{ "an agent of another host", &agent, { TEAM, OF_ANN, .member = "member", .other_host = true }, "owner/member host refused" },
	{ "an agent of another host, where agents read", &agent, { TEAM, OF_ANN, .agents = "read_only", .other_host = true }, "owner host refused" },
	{ "an agent, off, whose person has no role", &agent, { TEAM, OF_BEN, .agents = "off" }, "- off" },
	{ "an agent, off, of a public one", &agent, { TEAM, OF_BEN, .agents = "off", .visibility = "public" }, "open off" },
	{ "a member's agent, off, of a public one", &agent, { TEAM, OF_BEN, .agents = "off", .visibility = "public", .member = "member", .member_access = "none" }, "-/member open off refused" },
	{ "a member's agent, off, of what they don't see", &agent, { TEAM, OF_BEN, .agents = "off", .member = "member", .member_access = "none" }, "- off" },
	{ "an editor's agent, off, in the trash", &agent, { TEAM, OF_BEN, .agents = "off", .collaborator = "editor", .deleted = true }, "- off" },
	{ "an outsider's agent", &cleos_agent, { TEAM, OF_BEN, GIVEN(EDIT) }, "- view comment edit" },
	{ "an outsider's agent that may read", &cleos_agent, { TEAM, OF_BEN, GIVEN(EDIT), .agents = "read_only" }, "- view comment edit read_only" },
	{ "an outsider's agent, off", &cleos_agent, { TEAM, OF_BEN, GIVEN(VIEW), .agents = "off" }, "- view off refused" },
};

/* Of a folder or a file: what grants give. */
static const struct {
	const char *what;
	const struct principal *who;
	struct facts facts;
	const char *may;
} things[] = {
	{ "nobody, a folder", NULL, { TEAM, GIVEN(EDIT) }, "-" },
	{ "an outsider, a folder to create in", &cleo, { TEAM, GIVEN(VIEW | GIVEN_CREATE) }, "- view create" },
	{ "an outsider, a folder to edit", &cleo, { TEAM, GIVEN(EDIT) }, "- view comment edit" },
	{ "an outsider who is not known to have grants", &ann, { TEAM, GIVEN(EDIT) }, "-" },
	{ "a member, a folder", &cleo, { TEAM, GIVEN(EDIT), .member = "member" }, "-" },
	{ "a client's token, a file", &client, { TEAM, GIVEN(EDIT) }, "- view comment edit" },
	{ "a client's token, another workspace's file", &client, { TEAM, GIVEN(EDIT), .workspace_id = "other" }, "-" },
	{ "an outsider's agent that may read, a folder", &cleos_agent, { TEAM, GIVEN(EDIT | GIVEN_CREATE), .agents = "read_only" }, "- view comment read_only" },
	{ "an outsider's agent, off, a folder", &cleos_agent, { TEAM, GIVEN(EDIT), .agents = "off" }, "- off" },
};

static const char *
words_of(const struct rights *r)
{
	static const char *const members[] = { "", "/agent", "/member", "/admin", "/owner" };
	static char out[200];
	const char *role = role_word(r->role);

	snprintf(out, sizeof out, "%s%s%s%s%s%s%s%s%s%s%s", role ? role : r->open && !r->member ? "" : "-", members[r->member], r->open ? " open" : "",
		r->view ? " view" : "", r->comment ? " comment" : "", r->create ? " create" : "", r->edit ? " edit" : "", r->agent_bound ? " " : "",
		r->agent_bound ? r->agent_bound : "", r->refused ? " refused" : "",
		r->stopped ? " stopped" : "");
	return *out == ' ' ? out + 1 : out;
}

int
main(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct rights r = rights_of(cases[i].who, &cases[i].facts);

		is_str(words_of(&r), cases[i].may, cases[i].what);
	}
	for (size_t i = 0; i < sizeof things / sizeof *things; i++) {
		struct rights r = rights_given(things[i].who, &things[i].facts);

		is_str(words_of(&r), things[i].may, things[i].what);
	}
	return done();
}
