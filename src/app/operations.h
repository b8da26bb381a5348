/* SPDX-License-Identifier: Apache-2.0
 * The state of the continuous backup and of a cluster's machines, for the operators' page. */
#ifndef VITRINE_OPERATIONS_H
#define VITRINE_OPERATIONS_H
#include "cluster/health.h"

#define BACKUP_PART(F, T) \
	F(T, STR,  part) \
	F(T, BOOL, good) \
	F(T, TIME, at, .doc = "0: never") \
	F(T, TIME, from, .doc = "Of the window; 0: it has none") \
	F(T, STR,  detail)
SHAPE_DECLARE(backup_part, BACKUP_PART);

#define OPERATIONS(F, T) \
	F(T, LIST, backups, .sub = &backup_part_shape, .doc = "Empty: off, or not known yet") \
	F(T, BOOL, backup_on) \
	F(T, TIME, looked_at, .doc = "When the runner last looked at the backup") \
	F(T, BOOL, looked_late) \
	F(T, LIST, machines, .sub = &node_health_shape, .doc = "Empty: this machine is alone")
SHAPE_DECLARE(operations, OPERATIONS);

/* Reads a file if there is a backup, and rows if there is a cluster. */
enum err operations_read(struct ctx *c, struct operations *out);
#endif
