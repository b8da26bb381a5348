/* SPDX-License-Identifier: Apache-2.0
 * Folders of a workspace, in which its artifacts lie. Siblings have names that people can tell
 * apart; what lies in a folder has no more readers for it than those it is shown to (core/shown.h),
 * so it takes more than an editor to move something to where more of them are. Whoever changes one
 * holds the workspace's row (app/who.c), so that of changes at once each sees what the others left,
 * and no circle comes about. Source: interface, "Folders"; team/README.md. */
#ifndef VITRINE_FOLDER_H
#define VITRINE_FOLDER_H
#include "core/artifact.h"
#include "core/workspace.h"

enum { FOLDER_DEPTH = 10, FOLDERS = 10000 /* of a workspace */, FOLDER_CHARS = 120 };

#define FOLDER(F, T) \
	F(T, ID,   id,             .arg = "fld_") \
	F(T, ID,   parent_id,      .flags = F_NUL, .arg = "fld_", .doc = "null at the top level") \
	F(T, STR,  name) \
	F(T, STR,  path,           .doc = "Path from the top level, such as /Reports/2026") \
	F(T, WORD, default_visibility, .flags = F_NUL, .arg = VISIBILITIES, \
		.doc = "What a new artifact in it becomes when its publisher doesn't say; " \
		       "null: as in the folder it is in, at the top as in the workspace") \
	F(T, INT,  folder_count,   .doc = "Folders directly in it") \
	F(T, INT,  artifact_count, .doc = "Artifacts directly in it that you can see") \
	F(T, ID,   created_by,     .flags = F_NUL, .arg = "usr_") \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	SHOWN_FIELD(F, T) \
	F(T, STR,  name_key,       .flags = F_HID)
SHAPE_DECLARE(folder, FOLDER);

#define FOLDER_DEFAULT_DOC \
	"What a new artifact in it becomes when its publisher doesn't say. For admins"
#define FOLDER_NEW(F, T) \
	F(T, STR, name,      .flags = F_REQ, .lo = 1, .hi = FOLDER_CHARS, .eg = "\"Reports\"", \
		.doc = "Must not contain / or \\, " \
		       "and must differ from its siblings' names, ignoring case") \
	F(T, ID,  parent_id, .flags = F_NUL, .arg = "fld_", \
		.doc = "null or absent for the top level") \
	F(T, WORD, default_visibility, .flags = F_NUL, .arg = VISIBILITIES, \
		.doc = FOLDER_DEFAULT_DOC)
SHAPE_DECLARE(folder_new, FOLDER_NEW);

#define FOLDER_EDIT(F, T) \
	F(T, STR, name,      .lo = 1, .hi = FOLDER_CHARS, .eg = "\"Another name\"") \
	F(T, ID,  parent_id, .flags = F_NUL, .arg = "fld_", \
		.doc = "null moves it to the top level") \
	F(T, WORD, default_visibility, .flags = F_NUL, .arg = VISIBILITIES, \
		.doc = FOLDER_DEFAULT_DOC)
SHAPE_DECLARE(folder_edit, FOLDER_EDIT);

#define FOLDER_QUERY(F, T) \
	F(T, STR, parent_id, .lo = 1, .hi = 40, \
		.doc = "Only those in this folder; " \
		       "root: only those at the top level; absent: all") \
	F(T, STR, q,         .hi = FOLDER_CHARS, .doc = "Part of the name, ignoring case") \
	PAGE_FIELDS(F, T, 8000)
SHAPE_DECLARE(folder_query, FOLDER_QUERY);

#define FOLDER_PUT(F, T) \
	F(T, ID, folder_id, .flags = F_REQ | F_NUL, .arg = "fld_", \
		.doc = "null moves it out of its folder, to the top level")
SHAPE_DECLARE(folder_put, FOLDER_PUT);

/* `w` is the workspace as `who` has it. E_NOT_FOUND when it has no such folder. */
enum err folder_get(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *id, struct folder **out);
/* names: from the top down, in any case. */
enum err folder_by_path(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *names, struct folder **out);
/* By name. *next is NULL on the last page. */
enum err folder_list(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct folder_query *, struct folder_list *out, const char **next);

/* A folder on the way to something, or one of a choice. */
#define FOLDER_STEP(F, T) \
	F(T, ID,  folder_id,   .arg = "fld_") \
	F(T, STR, folder_name, .doc = "Of a choice its path")
SHAPE_DECLARE(folder_step, FOLDER_STEP);

/* The way to the folder from the top down, itself last; of NULL, or one that is not there, none. */
enum err folder_way(struct ctx *c, const char *id, struct folder_step_list *out);
/* paths gets the path of each of the n folders; NULL for NULL. */
enum err folder_paths(struct ctx *c, const char *const *ids, size_t n, const char **paths);
/* All folders of the workspace by path, but `without` (or NULL) and what lies in it. None, and *all
 * is false, where it has more than `most`. */
enum err folder_choices(struct ctx *c, const struct workspace *w, const char *without, size_t most,
    struct folder_step_list *out, bool *all);
/* E_CONFLICT when a sibling has that name, E_LIMIT_REACHED past FOLDERS or FOLDER_DEPTH. Who may
 * see what others publish in it (default_visibility) is for admins to say: E_DENIED. */
enum err folder_add(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct folder_new *, const char **id);
/* Also E_CONFLICT when it would lie in itself; E_DENIED where it would be shown to more, unless
 * `who` governs. */
enum err folder_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct folder *, const struct folder_edit *);
/* E_CONFLICT, with what is in it, unless it is empty or recursive is set: then the folders in it go
 * too, and their artifacts are in its parent. */
enum err folder_delete(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct folder *, bool recursive);
/* Before that, outside of a transaction: of what lies in it and moves up, what is too much to be
 * moved in one. */
enum err folder_lighten(struct ctx *c, const struct folder *);
/* How much else lies in it and in the folders in it (FOLDER_EMPTY), whoever sees that. */
enum err folder_files(struct ctx *c, const struct folder *, int64_t *n);
/* Puts an artifact of the workspace into a folder of it (NULL: to the top). E_NOT_FOUND for other
 * artifacts; E_DENIED unless `who` may edit it or governs, and where it would be shown to more,
 * unless they own it or govern. */
enum err folder_take(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *artifact_id, const char *folder_id);
#endif
