/* SPDX-License-Identifier: Apache-2.0
 * Checks that a disk has room before it is filled. */
#ifndef VITRINE_ARCHIVE_ROOM_H
#define VITRINE_ARCHIVE_ROOM_H
#include "db/db.h"

/* Fails with E_CONFLICT, naming both amounts, if a dump of c's database may not fit into the file
 * system of dir, which must be there. */
enum err room_for_dump(struct ctx *c, const char *dir);
/* Does so for a MariaDB of its own that loads a dump of so many bytes, and then so many of the log.
 */
enum err room_for_rows(struct ctx *c, const char *dir, int64_t dump, int64_t log);
#endif
