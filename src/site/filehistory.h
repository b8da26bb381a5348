/* SPDX-License-Identifier: Apache-2.0
 * A file through the versions of an artifact: the versions that changed it, and for each line the
 * version that it comes from. Only versions that have been live count, because a draft that never
 * was isn't part of the page's past; a draft that is named itself counts, too. */
#ifndef VITRINE_FILEHISTORY_H
#define VITRINE_FILEHISTORY_H
#include "core/artifact.h"

#define FILE_HISTORY_QUERY(F, T) \
	F(T, STR, path, .flags = F_REQ, .lo = 1, .hi = 1024, .eg = "\"index.html\"") \
	PAGE_FIELDS(F, T, 2048)
SHAPE_DECLARE(file_history_query, FILE_HISTORY_QUERY);

#define FILE_CHANGE(F, T) \
	F(T, INT,  version_no) \
	F(T, TIME, at) \
	F(T, STR,  by, .flags = F_NUL, .doc = "Name of who published it") \
	F(T, STR,  agent_name, .flags = F_NUL, .doc = "The agent that did it for them") \
	F(T, STR,  message, .flags = F_NUL) \
	F(T, WORD, change, .arg = "added|changed|removed") \
	F(T, INT,  size_bytes, .flags = F_NUL, .doc = "null: removed") \
	F(T, STR,  sha256, .flags = F_HID)
SHAPE_DECLARE(file_change, FILE_CHANGE);

#define BLAME_QUERY(F, T) \
	F(T, STR, path, .flags = F_REQ, .lo = 1, .hi = 1024, .eg = "\"index.html\"") \
	F(T, INT, version, .lo = 1, .hi = 2147483647, .doc = "Default: the live version")
SHAPE_DECLARE(blame_query, BLAME_QUERY);

#define BLAME_LINES(F, T) \
	F(T, INT,  from, .doc = "The first line") \
	F(T, INT,  to, .doc = "The last one") \
	F(T, INT,  version_no) \
	F(T, TIME, at) \
	F(T, STR,  by, .flags = F_NUL) \
	F(T, STR,  agent_name, .flags = F_NUL, .doc = "The agent that did it for them") \
	F(T, STR,  text, .flags = F_HID, .doc = "For pages")
SHAPE_DECLARE(blame_lines, BLAME_LINES);
#define BLAME(F, T) \
	F(T, LIST, lines, .sub = &blame_lines_shape, .doc = "All lines, in order") \
	F(T, BOOL, older, \
		.doc = "Lines of the first version named here may be older: only the last 200 " \
		       "changes, and some seconds, are looked at")
SHAPE_DECLARE(blame, BLAME);

/* Lists the changes of a file, newest first. */
enum err file_history(struct ctx *c, const struct artifact *a, const struct file_history_query *q,
    struct list *out, const char **next);
/* E_NOT_FOUND; E_FILE_TOO_LARGE if the file isn't text in UTF-8, or is too long to compare. */
enum err file_blame(
    struct ctx *c, const struct artifact *a, const struct blame_query *q, struct blame **out);
#endif
