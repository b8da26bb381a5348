/* SPDX-License-Identifier: Apache-2.0
 * What the commands of an artifact's jobs and of a workspace's share. */
#ifndef VITRINE_CLI_JOB_H
#define VITRINE_CLI_JOB_H
#include "cli/cli.h"

/* "success  HTTP 200  1.4 s", or why it failed. */
#define JOB_RUN_LINE \
	"{id}  {scheduled_for:time|'(no time)'}  {-8 status}[  HTTP {http_status}]" \
	"[  {finished_at?duration_ms:seconds|finished_at?'0.0 s'}][  {error}]"

/* Its name, or what pages call one that has none. */
const char *job_called(const struct json *job);
bool job_is_id(const char *named);
/* The id of the only job that is called so; NULL after saying why. command lists them. */
const char *job_named(const struct json *jobs, size_t n, const char *name, const char *command);
/* Prints a run that was asked for, once it is over, or fails and will be tried again; runs is the
 * path that its id goes behind. */
int job_run_wait(struct cli *, const struct json *reply, const char *runs);
int job_run_say(struct cli *, const struct json *reply); /* with its attempts */
#endif
