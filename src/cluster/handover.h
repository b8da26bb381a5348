/* SPDX-License-Identifier: Apache-2.0
 * How the active machine gives up its role. */
#ifndef VITRINE_CLUSTER_HANDOVER_H
#define VITRINE_CLUSTER_HANDOVER_H
#include "cluster/node.h"

/* The lease must say already that this machine isn't active. Makes MariaDB read-only and empties
 * the row, if it names this machine, so that another one takes over at once. A machine that is cut
 * off can't change the row; others take over because it isn't in their view. */
enum err hand_over(struct ctx *c);

enum handover { HANDOVER_DONE, HANDOVER_ABSENT, HANDOVER_SILENT, HANDOVER_STUCK };
/* Calls hand_over() in this process, which is for that alone, and ends it. ends: the pages are
 * hidden, and the row of this machine says so afterwards. HANDOVER_ABSENT: MariaDB isn't running,
 * SILENT: it doesn't answer, STUCK: it answers, but not all was done in HANDOVER_MS. */
enum { HANDOVER_MS = 3000 };
void hand_over_alone(const struct conf *, bool ends) __attribute__((noreturn));
/* Ends the local MariaDB with SIGKILL. Returns false with errno. */
bool mariadb_kill(const struct conf *);
#endif
