/* SPDX-License-Identifier: Apache-2.0 */
#include "search/term.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/unicode.h"
#include "base/marked.h"
#include "search/fold.h"
#include "search/near.h"
#include "search/search.h"

#include <stdlib.h>

/* ---- terms of a query ---- */

enum { PAIRS_TO_MISS_ONE = 3, PAIRS_TO_MISS_TWO };

/* Reads one run of words as a term and returns how many words it took. */
static size_t
term_read(void *owner, const struct word *w, size_t n, struct term *out)
{
	size_t i = 0;

	*out = (struct term){ .parts.v = mem_array(owner, const char *, n) };
	for (; i < n && w[i].run == w->run; i++)
		if (w[i].kind == WORD_WHOLE)
			out->whole = w[i].text;
		else if (w[i].kind != WORD_TAIL || !i)
			out->parts.v[out->parts.n++] = w[i].text;
	out->begins = w->kind == WORD_TAIL;
	return i;
}

struct terms
terms_of(void *owner, const char *asked)
{
	const struct words all = fold(owner, asked, FOLD_WORDS);
	struct terms out = { mem_array(owner, struct term, SEARCH_WORDS), 0 };

	for (size_t i = 0; i < all.n && out.n < SEARCH_WORDS;)
		i += term_read(owner, &all.v[i], all.n - i, &out.v[out.n++]);
	if (out.n && out.v[out.n - 1].whole)
		out.v[out.n - 1].begins = true;
	return out;
}

/* ---- one word ---- */

static int
spelling_compare(const void *word, const void *spelling)
{
	return strcmp(word, ((const struct spelling *)spelling)->word);
}

/* Matches the word with the term as typed, by its beginning, or with typos. */
static struct hit
word_hit(const struct term *t, const char *word)
{
	const char *asked = t->whole ? t->whole : t->parts.v[0];
	const struct spelling *near;

	if (t->whole && str_eq(word, t->whole))
		return (struct hit){ true, 0, AS_ASKED, 0, word };
	if (t->begins && str_starts(word, asked))
		return (struct hit){ true, 0, AS_BEGUN, 0, word };
	near = t->near_n ? bsearch(word, t->near, t->near_n, sizeof *t->near, spelling_compare)
			 : NULL;
	return near ? (struct hit){ true, near->typos, AS_NEAR, 0, word }
		    : (struct hit){ .found = false };
}

static bool
hit_better(const struct hit *a, const struct hit *b)
{
	if (a->found != b->found)
		return a->found;
	if (a->typos != b->typos)
		return a->typos < b->typos;
	return a->how != b->how ? a->how < b->how : a->field < b->field;
}

/* ---- a thing ---- */

/* Matches by parts. All parts must be there; a long run of pairs may miss one character. */
static struct hit
parts_hit(const struct term *t, const struct index_words *words)
{
	struct hit hit = { .how = AS_ASKED };
	size_t missed = 0, first = 0, last = 0;
	bool suffice;

	for (size_t i = 0; i < t->parts.n; i++) {
		const struct index_word *w = index_word_find(words, t->parts.v[i]);

		if (w && w->field > hit.field)
			hit.field = w->field;
		if (w)
			continue;
		first = missed++ ? first : i;
		last = i;
	}
	hit.typos = missed > 0;
	hit.how = missed ? AS_NEAR : AS_ASKED;
	/* A wrong character spoils two neighboring pairs, or one pair at an end. */
	suffice = !missed ||
	    (!t->whole &&
		((missed == 1 && t->parts.n >= PAIRS_TO_MISS_ONE) ||
		    (missed == 2 && last - first == 1 && t->parts.n >= PAIRS_TO_MISS_TWO)));
	hit.found = t->parts.n && suffice;
	return hit;
}

struct hit
term_hit(const struct term *t, const struct index_words *words)
{
	struct hit best = parts_hit(t, words);

	for (size_t i = 0; i < words->n; i++) {
		struct hit one = word_hit(t, words->v[i].text);

		one.field = words->v[i].field;
		if (one.found && hit_better(&one, &best))
			best = one;
	}
	return best;
}

/* ---- marks and snippets ---- */

static bool
is_asked_for(const struct terms *all, const struct word *w)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct term *t = &all->v[i];

		if (word_hit(t, w->text).found || strs_have(&t->parts, w->text))
			return true;
	}
	return false;
}

const char *
terms_marked(void *owner, const struct terms *all, const char *text)
{
	const struct words words = fold(owner, text, FOLD_WORDS);
	bool *on = mem_array(owner, bool, strlen(text) + 1);

	for (size_t i = 0; i < words.n; i++)
		if (is_asked_for(all, &words.v[i]))
			memset(on + words.v[i].from, true, words.v[i].to - words.v[i].from);
	return marked_text(owner, text, on);
}

/* A long text is searched in pieces of this size. */
enum { PIECE_BYTES = 500, CHARS_BEFORE = 50 };

/* Page texts match exactly, without typos. */
static bool
is_spelled_in(const struct terms *all, const struct word *w)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct term *t = &all->v[i];

		if (t->whole ? str_eq(w->text, t->whole) : strs_have(&t->parts, w->text))
			return true;
	}
	return false;
}

static size_t
piece_end(const char *text, size_t from)
{
	size_t n = strnlen(text + from, PIECE_BYTES), end = n;

	if (n < PIECE_BYTES)
		return from + n;
	while (end && text[from + end - 1] != ' ')
		end--;
	/* Never cut within a character: a script without spaces has no blank to cut at. */
	for (end = end ? end : n; end && ((unsigned char)text[from + end] & 0xc0) == 0x80;)
		end--;
	return from + end;
}

static bool
match_find(const struct terms *all, const char *text, size_t *at)
{
	bool found = false;

	for (size_t from = 0, end; text[from] && !found; from = end) {
		void *mine = mem_root("piece");
		struct words in;

		end = piece_end(text, from);
		in = fold(mine, mem_strndup(mine, text + from, end - from), PIECE_BYTES);
		for (size_t i = 0; i < in.n && !found; i++) {
			found = is_spelled_in(all, &in.v[i]);
			*at = from + in.v[i].from;
		}
		mem_free(mine);
	}
	return found;
}

/* Goes back CHARS_BEFORE characters, then forward to the next word. */
static size_t
snippet_from(const char *text, size_t at)
{
	size_t from = at, space;

	for (int i = 0; i < CHARS_BEFORE && from; i++)
		for (from--; from && ((unsigned char)text[from] & 0xc0) == 0x80;)
			from--;
	for (space = from; from && space < at; space++)
		if (text[space] == ' ')
			return space + 1;
	return from;
}

const char *
terms_snippet(void *owner, const struct terms *all, const char *text)
{
	const char *part;
	size_t at, from;

	if (!match_find(all, text, &at))
		return NULL;
	from = snippet_from(text, at);
	part = str_cut(owner, text + from, SNIPPET_CHARS);
	return mem_printf(owner, "%s%s%s", from ? "…" : "", part,
	    text[from + strlen(part)] ? "…" : "");
}

const char *
word_in_text(void *owner, const char *word, const char *text)
{
	const struct words words = fold(owner, text, FOLD_WORDS);

	for (size_t i = 0; i < words.n; i++)
		if (str_eq(words.v[i].text, word))
			return mem_strndup(
			    owner, text + words.v[i].from, words.v[i].to - words.v[i].from);
	return unicode_nfc(owner, word);
}
