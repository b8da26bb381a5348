/* SPDX-License-Identifier: Apache-2.0
 * The people of a workspace, for pickers, and what each does there. Source: interface,
 * "Workspaces"; people/README.md. */
#ifndef VITRINE_PEOPLE_H
#define VITRINE_PEOPLE_H
#include "core/user.h"
#include "core/workspace.h"

#define WS_PERSON(F, T) \
	F(T, ID,    user_id, .flags = F_NUL, .arg = "usr_", .doc = "null for an invited person") \
	F(T, STR,   name) \
	F(T, EMAIL, email,   .flags = F_NUL, .doc = "null for an agent") \
	F(T, WORD,  kind,    .arg = "member|agent|external|invited") \
	F(T, WORD,  role,    .flags = F_NUL, .arg = "member|admin|owner") \
	F(T, ID,    id,      .flags = F_HID, .arg = "inv_")
SHAPE_DECLARE(ws_person, WS_PERSON);

#define PEOPLE_QUERY(F, T) \
	F(T, STR, q,      .hi = 200, \
		.doc = "Start of a name, of any word in it, or of an address") \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(people_query, PEOPLE_QUERY);
/* SQL condition: the account `u` matches the query's q. */
#define PERSON_FITS \
	"LOCATE(LOWER(CONCAT(' ', ?)), LOWER(CONCAT(' ', u.name, ' ', COALESCE(u.email, ''))))"

/* Lists members and agents only, the oldest first, at most the limit; q as in the query. */
enum err people_find(struct ctx *c, const struct workspace *, const char *q, int64_t limit,
    struct ws_person_list *out);
/* Lists members and agents and, for an admin, people who are invited. */
enum err people_list(struct ctx *c, const struct workspace *, const struct people_query *,
    struct ws_person_list *out, const char **next);

#define MEMBER_METRICS(F, T) \
	F(T, OBJ,  user,           .sub = &ws_user_shape) \
	F(T, WORD, role,           .arg = MEMBER_ROLES) \
	F(T, TIME, last_active_at, .flags = F_NUL, \
		.doc = "When one of their browsers or tokens was last used in the workspace; " \
		       "null: never") \
	F(T, INT,  artifacts,      .doc = "Artifacts they own in the workspace") \
	F(T, INT,  publishes, \
		.doc = "Versions they published in the workspace in this period") \
	F(T, INT,  views, \
		.doc = "Views of their artifacts in the workspace in this period") \
	F(T, INT,  storage_bytes, \
		.doc = "Stored by their artifacts in the workspace, " \
		       "including drafts and the trash")
SHAPE_DECLARE(member_metrics, MEMBER_METRICS);

#define METRICS_QUERY(F, T) \
	F(T, INT, days,   .lo = 1, .hi = 365, .def = "30") \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(metrics_query, METRICS_QUERY);

enum err member_metrics_list(struct ctx *c, const struct workspace *, const struct metrics_query *,
    struct member_metrics_list *out, const char **next);
#endif
