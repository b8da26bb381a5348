/* SPDX-License-Identifier: Apache-2.0
 * The runner's work on imports: it checks them, stores their rows in batches, and takes rows back
 * after a failure or when the import is cancelled. */
#ifndef VITRINE_IMPORT_KEEP_H
#define VITRINE_IMPORT_KEEP_H
#include "import/check.h"

/* Works on the import that has waited longest. *any is false if there is none. left() ends it
 * early; what was committed stays, and the next turn goes on. */
enum err import_next(const struct conf *, struct db *, bool (*left)(void *arg), bool *any);
#endif
