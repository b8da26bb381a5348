/* SPDX-License-Identifier: Apache-2.0
 * Effects that were decided in a transaction and not carried out yet. */
#ifndef VITRINE_OUTBOX_H
#define VITRINE_OUTBOX_H
#include "base/ctx.h"

/* Carries out what is due, each in a context of its own; what fails comes again later, at longer
 * and longer intervals. */
enum err outbox_run(struct ctx *c, int64_t *done);
#endif
