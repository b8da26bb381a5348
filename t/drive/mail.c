/* SPDX-License-Identifier: Apache-2.0
 * Queues e-mail as the service does, for tests of the runner: mail CONF COUNT TEMPLATE TO SENDER ARTIFACT [NAME=VALUE…]. A "%d" in TO
 * or ARTIFACT becomes the number. Each in a transaction of its own, run again after a deadlock; prints "queued" or the error's code and
 * message. With GO_ON in the environment it commits in spite of a limit. */
#include "base/conf.h"
#include "base/str.h"
#include "core/mail.h"

static enum err
one(struct ctx *c, const struct mail *m)
{
	enum err e;

	TRY(db_begin(c));
	e = mail_send(c, m);
	/* What a caller that can do without the mail does. */
	if (!e || (e == E_RATE_LIMITED && getenv("GO_ON"))) {
		enum err committed = db_commit(c);

		e = committed ? committed : e;
	}
	db_rollback(c);
	return e;
}

static void
print_one(const struct conf *conf, struct db *db, const struct mail *m)
{
	for (bool again = true; again;) {
		struct ctx *c = ctx_begin(conf, db);
		enum err e = one(c, m);

		again = e && c->replay;
		if (!again)
			printf("%s%s%s\n", e ? err_table[e].code : "queued", e ? " " : "",
			    !e ? "" : c->internal ? c->internal : c->message ? c->message : "");
		ctx_end(c);
	}
}

static const char *
numbered(void *mem, const char *s, int i)
{
	const char *at = strstr(s, "%d");

	return at ? mem_printf(mem, "%.*s%d%s", (int)(at - s), s, i, at + 2) : s;
}

static void
value_set(struct mail_values *values, char *pair)
{
	char *value = strchr(pair, '=');
	const struct field *f;

	*value++ = '\0';
	f = shape_field(&mail_values_shape, pair);
	*(const char **)((char *)values + f->off) = value;
}

int
main(int argc, char **argv)
{
	static const char *const names[MAIL_TEMPLATES] = {
#define MAIL(template, name, ...) [MAIL_##template] = name,
#include "core/nouns.def"
	};
	void *mem = mem_root("drive");
	struct mail m = { .template = MAIL_TEMPLATES };
	const struct conf *conf;
	const char *why;
	struct db *db;
	int64_t count;

	if (argc < 7 || !str_int(argv[2], &count) || !(conf = conf_load(mem, argv[1], &why)))
		return 64;
	db = db_new(mem, conf, DB_REQUEST_S);
	for (unsigned i = 0; i < MAIL_TEMPLATES; i++)
		if (str_eq(names[i], argv[3]))
			m.template = i;
	if (m.template == MAIL_TEMPLATES)
		return 64;
	for (int i = 7; i < argc; i++)
		value_set(&m.values, argv[i]);
	for (int i = 0; i < count; i++) {
		m.to = numbered(mem, argv[4], i);
		m.sender_id = *argv[5] ? numbered(mem, argv[5], i) : NULL;
		m.artifact_id = *argv[6] ? numbered(mem, argv[6], i) : NULL;
		print_one(conf, db, &m);
	}
	mem_free(mem);
	return 0;
}
