/* SPDX-License-Identifier: Apache-2.0
 * The contents of columns, in words for the page of their entry. */
#include "base/str.h"
#include "catalog/file.h"
#include "catalog/values.h"

static size_t
whole_digits(const char *number)
{
	return strspn(number + (*number == '-'), "0123456789");
}

/* Groups digits by three. Returns exponents and the like as they are. */
static const char *
number_words(void *owner, const char *number, bool grouped)
{
	const char *digits = number + (*number == '-');
	const size_t whole = whole_digits(number);
	struct buf b = BUF(owner);

	if (digits[strspn(digits, ".0123456789")])
		return number;
	buf_str(&b, digits > number ? "−" : "");
	for (size_t i = 0; i < whole; i++) {
		if (grouped && i && (whole - i) % 3 == 0)
			buf_chr(&b, ',');
		buf_chr(&b, digits[i]);
	}
	buf_str(&b, digits + whole);
	return buf_done(&b);
}

static const char *
value_words(void *owner, const struct column_values *v, const char *text)
{
	enum { DAY = sizeof "2026-01-02" - 1, YEAR = 4 };

	/* Numbers with exactly four digits may be years. */
	if (str_in(v->type, "number|integer"))
		return number_words(owner, text,
		    whole_digits(v->least) > YEAR || whole_digits(v->most) > YEAR);
	if (str_eq(v->type, "timestamp"))
		return mem_strndup(owner, text, DAY);
	return *text ? text : "“”";
}

static const char *
share_words(void *owner, size_t n, size_t of)
{
	const size_t percent = (100 * n + of / 2) / of;

	if (n < of && (!percent || percent == 100))
		return percent ? "over 99%" : "under 1%";
	return mem_printf(owner, "%zu%%", percent);
}

static const char *
often_words(void *owner, const struct column_values *v, size_t rows)
{
	struct buf b = BUF(owner);

	for (size_t i = 0; i < v->often_n; i++)
		buf_fmt(&b, "%s%s %s", i ? ", " : "", value_words(owner, v, v->often[i].text),
		    share_words(owner, v->often[i].n, rows));
	return buf_done(&b);
}

static const char *
contents_words(void *owner, const struct column_values *v, size_t rows)
{
	if (!v->filled)
		return "Always empty";
	if (v->different == 1)
		return v->often_n ? mem_printf(owner, "Always %s",
					value_words(owner, v, v->often[0].text))
				  : "Always the same";
	if (v->least) {
		const char *least = value_words(owner, v, v->least),
			   *most = value_words(owner, v, v->most);

		return str_eq(least, most) ? least : mem_printf(owner, "%s to %s", least, most);
	}
	if (str_eq(v->type, "boolean"))
		return often_words(owner, v, rows);
	return v->different == v->filled
	    ? "All different"
	    : mem_printf(owner, "%s different", str_number(owner, (int64_t)v->different));
}

static void
column_describe(void *owner, const struct column_values *v, const struct table_values *of,
    struct catalog_column *column)
{
	const size_t empty = of->rows - v->filled;
	/* Few distinct values are listed. */
	const bool listed = v->different >= 2 && !str_in(v->type, "boolean|timestamp|date") &&
	    v->often_n && v->often[0].n > 1 &&
	    (str_eq(v->type, "text") || v->different <= VALUES_OFTEN);

	column->values = contents_words(owner, v, of->rows);
	column->often = listed ? often_words(owner, v, of->rows) : NULL;
	if (!empty || !v->filled)
		return;
	column->empty = of->more
	    ? mem_printf(owner, "%s empty", share_words(owner, empty, of->rows))
	    : mem_printf(owner, "%s empty", str_number(owner, (int64_t)empty));
}

void
values_say(void *owner, const struct table_values *v, const struct list *columns)
{
	struct catalog_column *column = columns->v;

	for (size_t i = 0; i < columns->n; i++)
		for (size_t k = 0; k < v->n; k++)
			if (str_eq(column[i].name, v->v[k].name))
				column_describe(owner, &v->v[k], v, &column[i]);
}
