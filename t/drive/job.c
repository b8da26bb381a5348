/* SPDX-License-Identifier: Apache-2.0
 * Makes webhook jobs as the API does, many in one call: job CONF USER reads lines of "ARTIFACT NAME ATTEMPTS DELAY SCHEDULE URL" (the schedule with
 * underscores for spaces) and prints the id of each. */
#include "base/buf.h"
#include "base/conf.h"
#include "base/seal.h"
#include "base/str.h"
#include "jobs/job.h"

static enum err
job_make(struct ctx *c, const struct principal *who, char *line)
{
	struct job_retry retry = { .backoffType = "fixed", .has = { GIVEN, GIVEN, GIVEN } };
	struct job_new in = { .action = "webhook", .trigger_type = "cron", .retry_config = &retry, .enabled = true };
	struct buf config = BUF(c->mem);
	const char *id, *shown;
	char *schedule;
	struct artifact *a;

	in.artifact_id = str_split(&line, ' ');
	in.name = str_split(&line, ' ');
	if (!str_int(str_split(&line, ' '), &retry.maxAttempts) || !str_int(str_split(&line, ' '), &retry.initialDelay))
		return fail(c, E_INVALID, "not a number");
	schedule = str_split(&line, ' ');
	for (char *p = schedule; *p; p++)
		*p = *p == '_' ? ' ' : *p;
	in.schedule = schedule;
	buf_fmt(&config, "{\"url\":\"%s\"}", line);
	in.config = buf_done(&config);
	memset(&in.has, GIVEN, sizeof in.has);
	in.has.event_type = in.has.timezone = ABSENT;
	TRY(artifact_get(c, in.artifact_id, who, false, &a));
	TRY(db_begin(c));
	TRY(job_add(c, a, who, &in, &id, &shown));
	TRY(db_commit(c));
	printf("%s\n", id);
	return E_OK;
}

int
main(int argc, char **argv)
{
	void *mem = mem_root("job");
	const char *why = "usage: job CONF USER";
	const struct conf *conf = argc == 3 ? conf_load(mem, argv[1], &why) : NULL;
	const struct principal who = { .user_id = argc == 3 ? argv[2] : NULL };
	struct db *db = conf ? db_new(mem, conf, DB_REQUEST_S) : NULL;
	char line[4096];
	int status = conf ? 0 : 64;

	if (conf && !seal_prepare(mem, conf, &why))
		status = 1;
	if (status)
		fprintf(stderr, "%s\n", why);
	while (!status && fgets(line, sizeof line, stdin)) {
		struct ctx *c = ctx_begin(conf, db);

		line[strcspn(line, "\n")] = '\0';
		if (job_make(c, &who, line)) {
			fprintf(stderr, "%s\n", ctx_why(c));
			status = 1;
		}
		ctx_end(c);
	}
	mem_free(mem);
	return status;
}
