/* SPDX-License-Identifier: Apache-2.0
 * The machines of a cluster, and which of them is active, as rows say. What this machine itself may
 * do now is in base/lease.h. */
#ifndef VITRINE_CLUSTER_NODE_H
#define VITRINE_CLUSTER_NODE_H
#include "base/lease.h"
#include "db/db.h"

enum {
	BEAT_MS = 500,
	/* Leases last from the start of a machine's last committed beat. Others wait for longer,
	 * from when they saw the beat. */
	LEASE_ACTIVE_MS = 5500,
	LEASE_WARM_MS = 8000,
	UNSEEN_ACTIVE_MS = 6250,
	UNSEEN_WARM_MS = 9500,
	NODE_NEVER = 255 /* the priority of a machine that never takes over */
};

#define NODE_ROW(F, T) \
	F(T, STR,  name) \
	F(T, STR,  address) \
	F(T, INT,  priority) \
	F(T, TIME, joined_at) \
	F(T, TIME, left_at, .flags = F_NUL) \
	F(T, INT,  beat) \
	F(T, STR,  version) \
	F(T, INT,  clock) \
	F(T, BOOL, shows) \
	F(T, BOOL, asked)
SHAPE_DECLARE(node, NODE_ROW);

#define CLUSTER_ACTIVE(F, T) \
	F(T, STR,  node, .flags = F_NUL) \
	F(T, INT,  epoch) \
	F(T, TIME, since) \
	F(T, INT,  beat) \
	F(T, STR,  wanted, .flags = F_NUL)
SHAPE_DECLARE(cluster_active, CLUSTER_ACTIVE);

bool cluster_on(const struct conf *);
/* Lists all machines by priority and name; those that have left have left_at. */
enum err nodes_read(struct ctx *c, struct node_list *out);
enum err active_read(struct ctx *c, struct cluster_active **out);
/* Asks the active machine to hand over to another one; NULL: no longer. */
enum err active_want(struct ctx *c, const char *node);

/* Returns the configuration by which this machine's own lanes connect: to the local MariaDB, as
 * vitrine_cluster, who may write while it is read-only. Call before confine(). Use db_any_role(),
 * and change only rows that no other machine changes. NULL, with errno, if cluster_admin_file can't
 * be read. */
const struct conf *node_conf(void *owner, const struct conf *);
#endif
