/* SPDX-License-Identifier: Apache-2.0 */
#include "import/xlsx.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/num.h"
#include "base/str.h"
#include "store/zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	PIECE = 64 << 10,
	COLUMNS = 66,           /* more than a table can have, so that the reader refuses them */
	SHOWN_COLUMNS = 1000,   /* of a sheet as text */
	SHEETS = 200,
	ENTRIES = 10000,
	TEXT_BYTES_MOST = 128 << 10, /* of a cell: Excel's limit is 32,767 characters */
	DATES_FROM = 14, DATES_TO = 22
};
#define UNPACKED_MOST ((int64_t)2 << 30)

/* ---- in the process apart ---- */

struct book {
	struct ctx *c;
	const struct apart_file *file;
	int64_t at, unpacked;
	char piece[PIECE];
	/* xl/workbook.xml and its relations */
	struct book_sheet {
		const char *name, *id, *path;
		bool rows;
	} sheets[SHEETS];
	size_t sheet_n;
	bool from_1904;
	/* styles: kinds by cellXfs index */
	uint8_t *styles;
	size_t style_n, style_room;
	struct format {
		long id;
		uint8_t kind;
	} *formats;
	size_t format_n;
	bool in_xfs;
	/* shared strings: offsets into text */
	struct buf text;
	size_t *strings;
	size_t string_n, string_room;
	bool in_text, phonetic;
	/* of the sheet being read */
	XML_Parser parser;
	const char *why;        /* it failed: "declares entities" */
	bool look;              /* only finds out whether the sheet has a value */
	bool found, failed;
	int64_t row;
	bool as_text;           /* rows are tabs and quotes, not JSON */
	bool valued;            /* the row has a value */
	struct buf line, out, cell, plain;
	size_t column, written;
	char type[12];
	long style;
	bool in_row, in_value;
};
enum { KIND_NUMBER, KIND_DATE, KIND_DATE_MS, KIND_TIME };
static const char too_long[] = "has a text that is longer than a cell can have";

static const char *
local_name(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? colon + 1 : name;
}

static const char *
attribute(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (str_eq(local_name(*attributes), name))
			return attributes[1];
	return NULL;
}

/* Ends the part that is being parsed. why continues "<part> of the workbook". */
static void
part_refuse(struct book *b, const char *why)
{
	b->failed = true;
	b->why = why;
	XML_StopParser(b->parser, XML_FALSE);
}

static la_ssize_t
book_read(struct archive *a, void *arg, const void **bytes)
{
	struct book *b = arg;
	ssize_t n = pread(b->file->fd, b->piece, PIECE, b->at);

	(void)a;
	*bytes = b->piece;
	b->at += n > 0 ? n : 0;
	return n;
}

static la_int64_t
book_seek(struct archive *a, void *arg, la_int64_t to, int from)
{
	struct book *b = arg;

	(void)a;
	b->at = from == SEEK_SET ? to : from == SEEK_CUR ? b->at + to : b->file->size + to;
	return b->at;
}

static la_int64_t
book_skip(struct archive *a, void *arg, la_int64_t n)
{
	struct book *b = arg;

	(void)a;
	b->at += n;
	return n;
}

static void XMLCALL
doctype_refuse(void *arg, const XML_Char *name, const XML_Char *system_id,
    const XML_Char *public_id, int internal)
{
	(void)name;
	(void)system_id;
	(void)public_id;
	(void)internal;
	part_refuse(arg, "declares entities");
}

static enum err
entry_parse(struct book *b, struct archive *a, const char *path)
{
	const void *bytes;
	la_int64_t at;
	size_t n;
	int got;

	while ((got = archive_read_data_block(a, &bytes, &n, &at)) == ARCHIVE_OK) {
		b->unpacked += (int64_t)n;
		if (b->unpacked > UNPACKED_MOST)
			return fail(b->c, E_INVALID, "The workbook is larger than 2 GiB, unpacked");
		if (XML_Parse(b->parser, bytes, (int)n, 0) != XML_STATUS_OK)
			return b->found && b->look && !b->failed
			    ? E_OK
			    : fail(b->c, E_INVALID, "%s of the workbook %s", path,
				  b->why ? b->why : "isn't XML");
	}
	return got == ARCHIVE_EOF && XML_Parse(b->parser, "", 0, 1) == XML_STATUS_OK
	    ? E_OK
	    : fail(b->c, E_INVALID, "%s of the workbook is damaged", path);
}

static enum err
part_of(struct book *b, struct archive *a, const char *path, XML_StartElementHandler begin,
    XML_EndElementHandler end, XML_CharacterDataHandler text, bool *there)
{
	struct archive_entry *entry;
	enum err e;
	int got;

	/* ARCHIVE_WARN: a name in another script, which none of the parts has. */
	while ((got = archive_read_next_header(a, &entry)) == ARCHIVE_OK || got == ARCHIVE_WARN) {
		const char *name = archive_entry_pathname(entry);

		if (!name || strcasecmp(name, path) != 0)
			continue;
		*there = true;
		b->parser = XML_ParserCreate(NULL);
		if (!b->parser)
			return fail(b->c, E_INVALID, "The workbook takes too much memory");
		XML_SetUserData(b->parser, b);
		XML_SetElementHandler(b->parser, begin, end);
		XML_SetCharacterDataHandler(b->parser, text);
		XML_SetStartDoctypeDeclHandler(b->parser, doctype_refuse);
		e = entry_parse(b, a, path);
		XML_ParserFree(b->parser);
		return e;
	}
	return E_OK;
}

/* Parses a part of the workbook by its path. *there is false if it has none. */
static enum err
part_parse(struct book *b, const char *path, XML_StartElementHandler begin,
    XML_EndElementHandler end, XML_CharacterDataHandler text, bool *there)
{
	struct archive *a = archive_read_new();
	enum err e;

	*there = false;
	b->at = 0;
	archive_read_support_format_zip_seekable(a);
	archive_read_set_seek_callback(a, book_seek);
	if (archive_read_open2(a, b, NULL, book_read, book_skip, NULL) != ARCHIVE_OK)
		e = fail(b->c, E_INVALID, "The workbook is no .zip");
	else
		e = part_of(b, a, path, begin, end, text, there);
	archive_read_free(a);
	return e;
}

/* ---- the workbook ---- */

static void XMLCALL
workbook_begin(void *arg, const XML_Char *name, const XML_Char **at)
{
	struct book *b = arg;
	const char *is = local_name(name), *v;

	if (str_eq(is, "workbookPr") && (v = attribute(at, "date1904")))
		b->from_1904 = str_in(v, "1|true");
	if (!str_eq(is, "sheet") || b->sheet_n == SHEETS || !attribute(at, "name") ||
	    !attribute(at, "id"))
		return;
	b->sheets[b->sheet_n++] =
	    (struct book_sheet){ .name = mem_strdup(b->c->mem, attribute(at, "name")),
		    .id = mem_strdup(b->c->mem, attribute(at, "id")) };
}

static void XMLCALL
relations_begin(void *arg, const XML_Char *name, const XML_Char **at)
{
	struct book *b = arg;
	const char *id = attribute(at, "Id"), *to = attribute(at, "Target");

	if (!str_eq(local_name(name), "Relationship") || !id || !to)
		return;
	for (size_t i = 0; i < b->sheet_n; i++)
		if (str_eq(b->sheets[i].id, id))
			b->sheets[i].path = *to == '/' ? mem_strdup(b->c->mem, to + 1)
						       : mem_printf(b->c->mem, "xl/%s", to);
}

static void XMLCALL
ends_nothing(void *arg, const XML_Char *name)
{
	(void)arg;
	(void)name;
}

static void XMLCALL
text_ignore(void *arg, const XML_Char *s, int n)
{
	(void)arg;
	(void)s;
	(void)n;
}

/* ---- number formats ---- */

/* Returns what a format shows, by its letters outside of quotes and brackets. */
static uint8_t
format_kind(const char *code)
{
	bool day = false, time = false, ms = false;

	for (const char *p = code; *p && *p != ';'; p++) {
		if (*p == '"') {
			for (p++; *p && *p != '"'; p++)
				;
			if (!*p)
				break;
		} else if (*p == '[') {
			/* [h] is a length of time, which is a number; [Red] and [$-407] aren't
			 * shown. */
			if (strchr("hHmMsS", p[1]) && p[1])
				return KIND_NUMBER;
			while (*p && *p != ']')
				p++;
			if (!*p)
				break;
		} else if (*p == '\\' || *p == '_' || *p == '*') {
			p += p[1] != '\0';
		} else {
			day |= strchr("yYdD", *p) != NULL;
			time |= strchr("hHsS", *p) != NULL;
			ms |= strchr("sS", *p) && p[1] == '.' && p[2] == '0';
		}
	}
	return day ? ms ? KIND_DATE_MS : KIND_DATE : time ? KIND_TIME : KIND_NUMBER;
}

static uint8_t
kind_of(const struct book *b, long id)
{
	for (size_t i = 0; i < b->format_n; i++)
		if (b->formats[i].id == id)
			return b->formats[i].kind;
	if (id >= DATES_FROM && id <= DATES_TO)
		return id >= 18 && id <= 21 ? KIND_TIME : KIND_DATE;
	/* Formats of East Asian dates. */
	return (id >= 27 && id <= 31) || id == 36 || (id >= 50 && id <= 58) ? KIND_DATE
									      : KIND_NUMBER;
}

static void XMLCALL
styles_begin(void *arg, const XML_Char *name, const XML_Char **at)
{
	struct book *b = arg;
	const char *is = local_name(name), *id = attribute(at, "numFmtId");
	const char *code = attribute(at, "formatCode");

	if (str_eq(is, "cellXfs"))
		b->in_xfs = true;
	if (str_eq(is, "numFmt") && id && code && b->format_n < ENTRIES) {
		b->formats = mem_grow(
		    b->c->mem, b->formats, (b->format_n + 1) * sizeof *b->formats);
		b->formats[b->format_n++] =
		    (struct format){ strtol(id, NULL, 10), format_kind(code) };
	}
	if (!b->in_xfs || !str_eq(is, "xf"))
		return;
	if (b->style_n == b->style_room) {
		b->style_room = b->style_room ? b->style_room * 2 : 64;
		b->styles = mem_grow(b->c->mem, b->styles, b->style_room);
	}
	b->styles[b->style_n++] = id ? kind_of(b, strtol(id, NULL, 10)) : KIND_NUMBER;
}

static void XMLCALL
styles_end(void *arg, const XML_Char *name)
{
	struct book *b = arg;

	if (str_eq(local_name(name), "cellXfs"))
		b->in_xfs = false;
}

/* ---- shared strings ---- */

static void XMLCALL
strings_begin(void *arg, const XML_Char *name, const XML_Char **at)
{
	struct book *b = arg;
	const char *is = local_name(name);

	(void)at;
	if (str_eq(is, "si")) {
		if (b->string_n == b->string_room) {
			b->string_room = b->string_room ? b->string_room * 2 : 1024;
			b->strings = mem_grow(
			    b->c->mem, b->strings, b->string_room * sizeof *b->strings);
		}
		b->strings[b->string_n++] = b->text.n;
	}
	b->phonetic |= str_eq(is, "rPh");
	b->in_text = str_eq(is, "t") && !b->phonetic;
}

static void XMLCALL
strings_end(void *arg, const XML_Char *name)
{
	struct book *b = arg;
	const char *is = local_name(name);

	if (str_eq(is, "si"))
		buf_chr(&b->text, '\0');
	if (str_eq(is, "rPh"))
		b->phonetic = false;
	b->in_text = false;
}

static void XMLCALL
strings_text(void *arg, const XML_Char *s, int n)
{
	struct book *b = arg;

	if (!b->in_text || !b->string_n)
		return;
	buf_add(&b->text, s, (size_t)n);
	if (b->text.n - b->strings[b->string_n - 1] > TEXT_BYTES_MOST)
		part_refuse(b, too_long);
}

/* ---- cells ---- */

static void
nothing_put(struct book *b)
{
	if (!b->as_text)
		buf_str(&b->line, "null");
}

static void
quoted_put(struct book *b, const char *text)
{
	if (!str_utf8_valid(text, strlen(text))) {
		nothing_put(b);
		return;
	}
	if (!b->as_text) {
		buf_json(&b->line, text);
		return;
	}
	buf_chr(&b->line, '"');
	for (const char *p = text; *p; p++) {
		if (*p == '"')
			buf_chr(&b->line, '"');
		buf_chr(&b->line, *p);
	}
	buf_chr(&b->line, '"');
}

static void
error_put(struct book *b, const char *what)
{
	if (!b->as_text)
		buf_str(&b->line, "{\"e\":");
	quoted_put(b, what);
	if (!b->as_text)
		buf_chr(&b->line, '}');
}

/* Writes the day and time of a serial number: days since 1899-12-31, which Excel shows as 0 January
 * 1900, with a 29 February 1900 that never was, or days since 1904-01-01. Milliseconds count only
 * if the format shows them, because others are noise of a formula. */
static void
moment_put(struct book *b, double serial, uint8_t kind)
{
	const int64_t end = b->from_1904 ? 2957004 : 2958466; /* the day after 9999-12-31 */
	bool within = serial >= 0 && serial < (double)end;
	int64_t ms = !within	      ? 0
	    : kind == KIND_DATE_MS ? (int64_t)llround(serial * 86400000)
				   : (int64_t)llround(serial * 86400) * 1000;
	int64_t seconds = ms / 1000, day = seconds / 86400, clock = seconds % 86400;
	char *text;

	ms %= 1000;
	if (!within || day == end) {
		error_put(b, "no date");
		return;
	}
	if (kind == KIND_TIME || (!day && clock && !b->from_1904)) {
		buf_fmt(&b->line, "\"%02d:%02d:%02d\"", (int)(clock / 3600),
		    (int)(clock / 60 % 60), (int)(clock % 60));
		return;
	}
	if (!b->from_1904 && (!day || day == 60)) {
		error_put(b, day ? "1900-02-29" : "1900-01-00");
		return;
	}
	/* 25569 days from 1899-12-30 to 1970-01-01, 24107 from 1904-01-01. */
	day += b->from_1904 ? -24107 : day < 60 ? -25568 : -25569;
	text = mem_strdup(b->c->mem, str_rfc3339(b->c->mem, day * 86400 + clock));
	text[clock || ms ? 19 : 10] = '\0';
	if (b->as_text && (clock || ms))
		text[10] = ' ';
	buf_fmt(&b->line, "\"%s", text);
	if (ms)
		buf_fmt(&b->line, ".%03d", (int)ms);
	buf_chr(&b->line, '"');
	mem_free(text);
}

static void
number_put(struct book *b, const char *text)
{
	char shortest[NUM_CHARS], *end;
	double v = strtod(text, &end);
	uint8_t kind = b->style >= 0 && (size_t)b->style < b->style_n ? b->styles[b->style]
								       : KIND_NUMBER;
	size_t n;

	if (*end || end == text || !isfinite(v)) {
		quoted_put(b, text);
		return;
	}
	if (kind != KIND_NUMBER) {
		moment_put(b, v, kind);
		return;
	}
	n = strlen(text);
	if (n > 15 || num_span(text, n) != n || text[strspn(text, "-0123456789")])
		buf_str(&b->line, num_write(shortest, v));
	else
		buf_str(&b->line, text);
}

/* Returns the character of "_x000D_", or 0. Source: ECMA-376, part 1, 22.9.2.19. */
static unsigned
escaped_char(const char *s)
{
	unsigned v = 0;

	if (s[0] != '_' || s[1] != 'x')
		return 0;
	for (int i = 2; i < 6; i++) {
		if (!isxdigit((unsigned char)s[i]))
			return 0;
		v = v << 4 | (unsigned)(s[i] <= '9' ? s[i] - '0' : (s[i] | 0x20) - 'a' + 10);
	}
	return s[6] == '_' && (v < 0xd800 || v > 0xdfff) ? v : 0;
}

/* Returns the text without escapes, which have characters that XML lacks. */
static const char *
text_plain(struct book *b, const char *text)
{
	unsigned v;

	if (!strstr(text, "_x"))
		return text;
	for (b->plain.n = 0; *text; text++) {
		v = escaped_char(text);
		if (v)
			buf_utf8(&b->plain, v);
		else
			buf_chr(&b->plain, *text);
		text += v ? 6 : 0;
	}
	return buf_done(&b->plain);
}

static void
text_put(struct book *b, const char *text)
{
	quoted_put(b, text_plain(b, text));
}

static void
cell_put(struct book *b)
{
	const size_t most = b->as_text ? SHOWN_COLUMNS : COLUMNS;
	const char *text = buf_done(&b->cell);
	char *end;
	unsigned long no;

	if (b->column < b->written && b->written < most) {
		part_refuse(b, "has cells that aren't in the order of their columns");
		return;
	}
	for (; b->written < most; b->written++) {
		if (b->as_text)
			buf_str(&b->line, b->written ? "\t" : "");
		else
			buf_chr(&b->line, ',');
		if (b->written == b->column)
			break;
		nothing_put(b);
	}
	if (b->written == most)
		return;
	b->written++;
	b->found |= b->cell.n > 0;
	b->valued |= b->cell.n > 0;
	if (str_eq(b->type, "s")) {
		no = strtoul(text, &end, 10);
		text_put(b,
		    *end || !b->cell.n || no >= b->string_n ? ""
							    : b->text.s + b->strings[no]);
	} else if (str_in(b->type, "str|inlineStr|d")) {
		text_put(b, text);
	} else if (!b->cell.n) {
		nothing_put(b);
	} else if (str_eq(b->type, "b")) {
		buf_str(&b->line, *text == '1' || *text == 't' ? "true" : "false");
	} else if (str_eq(b->type, "e")) {
		error_put(b, text_plain(b, text));
	} else {
		number_put(b, text);
	}
}

/* Returns the column of "AB12", from 0. */
static size_t
column_of(const char *reference, size_t otherwise)
{
	size_t n = 0;

	if (!reference)
		return otherwise;
	for (; *reference >= 'A' && *reference <= 'Z' && n < 100000; reference++)
		n = n * 26 + (size_t)(*reference - 'A') + 1;
	return n ? n - 1 : otherwise;
}

static void XMLCALL
sheet_begin(void *arg, const XML_Char *name, const XML_Char **at)
{
	struct book *b = arg;
	const char *is = local_name(name), *v;

	if (str_eq(is, "row")) {
		if (b->in_row)
			part_refuse(b, "has a row within a row");
		b->in_row = true;
		v = attribute(at, "r");
		b->row = v ? strtoll(v, NULL, 10) : b->row + 1;
		b->line.n = 0;
		if (!b->as_text)
			buf_fmt(&b->line, "[%lld", (long long)b->row);
		b->written = 0;
		b->valued = false;
		b->column = SIZE_MAX;
	} else if (str_eq(is, "c")) {
		v = attribute(at, "t");
		snprintf(b->type, sizeof b->type, "%s", v ? v : "n");
		v = attribute(at, "s");
		b->style = v ? strtol(v, NULL, 10) : -1;
		b->column = column_of(attribute(at, "r"), b->column + 1);
		b->cell.n = 0;
	}
	b->phonetic |= str_eq(is, "rPh");
	b->in_value = str_eq(is, "v") || (str_eq(is, "t") && !b->phonetic);
}

static void
row_put(struct book *b)
{
	buf_str(&b->line, b->as_text ? "\n" : "]\n");
	if (!b->look && (b->as_text ? b->valued : b->written > 0))
		buf_add(&b->out, b->line.s, b->line.n);
	if (b->out.n < PIECE / 2)
		return;
	for (size_t at = 0, n; at < b->out.n && !b->failed; at += n) {
		n = b->out.n - at < PIECE ? b->out.n - at : PIECE;
		b->failed = apart_file_put(b->c, b->file, b->out.s + at, n) != E_OK;
	}
	b->out.n = 0;
}

static void XMLCALL
sheet_end(void *arg, const XML_Char *name)
{
	struct book *b = arg;
	const char *is = local_name(name);

	if (str_eq(is, "c") && b->in_row)
		cell_put(b);
	if (str_eq(is, "row")) {
		row_put(b);
		b->in_row = false;
	}
	if (str_eq(is, "rPh"))
		b->phonetic = false;
	b->in_value = false;
	if (b->failed || (b->look && b->found))
		XML_StopParser(b->parser, XML_FALSE);
}

static void XMLCALL
sheet_text(void *arg, const XML_Char *s, int n)
{
	struct book *b = arg;

	if (!b->in_value)
		return;
	buf_add(&b->cell, s, (size_t)n);
	if (b->cell.n > TEXT_BYTES_MOST)
		part_refuse(b, too_long);
}

static enum err
sheet_parse(struct book *b, const struct book_sheet *s, bool look)
{
	bool there;

	b->look = look;
	b->found = b->failed = b->in_row = b->in_value = b->phonetic = false;
	b->why = NULL;
	b->row = 0;
	if (!s->path)
		return E_OK;
	return part_parse(b, s->path, sheet_begin, sheet_end, sheet_text, &there);
}

/* ---- the answer ---- */

static enum err
sheet_choose(struct book *b, const struct book_sheet **out)
{
	struct buf head = BUF(b->c->mem);
	int64_t no = 0, n = 0;

	*out = NULL;
	if (b->as_text && !str_int(b->file->asked, &no))
		return fail(b->c, E_INVALID, "it isn't an order");
	buf_str(&head, "{\"sheets\":[");
	for (size_t i = 0; i < b->sheet_n; i++) {
		struct book_sheet *s = &b->sheets[i];

		TRY(sheet_parse(b, s, true));
		if (!b->found)
			continue;
		buf_str(&head, n++ ? "," : "");
		buf_json(&head, s->name);
		if (b->as_text ? n == no : !*out || str_eq(s->name, b->file->asked))
			*out = s;
	}
	if (!n)
		return fail(b->c, E_INVALID, "No sheet of the workbook has values");
	if (b->as_text && !*out)
		return fail(b->c, E_INVALID, "There is no sheet %lld; the workbook has %lld",
		    (long long)no, (long long)n);
	if (!b->as_text && *b->file->asked && !str_eq((*out)->name, b->file->asked))
		return fail(b->c, E_INVALID, "The workbook has no sheet %s with values",
		    b->file->asked);
	buf_str(&head, "],\"sheet\":");
	buf_json(&head, (*out)->name);
	buf_str(&head, "}\n");
	return apart_file_put(b->c, b->file, head.s, head.n);
}

static enum err
book_work(struct ctx *c, const struct apart_file *file, bool as_text)
{
	struct book *b = mem_new(c->mem, struct book);
	const struct book_sheet *s;
	bool there;

	*b = (struct book){ .c = c, .file = file, .as_text = as_text,
		.text = BUF(c->mem), .line = BUF(c->mem), .out = BUF(c->mem),
		.cell = BUF(c->mem), .plain = BUF(c->mem) };
	TRY(part_parse(b, "xl/workbook.xml", workbook_begin, ends_nothing, text_ignore, &there));
	if (!there)
		return fail(c, E_INVALID,
		    "The file is an archive, but no workbook; save the sheet as .xlsx or CSV "
		    "UTF-8");
	TRY(part_parse(b, "xl/_rels/workbook.xml.rels", relations_begin, ends_nothing, text_ignore,
	    &there));
	TRY(part_parse(b, "xl/styles.xml", styles_begin, styles_end, text_ignore, &there));
	TRY(part_parse(
	    b, "xl/sharedStrings.xml", strings_begin, strings_end, strings_text, &there));
	TRY(sheet_choose(b, &s));
	TRY(sheet_parse(b, s, false));
	return apart_file_put(c, file, b->out.s, b->out.n);
}

enum err
xlsx_work(struct ctx *c, const struct apart_file *file)
{
	return book_work(c, file, false);
}

enum err
xlsx_sheet_work(struct ctx *c, const struct apart_file *file)
{
	return book_work(c, file, true);
}

/* ---- in the runner ---- */

struct converting {
	struct ctx *c;
	struct object_writer *to;
	struct buf head;
	bool headed;
	bool (*stop)(void *arg);
	void *arg;
};

static enum err
lines_store(void *arg, const void *bytes, size_t n)
{
	struct converting *k = arg;
	const char *p = bytes, *end = k->headed ? NULL : memchr(p, '\n', n);

	if (k->stop(k->arg))
		return fail(k->c, E_UNAVAILABLE, "the import was changed");
	if (k->headed)
		return object_writer_add(k->c, k->to, bytes, n);
	buf_add(&k->head, p, end ? (size_t)(end - p) : n);
	k->headed = end != NULL;
	return end && end + 1 < p + n
	    ? object_writer_add(k->c, k->to, end + 1, n - (size_t)(end + 1 - p))
	    : E_OK;
}

enum err
xlsx_convert(struct ctx *c, const struct span *file, const char *sheet, bool (*stop)(void *arg),
    void *arg, struct xlsx_made *out)
{
	struct converting k = { .c = c, .head = BUF(c->mem), .stop = stop, .arg = arg };
	const struct json *names;
	struct json *head;
	struct batch *batch;

	*out = (struct xlsx_made){ 0 };
	TRY(zip_check(c, file, ENTRIES));
	TRY(batch_begin(c, &batch));
	TRY(object_writer_new(c, batch, &k.to));
	TRY(apart_file_run(c, xlsx_work,
	    &(struct apart_file){ .fd = file->fd, .size = file->n, .side_fd = -1 },
	    sheet ? sheet : "", lines_store, &k));
	TRY(object_writer_end(c, k.to, &out->rows));
	TRY(json_parse(c, k.head.s, k.head.n, &head));
	names = json_get(head, "sheets");
	for (size_t i = 0; i < json_len(names); i++)
		strs_add(c->mem, &out->sheets, json_str(json_at(names, i)));
	out->used = json_word(head, "sheet");
	return batch_sync(c, batch);
}

struct sheet_text {
	struct ctx *c;
	struct buf *to;
};

static enum err
text_append(void *arg, const void *bytes, size_t n)
{
	struct sheet_text *t = arg;

	if (t->to->n + n > XLSX_SHEET_BYTES)
		return fail(t->c, E_INVALID, "The sheet has more than %d MB of text",
		    XLSX_SHEET_BYTES >> 20);
	buf_add(t->to, bytes, n);
	return E_OK;
}

enum err
xlsx_sheet(struct ctx *c, const struct span *file, int64_t sheet, struct buf *out)
{
	struct sheet_text t = { c, out };

	TRY(zip_check(c, file, ENTRIES));
	return apart_file_run(c, xlsx_sheet_work,
	    &(struct apart_file){ .fd = file->fd, .size = file->n, .side_fd = -1 },
	    mem_printf(c->mem, "%lld", (long long)sheet), text_append, &t);
}
