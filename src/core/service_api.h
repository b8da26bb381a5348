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
	F(T, INT, max_ticket_bytes) \
	F(T, INT, emails_per_day, .doc = "That one user may cause, by UTC days") \
	F(T, INT, artifact_emails_per_day, .doc = "About one artifact, whoever causes them") \
	F(T, INT, outside_emails_per_day, \
		.doc = "Of one sender's jobs to one address; none for the artifact's owner " \
		       "and the members of its workspace")
SHAPE_DECLARE(limits_now, LIMITS_NOW);
struct limits_now *limits_now(struct ctx *c); /* the limits in force; in c->mem */
#endif
