/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/room.h"

#include "base/str.h"

#include <sys/statvfs.h>

/* A MariaDB without rows takes 214 MB. Of a table with 64 columns, of which most are NULL, the dump
 * took 2.4 times as much as the rows, and loading it 0.75 times as much as the dump. */
static const int64_t server_bytes = 256LL << 20;
enum { ROWS_OF_DUMP = 2 };

#define ROWS_SIZE(F, T) F(T, INT, bytes)
SHAPE(rows_size, ROWS_SIZE);

static enum err
room_check(struct ctx *c, const char *dir, int64_t bytes)
{
	struct statvfs disk;
	uint64_t left;

	if (statvfs(dir, &disk))
		return fail_here(c, "%s", dir);
	left = (uint64_t)disk.f_bavail * disk.f_frsize;
	return (uint64_t)bytes <= left
	    ? E_OK
	    : fail(c, E_CONFLICT,
		  "the rows may take %s, more than %s has left (%s); choose another folder",
		  str_amount(c->mem, bytes), dir, str_amount(c->mem, (int64_t)left));
}

enum err
room_for_dump(struct ctx *c, const char *dir)
{
	struct rows_size *rows;

	TRY(db_one(c,
	    ROWS(rows_size,
		"SELECT CAST(COALESCE(SUM(data_length), 0) AS SIGNED) AS bytes"
		" FROM information_schema.tables WHERE table_schema = DATABASE()"),
	    NOARGS, &rows));
	return room_check(c, dir, rows->bytes * 5 / 2);
}

enum err
room_for_rows(struct ctx *c, const char *dir, int64_t dump, int64_t log)
{
	return room_check(c, dir, server_bytes + ROWS_OF_DUMP * dump + log);
}
