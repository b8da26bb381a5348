/* SPDX-License-Identifier: Apache-2.0
 * Files of strangers that become tables. The first byte chooses the format. All records are read, each value lies within its text, and what
 * a guess calls a type is read as one, in every value of the column. */
#include "base/str.h"
#include "import/look.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool
go_on(void *arg)
{
	(void)arg;
	return false;
}

static void
values_read(struct ctx *c, const struct record *rec, const struct look *l, bool json)
{
	for (size_t i = 0; i < rec->n && i < l->n && !rec->wrong; i++) {
		struct reading how = { .decimal = '.' };
		struct value out;
		struct guess g;
		const char *why;

		if (rec->v[i].kind != GIVEN_NONE && strlen(rec->v[i].s) != rec->v[i].n)
			abort();
		look_guess(c, &l->v[i], json, '.', &g);
		how.decimal = g.decimal;
		how.order = g.order;
		why = value_read(c, g.type, &how, &rec->v[i], &out);
		/* Words for nothing, and numbers that are too long, don't fit. */
		if (why && !look_count(&l->v[i], MAY_NULL) && !strstr(why, "60 digits") && !strstr(why, "64 bits"))
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const encodings[] = { "utf-8", "utf-16le", "utf-16be", "windows-1252" };
	struct ctx *c = ctx_begin(NULL, NULL);
	const enum read_format format = n ? (enum read_format)(data[0] % 3) : READ_CSV;
	const char *encoding = encodings[n ? data[0] / 3 % 4 : 0];
	struct span all = { .bytes = (const char *)data + (n > 0), .n = (int64_t)(n - (n > 0)) };
	struct until until = { go_on, NULL };
	struct look *l = mem_new(c->mem, struct look);
	struct record *rec = mem_new(c->mem, struct record);
	struct reader r;
	bool whole, any = true, json = format != READ_CSV;

	if (!reader_begin(c, &all, format, encoding, ',', '"', &r) && !look_file(c, &r, !json, &until, l, &whole) && whole) {
		if (l->first_n)
			look_first(c, l);
		if (reader_begin(c, &all, format, encoding, ',', '"', &r))
			abort();
		r.fields = l->first_n;
		while (any) {
			if (reader_next(c, &r, rec, &any))
				abort();
			if (any)
				values_read(c, rec, l, json);
		}
	}
	ctx_end(c);
	return 0;
}
