/* SPDX-License-Identifier: Apache-2.0
 * The check of an import: reads every line twice, once to choose types and once as it will be
 * stored, and stores nothing. */
#ifndef VITRINE_IMPORT_CHECK_H
#define VITRINE_IMPORT_CHECK_H
#include "import/plan.h"

/* Checks the import, which becomes ready. E_INVALID, E_NOT_FOUND, E_DENIED: it fails with that
 * message. *whole is false if it was ended early; then nothing has changed. */
enum err check_run(
    struct ctx *c, const struct import *imp, const struct until *, bool *whole);
/* Moves the reader behind the line with the names. */
enum err header_skip(struct ctx *c, const struct source *, struct reader *);
#endif
