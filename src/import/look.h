/* SPDX-License-Identifier: Apache-2.0
 * The first reading of a file: counts, for each column, what its values may be, and chooses types
 * from all of them. Source: import/README.md. */
#ifndef VITRINE_IMPORT_LOOK_H
#define VITRINE_IMPORT_LOOK_H
#include "import/value.h"

enum { LOOK_SAMPLES = 3, SAMPLE_CHARS = 60, DIFFERENT_FEW = 1000 };

/* Hashes of different values. */
struct different {
	uint64_t *v;
	size_t room, n;
	bool lost; /* there are too many to be counted */
};

/* Returns false if the set has the value already. It grows as long as there is memory. */
bool different_new(struct ctx *c, struct different *, const void *value, size_t n);

struct column_seen {
	const char *head;
	int64_t values;  /* that may tell a type: not empty, and no word for nothing */
	int64_t empty, blanks, nulls;
	int64_t count[VALUE_BITS];
	int64_t without[VALUE_BITS];  /* the first line whose value lacks the bit; 0: none */
	int64_t with[VALUE_BITS];     /* the first line whose value has it */
	int64_t point_only, comma_only, either;  /* numbers with marks, by what they tell */
	int64_t dmy_only, mdy_only, day_either;
	bool local;      /* some time has no zone */
	const char *samples[LOOK_SAMPLES];
	size_t sample_n;
	struct different all;
};

struct look {
	struct column_seen v[READ_COLUMNS];
	size_t n;
	int64_t rows, blank;     /* lines with values, and blank ones */
	struct given first[READ_COLUMNS]; /* the first line of CSV, which v doesn't count */
	size_t first_n;
	int64_t first_line;
	const char *first_wrong; /* why it can't be read */
	size_t different_room;   /* of all columns together */
};

/* stop() is called now and then. True ends the work early. */
struct until {
	bool (*stop)(void *arg);
	void *arg;
};
/* Reads all records. If `head`, the first one is kept in `first`. *whole is false if it was ended
 * early. */
enum err look_file(struct ctx *c, struct reader *, bool head, const struct until *,
    struct look *out, bool *whole);
/* Returns how many of the values have the bit. */
int64_t look_count(const struct column_seen *, unsigned bit);
/* Counts the first line as a row. */
void look_first(struct ctx *c, struct look *);

/* A column as it can be read, with what isn't known. */
struct guess {
	enum cell_type type;
	char decimal;
	enum date_order order;
	bool ask_decimal, ask_order, ask_zone;
	const char *note; /* NULL: nothing to tell */
};
/* Chooses a type. json: the file has kinds of values itself. hint: the decimal mark, if the values
 * don't tell it. */
void look_guess(
    struct ctx *c, const struct column_seen *, bool json, char hint, struct guess *out);
/* For a column of a given type: chooses mark and order, and says what must be asked. */
void look_reading(struct ctx *c, const struct column_seen *, enum cell_type, char hint,
    struct guess *out);
/* Returns the decimal mark that the values tell; 0 if none of them does. */
char look_decimal(const struct column_seen *);
enum head_line { HEADER_NO, HEADER_YES, HEADER_EITHER };
enum head_line look_header(struct ctx *c, const struct look *);
/* Returns how many different values there are; -1 if nobody knows. */
int64_t look_different(const struct column_seen *);
#endif
