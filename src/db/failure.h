/* SPDX-License-Identifier: Apache-2.0
 * MariaDB's error codes, and what the caller of a statement should do about each. */
#ifndef VITRINE_FAILURE_H
#define VITRINE_FAILURE_H
#include "base/ctx.h"

/* The connection is gone. */
bool failure_is_lost(unsigned code);
/* This machine isn't ready, or another one of a cluster may write. */
bool failure_is_elsewhere(unsigned code);
/* The transaction was rolled back because of others, so it can run again. Includes
 * failure_is_elsewhere(). */
bool failure_is_undone(unsigned code);
/* Returns the failure that a compound statement has signalled; E_OK if none has that code. */
enum err failure_signalled(const char *text);
/* Waits for a random time before another try, so that transactions that collided don't collide
 * again: some ms, or up to two seconds if another machine may have to take over. */
void failure_pause(bool elsewhere, int tries);
#endif
