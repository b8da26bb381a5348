/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/node.h"

#include "base/str.h"

SHAPE_DEFINE(node, NODE_ROW);
SHAPE_DEFINE(cluster_active, CLUSTER_ACTIVE);

bool
cluster_on(const struct conf *conf)
{
	return conf_has(conf->cluster_node);
}

enum err
nodes_read(struct ctx *c, struct node_list *out)
{
	return db_all(c,
	    ROWS(node,
		"SELECT name, address, priority, joined_at, left_at, beat, version, clock, shows,"
		" asked FROM node ORDER BY priority, name"),
	    NOARGS, out);
}

enum err
active_read(struct ctx *c, struct cluster_active **out)
{
	return db_one(c,
	    ROWS(cluster_active,
		"SELECT node, epoch, since, beat, wanted FROM cluster_active WHERE one = 1"),
	    NOARGS, out);
}

enum err
active_want(struct ctx *c, const char *node)
{
	return db_exec(c, EXEC("UPDATE cluster_active SET wanted = ? WHERE one = 1"), ARGS(node),
	    NULL);
}

const struct conf *
node_conf(void *owner, const struct conf *conf)
{
	struct conf *own = mem_new(owner, struct conf);

	*own = *conf;
	own->db_host = "-";
	own->db_user = "vitrine_cluster";
	own->db_password = conf_secret(owner, conf->cluster_admin_file);
	return own->db_password ? own : NULL;
}
