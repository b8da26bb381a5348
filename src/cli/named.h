/* SPDX-License-Identifier: Apache-2.0
 * Finds things by the names that people know them by. */
#ifndef VITRINE_CLI_NAMED_H
#define VITRINE_CLI_NAMED_H
#include "cli/cli.h"

struct named {
	const char *list, *member; /* the reply's list; the member of its items that is the name */
	const char *id_prefix;     /* NULL: any id */
	bool exact;                /* the name must be equal byte for byte */
};
/* Returns the id of the first item in the list at path whose name equals `typed` as people read
 * names (unicode_name_key()). NULL if there is none (EXIT_FINE) or after a failure. */
const char *named_find(struct cli *, const char *path, const struct named *, const char *typed,
    int *status);
#endif
