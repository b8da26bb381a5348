/* SPDX-License-Identifier: Apache-2.0
 * A run that somebody asks for and waits for. Source: jobs/README.md. */
#ifndef VITRINE_RUNNOW_H
#define VITRINE_RUNNOW_H
#include "jobs/run.h"

enum { RUNNOW_S = 10 };

/* Makes a run of the job and carries it out, for RUNNOW_S at most: what takes longer the runner
 * does once more, with the same id. Outside of any transaction. *out is as it is then: over,
 * queued, or to be tried again. E_CONFLICT while another run of the job is being carried out. */
enum err run_now(struct ctx *c, const struct job *j, struct run **out);
/* What has become of it, by its status, to whoever asked for it. */
const char *run_words(const char *status);
#endif
