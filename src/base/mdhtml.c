/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mdhtml.h"

#include "base/mem.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 100 /* open elements; more are left out */, CONTAINER = 0x7f };
#define BLANKS " \t\n\r\f"

/* Views make tables scroll by their tags, so <table> has no attributes. */
static const struct element {
	const char *name, *within; /* within: the element that must be open; NULL: any */
	const char *attributes;
	bool is_void;
} elements[] = {
	{ "a", NULL, "href", false }, { "abbr", NULL, "", false }, { "b", NULL, "", false },
	{ "br", NULL, "", true }, { "caption", "table", "", false }, { "code", NULL, "", false },
	{ "del", NULL, "", false }, { "details", NULL, "", false },
	{ "div", NULL, "align", false }, { "em", NULL, "", false },
	{ "h1", NULL, "align", false }, { "h2", NULL, "align", false },
	{ "h3", NULL, "align", false }, { "h4", NULL, "align", false },
	{ "h5", NULL, "align", false }, { "h6", NULL, "align", false }, { "i", NULL, "", false },
	{ "img", NULL, "src|alt|width|height", true }, { "ins", NULL, "", false },
	{ "kbd", NULL, "", false }, { "mark", NULL, "", false }, { "p", NULL, "align", false },
	{ "strong", NULL, "", false }, { "sub", NULL, "", false },
	{ "summary", "details", "", false }, { "sup", NULL, "", false },
	{ "table", NULL, "", false }, { "tbody", "table", "", false }, { "td", "tr", "", false },
	{ "tfoot", "table", "", false }, { "th", "tr", "", false },
	{ "thead", "table", "", false }, { "tr", "table", "", false },
};

/* Their content is no text for people. */
static const char dropped[] = "iframe|math|noembed|noframes|noscript|object|plaintext|script|style|"
			      "svg|template|textarea|title|xmp";

static const struct element *
element_of(const char *name)
{
	for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
		if (str_eq(elements[i].name, name))
			return &elements[i];
	return NULL;
}

/* ---- what is open ---- */

/* Returns the place of an element in the container that is open; 0 if it isn't there. Places count
 * from 1. */
static size_t
place_of(const struct mdhtml *m, const struct element *e)
{
	for (size_t i = m->open.n; i && m->open.s[i - 1] != CONTAINER; i--)
		if (m->open.s[i - 1] == e - elements)
			return i;
	return 0;
}

static void
name_put(struct buf *out, const struct element *e)
{
	bool heading = *e->name == 'h';

	buf_chr(out, *e->name);
	if (heading)
		buf_chr(out, MDHTML_LEVEL);
	buf_str(out, e->name + 1);
}

static void
close_to(struct mdhtml *m, size_t place, struct buf *out)
{
	for (; m->open.n >= place && m->open.s[m->open.n - 1] != CONTAINER; m->depth--) {
		buf_str(out, "</");
		name_put(out, &elements[(unsigned char)m->open.s[--m->open.n]]);
		buf_chr(out, '>');
	}
}

void
mdhtml_enter(struct mdhtml *m)
{
	buf_chr(&m->open, CONTAINER);
}

const char *
mdhtml_leave(struct mdhtml *m)
{
	struct buf out = BUF(m->owner);

	close_to(m, 1, &out);
	m->open.n--;
	return buf_done(&out);
}

/* ---- attributes ---- */

static bool
is_address(const char *s, bool picture)
{
	size_t n = strcspn(s, ":/?#\\");
	const char *scheme;

	for (const char *p = s; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	if (s[n] != ':')
		return *s && !(picture && strchr("/\\", s[0]) && strchr("/\\", s[1]) && s[1]);
	for (size_t i = 0; i < n; i++)
		if (!isalpha((unsigned char)s[i]))
			return false;
	scheme = (n == 5 && strncasecmp(s, "https", n) == 0) ? "https" : "";
	if (picture || *scheme)
		return *scheme != '\0';
	return (n == 4 && strncasecmp(s, "http", n) == 0) ||
	    (n == 6 && strncasecmp(s, "mailto", n) == 0);
}

static bool
is_size(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return n && n < 5 && (!s[n] || str_eq(s + n, "%"));
}

/* Leaves out control characters, of which MDHTML_LEVEL is one. */
static void
plain_put(struct buf *b, const char *at)
{
	if ((unsigned char)*at >= ' ' || strchr(BLANKS, *at))
		buf_chr(b, *at);
}

static const char *
name_lower(void *owner, const char *s, size_t n)
{
	return str_lower(mem_strndup(owner, s, n));
}

/* Returns the value as it is written; NULL if the attribute is left out. */
static const char *
value_kept(const struct mdhtml *m, const char *name, const char *value)
{
	const char *led;

	if (str_eq(name, "src"))
		return is_address(value, true) ? value : NULL;
	if (str_eq(name, "href")) {
		if (!is_address(value, false))
			return NULL;
		led = m->to(m->arg, value);
		return !led ? value : *led ? led : NULL;
	}
	if (str_eq(name, "align")) {
		value = name_lower(m->owner, value, strlen(value));
		return str_in(value, "left|center|right|justify") ? value : NULL;
	}
	return str_eq(name, "alt") || is_size(value) ? value : NULL;
}

static const char *
value_decoded(void *owner, const char *s, size_t n)
{
	const char *in = mem_strndup(owner, s, n);
	struct buf b = BUF(owner);
	char *out;

	while (*in)
		if (*in == '&')
			in += buf_entity(&b, in);
		else
			plain_put(&b, in++);
	out = mem_strdup(owner, buf_done(&b));
	out += strspn(out, BLANKS);
	for (n = strlen(out); n && strchr(BLANKS, out[n - 1]);)
		out[--n] = '\0';
	return out;
}

struct attribute {
	const char *name, *value; /* name: "" at the tag's end; NULL if there is no end */
};

/* Reads the next attribute of a tag, as HTML's parsers do. Returns where it ends. */
static const char *
attribute_next(void *owner, const char *s, struct attribute *out)
{
	const char *from, *end;

	s += strspn(s, BLANKS "/");
	*out = (struct attribute){ *s ? "" : NULL, "" };
	if (!*s || *s == '>')
		return s;
	end = s + 1 + strcspn(s + 1, BLANKS "/>=");
	out->name = name_lower(owner, s, (size_t)(end - s));
	s = end + strspn(end, BLANKS);
	if (*s != '=')
		return end;
	s += 1 + strspn(s + 1, BLANKS);
	from = *s == '"' || *s == '\'' ? s + 1 : s;
	end = from == s ? s + strcspn(s, BLANKS ">") : strchr(from, *s);
	if (!end) {
		out->name = NULL;
		return s;
	}
	out->value = value_decoded(owner, from, (size_t)(end - from));
	return end + (from != s);
}

/* ---- tags ---- */

struct tag {
	const char *name;
	const struct element *element; /* NULL: it isn't kept */
	bool ends;
	struct buf attributes; /* as they are written */
	const char *names, *src, *alt; /* names: of the attributes, with bars between */
};

static void
attribute_keep(const struct mdhtml *m, struct tag *t, const struct attribute *a)
{
	const char *value;

	if (!t->element || t->ends || !str_in(a->name, t->element->attributes) ||
	    str_in(a->name, t->names))
		return;
	value = value_kept(m, a->name, a->value);
	if (!value)
		return;
	t->names = mem_printf(m->owner, "%s|%s", t->names, a->name);
	if (str_eq(a->name, "src"))
		t->src = value;
	if (str_eq(a->name, "alt"))
		t->alt = value;
	buf_fmt(&t->attributes, " %s=\"", a->name);
	for (size_t n; *value; value += n + (value[n] == ' ')) {
		n = str_in(a->name, "href|src") ? strcspn(value, " ") : strlen(value);
		buf_html(&t->attributes, mem_strndup(m->owner, value, n));
		buf_str(&t->attributes, value[n] ? "%20" : "");
	}
	buf_chr(&t->attributes, '"');
}

/* Reads a tag. Returns where it ends; NULL if s doesn't begin one that ends. */
static const char *
tag_read(const struct mdhtml *m, const char *s, struct tag *out)
{
	struct attribute a = { "", "" };
	const char *name = s + 1 + (s[1] == '/');

	*out = (struct tag){ .ends = s[1] == '/', .names = "", .attributes = BUF(m->owner) };
	if (!isalpha((unsigned char)*name))
		return NULL;
	s = name + strcspn(name, BLANKS "/>");
	out->name = name_lower(m->owner, name, (size_t)(s - name));
	out->element = element_of(out->name);
	while (a.name && (s = attribute_next(m->owner, s, &a), a.name) && *a.name)
		attribute_keep(m, out, &a);
	return a.name ? s + 1 : NULL;
}

static void
tag_put(struct mdhtml *m, const struct tag *t, struct buf *out)
{
	const struct element *e = t->element;
	size_t place = e && t->ends ? place_of(m, e) : 0;

	if (place)
		close_to(m, place, out);
	if (!e || t->ends || (e->within && !place_of(m, element_of(e->within))) ||
	    (!e->is_void && m->depth == DEEPEST))
		return;
	if (str_eq(e->name, "img") && !t->src) {
		buf_html(out, t->alt ? t->alt : "");
		return;
	}
	buf_chr(out, '<');
	name_put(out, e);
	buf_add(out, t->attributes.s, t->attributes.n);
	buf_chr(out, '>');
	m->firsts += str_eq(e->name, "h1");
	if (e->is_void)
		return;
	buf_chr(&m->open, (char)(e - elements));
	m->depth++;
}

/* ---- a piece ---- */

/* Returns what follows `end`, or the text's end. */
static const char *
behind(const char *s, const char *end)
{
	const char *at = strcasestr(s, end);

	return at ? at + strlen(end) : s + strlen(s);
}

/* Returns where a comment, a declaration, or an element that is dropped ends; s if there is none.
 */
static const char *
dropped_end(void *owner, const char *s, const struct tag *t)
{
	if (str_starts(s, "<!--"))
		return behind(s, "-->");
	if (s[1] == '!' || s[1] == '?')
		return behind(s, ">");
	if (t->name && !t->ends && str_in(t->name, dropped))
		return behind(behind(s, mem_printf(owner, "</%s", t->name)), ">");
	return s;
}

const char *
mdhtml_kept(struct mdhtml *m, const char *html)
{
	struct buf out = BUF(m->owner);
	bool whole = true; /* no tag so far was without its end, which is looked for once */

	while (*html) {
		struct tag t = { 0 };
		const char *end = *html == '<' && whole ? tag_read(m, html, &t) : NULL;
		const char *past = *html == '<' ? dropped_end(m->owner, html, &t) : html;

		whole &= end || !t.name;
		if (past > html) {
			html = past;
		} else if (end) {
			tag_put(m, &t, &out);
			html = end;
		} else if (strchr("<>\"", *html)) {
			buf_html(&out, (char[]){ *html++, '\0' });
		} else {
			plain_put(&out, html++);
		}
	}
	return buf_done(&out);
}

void
mdhtml_put(struct buf *b, const char *kept, int below)
{
	enum { LOWEST = '6' };

	for (; *kept; kept++)
		if (*kept != MDHTML_LEVEL)
			buf_chr(b, *kept);
		else if (*++kept + below <= LOWEST)
			buf_chr(b, (char)(*kept + below));
		else
			buf_chr(b, LOWEST);
}

/* ---- without Markdown ---- */

static const char *
as_it_is(void *arg, const char *address)
{
	(void)arg;
	(void)address;
	return NULL;
}

static bool
has_text(const char *kept)
{
	bool tag = false;

	for (; *kept; kept++) {
		if (!tag && *kept != '<' && !strchr(BLANKS, *kept))
			return true;
		tag = *kept == '<' || (tag && *kept != '>');
	}
	return false;
}

const char *
mdhtml_alone(void *owner, const char *html)
{
	struct mdhtml m = { .owner = owner, .to = as_it_is, .open = BUF(owner) };
	struct buf b = BUF(owner);
	const char *kept;

	mdhtml_enter(&m);
	kept = mdhtml_kept(&m, html);
	if (!has_text(kept))
		return NULL;
	mdhtml_put(&b, kept, 1);
	mdhtml_put(&b, mdhtml_leave(&m), 1);
	return buf_done(&b);
}
