/* SPDX-License-Identifier: Apache-2.0 */
#include "base/email.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/unicode.h"

enum { ADDRESS_CHARS = 254 };

/* White space of any width, and characters that have no width. */
static bool
is_unseen(uint32_t ch)
{
	return ch <= 0x20 || ch == 0xa0 || ch == 0xad || ch == 0x61c || ch == 0x180e ||
	    (ch >= 0x2000 && ch <= 0x200f) || (ch >= 0x2028 && ch <= 0x202f) ||
	    (ch >= 0x205f && ch <= 0x206f) || ch == 0x3000 || ch == 0xfeff;
}

static const char *
address_trim(void *owner, const char *s)
{
	size_t from = 0, to = 0, len;
	uint32_t ch;

	for (size_t at = 0; s[at]; at += len) {
		len = str_utf8(s + at, 4, &ch);
		if (!len)
			return s;
		if (!is_unseen(ch))
			to = at + len;
		else if (!to)
			from = at + len;
	}
	return mem_strndup(owner, s + from, to > from ? to - from : 0);
}

const char *
email_read(void *owner, const char *typed)
{
	const char *s = address_trim(owner, typed), *at = strrchr(s, '@'), *domain, *out;
	bool plain = true;
	char *small;

	if (!at)
		return NULL;
	small = mem_strdup(owner, at + 1);
	for (char *p = small; *p; p++) {
		*p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
		plain = plain && (unsigned char)*p < 0x80;
	}
	domain = plain && !strstr(small, "xn--") ? small : unicode_host_ascii(owner, small);
	out = domain ? mem_printf(owner, "%.*s%s", (int)(at + 1 - s), s, domain) : NULL;
	return out && str_email(out) ? out : NULL;
}

bool
email_likely(void *owner, const char *typed)
{
	const char *s = address_trim(owner, typed), *at = strrchr(s, '@');

	return str_email(s) || (at && at > s && strchr(at, '.') && !str_is_ascii(at));
}

const char *
email_wrong(void *owner, const char *typed)
{
	const char *s = address_trim(owner, typed);
	size_t len;
	uint32_t ch;

	for (size_t at = 0; s[at] && (len = str_utf8(s + at, 4, &ch)); at += len)
		if (ch > 0x20 && is_unseen(ch))
			return mem_printf(owner,
			    "has an invisible character (U+%04X) in the address; type it again",
			    (unsigned)ch);
	return mem_printf(owner, "%s isn't an e-mail address",
	    *s && str_chars(s) <= ADDRESS_CHARS ? s : "this");
}

/* ---- several ---- */

static void
item_add(struct buf *b, const char *s, size_t n)
{
	const char *item = address_trim(b->owner, mem_strndup(b->owner, s, n));

	if (*item)
		buf_fmt(b, "%s%s", b->n ? "," : "", item);
}

/* Returns the size in bytes of a word: up to a blank or a divider, or to the end of a quoted name.
 */
static size_t
word_size(const char *s)
{
	const char *end = *s == '"' ? strchr(s + 1, '"') : NULL;
	size_t n = 0, len;
	uint32_t ch;

	if (end)
		return (size_t)(end + 1 - s);
	while (s[n] && !strchr(",;<", s[n]) && (len = str_utf8(s + n, 4, &ch)) && !is_unseen(ch))
		n += len;
	return n ? n : 1;
}

static void
name_end(struct buf *b, const char **name, const char *end)
{
	if (*name)
		item_add(b, *name, (size_t)(end - *name));
	*name = NULL;
}

const char *
emails_typed(void *owner, const char *typed)
{
	const char *name = NULL, *s; /* name: words that may belong to the next address */
	struct buf b = BUF(owner);
	size_t n;

	for (s = typed; *s; s += n) {
		uint32_t ch;
		size_t len = str_utf8(s, 4, &ch);

		n = *s && (strchr(",;", *s) || (len && is_unseen(ch))) ? len : 0;
		if (strchr(",;\n", *s)) {
			name_end(&b, &name, s);
		} else if (*s == '<') {
			n = strcspn(s, ">");
			item_add(&b, s + 1, n - 1);
			n += s[n] == '>';
			name = NULL;
		} else if (!n) {
			n = word_size(s);
			if (*s != '"' && memchr(s, '@', n)) {
				name_end(&b, &name, s);
				item_add(&b, s, n);
			} else if (!name) {
				name = s;
			}
		}
	}
	name_end(&b, &name, s);
	return b.n ? buf_done(&b) : NULL;
}
