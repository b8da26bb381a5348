/* SPDX-License-Identifier: Apache-2.0
 * How long versions stay. One person removes a version, or a retention of the artifact or its
 * workspace lets old ones go: the runner removes those beyond the newest `keep` that are also older
 * than `days`, each if it is set. Never the live or pinned version, one that was ever approved or
 * waits for approval, one of the last day, a draft of the last 30 days, or one in the trash. */
#ifndef VITRINE_RETENTION_H
#define VITRINE_RETENTION_H
#include "core/artifact.h"
#include "core/workspace.h"

#define RETENTION_FIELDS(F, T, flags_) \
	F(T, INT, keep, .flags = flags_, .lo = 1, .hi = 1000, .eg = "20", \
		.doc = "The newest versions that stay") \
	F(T, INT, days, .flags = flags_, .lo = 1, .hi = 3650, .eg = "90", \
		.doc = "Versions stay so long")

#define RETENTION_EDIT(F, T) RETENTION_FIELDS(F, T, F_NUL)
SHAPE_DECLARE(retention_edit, RETENTION_EDIT);
#define RETENTION_QUERY(F, T) RETENTION_FIELDS(F, T, 0)
SHAPE_DECLARE(retention_query, RETENTION_QUERY);

#define RETENTION(F, T) \
	F(T, INT,  keep, .flags = F_NUL) \
	F(T, INT,  days, .flags = F_NUL) \
	F(T, WORD, from, .arg = "artifact|workspace|none|asked", \
		.doc = "Where that is set; asked: in the query") \
	F(T, INT,  goes, .doc = "Versions that the next round would remove")
SHAPE_DECLARE(retention, RETENTION);
#define WS_RETENTION(F, T) \
	F(T, INT, keep, .flags = F_NUL) \
	F(T, INT, days, .flags = F_NUL)
SHAPE_DECLARE(ws_retention, WS_RETENTION);

/* Reads what applies to the artifact, or what would with the values of a query (NULL: none). */
enum err retention_get(struct ctx *c, const struct artifact *a, const struct retention_query *q,
    struct retention **out);
/* Sets the artifact's own; both values null: all its versions stay. in NULL: as its workspace. */
enum err
retention_set(struct ctx *c, const struct artifact *a, const struct retention_edit *in);
enum err retention_ws_get(struct ctx *c, const char *workspace_id, struct ws_retention **out);
enum err retention_ws_set(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct retention_edit *in);

/* Removes a version for good. The artifact's row is locked. E_NOT_FOUND; E_CONFLICT for the live
 * and the pinned one, and one that waits for approval. */
enum err version_remove(struct ctx *c, const struct artifact *a, int64_t no);
/* Makes a version live and keeps it so: later publishes become drafts. no 0 ends it. E_CONFLICT for
 * a draft. */
enum err version_pin(struct ctx *c, const struct artifact *a, int64_t no);
#endif
