/* SPDX-License-Identifier: Apache-2.0
 * The service's lists as lines of text. */
#ifndef VITRINE_LIST_H
#define VITRINE_LIST_H
#include "cli/cli.h"

/* Every page of the list at path, which may have a query: row() for each of what is in its member
 * plural, or the replies themselves with --json. Gives the exit status. */
int list_all(struct cli *, const char *path, const char *plural,
    void (*row)(struct cli *, const struct json *));
/* The member, a time, for people; otherwise where it is null. */
const char *
list_time(struct cli *, const struct json *row, const char *member, const char *otherwise);
#endif
