/* SPDX-License-Identifier: Apache-2.0
 * Folders of a workspace, in which its artifacts lie. Names of siblings must not look alike. Moving
 * something to a folder that is shown to more people (core/shown.h) needs its owner or an admin.
 * Every change locks the workspace's row (core/who_api.c), so that concurrent changes see each
 * other and can't make a circle. Source: interface, "Folders"; team/README.md. */
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
/* Finds a folder by the names on its path, from the top down; upper and lower case are equal. */
enum err folder_by_path(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *names, struct folder **out);
/* Sorted by name. *next is NULL on the last page. */
enum err folder_list(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct folder_query *, struct folder_list *out, const char **next);

/* A folder in a path, or in a choice. */
#define FOLDER_STEP(F, T) \
	F(T, ID,  folder_id,   .arg = "fld_") \
	F(T, STR, folder_name, .doc = "Of a choice its path")
SHAPE_DECLARE(folder_step, FOLDER_STEP);

/* The way to the folder from the top down, itself last; of NULL, or one that is not there, none. */
enum err folder_way(struct ctx *c, const char *id, struct folder_step_list *out);
/* paths gets the path of each of the n folders; NULL for NULL. */
enum err folder_paths(struct ctx *c, const char *const *ids, size_t n, const char **paths);
/* Lists all folders of the workspace by path, except `without` (or NULL) and those in it. If it has
 * more than `most`, lists none, and *all is false. */
enum err folder_choices(struct ctx *c, const struct workspace *w, const char *without, size_t most,
    struct folder_step_list *out, bool *all);
/* Adds a folder. E_CONFLICT if a sibling has that name, E_LIMIT_REACHED past FOLDERS or
 * FOLDER_DEPTH. E_DENIED if somebody who is no admin sets who sees other people's artifacts in it
 * (default_visibility). */
enum err folder_add(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct folder_new *, const char **id);
/* Changes or moves a folder. Fails as folder_add() does; also E_CONFLICT if the folder would lie in
 * itself, and E_DENIED if more people would see it, unless `who` is an admin. */
enum err folder_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct folder *, const struct folder_edit *);
/* Deletes an empty folder; with `recursive` any folder and those in it, whose artifacts move to its
 * parent. Else E_CONFLICT, which names the contents. */
enum err folder_delete(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct folder *, bool recursive);
/* Called before folder_delete(), outside of a transaction: moves most of the contents to the parent
 * if they are too many for one transaction. */
enum err folder_lighten(struct ctx *c, const struct folder *);
/* Counts all things other than artifacts in the folder and below (FOLDER_EMPTY), also those that
 * the caller can't see. */
enum err folder_files(struct ctx *c, const struct folder *, int64_t *n);
/* Moves an artifact of the workspace to a folder (NULL: to the top). E_NOT_FOUND for other
 * artifacts; E_DENIED unless `who` may edit it or is an admin, and if more people would see it
 * there, unless `who` owns it or is an admin. */
enum err folder_take(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *artifact_id, const char *folder_id);
/* Sets *out to the folder's name, or "…" if the caller can't see it. parent_id NULL leaves *out. */
enum err folder_above(struct ctx *c, const char *parent_id, const char **out);
#endif
