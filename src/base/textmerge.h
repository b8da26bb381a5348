/* SPDX-License-Identifier: Apache-2.0
 * Merges two texts that were made from one, by lines, as `diff3 -m` does. Changes that touch are a
 * conflict, unless both sides made the same change. */
#ifndef VITRINE_TEXTMERGE_H
#define VITRINE_TEXTMERGE_H
#include "base/shape.h"

enum { MERGE_TEXT_BYTES = 1 << 20, MERGE_TEXT_LINES = 20000 };

#define MERGE_HUNK(F, T) \
	F(T, INT, line, .doc = "Of yours, from 1") \
	F(T, STR, base) \
	F(T, STR, yours) \
	F(T, STR, theirs)
SHAPE_DECLARE(merge_hunk, MERGE_HUNK);

struct text_merged {
	const char *text; /* conflicts are between lines <<<<<<<, =======, >>>>>>> */
	size_t n;
	struct merge_hunk_list hunks; /* the conflicts */
};
/* yours_name and theirs_name follow the marks. Returns false if a text has more than
 * MERGE_TEXT_LINES, or too many lines differ for text_match(). */
bool text_merge(void *owner, const char *base, const char *yours, const char *theirs,
    const char *yours_name, const char *theirs_name, struct text_merged *out);
#endif
