/* SPDX-License-Identifier: Apache-2.0 */
#include "care/ahead.h"

#include "base/buf.h"
#include "core/round.h"
#include "db/db.h"
#include "store/rounds.h"

#define AHEAD_ROW(F, T) \
	F(T, STR, name) \
	F(T, INT, n)
SHAPE(ahead, AHEAD_ROW);

#define AHEAD(table, column, s) \
	" UNION ALL SELECT '" #table "." #column "', COUNT(*) FROM t JOIN " #table \
	" ON " #column " > t.now + " #s
#define AHEAD_BY_ALL AHEAD
#define AHEAD_SHOWN AHEAD
static struct stmt counts = { .sql = "WITH t AS (SELECT ? AS now) SELECT '' AS name, 0 AS n"
#include "core/nouns.def"
	, .file = __FILE__, .line = __LINE__, .shape = &ahead_shape };
STMTS_OF(counted) { &counts };

#define MEND_STMT(table, column, s) \
	STMT("UPDATE " #table " SET " #column " = ? WHERE " #column " > ? + " #s " LIMIT ?"),
STMTS_OF(mends) {
#define AHEAD MEND_STMT
#include "core/nouns.def"
};
STMTS_OF(mends_all) {
#define AHEAD_BY_ALL MEND_STMT
#include "core/nouns.def"
};

enum err
ahead_say(struct ctx *c, const char **out)
{
	struct buf b = BUF(c->mem);
	struct ahead_list rows;

	TRY(db_all(c, (struct ahead_rows){ .stmt = counted[0] }, ARGS(c->now), &rows));
	for (size_t i = 0; i < rows.n; i++)
		if (rows.v[i].n)
			buf_fmt(&b, "%s%s: %lld", b.n ? ", " : "", rows.v[i].name,
			    (long long)rows.v[i].n);
	*out = b.n ? buf_done(&b) : NULL;
	return E_OK;
}

static enum err
rows_mend(struct ctx *c, struct stmt *const each[], size_t n, int64_t limit, int64_t *mended)
{
	for (size_t i = 0; i < n && *mended < limit; i++) {
		int64_t some;

		TRY(db_exec(c, each[i], ARGS(c->now, c->now, limit - *mended), &some));
		*mended += some;
	}
	return E_OK;
}

static enum err
ahead_mend(struct ctx *c, int64_t limit, int64_t *mended)
{
	bool ahead;

	*mended = 0;
	TRY(rows_mend(c, mends, sizeof mends / sizeof *mends, limit, mended));
	TRY(clock_was_ahead(c, &ahead));
	if (!ahead)
		return E_OK;
	TRY(rows_mend(c, mends_all, sizeof mends_all / sizeof *mends_all, limit, mended));
	/* A noun may have such times left to correct. */
	ahead = false;
	for (size_t i = 0; rounds[i]; i++)
		for (const struct round_kind *r = rounds[i]; r->name && !ahead; r++)
			if (r->ahead)
				TRY(r->ahead(c, &ahead));
	return *mended < limit && !ahead ? clock_is_right(c) : E_OK;
}

ROUNDS(ahead, { "ahead", .rows = ahead_mend });
