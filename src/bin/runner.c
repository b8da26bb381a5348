/* SPDX-License-Identifier: Apache-2.0
 * vitrine-runner: what cron does each minute. */
#include "base/conf.h"
#include "base/confine.h"
#include "base/log.h"
#include "base/str.h"
#include "base/unicode.h"
#include "db/schema.h"
#include "jobs/outbox.h"
#include "jobs/reap.h"

#include <fcntl.h>
#include <getopt.h>
#include <sys/file.h>

static enum err
run_once(struct ctx *c)
{
	struct reaped r;
	int64_t done;

	TRY(schema_check(c));
	TRY(outbox_run(c, &done));
	TRY(reap(c, &r));
	log_members(LOG_LEVEL_INFO, "run",
	    mem_printf(c->mem,
		"\"outbox\":%lld,\"replies\":%lld,\"slugs\":%lld,\"artifacts\":%lld,\"objects\":%lld,"
		"\"trees\":%lld",
		(long long)done, (long long)r.replies, (long long)r.slugs, (long long)r.artifacts,
		(long long)r.objects, (long long)r.trees));
	return E_OK;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = { { "config", required_argument, NULL, 'c' },
		{ "once", no_argument, NULL, 'o' }, { NULL, 0, NULL, 0 } };
	void *mem = mem_root("runner");
	const char *path = NULL, *why;
	const struct conf *conf;
	struct ctx *c;
	int opt, lock;
	enum err e;

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
	/* One at a time on a machine: a second leaves the work to the first. */
	lock = mem_fd(mem,
	    open(mem_printf(mem, "%s/runner.lock", conf->data_dir), O_RDWR | O_CREAT | O_CLOEXEC,
		0640));
	if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB)) {
		mem_free(mem);
		return lock < 0 ? 73 : 0;
	}
	confine(conf);
	c = ctx_begin(conf, db_new(mem, conf, DB_SWEEP_S));
	e = run_once(c);
	if (e)
		log_line(LOG_LEVEL_ERROR, "run failed", "why",
		    c->internal ? c->internal : c->message, NULL);
	ctx_end(c);
	mem_free(mem);
	return e ? 1 : 0;
}
