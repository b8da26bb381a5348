/* SPDX-License-Identifier: Apache-2.0
 * Which artifact a command is about: named by its id or slug, or by a folder or file that was
 * published; where nothing is named, what was published from the folder one stands in. */
#ifndef VITRINE_WHICH_H
#define VITRINE_WHICH_H
#include "cli/cli.h"

/* The id of the one that has the slug, of those that a query ("deleted=1&") chooses; NULL, with
 * EXIT_FINE if none has it. */
const char *which_slug(struct cli *, const char *query, const char *slug, int *exit_status);
/* The id of an artifact given by id or slug; NULL after saying that there is none. */
const char *which_named(struct cli *, const char *id_or_slug, int *exit_status);
/* The same in the trash; and wherever it is, the trash last. */
const char *which_trashed(struct cli *, const char *id_or_slug, int *exit_status);
const char *which_any(struct cli *, const char *id_or_slug, int *exit_status);
bool which_is_path(const char *named); /* has a slash, or is "." or ".." */
/* named may also be a path, or NULL. What the project's
 * memory says is asked about, or refused, where this user did not write it there (cli/memory.h). */
const char *which_artifact(struct cli *, const char *named, int *exit_status);
#endif
