/* SPDX-License-Identifier: Apache-2.0 */
#include "core/rights.h"

#include "base/str.h"

/* ---- words ---- */

static const char *const role_words[] = { [ROLE_VIEWER] = "viewer",
	[ROLE_EDITOR] = "editor",
	[ROLE_OWNER] = "owner" };
static const char *const member_words[] = { [MEMBER_AGENT] = "agent",
	[MEMBER_MEMBER] = "member",
	[MEMBER_ADMIN] = "admin",
	[MEMBER_OWNER] = "owner" };

/* Returns the index of the word, counted from the end down to 1; 0 if it is missing. */
static int
rank(const char *const *words, int top, const char *word)
{
	while (top && !str_eq(words[top], word))
		top--;
	return top;
}

enum role
role_rank(const char *word)
{
	return rank(role_words, ROLE_OWNER, word);
}

const char *
role_word(enum role role)
{
	return role_words[role];
}

enum member_role
member_rank(const char *word)
{
	return rank(member_words, MEMBER_OWNER, word);
}

int64_t
capability_bits(const char *capability)
{
	return str_eq(capability, "view")    ? GIVEN_VIEW
	    : str_eq(capability, "comment") ? GIVEN_VIEW | GIVEN_COMMENT
	    : str_eq(capability, "create")  ? GIVEN_VIEW | GIVEN_CREATE
	    : str_eq(capability, "edit")    ? GIVEN_VIEW | GIVEN_COMMENT | GIVEN_EDIT
					    : 0;
}

/* ---- roles ---- */

/* A token that is confined to a workspace reaches the things in it; a token confined to "" reaches
 * things in no workspace. */
static bool
is_reached(const struct principal *who, const struct facts *f)
{
	return !who->workspace_id ||
	    str_eq(who->workspace_id, f->workspace_id ? f->workspace_id : "");
}

/* Members have the role that their workspace gives to all; agents among them only read. Admins read
 * everything, and edit artifacts of agents. */
static enum role
role_membership(const struct facts *f)
{
	enum member_role member = member_rank(f->member);
	bool governs = member >= MEMBER_ADMIN;

	if ((member >= MEMBER_MEMBER && str_eq(f->member_access, "editor")) ||
	    (governs && f->by_agent))
		return ROLE_EDITOR;
	return governs || (member && !str_eq(f->member_access, "none")) ? ROLE_VIEWER : ROLE_NONE;
}

/* An agent has the role of its person. */
static enum role
role_of(const struct principal *who, const struct facts *f)
{
	/* A collaborator whom the access policy doesn't name has no role, unless they are a
	 * member. */
	bool let_in = !f->fenced || f->member || f->named;
	enum role invited = let_in ? role_rank(f->collaborator) : ROLE_NONE;
	enum role membership = role_membership(f);

	if (who->grants_only || f->closed || !is_reached(who, f))
		return ROLE_NONE;
	if (who->user_id && str_eq(f->owner_id, who->user_id))
		return ROLE_OWNER;
	return invited > membership ? invited : membership;
}

bool
facts_open(const struct facts *f)
{
	return !str_eq(f->visibility, "private") && f->published && !f->deleted && !f->closed;
}

bool
facts_fence(const struct principal *who, const struct facts *f)
{
	struct facts named = *f;

	named.named = true;
	return who && f->fenced && !f->named && role_of(who, f) < role_of(who, &named);
}

/* ---- grants ---- */

bool
rights_may_be_given(const struct principal *who)
{
	return who && who->outside && (!who->workspace_id || who->grants_only);
}

/* Grants give nothing to members, nothing while the plan doesn't include sharing, and nothing in a
 * workspace that is in the trash. */
static int64_t
given_of(const struct principal *who, const struct facts *f)
{
	if (!rights_may_be_given(who) || !is_reached(who, f))
		return 0;
	return f->in_workspace && !f->member && f->shares ? f->given : 0;
}

struct rights
rights_given(const struct principal *who, const struct facts *f)
{
	struct rights r = { .agent_bound =
				who && f->in_workspace
				    ? agent_bound(who->agent_host, f->agents, f->other_host)
				    : NULL };
	int64_t given = agent_is_barred(r.agent_bound) ? 0 : given_of(who, f);

	r.view = given & GIVEN_VIEW;
	r.comment = given & GIVEN_COMMENT;
	r.create = given & GIVEN_CREATE && !r.agent_bound;
	r.edit = given & GIVEN_EDIT && !r.agent_bound;
	return r;
}

/* ---- roles and grants together ---- */

/* If the workspace bars an agent, the error says so if its person has a role or a grant, or is a
 * member who can read it. Otherwise the agent is a stranger. */
static void
agent_bar(const struct facts *f, struct rights *r)
{
	bool sees = r->role &&
	    (!f->deleted || r->role == ROLE_OWNER || r->member >= MEMBER_ADMIN);

	if (!agent_is_barred(r->agent_bound))
		return;
	r->refused = sees || r->view || (r->open && r->member);
	if (r->refused)
		return;
	r->role = ROLE_NONE;
	r->member = MEMBER_NONE;
}

struct rights
rights_of(const struct principal *who, const struct facts *f)
{
	struct rights r = { .open = facts_open(f), .stopped = f->paused };
	int64_t given;

	if (!who)
		return r;
	r.role = role_of(who, f);
	if (!who->grants_only && is_reached(who, f))
		r.member = member_rank(f->member);
	if (f->in_workspace)
		r.agent_bound = agent_bound(who->agent_host, f->agents, f->other_host);
	given = f->deleted ? 0 : given_of(who, f);
	r.edit = given & GIVEN_EDIT;
	/* Viewers see nothing before the artifact is published. */
	r.view = r.edit || (given & GIVEN_VIEW && f->published);
	r.comment = given & GIVEN_COMMENT && r.view;
	/* A client's token reads only things shared with the client, even if everybody can see
	 * them. */
	if (who->grants_only)
		r.open = r.open && r.view;
	agent_bar(f, &r);
	r.stopped = f->paused && r.role != ROLE_OWNER && r.member < MEMBER_ADMIN;
	return r;
}

/* ---- connected agents ---- */

const char *
agent_bound(const char *host, const char *agents, bool other_host)
{
	if (!host || str_eq(agents, "off"))
		return host ? "off" : NULL;
	return other_host ? "host" : str_eq(agents, "read_only") ? "read_only" : NULL;
}

bool
agent_is_barred(const char *bound)
{
	return bound && !str_eq(bound, "read_only");
}

const char *
agent_words(struct ctx *c, const struct principal *who, const char *bound)
{
	if (!bound)
		return NULL;
	if (str_eq(bound, "off"))
		return "The admins of this workspace have turned agents off, so no connected "
		       "program can work in it; your person can ask them to turn agents on";
	if (str_eq(bound, "read_only"))
		return "The admins of this workspace let agents read and change nothing in it; "
		       "your person can ask them to allow changes";
	return mem_printf(c->mem,
	    "The admins of this workspace let only agents of certain hosts work in it, and %s "
	    "isn't one of them; your person can ask them to add it",
	    who->agent_host);
}

enum err
agent_reads(struct ctx *c, const struct principal *who, const char *bound)
{
	return agent_is_barred(bound) ? fail(c, E_DENIED, "%s", agent_words(c, who, bound)) : E_OK;
}

enum err
agent_changes(struct ctx *c, const struct principal *who, const char *bound)
{
	return bound ? fail(c, E_DENIED, "%s", agent_words(c, who, bound)) : E_OK;
}
