/* SPDX-License-Identifier: Apache-2.0
 * The group of servers that share the rows (Galera), as the local MariaDB sees it. */
#ifndef VITRINE_CLUSTER_VIEW_H
#define VITRINE_CLUSTER_VIEW_H
#include "db/db.h"

struct view {
	/* False: rows aren't replicated. All machines use the same server, as in tests, so it
	 * counts as in order, all machines count as members, and nobody makes it read-only. */
	bool wsrep;
	bool primary;       /* most of the group is here, so commits are possible */
	bool synced, donor; /* has all rows; has, but gives them to another machine just now */
	bool read_only;
	const char *names;  /* of the members, with bars between; NULL without wsrep */
};
/* Reads it on the connection, also of a machine that is cut off, for which names is NULL. */
enum err view_look(struct ctx *c, struct view *out);
bool view_has(const struct view *, const char *node);
/* For vitrine_cluster. Makes the server read-only, so that what is open fails at COMMIT, and ends
 * db_user's connections unless the machine is cut off; or makes it writable. Nothing without wsrep.
 */
enum err view_close(struct ctx *c, const struct view *);
enum err view_open(struct ctx *c, const struct view *);
#endif
