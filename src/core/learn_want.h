/* SPDX-License-Identifier: Apache-2.0
 * Asks for notes to be made from a page (knowledge/learning.h), in the transaction that makes
 * another version live or renames the artifact. */
#ifndef VITRINE_LEARN_WANT_H
#define VITRINE_LEARN_WANT_H
#include "db/ids.h"

/* Statements for a compound one (BEGIN NOT ATOMIC) that has changed the artifact; art and at are
 * its variables. If the workspace has turned knowledge off, they read its row and do nothing. The
 * runner checks the plan later. */
#define LEARN_WANT(art, at) \
	" BEGIN DECLARE learner " SQL_ID " DEFAULT" \
	" (SELECT w.id FROM artifact a JOIN workspace w ON w.id = a.workspace_id AND w.knowledge" \
	" WHERE a.id = " art " AND a.live_no IS NOT NULL AND a.deleted_at IS NULL);" \
	" IF learner IS NOT NULL THEN" \
	" INSERT INTO learning (artifact_id, workspace_id, wanted_at, due_at, at)" \
	" VALUES (" art ", learner, " at ", " at ", " at ") ON DUPLICATE KEY UPDATE" \
	" workspace_id = VALUES(workspace_id)," \
	" outcome = IF(forgotten, outcome, 'waiting'), stage = 'page', attempts = 0," \
	" wanted_at = VALUES(wanted_at), due_at = IF(forgotten, NULL, VALUES(due_at))," \
	" at = IF(forgotten, at, VALUES(at)); END IF; END;"
#endif
