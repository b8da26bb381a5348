/* SPDX-License-Identifier: Apache-2.0
 * CSV: what is read and written again in quotes is read the same; no value reaches beyond the text. */
#include "base/buf.h"
#include "base/csv.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { FIELDS = 65 };

/* Every value of the text, each in quotes or nothing; what is wrong ends it. */
static const char *
written(void *mem, const char *text, size_t n, size_t *records)
{
	char *copy = mem_strndup(mem, text, n);
	struct csv_scan s = csv_begin(copy, strlen(copy));
	struct csv_field fields[FIELDS];
	struct buf b = BUF(mem);
	size_t count;

	for (*records = 0; s.p < s.end; ++*records) {
		if (!csv_record(&s, fields, FIELDS, &count))
			break;
		for (size_t i = 0; i < count; i++) {
			const char *v = fields[i].text;

			if (v && (v < copy || v + strlen(v) > s.end))
				abort();
			if (i)
				buf_chr(&b, ',');
			if (!v)
				continue;
			buf_chr(&b, '"');
			for (; *v; v++) {
				if (*v == '"')
					buf_chr(&b, '"');
				buf_chr(&b, *v);
			}
			buf_chr(&b, '"');
		}
		buf_str(&b, "\r\n");
	}
	return buf_done(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	void *mem = mem_root("csv");
	size_t one, two;
	const char *first = written(mem, (const char *)data, n, &one), *again = written(mem, first, strlen(first), &two);

	if (strcmp(first, again) != 0 || one != two)
		abort();
	mem_free(mem);
	return 0;
}
