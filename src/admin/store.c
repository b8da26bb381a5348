/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/cmd.h"
#include "base/conf.h"
#include "base/str.h"
#include "bucket/compare.h"

static enum err
store_set(struct ctx *c)
{
	return conf_has(c->conf->store_url)
	    ? E_OK
	    : fail(c, E_INVALID, "store_url isn't set, so only data_dir keeps files");
}

static enum err
cmd_store_check(struct cmd_call *call)
{
	const char *why;

	TRY(store_set(call->c));
	TRY(store_try(call->c, &why));
	printf("%s\n", why ? why : "PUT, HEAD, GET and DELETE work");
	call->exit = why != NULL;
	return E_OK;
}

static void
tell(void *arg, const char *key, const char *why)
{
	struct cmd_call *call = arg;

	printf("%s: %s\n", key, why);
	call->exit = 1;
}

static enum err
cmd_store_heal(struct cmd_call *call)
{
	struct store_found found;

	TRY(store_set(call->c));
	TRY(store_compare(call->c, true, &found, tell, call));
	printf("%s, %lld missing, %lld unrecorded, %lld mended\n",
	    str_count(call->c->mem, found.named, "object"), (long long)found.missing,
	    (long long)found.unknown, (long long)found.mended);
	return E_OK;
}

const struct cmd store_cmds[] = {
	{ "store check", "", "try to store, read and delete an object there",
	    cmd_store_check },
	{ "store heal", "", "put in the store what rows name and it lacks", cmd_store_heal },
	{ 0 },
};
