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
/* Reads the view on the connection. If this machine is cut off, names is NULL. */
enum err view_look(struct ctx *c, struct view *out);
bool view_has(const struct view *, const char *node);
/* Make the server read-only or writable, as the user vitrine_cluster; without wsrep, they do
 * nothing. view_close() fails open transactions at COMMIT, and ends db_user's connections unless
 * the machine is cut off. */
enum err view_close(struct ctx *c, const struct view *);
enum err view_open(struct ctx *c, const struct view *);
#endif
