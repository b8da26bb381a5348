/* SPDX-License-Identifier: Apache-2.0 */
#include "data/rowcsv.h"

void
rowcsv_text(struct buf *b, const char *text)
{
	bool quotes = !*text || text[strcspn(text, ",\"\r\n")] || *text == ' ' ||
	    text[strlen(text) - 1] == ' ';

	if (!quotes) {
		buf_str(b, text);
		return;
	}
	buf_chr(b, '"');
	for (; *text; text++) {
		if (*text == '"')
			buf_chr(b, '"');
		buf_chr(b, *text);
	}
	buf_chr(b, '"');
}

void
rowcsv_head(struct buf *b, const struct data_table *t)
{
	const struct data_column *col = t->columns.v;

	buf_str(b, "id");
	for (size_t i = 0; i < t->columns.n; i++)
		buf_fmt(b, ",%s", col[i].name);
	buf_str(b, "\r\n");
}

void
rowcsv_row(struct ctx *c, struct buf *b, const struct data_table *t, const struct data_row *row)
{
	const struct data_column *col = t->columns.v;
	struct json *doc;

	if (json_parse(c, row->doc, strlen(row->doc), &doc))
		return;
	buf_str(b, row_id_of_hex(c, row->id));
	for (size_t i = 0; i < t->columns.n; i++) {
		const struct json *v = row_value(row, doc, &col[i]);

		buf_chr(b, ',');
		if (v && json_kind(v) == J_STR)
			rowcsv_text(b, json_str(v));
		else if (v && json_kind(v) != J_NULL)
			rowcsv_text(b, json_text(c->mem, v));
	}
	buf_str(b, "\r\n");
}
