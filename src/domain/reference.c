/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/reference.h"

SHAPE_DEFINE(reference, REFERENCE);

enum err
reference_list(struct ctx *c, struct list *out)
{
	return db_all(c,
	    ROWS(reference,
		"SELECT sha256, size_bytes FROM version_file"
		" UNION SELECT mobile_sha256, mobile_size FROM version WHERE mobile_sha256 IS NOT NULL"
		" UNION SELECT icon_sha256, icon_size FROM version WHERE icon_sha256 IS NOT NULL"),
	    NOARGS, out);
}

enum err
reference_exists(struct ctx *c, const uint8_t sha256[SHA256_BYTES], bool *yes)
{
	struct bytes b = { sha256, SHA256_BYTES };
	struct reference *row;

	TRY(db_find(c,
	    ROWS(reference,
		"SELECT sha256, size_bytes FROM version_file WHERE sha256 = ?"
		" UNION SELECT mobile_sha256, mobile_size FROM version WHERE mobile_sha256 = ?"
		" UNION SELECT icon_sha256, icon_size FROM version WHERE icon_sha256 = ? LIMIT 1"),
	    ARGS(b, b, b), &row));
	*yes = row != NULL;
	return E_OK;
}
