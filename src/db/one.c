/* SPDX-License-Identifier: Apache-2.0
 * Statements that fail if there is no row, and the end of a transaction. */
#include "db/db.h"

enum err
db_one_row(struct ctx *c, struct stmt *s, struct args args, void *out)
{
	TRY(db_find_row(c, s, args, out));
	return *(void **)out ? E_OK : fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

enum err
db_exec1(struct ctx *c, struct stmt *s, struct args args)
{
	int64_t changed;

	TRY(db_exec(c, s, args, &changed));
	return changed ? E_OK : fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

enum err
db_end(struct ctx *c, enum err e)
{
	if (!e)
		e = db_commit(c);
	if (e)
		db_rollback(c);
	return e;
}
