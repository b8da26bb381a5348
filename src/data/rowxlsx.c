/* SPDX-License-Identifier: Apache-2.0 */
#include "data/rowxlsx.h"

#include "base/num.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>

static unsigned
width_of(const struct data_column *col)
{
	static const unsigned widths[] = { [CELL_TEXT] = 24, [CELL_NUMBER] = 12,
		[CELL_INTEGER] = 12, [CELL_BOOLEAN] = 9, [CELL_TIMESTAMP] = 24, [CELL_JSON] = 24,
		[CELL_DATE] = 12, [CELL_CHOICE] = 16, [CELL_LINK] = 32 };
	unsigned own = widths[cell_type_of(col->type)], name = (unsigned)strlen(col->name) + 2;

	return name > own ? name : own;
}

enum err
rowxlsx_head(struct ctx *c, struct workbook *w, const struct data_table *t)
{
	const struct data_column *col = t->columns.v;

	workbook_head(w, "id", 32);
	for (size_t i = 0; i < t->columns.n; i++)
		workbook_head(w, col[i].name, width_of(&col[i]));
	return workbook_row_end(c, w);
}

/* Returns whether a spreadsheet, which computes with 15 digits, holds exactly this number. */
static bool
number_fits(void *owner, const char *text, double *v)
{
	struct bytes given, held;
	char digits[NUM_CHARS];

	if (!num_read(text, v) || (*v != 0 && !(fabs(*v) >= 1e-307 && fabs(*v) < 1e307)))
		return false;
	snprintf(digits, sizeof digits, "%.15g", *v);
	return cell_number(owner, text, &given) && cell_number(owner, digits, &held) &&
	    cell_equal(given, held);
}

/* Writes a day or time. Returns false if it must be text. */
static bool
moment_put(void *owner, struct workbook *w, enum cell_type type, const struct json *v)
{
	enum { NS_A_MS = 1000000 };
	struct bytes key;
	uint64_t ns;
	int64_t s;

	if (cell_of(owner, type, v, &key) || !cell_to_instant(key, &s, &ns) || ns % NS_A_MS ||
	    s < WORKBOOK_FROM_MS / 1000 || s >= WORKBOOK_END_MS / 1000)
		return false;
	workbook_moment(w, s * 1000 + (int64_t)(ns / NS_A_MS),
	    type == CELL_DATE ? SHOWS_DAY
		: ns	      ? SHOWS_MILLISECOND
			      : SHOWS_SECOND);
	return true;
}

static void
value_put(void *owner, struct workbook *w, enum cell_type type, const struct json *v)
{
	enum json_kind kind = v ? json_kind(v) : J_NULL;
	double number;

	if (kind == J_NULL)
		workbook_text(w, NULL);
	else if (kind == J_BOOL && type == CELL_BOOLEAN)
		workbook_bool(w, json_true(v));
	else if (kind == J_STR) {
		if ((type != CELL_DATE && type != CELL_TIMESTAMP) ||
		    !moment_put(owner, w, type, v))
			workbook_text(w, json_str(v));
	} else if ((type == CELL_NUMBER || type == CELL_INTEGER) &&
	    number_fits(owner, json_text(owner, v), &number))
		workbook_number(w, number);
	else
		workbook_text(w, json_text(owner, v));
}

enum err
rowxlsx_row(struct ctx *c, struct workbook *w, const struct data_table *t,
    const struct data_row *row)
{
	const struct data_column *col = t->columns.v;
	struct json *doc;

	TRY(json_parse(c, row->doc, strlen(row->doc), &doc));
	workbook_text(w, row_id_of_hex(c, row->id));
	for (size_t i = 0; i < t->columns.n; i++)
		value_put(c->mem, w, cell_type_of(col[i].type), row_value(row, doc, &col[i]));
	return workbook_row_end(c, w);
}
