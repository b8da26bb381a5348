/* SPDX-License-Identifier: Apache-2.0
 * Finds the artifact that a command is about: by its id or slug, by the path of a published folder
 * or file, or by the current folder. */
#ifndef VITRINE_WHICH_H
#define VITRINE_WHICH_H
#include "cli/cli.h"

/* Returns the id of the artifact with the slug among those that a query such as "deleted=1&"
 * selects. NULL with EXIT_FINE if there is none. */
const char *which_slug(struct cli *, const char *query, const char *slug, int *exit_status);
/* Return the id of an artifact by id or slug: among the user's; in the trash; among the user's,
 * then in the trash. NULL after saying that there is none. */
const char *which_named(struct cli *, const char *id_or_slug, int *exit_status);
const char *which_trashed(struct cli *, const char *id_or_slug, int *exit_status);
const char *which_any(struct cli *, const char *id_or_slug, int *exit_status);
bool which_is_path(const char *named); /* has a slash, or is "." or ".." */
/* Finds an artifact by id, slug, or path; NULL: by the current folder. If another user wrote the
 * project's memory (cli/memory.h), asks at a terminal and refuses elsewhere. */
const char *which_artifact(struct cli *, const char *named, int *exit_status);
#endif
