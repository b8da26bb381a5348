/* SPDX-License-Identifier: Apache-2.0 */
#include "site/reviewing.h"

#define ASKING(F, T) F(T, INT, version_no)
SHAPE(asking, ASKING);

enum err
reviewing_asks(
    struct ctx *c, const char *artifact_id, int64_t version_no, const char *user_id, bool *yes)
{
	struct asking *row;

	TRY(db_find(c,
	    ROWS(asking,
		"SELECT r.version_no FROM review r JOIN review_asked o ON o.review_id = r.id"
		" AND NOT o.gone AND " REVIEW_ASKS
		" WHERE r.open_of = ? AND r.version_no = ? AND r.due_at > ? LIMIT 1"),
	    ARGS(user_id, user_id, artifact_id, version_no, c->now), &row));
	*yes = row != NULL;
	return E_OK;
}
