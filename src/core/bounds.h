/* SPDX-License-Identifier: Apache-2.0
 * Bounds of what a workspace keeps that no setting changes, as GET /v1/limits tells them. */
#ifndef VITRINE_BOUNDS_H
#define VITRINE_BOUNDS_H

enum {
	CATALOG_ENTRIES = 5000, /* of a data catalog */
	CATALOG_FILE_BYTES = 256 << 10
};
#endif
