/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/audit.h"

#include "base/id.h"
#include "base/str.h"

enum { AUDIT_COLUMNS = 14 };

enum err
audit_add_many(struct ctx *c, const char *workspace_id, const struct principal *who,
    const struct audit *all, size_t n)
{
	const char *name = !who ? "the service" : *who->name ? who->name : who->email;
	struct arg *v = mem_array(c->mem, struct arg, AUDIT_COLUMNS * n + 1);

	for (size_t i = 0; i < n; i++) {
		const struct audit *a = &all[i];
		const struct args row = ARGS(id_new(c->mem, "aud_"), workspace_id, c->now,
		    who ? who->user_id : NULL, name ? name : "", who ? who->token_id : NULL,
		    c->address, c->request_id, a->action, a->type, a->id, a->name, a->before,
		    a->after);

		memcpy(&v[AUDIT_COLUMNS * i], row.v, AUDIT_COLUMNS * sizeof *v);
	}
	return db_exec_many(c,
	    EXEC(
		"INSERT INTO audit (id, workspace_id, at, actor_id, actor_name, token_id, address, request_id, action, target_type, target_id, target_name, before_it, after_it)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    v, AUDIT_COLUMNS, n);
}

enum err
audit_add(struct ctx *c, const char *workspace_id, const struct principal *who,
    const struct audit *a)
{
	return audit_add_many(c, workspace_id, who, a, 1);
}

enum err
audit_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM audit WHERE at <= ? LIMIT ?"),
	    ARGS(c->now - AUDIT_DAYS * 86400, limit), removed);
}
