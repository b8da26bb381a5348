/* SPDX-License-Identifier: Apache-2.0
 * When a picture of a page (site/picture.h) is to be made: said in the transaction that changes
 * what it would show. The macros are for files that see core/artifact.h. */
#ifndef VITRINE_PICTURE_WANT_H
#define VITRINE_PICTURE_WANT_H

/* Of the artifact a. Unlisted pages are shown to whoever has their address, and to no browser of
 * ours. */
#define PICTURE_IS_ALLOWED \
	"(a.visibility = 'public' AND a.owner_id IS NOT NULL AND " ARTIFACT_IS_SHOWN ")"

/* Statements for a compound one (BEGIN NOT ATOMIC) that has changed the artifact: art and at are
 * its variables. A picture of the live version stays; one that is wanted waits until the last was
 * begun a minute ago, so that whoever publishes all the time has one a minute. Where there is none,
 * none is deleted, which would lock more than looking does. */
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
#endif
