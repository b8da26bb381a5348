/* SPDX-License-Identifier: Apache-2.0
 * Functions shared by the commands about an artifact's jobs and a workspace's jobs. */
#ifndef VITRINE_CLI_JOB_H
#define VITRINE_CLI_JOB_H
#include "cli/cli.h"

/* Prints a run: "success  HTTP 200  1.4 s", or why it failed. */
#define JOB_RUN_LINE \
	"{id}  {scheduled_for:time|'(no time)'}  {-8 status}[  HTTP {http_status}]" \
	"[  {finished_at?duration_ms:seconds|finished_at?'0.0 s'}][  {error}]"

bool job_is_id(const char *named);
/* Returns the id of the only job with this name in the list at path, which is the reply's member
 * `list`; NULL after saying why. The error names `command`, which lists the jobs. */
const char *job_named(struct cli *, const char *path, const char *list, const char *name,
    const char *command, int *status);
/* Waits until a requested run has ended or will be retried, and prints it. runs: the path that its
 * id is appended to. Returns the exit status. */
int job_run_wait(struct cli *, const struct json *reply, const char *runs);
int job_run_say(struct cli *, const struct json *reply); /* prints a run with its attempts */
#endif
