/* SPDX-License-Identifier: Apache-2.0 */
#include "core/find.h"

#include "base/conf.h"

SHAPE_DEFINE(find_text, FIND_TEXT);
SHAPE_DEFINE(found, FOUND);

const char *
find_url(struct ctx *c, const char *path)
{
	return mem_printf(c->mem, "%s%s", c->conf->base_url, path);
}

enum err
find_rows(struct ctx *c, struct found_rows rows, const struct find_asked *asked,
    struct found_list *out)
{
	TRY(db_all(c, rows, FIND_ARGS(asked), out));
	for (size_t i = 0; i < out->n; i++)
		out->v[i].url = find_url(c, out->v[i].url);
	return E_OK;
}

enum err
find_changed(struct ctx *c, enum find_kind kind, const char *id)
{
	return follow(c, WORDS_CHANGED, &(struct happened){ .find_kind = kind, .find_id = id });
}
