/* SPDX-License-Identifier: Apache-2.0
 * Work for the other machines of a cluster: pages to show or close. The transaction that changes it
 * inserts a row of node_outbox for each other node, whose runner carries it out
 * (runner/project.c). A machine that is alone (setting cluster_node) has no such rows, and nothing
 * here asks its database. */
#ifndef VITRINE_SPREAD_H
#define VITRINE_SPREAD_H
#include "db/db.h"

/* The node by which rows of one machine are told apart: the setting cluster_node; "" if it is
 * alone. */
const char *node_name(const struct ctx *c);

/* Inserts the rows for rows of outbox, of kind project or deliver, that this transaction has
 * inserted. ids: of those, as ids_json() writes them. closes: spread_wait() waits for them. */
enum err spread(struct ctx *c, const char *ids, bool closes);
enum err spread_one(struct ctx *c, const char *outbox_id, bool closes);
/* For all rows of outbox whose ids begin with prefix and that have none yet. Nobody waits for
 * them. */
enum err spread_more(struct ctx *c, const char *prefix);
/* For all rows of outbox: the machine that was active may not have carried them out. Call in the
 * transaction that makes this one active. */
enum err spread_rest(struct ctx *c);
/* Has this node project an artifact again. */
enum err spread_again(struct ctx *c, const char *artifact_id);

/* Sets *closed if this node may show its pages after a start: it hides everything that is closed,
 * has carried out each row of the outbox that the call with `first` (at the start) found, and
 * isn't projecting all artifacts anew. It carries those rows out again even if it had done so
 * before it ended, because a power failure may have undone that on its disk. */
enum err spread_closed(struct ctx *c, bool first, bool *closed);
/* Sets *id to that of the first row that this node has to close; "" if there is none. */
enum err spread_closing(struct ctx *c, const char **id);

/* Waits after the commit until each other node has closed what this context's transactions have
 * closed, or says that it shows nothing, or hasn't beaten for so long that it can't. *closed is
 * false if that took longer than ms; call it again to wait for longer. */
enum { SPREAD_QUICK_MS = 1000, SPREAD_PATIENCE_MS = 20000 };
enum err spread_wait(struct ctx *c, int64_t ms, bool *closed);
/* Has spread_wait() wait for all that any request has closed until now. */
enum err spread_all(struct ctx *c);
#endif
