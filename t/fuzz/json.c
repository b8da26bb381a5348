/* SPDX-License-Identifier: Apache-2.0
 * The JSON gate: what it lets through must print as something that it lets through again, and that prints the same. What is said of names that a
 * shape does not know is short and plain. */
#include "base/json.h"
#include "base/str.h"
#include "base/unknown.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define INNER(F, T) F(T, STR, path)
SHAPE_DECLARE(inner, INNER);
SHAPE_DEFINE(inner, INNER);
#define OUTER(F, T) \
	F(T, STR,  name) \
	F(T, LIST, files, .sub = &inner_shape) \
	F(T, OBJ,  a,     .sub = &inner_shape)
SHAPE_DECLARE(outer, OUTER);
SHAPE_DEFINE(outer, OUTER);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct json *tree, *again;

	if (json_parse(c, (const char *)data, n, &tree) == E_OK) {
		const char *text = json_text(c->mem, tree);

		if (json_parse(c, text, strlen(text), &again) ||
		    strcmp(text, json_text(c->mem, again)) != 0 || json_kind(tree) != json_kind(again) ||
		    json_len(tree) != json_len(again))
			abort();
		unknown_members(c, &outer_shape, tree);
		for (size_t i = 0; i < c->warning_n; i++)
			if (!str_plain(c->warnings[i]) || str_chars(c->warnings[i]) > WARNING_CHARS)
				abort();
	}
	ctx_end(c);
	return 0;
}
