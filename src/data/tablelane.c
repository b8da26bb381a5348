/* SPDX-License-Identifier: Apache-2.0
 * The runner's lane `tables`: indexes, then operations, each in turns of ten seconds, so that none
 * waits long for another. */
#include "data/operation.h"
#include "data/tableindex.h"

enum err tables_next(
    const struct conf *conf, struct db *db, bool (*left)(void *arg), bool *any);

enum err
tables_next(const struct conf *conf, struct db *db, bool (*left)(void *arg), bool *any)
{
	bool more = false;

	TRY(table_index_next(conf, db, left, any));
	if (!left(NULL))
		TRY(operation_next(conf, db, left, &more));
	*any |= more;
	return E_OK;
}
