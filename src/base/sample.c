/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sample.h"

#include "base/str.h"

/* ---- in words ---- */

static void
words_bounds(struct buf *b, const struct field *f, const char *what)
{
	if (f->lo && f->lo == f->hi)
		buf_fmt(b, ", exactly %lld%s", (long long)f->lo, what);
	else if (f->hi && !f->lo && *what)
		buf_fmt(b, ", at most %lld%s", (long long)f->hi, what);
	else if (f->hi)
		buf_fmt(b, ", %lld to %lld%s", (long long)f->lo, (long long)f->hi, what);
	else if (f->lo > 0)
		buf_fmt(b, ", at least %lld%s", (long long)f->lo, what);
}

static void
words_choice(struct buf *b, const char *words)
{
	buf_str(b, "one of ");
	for (; *words; words++)
		if (*words == '|')
			buf_str(b, ", ");
		else
			buf_chr(b, *words);
}

static void
words_text(struct buf *b, const struct field *f)
{
	switch (f->kind) {
	case K_ID: buf_fmt(b, "ID that starts with %s", f->arg); break;
	case K_EMAIL: buf_str(b, "e-mail address"); break;
	case K_SLUG: buf_str(b, "slug: a-z, 0-9 and single hyphens, 1 to 63 characters"); break;
	case K_URL: buf_str(b, "address that starts with http:// or https://"); break;
	case K_WORD: words_choice(b, f->arg); break;
	default:
		buf_str(b, f->flags & F_LONG ? "multi-line text" : "text");
		words_bounds(b, f, " characters");
	}
}

static void
words_items(struct buf *b, const struct field *f)
{
	const struct field item = {
		.kind = f->item, .lo = f->item_lo, .hi = f->item_hi, .arg = f->arg
	};

	buf_str(b, "list");
	words_bounds(b, f, " entries");
	buf_str(b, f->kind == K_LIST ? " of objects" : "; each: ");
	if (f->kind == K_STRS)
		words_text(b, &item);
}

const char *
field_words(void *owner, const struct field *f)
{
	struct buf b = BUF(owner);

	switch (f->kind) {
	case K_INT:
		buf_str(&b, "whole number");
		words_bounds(&b, f, "");
		break;
	case K_TIME: buf_str(&b, "Unix time in seconds"); break;
	case K_DATETIME: buf_str(&b, "time such as 2026-01-02T03:04:05Z"); break;
	case K_NUM:
		buf_str(&b, "number");
		words_bounds(&b, f, "");
		break;
	case K_BOOL: buf_str(&b, "true or false"); break;
	case K_STRS:
	case K_LIST: words_items(&b, f); break;
	case K_OBJ: buf_str(&b, "object"); break;
	case K_JSON:
		buf_str(&b, f->arg ? f->arg : "any JSON value");
		words_bounds(&b, f, " bytes");
		break;
	default: words_text(&b, f);
	}
	if (f->flags & F_NUL)
		buf_str(&b, ", or null");
	if (f->def)
		buf_fmt(&b, "; default %s", f->def);
	return buf_done(&b);
}

/* ---- examples ---- */

static const char id_tail[] = "01hv3c9k2m4n6p8r0s2t4v6w8x";

/* Returns the shortest text that the field allows. */
static const char *
sample_text(void *owner, const struct field *f)
{
	struct buf b = BUF(owner);

	switch (f->kind) {
	case K_ID: return mem_printf(owner, "%s%s", f->arg, id_tail);
	case K_EMAIL: return "ann@example.org";
	case K_SLUG: return "my-site";
	case K_URL: return "https://example.org/";
	case K_WORD: return mem_strndup(owner, f->arg, strcspn(f->arg, "|"));
	default: break;
	}
	buf_str(&b, f->lo > 4 ? "" : f->hi && f->hi < 4 ? "t" : "text");
	while ((int64_t)b.n < f->lo)
		buf_chr(&b, 'a');
	return buf_done(&b);
}

static void
sample_items(struct buf *b, const struct field *f, bool output)
{
	const struct field item = {
		.kind = f->item, .lo = f->item_lo, .hi = f->item_hi, .arg = f->arg
	};

	buf_chr(b, '[');
	for (int64_t i = 0; i < (f->lo > 1 ? f->lo : 1); i++) {
		buf_str(b, i ? "," : "");
		if (f->kind == K_LIST)
			shape_sample(b, f->sub, output);
		else
			buf_json(b, sample_text(b->owner, &item));
	}
	buf_chr(b, ']');
}

static void
sample_value(struct buf *b, const struct field *f, bool output)
{
	bool within = f->kind == K_LIST || f->kind == K_OBJ;

	if (f->eg && !within) {
		buf_str(b, f->eg);
		return;
	}
	switch (f->kind) {
	case K_INT: buf_fmt(b, "%lld", (long long)(f->lo > 0 || f->hi ? f->lo : 1)); break;
	case K_TIME: buf_str(b, "1767322984"); break;
	case K_DATETIME: buf_str(b, "\"2026-01-02T03:04:05Z\""); break;
	case K_NUM: buf_fmt(b, "%lld", (long long)f->lo); break;
	case K_BOOL: buf_str(b, "true"); break;
	case K_STRS:
	case K_LIST: sample_items(b, f, output); break;
	case K_OBJ: shape_sample(b, f->sub, output); break;
	case K_JSON: buf_str(b, str_eq(f->arg, "array") ? "[]" : "{}"); break;
	default: buf_json(b, sample_text(b->owner, f));
	}
}

static bool
sample_has(const struct field *f, bool output)
{
	return !(f->flags & F_HID) && (output || f->flags & F_REQ || f->eg);
}

void
shape_sample(struct buf *b, const struct shape *s, bool output)
{
	buf_chr(b, '{');
	for (const struct field *f = s->fields; f < s->fields + s->n; f++)
		if (sample_has(f, output)) {
			json_key(b, field_wire(f));
			sample_value(b, f, output);
		}
	buf_chr(b, '}');
}

/* Returns the text of a JSON string whose only escapes are \" and \\. */
static const char *
string_text(void *owner, const char *json, size_t n)
{
	struct buf b = BUF(owner);

	for (size_t i = 1; i + 1 < n; i++)
		buf_chr(&b, json[json[i] == '\\' ? ++i : i]);
	return buf_done(&b);
}

void
shape_sample_pairs(struct buf *b, const struct shape *s)
{
	bool first = true;

	for (const struct field *f = s->fields; f < s->fields + s->n; f++) {
		struct buf value = BUF(b->owner);

		if (!sample_has(f, false))
			continue;
		sample_value(&value, f, false);
		buf_fmt(b, "%s%s=", first ? "" : "&", field_wire(f));
		buf_form(b, *value.s == '"' ? string_text(b->owner, value.s, value.n)
					    : buf_done(&value));
		first = false;
	}
}

const char *
json_indented(void *owner, const char *json)
{
	struct buf b = BUF(owner);
	bool inside = false;
	int depth = 0;

	for (const char *p = json; *p; p++) {
		bool opens = !inside && (*p == '{' || *p == '['),
		     closes = !inside && (*p == '}' || *p == ']');

		if (closes)
			buf_fmt(&b, "\n%*s", 2 * --depth, "");
		if (inside && *p == '\\')
			buf_chr(&b, *p++);
		else if (*p == '"')
			inside = !inside;
		buf_chr(&b, *p);
		if (opens && p[1] == *p + 2)
			buf_chr(&b, *++p); /* {} and [] */
		else if (opens)
			buf_fmt(&b, "\n%*s", 2 * ++depth, "");
		else if (!inside && *p == ',')
			buf_fmt(&b, "\n%*s", 2 * depth, "");
		else if (!inside && *p == ':')
			buf_chr(&b, ' ');
	}
	return buf_done(&b);
}
