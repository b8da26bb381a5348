/* SPDX-License-Identifier: Apache-2.0 */
#include "store/csvfile.h"

void
csv_file_begin(struct ctx *c, const char *text, size_t n, const struct span *file,
    struct csv_file *out)
{
	*out = (struct csv_file){ .n = n };
	if (text) {
		out->piece = mem_strndup(c->mem, text, n);
		return;
	}
	out->rest = *file;
	out->piece = mem_array(c->mem, char, CSV_PIECE_BYTES + 1);
}

/* Returns the length of the complete lines in text. A \r at the end may belong to a \n that
 * follows. */
static size_t
lines_whole(const char *text, size_t n)
{
	bool quoted = false;
	size_t whole = 0;

	for (size_t i = 0; i < n; i++) {
		bool alone = text[i] == '\r' && i + 1 < n && text[i + 1] != '\n';

		if (text[i] == '"')
			quoted = !quoted;
		else if (!quoted && (text[i] == '\n' || alone))
			whole = i + 1;
	}
	return whole;
}

static enum err
piece_next(struct ctx *c, struct csv_file *f)
{
	size_t line = f->scan.line, bad;
	char separator = f->scan.separator;
	const char *wrong;

	if (f->rest.n) {
		size_t left = f->n - f->whole, more = CSV_PIECE_BYTES - left;

		memmove(f->piece, f->piece + f->whole, left);
		if ((int64_t)more > f->rest.n)
			more = (size_t)f->rest.n;
		TRY(span_read(c, &f->rest, f->piece + left, more));
		f->rest = span_after(f->rest, (int64_t)more);
		f->n = left + more;
	} else if (f->whole == f->n) {
		return E_OK;
	}
	f->whole = f->rest.n ? lines_whole(f->piece, f->n) : f->n;
	if (f->n && !f->whole)
		return fail(c, E_INVALID,
		    "line %zu: a quote isn't closed, or the line is longer than 1 MB",
		    line ? line : 1);
	wrong = csv_text_wrong(f->piece, f->whole, !line, &bad);
	if (wrong)
		return bad == SIZE_MAX
		    ? fail(c, E_INVALID, "%s", wrong)
		    : fail(c, E_INVALID, "line %zu: it %s", (line ? line : 1) + bad, wrong);
	f->scan = line
	    ? (struct csv_scan){ f->piece, f->piece + f->whole, line, NULL, separator }
	    : csv_begin(f->piece, f->whole);
	return E_OK;
}

enum err
csv_file_next(struct ctx *c, struct csv_file *f, struct csv_field *fields, size_t most, size_t *n,
    bool *any)
{
	if (f->scan.p == f->scan.end)
		TRY(piece_next(c, f));
	*any = f->scan.p < f->scan.end;
	*n = 0;
	f->line = f->scan.line;
	return !*any || csv_record(&f->scan, fields, most, n)
	    ? E_OK
	    : fail(c, E_INVALID, "line %zu: %s", f->scan.line, f->scan.why);
}
