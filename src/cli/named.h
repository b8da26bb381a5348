/* SPDX-License-Identifier: Apache-2.0
 * Things that are typed by the name that people know them by. */
#ifndef VITRINE_CLI_NAMED_H
#define VITRINE_CLI_NAMED_H
#include "cli/cli.h"

struct named {
	const char *list, *member; /* of the reply; and of each in it, the name */
	const char *id_prefix;
};
/* The id of the first in the list at path whose member is the same name (base/unicode.h) as what
 * was typed. NULL where there is none, or with another *status than EXIT_FINE. */
const char *named_find(struct cli *, const char *path, const struct named *, const char *typed,
    int *status);
#endif
