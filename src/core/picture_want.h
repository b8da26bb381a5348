/* SPDX-License-Identifier: Apache-2.0
 * Asks for a page to be opened in our browser, for a picture (site/picture.h) or to see what breaks
 * (site/seen.h), in the transaction that changes how it looks. The macros are for files that
 * include core/artifact.h. */
#ifndef VITRINE_PICTURE_WANT_H
#define VITRINE_PICTURE_WANT_H

/* SQL condition: our browser may open the artifact a. It never opens unlisted pages, though anyone
 * with their address may. */
#define PICTURE_IS_ALLOWED \
	"(a.visibility = 'public' AND a.owner_id IS NOT NULL AND " ARTIFACT_IS_SHOWN ")"

/* Statements for a compound one (BEGIN NOT ATOMIC) that has changed the artifact; art and at are
 * its variables. A picture of the live version stays. A new picture waits until a minute after the
 * last one was begun, so frequent publishing makes one a minute. We delete none, because a DELETE
 * that finds no row locks more than a SELECT. */
#define PICTURE_WANT(art, at) \
	" BEGIN DECLARE live INT UNSIGNED DEFAULT" \
	" (SELECT a.live_no FROM artifact a WHERE a.id = " art " AND " PICTURE_IS_ALLOWED ");" \
	" IF live IS NOT NULL THEN INSERT INTO picture (artifact_id, wanted_at, due_at)" \
	" VALUES (" art ", " at ", " at ")" \
	" ON DUPLICATE KEY UPDATE" \
	" wanted_at = IF(version_no = live, wanted_at, VALUES(wanted_at))," \
	" due_at = IF(version_no = live, due_at, GREATEST(VALUES(due_at), begun_at + 60))," \
	" attempts = IF(version_no = live, attempts, 0);" \
	" ELSEIF (SELECT 1 FROM picture WHERE artifact_id = " art ") IS NOT NULL THEN" \
	" DELETE FROM picture WHERE artifact_id = " art "; END IF; END;"

/* A version becomes live: the runner opens it within seconds, but each artifact at most six times a
 * minute. What was seen of the version before stays meanwhile. */
#define SEEN_FRESH(art, no, at) \
	" INSERT INTO page_seen (artifact_id, version_no, wanted_at, due_at)" \
	" SELECT " art ", " no ", " at ", GREATEST(" at ", COALESCE(MAX(s.begun_at), 0) + 10)" \
	" FROM page_seen s WHERE s.artifact_id = " art " ON DUPLICATE KEY UPDATE" \
	" wanted_at = IF(seen_at IS NULL, VALUES(wanted_at), page_seen.wanted_at)," \
	" due_at = VALUES(due_at), attempts = 0;"
/* For a change by which a live version that nobody looked at may be opened, such as the end of a
 * pause. */
#define SEEN_WANT(art, at) \
	" BEGIN DECLARE fresh INT UNSIGNED DEFAULT" \
	" (SELECT a.live_no FROM artifact a LEFT JOIN page_seen k ON k.artifact_id = a.id" \
	" AND k.version_no = a.live_no WHERE a.id = " art " AND k.artifact_id IS NULL" \
	" AND " ARTIFACT_IS_AWAKE ");" \
	" IF fresh IS NOT NULL THEN" SEEN_FRESH(art, "fresh", at) " END IF; END;"
#endif
