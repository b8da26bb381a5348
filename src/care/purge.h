/* SPDX-License-Identifier: Apache-2.0
 * What is final: an artifact that has no owner anymore is purged (artifact_purge()). Nobody finds,
 * reads or restores it from the commit on; its rows, of which there may be millions, go a piece at
 * a time in the runner, the artifact's own last, so a crash at any instant is taken up again. */
#ifndef VITRINE_PURGE_H
#define VITRINE_PURGE_H
#include "core/artifact.h"
#include "store/sweep.h"

/* Pieces for the runner. One that can't be done (its rows are held, say) is logged and passed over
 * until the next round. *at: where the round stands. */
enum err purge_expired(struct ctx *c, struct sweep_at *at); /* marks what is over trash_days old */
enum err purge_rows(struct ctx *c, struct sweep_at *at);    /* takes away what is marked */
/* A workspace that is over trash_days old: marks its artifacts, and takes away what else is its. */
enum err purge_workspaces(struct ctx *c, struct sweep_at *at);
#endif
