/* SPDX-License-Identifier: Apache-2.0
 * Rules between rows that a statement can check and another can restore: for fsck and reproject. */
#ifndef VITRINE_ADMIN_ROWS_H
#define VITRINE_ADMIN_ROWS_H
#include "db/db.h"

/* Calls tell() for each row that breaks a rule. */
enum err rows_check(struct ctx *c,
    void (*tell)(void *arg, const char *noun, const char *id, const char *why), void *arg);
/* Repairs all such rows, and prints how many of which kind. */
enum err rows_mend(struct ctx *c);
#endif
