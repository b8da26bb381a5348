/* SPDX-License-Identifier: Apache-2.0
 * Files that are made of objects and can be made again: where a table's rows are
 * (base/viewtable.h), sheets of workbooks as text, and tables as UTF-8 that aren't. They are in
 * views/, on each machine for itself, and aren't backed up. Those that were not used for longest
 * make room for new ones, so that they are at most 10,000 and take at most SIDES_BYTES; after 30
 * days without use the runner removes them.
 */
#ifndef VITRINE_STORE_SIDE_H
#define VITRINE_STORE_SIDE_H
#include "base/ctx.h"

#include <stddef.h>

#define SIDES "views"
#define SIDES_BYTES ((int64_t)1 << 30)

/* Opens a side, until c->mem is freed; *fd is -1 if there is none. name: of one plain segment. */
enum err side_open(struct ctx *c, const char *name, int *fd, int64_t *size);
/* Writes a side, which is whole or not there, also after a crash. */
enum err side_put(struct ctx *c, const char *name, const void *bytes, size_t n);
#endif
