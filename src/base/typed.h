/* SPDX-License-Identifier: Apache-2.0
 * Numbers, dates, and times as people write them. Imports and columns that get another type read
 * them by these functions alone. */
#ifndef VITRINE_TYPED_H
#define VITRINE_TYPED_H
#include "base/zone.h"

#include <stdbool.h>
#include <stddef.h>

/* Words for yes and no, in any case. */
#define TYPED_YES "yes|ja|oui|s\u00ed|si"
#define TYPED_NO "no|nein|non"
#define TYPED_TRUE "true|wahr|vrai|verdadero|vero"
#define TYPED_FALSE "false|falsch|faux|falso"

struct typed_number {
	char text[120]; /* the number as JSON text */
	size_t n;
	bool fraction, mark, exponent; /* mark: a point or comma */
};
/* Reads "1.234.567,5" or "1,234,567.5". decimal: '.' or ','; the other one, spaces, and apostrophes
 * may stand between thousands. loose: also with zeros or + before, and 1E5; these are mostly
 * codes. False: it is no number, or a very long one. */
bool typed_number_read(const char *, char decimal, bool loose, struct typed_number *out);

enum date_order { ORDER_YMD, ORDER_DMY, ORDER_MDY };
#define DATE_ORDERS "ymd|dmy|mdy"
enum date_order typed_order(const char *word); /* of DATE_ORDERS; NULL: ymd */

struct typed_moment {
	int part[3];          /* numbers of the date in the text's order */
	size_t chars[3];
	bool has_time, has_zone;
	int hour, minute, second;
	const char *fraction; /* of fraction_n digits, in the text */
	size_t fraction_n;
	const char *zone;     /* the text of the offset */
};
/* Reads "3.4.2026", "2026-04-03 14:30", or "03/04/2026 2:30 PM", n bytes. */
bool typed_moment_read(const char *, size_t n, struct typed_moment *out);
/* Reads the moment's three numbers in the given order of day, month and year; false if they aren't
 * a date. */
bool typed_moment_date(
    const struct typed_moment *, enum date_order, int *year, int *month, int *day);
/* Returns the moment by RFC 3339. zone: of times without an offset, NULL means UTC; such a time
 * becomes UTC. A local time that occurs twice is the first; one that was skipped is read with the
 * offset before the change. NULL: it is no date in that order. */
const char *typed_time_text(
    void *owner, const struct typed_moment *, enum date_order, const struct zone *);
#endif
