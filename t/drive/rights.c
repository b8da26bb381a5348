/* SPDX-License-Identifier: Apache-2.0
 * Compares what lists say of artifacts (core/role.h) with rights_of(): rights CONF USER WORKSPACE HOST. Reads every artifact as USER in a browser, with tokens
 * that are confined to WORKSPACE or to what is in none, with one that has grants only, and as a connected agent of HOST. Prints each difference, and the counts. */
#include "base/conf.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/role.h"

#define COMPARED(F, T) \
	F(T, STR, id) \
	F(T, STR, owner_id) \
	F(T, STR, workspace_id) \
	F(T, STR, visibility) \
	F(T, BOOL, published) \
	F(T, BOOL, deleted) \
	F(T, BOOL, closed) \
	F(T, BOOL, by_agent) \
	F(T, BOOL, in_workspace) \
	F(T, STR, member_access) \
	F(T, STR, agents) \
	F(T, BOOL, other_host) \
	F(T, BOOL, fenced) \
	F(T, STR, member) \
	F(T, STR, collaborator) \
	F(T, BOOL, named) \
	F(T, STR, role) \
	F(T, STR, workspace_role) \
	F(T, BOOL, is_open)
SHAPE_DECLARE(judged_row, COMPARED);
SHAPE_DEFINE(judged_row, COMPARED);

static const char *
member_word(enum member_role role)
{
	static const char *const words[] = { NULL, "agent", "member", "admin", "owner" };

	return words[role];
}

/* A list leaves out what an agent is barred from, whether or not it hears why. */
static bool
agrees(const char *as, const struct principal *who, const struct judged_row *row)
{
	const struct facts f = { .owner_id = row->owner_id,
		.workspace_id = row->workspace_id,
		.visibility = row->visibility,
		.published = row->published,
		.deleted = row->deleted,
		.closed = row->closed,
		.by_agent = row->by_agent,
		.in_workspace = row->in_workspace,
		.member_access = row->member_access,
		.agents = row->agents,
		.other_host = row->other_host,
		.fenced = row->fenced,
		.member = row->member,
		.collaborator = row->collaborator,
		.named = row->named };
	struct rights r = rights_of(who, &f);
	bool same;

	if (agent_is_barred(r.agent_bound))
		r.role = ROLE_NONE, r.member = MEMBER_NONE;
	same = str_eq(row->role, role_word(r.role)) &&
	    str_eq(row->workspace_role, member_word(r.member)) && row->is_open == facts_open(&f);
	if (!same)
		printf("%s as %s: %s, %s, %d in the list; %s, %s, %d by rights_of()\n", row->id, as,
		    row->role, row->workspace_role, row->is_open, role_word(r.role),
		    member_word(r.member), facts_open(&f));
	return same;
}

/* Each artifact that a GET finds has the rights that the list says, and no other is found. */
static bool
found_agrees(struct ctx *c, const char *as, const struct principal *who, const struct judged_row *row)
{
	struct artifact *a;
	enum err e = artifact_get(c, row->id, who, false, &a);
	bool sees = row->role || (row->is_open && !who->grants_only), same;

	if (e == E_DENIED && who->agent_host)
		return true;
	same = e ? !sees : str_eq(a->role, row->role) && (a->is_open || a->role) == sees;
	if (!same)
		printf("%s as %s: a GET finds %s\n", row->id, as, e ? err_table[e].code : a->role);
	return same;
}

static enum err
compare(struct ctx *c, const char *as, const struct principal *who)
{
	struct judged_row_list all;
	size_t differ = 0, roles = 0;

	TRY(db_all(c,
	    ROWS(judged_row,
		"SELECT a.id, a.owner_id, a.workspace_id, a.visibility, a.live_no IS NOT NULL AS published,"
		" a.deleted_at IS NOT NULL AS deleted, a.closed, a.by_agent, wk.id IS NOT NULL AS in_workspace,"
		" wk.member_access, wk.agents, FIND_IN_SET(s.agent_host, wk.agent_hosts) = 0 AS other_host, wk.fenced,"
		" wm.role AS member, co.role AS collaborator, EXISTS (SELECT 1 FROM user u JOIN workspace_allowed x"
		" ON x.workspace_id = wk.id AND x.value IN (u.email, SUBSTRING_INDEX(u.email, '@', -1))"
		" WHERE u.id = s.user_id) AS named, " ROLE_COLUMN " AS role, " WORKSPACE_ROLE_COLUMN
		" AS workspace_role, " ARTIFACT_IS_OPEN " AS is_open FROM " SUBJECT_TABLE
		" STRAIGHT_JOIN artifact a" ROLE_TABLES("s.user_id")),
	    ARGS(SUBJECT(who)), &all));
	for (size_t i = 0; i < all.n; i++) {
		differ += !agrees(as, who, &all.v[i]);
		roles += all.v[i].role != NULL;
		if (i % 3 == 0)
			differ += !found_agrees(c, as, who, &all.v[i]);
	}
	printf("%s: %zu artifacts, %s roles, %zu differ\n", as, all.n, roles ? "some" : "no", differ);
	return E_OK;
}

static enum err
compare_all(struct ctx *c, const char *user, const char *workspace, const char *host)
{
	TRY(compare(c, "a person", &(struct principal){ .user_id = user }));
	TRY(compare(c, "confined", &(struct principal){ .user_id = user, .workspace_id = workspace }));
	TRY(compare(c, "confined to none", &(struct principal){ .user_id = user, .workspace_id = "" }));
	TRY(compare(c, "grants only",
	    &(struct principal){ .user_id = user, .workspace_id = workspace, .grants_only = true }));
	return compare(c, "an agent", &(struct principal){ .user_id = user, .agent_host = host });
}

int
main(int argc, char **argv)
{
	void *mem = mem_root("rights");
	const char *why = "usage: rights CONF USER WORKSPACE HOST";
	const struct conf *conf = argc == 5 ? conf_load(mem, argv[1], &why) : NULL;
	struct ctx *c;
	enum err e;

	if (!conf) {
		fprintf(stderr, "%s\n", why);
		return 64;
	}
	c = ctx_begin(conf, db_new(mem, conf, DB_REQUEST_S));
	e = compare_all(c, argv[2], argv[3], argv[4]);
	if (e)
		printf("%s %s %s\n", err_table[e].code, c->details ? c->details : "-", ctx_why(c));
	ctx_end(c);
	mem_free(mem);
	return e != E_OK;
}
