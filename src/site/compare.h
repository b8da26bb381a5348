/* SPDX-License-Identifier: Apache-2.0
 * Compares two versions of an artifact: which files differ, and of a text which lines. Both must be
 * versions that the caller sees. */
#ifndef VITRINE_COMPARE_H
#define VITRINE_COMPARE_H
#include "base/textdiff.h"
#include "site/version.h"

#define COMPARED_SIDE(F, T) \
	F(T, INT,  size_bytes) \
	F(T, STR,  mime) \
	F(T, STR,  sha256)
SHAPE_DECLARE(compared_side, COMPARED_SIDE);

#define COMPARED_TEXT(F, T) \
	F(T, STR,  path) \
	F(T, STR,  was,        .flags = F_NUL) \
	F(T, BOOL, too_large,  .doc = "More than 1 MiB, or more than 20,000 lines") \
	F(T, INT,  insertions) \
	F(T, INT,  deletions) \
	F(T, LIST, lines,      .sub = &diff_line_shape, \
		.doc = "Empty if it is too large, or no line differs")
SHAPE_DECLARE(compared_text, COMPARED_TEXT);

#define COMPARED_FILE(F, T) \
	F(T, STR,  path,    .doc = "In `to`; of a removed file, in `from`") \
	F(T, STR,  was,     .flags = F_NUL, .doc = "Its path in `from`, if it was renamed") \
	F(T, WORD, status,  .arg = "added|changed|removed|renamed", \
		.doc = "renamed: the same bytes at another path") \
	F(T, OBJ,  from,    .flags = F_NUL, .sub = &compared_side_shape) \
	F(T, OBJ,  to,      .flags = F_NUL, .sub = &compared_side_shape) \
	F(T, BOOL, is_text, .doc = "Its lines can be compared") \
	F(T, INT,  no,      .flags = F_HID, .doc = "For pages: its place, from 1") \
	F(T, BOOL, picture, .flags = F_HID, .doc = "For pages: browsers show it as a picture") \
	F(T, OBJ,  text,    .flags = F_HID, .sub = &compared_text_shape, \
		.doc = "For pages: its lines, or that it is too large; NULL: not shown")
SHAPE_DECLARE(compared_file, COMPARED_FILE);

#define COMPARED(F, T) \
	F(T, INT,  from) \
	F(T, INT,  to) \
	F(T, STR,  message,     .flags = F_NUL, .doc = "Of `to`") \
	F(T, INT,  added) \
	F(T, INT,  changed) \
	F(T, INT,  removed) \
	F(T, INT,  renamed) \
	F(T, INT,  same,        .doc = "Files that are equal in both") \
	F(T, LIST, files,       .sub = &compared_file_shape, .doc = "Those that differ, by path") \
	F(T, STR,  next_cursor, .flags = F_NUL)
SHAPE_DECLARE(compared, COMPARED);

#define COMPARE_VERSIONS(F, T) \
	F(T, INT, from, .lo = 1, .hi = 2147483647, \
		.doc = "Default: the live version if that is older than `to`, " \
		       "else the one before `to`") \
	F(T, INT, to,   .lo = 1, .hi = 2147483647, .doc = "Default: the newest version")
SHAPE_DECLARE(compare_versions, COMPARE_VERSIONS);
#define COMPARE_QUERY(F, T) COMPARE_VERSIONS(F, T) PAGE_FIELDS(F, T, 4096)
SHAPE_DECLARE(compare_query, COMPARE_QUERY);

#define COMPARE_TEXT_QUERY(F, T) \
	COMPARE_VERSIONS(F, T) \
	F(T, STR,  path,  .flags = F_REQ, .hi = 1024, .eg = "index.html", \
		.doc = "In `to`, or in `from`") \
	F(T, STR,  was,   .hi = 1024, .doc = "Its path in `from`, if that is another") \
	F(T, BOOL, whole, .doc = "All lines, not only those around changes")
SHAPE_DECLARE(compare_text_query, COMPARE_TEXT_QUERY);

/* Finds the two versions of these numbers, 0: the default. Of the first version `from` is the
 * version itself. E_NOT_FOUND if the caller doesn't see one of them. */
enum err versions_pick(struct ctx *c, const struct artifact *a, int64_t from_no, int64_t to_no,
    struct version **from, struct version **to);
/* E_NOT_FOUND if the caller doesn't see one of the versions. */
enum err compare_files(
    struct ctx *c, const struct artifact *a, const struct compare_query *, struct compared **out);
/* Compares the lines of a file's two sides. E_INVALID if one of them isn't text. */
enum err compare_lines(
    struct ctx *c, const struct compared_file *, bool whole, struct compared_text **out);
/* E_NOT_FOUND too if neither version has the file; E_INVALID as compare_lines(). */
enum err compare_text(struct ctx *c, const struct artifact *a, const struct compare_text_query *,
    struct compared_text **out);
#endif
