/* SPDX-License-Identifier: Apache-2.0 */
#include "http/indexer.h"

#include "base/clock.h"
#include "base/confine.h"
#include "base/log.h"
#include "db/db.h"
#include "http/above.h"
#include "http/child.h"

#include <sys/eventfd.h>
#include <unistd.h>

enum { WINDOW_MS = 200, RETRY_MS = 1000 };

int indexer_notes = -1;

bool
indexer_open(void)
{
	if (indexer_notes < 0)
		indexer_notes = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return indexer_notes >= 0;
}

void
indexer_note(void)
{
	const uint64_t one = 1;

	(void)!write(indexer_notes, &one, sizeof one);
}

void
indexer_run(const struct conf *conf)
{
	void *mem = mem_root("indexer");
	struct db *db = db_new(mem, conf, DB_REQUEST_S);
	bool failed = false;
	uint64_t n;

	db_quiet(db);
	confine(conf);
	for (;;) {
		int64_t began = clock_ms(), left;
		struct ctx *c = ctx_begin(conf, db);
		bool more = false;
		enum err e = words_index(c, &more);

		/* Only the first of several failures in a row is logged. */
		if (e && !failed)
			log_line(LOG_LEVEL_WARN, "words not kept", "why", ctx_why(c), NULL);
		failed = e != E_OK;
		db_rollback(c);
		ctx_end(c);
		left = began + WINDOW_MS - clock_ms();
		child_wait(-1, more || left < 0 ? 0 : left);
		if (!more)
			child_wait(indexer_notes, failed ? RETRY_MS : -1);
		(void)!read(indexer_notes, &n, sizeof n);
	}
}
