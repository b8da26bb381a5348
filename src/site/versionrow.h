/* SPDX-License-Identifier: Apache-2.0
 * Rows of a version and of its files, as trees are made from them. */
#ifndef VITRINE_VERSIONROW_H
#define VITRINE_VERSIONROW_H
#include "db/db.h"

#define VERSION_ROW(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, INT,  version_no) \
	F(T, ID,   id, .arg = "ver_") \
	F(T, BOOL, is_open) \
	F(T, STR,  entrypoint) \
	F(T, STR,  routing) \
	F(T, STR,  mobile_sha256) \
	F(T, INT,  mobile_size) \
	F(T, JSON, pwa) \
	F(T, STR,  icon_sha256) \
	F(T, INT,  icon_size)
/* is_open: everybody who sees the artifact sees this version at its own address; they always see
 * the live one. */
SHAPE_DECLARE(version_row, VERSION_ROW);

#define FILE_ROW(F, T) \
	F(T, STR,  path) \
	F(T, STR,  sha256) \
	F(T, INT,  size_bytes) \
	F(T, STR,  mime) \
	F(T, BOOL, declared) \
	F(T, BOOL, view)
/* view: the row is a view's (site/fileview.h), not a file's. */
SHAPE_DECLARE(file_row, FILE_ROW);

/* True for files that we read and never serve: _redirects, _headers, vitrine.yaml. */
bool file_is_settled(const char *path);
#endif
