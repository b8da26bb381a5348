/* SPDX-License-Identifier: Apache-2.0
 * The state of each machine of a cluster, as this one sees it, for operators. */
#ifndef VITRINE_CLUSTER_HEALTH_H
#define VITRINE_CLUSTER_HEALTH_H
#include "cluster/node.h"
#include "cluster/view.h"

#define NODE_HEALTH(F, T) \
	F(T, STR,  name) \
	F(T, STR,  role, .doc = "active, warm, drained, hidden, or lost") \
	F(T, STR,  trouble, .flags = F_NUL, .doc = "NULL: it is well") \
	F(T, INT,  beat_ms, .doc = "Since its last beat; -1: none was seen") \
	F(T, INT,  outbox, .doc = "Changes that it hasn't shown yet") \
	F(T, INT,  lag_ms, .doc = "Since the oldest of them") \
	F(T, STR,  wsrep, .flags = F_NUL, .doc = "Of MariaDB's group, if it was looked at") \
	F(T, STR,  version) \
	F(T, INT,  ahead_ms, .doc = "Of its clock, before this machine's")
SHAPE_DECLARE(node_health, NODE_HEALTH);

/* Lists the machines that haven't left. NULL instead of a view: MariaDB's group isn't looked at.
 * *active is false if none is. The caller has called lease_open(). */
enum err nodes_health(
    struct ctx *c, const struct view *, struct node_health_list *out, bool *active);
/* Finds the settings of the local MariaDB that aren't as a cluster needs them; *why is NULL if all
 * are. */
enum err cluster_settings(struct ctx *c, const char **why);
#endif
