/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"

#include <errno.h>
#include <math.h>

bool
str_eq(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

const char *
str_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *
str_ending(const char *path)
{
	const char *dot = strrchr(str_base(path), '.');

	return dot ? dot + 1 : "";
}

int
str_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool
str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool
str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

bool
str_in(const char *word, const char *bar_list)
{
	size_t n = strlen(word);

	for (const char *p = bar_list; p; p = strchr(p, '|')) {
		p += *p == '|';
		if (n && strncmp(p, word, n) == 0 && (p[n] == '|' || !p[n]))
			return true;
	}
	return false;
}

const char *
str_one_of(const char *typed, const char *bar_list)
{
	return typed && *typed && str_in(typed, bar_list) ? typed : NULL;
}

size_t
str_utf8(const char *s, size_t n, uint32_t *code_point)
{
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *u = (const unsigned char *)s;
	size_t len = u[0] < 0x80 ? 1
	    : u[0] >> 5 == 6     ? 2
	    : u[0] >> 4 == 14    ? 3
	    : u[0] >> 3 == 30    ? 4
				 : 0;
	uint32_t cp;

	if (!len || len > n)
		return 0;
	cp = len == 1 ? u[0] : u[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if (u[i] >> 6 != 2)
			return 0;
		cp = cp << 6 | (u[i] & 0x3f);
	}
	if (cp < least[len] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return 0;
	*code_point = cp;
	return len;
}

/* Counts the ASCII characters before any other, eight at a time. */
static size_t
ascii_run(const char *s, size_t n)
{
	uint64_t eight;
	size_t i = 0;

	for (; i + sizeof eight <= n; i += sizeof eight) {
		memcpy(&eight, s + i, sizeof eight);
		if (eight & UINT64_C(0x8080808080808080))
			break;
	}
	while (i < n && (unsigned char)s[i] < 0x80)
		i++;
	return i;
}

bool
str_utf8_valid(const char *s, size_t n)
{
	uint32_t cp;

	while (n) {
		size_t len =
		    (unsigned char)*s < 0x80 ? ascii_run(s, n) : str_utf8(s, n, &cp);

		if (!len)
			return false;
		s += len;
		n -= len;
	}
	return true;
}

bool
str_is_text(const char *s, size_t n)
{
	return !memchr(s, '\0', n) && str_utf8_valid(s, n);
}

size_t
str_chars(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

char *
str_lower(char *s)
{
	for (char *p = s; p && *p; p++)
		*p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 'a' - 'A' : *p);
	return s;
}

bool
str_is_ascii(const char *s)
{
	while (*s && (unsigned char)*s < 0x80)
		s++;
	return !*s;
}

char *
str_cut(void *owner, const char *s, size_t chars)
{
	size_t n = 0;

	while (s[n] && chars--)
		for (n++; ((unsigned char)s[n] & 0xc0) == 0x80;)
			n++;
	return mem_strndup(owner, s, n);
}

/* Control characters, bidirectional overrides, embeddings and isolates, and noncharacters, which
 * programs use internally. */
static bool
char_disturbs(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || (cp >= 0x202a && cp <= 0x202e) ||
	    (cp >= 0x2066 && cp <= 0x2069) || (cp >= 0xfdd0 && cp <= 0xfdef) ||
	    (cp & 0xfffe) == 0xfffe;
}

/* Line separators, and marks that invisibly reorder the text beside them. */
static bool
char_parts_line(uint32_t cp)
{
	return cp == 0x2028 || cp == 0x2029 || cp == 0x200e || cp == 0x200f || cp == 0x61c;
}

size_t
str_plain_run(const char *s)
{
	size_t n = 0, len;
	uint32_t cp;

	/* A sequence that is cut short is invalid because of the NUL. */
	while (s[n] && (len = str_utf8(s + n, 4, &cp)) && !char_disturbs(cp) &&
	    !char_parts_line(cp))
		n += len;
	return n;
}

bool
str_plain(const char *s)
{
	return !s[str_plain_run(s)];
}

const char *
str_one_line(void *owner, const char *s)
{
	struct buf b = BUF(owner);
	bool gap = false;

	while (*s) {
		uint32_t cp;
		/* A sequence that is cut short is invalid because of the NUL. */
		size_t n = str_utf8(s, 4, &cp);

		if (n && cp != ' ' && !char_disturbs(cp) && !char_parts_line(cp)) {
			if (gap && b.n)
				buf_chr(&b, ' ');
			buf_add(&b, s, n);
			gap = false;
		} else {
			gap = true;
		}
		s += n ? n : 1;
	}
	return buf_done(&b);
}

const char *
str_unadvised(void *owner, const char *error)
{
	const char *api = strstr(error, "/v1/"),
		   *cut = api ? memrchr(error, ';', (size_t)(api - error)) : NULL;

	return cut ? mem_strndup(owner, error, (size_t)(cut - error)) : NULL;
}

const char *
str_trimmed(void *owner, const char *text)
{
	size_t n;

	text += strspn(text, " \t");
	for (n = strlen(text); n && strchr(" \t", text[n - 1]);)
		n--;
	return mem_strndup(owner, text, n);
}

const char *
str_given(const char *typed)
{
	return typed && *typed ? typed : NULL;
}

const char *
str_lines(void *owner, const char *typed)
{
	struct buf b = BUF(owner);

	for (; *typed; typed++)
		if (*typed != '\r' || typed[1] != '\n')
			buf_chr(&b, *typed);
	return buf_done(&b);
}

bool
str_plain_lines(const char *s)
{
	size_t left = strlen(s), len;
	uint32_t cp;

	for (; left; s += len, left -= len) {
		len = str_utf8(s, left, &cp);
		/* Lines from a form end in \r\n. A lone \r would overwrite the line in a terminal.
		 */
		if (!len ||
		    (char_disturbs(cp) && cp != '\t' && cp != '\n' && (cp != '\r' || s[1] != '\n')))
			return false;
	}
	return true;
}

/* Labels of letters, digits and inner hyphens. Accepts bytes above ASCII for internationalised
 * hosts. */
static bool
host_valid(const char *s, size_t n)
{
	size_t label = 0;

	if (!n || n > 253)
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)s[i];

		if (ch == '.') {
			if (!label || s[i - 1] == '-')
				return false;
			label = 0;
		} else if (isalnum(ch) || ch >= 0x80 || (ch == '-' && label)) {
			if (++label > 63)
				return false;
		} else {
			return false;
		}
	}
	return label && s[n - 1] != '-';
}

bool
str_email(const char *s)
{
	const char *at = strchr(s, '@');
	size_t local = at ? (size_t)(at - s) : 0;

	if (!at || !local || local > 64 || strlen(s) > 254 || s[0] == '.' || at[-1] == '.' ||
	    strstr(s, "..") || !str_plain(s))
		return false;
	for (const char *p = s; p < at; p++)
		if (!isalnum((unsigned char)*p) && !strchr(".!#$%&'*+/=?^_`{|}~-", *p))
			return false;
	return strchr(at + 1, '.') && host_valid(at + 1, strlen(at + 1));
}

bool
str_mailbox(void *owner, const char *s, const char **name, const char **address)
{
	const char *open = strchr(s, '<');
	size_t n = open ? (size_t)(open - s) : 0;

	*name = NULL;
	*address = s;
	if (!open)
		return str_email(s);
	if (!str_plain(s) || !str_ends(s, ">"))
		return false;
	*address = mem_strndup(owner, open + 1, strlen(open) - 2);
	while (n && s[n - 1] == ' ')
		n--;
	*name = n ? mem_strndup(owner, s, n) : NULL;
	return str_email(*address) && (!n || (s[0] != ' ' && !strpbrk(*name, "\"\\>")));
}

bool
str_color(const char *s)
{
	return *s == '#' && strlen(s) == 7 && !s[1 + strspn(s + 1, "0123456789abcdefABCDEF")];
}

bool
str_smtp_url(const char *s)
{
	const char *host = str_starts(s, "smtps://") ? s + 8
	    : str_starts(s, "smtp://")               ? s + 7
						     : NULL;
	size_t n = host ? strcspn(host, ":") : 0;
	int64_t port;

	if (!host || !host_valid(host, n))
		return false;
	return !host[n] || (str_int(host + n + 1, &port) && port >= 1 && port <= 65535);
}

bool
str_http_url(const char *s)
{
	const char *host = str_starts(s, "https://") ? s + 8
	    : str_starts(s, "http://")               ? s + 7
						     : NULL;
	size_t n;

	if (!host || strlen(s) > 2048 || !str_plain(s) || strpbrk(s, " \\\"<>`{}|^"))
		return false;
	n = strcspn(host, "/?#");
	return n && !memchr(host, '@', n);
}

bool
str_int(const char *s, int64_t *out)
{
	const char *digits = s + (*s == '-');
	char *end;
	long long v;

	if (!isdigit((unsigned char)*digits) || (*digits == '0' && s[1]))
		return false;
	errno = 0;
	v = strtoll(s, &end, 10);
	if (*end || errno)
		return false;
	*out = v;
	return true;
}

static int
hex_digit(char ch)
{
	return isdigit((unsigned char)ch) ? ch - '0'
	    : ch >= 'a' && ch <= 'f'      ? ch - 'a' + 10
	    : ch >= 'A' && ch <= 'F'      ? ch - 'A' + 10
					  : -1;
}

bool
str_unescape(char *s, bool plus_is_space)
{
	char *in = s, *out = s;

	while (*in) {
		if (*in == '%') {
			int hi = hex_digit(in[1]), lo = hi < 0 ? -1 : hex_digit(in[2]);

			if (lo < 0 || !(hi | lo))
				return false;
			*out++ = (char)(hi << 4 | lo);
			in += 3;
		} else {
			*out++ = plus_is_space && *in == '+' ? ' ' : *in;
			in++;
		}
	}
	*out = '\0';
	return str_utf8_valid(s, (size_t)(out - s));
}

char *
str_split(char **rest, char sep)
{
	char *part = *rest, *end;

	if (!part)
		return NULL;
	end = strchr(part, sep);
	*rest = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	return part;
}

__attribute__((format(strftime, 3, 0))) static const char *
time_text(void *owner, int64_t unix_s, const char *format)
{
	time_t t = unix_s;
	struct tm tm;
	char text[64];

	gmtime_r(&t, &tm);
	strftime(text, sizeof text, format, &tm);
	return mem_strdup(owner, text);
}

const char *
str_rfc3339(void *owner, int64_t unix_s)
{
	return time_text(owner, unix_s, "%Y-%m-%dT%H:%M:%SZ");
}

const char *
str_day(void *owner, int64_t unix_s)
{
	return mem_strndup(owner, str_rfc3339(owner, unix_s), 10);
}

const char *
str_date(void *owner, int64_t unix_s)
{
	return time_text(owner, unix_s, "%B %-d, %Y, %H:%M UTC");
}

const char *
str_date_day(void *owner, int64_t unix_s)
{
	const char *text = str_date(owner, unix_s);

	return mem_strndup(owner, text, (size_t)(strrchr(text, ',') - text));
}

const char *
str_number(void *owner, int64_t n)
{
	const char *digits = mem_printf(owner, "%lld", (long long)n);
	struct buf b = BUF(owner);

	for (size_t left = strlen(digits); left; left--) {
		buf_chr(&b, *digits++);
		if (left % 3 == 1 && left > 1 && digits[-1] != '-')
			buf_chr(&b, ',');
	}
	return buf_done(&b);
}

const char *
str_count(void *owner, int64_t n, const char *noun)
{
	return mem_printf(owner, "%s %s%s", str_number(owner, n), noun, n == 1 ? "" : "s");
}

const char *
str_figure(void *owner, double v)
{
	struct buf b = BUF(owner);
	const char *text;

	if (fabs(v) >= 1e15 || (v != 0 && fabs(v) < 1e-4))
		return num_write(mem_array(owner, char, NUM_CHARS), v);
	text = mem_printf(owner, "%.*f", fabs(v) >= 1000 ? 2 : 4, fabs(v));
	if (signbit(v))
		buf_chr(&b, '-');
	buf_str(&b, str_number(owner, strtoll(text, NULL, 10)));
	buf_str(&b, strchr(text, '.'));
	while (b.s[b.n - 1] == '0' && strchr(b.s, '.'))
		b.s[--b.n] = '\0';
	if (b.s[b.n - 1] == '.')
		b.s[--b.n] = '\0';
	return buf_done(&b);
}

const char *
str_money(void *owner, int64_t amount, const char *currency)
{
	/* A currency has two decimals, except for these (ISO 4217). */
	static const char none[] = "BIF|CLP|DJF|GNF|ISK|JPY|KMF|KRW|PYG|RWF|UGX|UYI|VND|VUV|XAF|XOF"
				   "|XPF";
	static const char three[] = "BHD|IQD|JOD|KWD|LYD|OMR|TND";
	const char *sign = amount < 0 ? "−" : "";
	int digits = str_in(currency, none) ? 0 : str_in(currency, three) ? 3 : 2;
	uint64_t size = amount < 0 ? -(uint64_t)amount : (uint64_t)amount, unit = 1;

	for (int i = 0; i < digits; i++)
		unit *= 10;
	if (!digits)
		return mem_printf(owner, "%s%s %s", sign,
		    str_number(owner, (int64_t)size), currency);
	return mem_printf(owner, "%s%s.%0*llu %s", sign,
	    str_number(owner, (int64_t)(size / unit)), digits, (unsigned long long)(size % unit),
	    currency);
}

static const char *
amount_in(void *owner, int64_t bytes, double step)
{
	static const char *const units[] = { "kB", "MB", "GB", "TB" };
	double amount = (double)bytes;
	size_t unit = 0;

	if (bytes < (int64_t)step)
		return mem_printf(owner, "%lld byte%s", (long long)bytes, bytes == 1 ? "" : "s");
	for (amount /= step; amount >= step - 0.5 && unit < 3; unit++)
		amount /= step;
	return mem_printf(owner, amount < 9.95 ? "%.1f %s" : "%.0f %s", amount, units[unit]);
}

const char *
str_and(size_t i, size_t n)
{
	return !i ? "" : i + 1 < n ? ", " : " and ";
}

const char *
str_some(void *owner, const char *const *names, size_t n)
{
	enum { SHOWN = 5 };
	size_t shown = n > SHOWN ? SHOWN - 1 : n;
	struct buf b = BUF(owner);

	for (size_t i = 0; i < shown; i++)
		buf_fmt(&b, "%s%s", str_and(i, n), names[i]);
	if (shown < n)
		buf_fmt(&b, " and %zu more", n - shown);
	return buf_done(&b);
}

const char *
str_or(void *owner, const char *words)
{
	struct buf b = BUF(owner);
	size_t n = 0;

	for (const char *end;; words = end + 1, n++) {
		bool last;

		end = strchrnul(words, '|');
		last = !*end || !end[1];
		if (n)
			buf_str(&b, !last ? ", " : n > 1 ? ", or " : " or ");
		buf_add(&b, words, (size_t)(end - words));
		if (last)
			return buf_done(&b);
	}
}

const char *
str_amount(void *owner, int64_t bytes)
{
	return amount_in(owner, bytes, 1000);
}

const char *
str_amount_1024(void *owner, int64_t bytes)
{
	return amount_in(owner, bytes, 1024);
}

enum { NEAR_BYTES = 48 };

static size_t
least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Keeps three rows of the usual table: the current one and the two before it, because a swap of
 * neighbours looks back two rows. */
static size_t
slips_count(const char *a, size_t n, const char *b, size_t m)
{
	size_t rows[3][NEAR_BYTES + 1] = { 0 };

	for (size_t j = 0; j <= m; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = rows[i % 3], *before = rows[(i + 2) % 3];
		const size_t *long_before = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = least_of(before[j - 1] + (a[i - 1] != b[j - 1]),
			    least_of(before[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least_of(now[j], long_before[j - 2] + 1);
		}
	}
	return rows[n % 3][m];
}

size_t
str_slips(const char *sent, const char *meant, size_t most)
{
	size_t n = strlen(sent), m = strlen(meant);

	if (str_eq(sent, meant))
		return 0;
	if (n > NEAR_BYTES || m > NEAR_BYTES || (n > m ? n - m : m - n) > most)
		return most + 1;
	return least_of(slips_count(sent, n, meant, m), most + 1);
}

size_t
str_slips_most(const char *sent)
{
	return least_of(strlen(sent ? sent : "") / 3, 2);
}

void
str_near_try(struct str_near *n, const char *word)
{
	size_t slips = n->slips ? str_slips(n->sent, word, n->slips - 1) : 0;

	if (slips >= n->slips)
		return;
	n->word = word;
	n->slips = slips;
}

const char *
str_took(void *owner, int64_t ms)
{
	if (ms < 1000)
		return mem_printf(owner, "%lld ms", (long long)ms);
	if (ms < 60000)
		return mem_printf(owner, "%.1f s", (double)ms / 1000);
	return mem_printf(owner, "%lld min", (long long)(ms / 60000));
}

const char *
str_shell(void *owner, const char *s)
{
	struct buf b = BUF(owner);

	if (!s[strspn(s, "/-_.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")])
		return s;
	buf_chr(&b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			buf_str(&b, "'\\''");
		else
			buf_chr(&b, *s);
	buf_chr(&b, '\'');
	return buf_done(&b);
}
