/* SPDX-License-Identifier: Apache-2.0
 * The row of an artifact's JSON document (data/document.h). Pages poll it, so one statement reads
 * it with the artifact. */
#ifndef VITRINE_DOCUMENT_ROW_H
#define VITRINE_DOCUMENT_ROW_H
#include "base/shape.h"

#define DOCUMENT(F, T) \
	F(T, STR,  body) \
	F(T, STR,  sha256) \
	F(T, INT,  size_bytes) \
	F(T, TIME, updated_at)
/* body is NULL if the caller didn't ask for it. sha256 is NULL in an artifact's `document`
 * (core/artifact.h) if there is none. */
SHAPE_DECLARE(document, DOCUMENT);

/* Columns and table of the document of the artifact `id`, for statements that read more; p is the
 * prefix as in ARTIFACT_PLAIN. Their argument is the text of an If-None-Match, or NULL. If the text
 * contains the document's ETag, the body isn't read. */
#define DOCUMENT_COLUMNS(p) \
	"IF(INSTR(?, LOWER(HEX(LEFT(d.sha256, 12)))), NULL, d.body) AS `" p "body`," \
	" d.sha256 AS `" p "sha256`, d.size_bytes AS `" p "size_bytes`," \
	" d.updated_at AS `" p "updated_at`"
#define DOCUMENT_TABLE(id) " LEFT JOIN document d ON d.artifact_id = " id
#endif
