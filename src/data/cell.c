/* SPDX-License-Identifier: Apache-2.0 */
#include "data/cell.h"

#include "base/instant.h"
#include "base/crypto.h"
#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"

#include <limits.h>

/* First byte of a key. */
enum { TAG_BOOL = 0x10, TAG_NUMBER = 0x20, TAG_TIME = 0x30, TAG_TEXT = 0x40, TAG_DIGEST = 0x50 };
enum { SIGN_MINUS = 1, SIGN_ZERO, SIGN_PLUS };
enum { MADE_NAME_BYTES = 60, HEAD_CHARS = 200 };

static const struct {
	const char *word, *title;
} types[] = {
#define TYPE(word, title) { word, title },
	COLUMN_TYPE_TITLES(TYPE)
#undef TYPE
};

const char *
cell_type_word(enum cell_type type)
{
	return types[type].word;
}

enum cell_type
cell_type_of(const char *word)
{
	enum cell_type type = CELL_TEXT;

	while (!str_eq(types[type].word, word))
		type++;
	return type;
}

const char *
cell_type_title(const char *word)
{
	return str_in(word, COLUMN_TYPES) ? types[cell_type_of(word)].title : word;
}

int
cell_slot(const struct cell_columns *columns, const char *name)
{
	for (int i = 0; i < CELL_SLOTS; i++)
		if (columns->v[i].name && str_eq(columns->v[i].name, name))
			return i;
	return -1;
}

int64_t
slot_bit(int64_t slot)
{
	return (int64_t)(UINT64_C(1) << slot);
}

struct bytes
cell_bool(bool b)
{
	static const uint8_t key[2][2] = { { TAG_BOOL, 0 }, { TAG_BOOL, 1 } };

	return (struct bytes){ key[b], 2 };
}

/* ---- numbers ---- */

/* 0.d1d2d3… times ten to the power of exponent. The first and last digits aren't 0. */
struct decimal {
	bool minus;
	char digits[NUMBER_DIGITS];
	size_t n;
	int64_t exponent;
};

/* Reads the digits before and after the decimal point. */
static bool
decimal_digits(struct decimal *d, const char **at)
{
	size_t zeros = 0;
	bool point = false;

	for (; **at == '.' || isdigit((unsigned char)**at); (*at)++) {
		if (**at == '.') {
			point = true;
			continue;
		}
		d->exponent += !point && (d->n || **at != '0');
		d->exponent -= point && !d->n && **at == '0';
		if (**at == '0') {
			zeros += d->n > 0;
			continue;
		}
		if (d->n + zeros + 1 > NUMBER_DIGITS)
			return false;
		memset(d->digits + d->n, '0', zeros);
		d->n += zeros;
		zeros = 0;
		d->digits[d->n++] = **at;
	}
	return true;
}

static bool
decimal_read(const char *text, struct decimal *d)
{
	int64_t exponent = 0;
	const char *p = text + (*text == '-');
	bool minus;

	*d = (struct decimal){ .minus = *text == '-' };
	if (!decimal_digits(d, &p))
		return false;
	if (*p) {
		minus = p[1] == '-';
		for (p += 1 + (p[1] == '-' || p[1] == '+'); *p && exponent < INT_MAX; p++)
			exponent = exponent * 10 + (*p - '0');
		d->exponent += minus ? -exponent : exponent;
	}
	if (!d->n)
		*d = (struct decimal){ 0 };
	return d->exponent <= NUMBER_EXPONENT && d->exponent >= -NUMBER_EXPONENT;
}

bool
cell_number(void *owner, const char *text, struct bytes *out)
{
	uint8_t *key = mem_array(owner, uint8_t, 5 + NUMBER_DIGITS / 2 + 1);
	struct decimal d;
	size_t n = 0;

	if (!decimal_read(text, &d))
		return false;
	key[n++] = TAG_NUMBER;
	key[n++] = !d.n ? SIGN_ZERO : d.minus ? SIGN_MINUS : SIGN_PLUS;
	if (d.n) {
		key[n++] = (uint8_t)((d.exponent + 0x8000) >> 8);
		key[n++] = (uint8_t)(d.exponent + 0x8000);
	}
	for (size_t i = 0; i < d.n; i += 2)
		key[n++] = (uint8_t)(1 + (d.digits[i] - '0') * 10 +
		    (i + 1 < d.n ? d.digits[i + 1] - '0' : 0));
	/* Of two negative numbers the longer one is less. So their keys end with a byte above
	 * all digits. */
	if (d.n && d.minus) {
		for (size_t i = 2; i < n; i++)
			key[i] = (uint8_t)~key[i];
		key[n++] = 0xff;
	}
	*out = (struct bytes){ key, n };
	return true;
}

static long double
power_of_ten(int n)
{
	long double out = 1;

	while (n-- > 0)
		out *= 10;
	return out;
}

bool
cell_pairs(struct bytes key, struct cell_pairs *out)
{
	const uint8_t *p = key.p, flip = key.n > 1 && p[1] == SIGN_MINUS ? 0xff : 0;

	*out = (struct cell_pairs){ .minus = flip };
	if (key.n < 2 || *p != TAG_NUMBER)
		return false;
	if (p[1] == SIGN_ZERO)
		return true;
	out->exponent = ((p[2] ^ flip) << 8 | (p[3] ^ flip)) - 0x8000;
	out->n = key.n - 4 - (flip != 0);
	for (size_t i = 0; i < out->n; i++)
		out->v[i] = (uint8_t)((p[4 + i] ^ flip) - 1);
	return true;
}

/* Digits are exact up to 64 bits and powers of ten up to 10^27, so sums of money are exact. */
bool
cell_to_number(struct bytes key, long double *out)
{
	const uint8_t *p = key.p, flip = key.n > 1 && p[1] == SIGN_MINUS ? 0xff : 0;
	size_t n = key.n - (flip != 0 && key.n);
	long double digits = 0;
	int places;

	*out = 0;
	if (key.n < 2 || *p != TAG_NUMBER)
		return false;
	if (p[1] == SIGN_ZERO)
		return true;
	places = ((p[2] ^ flip) << 8 | (p[3] ^ flip)) - 0x8000;
	for (size_t i = 4; i < n; i++, places -= 2)
		digits = digits * 100 + ((p[i] ^ flip) - 1);
	*out = places < 0 ? digits / power_of_ten(-places) : digits * power_of_ten(places);
	if (flip)
		*out = -*out;
	return true;
}

/* ---- times ---- */

struct bytes
cell_instant(void *owner, int64_t seconds, uint64_t nanos)
{
	uint8_t *key = mem_array(owner, uint8_t, 13);

	key[0] = TAG_TIME;
	/* Adding 2^62 seconds makes times before 1970 sort first. */
	for (int i = 0; i < 8; i++)
		key[1 + i] = (uint8_t)((uint64_t)(seconds + (INT64_C(1) << 62)) >> (56 - 8 * i));
	for (int i = 0; i < 4; i++)
		key[9 + i] = (uint8_t)(nanos >> (24 - 8 * i));
	return (struct bytes){ key, 13 };
}

bool
cell_to_instant(struct bytes key, int64_t *unix_s, uint64_t *nanos)
{
	const uint8_t *p = key.p;
	uint64_t s = 0;

	*nanos = 0;
	if (key.n != 13 || *p != TAG_TIME)
		return false;
	for (int i = 0; i < 8; i++)
		s = s << 8 | p[1 + i];
	for (int i = 0; i < 4; i++)
		*nanos = *nanos << 8 | p[9 + i];
	*unix_s = (int64_t)s - (INT64_C(1) << 62);
	return true;
}

const char *
cell_to_text(void *owner, struct bytes key, bool *whole)
{
	const uint8_t *p = key.p;
	size_t n = key.n - 1;

	if (!key.n || *p != TAG_TEXT)
		return NULL;
	*whole = n <= TEXT_BYTES;
	/* The key may end within a character. */
	if (!*whole)
		for (n = TEXT_BYTES; n && !str_utf8_valid((const char *)p + 1, n); n--)
			;
	return mem_strndup(owner, (const char *)p + 1, n);
}

bool
cell_time(void *owner, const char *text, struct bytes *out)
{
	int64_t seconds;
	uint64_t nanos;

	if (!instant_read(text, &seconds, &nanos))
		return false;
	*out = cell_instant(owner, seconds, nanos);
	return true;
}

bool
cell_date(void *owner, const char *text, struct bytes *out)
{
	enum { DATE_CHARS = 10 };

	return strlen(text) == DATE_CHARS &&
	    cell_time(owner, mem_printf(owner, "%sT00:00:00Z", text), out);
}

bool
cell_literal(void *owner, enum cell_type type, const char *text, struct bytes *out)
{
	return (type == CELL_DATE && cell_date(owner, text, out)) ||
	    ((type == CELL_DATE || type == CELL_TIMESTAMP) && cell_time(owner, text, out));
}

/* ---- texts and others ---- */

struct bytes
cell_text(void *owner, const char *text)
{
	size_t n = strlen(text), kept = n > TEXT_BYTES ? TEXT_BYTES : n;
	uint8_t *key = mem_array(owner, uint8_t, 1 + kept + SHA256_BYTES);

	key[0] = TAG_TEXT;
	memcpy(key + 1, text, kept);
	if (n > TEXT_BYTES)
		crypto_sha256(text, n, key + 1 + kept);
	return (struct bytes){ key, 1 + kept + (n > TEXT_BYTES ? SHA256_BYTES : 0) };
}

static const char *
number_of(void *owner, const struct json *v, struct bytes *out)
{
	char whole[24];

	if (json_kind(v) == J_INT)
		snprintf(whole, sizeof whole, "%lld", (long long)json_int(v));
	return cell_number(owner, json_kind(v) == J_INT ? whole : json_text(owner, v), out)
	    ? NULL
	    : "must have at most 60 digits and an exponent from -400 to 400";
}

/* Makes the key of a value by its own kind. */
static const char *
json_of(void *owner, const struct json *v, struct bytes *out)
{
	const char *text;
	uint8_t *key;

	switch (json_kind(v)) {
	case J_BOOL: *out = cell_bool(json_true(v)); return NULL;
	case J_INT:
	case J_NUM: return number_of(owner, v, out);
	case J_STR: *out = cell_text(owner, json_str(v)); return NULL;
	default: break;
	}
	/* Arrays and objects. */
	text = json_text(owner, v);
	key = mem_array(owner, uint8_t, 1 + SHA256_BYTES);
	key[0] = TAG_DIGEST;
	crypto_sha256(text, strlen(text), key + 1);
	*out = (struct bytes){ key, 1 + SHA256_BYTES };
	return NULL;
}

/* True for a whole number of 64 bits in any notation: 3, 3.0, 3e2. */
static bool
number_is_integer(void *owner, const struct json *v)
{
	struct decimal d;
	struct bytes low, high, key;

	if (json_kind(v) == J_INT)
		return true;
	if (json_kind(v) != J_NUM || !decimal_read(json_text(owner, v), &d) ||
	    !cell_number(owner, json_text(owner, v), &key))
		return false;
	cell_number(owner, "-9223372036854775808", &low);
	cell_number(owner, "9223372036854775807", &high);
	return (int64_t)d.n <= d.exponent && !cell_less(key, low) && !cell_less(high, key);
}

const char *
cell_of(void *owner, enum cell_type type, const struct json *v, struct bytes *out)
{
	enum json_kind kind = json_kind(v);

	*out = (struct bytes){ 0 };
	if (kind == J_NULL)
		return NULL;
	switch (type) {
	case CELL_TEXT:
	case CELL_CHOICE: return kind == J_STR ? json_of(owner, v, out) : "must be text";
	case CELL_NUMBER:
		return kind == J_INT || kind == J_NUM ? number_of(owner, v, out)
						      : "must be a number";
	case CELL_INTEGER:
		return number_is_integer(owner, v) ? number_of(owner, v, out)
						   : "must be a 64-bit whole number";
	case CELL_BOOLEAN:
		return kind == J_BOOL ? json_of(owner, v, out) : "must be true or false";
	case CELL_TIMESTAMP:
		return kind == J_STR && cell_time(owner, json_str(v), out)
		    ? NULL
		    : "must be a time such as \"2026-01-02T03:04:05Z\"";
	case CELL_DATE:
		return kind == J_STR && cell_date(owner, json_str(v), out)
		    ? NULL
		    : "must be a date such as \"2026-11-21\"";
	case CELL_LINK:
		return kind == J_STR && id_valid(json_str(v), "row_")
		    ? json_of(owner, v, out)
		    : "must be the id of a row, such as \"row_…\"";
	default: return json_of(owner, v, out);
	}
}

const char *
cell_of_column(
    void *owner, const struct cell_column *col, const struct json *v, struct bytes *out)
{
	const char *why = cell_of(owner, col->type, v, out);

	if (why || col->type != CELL_CHOICE || !out->n || strs_have(col->choices, json_str(v)))
		return why;
	return mem_printf(
	    owner, "must be one of %s", str_some(owner, col->choices->v, col->choices->n));
}

/* ---- ranges ---- */

struct bytes
cell_kind_first(struct bytes key)
{
	return (struct bytes){ key.p, 1 };
}

struct bytes
cell_prefix_end(void *owner, struct bytes key)
{
	uint8_t *end = mem_dup(owner, key.p, key.n);

	/* The last byte of such a key is never 0xff, because UTF-8 has no such byte. */
	end[key.n - 1]++;
	return (struct bytes){ end, key.n };
}

struct bytes
cell_kind_end(void *owner, struct bytes key)
{
	return cell_prefix_end(owner, cell_kind_first(key));
}

/* ---- comparison ---- */

bool
cell_same_kind(struct bytes a, struct bytes b)
{
	return a.n && b.n && *(const uint8_t *)a.p == *(const uint8_t *)b.p;
}

bool
cell_equal(struct bytes a, struct bytes b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

int
cell_order(struct bytes a, struct bytes b)
{
	size_t both = a.n < b.n ? a.n : b.n;
	int order = both ? memcmp(a.p, b.p, both) : 0;

	return order ? order : a.n < b.n ? -1 : a.n > b.n;
}

bool
cell_less(struct bytes a, struct bytes b)
{
	return cell_same_kind(a, b) && cell_order(a, b) < 0;
}

/* ---- names of columns ---- */

static bool
name_is_of(const char *name, const char *also)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr(also, *p))
			return false;
	return strlen(name) <= TABLE_NAME_CHARS;
}

bool
table_name_valid(const char *name)
{
	return name_is_of(name, "_-");
}

bool
column_name_valid(const char *name)
{
	return name_is_of(name, "_");
}

/* "ö" gives o, "Ä" gives A, "名前" gives ming qian. */
static const char *
letters_written(void *owner, const char *letters)
{
	char *ascii = unicode_ascii(owner, letters);
	struct letter *l;

	if (unicode_letters(owner, letters, &l) && l->kind == LETTER_CAPITAL)
		*ascii = (char)toupper((unsigned char)*ascii);
	return ascii;
}

const char *
column_name_of(void *owner, const char *head)
{
	struct buf b = BUF(owner);
	size_t n;

	if (!str_utf8_valid(head, strlen(head)))
		return column_name_before(owner, head);
	for (head = str_cut(owner, head, HEAD_CHARS); *head; head += n) {
		for (n = 1; head[n] && !((head[n] ^ *head) & 0x80); n++)
			;
		if (*head & 0x80)
			buf_str(&b, letters_written(owner, mem_strndup(owner, head, n)));
		else
			buf_add(&b, head, n);
	}
	return column_name_before(owner, buf_done(&b));
}

const char *
column_name_before(void *owner, const char *head)
{
	struct buf b = BUF(owner);

	if (column_name_valid(head) && !str_in(head, COLUMN_NAMES_TAKEN))
		return mem_strdup(owner, head);
	for (; *head && b.n < MADE_NAME_BYTES; head++)
		if (isalnum((unsigned char)*head) || *head == '_')
			buf_fmt(&b, "%s%c",
			    !b.n && isdigit((unsigned char)*head) ? "_" : "", *head);
		else if (b.n && b.s[b.n - 1] != '_' && !((unsigned char)*head & 0x80))
			buf_chr(&b, '_');
	while (b.n > 1 && b.s[b.n - 1] == '_')
		b.s[--b.n] = '\0';
	if (!b.n || str_eq(b.s, "_"))
		return "column";
	if (str_in(b.s, COLUMN_NAMES_TAKEN))
		buf_chr(&b, '_');
	return b.s;
}
