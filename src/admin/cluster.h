/* SPDX-License-Identifier: Apache-2.0
 * Functions that vitrinectl's commands about a cluster share. */
#ifndef VITRINE_ADMIN_CLUSTER_H
#define VITRINE_ADMIN_CLUSTER_H
#include "db/db.h"

#include <sys/types.h>

/* MariaDB's settings of a cluster. A comment in it lists the machines, for invite. */
#define CLUSTER_MARIADB_FILE "/etc/mysql/mariadb.conf.d/70-vitrine-cluster.cnf"

#define MACHINE(F, T) \
	F(T, STR, name) \
	F(T, STR, address)
SHAPE_DECLARE(machine, MACHINE);

/* Reads the list from the file that init wrote. */
enum err machines_kept(struct ctx *c, const char *path, struct machine_list *out);
const struct machine *machine_find(const struct machine_list *, const char *name); /* or NULL */
/* Returns the file with MariaDB's settings for the machine `own`. */
const char *cluster_mariadb(struct ctx *c, const struct machine_list *, const struct machine *own);
/* Inserts the machine's row. One that has left, or is fresh again, projects all anew. */
enum err machine_enter(struct ctx *c, const struct machine *, bool fresh);

/* Replaces c->db by a connection as vitrine_cluster, who may write while MariaDB is read-only.
 * Fails with words for the operator. */
enum err cluster_connect(struct ctx *c);
/* Like cluster_connect(), and fails without the lease, which knows what was seen of others. */
enum err cluster_look(struct ctx *c);
/* Connects as a user of MariaDB who needs no password for the caller; NULL: root. *out lives as
 * long as c. root_told() passes its failure on. */
enum err root_connect(struct ctx *c, const char *user, struct ctx **out);
enum err root_told(struct ctx *c, struct ctx *one, enum err e);

/* A file to be written at once, over one of that name. owner: a user's name, used by root only;
 * NULL: the caller. */
struct placed {
	const char *path, *owner;
	mode_t mode;
	const char *bytes;
	size_t n;
};
enum err file_place(struct ctx *c, const struct placed *);
/* Reads a file, with the name of its owner. E_INTERNAL if it can't be read. */
enum err file_read(struct ctx *c, const char *path, struct placed *out);
/* Returns the name of the user that data_dir belongs to, or NULL. */
const char *service_user(struct ctx *c);
#endif
