/* SPDX-License-Identifier: Apache-2.0
 * Workbooks of strangers. The input is the text of the five parts that we read, with a NUL between them; they are packed here, so that the
 * fuzzer reaches the parser. Each line of the answer is JSON, and a row is an array that begins with its number. For a view, rows are proper
 * CSV. */
#define apart_file_put line_put
#include "import/xlsx.c"

#include "base/csv.h"

#include <sys/mman.h>

static struct buf answer;

enum err
line_put(struct ctx *c, const struct apart_file *f, const void *bytes, size_t n)
{
	(void)c;
	(void)f;
	buf_add(&answer, bytes, n);
	return E_OK;
}

static size_t
pack(const char *data, size_t n, char *out, size_t most)
{
	static const char *const names[] = { "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/styles.xml", "xl/sharedStrings.xml",
		"xl/worksheets/s0.xml" };
	struct archive *a = archive_write_new();
	size_t used = 0, length;

	archive_write_set_format_zip(a);
	archive_write_zip_set_compression_store(a);
	archive_write_set_bytes_per_block(a, 0);
	archive_write_open_memory(a, out, most, &used);
	for (int i = 0; i < 5; i++) {
		struct archive_entry *entry = archive_entry_new();

		length = strnlen(data, n);
		archive_entry_set_pathname(entry, names[i]);
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_size(entry, (la_int64_t)length);
		if (archive_write_header(a, entry) != ARCHIVE_OK || archive_write_data(a, data, length) != (la_ssize_t)length)
			abort();
		archive_entry_free(entry);
		data += length < n ? length + 1 : length;
		n -= length < n ? length + 1 : length;
	}
	archive_write_close(a);
	archive_write_free(a);
	return used;
}

static void
lines_check(struct ctx *c)
{
	char *rest = (char *)(uintptr_t)buf_done(&answer), *line;
	struct json *tree;

	for (bool first = true; *rest && (line = str_split(&rest, '\n')); first = false) {
		if (json_parse(c, line, strlen(line), &tree))
			abort();
		if (first ? json_kind(json_get(tree, "sheets")) != J_ARR : json_kind(json_at(tree, 0)) != J_INT)
			abort();
	}
}

static void
sheet_check(void)
{
	const char *text = buf_done(&answer), *end = text + answer.n, *stop, *p = memchr(text, '\n', answer.n);

	if (!p || !str_is_text(text, answer.n))
		abort();
	for (p++; p < end;)
		if (csv_record(p, end, '\t', '"', true, &stop, &p) != CSV_ENDS)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	char *packed = mem_zalloc(c->mem, n + 4096);
	struct apart_file f = { .fd = memfd_create("workbook", 0) };

	answer = BUF(c->mem);
	f.size = (int64_t)pack((const char *)data, n, packed, n + 4096);
	if (pwrite(f.fd, packed, (size_t)f.size, 0) != f.size)
		abort();
	if (xlsx_work(c, &f) == E_OK)
		lines_check(c);
	answer = BUF(c->mem);
	*f.asked = '1';
	ctx_forgive(c);
	if (xlsx_sheet_work(c, &f) == E_OK)
		sheet_check();
	close(f.fd);
	ctx_end(c);
	return 0;
}
