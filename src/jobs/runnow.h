/* SPDX-License-Identifier: Apache-2.0
 * Manual runs, carried out while the person waits. Source: jobs/README.md. */
#ifndef VITRINE_RUNNOW_H
#define VITRINE_RUNNOW_H
#include "jobs/run.h"

enum { RUNNOW_S = 10 };

/* Makes a run of the job and carries it out for at most RUNNOW_S seconds; after that, the runner
 * carries it out again under the same id. Call outside of a transaction. *out is the run at that
 * moment: over, queued or retrying. E_CONFLICT while another run of the job is in progress. */
enum err run_now(struct ctx *c, const struct job *j, struct run **out);
/* The status in a sentence, for the person who asked for the run. */
const char *run_words(const char *status);
#endif
