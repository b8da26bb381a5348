/* SPDX-License-Identifier: Apache-2.0
 * Lineage: upstream paths in files (declared), jobs that load data (materialize), and pages that
 * read their artifact's tables and document (reads). It is computed on each request and contains
 * only what the reader may open. */
#ifndef VITRINE_LINEAGE_H
#define VITRINE_LINEAGE_H
#include "catalog/entry.h"

enum { LINEAGE_DEPTH = 20, LINEAGE_NODES = 5000, LINEAGE_EDGES = 20000 };

#define LINEAGE_DIRECTIONS "up|down|both"
#define LINEAGE_NODE_KINDS CATALOG_SOURCES "|entry"
#define LINEAGE_EDGE_KINDS "materialize|reads|declared"

#define LINEAGE_QUERY(F, T) \
	F(T, ID,   entry,     .arg = "cat_", .doc = "Where to begin; absent: all entries") \
	F(T, WORD, direction, .arg = LINEAGE_DIRECTIONS, .def = "both") \
	F(T, INT,  depth,     .lo = 1, .hi = LINEAGE_DEPTH, .def = "2", .doc = "Steps each way")
SHAPE_DECLARE(lineage_query, LINEAGE_QUERY);

/* step: distance from the start, negative upstream. artifact_id and table are filled if the node
 * has them; the page fills what follows. */
extern const struct shape filling_job_shape; /* filled.h */
#define LINEAGE_NODE(F, T) \
	F(T, STR,  id) \
	F(T, WORD, kind,        .arg = LINEAGE_NODE_KINDS) \
	F(T, STR,  name) \
	F(T, ID,   entry_id,    .flags = F_NUL, .arg = "cat_", .doc = "Which describes it") \
	F(T, WORD, entry_kind,  .flags = F_HID, .arg = CATALOG_KINDS, \
		.doc = "Of what is nothing but an entry") \
	F(T, INT,  step,        .flags = F_HID) \
	F(T, ID,   artifact_id, .flags = F_HID) \
	F(T, STR,  table,       .flags = F_HID) \
	F(T, STR,  href,        .flags = F_HID) \
	F(T, INT,  away,        .flags = F_HID, .doc = "Steps; 0: it is beside the start") \
	F(T, OBJ,  job,         .flags = F_HID, .sub = &filling_job_shape, \
		.doc = "Which copies from it, or to it")
SHAPE_DECLARE(lineage_node, LINEAGE_NODE);

#define LINEAGE_EDGE(F, T) \
	F(T, STR,  from,   .doc = "The id of a node") \
	F(T, STR,  to) \
	F(T, WORD, kind,   .arg = LINEAGE_EDGE_KINDS) \
	F(T, ID,   job_id, .flags = F_NUL, .arg = "job_", \
		.doc = "Of materialize, for who may see the job")
SHAPE_DECLARE(lineage_edge, LINEAGE_EDGE);

#define LINEAGE(F, T) \
	F(T, BOOL, enabled) \
	F(T, LIST, nodes,     .sub = &lineage_node_shape) \
	F(T, LIST, edges,     .sub = &lineage_edge_shape) \
	F(T, BOOL, truncated, .doc = "There is more than could be shown; begin at one entry")
SHAPE_DECLARE(lineage, LINEAGE);

/* Returns the graph, the nearest nodes first. E_NOT_FOUND: `who` may not see that entry. */
enum err catalog_lineage(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct lineage_query *, struct lineage **out);
#endif
