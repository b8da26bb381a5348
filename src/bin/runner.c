/* SPDX-License-Identifier: Apache-2.0
 * vitrine-runner. --once does what is due and ends. --minute, which cron calls each minute, runs
 * for a minute. --stay runs until SIGTERM; SIGHUP reads the configuration again, or executes the
 * program that has been installed. --lanes NAME|NAME limits the last two to these lanes. --check
 * ends where it would begin. */
#include "base/conf.h"
#include "base/confine.h"
#include "base/lease.h"
#include "base/log.h"
#include "base/rasterdiff.h"
#include "base/seal.h"
#include "base/str.h"
#include "base/upgrade.h"
#include "base/viewdraw.h"
#include "base/weblib.h"
#include "bucket/bucket.h"
#include "db/db.h"
#include "ext/dns.h"
#include "ext/helper.h"
#include "ext/html.h"
#include "ext/room.h"
#include "ext/tableread.h"
#include "import/xlsx.h"
#include "runner/runner.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

enum { MINUTE_S = 60 };

static int
once(void *mem, const struct conf *conf)
{
	enum err archived = runner_archive(conf);
	struct runner *runner;

	confine(conf);
	runner = runner_open(mem, conf, db_new(mem, conf, (int)conf->runner_statement_s));
	return !runner ? 73 : runner_once(runner) || archived ? 1 : 0;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = { { "config", required_argument, NULL, 'c' },
		{ "once", no_argument, NULL, 'o' }, { "minute", no_argument, NULL, 'm' },
		{ "stay", no_argument, NULL, 's' }, { "check", no_argument, NULL, 'k' },
		{ "lanes", required_argument, NULL, 'l' }, { NULL, 0, NULL, 0 } };
	static const struct apart_kind apart[] = { { .work = html_work }, { .work = dns_work },
		{ .work = view_work }, { .work = pair_work }, { .file_work = xlsx_work },
		TABLE_KIND, XLSX_SHEET_KIND };
	void *mem = mem_root("runner");
	const char *path = NULL, *lanes = NULL, *note, *why;
	const struct conf *conf;
	int opt, how = 'o', status;

	upgrade_begin(argv);
	/* The former program has handed over its children alone, which end by themselves. */
	upgrade_take(NULL, 0, &note);
	while ((opt = getopt_long(argc, argv, "c:", options, NULL)) != -1) {
		if (opt == '?' || (opt == 'l' && !runner_lanes_known(optarg)))
			return 64;
		if (opt == 'c')
			path = optarg;
		else if (opt == 'l')
			lanes = optarg;
		else
			how = opt;
	}
	/* Forks before secrets are in memory, which a page's bytes must not reach. */
	if (how != 'k')
		apart_prepare(apart, sizeof apart / sizeof *apart);
	conf_at(mem, path);
	if (!(conf = conf_again())) {
		mem_free(mem);
		return 78;
	}
	if (!lease_open(conf, true)) {
		log_line(LOG_LEVEL_ERROR, "can't start", "what", "lease", "why", strerror(errno),
		    NULL);
		mem_free(mem);
		return 73;
	}
	if (!seal_prepare(mem, conf, &why) || !seal_hold(mem, conf, &why)) {
		log_line(LOG_LEVEL_ERROR, "key", "why", why, NULL);
		mem_free(mem);
		return 78;
	}
	if (how == 'k') {
		mem_free(mem);
		return 0;
	}
	rooms_prepare(conf);
	builders_prepare(conf);
	weblib_open(conf);
	bucket_prepare(true, NULL);
	status = how == 'o' ? once(mem, conf)
			    : runner_stay(conf, seal_conf_again, lanes, how == 'm' ? MINUTE_S : 0);
	/* Our process is the last one of the service, so that nothing of it is left. */
	helpers_end();
	mem_free(mem);
	return status;
}
