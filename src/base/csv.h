/* SPDX-License-Identifier: Apache-2.0
 * CSV, a record at a time, in memory. A quote within a value that doesn't begin with one is text,
 * as in spreadsheets. A line ends with \n, \r\n or \r. Pure functions. */
#ifndef VITRINE_CSV_H
#define VITRINE_CSV_H
#include <stdbool.h>
#include <stddef.h>

enum csv_end {
	CSV_ENDS,
	CSV_MORE, /* more text is needed */
	CSV_OPEN_QUOTE,
	CSV_BAD_QUOTE /* text follows a closing quote */
};
struct csv_value {
	const char *s; /* ends with a NUL */
	size_t n;
	bool quoted;
};
/* Finds the end of the record at p, which isn't changed. *stop is where its line end begins, *next
 * what follows. last: no more text follows `end`. quote: NUL if there is none. */
enum csv_end csv_record(const char *p, const char *end, char delimiter, char quote, bool last,
    const char **stop, const char **next);
/* Returns the place behind the line end at p; NULL if \n may follow a \r at the end of the text. */
const char *csv_line_over(const char *p, const char *end, bool last);
/* Cuts one value out of a record that csv_record() has found, in place; *stop must be writable.
 * Returns what follows its delimiter: behind stop after the last. */
char *csv_cut(char *p, const char *stop, char delimiter, char quote, struct csv_value *out);
/* Returns the number of values in the record from p to stop. */
size_t csv_values(const char *p, const char *stop, char delimiter, char quote);

/* Looks at the start of a CSV file. last: nothing follows. */
struct csv_look {
	char delimiter;
	const char *alike; /* delimiters that fit alike, such as ",;"; NULL: one fits best */
	bool told;         /* by Excel's first line, such as "sep=;" */
};
void csv_look(const char *text, size_t n, bool last, char quote, struct csv_look *out);
const char *delimiter_word(char delimiter); /* "comma", "semicolon", "tab" or "vertical bar" */
#endif
