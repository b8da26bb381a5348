/* SPDX-License-Identifier: Apache-2.0
 * Rows from elsewhere: the first byte says in which form. What is read is JSON with as many rows, and reads the same again. */
#include "base/str.h"
#include "data/intake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *
rows(struct ctx *c, const char *text, size_t n, enum intake_format format, size_t *count)
{
	struct intake *in;
	const char *json;

	if (intake_read(c, text, n, format, &in))
		return NULL;
	*count = in->rows;
	if (intake_json(c, in, &json))
		abort();
	return json;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	size_t one, two;
	const char *first, *again;
	struct json *tree;

	/* Whoever answers a request ends its body with a NUL that is no part of it. */
	first = n ? rows(c, mem_strndup(c->mem, (const char *)data + 1, n - 1), n - 1, data[0] % 3, &one) : NULL;
	if (first) {
		if (strlen(first) < 65536 && (json_parse(c, first, strlen(first), &tree) || json_kind(tree) != J_ARR || json_len(tree) != one))
			abort();
		again = rows(c, first, strlen(first), INTAKE_JSON, &two);
		if (!again || one != two || !str_eq(first, again))
			abort();
	}
	ctx_end(c);
	return 0;
}
