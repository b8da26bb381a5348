/* SPDX-License-Identifier: Apache-2.0
 * Writes bytes of an artifact as its data will be written, without a lock of its row, and takes them away again: storage CONF ARTIFACT USER BYTES
 * TIMES. TIMES 0: they stay. A transaction that is lost runs again, as a request's does. Prints how often there was no room, or the first other
 * refusal with its details. */
#include "base/conf.h"
#include "base/str.h"
#include "core/storage.h"

static enum err
add_once(struct ctx *c, const char *art, const struct principal *who, int64_t bytes)
{
	TRY(db_begin(c));
	TRY(storage_add(c, art, who, bytes));
	return db_commit(c);
}

static enum err
add(struct ctx *c, const char *art, const struct principal *who, int64_t bytes)
{
	enum err e;

	while ((e = add_once(c, art, who, bytes))) {
		db_rollback(c);
		if (!c->replay)
			return e;
		ctx_again(c);
	}
	return E_OK;
}

static enum err
add_and_take(
    struct ctx *c, const char *art, const struct principal *who, int64_t bytes, int64_t times)
{
	int64_t full = 0;

	if (!times)
		return add(c, art, who, bytes);
	for (int64_t i = 0; i < times; i++) {
		enum err e = add(c, art, who, bytes);

		if (e && e != E_STORAGE_FULL)
			return e;
		full += e == E_STORAGE_FULL;
		if (!e)
			TRY(add(c, art, who, -bytes));
	}
	printf("full %lld times\n", (long long)full);
	return E_OK;
}

int
main(int argc, char **argv)
{
	void *mem = mem_root("storage");
	const char *why = "usage: storage CONF ARTIFACT USER BYTES TIMES";
	const struct conf *conf = argc == 6 ? conf_load(mem, argv[1], &why) : NULL;
	struct principal who = { 0 };
	int64_t bytes, times;
	struct ctx *c;
	enum err e;

	if (!conf || !str_int(argv[4], &bytes) || !str_int(argv[5], &times)) {
		fprintf(stderr, "%s\n", why);
		return 64;
	}
	who.user_id = argv[3];
	c = ctx_begin(conf, db_new(mem, conf, DB_REQUEST_S));
	e = add_and_take(c, argv[2], &who, bytes, times);
	if (e)
		printf("%s %s %s\n", err_table[e].code, c->details ? c->details : "-", ctx_why(c));
	ctx_end(c);
	mem_free(mem);
	return e != E_OK;
}
