/* SPDX-License-Identifier: Apache-2.0
 * When a page is to be opened in a browser of ours, for a picture (site/picture.h) or to see what
 * goes wrong (site/pagecheck.h): said in the transaction that changes what would be seen. The
 * macros are for files that see core/artifact.h. */
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

/* Of a version that becomes live, to be opened: within seconds, but each artifact six times a
 * minute at most. Whoever opens it looks whether it is shown. */
#define CHECK_FRESH(art, no, at) \
	" INSERT INTO page_check (artifact_id, version_no, wanted_at, due_at)" \
	" VALUES (" art ", " no ", " at ", " at ") ON DUPLICATE KEY UPDATE" \
	" version_no = VALUES(version_no), wanted_at = VALUES(wanted_at)," \
	" due_at = GREATEST(VALUES(due_at), begun_at + 10), attempts = 0, checked_at = NULL," \
	" found = NULL;"
/* Likewise, where it isn't known whether another version has become live. */
#define CHECK_WANT(art, at) \
	" BEGIN DECLARE fresh INT UNSIGNED DEFAULT" \
	" (SELECT a.live_no FROM artifact a LEFT JOIN page_check k ON k.artifact_id = a.id" \
	" WHERE a.id = " art " AND NOT a.live_no <=> k.version_no AND " ARTIFACT_IS_AWAKE ");" \
	" IF fresh IS NOT NULL THEN" CHECK_FRESH(art, "fresh", at) " END IF; END;"
#endif
