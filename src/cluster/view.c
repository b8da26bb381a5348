/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/view.h"

#include "base/conf.h"
#include "base/str.h"
#include "db/build.h"

#define VIEW_NAMES(F, T) F(T, STR, names, .flags = F_NUL)
SHAPE(view_names, VIEW_NAMES);

/* wsrep_local_state */
enum { DONOR = 2, SYNCED = 4 };

enum err
view_look(struct ctx *c, struct view *out)
{
	struct sql q = SQL(c->mem);
	struct view_names *row;
	int64_t is[4];

	*out = (struct view){ 0 };
	TRY(db_connect(c));
	TRY(db_numbers(c,
	    "SELECT @@wsrep_on, @@read_only,"
	    " (SELECT COUNT(*) FROM information_schema.global_status"
	    " WHERE variable_name = 'WSREP_CLUSTER_STATUS' AND variable_value = 'Primary'),"
	    " (SELECT MAX(variable_value) FROM information_schema.global_status"
	    " WHERE variable_name = 'WSREP_LOCAL_STATE')", is, 4));
	*out = (struct view){ .wsrep = is[0],
		.read_only = is[1],
		.primary = !is[0] || is[2],
		.synced = !is[0] || is[3] == SYNCED,
		.donor = is[0] && is[3] == DONOR };
	if (!out->wsrep || !out->primary)
		return E_OK;
	sql_add(&q,
	    "SELECT CAST(GROUP_CONCAT(node_name SEPARATOR '|') AS CHAR) AS names"
	    " FROM mysql.wsrep_cluster_members", NOARGS);
	TRY(db_one(c, BUILT(view_names, &q), sql_args(&q), &row));
	out->names = row->names ? row->names : "";
	return E_OK;
}

bool
view_has(const struct view *v, const char *node)
{
	return !v->wsrep || (v->names && str_in(node, v->names));
}

enum err
view_close(struct ctx *c, const struct view *v)
{
	static const char readable[] = "SET GLOBAL read_only = 1";
	const char *user = c->conf->db_user, *ended;

	if (!v->wsrep)
		return E_OK;
	TRY(db_run(c, readable, strlen(readable)));
	if (!v->primary)
		return E_OK;
	if (user[strspn(user, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")])
		return fail_here(c, "db_user %s has more than letters and digits", user);
	ended = mem_printf(c->mem, "KILL USER '%s'@localhost", user);
	return db_run(c, ended, strlen(ended));
}

enum err
view_open(struct ctx *c, const struct view *v)
{
	static const char writable[] = "SET GLOBAL read_only = 0";

	return v->wsrep ? db_run(c, writable, strlen(writable)) : E_OK;
}
