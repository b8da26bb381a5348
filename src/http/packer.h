/* SPDX-License-Identifier: Apache-2.0
 * The process that makes the packed siblings (.gz, .br) of what workers have published. It has
 * the lowest priority and no request of its own: a publish is answered, and the next one begun,
 * while it works. A worker leaves a note of each effect; what is lost on the way is in the outbox
 * still, and so the runner's. Source: docs/architecture.md, "Publish, in order". */
#ifndef VITRINE_PACKER_H
#define VITRINE_PACKER_H
#include "base/conf.h"
#include "base/ctx.h"

bool packer_open(void);                   /* by the parent, before it forks */
void packer_note(const struct effect *);  /* by a worker, when the reply has left; never waits */
void packer_run(const struct conf *conf); /* returns when nobody is left to write notes */
#endif
