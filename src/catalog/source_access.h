/* SPDX-License-Identifier: Apache-2.0
 * What of the things that entries are about somebody may open, judged as a GET of each would be:
 * an artifact by their role on it, a table and the document by its access_policy besides, a
 * connection by being a member. */
#ifndef VITRINE_SIGHT_H
#define VITRINE_SIGHT_H
#include "data/table.h"

/* What an entry is about, as its row has it. */
#define ABOUT(F, T) \
	F(T, STR, source_kind,          .flags = F_HID) \
	F(T, STR, source_artifact_id,   .flags = F_HID) \
	F(T, STR, source_table,         .flags = F_HID) \
	F(T, STR, source_connection_id, .flags = F_HID) \
	F(T, BOOL, source_closed,       .flags = F_HID) \
	F(T, STR, connection_name,      .flags = F_HID)
/* Of the row e, and its connection k. */
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

#define SIGHT_ARTIFACT(F, T) \
	F(T, STR,  artifact_id) \
	F(T, STR,  name) \
	F(T, STR,  workspace_id) \
	RULED(F, T) \
	F(T, BOOL, purged) \
	F(T, BOOL, shown) \
	F(T, BOOL, open) \
	F(T, BOOL, live) \
	F(T, TIME, updated_at)
SHAPE_DECLARE(sight_artifact, SIGHT_ARTIFACT);

struct sight {
	struct ctx *c;
	const struct principal *who;
	struct sight_artifact_list artifacts; /* by their ids */
	struct rowpolicy *policies;           /* of each, once read */
	bool *read;
};
/* Reads these artifacts, as `who` has them. Ids may be NULL, and stand twice. */
enum err sight_read(struct ctx *c, const struct principal *who, const char *const *artifact_ids,
    size_t n, struct sight *out);
/* NULL when there is none, or it is purged. */
const struct sight_artifact *sight_artifact(const struct sight *, const char *id);

enum seen {
	SEEN_NOT,
	SEEN_GONE,  /* it is not there, or not in the workspace any more */
	SEEN_PART,  /* a table of which they can't see all rows */
	SEEN_WHOLE
};
/* role: theirs in the workspace. An agent sees no connections; what only some could open is for
 * admins once it is gone. */
enum err sight_of(const struct sight *, const char *workspace_id, enum member_role role,
    const struct about *, enum seen *out);
#endif
