/* SPDX-License-Identifier: Apache-2.0
 * SQL that writes the rows of a version's files and counts their bytes, for publish.c. */
#ifndef VITRINE_VERSIONSQL_H
#define VITRINE_VERSIONSQL_H
#include "core/storage.h"

#define FILE_INSERT \
	"INSERT INTO version_file" \
	" (artifact_id, version_no, path, sha256, size_bytes, mime, declared)"
#define OWNED_INSERT "INSERT IGNORE INTO owned_object (owner_id, sha256, size_bytes)"

/* SQL: 1 if the artifact has had these bytes in an earlier row `o`, else NULL. The subquery ends at
 * the first one found. */
#define HAS_HAD(table, digest_column, index, digest, art, earlier) \
	"(SELECT 1 FROM " table " o FORCE INDEX (" index ") WHERE o." digest_column " = " digest \
	" AND o.artifact_id = " art " AND " earlier " LIMIT 1)"
#define FILE_IS_NEW \
	HAS_HAD("version_file", "sha256", "version_file_sha256", "f.sha256", "f.artifact_id", \
	    "(o.version_no < f.version_no OR (o.version_no = f.version_no AND o.path < f.path))") \
	" IS NULL"
/* The bytes of version v that its artifact has not had before, of its files after that path. */
#define VERSION_ADDS(after) \
	"(SELECT COALESCE(SUM(f.size_bytes), 0) FROM version_file f" \
	" WHERE f.artifact_id = v.artifact_id AND f.version_no = v.version_no AND f.path > " after \
	" AND " FILE_IS_NEW ") + " EXTRAS_ADD
#define EXTRAS_ADD EXTRA_ADDS("mobile") " + " EXTRA_ADDS("icon")
#define EXTRA_ADDS(kind) \
	"IF(" HAS_HAD("version", kind "_sha256", "version_" kind, "v." kind "_sha256", \
	    "v.artifact_id", "o.version_no < v.version_no") \
	" IS NULL, COALESCE(v." kind "_size, 0), 0)"

/* The last statement that writes a version's files. It locks the owner's counter, so it comes
 * last. */
#define RECORD_ID SQL_ID " DEFAULT ?;"
#define STORAGE_DECLARE \
	" DECLARE space " RECORD_ID " DECLARE holder " RECORD_ID \
	" DECLARE most BIGINT DEFAULT ?; DECLARE more BIGINT DEFAULT "
#define MORE_OF_VERSION(sum) \
	" SELECT " sum " INTO more FROM version v WHERE v.artifact_id = art AND v.version_no = no;"
#define STORAGE_ADD_MORE STORAGE_ADD("art", "space", "holder", "more", "most")

/* For a compound statement that copies the kept rows to version `no` of `art`: its declarations, of
 * struct former's no, n, and runs, and former_newcomer(), and its work. Owned objects are inserted
 * in the order of their digests, so that concurrent transactions lock rows in one order. */
#define FORMER_DECLARE \
	" DECLARE base INT UNSIGNED DEFAULT ?; DECLARE waiting INT DEFAULT ?;" \
	" DECLARE runs LONGTEXT DEFAULT ?; DECLARE newcomer " SQL_ID " DEFAULT ?;"
#define FORMER_COPY \
	" IF waiting > 0 THEN" \
	" FOR run IN (SELECT j.a, j.z FROM JSON_TABLE(runs, '$[*]' COLUMNS" \
	" (a VARCHAR(1024) PATH '$[0]', z VARCHAR(1024) PATH '$[1]')) j) DO" \
	" " FILE_INSERT " SELECT artifact_id, no, path, sha256, size_bytes, mime, declared" \
	" FROM version_file WHERE artifact_id = art AND version_no = base" \
	" AND path BETWEEN run.a AND run.z;" \
	" SET waiting = waiting - ROW_COUNT(); END FOR;" \
	" IF waiting <> 0 THEN SIGNAL SQLSTATE '45000'" \
	" SET MESSAGE_TEXT = 'rows of the former version are missing'; END IF;" \
	" IF newcomer IS NOT NULL THEN" \
	" " OWNED_INSERT " SELECT newcomer, sha256, size_bytes FROM version_file" \
	" WHERE artifact_id = art AND version_no = no ORDER BY sha256;" \
	" END IF; END IF;"
#endif
