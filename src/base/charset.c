/* SPDX-License-Identifier: Apache-2.0 */
#include "base/charset.h"

#include "base/mem.h"
#include "base/mime.h"
#include "base/str.h"
#include "base/unicode.h"

enum { PRESCAN = 1024, LABEL = 40 };

/* Returns the value after `what` and "=", without quotes, in lower case; NULL if there is none. */
static const char *
label_behind(void *owner, const char *tag, const char *what)
{
	const char *p = strcasestr(tag, what);
	char *label;

	if (!p)
		return NULL;
	p += strlen(what);
	p += strspn(p, " \t\r\n=\"'");
	label = str_lower(mem_strndup(owner, p, strcspn(p, " \t\r\n\"';/>?")));
	return *label && strlen(label) < LABEL ? label : NULL;
}

const char *
charset_declared(void *owner, const char *type)
{
	return type ? label_behind(owner, type, "charset") : NULL;
}

static const char *
meta_label(void *owner, const char *html)
{
	for (const char *p = html; (p = strchr(p, '<')); p++) {
		const char *end = str_starts(p, "<!--") ? strstr(p, "-->") : strchr(p, '>'), *label;

		if (!end)
			return NULL;
		label = strncasecmp(p, "<meta", 5) == 0
		    ? label_behind(owner, mem_strndup(owner, p, (size_t)(end - p)), "charset")
		    : NULL;
		if (label)
			return label;
		p = end;
	}
	return NULL;
}

static const char *
label_declared(void *owner, const char *mime, const char *bytes, size_t n)
{
	const char *head = mem_strndup(owner, bytes, n < PRESCAN ? n : PRESCAN), *end;

	if (mime_is_html(mime))
		return meta_label(owner, head);
	if (str_starts(head, "<?xml") && (end = strstr(head, "?>")))
		return label_behind(
		    owner, mem_strndup(owner, head, (size_t)(end - head)), "encoding");
	return str_starts(head, "@charset \"") ? label_behind(owner, head, "@charset") : NULL;
}

/* If the probe has cut the text within a character, up to 3 bytes at its end are ignored. */
static bool
is_utf8(const char *bytes, size_t n)
{
	size_t back = 0;

	if (n < CHARSET_LOOK)
		return str_utf8_valid(bytes, n);
	while (back < 3 && !str_utf8_valid(bytes, n - back))
		back++;
	return str_utf8_valid(bytes, n - back);
}

const char *
charset_of(void *owner, const char *mime, const char *bytes, size_t n)
{
	const char *label;
	size_t probe;

	if (n > 1 && !memcmp(bytes, "\xff\xfe", 2))
		return "utf-16le";
	if (n > 1 && !memcmp(bytes, "\xfe\xff", 2))
		return "utf-16be";
	if (is_utf8(bytes, n) && !memmem(bytes, n, "\x1b$", 2))
		return NULL;
	label = label_declared(owner, mime, bytes, n);
	if (!label && is_utf8(bytes, n))
		return NULL;
	return label && !str_starts(label, "utf") && unicode_from(owner, label, "a", 1, &probe)
	    ? label
	    : "";
}

const char *
charset_text(void *owner, const char *bytes, size_t *n, const char **charset)
{
	const char *text;

	*charset = *n > 1 && (!memcmp(bytes, "\xff\xfe", 2) || !memcmp(bytes, "\xfe\xff", 2))
	    ? "utf-16"
	    : NULL;
	text = unicode_text(owner, bytes, n);
	if (memchr(text, '\0', *n))
		return NULL;
	if (str_utf8_valid(text, *n))
		return text;
	for (size_t i = 0; i < *n; i++) /* bytes that windows-1252 doesn't define */
		if (strchr("\x81\x8d\x8f\x90\x9d", text[i]))
			return NULL;
	*charset = "windows-1252";
	return unicode_from(owner, *charset, text, *n, n);
}
