/* SPDX-License-Identifier: Apache-2.0
 * Asks for names as the runner's lane does: dns CONF NAME TYPE [NAME TYPE]…. Prints a line for each: found, none or silent, then the values
 * or why. */
#include "base/conf.h"
#include "ext/dns.h"

enum { ASKED = 20 };

int
main(int argc, char **argv)
{
	static const char *const said[] = { "silent", "none", "found" };
	struct dns_question q[ASKED] = { 0 };
	void *mem = mem_root("dns");
	const char *why = "usage: dns CONF NAME TYPE …";
	const struct conf *conf;
	size_t n = 0;
	struct ctx *c;
	enum err e;

	apart_prepare((struct apart_kind[]){ { .work = dns_work } }, 1);
	conf = argc > 3 ? conf_load(mem, argv[1], &why) : NULL;
	if (!conf) {
		fprintf(stderr, "%s\n", why);
		return 64;
	}
	c = ctx_begin(conf, NULL);
	for (int i = 2; i + 1 < argc && n < ASKED; i += 2)
		q[n++] = (struct dns_question){ .name = argv[i], .type = argv[i + 1] };
	e = dns_ask(c, q, n);
	if (e)
		printf("%s %s\n", err_table[e].code, ctx_why(c));
	for (size_t i = 0; !e && i < n; i++)
		printf("%s %s%s%s\n", said[q[i].said], strs_join(c->mem, &q[i].values, "|"), q[i].why ? " " : "", q[i].why ? q[i].why : "");
	ctx_end(c);
	mem_free(mem);
	return e != E_OK;
}
