/* SPDX-License-Identifier: Apache-2.0
 * arm CONF arm|reap LIMIT NOW: as the runner does it, until there is nothing more; prints how many, and how many times it asked. A transaction that is
 * lost is run again. */
#include "base/conf.h"
#include "base/str.h"
#include "jobs/job.h"

enum { TRIES = 100 };

static enum err
piece(struct ctx *c, const char *what, int64_t limit, int64_t *n)
{
	enum err e = E_OK;

	for (int i = 0; i < TRIES; i++) {
		e = str_eq(what, "arm") ? job_arm(c, limit, n) : job_reap(c, limit, n);
		if (!e || !c->replay)
			return e;
		ctx_again(c);
	}
	return e;
}

int
main(int argc, char **argv)
{
	void *mem = mem_root("arm");
	const char *why = "usage: arm CONF arm|reap LIMIT NOW";
	const struct conf *conf = argc == 5 ? conf_load(mem, argv[1], &why) : NULL;
	int64_t limit, now, n, all = 0, times = 0;
	struct db *db;

	if (!conf || !str_int(argv[3], &limit) || !str_int(argv[4], &now)) {
		fprintf(stderr, "%s\n", why);
		return 64;
	}
	db = db_new(mem, conf, DB_REQUEST_S);
	do {
		struct ctx *c = ctx_begin(conf, db);

		c->now = now;
		n = 0;
		if (piece(c, argv[2], limit, &n)) {
			printf("%s\n", ctx_why(c));
			return 1;
		}
		ctx_end(c);
		all += n;
		times++;
	} while (n > 0);
	printf("%lld %lld\n", (long long)all, (long long)times);
	mem_free(mem);
	return 0;
}
