/* SPDX-License-Identifier: Apache-2.0
 * Rights as values: what somebody may do with an artifact, or with a folder or file of a workspace.
 * A statement loads facts, in one round trip; the functions here turn facts into rights. They read
 * nothing, so t/unit/rights.c specifies them case by case. Pages, the API, jobs, and agents call
 * the same functions; lists use the fragments of core/role.h, which t/api/rights.t compares with
 * these functions. Source: core/README.md. */
#ifndef VITRINE_RIGHTS_H
#define VITRINE_RIGHTS_H
#include "base/principal.h"

/* ---- words ---- */

#define ROLES "owner|editor|viewer"
enum role { ROLE_NONE, ROLE_VIEWER, ROLE_EDITOR, ROLE_OWNER };
enum role role_rank(const char *word); /* ROLE_NONE for NULL */
const char *role_word(enum role);      /* NULL for ROLE_NONE */

/* Roles in a workspace. An agent reads as a member does, and uses no seat. There is one owner. */
#define MEMBER_ROLES "agent|member|admin|owner"
#define MEMBER_ROLES_GIVEN "member|admin"
enum member_role { MEMBER_NONE, MEMBER_AGENT, MEMBER_MEMBER, MEMBER_ADMIN, MEMBER_OWNER };
enum member_role member_rank(const char *word); /* MEMBER_NONE for NULL */

/* Capabilities that a grant gives, as bits: those of several grants add up. */
#define CAPABILITIES "view|comment|create|edit"
enum { GIVEN_VIEW = 1, GIVEN_COMMENT = 2, GIVEN_CREATE = 4, GIVEN_EDIT = 8 };
int64_t capability_bits(const char *capability); /* "edit": view, comment, edit. 0 for NULL */

/* ---- facts ---- */

struct facts {
	/* The artifact. */
	const char *owner_id;
	const char *workspace_id; /* NULL: it is in none */
	const char *visibility;
	bool published;           /* it has a live version */
	bool paused;
	bool deleted;             /* it is in the trash */
	bool closed;              /* its workspace is in the trash */
	bool by_agent;            /* its owner is an agent of the workspace */
	/* The workspace; all zero if it has none, or it is in the trash. */
	bool in_workspace;
	const char *member_access; /* "none", "viewer", "editor": the members' role there */
	const char *agents;        /* connected agents: "on", "read_only", "off" */
	bool other_host;           /* they are limited to hosts, and the caller's isn't listed */
	bool fenced;               /* it has an access policy */
	bool shares;               /* its plan includes sharing with people outside */
	/* The caller. */
	const char *member;        /* their role in the workspace */
	const char *collaborator;  /* their role as a collaborator of the artifact */
	bool named;                /* the access policy allows their address */
	int64_t given;             /* bits of the grants on it and on the folders above it */
};

/* ---- rights ---- */

struct rights {
	enum role role;
	enum member_role member; /* in its workspace, as far as the caller's token reaches */
	bool open;               /* everybody may read it; for a client's token, if it may */
	/* The rights that grants give, in addition to the role. */
	bool view, comment, create, edit;
	/* The workspace's limit for connected agents, if the caller is one: NULL (no limit),
	 * "read_only", "off", "host". */
	const char *agent_bound;
	bool stopped; /* a pause closes it to the caller, who is neither its owner nor an admin */
	bool refused; /* the agent may not read it, though its person may: the error says why */
};

/* Rights of `who`; NULL: nobody is signed in. */
struct rights rights_of(const struct principal *who, const struct facts *);
/* rights_of() for a folder or a file, which have no owner and no collaborators: only grants count.
 * `role` and `open` are ROLE_NONE and false. */
struct rights rights_given(const struct principal *who, const struct facts *);
/* True if everybody can see it: published, not private, not in the trash. A pause doesn't change
 * that; visitors see a notice. */
bool facts_open(const struct facts *);
/* True if the role depends on facts.named, which takes one more statement to read. */
bool facts_fence(const struct principal *who, const struct facts *);

/* False if the caller certainly has no grants, so that statements need not look for any. */
bool rights_may_be_given(const struct principal *who);

/* ---- connected agents ---- */

/* The limit for an agent from this host in a workspace with these two settings; host NULL: no
 * agent. */
const char *agent_bound(const char *host, const char *agents, bool other_host);
bool agent_is_barred(const char *bound); /* it may not even read */
/* Returns the reason in words for the agent's person; NULL for NULL. */
const char *agent_words(struct ctx *, const struct principal *who, const char *bound);
/* E_DENIED if it may not read, or may not change anything. */
enum err agent_reads(struct ctx *, const struct principal *who, const char *bound);
enum err agent_changes(struct ctx *, const struct principal *who, const char *bound);
#endif
