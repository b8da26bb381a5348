/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mdwrite.h"

#include "base/mem.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>

/* ---- lines ---- */

static void
put(struct md *m, const char *bytes, size_t n)
{
	m->full |= m->out.n + n > m->most;
	if (!m->full)
		buf_add(&m->out, bytes, n);
}

static void
line_open(struct md *m)
{
	char line[MD_PREFIX];
	size_t marker;

	if (m->out.n && m->breaks)
		put(m, "\n", 1);
	if (m->out.n && m->breaks > 1) {
		size_t n = m->blank_n < m->prefix_n ? m->blank_n : m->prefix_n;

		while (n && m->prefix[n - 1] == ' ')
			n--;
		put(m, m->prefix, n);
		put(m, "\n", 1);
	}
	memcpy(line, m->prefix, m->prefix_n);
	marker = strlen(m->marker);
	if (marker <= m->prefix_n)
		memcpy(line + m->prefix_n - marker, m->marker, marker);
	*m->marker = '\0';
	put(m, line, m->prefix_n);
	if (m->lead)
		put(m, m->lead, strlen(m->lead));
	m->open = true;
	m->begun = m->lead != NULL;
	m->lead = NULL;
	m->breaks = 0;
	m->digits = 0;
	m->before = '\0';
}

void
md_flush(struct md *m)
{
	if (!m->open)
		line_open(m);
	else if (m->space && m->begun)
		put(m, " ", 1);
	if (m->space)
		m->before = ' ';
	m->space = false;
}

void
md_space(struct md *m)
{
	/* A control character is a caller's marker. After one, the line counts as empty. */
	m->space = m->space || (m->open && m->begun && (unsigned char)m->before >= ' ');
}

void
md_break(struct md *m, int lines)
{
	if (m->flat) {
		md_space(m);
		return;
	}
	/* The current list item has no content yet. */
	if (*m->marker)
		return;
	m->blank_n = m->breaks && m->blank_n < m->prefix_n ? m->blank_n : m->prefix_n;
	m->breaks = m->breaks > lines ? m->breaks : lines;
	m->open = m->space = false;
}

static void
prefix_add(struct md *m, const char *more, size_t n)
{
	if (m->prefix_n + n > MD_PREFIX)
		return;
	memcpy(m->prefix + m->prefix_n, more, n);
	m->prefix_n += n;
}

void
md_quote(struct md *m)
{
	md_break(m, 2);
	if (!m->flat && !*m->marker)
		prefix_add(m, "> ", 2);
}

void
md_item(struct md *m, const char *marker)
{
	static const char spaces[MD_MARKER] = "           ";
	size_t n = strlen(marker);

	if (*m->marker)
		md_flush(m);
	else
		md_break(m, 1);
	if (m->flat || m->prefix_n + n > MD_PREFIX)
		return;
	prefix_add(m, spaces, n);
	if (m->open)
		put(m, marker, n);
	else
		memcpy(m->marker, marker, n + 1);
}

void
md_end(struct md *m, size_t prefix_n)
{
	*m->marker = '\0';
	md_break(m, 1);
	m->prefix_n = prefix_n;
}

/* ---- text ---- */

/* At the start of a line these begin a heading, a list, a quote, a rule or a table. */
static bool
begins_more(const struct md *m, char ch)
{
	return m->begun ? m->digits && (ch == '.' || ch == ')') : strchr("#+-=>:", ch) != NULL;
}

static bool
means_more(const struct md *m, char ch, char after)
{
	/* Within a word, _ is a letter. Some letters of other scripts don't count as isalnum(). */
	if (ch == '_')
		return !isalnum((unsigned char)m->before) || !isalnum((unsigned char)after);
	/* A # at the end of a heading would be dropped. */
	if (ch == '#')
		return strchr(" #", m->before) && strchr(" #", after);
	if (ch == '&')
		return after == '#' || isalpha((unsigned char)after);
	return strchr("\\`*[]<|~", ch) != NULL;
}

static void
char_put(struct md *m, const char *s, size_t n)
{
	bool digit = isdigit((unsigned char)*s);

	md_flush(m);
	/* References between notes ([[…]]) are found in the shown text, where backslashes are gone,
	 * so a space is needed to break one. */
	if (*s == '[' && m->before == '[')
		put(m, " ", 1);
	if (begins_more(m, *s) || means_more(m, *s, s[n]))
		put(m, "\\", 1);
	put(m, s, n);
	m->digits = digit && (!m->begun || m->digits) ? m->digits + 1 : 0;
	m->begun = true;
	m->before = s[n - 1];
}

/* s must be plain text (str_plain_run()). */
static void
run_put(struct md *m, const char *s, size_t n)
{
	uint32_t ch;

	for (size_t len; n && !m->full; s += len, n -= len) {
		len = str_utf8(s, n, &ch);
		if (ch == ' ' || ch == 0xa0)
			md_space(m);
		else
			char_put(m, s, len);
	}
}

void
md_text(struct md *m, const char *text)
{
	while (*text && !m->full) {
		size_t n = str_plain_run(text), bad;
		uint32_t ch;

		run_put(m, text, n);
		text += n;
		if (!*text)
			return;
		if (strchr("\t\n\f\r", *text))
			md_space(m);
		bad = str_utf8(text, strnlen(text, 4), &ch);
		text += bad ? bad : 1;
	}
}

void
md_raw(struct md *m, const char *bytes, size_t n)
{
	md_flush(m);
	put(m, bytes, n);
	m->begun = true;
	m->before = n ? bytes[n - 1] : m->before;
	m->digits = 0;
}

void
md_cut(struct md *m, size_t n)
{
	m->out.n = n;
	if (m->out.s)
		m->out.s[n] = '\0';
}

const char *
md_fence(void *owner, const char *text)
{
	size_t most = 2;
	char *fence;

	for (const char *at = text; (at = strchr(at, '`'));) {
		size_t n = strspn(at, "`");

		most = n > most ? n : most;
		at += n;
	}
	fence = mem_zalloc(owner, most + 2);
	memset(fence, '`', most + 1);
	return fence;
}
