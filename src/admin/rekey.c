/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl rekey: seals all secrets anew under key_file's key, while the service runs. It stores
 * no state: a sealed value names its key, so an interrupted rekey continues with the rest. */
#include "admin/cmd.h"
#include "base/conf.h"
#include "base/str.h"
#include "db/sealed.h"

#include <errno.h>
#include <unistd.h>

struct renewing {
	const struct sealed *column;
	int64_t renewed, seen;
};

static void
renewed_one(void *arg, struct ctx *one, const struct sealed_row *row, enum seal_key by)
{
	struct renewing *r = arg;

	if (by == SEAL_NO_KEY && !row->ended && !r->column->passing)
		printf("%s\n", sealed_lost(one->mem, r->column, row));
	r->seen++;
}

static void
renewed_piece(void *arg, int64_t renewed)
{
	struct renewing *r = arg;

	r->renewed += renewed;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s: %lld", r->column->column, (long long)r->seen);
}

/* Refuses while a running worker or runner seals with another key: rekey would never end, and
 * programs without the new key could read nothing. */
static enum err
others_refuse(struct ctx *c)
{
	const char *id, *why;

	if (!seal_others(c->mem, c->conf, &id, &why))
		return fail(c, E_CONFLICT, "%s", why);
	return id
	    ? fail(c, E_CONFLICT,
		  "a worker or runner that is running seals with key %s, not with key %s of "
		  "key_file: reload vitrine-worker and vitrine-runner, wait until their requests "
		  "and jobs have ended, at most two minutes, and run vitrinectl rekey again",
		  id, seal_key_id(SEAL_KEY))
	    : E_OK;
}

/* Prints which secrets are left, by column. */
static enum err
left_print(struct cmd_call *call, bool columns)
{
	struct ctx *c = call->c;
	struct sealed_left all = { 0 };
	const char *say;

	for (const struct sealed *const *s = sealed_columns; *s; s++) {
		int64_t other = all.other, lost = all.lost;

		TRY(sealed_count(c, *s, &all));
		if (columns)
			printf("%s: %lld under other_key_file, %lld that no key opens\n",
			    (*s)->column, (long long)(all.other - other),
			    (long long)(all.lost - lost));
	}
	say = sealed_left_say(c, &all);
	call->exit = say != NULL;
	printf("%s\n", say ? say : "every secret is sealed under key_file");
	if (!say && seal_key_id(SEAL_OTHER_KEY))
		puts("other_key_file isn't needed any more: set it to \"-\" and reload; "
		     "keep its key with the backups of its time");
	return E_OK;
}

static enum err
cmd_rekey(struct cmd_call *call)
{
	struct ctx *c = call->c;
	const char *path = usage_option(&call->with, "--make"), *why;
	bool check = usage_option(&call->with, "--check");

	if (path && !seal_key_new(path))
		return fail(c, E_CONFLICT, "%s: %s", path, strerror(errno));
	if (path) {
		printf("%s: a new key; keep a copy apart from the backups\n", path);
		return E_OK;
	}
	if (!seal_read(c->mem, c->conf, &why))
		return fail(c, E_CONFLICT, "%s", why);
	printf("key_file: key %s\n", seal_key_id(SEAL_KEY));
	if (seal_key_id(SEAL_OTHER_KEY))
		printf("other_key_file: key %s\n", seal_key_id(SEAL_OTHER_KEY));
	if (check)
		return left_print(call, true);
	TRY(others_refuse(c));
	for (const struct sealed *const *s = sealed_columns; *s; s++) {
		struct renewing r = { .column = *s };

		TRY(sealed_each(c, *s, SEALED_RENEW,
		    &(struct sealed_calls){
			.one = renewed_one, .piece = renewed_piece, .arg = &r }));
		if (isatty(STDERR_FILENO))
			fputc('\r', stderr);
		printf("%s: %lld sealed anew\n", (*s)->column, (long long)r.renewed);
		/* Shows progress to a program that reads along. */
		fflush(stdout);
	}
	return left_print(call, false);
}

const struct cmd rekey_cmds[] = {
	{ "rekey", "[--check] [--make FILE]",
	    "seal every secret anew under key_file's key, while the service runs; "
	    "only say what is left; only make a new key",
	    cmd_rekey },
	{ 0 },
};
