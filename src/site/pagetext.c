/* SPDX-License-Identifier: Apache-2.0 */
#include "site/pagetext.h"

#include "core/find.h"

static enum err
text_write(struct ctx *c, const struct page_due *d, const char *text)
{
	TRY(db_begin(c));
	TRY(db_exec(c,
	    EXEC("INSERT INTO page_text (artifact_id, version_no, body)"
		 " SELECT a.id, a.live_no, ? FROM artifact a WHERE a.id = ? AND a.live_no = ?"
		 " ON DUPLICATE KEY UPDATE version_no = VALUES(version_no), body = VALUES(body)"),
	    ARGS(text, d->artifact_id, d->version_no), NULL));
	TRY(find_changed_now(c, FIND_ARTIFACT, d->artifact_id));
	return db_commit(c);
}

enum err
pagetext_keep(struct ctx *c, const struct page_due *d, const char *text)
{
	enum err e;
	int tries = 0;

	do
		e = text_write(c, d, text);
	while (db_again(c, e, &tries));
	return e;
}

PURGES(pagetext, ROWS_OF(page_text));
