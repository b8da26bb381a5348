/* SPDX-License-Identifier: Apache-2.0 */
#include "core/agentpolicy.h"

#include "base/host.h"
#include "base/str.h"

SHAPE_DEFINE(agent_policy, AGENT_POLICY);
SHAPE_DEFINE(agent_policy_edit, AGENT_POLICY_EDIT);
SHAPE_DEFINE(agent_place, AGENT_PLACE);

enum err
agent_policy_get(struct ctx *c, const char *workspace_id, struct agent_policy **out)
{
	struct agent_policy *p;
	char *rest;

	TRY(db_one(c,
	    ROWS(agent_policy, "SELECT agents, agent_hosts AS hosts FROM workspace WHERE id = ?"),
	    ARGS(workspace_id), out));
	p = *out;
	p->agent_hosts.v = mem_array(c->mem, const char *, AGENT_HOSTS);
	rest = p->hosts ? mem_strdup(c->mem, p->hosts) : NULL;
	while (rest)
		p->agent_hosts.v[p->agent_hosts.n++] = str_split(&rest, ',');
	return E_OK;
}

/* ---- changing ---- */

/* Returns the form in which a grant’s host is compared: "claude.ai", "localhost", with a port, or
 * the "cursor:" of an app; NULL if it is none of these. */
static const char *
host_read(void *mem, const char *typed)
{
	size_t n = strcspn(typed, ":"), digits = typed[n] ? strspn(typed + n + 1, "0123456789") : 0;
	const char *name;

	if (str_eq(typed, "[::1]"))
		return typed;
	name = host_name(mem, mem_strndup(mem, typed, n));
	if (!name || (typed[n] && (typed[n + 1 + digits] || digits > 5)))
		return NULL;
	return mem_printf(mem, "%s%s", name, typed + n);
}

/* Returns the hosts in the form of the row, without duplicates; NULL means any. */
static enum err
hosts_join(struct ctx *c, const struct strs *in, const char **out)
{
	const char **all = mem_array(c->mem, const char *, in->n + 1);
	struct buf joined = BUF(c->mem);

	for (size_t i = 0; i < in->n; i++) {
		size_t same = 0;

		all[i] = host_read(c->mem, in->v[i]);
		if (!all[i])
			return fail(c, E_INVALID,
			    "agent_hosts[%zu]: %s isn't a host; list names such as claude.ai, "
			    "without https://",
			    i, in->v[i]);
		while (!str_eq(all[same], all[i]))
			same++;
		if (same == i)
			buf_fmt(&joined, "%s%s", joined.n ? "," : "", all[i]);
	}
	*out = joined.n ? buf_done(&joined) : NULL;
	return E_OK;
}

enum err
agent_policy_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct agent_policy_edit *in)
{
	bool given = in->has.agent_hosts == GIVEN;
	struct agent_policy *before, *after;
	const char *hosts = NULL;

	TRY(hosts_join(c, &in->agent_hosts, &hosts));
	TRY(agent_policy_get(c, w->id, &before));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE workspace SET agents = COALESCE(?, agents),"
		" agent_hosts = IF(?, ?, agent_hosts), updated_at = ? WHERE id = ?"),
	    ARGS(in->agents, given, hosts, c->now, w->id)));
	TRY(agent_policy_get(c, w->id, &after));
	return audit_workspace(c, w, who, "agent_policy.changed",
	    shape_text(c->mem, &agent_policy_shape, before),
	    shape_text(c->mem, &agent_policy_shape, after));
}

/* ---- where an agent may work ---- */

enum err
agent_places(struct ctx *c, const char *user_id, const char *host, int64_t limit,
    struct agent_place_list *out)
{
	return db_all(c,
	    ROWS(agent_place,
		"SELECT p.id, p.name, p.bound <=> 'off' AS `off`,"
		" p.bound <=> 'host' AS other_hosts, p.bound <=> 'read_only' AS read_only,"
		" p.member_access"
		" FROM (SELECT w.id, w.name, w.member_access, " AGENT_BOUND("w", "?") " AS bound"
		" FROM member m JOIN workspace w ON w.id = m.workspace_id AND w.deleted_at IS NULL"
		" WHERE m.user_id = ? ORDER BY m.workspace_id LIMIT ?) p ORDER BY p.id"),
	    ARGS(host, host, user_id, limit), out);
}

bool
agent_places_split(
    struct ctx *c, const struct agent_place_list *all, struct list *open, struct list *closed)
{
	struct agent_place *in = mem_array(c->mem, struct agent_place, all->n + 1),
			   *out = mem_array(c->mem, struct agent_place, all->n + 1);
	bool guarded = false;

	*open = (struct list){ in, 0 };
	*closed = (struct list){ out, 0 };
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].off || all->v[i].other_hosts) {
			out[closed->n++] = all->v[i];
		} else {
			guarded |= str_eq(all->v[i].member_access, "none");
			in[open->n++] = all->v[i];
		}
	return guarded;
}
