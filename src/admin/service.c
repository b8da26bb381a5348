/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/cmd.h"
#include "admin/dump.h"
#include "base/conf.h"
#include "base/str.h"
#include "cluster/node.h"
#include "db/schema.h"
#include "store/object.h"

enum { SCHEMA_CLUSTER = 61 }; /* the first that has the table cluster_active */

static enum err
cmd_status(struct cmd_call *call)
{
	int64_t have, lowest = 0;

	TRY(schema_version(call->c, &have));
	printf("the database has schema %lld; this program needs %d\n", (long long)have,
	    SCHEMA_VERSION);
	if (have) {
		TRY(schema_lowest(call->c, &lowest));
		printf("programs of schema %lld or later can run on it\n", (long long)lowest);
	}
	call->exit = have < SCHEMA_VERSION || lowest > SCHEMA_VERSION;
	return E_OK;
}

/* Sets *here to whether this machine changes rows: elsewhere in a cluster MariaDB is read-only.
 * Fails there if migrations are missing. */
static enum err
active_here(struct ctx *c, bool *here)
{
	struct cluster_active *row;
	int64_t have;

	*here = true;
	if (!cluster_on(c->conf))
		return E_OK;
	TRY(schema_version(c, &have));
	if (have < SCHEMA_CLUSTER)
		return E_OK;
	TRY(active_read(c, &row));
	*here = !row->node || str_eq(row->node, c->conf->cluster_node);
	return *here || have >= SCHEMA_VERSION
	    ? E_OK
	    : fail(c, E_CONFLICT, "the active machine is %s: run it there", row->node);
}

static enum err
cmd_apply(struct cmd_call *call)
{
	const char *oldest = usage_option(&call->with, "--running");
	const char *save = usage_option(&call->with, "--save");
	int64_t applied = 0, running = 0, have;
	bool here;

	TRY(schema_version(call->c, &have));
	if (oldest && str_eq(oldest, "present"))
		running = have;
	else if (oldest && !str_int(oldest, &running))
		return fail(
		    call->c, E_INVALID, "--running takes the number of a schema, or present");
	TRY(active_here(call->c, &here));
	if (here && save && have && have < SCHEMA_VERSION &&
	    rows_save(call->c, save, SCHEMA_VERSION)) {
		fputs("the rows were not saved, so the schema stays as it is\n", stderr);
		return call->c->err;
	}
	if (here)
		TRY(schema_apply(call->c, mem_printf(call->c->mem, "%s/sql", conf_share_dir()),
		    usage_option(&call->with, "--force") != NULL, running, &applied));
	TRY(schema_version(call->c, &have));
	printf("%lld migrations applied; the schema is at %lld\n", (long long)applied,
	    (long long)have);
	if (here)
		TRY(addresses_fold(call->c));
	return store_prepare(call->c);
}

static enum err
cmd_check(struct cmd_call *call)
{
	printf("%s: valid\n", call->c->conf->path);
	return E_OK;
}

static enum err
cmd_show(struct cmd_call *call)
{
	fputs(conf_print(call->c->mem, call->c->conf), stdout);
	return E_OK;
}

const struct cmd service_cmds[] = {
	{ "migrate status", "", "compare the database's schema with the program's", cmd_status },
	{ "migrate apply", "[--save DIR] [--running SCHEMA|present] [--force]",
	    "apply missing migrations, and prepare the store; "
	    "--save first saves the rows in a new folder of DIR, which keeps the latest three; "
	    "--running says that no connected program is of an older schema; "
	    "--force closes the connections of other programs first", cmd_apply },
	{ "config check", "", "check the configuration, and nothing else", cmd_check },
	{ "config show", "", "show every setting with its meaning", cmd_show },
	{ 0 },
};
