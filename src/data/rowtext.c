/* SPDX-License-Identifier: Apache-2.0 */
#include "data/rowtext.h"

#include "base/id.h"

SHAPE_DEFINE(data_row, DATA_ROW);

const char *
row_id_of_hex(struct ctx *c, const char *hex)
{
	uint8_t raw[ID_BYTES];

	crypto_unhex(hex, raw, sizeof raw);
	return id_text(c->mem, "row_", raw);
}

/* A value stored before the column was created belongs to an older column of the same name. */
const struct json *
row_value(const struct data_row *row, const struct json *doc, const struct data_column *col)
{
	return row->shape_no >= col->since ? json_get(doc, column_name_at(col, row->shape_no))
					  : NULL;
}

void
row_member_write(struct buf *b, const char *name, const struct json *value)
{
	buf_str(b, b->n ? ",\"" : "{\"");
	buf_str(b, name);
	buf_str(b, "\":");
	if (value)
		json_into(b, value);
	else
		buf_str(b, "null");
}

enum err
row_doc_now(struct ctx *c, const struct data_table *t, const struct data_row *row, const char **out)
{
	const struct data_column *col = t->columns.v;
	struct buf b = BUF(c->mem);
	struct json *doc;

	*out = row->doc;
	if (row->shape_no == t->shape_no && !t->kept.n)
		return E_OK;
	TRY(json_parse(c, row->doc, strlen(row->doc), &doc));
	for (size_t i = 0; i < t->columns.n; i++)
		row_member_write(&b, col[i].name, row_value(row, doc, &col[i]));
	buf_chr(&b, '}');
	*out = buf_done(&b);
	return E_OK;
}

const char *
row_text(struct ctx *c, const struct data_table *t, const struct data_row *row)
{
	const char *doc;

	if (row_doc_now(c, t, row, &doc))
		return "null";
	return mem_printf(c->mem, "{\"id\":\"%s\",%s", row_id_of_hex(c, row->id), doc + 1);
}
