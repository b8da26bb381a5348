/* SPDX-License-Identifier: Apache-2.0
 * Says that a proven domain has its certificate, as `vitrinectl certificates run` does: domain CONF HOST UNTIL. Prints the error, if any. */
#include "base/conf.h"
#include "base/seal.h"
#include "domains/certify.h"
#include "http/above.h"

#include <stdlib.h>

static enum err
certified(struct ctx *c, const char *host, int64_t until)
{
	bool active;

	TRY(db_begin(c));
	TRY(domain_certified(c, host, until, until - 86400, &active));
	TRY(db_commit(c));
	for (size_t i = 0; i < c->effect_n; i++)
		TRY(effect_show(c, &c->effects[i]));
	return active ? E_OK : fail(c, E_NOT_FOUND, "%s is not proven", host);
}

int
main(int argc, char **argv)
{
	void *mem = mem_root("domain");
	const char *why = "usage: domain CONF HOST UNTIL";
	const struct conf *conf = argc == 4 ? conf_load(mem, argv[1], &why) : NULL;
	struct ctx *c;
	enum err e;

	if (!conf || !seal_prepare(mem, conf, &why)) {
		fprintf(stderr, "%s\n", why);
		return 64;
	}
	c = ctx_begin(conf, db_new(mem, conf, DB_REQUEST_S));
	e = certified(c, argv[2], strtoll(argv[3], NULL, 10));
	if (e)
		printf("%s %s\n", err_table[e].code, ctx_why(c));
	ctx_end(c);
	mem_free(mem);
	return e != E_OK;
}
