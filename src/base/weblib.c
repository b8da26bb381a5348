/* SPDX-License-Identifier: Apache-2.0 */
#include "base/weblib.h"

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>

enum { LIST_BYTES = 64 << 10 };
static struct weblib *all;
static size_t all_n;

static int
one_add(void *mem, const char *specifier, const struct json *file)
{
	if (json_kind(file) == J_STR)
		all[all_n++] = (struct weblib){ mem_strdup(mem, specifier),
			mem_printf(mem, "/_vitrine/lib/%s", json_str(file)) };
	return 0;
}

static void
list_read(struct ctx *c)
{
	const char *path = mem_printf(c->mem, "%s/nginx/lib/index.json", conf_share_dir());
	char *text = mem_zalloc(c->mem, LIST_BYTES);
	FILE *in = fopen(path, "re");
	struct json *list;
	size_t n, at;

	if (!in)
		return;
	n = fread(text, 1, LIST_BYTES, in);
	fclose(in);
	if (json_wrong(c, text, n, &list, &at))
		return;
	all = mem_array(mem_root("weblib"), struct weblib, json_count(list));
	json_each(list, one_add, all);
}

void
weblib_open(const struct conf *conf)
{
	struct ctx *c = ctx_begin(conf, NULL);

	all_n = 0;
	list_read(c);
	ctx_end(c);
}

const char *
weblib_url(const char *specifier)
{
	for (size_t i = 0; i < all_n; i++)
		if (str_eq(all[i].specifier, specifier))
			return all[i].url;
	return NULL;
}

const struct weblib *
weblib_all(size_t *n)
{
	*n = all_n;
	return all;
}
