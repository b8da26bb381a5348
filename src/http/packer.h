/* SPDX-License-Identifier: Apache-2.0
 * The process that makes the compressed siblings (.gz, .br) of published files, with the lowest
 * priority, after the reply. A worker writes a note for each effect. A lost note is no problem: its
 * outbox row remains, and the runner packs the site. Source: docs/architecture.md, "Publish, in
 * order". */
#ifndef VITRINE_PACKER_H
#define VITRINE_PACKER_H
#include "base/conf.h"
#include "base/ctx.h"

/* The notes' pipe: for reading, for writing. */
extern int packer_ends[2];
bool packer_open(void); /* called by the parent before it forks, unless it was handed a pipe */
void packer_note(const struct effect *);  /* called by a worker after its reply; never waits */
/* Returns when no process is left that could write notes. */
void packer_run(const struct conf *conf);
#endif
