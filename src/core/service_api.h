/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VITRINE_SERVICE_API_H
#define VITRINE_SERVICE_API_H
#include "base/shape.h"

#define LIMITS_NOW(F, T) \
	F(T, INT, publish_per_hour) \
	F(T, INT, max_files) \
	F(T, INT, max_file_bytes) \
	F(T, INT, max_version_bytes) \
	F(T, INT, max_json_bytes) \
	F(T, INT, max_archive_bytes) \
	F(T, INT, trash_days) \
	F(T, INT, storage_per_user, \
		.doc = "Bytes, unless the operator gave you another limit; 0: no limit") \
	F(T, INT, max_blob_bytes) \
	F(T, INT, max_blob_storage_bytes) \
	F(T, INT, max_blobs) \
	F(T, INT, max_asset_bytes) \
	F(T, INT, max_library_bytes) \
	F(T, INT, max_library_files) \
	F(T, INT, max_connections) \
	F(T, INT, max_catalog_entries) \
	F(T, INT, max_catalog_file_bytes) \
	F(T, INT, max_open_tickets) \
	F(T, INT, max_ticket_messages) \
	F(T, INT, max_ticket_bytes)
SHAPE_DECLARE(limits_now, LIMITS_NOW);
struct limits_now *limits_now(struct ctx *c); /* the limits in force; in c->mem */
#endif
