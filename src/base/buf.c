/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "base/mem.h"
#include "base/num.h"

#include <math.h>

static void
buf_room(struct buf *b, size_t more)
{
	size_t want = b->n + more + 1;

	if (want <= b->room)
		return;
	b->room = want < 128 ? 128 : want + want / 2;
	b->s = mem_grow(b->owner, b->s, b->room);
}

void
buf_add(struct buf *b, const void *bytes, size_t n)
{
	buf_room(b, n);
	if (n)
		memcpy(b->s + b->n, bytes, n);
	b->n += n;
	b->s[b->n] = '\0';
}

void
buf_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void
buf_chr(struct buf *b, char ch)
{
	buf_add(b, &ch, 1);
}

void
buf_fmt(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	size_t left = b->room - b->n;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(b->s ? b->s + b->n : NULL, b->s ? left : 0, fmt, ap);
	if (n >= 0 && (!b->s || (size_t)n >= left)) {
		buf_room(b, (size_t)n);
		vsnprintf(b->s + b->n, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	va_end(ap);
	b->n += n > 0 ? (size_t)n : 0;
}

void
buf_utf8(struct buf *b, uint32_t cp)
{
	unsigned char u[4] = { (unsigned char)(0xf0 | cp >> 18), (unsigned char)(cp >> 12 & 0x3f),
		(unsigned char)(cp >> 6 & 0x3f), (unsigned char)(cp & 0x3f) };
	size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;

	for (size_t i = 4 - n + 1; i < 4; i++)
		u[i] |= 0x80;
	if (n == 1)
		u[3] = (unsigned char)cp;
	else if (n < 4)
		u[4 - n] |= n == 2 ? 0xc0 : 0xe0;
	buf_add(b, u + 4 - n, n);
}

void
buf_num(struct buf *b, double v)
{
	char text[NUM_CHARS];

	buf_str(b, isfinite(v) ? num_write(text, v) : "null");
}

void
buf_json(struct buf *b, const char *s)
{
	if (!s) {
		buf_str(b, "null");
		return;
	}
	buf_chr(b, '"');
	while (*s) {
		size_t plain = 0;

		while ((unsigned char)s[plain] >= 0x20 && s[plain] != '"' && s[plain] != '\\' &&
		    s[plain] != 0x7f)
			plain++;
		buf_add(b, s, plain);
		s += plain;
		if (!*s)
			break;
		if (*s == '"' || *s == '\\')
			buf_add(b, (char[]){ '\\', *s }, 2);
		else if (*s == '\n')
			buf_str(b, "\\n");
		else
			buf_fmt(b, "\\u%04x", (unsigned char)*s);
		s++;
	}
	buf_chr(b, '"');
}

void
buf_jsons(struct buf *b, const char *const *v, size_t n)
{
	buf_chr(b, '[');
	for (size_t i = 0; i < n; i++) {
		buf_str(b, i ? "," : "");
		buf_json(b, v[i]);
	}
	buf_chr(b, ']');
}

void
buf_html(struct buf *b, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '&': buf_str(b, "&amp;"); break;
		case '<': buf_str(b, "&lt;"); break;
		case '>': buf_str(b, "&gt;"); break;
		case '"': buf_str(b, "&quot;"); break;
		case '\'': buf_str(b, "&#39;"); break;
		default: buf_chr(b, *s);
		}
	}
}

static void
buf_percent(struct buf *b, const char *s, const char *also_plain)
{
	for (; *s; s++) {
		unsigned char ch = (unsigned char)*s;

		if (isalnum(ch) || strchr(also_plain, ch))
			buf_chr(b, (char)ch);
		else
			buf_fmt(b, "%%%02X", ch);
	}
}

void
buf_url(struct buf *b, const char *s)
{
	buf_percent(b, s, "-._~/");
}

void
buf_form(struct buf *b, const char *s)
{
	buf_percent(b, s, "-._~");
}

void
form_pair(struct buf *b, const char *name, const char *value)
{
	if (!value)
		return;
	buf_fmt(b, "%s%s=", !b->n || b->s[b->n - 1] == '?' ? "" : "&", name);
	buf_form(b, value);
}

const char *
url_encoded(void *owner, const char *s)
{
	struct buf b = BUF(owner);

	buf_url(&b, s);
	return buf_done(&b);
}

const char *
form_encoded(void *owner, const char *s)
{
	struct buf b = BUF(owner);

	buf_form(&b, s);
	return buf_done(&b);
}

void
json_key(struct buf *b, const char *name)
{
	char last = b->n ? b->s[b->n - 1] : '{';

	if (last != '{' && last != ',')
		buf_chr(b, ',');
	buf_json(b, name);
	buf_chr(b, ':');
}

void
json_add(struct buf *b, const char *name, const char *value)
{
	json_key(b, name);
	buf_json(b, value);
}

void
json_add_int(struct buf *b, const char *name, int64_t value)
{
	json_key(b, name);
	buf_fmt(b, "%lld", (long long)value);
}

static void
texts_add(struct buf *b, const char *name, va_list ap)
{
	for (const char *value; name; name = va_arg(ap, const char *))
		if ((value = va_arg(ap, const char *)))
			json_add(b, name, value);
}

void
json_texts(struct buf *b, const char *name, ...)
{
	va_list ap;

	va_start(ap, name);
	texts_add(b, name, ap);
	va_end(ap);
}

struct buf
json_object_of(void *owner, const char *name, ...)
{
	struct buf b = BUF(owner);
	va_list ap;

	buf_chr(&b, '{');
	va_start(ap, name);
	texts_add(&b, name, ap);
	va_end(ap);
	buf_chr(&b, '}');
	return b;
}

const char *
buf_done(struct buf *b)
{
	return b->s ? b->s : "";
}

size_t
buf_entity(struct buf *b, const char *at)
{
	static const struct {
		const char *name, *text;
	} known[] = { { "&amp;", "&" }, { "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" },
		{ "&nbsp;", " " }, { "&mdash;", "\xe2\x80\x94" }, { "&ndash;", "\xe2\x80\x93" },
		{ "&hellip;", "\xe2\x80\xa6" }, { "&rsquo;", "\xe2\x80\x99" },
		{ "&middot;", "\xc2\xb7" } };
	char *end;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		size_t n = strlen(known[i].name);

		if (strncmp(at, known[i].name, n) == 0) {
			buf_str(b, known[i].text);
			return n;
		}
	}
	if (at[1] == '#') {
		bool hex = at[2] == 'x' || at[2] == 'X';
		unsigned long ch = strtoul(at + 2 + hex, &end, hex ? 16 : 10);

		if (*end == ';' && ch >= 32 && ch < 0x110000 && (ch < 0xD800 || ch > 0xDFFF)) {
			buf_utf8(b, (uint32_t)ch);
			return (size_t)(end + 1 - at);
		}
	}
	buf_chr(b, '&');
	return 1;
}
