/* SPDX-License-Identifier: Apache-2.0
 * vitrine-worker: the pool that answers nginx. */
#include "agents/tool.h"
#include "base/conf.h"
#include "base/confine.h"
#include "base/lease.h"
#include "base/log.h"
#include "base/seal.h"
#include "base/unicode.h"
#include "base/upgrade.h"
#include "base/viewdraw.h"
#include "base/weblib.h"
#include "bucket/bucket.h"
#include "db/schema.h"
#include "ext/helper.h"
#include "ext/room.h"
#include "ext/tableread.h"
#include "http/server.h"
#include "http/share.h"
#include "import/xlsx.h"
#include "store/object.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

/* Refuses to start without seccomp, since workers hold the database and the key. Landlock is newer,
 * and a kernel's command line may leave it out, so its absence only causes a warning. */
static bool
worker_confinable(void)
{
	struct confine_means means = confine_means();

	if (!means.seccomp)
		log_line(LOG_LEVEL_ERROR, "can't start", "why",
		    "this kernel or container doesn't support seccomp filters, "
		    "which confine the workers",
		    NULL);
	else if (!means.landlock)
		log_line(
		    LOG_LEVEL_WARN, "no Landlock: workers reach every file of their user", NULL);
	return means.seccomp;
}

enum { RUN, CHECK, CHECK_SQL };

static int
worker_start(void *mem, int what)
{
	const struct conf *conf = conf_again();
	const char *why;
	struct ctx *c;
	int wrong = 0;

	if (!conf)
		return 78;
	/* The helpers that build apps are forked before any secret is in memory. */
	if (what == RUN)
		builders_prepare(conf);
	unicode_open();
	if (!seal_prepare(mem, conf, &why)) {
		log_line(LOG_LEVEL_ERROR, "can't start", "why", why, NULL);
		return 78;
	}
	if (!lease_open(conf, true)) {
		log_line(LOG_LEVEL_ERROR, "can't start", "what", "lease", "why", strerror(errno),
		    NULL);
		return 73;
	}
	bucket_prepare(true, share_store);
	c = ctx_begin(conf, db_new(mem, conf, DB_REQUEST_S));
	if (schema_check(c) || store_prepare(c)) {
		log_line(LOG_LEVEL_ERROR, "can't start", "why", ctx_why(c), NULL);
		ctx_end(c);
		return 69;
	}
	weblib_open(conf);
	wrong = what == CHECK_SQL ? db_check(c) : 0;
	/* The parent keeps no connection: each child opens its own. */
	mem_free(c->db);
	ctx_end(c);
	if (what != RUN)
		return wrong != 0 || !worker_confinable();
	if (!seal_hold(mem, conf, &why)) {
		log_line(LOG_LEVEL_ERROR, "can't start", "why", why, NULL);
		return 73;
	}
	return worker_confinable() ? server_run(conf, seal_conf_again) : 71;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = { { "config", required_argument, NULL, 'c' },
		{ "routes", no_argument, NULL, 'r' }, { "openapi", no_argument, NULL, 'o' },
		{ "check-sql", no_argument, NULL, 's' },
		{ "check", no_argument, NULL, 'k' }, { NULL, 0, NULL, 0 } };
	static const struct apart_kind view_kinds[] = { { .work = view_work }, TABLE_KIND,
		XLSX_SHEET_KIND };
	const char *path = NULL;
	void *mem;
	int opt, print = 0, what = RUN, status;

	upgrade_begin(argv);
	while ((opt = getopt_long(argc, argv, "c:", options, NULL)) != -1) {
		if (opt == 'c')
			path = optarg;
		else if (opt == 's' || opt == 'k')
			what = opt == 's' ? CHECK_SQL : CHECK;
		else if (opt == 'r' || opt == 'o')
			print = opt;
		else
			return 64;
	}
	if (print || what != RUN) {
		routes_check();
		tools_check();
	} else {
		/* Forks before secrets are in memory, which a file's bytes must not reach. */
		apart_prepare(view_kinds, sizeof view_kinds / sizeof *view_kinds);
		routes_open();
	}
	mem = mem_root("worker");
	conf_at(mem, path);
	if (print == 'r')
		routes_print();
	else if (print)
		openapi_print();
	status = print ? 0 : worker_start(mem, what);
	/* Our process is the last one of the service, so that nothing of it is left. */
	helpers_end();
	mem_free(mem);
	return status;
}
