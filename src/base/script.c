/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "base/str.h"
#include "base/unicode.h"

#include <unicode/uchar.h>
#include <unicode/ucnv.h>
#include <unicode/uidna.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>
#include <unicode/utrans.h>

static UTransliterator *to_ascii;

void
unicode_open(void)
{
	static const UChar rules[] =
	    u"Any-Latin; NFKD; [:Nonspacing Mark:] Remove; Latin-ASCII; Lower";
	UErrorCode e = U_ZERO_ERROR;

	if (!to_ascii)
		to_ascii = utrans_openU(rules, -1, UTRANS_FORWARD, NULL, 0, NULL, &e);
	if (U_FAILURE(e))
		abort();
}

/* Converts s to UTF-16, with room for the text to grow. *n and *room count UTF-16 units. */
static UChar *
utf8_to_utf16(void *owner, const char *s, int32_t *n, int32_t *room)
{
	UErrorCode e = U_ZERO_ERROR;
	UChar *out;

	*room = (int32_t)strlen(s) * 8 + 64;
	out = mem_array(owner, UChar, (size_t)*room);
	u_strFromUTF8(out, *room, n, s, -1, &e);
	if (U_FAILURE(e))
		*n = 0;
	return out;
}

char *
unicode_ascii(void *owner, const char *s)
{
	UErrorCode e = U_ZERO_ERROR;
	void *scratch = mem_root("ascii");
	int32_t n, room, limit;
	UChar *text = utf8_to_utf16(scratch, s, &n, &room);
	char *result;

	unicode_open();
	limit = n;
	utrans_transUChars(to_ascii, text, &n, room, 0, &limit, &e);
	if (U_FAILURE(e))
		n = 0;
	e = U_ZERO_ERROR;
	room = n * 3 + 1;
	result = mem_array(owner, char, (size_t)room);
	u_strToUTF8(result, room, NULL, text, n, &e);
	mem_free(scratch);
	return result;
}

char *
unicode_host_ascii(void *owner, const char *host)
{
	const uint32_t options = UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_CHECK_BIDI |
	    UIDNA_CHECK_CONTEXTJ | UIDNA_USE_STD3_RULES;
	UErrorCode e = U_ZERO_ERROR;
	UIDNA *idna = uidna_openUTS46(options, &e);
	UIDNAInfo info = UIDNA_INFO_INITIALIZER;
	char out[256];
	int32_t n;

	if (U_FAILURE(e))
		return NULL;
	n = uidna_nameToASCII_UTF8(idna, host, -1, out, sizeof out, &info, &e);
	uidna_close(idna);
	return U_SUCCESS(e) && !info.errors && n > 0 && n < (int32_t)sizeof out
	    ? mem_strndup(owner, out, (size_t)n)
	    : NULL;
}

/* True if all letters are of one script, or of those that Japanese, Chinese, or Korean is written
 * with. */
static bool
label_is_plain(void *owner, const UChar *s, int32_t units)
{
	static const UScriptCode sets[][4] = {
		{ USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_LATIN },
		{ USCRIPT_HAN, USCRIPT_BOPOMOFO, USCRIPT_LATIN, USCRIPT_LATIN },
		{ USCRIPT_HAN, USCRIPT_HANGUL, USCRIPT_LATIN, USCRIPT_LATIN },
	};
	UErrorCode e = U_ZERO_ERROR;
	UScriptCode first = USCRIPT_COMMON, script;
	unsigned fits = 7;
	bool one = true;
	UChar32 *ch = mem_array(owner, UChar32, (size_t)units + 1);
	int32_t n = 0;

	u_strToUTF32(ch, units + 1, &n, s, units, &e);
	for (int32_t i = 0; i < n && U_SUCCESS(e); i++) {
		script = uscript_getScript(ch[i], &e);
		if (script == USCRIPT_COMMON || script == USCRIPT_INHERITED)
			continue;
		first = first == USCRIPT_COMMON ? script : first;
		one = one && script == first;
		for (unsigned set = 0; set < 3; set++)
			if (script != sets[set][0] && script != sets[set][1] &&
			    script != sets[set][2] && script != sets[set][3])
				fits &= ~(1u << set);
	}
	return U_SUCCESS(e) && (one || fits);
}

char *
unicode_host_readable(void *owner, const char *host)
{
	UErrorCode e = U_ZERO_ERROR;
	UIDNA *idna = uidna_openUTS46(UIDNA_NONTRANSITIONAL_TO_UNICODE, &e);
	char *out = mem_strdup(owner, ""), *rest = mem_strdup(owner, host), *label;

	while (U_SUCCESS(e) && (label = str_split(&rest, '.'))) {
		UIDNAInfo info = UIDNA_INFO_INITIALIZER;
		UErrorCode bad = U_ZERO_ERROR;
		char text[256] = "";
		int32_t n, room;
		UChar *wide;

		uidna_labelToUnicodeUTF8(idna, label, -1, text, sizeof text - 1, &info, &bad);
		wide = utf8_to_utf16(owner, text, &n, &room);
		if (U_SUCCESS(bad) && !info.errors && *text && label_is_plain(owner, wide, n))
			label = text;
		out = mem_printf(owner, "%s%s%s", out, *out ? "." : "", label);
	}
	uidna_close(idna);
	return *out ? out : mem_strdup(owner, host);
}

/* ---- letters to search by ---- */

static bool
has_script(UChar32 ch, const UScriptCode *scripts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (uscript_hasScript(ch, scripts[i]))
			return true;
	return false;
}

static bool
is_dense(UChar32 ch)
{
	static const UScriptCode dense[] = { USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA,
		USCRIPT_THAI, USCRIPT_LAO, USCRIPT_KHMER };

	return has_script(ch, dense, sizeof dense / sizeof *dense);
}

struct letters {
	void *owner;
	struct letter *v;
	size_t n, room;
	UChar32 base; /* the last letter or digit; 0 after any other character */
};

/* True if a mark after the last letter counts as a letter of its own. In some scripts, people leave
 * out marks. */
static bool
letter_takes_mark(const struct letters *all)
{
	static const UScriptCode bare[] = { USCRIPT_LATIN, USCRIPT_GREEK, USCRIPT_CYRILLIC,
		USCRIPT_ARABIC, USCRIPT_HEBREW };

	return all->base && !u_isdigit(all->base) &&
	    !has_script(all->base, bare, sizeof bare / sizeof *bare);
}

static void
letter_add(struct letters *all, UChar32 ch, bool capital, size_t from, size_t to)
{
	const uint32_t category = U_GET_GC_MASK(ch);
	struct letter *l;

	if (all->n == all->room) {
		all->room = all->room * 2 + 64;
		all->v = mem_grow(all->owner, all->v, all->room * sizeof *all->v);
	}
	l = &all->v[all->n];
	*l = (struct letter){ (uint32_t)ch, LETTER_NONE, from, to };
	if (category & U_GC_M_MASK) {
		if (!letter_takes_mark(all)) {
			if (all->n)
				all->v[all->n - 1].to = to;
			return;
		}
		l->kind = is_dense(all->base) ? LETTER_MARK : LETTER_PLAIN;
	} else if (category & U_GC_N_MASK) {
		l->kind = LETTER_DIGIT;
		if (u_isdigit(ch))
			l->ch = (uint32_t)('0' + u_charDigitValue(ch));
		all->base = ch;
	} else if (category & U_GC_L_MASK) {
		l->kind = is_dense(ch) ? LETTER_DENSE : capital ? LETTER_CAPITAL : LETTER_PLAIN;
		all->base = ch;
	} else {
		all->base = 0;
	}
	all->n++;
}

/* Folds one character at a time, so that we know the bytes each letter comes from. */
static void
letter_fold(struct letters *all, UChar32 ch, size_t from, size_t to)
{
	enum { ROOM = 64 }; /* NFKC folding makes at most 18 characters, NFD at most 4 of each */
	UErrorCode e = U_ZERO_ERROR;
	UChar one[2], folded[ROOM], apart[ROOM];
	UChar32 out[ROOM];
	int32_t n = 0;
	bool capital = u_isupper(ch) || u_istitle(ch);

	U16_APPEND_UNSAFE(one, n, ch);
	n = unorm2_normalize(unorm2_getNFKCCasefoldInstance(&e), one, n, folded, ROOM, &e);
	n = unorm2_normalize(unorm2_getNFDInstance(&e), folded, n, apart, ROOM, &e);
	u_strToUTF32(out, ROOM, &n, apart, n, &e);
	if (U_FAILURE(e))
		n = 0;
	if (!n && all->n)
		all->v[all->n - 1].to = to;
	for (int32_t i = 0; i < n; i++)
		letter_add(all, out[i], capital && !i, from, to);
}

size_t
unicode_letters(void *owner, const char *s, struct letter **out)
{
	const size_t bytes = strlen(s);
	struct letters all = { .owner = owner };
	uint32_t ch;
	size_t n;

	for (size_t at = 0; at < bytes; at += n) {
		n = str_utf8(s + at, bytes - at, &ch);
		if (!n)
			break;
		letter_fold(&all, (UChar32)ch, at, at + n);
	}
	*out = all.v;
	return all.n;
}

char *
unicode_from(void *owner, const char *charset, const char *bytes, size_t n, size_t *out_n)
{
	enum { MOST = 4 }; /* bytes of UTF-8 for one byte of another set */
	int32_t room = (int32_t)n * MOST + 1, got;
	char *out = mem_grow(owner, NULL, (size_t)room);
	UErrorCode e = U_ZERO_ERROR;

	got = ucnv_convert("UTF-8", charset, out, room, bytes, (int32_t)n, &e);
	if (U_FAILURE(e))
		return NULL;
	*out_n = (size_t)got;
	return out;
}
