/* SPDX-License-Identifier: Apache-2.0 */
#include "core/outside.h"

#include "base/crypto.h"
#include "base/id.h"

#include <string.h>

enum { SLICE_S = 600, PLACES = 4096 };

enum err
outside_did(struct ctx *c, const struct principal *who, const char *workspace_id,
    const char *action, const char *type, const char *id, const char *name)
{
	return db_exec(c,
	    EXEC("INSERT IGNORE INTO sharee_act (id, workspace_id, user_id, action,"
		 " resource_type, resource_id, resource_name, at, slice)"
		 " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(id_new(c->mem, "sac_"), workspace_id, who->user_id, action, type, id, name, c->now,
		c->now / SLICE_S),
	    NULL);
}

/* What is read again and again is asked of the database once: what this process has kept lately,
 * each in its place until another takes it. */
enum err
outside_has_read(struct ctx *c, const struct outside_read *seen)
{
	static uint64_t kept[PLACES];
	const char *what = mem_printf(c->mem, "%s %s %s %lld", seen->user_id, seen->action,
	    seen->id, (long long)c->now / SLICE_S);
	uint8_t digest[SHA256_BYTES];
	uint64_t key;

	crypto_sha256(what, strlen(what), digest);
	memcpy(&key, digest, sizeof key);
	if (kept[key % PLACES] == key)
		return E_OK;
	TRY(outside_did(c, &(struct principal){ .user_id = seen->user_id }, seen->workspace_id,
	    seen->action, seen->type, seen->id, seen->name));
	kept[key % PLACES] = key;
	return E_OK;
}
