/* SPDX-License-Identifier: Apache-2.0
 * Takes runs and gives them back: claim CONF LIMIT TIMES prints the milliseconds that each claim took. */
#include "base/clock.h"
#include "base/conf.h"
#include "base/str.h"
#include "jobs/run.h"

static enum err
claim_once(struct ctx *c, int64_t limit)
{
	const struct run_held **held;
	struct run_held_list out;
	int64_t looked, from = clock_us(), *wait;

	TRY(run_claim(c, RUN_LIGHT, limit, &out, &looked));
	printf("%.3f %zu\n", (double)(clock_us() - from) / 1000, out.n);
	held = mem_array(c->mem, const struct run_held *, out.n + 1);
	wait = mem_array(c->mem, int64_t, out.n + 1);
	for (size_t i = 0; i < out.n; i++)
		held[i] = &out.v[i];
	return run_put_off(c, held, wait, out.n);
}

int
main(int argc, char **argv)
{
	void *mem = mem_root("claim");
	const char *why = "usage: claim CONF LIMIT TIMES";
	const struct conf *conf = argc == 4 ? conf_load(mem, argv[1], &why) : NULL;
	struct db *db = conf ? db_new(mem, conf, DB_REQUEST_S) : NULL;
	int64_t limit = 0, times = 0;
	int status = conf && str_int(argv[2], &limit) && str_int(argv[3], &times) ? 0 : 64;

	if (status)
		fprintf(stderr, "%s\n", why);
	while (!status && times--) {
		struct ctx *c = ctx_begin(conf, db);

		if (claim_once(c, limit)) {
			fprintf(stderr, "%s\n", ctx_why(c));
			status = 1;
		}
		ctx_end(c);
	}
	mem_free(mem);
	return status;
}
