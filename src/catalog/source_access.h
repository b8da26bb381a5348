/* SPDX-License-Identifier: Apache-2.0
 * How much of the sources of entries somebody may see, by the rules of a GET of each: an
 * artifact by their role, a table and the document also by its access_policy, a connection by
 * membership. */
#ifndef VITRINE_SOURCE_ACCESS_H
#define VITRINE_SOURCE_ACCESS_H
#include "data/table.h"

/* The source of an entry, as its row stores it. */
#define ABOUT(F, T) \
	F(T, STR, source_kind,          .flags = F_HID) \
	F(T, STR, source_artifact_id,   .flags = F_HID) \
	F(T, STR, source_table,         .flags = F_HID) \
	F(T, STR, source_connection_id, .flags = F_HID) \
	F(T, BOOL, source_closed,       .flags = F_HID) \
	F(T, STR, connection_name,      .flags = F_HID)
/* Columns of ABOUT, from the row e and its connection k. */
#define ABOUT_COLUMNS(e) \
	e ".source_kind, " e ".source_artifact_id, " e ".source_table, " \
	e ".source_connection_id, " e ".source_closed, k.name AS connection_name"
#define ABOUT_TABLES(e) \
	" LEFT JOIN connection k ON k.id = " e ".source_connection_id" \
	" AND k.workspace_id = " e ".workspace_id"
SHAPE_DECLARE(about, ABOUT);
#define ABOUT_OF(row) \
	((struct about){ .source_kind = (row)->source_kind, \
		.source_artifact_id = (row)->source_artifact_id, \
		.source_table = (row)->source_table, \
		.source_connection_id = (row)->source_connection_id, \
		.source_closed = (row)->source_closed, \
		.connection_name = (row)->connection_name })

#define SOURCE_ARTIFACT(F, T) \
	F(T, STR,  artifact_id) \
	F(T, STR,  name) \
	F(T, STR,  workspace_id) \
	RULED(F, T) \
	F(T, BOOL, purged) \
	F(T, BOOL, shown) \
	F(T, BOOL, open) \
	F(T, BOOL, live) \
	F(T, TIME, updated_at)
SHAPE_DECLARE(source_artifact, SOURCE_ARTIFACT);

struct source_access {
	struct ctx *c;
	const struct principal *who;
	struct source_artifact_list artifacts; /* by their ids */
	struct rowpolicy *policies;           /* for each artifact, once read */
	bool *read;
};
/* Reads the rights of `who` on these artifacts. Ids may be NULL or repeated. */
enum err source_access_read(struct ctx *c, const struct principal *who,
    const char *const *artifact_ids, size_t n, struct source_access *out);
/* Returns NULL if there is no such artifact or it is purged. */
const struct source_artifact *source_artifact(const struct source_access *, const char *id);

enum seen {
	SEEN_NOT,
	SEEN_GONE,  /* deleted, or no longer in the workspace */
	SEEN_PART,  /* a table whose rows they can't all see */
	SEEN_WHOLE
};
/* Tells how much of an entry's source the reader may see. role: theirs in the workspace. Agents
 * see no connections. If the source is gone and was closed, only admins see the entry. */
enum err source_access_check(const struct source_access *, const char *workspace_id,
    enum member_role role, const struct about *, enum seen *out);
#endif
