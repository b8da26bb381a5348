/* SPDX-License-Identifier: Apache-2.0
 * Functions on strings from outside. A function allocates only if it takes an owner. */
#ifndef VITRINE_STR_H
#define VITRINE_STR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool str_eq(const char *a, const char *b); /* NULL equals only NULL */
bool str_starts(const char *s, const char *prefix);
const char *str_base(const char *path); /* the text after the last slash */
const char *str_ending(const char *path); /* the text after the last dot of str_base(), or "" */
/* Compares by bytes, for qsort() of an array of texts. */
int str_order(const void *a, const void *b);
bool str_ends(const char *s, const char *suffix);
bool str_in(const char *word, const char *bar_list); /* word is one of "a|b|c" */
/* Returns typed (which may be NULL) if it is one of the list, else NULL. */
const char *str_one_of(const char *typed, const char *bar_list);
/* Returns the bytes of the valid UTF-8 sequence at s (1-4); 0 if it is malformed, overlong, a
 * surrogate or above U+10FFFF. n: bytes left. */
size_t str_utf8(const char *s, size_t n, uint32_t *code_point);
bool str_utf8_valid(const char *s, size_t n);
bool str_is_text(const char *s, size_t n); /* valid UTF-8 without NUL */
size_t str_chars(const char *s); /* code points of valid UTF-8 */
char *str_cut(void *owner, const char *s, size_t chars); /* the first code points */
/* Returns how many bytes of sent must be dropped, replaced, swapped with the next, or added to get
 * meant. Returns most + 1 if it is more than most, or a text is longer than 48 bytes. */
size_t str_slips(const char *sent, const char *meant, size_t most);
size_t str_slips_most(const char *sent); /* plausible slips: a third of the bytes, at most two */
/* Finds the word nearest to sent. word is NULL unless one has fewer than `slips` slips. */
struct str_near {
	const char *sent, *word;
	size_t slips;
};
#define STR_NEAR(sent_) ((struct str_near){ (sent_), NULL, str_slips_most(sent_) + 1 })
void str_near_try(struct str_near *, const char *word);
/* True for one line of text for people: valid UTF-8 without control characters (C0, DEL, C1), line
 * separators, bidirectional overrides, isolates and marks, and noncharacters. */
bool str_plain(const char *s);
size_t str_plain_run(const char *s); /* bytes at the start that str_plain() accepts */
/* Returns the plain characters on one line. Each run of other characters and spaces becomes one
 * space. */
const char *str_one_line(void *owner, const char *s);
/* Like str_plain(), but allows tabs, \n, \r\n, line separators and bidirectional marks. */
bool str_plain_lines(const char *s);
/* Returns an error message without its advice, which follows the last semicolon before a route's
 * path; NULL if it has none. */
const char *str_unadvised(void *owner, const char *error);
/* Returns the text without blanks and tabs at its ends. */
const char *str_trimmed(void *owner, const char *text);
/* Returns a text of a form or query; NULL if it is NULL or empty. */
const char *str_given(const char *typed);
/* Converts line ends from a browser (CR LF) to LF. */
const char *str_lines(void *owner, const char *typed);
bool str_is_ascii(const char *s);
char *str_lower(char *s); /* makes ASCII letters small, and returns s; NULL stays NULL */
/* True for one address by HTML5's rule: at most 254 bytes, with an ASCII or IDN host. */
bool str_email(const char *s);
/* Parses "Name <address>" or a bare address, as in a From header. The name must have no quotes,
 * backslashes or angle brackets; *name is NULL if there is none. */
bool str_mailbox(void *owner, const char *s, const char **name, const char **address);
bool str_color(const char *s);    /* # and six hexadecimal digits */
bool str_smtp_url(const char *s); /* smtp://host[:port] or smtps://host[:port], nothing else */
/* True for http(s)://host… without user info, control characters or spaces, at most 2048 bytes. */
bool str_http_url(const char *s);
/* True if the whole string is a decimal integer without leading zeros. */
bool str_int(const char *s, int64_t *out);
/* Decodes %XX in place and ends the text with a NUL. Returns false for a bad escape, NUL or invalid
 * UTF-8. */
bool str_unescape(char *s, bool plus_is_space);
/* Splits at sep in place: returns the first part, empty or not, and moves *rest behind it, to NULL
 * after the last. Returns NULL if *rest is NULL. */
char *str_split(char **rest, char sep);
/* Times in UTC for machines: "2026-01-02T03:04:05Z". */
const char *str_rfc3339(void *owner, int64_t unix_s);
const char *str_day(void *owner, int64_t unix_s); /* "2026-11-26", in UTC */
const char *str_date(void *owner, int64_t unix_s); /* for people: "January 2, 2026, 03:04 UTC" */
const char *str_date_day(void *owner, int64_t unix_s); /* "January 2, 2026" */
/* For people: "1,284"; with a noun whose plural ends in s: "1 file", "1,284 files". */
const char *str_number(void *owner, int64_t n);
const char *str_count(void *owner, int64_t n, const char *noun);
const char *str_figure(void *owner, double v); /* "1,204.5": at most four decimals */
const char *str_took(void *owner, int64_t ms); /* "320 ms", "4.1 s", "3 min" */
/* An amount in the currency's smallest unit (cents, or yen): "12.50 USD", "1,250 JPY"; "−" if it is
 * less than 0. */
const char *str_money(void *owner, int64_t amount, const char *currency);
/* Returns what stands before the name with index i of n in "a, b and c": "", ", " or " and ". */
const char *str_and(size_t i, size_t n);
/* "Report, Board and 3 more": all of up to five names, else the first four. */
const char *str_some(void *owner, const char *const *names, size_t n);
/* Returns words, "a|b|c", as "a, b, or c". An empty last one, as in "a|", isn't listed. */
const char *str_or(void *owner, const char *words);
const char *str_amount(void *owner, int64_t bytes); /* for people: "1.2 MB", in steps of 1000 */
/* In steps of 1024, for use beside limits that are round in these. */
const char *str_amount_1024(void *owner, int64_t bytes);
/* Reads what instant_read() does, and drops the fraction. */
bool str_from_rfc3339(const char *s, int64_t *unix_s);
/* Returns s as a shell's word, in quotes if it needs them. */
const char *str_shell(void *owner, const char *s);
#endif
