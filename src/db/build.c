/* SPDX-License-Identifier: Apache-2.0 */
#include "db/build.h"

static void
sql_wrong(struct sql *q, const char *why)
{
	if (!q->stmt.wrong)
		q->stmt.wrong = why;
}

void
sql_fragment(struct sql *q, const char *text, struct args args)
{
	size_t wanted = 0;

	for (const char *p = text; *p; p++)
		wanted += *p == '?';
	buf_str(&q->text, text);
	if (wanted != args.n) {
		sql_wrong(q, mem_printf(q->text.owner, "%zu values for \"%s\"", args.n, text));
	} else if (args.n > DB_PARAMS - q->n) {
		sql_wrong(q, "a built statement has too many values");
	} else {
		for (size_t i = 0; i < args.n; i++)
			q->args[q->n++] = args.v[i];
	}
}

void
sql_name(struct sql *q, const char *names, size_t i)
{
	const char *at = names;

	for (; at && i; i--) {
		const char *bar = strchr(at, '|');

		at = bar ? bar + 1 : NULL;
	}
	if (at)
		buf_add(&q->text, at, strcspn(at, "|"));
	else
		sql_wrong(q, mem_printf(q->text.owner, "a name beyond \"%s\"", names));
}

struct stmt *
sql_built(struct sql *q, const struct shape *shape, const char *file, int line)
{
	q->stmt.sql = buf_done(&q->text);
	q->stmt.shape = shape;
	q->stmt.file = file;
	q->stmt.line = line;
	q->stmt.built = true;
	return &q->stmt;
}

struct args
sql_args(const struct sql *q)
{
	return (struct args){ q->args, q->n, 0 };
}
