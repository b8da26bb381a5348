/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/named.h"

#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"
#include "cli/http.h"

struct sought {
	const struct named *of;
	const char *key; /* the name in the form that is compared */
	const char *id;  /* found, or NULL */
	void *mem;       /* the command's, which outlives that of a page */
};

static int
page_search(struct cli *cli, const struct json *reply, void *arg)
{
	struct sought *s = arg;
	size_t n;
	const struct json *rows = json_list(reply, s->of->list, &n);

	for (size_t i = 0; i < n && !s->id; i++) {
		const char *is = json_member(json_at(rows, i), s->of->member),
			   *id = json_member(json_at(rows, i), "id");

		if (str_eq(s->of->exact ? is : unicode_name_key(cli->c->mem, is), s->key) &&
		    (!s->of->id_prefix || id_valid(id, s->of->id_prefix)))
			s->id = mem_strdup(s->mem, id);
	}
	return EXIT_FINE;
}

const char *
named_find(struct cli *cli, const char *path, const struct named *of, const char *typed,
    int *status)
{
	struct sought s = { .of = of,
		.key = of->exact ? typed : unicode_name_key(cli->c->mem, typed),
		.mem = cli->c->mem };

	*status = http_pages(cli, path, of->list, page_search, &s);
	return *status ? NULL : s.id;
}
