/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mention.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/markdown.h"
#include "base/mem.h"
#include "base/str.h"

const char *
mention_of(struct ctx *c, const char *workspace_id, const char *address)
{
	const char *base = c->conf->base_url, *id;
	const char *at = mem_printf(c->mem, "/w/%s/catalog/", workspace_id);

	if (str_starts(address, base))
		address += strlen(base);
	if (!str_starts(address, at))
		return NULL;
	address += strlen(at);
	id = mem_strndup(c->mem, address, strcspn(address, "/?#"));
	return id_valid(id, "cat_") ? id : NULL;
}

struct mentions {
	struct ctx *c;
	const char *workspace_id;
	struct strs *out;
};

static const char *
mention_add(void *arg, const char *address)
{
	struct mentions *m = arg;
	const char *id = mention_of(m->c, m->workspace_id, address);

	if (id && m->out->n < MENTIONS && !strs_have(m->out, id))
		m->out->v[m->out->n++] = id;
	return NULL;
}

void
mentions_of(
    struct ctx *c, const char *workspace_id, const char *text, size_t n, struct strs *out)
{
	*out = (struct strs){ mem_array(c->mem, const char *, MENTIONS), 0 };
	markdown_led(c->mem, text, n, mention_add, &(struct mentions){ c, workspace_id, out });
}
