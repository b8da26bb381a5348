/* SPDX-License-Identifier: Apache-2.0
 * vitrine-runner: what cron does each minute. */
#include "base/conf.h"
#include "base/confine.h"
#include "base/log.h"
#include "base/str.h"
#include "base/unicode.h"
#include "db/db.h"
#include "jobs/runner.h"

#include <getopt.h>

int
main(int argc, char **argv)
{
	static const struct option options[] = { { "config", required_argument, NULL, 'c' },
		{ "once", no_argument, NULL, 'o' }, { NULL, 0, NULL, 0 } };
	void *mem = mem_root("runner");
	const char *path = NULL, *why;
	const struct conf *conf;
	struct runner *runner;
	enum err e;
	int opt;

	while ((opt = getopt_long(argc, argv, "c:", options, NULL)) != -1) {
		if (opt == 'c')
			path = optarg;
		else if (opt != 'o')
			return 64;
	}
	if (!(conf = conf_load(mem, path, &why))) {
		log_line(LOG_LEVEL_ERROR, "configuration", "why", why, NULL);
		mem_free(mem);
		return 78;
	}
	unicode_open();
	confine(conf);
	runner = runner_open(mem, conf, db_new(mem, conf, DB_SWEEP_S));
	if (!runner) {
		mem_free(mem);
		return 73;
	}
	e = runner_once(runner);
	mem_free(mem);
	return e ? 1 : 0;
}
