/* SPDX-License-Identifier: Apache-2.0
 * Front matter: what is taken is bounded, has each name once and places within the file; what is refused is told with a line and a column of it. */
#include "base/frontmatter.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static size_t
looked(const struct fm *at, int lines, int depth)
{
	size_t count = 1;

	if (depth > FM_DEPTH || at->line < 1 || at->line > lines || at->column < 1 || (at->kind == FM_TEXT && at->n))
		abort();
	for (size_t i = 0; i < at->n; i++) {
		if (at->kind == FM_MAP && fm_get(at, at->v[i].name) != &at->v[i])
			abort();
		count += looked(&at->v[i], lines, depth + 1);
	}
	return count;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	const char *text = mem_strndup(c->mem, (const char *)data, n);
	int lines = 2, line, column;

	/* Of Unicode, three more characters end a line of YAML. */
	for (const char *s = text; *s; s++)
		lines += *s == '\n' || *s == '\r' || (unsigned char)*s >= 0x80;
	for (int yaml = 0; yaml < 2 && str_utf8_valid(text, strlen(text)); yaml++) {
		struct frontmatter f;

		if (frontmatter_read(c, text, yaml, &f)) {
			if (!c->details || sscanf(c->details, "{\"line\":%d,\"column\":%d}", &line, &column) != 2 || line < 1 || line > lines || column < 1)
				abort();
		} else if (f.top && looked(f.top, lines, 0) > 2 * FM_NODES) {
			abort();
		}
	}
	ctx_end(c);
	return 0;
}
