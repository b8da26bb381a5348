/* SPDX-License-Identifier: Apache-2.0 */
#include "core/find.h"

SHAPE_DEFINE(find_text, FIND_TEXT);
SHAPE_DEFINE(found, FOUND);

enum err
find_changed(struct ctx *c, enum find_kind kind, const char *id)
{
	return follow(c, WORDS_CHANGED, &(struct happened){ .find_kind = kind, .find_id = id });
}
