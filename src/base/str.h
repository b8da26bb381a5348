/* SPDX-License-Identifier: Apache-2.0
 * Questions about strings from outside. Nothing here allocates unless it takes an owner. */
#ifndef VITRINE_STR_H
#define VITRINE_STR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool str_eq(const char *a, const char *b); /* NULL equals NULL only */
bool str_starts(const char *s, const char *prefix);
const char *str_base(const char *path); /* what follows its last slash */
/* By bytes; for qsort() of an array of texts. */
int str_order(const void *a, const void *b);
bool str_ends(const char *s, const char *suffix);
bool str_in(const char *word, const char *bar_list); /* one of "a|b|c" */
/* What was typed (NULL, ""), if it is one of these; else NULL. */
const char *str_one_of(const char *typed, const char *bar_list);
/* Bytes of the valid UTF-8 sequence at s (1-4), 0 when it is malformed, overlong, a surrogate or
 * past U+10FFFF. n = bytes left. */
size_t str_utf8(const char *s, size_t n, uint32_t *code_point);
bool str_utf8_valid(const char *s, size_t n);
size_t str_chars(const char *s); /* code points of valid UTF-8 */
char *str_cut(void *owner, const char *s, size_t chars); /* its first code points, whole */
/* How many bytes of sent must be dropped, replaced, swapped with the next, or added for meant; more
 * than most says no more than that, as does a text longer than 48 bytes: most + 1. */
size_t str_slips(const char *sent, const char *meant, size_t most);
size_t str_slips_most(const char *sent); /* of the pen: two, or a third of what was sent */
/* The nearest of the words that are tried; word is NULL while all have `slips` or more. */
struct str_near {
	const char *sent, *word;
	size_t slips;
};
#define STR_NEAR(sent_) ((struct str_near){ (sent_), NULL, str_slips_most(sent_) + 1 })
void str_near_try(struct str_near *, const char *word);
/* Text of one line for people: valid UTF-8, no control characters (C0, DEL, C1), line separators,
 * bidirectional overrides, isolates and marks, noncharacters. */
bool str_plain(const char *s);
size_t str_plain_run(const char *s); /* how many bytes it is so from the start */
/* What of it is so, on one line, where what isn't stands between as a space; spaces are one. */
const char *str_one_line(void *owner, const char *s);
/* Of several lines: tabs, \n, \r\n, line separators and marks are allowed. */
bool str_plain_lines(const char *s);
/* An error without its advice, which is behind the last semicolon before the path of a route; NULL
 * where it has none. */
const char *str_unadvised(void *owner, const char *error);
/* A text of a form or a query; NULL where it is absent or empty. */
const char *str_given(const char *typed);
/* Lines that a browser has sent, which end in CR LF, with LF. */
const char *str_lines(void *owner, const char *typed);
bool str_is_ascii(const char *s);
bool
str_email(const char *s); /* the HTML5 rule, one address, at most 254 bytes, ASCII or IDN host */
/* "Name <address>" or a bare address, as in a From header; the name without quotes, backslashes and
 * angle brackets. */
bool str_mailbox(void *owner, const char *s, const char **name, const char **address);
bool str_color(const char *s);    /* # and six hexadecimal digits */
bool str_smtp_url(const char *s); /* smtp://host[:port] or smtps://host[:port] and nothing more */
bool str_http_url(
    const char *s); /* http(s)://host…, no user info, no controls or spaces, at most 2048 bytes */
bool str_int(
    const char *s, int64_t *out); /* the whole string is a decimal integer without leading zeros */
/* Decodes %XX in place (n bytes to at most n); false on a bad escape, NUL or invalid UTF-8. Writes
 * the terminating NUL. */
bool str_unescape(char *s, bool plus_is_space);
/* Splits at sep in place: returns the first part, moves *rest behind it, NULL at the end. Empty
 * parts are given. */
char *str_split(char **rest, char sep);
/* UTC in the forms the wire wants. */
const char *str_rfc3339(void *owner, int64_t unix_s);
const char *str_day(void *owner, int64_t unix_s); /* "2026-11-26", of UTC */
const char *str_date(void *owner, int64_t unix_s); /* for people: "January 2, 2026, 03:04 UTC" */
/* For people: "1,284", and with a noun that takes an s: "1 file", "1,284 files". */
const char *str_number(void *owner, int64_t n);
const char *str_count(void *owner, int64_t n, const char *noun);
/* "Report, Board and 3 more": all of a few, the first of many. */
const char *str_some(void *owner, const char *const *names, size_t n);
const char *str_amount(void *owner, int64_t bytes); /* for people: "1.2 MB", of 1000 each */
/* The same, of 1024 each: beside limits that are whole numbers of those. */
const char *str_amount_1024(void *owner, int64_t bytes);
/* "2026-01-02T03:04:05Z", and what else base/instant.h reads; a fraction is dropped. */
bool str_from_rfc3339(const char *s, int64_t *unix_s);
#endif
