/* SPDX-License-Identifier: Apache-2.0
 * A collection: files of a library in an order, shown by delivery links. Only its maker sees it. A
 * deleted file leaves it. Source: interface, "Asset library"; assets/README.md. */
#ifndef VITRINE_COLLECTION_H
#define VITRINE_COLLECTION_H
#include "assets/asset.h"

enum { COLLECTION_FILES = 200, COLLECTIONS_MOST = 2000 /* of one person in a library */ };

#define COLLECTION(F, T) \
	F(T, ID,   id,         .arg = "col_") \
	F(T, STR,  name) \
	F(T, STRS, deliverable_ids, .wire = "deliverableIds", .item = K_ID, .arg = "dlv_") \
	F(T, OBJ,  created_by, .wire = "createdBy", .sub = &asset_person_shape) \
	F(T, DATETIME, created_at, .wire = "createdAt") \
	F(T, STR,  ids,        .flags = F_HID, .doc = "Between spaces")
SHAPE_DECLARE(collection, COLLECTION);

#define COLLECTION_NEW(F, T) \
	F(T, STR,  name, .lo = 1, .hi = FILENAME_BYTES, .doc = "Absent: the first file's name") \
	F(T, STRS, deliverable_ids, .wire = "deliverableIds", .flags = F_REQ, .lo = 1, \
		.hi = COLLECTION_FILES, .item = K_ID, .arg = "dlv_")
SHAPE_DECLARE(collection_new, COLLECTION_NEW);

/* The caller's, newest first. */
enum err collection_list(struct ctx *c, const struct library *, const struct principal *who,
    const struct page_query *, struct collection_list *out, const char **next);
/* E_NOT_FOUND for others'. lock: until the commit. */
enum err collection_get(struct ctx *c, const struct library *, const struct principal *who,
    const char *id, bool lock, struct collection **out);
/* E_NOT_FOUND names a file that the caller doesn't see. */
enum err collection_add(struct ctx *c, const struct library *, const struct principal *who,
    const struct collection_new *, const char **id);
/* Deletes the collection and revokes its links. */
enum err collection_delete(struct ctx *c, const struct library *, const struct principal *who,
    const char *id);
#endif
