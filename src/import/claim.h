/* SPDX-License-Identifier: Apache-2.0
 * How the runner claims imports: one at a time, with a lease. Each batch renews the lease, and
 * commits only if nobody has changed the import meanwhile (`fence`). */
#ifndef VITRINE_IMPORT_CLAIM_H
#define VITRINE_IMPORT_CLAIM_H
#include "import/import.h"

#define IMPORT_COLUMNS \
	"i.id, i.state, i.filename, i.size_bytes, i.received, i.format," \
	" i.table_name AS `table`, i.mode, i.key_column AS `key`, i.row_n AS `rows`, i.preview," \
	" i.misfit_rows, i.on_misfit, i.rows_done, i.batch_id, i.error, i.created_by," \
	" i.created_at, i.ended_at, i.artifact_id, i.sha256, i.total, i.rows_sha256, i.asked," \
	" i.found, i.first_row, i.last_row, i.records_done, i.staged_no, i.table_no," \
	" i.shape_no, i.announced, i.fence"

enum { CLAIM_LEASE_S = 30, CLAIM_WAIT_S = 60 };

/* Reads the result of the check, which the row has as JSON in `found`, into the import's fields. */
enum err import_found_read(struct ctx *c, struct import *imp);
/* Claims the import that has waited longest. *out is NULL if none is due, or another runner was
 * quicker. */
enum err claim_next(struct ctx *c, struct import **out);
/* Renews the lease, at the end of a transaction. E_NOT_FOUND: the import was changed, cancelled or
 * deleted, so nothing of this transaction may be committed. */
enum err claim_hold(struct ctx *c, const struct import *imp);
/* Ends the lease: nothing is due until `at` (0: ever). Doesn't fail if another runner has the
 * import. */
enum err claim_rest(struct ctx *c, const struct import *imp, int64_t at);
/* Reads the artifact as the import's maker sees it, and who that is (asker_find()). *waits: it is
 * paused or in the trash. */
enum err claim_maker(struct ctx *c, const struct import *imp, struct principal *who,
    struct artifact **a, bool *waits);
/* Queues another check, because the table's columns have changed. */
enum err claim_check_again(struct ctx *c, const struct import *imp);
/* Ends the import as failed. The runner then takes back the rows that it has added. */
enum err claim_fail(struct ctx *c, const struct import *imp, const char *why);
#endif
