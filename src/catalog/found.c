/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/found.h"

#include "base/marked.h"
#include "base/str.h"
#include "base/unicode.h"

size_t
catalog_query_words(void *owner, const char *q, const char *words[CATALOG_WORDS])
{
	char *rest = q ? unicode_casefold_nfkc(owner, q) : NULL;
	size_t n = 0;

	for (char *word = str_split(&rest, ' '); word; word = str_split(&rest, ' '))
		if (*word && n < CATALOG_WORDS)
			words[n++] = word;
	return n;
}

/* Comparing here ignores accents, but the list's search does not. So a few more letters may be
 * marked. */
static bool
words_mark(void *owner, const char *q, const char *text, bool *on)
{
	const char *words[CATALOG_WORDS];
	const size_t n = catalog_query_words(owner, q, words);
	struct letter *in, *word;
	const size_t in_n = unicode_letters(owner, text, &in);

	for (size_t i = 0; i < n; i++) {
		const size_t letters = unicode_letters(owner, words[i], &word);

		for (size_t at = 0; letters && at + letters <= in_n; at++) {
			size_t same = 0;

			while (same < letters && in[at + same].ch == word[same].ch)
				same++;
			if (same == letters)
				memset(on + in[at].from, true,
				    in[at + letters - 1].to - in[at].from);
		}
	}
	return memchr(on, true, strlen(text)) != NULL;
}

/* Returns where a part of the text begins that has the match near its start. */
static size_t
part_from(const char *text, size_t at, size_t most)
{
	enum { BEFORE = 60 };
	size_t from = at, chars = 0;

	if (str_chars(text) <= most)
		return 0;
	while (from && chars < BEFORE) {
		from--;
		chars += ((unsigned char)text[from] & 0xc0) != 0x80;
	}
	if (!from || chars < BEFORE)
		return 0;
	for (size_t space = from; space < at; space++)
		if (text[space] == ' ')
			return space + 1;
	return from;
}

const char *
catalog_marked(void *owner, const char *q, const char *text, size_t most, bool *found)
{
	bool *on = mem_array(owner, bool, strlen(text) + 1), *first;
	const char *part;
	size_t from = 0;

	*found = q && words_mark(owner, q, text, on);
	first = *found ? memchr(on, true, strlen(text)) : NULL;
	/* The text's beginning is shown if that includes the match. */
	if (first && (size_t)(first - on) > most / 2)
		from = part_from(text, (size_t)(first - on), most);
	part = str_cut(owner, text + from, most);
	return mem_printf(owner, "%s%s%s", from ? "…" : "", marked_text(owner, part, on + from),
	    text[from + strlen(part)] ? "…" : "");
}
