/* SPDX-License-Identifier: Apache-2.0
 * What must hold within the rows and one statement can mend: found by fsck, mended by reproject. */
#ifndef VITRINE_ADMIN_ROWS_H
#define VITRINE_ADMIN_ROWS_H
#include "db/db.h"

/* Tells each that is wrong. */
enum err rows_check(struct ctx *c,
    void (*tell)(void *arg, const char *noun, const char *id, const char *why), void *arg);
/* Mends all, and prints how many rows of which kind. */
enum err rows_mend(struct ctx *c);
#endif
