/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mdbound.h"

#include <ctype.h>
#include <string.h>

enum { COLUMNS = 1000, CELLS_FREE = 10000, LOOKS = 1 << 26 };
#define BLANKS " \t\v\f"

struct line {
	const char *at, *end;
};

static size_t
spanned(struct line l, const char *set)
{
	const char *s = l.at;

	while (s < l.end && *s && strchr(set, *s))
		s++;
	return (size_t)(s - l.at);
}

/* Returns the length of a list marker, without the blank after it; 0 if there is none. */
static size_t
item_marker(struct line l)
{
	size_t digits = spanned(l, "0123456789");
	const char *s = l.at + digits;

	if (s == l.end || !strchr(digits ? ".)" : "-+*", *s) || !*s)
		return 0;
	return s + 1 < l.end && strchr(BLANKS, s[1]) ? digits + 1 : 0;
}

static bool
is_rule(struct line l)
{
	const char set[] = { *l.at, ' ', '\t', '\0' };

	return spanned(l, set) == (size_t)(l.end - l.at);
}

static size_t
depth_of(struct line l)
{
	bool listed = false;
	size_t depth = 0;

	for (;; depth++) {
		size_t n;

		l.at += spanned(l, BLANKS);
		n = l.at < l.end && *l.at == '>' ? 1 : item_marker(l);
		if (!n || (*l.at != '>' && !listed && is_rule(l)))
			return depth;
		listed |= *l.at != '>';
		l.at += n;
	}
}

static size_t
count(struct line l, char ch)
{
	size_t n = 0;

	for (; l.at < l.end; l.at++)
		n += *l.at == ch;
	return n;
}

static bool
has(struct line l, const char *text)
{
	return memmem(l.at, (size_t)(l.end - l.at), text, strlen(text)) != NULL;
}

/* Estimates how many characters cmark examines to find addresses. */
static size_t
looks_estimate(struct line l)
{
	size_t looks = 0;

	while (l.at < l.end) {
		struct line word = { l.at, l.at };
		size_t at, brackets;

		while (word.end < l.end && !isspace((unsigned char)*word.end))
			word.end++;
		at = count(word, '@');
		brackets = at || has(word, "://") || has(word, "www.") ? count(word, ')') : 0;
		looks += (at + brackets) * (size_t)(word.end - word.at);
		l.at = word.end + 1;
	}
	return looks;
}

bool
markdown_is_bounded(const char *text, size_t n)
{
	const char *const end = text + n;
	size_t columns = 0, cells = 0, looks = 0;

	for (struct line l = { text, text }; l.at < end; l.at = l.end + 1) {
		size_t bars;

		for (l.end = l.at; l.end < end && *l.end != '\n' && *l.end != '\r';)
			l.end++;
		bars = count(l, '|');
		cells += columns;
		if (spanned(l, BLANKS) == (size_t)(l.end - l.at))
			columns = 0;
		/* The second line of a table aligns its columns. */
		else if (bars >= columns &&
		    spanned(l, "|:->" BLANKS) == (size_t)(l.end - l.at) && count(l, '-'))
			columns = bars + 1;
		looks += looks_estimate(l);
		if (bars > COLUMNS || depth_of(l) > MARKDOWN_DEPTH ||
		    cells > n / 2 + CELLS_FREE || looks > LOOKS)
			return false;
	}
	return true;
}
