/* SPDX-License-Identifier: Apache-2.0
 * The place of an artifact in its workspace: a folder (team/folder.h), or the top. */
#ifndef VITRINE_PLACE_H
#define VITRINE_PLACE_H
#include "base/ctx.h"

#define FOLDER_TOP "root" /* in a query, instead of the id of a folder */

/* E_NOT_FOUND, naming the field, unless the workspace has the folder. */
enum err place_exists(
    struct ctx *c, const char *workspace_id, const char *field, const char *id);
/* Calls place_check(), and sets *visibility to the default of a new artifact there: the folder’s
 * own, or that of the nearest folder above. */
enum err place_default(struct ctx *c, const char *workspace_id, const char *field, const char *id,
    const char **visibility);
/* Finds the folder that a query names; *id is NULL for the top. E_INVALID; E_NOT_FOUND if the
 * workspace has no such folder. */
enum err place_named(
    struct ctx *c, const char *workspace_id, const char *field, const char *named, const char **id);
#endif
