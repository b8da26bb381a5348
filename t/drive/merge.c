/* SPDX-License-Identifier: Apache-2.0
 * Merges one account into another as linking a sign-in does: merge CONF FROM INTO, both as ids. Prints the error, if any. */
#include "base/conf.h"
#include "base/seal.h"
#include "people/identity.h"

static enum err
merge(struct ctx *c, const char *from, const char *into)
{
	TRY(db_begin(c));
	TRY(user_merge(c, from, into));
	return db_commit(c);
}

int
main(int argc, char **argv)
{
	void *mem = mem_root("merge");
	const char *why = "usage: merge CONF FROM INTO";
	const struct conf *conf = argc == 4 ? conf_load(mem, argv[1], &why) : NULL;
	struct ctx *c;
	enum err e;

	if (!conf || !seal_prepare(mem, conf, &why)) {
		fprintf(stderr, "%s\n", why);
		return 64;
	}
	c = ctx_begin(conf, db_new(mem, conf, DB_REQUEST_S));
	e = merge(c, argv[2], argv[3]);
	if (e)
		printf("%s %s\n", err_table[e].code, c->internal ? c->internal : c->message);
	ctx_end(c);
	mem_free(mem);
	return e != E_OK;
}
