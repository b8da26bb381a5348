/* SPDX-License-Identifier: Apache-2.0
 * Writes files into a folder that is new or empty: all of them, or none. */
#ifndef VITRINE_CLI_FILL_H
#define VITRINE_CLI_FILL_H
#include "cli/folder.h"

/* Creates the folder dir if it isn't there and writes the files, beneath it and without following
 * links. A folder that isn't empty is refused. After a failure, such as a full disk, removes what
 * it wrote. Returns the exit status, after saying why. */
int fill_folder(struct cli *, const char *dir, const struct folder *);
#endif
