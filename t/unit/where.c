/* SPDX-License-Identifier: Apache-2.0
 * Conditions on rows: what each becomes as SQL, and where each mistake is. t/api/where.t runs them against rows. */
#include "base/str.h"
#include "data/condition.h"

#include "tap.h"

static struct ctx *c;
static struct data_column columns[] = { { .name = "city", .type = "text", .slot = 0 }, { .name = "n", .type = "integer", .slot = 1 },
	{ .name = "at", .type = "timestamp", .slot = 2 }, { .name = "done", .type = "boolean", .slot = 3 }, { .name = "j", .type = "json", .slot = 4 } };
static struct data_table table = { .name = "t", .columns = { columns, 5 } };

/* pair: "name=value", or NULL. Returns the statement's end, or the mistake. */
static const char *
read(const char *pair, const char *where, const char *zone, struct where *w)
{
	static struct pair one;
	struct table_for tf = { .t = &table };
	struct where_asked asked = { .filters = &one, .n = pair != NULL, .where = where, .zone = zone };
	static struct sql q;

	if (pair) {
		const char *is = strchr(pair, '=');

		one = (struct pair){ mem_strndup(c->mem, pair, (size_t)(is - pair)), is + 1 };
	}
	table_columns(&table, &tf.columns);
	ctx_forgive(c);
	if (where_read(c, &tf, &asked, w))
		return c->message;
	q = SQL(c->mem);
	where_sql(&q, w);
	return buf_done(&q.text);
}

static void
is_sql(const char *pair, const char *where, const char *want)
{
	struct where w;
	const char *got = read(pair, where, NULL, &w);

	is_str(got, want, pair ? pair : where);
}

static void
as_sql(void)
{
	is_sql("city=eq.Oslo", NULL, " AND r.c0 = ?");
	is_sql("city=nin.a,b", NULL, " AND COALESCE(r.c0, '') NOT IN (?, ?)");
	is_sql("city=nin.a", NULL, " AND NOT r.c0 <=> ?");
	is_sql("city=nin.", NULL, " AND TRUE");
	is_sql("city=in.", NULL, " AND FALSE");
	is_sql("n=between.1..5", NULL, " AND r.c1 >= ? AND r.c1 <= ?");
	is_sql("city=between.\"a..b\"..c", NULL, " AND r.c0 >= ? AND r.c0 <= ?");
	is_sql("city=is.empty", NULL, " AND COALESCE(r.c0, '') IN ('', ?)");
	is_sql("n=is.notempty", NULL, " AND COALESCE(r.c1, '') NOT IN ('', ?)");
	is_sql("at=within.last_7_days", NULL, " AND r.c2 >= ? AND r.c2 < ?");
	is_sql(NULL, "[\"city\",\"is\",null]", " AND r.c0 IS NULL");
	is_sql(NULL, "[\"done\",\"is\",true]", " AND r.c3 = ?");
	is_sql(NULL, "[\"j\",\"eq\",{\"a\":1}]", " AND r.c4 = ?");
	is_sql(NULL, "{\"and\":[[\"n\",\"gt\",3],{\"and\":[[\"n\",\"in\",[1,\"2\"]]]}]}", " AND r.c1 > ? AND r.c1 < ? AND r.c1 IN (?, ?)");
	is_sql("n=eq.1", "{\"or\":[[\"city\",\"eq\",\"Oslo\"],{\"and\":[[\"n\",\"gt\",3],[\"city\",\"neq\",\"\"]]}]}",
	    " AND r.c1 = ? AND ((r.c0 = ?) OR (((r.c1 > ? AND r.c1 < ?) AND (NOT r.c0 <=> ?))))");
	is_sql("city=contains.50%", NULL,
	    " AND COALESCE(CASE WHEN LENGTH(r.c0) > 129 THEN JSON_VALUE(r.doc, ?) ELSE CONVERT(SUBSTR(r.c0, 2) USING utf8mb4) END"
	    " COLLATE utf8mb4_unicode_520_ci LIKE ? ESCAPE '!', FALSE)");
}

static void
is_wrong(const char *pair, const char *where, const char *want)
{
	struct where w;
	const char *got = read(pair, where, NULL, &w);

	ok(str_starts(got, want), mem_printf(c->mem, "refused: %s", pair ? pair : where));
	if (!str_starts(got, want))
		printf("# %s\n", got);
}

static const char *
repeated(const char *first, const char *part, int n, const char *last)
{
	struct buf b = BUF(c->mem);

	buf_str(&b, first);
	while (n--)
		buf_fmt(&b, "%s%s", part, n && *last == ']' && part[strlen(part) - 1] == ']' ? "," : "");
	buf_str(&b, last);
	return buf_done(&b);
}

static void
mistakes(void)
{
	is_wrong("x=eq.1", NULL, "x: the table t has no such column; its columns are city, n, at, done and j");
	is_wrong("city=like.a", NULL, "city: must start with one of eq. neq. lt. lte. gt. gte. in. nin. is.");
	is_wrong("n=between.1", NULL, "n: between requires two values, such as between.1..5");
	is_wrong("n=between.1..x", NULL, "n: x isn't a valid value for a column of type integer");
	is_wrong("j=between.1..\"x\"", NULL, "j: between requires two values of one kind");
	is_wrong("n=contains.1", NULL, "n: contains accepts a text of 1 to 128 bytes, on a column of type text");
	is_wrong("city=contains.", NULL, "city: contains accepts a text");
	is_wrong("city=within.today", NULL, "city: within requires a column of type timestamp or date");
	is_wrong("at=within.soon", NULL, "at: within accepts today");
	is_wrong("at=within.last_0_days", NULL, "at: within accepts today");
	is_wrong("at=within.last_9999_days", NULL, "at: within accepts today");
	is_wrong(NULL, "{", "where: isn't valid JSON: ");
	is_wrong(NULL, "3", "where: must be a condition such as [\"city\",\"eq\",\"Oslo\"], or an object");
	is_wrong(NULL, "{\"or\":[],\"and\":[]}", "where: must be a condition");
	is_wrong(NULL, "{\"or\":[]}", "where.or: must have from 1 to 50 conditions");
	is_wrong(NULL, "{\"or\":[[\"city\",\"eq\",\"a\"],[\"n\",\"gt\"]]}", "where.or[1]: must be a condition");
	is_wrong(NULL, "{\"or\":[[\"city\",\"eq\",\"a\"],[\"x\",\"gt\",1]]}", "where.or[1]: the table t has no column x; its columns are");
	is_wrong(NULL, "{\"and\":[{\"or\":[[\"n\",\"is\",\"odd\"]]}]}", "where.and[0].or[0]: is accepts null, notnull, empty and notempty");
	is_wrong(NULL, "[\"n\",\"like\",1]", "where: like isn't one of eq, neq, lt");
	is_wrong(NULL, "[\"n\",\"eq\",\"x\"]", "where: x isn't a valid value for a column of type integer");
	is_wrong(NULL, "[\"n\",\"eq\",null]", "where: null isn't a valid value for a column of type integer; to find rows without");
	is_wrong(NULL, "[\"n\",\"in\",3]", "where: in and nin require a list of values");
	is_wrong(NULL, "[\"n\",\"between\",[1]]", "where: between requires two values, such as [1,5]");
	is_wrong(NULL, repeated("", "{\"or\":[", 5, "[\"n\",\"eq\",1]]}]}]}]}]}"), "where.or[0].or[0].or[0].or[0]: is nested deeper than 4");
	is_wrong(NULL, repeated("{\"or\":[", "[\"n\",\"is\",\"null\"]", 51, "]}"), "where.or: must have from 1 to 50 conditions");
	is_wrong("n=eq.1", repeated("{\"or\":[", "[\"n\",\"is\",\"null\"]", 50, "]}"), "the query has more than 50 conditions");
	is_wrong("n=eq.1", repeated("[\"n\",\"in\",[", "[]", 50, "]]"), "where: [] isn't a valid value");
}

static void
leads(void)
{
	struct where w;

	read(NULL, "{\"or\":[[\"city\",\"eq\",\"a\"],{\"and\":[[\"city\",\"gt\",\"b\"],[\"city\",\"lt\",\"c\"]]}]}", NULL, &w);
	is_int(w.v[0].slot, 0, "an or about one column can lead by its index");
	read(NULL, "{\"or\":[[\"city\",\"eq\",\"a\"],[\"n\",\"eq\",1]]}", NULL, &w);
	is_int(w.v[0].slot, -1, "... not one about two");
	read(NULL, "{\"or\":[[\"city\",\"eq\",\"a\"],[\"city\",\"contains\",\"b\"]]}", NULL, &w);
	ok(w.v[0].slot == -1 && w.texts, "... nor one that looks into texts");
}

static const char *
bounds(const char *word, const char *zone)
{
	struct where w;
	struct bytes *k;
	const char *said = read(mem_printf(c->mem, "at=within.%s", word), NULL, zone, &w);
	struct buf b = BUF(c->mem);

	if (!w.n)
		return said;
	k = (struct bytes[]){ w.v[0].low, w.v[0].high };
	for (int i = 0; i < 2; i++) {
		int64_t s = 0;

		for (int j = 0; j < 8; j++)
			s = s << 8 | ((const uint8_t *)k[i].p)[1 + j];
		buf_fmt(&b, "%s%.16s", i ? " " : "", str_rfc3339(c->mem, s - (INT64_C(1) << 62)));
	}
	return buf_done(&b);
}

static void
times(void)
{
	/* Saturday, 2026-11-21T23:30Z; in Berlin it is Sunday. */
	c->now = 1795303800;
	is_str(bounds("today", NULL), "2026-11-21T00:00 2026-11-22T00:00", "today");
	is_str(bounds("today", "Europe/Berlin"), "2026-11-21T23:00 2026-11-22T23:00", "... in Berlin");
	is_str(bounds("yesterday", NULL), "2026-11-20T00:00 2026-11-21T00:00", "yesterday");
	is_str(bounds("this_week", NULL), "2026-11-16T00:00 2026-11-23T00:00", "a week begins on Monday");
	is_str(bounds("last_week", NULL), "2026-11-09T00:00 2026-11-16T00:00", "the week before");
	is_str(bounds("this_month", "Europe/Berlin"), "2026-10-31T23:00 2026-11-30T23:00", "this month in Berlin");
	is_str(bounds("last_month", NULL), "2026-10-01T00:00 2026-11-01T00:00", "the month before");
	is_str(bounds("this_year", NULL), "2026-01-01T00:00 2027-01-01T00:00", "this year");
	is_str(bounds("last_7_days", NULL), "2026-11-15T00:00 2026-11-22T00:00", "seven days with today");
	is_str(bounds("next_1_days", NULL), "2026-11-21T00:00 2026-11-22T00:00", "one day is today");
	is_str(bounds("next_30_days", NULL), "2026-11-21T00:00 2026-12-21T00:00", "thirty days");
	is_str(bounds("today", "Mars/Olympus"), "zone: Mars/Olympus isn't a time zone; use a name such as Europe/Oslo or UTC", "no zone");
}

/* Conditions as a page's form has them: in words, and again as JSON. */
static void
is_rows(const char *where, const char *words, const char *again)
{
	struct typed_condition_list rows;
	struct buf b = BUF(c->mem);
	bool fits = conditions_read(c, &table, where, &rows);

	for (size_t i = 0; i < rows.n; i++)
		buf_fmt(&b, "%s%s", !i ? "" : rows.v[i].begins ? " OR " : " AND ", rows.v[i].said);
	is_str(fits ? buf_done(&b) : "too many", words, where);
	if (fits)
		is_str(conditions_json(c, &table, &rows, 0), again ? again : where, "... and again as JSON");
}

static void
as_rows(void)
{
	static const struct pair form[] = { { "column.1", "n" }, { "op.1", "gt" }, { "value.1", "3" }, { "join.2", "or" },
		{ "column.2", "city" }, { "op.2", "in" }, { "value.2", "a , \"b, \"\"c\"\"\",d" }, { "join.3", "and" }, { "column.3", "at" },
		{ "op.3", "within.next_days" },
		{ "value.3", "30" }, { "column.4", "" }, { "op.4", "eq" }, { "column.5", "n" }, { "op.5", "like" } };
	struct typed_condition_list rows;

	is_rows("[\"city\",\"eq\",\"\"]", "city is an empty text", NULL);
	is_rows("[\"city\",\"nin\",[\"a, b\",\"c \",\"\\\"\"]]", "city is none of \"a, b\", \"c \", \"\"\"\"", NULL);
	is_rows("[\"n\",\"between\",[1,5]]", "n is between 1 and 5", "[\"n\",\"between\",[\"1\",\"5\"]]");
	is_rows("[\"done\",\"is\",true]", "done is true", "[\"done\",\"eq\",\"true\"]");
	is_rows("[\"at\",\"within\",\"last_7_days\"]", "at is in the last 7 days", NULL);
	is_rows("[\"at\",\"within\",\"this_week\"]", "at is in this week", NULL);
	is_rows("[\"at\",\"within\",\"last_x_days\"]", "too many", NULL);
	is_rows("[\"city\",\"is\",null]", "city has no value", "[\"city\",\"is\",\"null\"]");
	is_rows("[\"j\",\"eq\",{\"a\":1}]", "j is {\"a\":1}", NULL);
	is_rows("{\"or\":[{\"and\":[[\"n\",\"gt\",\"1\"],[\"n\",\"lt\",\"9\"]]},[\"city\",\"is\",\"empty\"]]}",
	    "n is more than 1 AND n is less than 9 OR city is empty", NULL);
	is_rows("{\"and\":[[\"n\",\"gt\",\"1\"],{\"or\":[[\"city\",\"eq\",\"a\"],[\"city\",\"eq\",\"b\"]]}]}",
	    "n is more than 1 AND city is a OR n is more than 1 AND city is b",
	    "{\"or\":[{\"and\":[[\"n\",\"gt\",\"1\"],[\"city\",\"eq\",\"a\"]]},{\"and\":[[\"n\",\"gt\",\"1\"],[\"city\",\"eq\",\"b\"]]}]}");
	is_rows("{\"and\":[]}", "too many", NULL);
	conditions_typed(c, &table, form, sizeof form / sizeof *form, 0, &rows);
	is_str(conditions_json(c, &table, &rows, 0),
	    "{\"or\":[[\"n\",\"gt\",\"3\"],{\"and\":[[\"city\",\"in\",[\"a\",\"b, \\\"c\\\"\",\"d\"]],"
	    "[\"at\",\"within\",\"next_30_days\"]]}]}", "a form");
	is_str(conditions_json(c, &table, &rows, 2),
	    "{\"or\":[[\"n\",\"gt\",\"3\"],[\"at\",\"within\",\"next_30_days\"]]}", "without its second");
	ok(conditions_blame(c, &rows, "where.or[1].and[1]: no") && str_eq(rows.v[2].wrong, "no"), "a refusal is the third one's");
	ok(!conditions_blame(c, &rows, "cursor: no"), "... or none's");
}

int
main(void)
{
	c = ctx_begin(NULL, NULL);
	as_sql();
	mistakes();
	leads();
	times();
	as_rows();
	ctx_end(c);
	return done();
}
