/* SPDX-License-Identifier: Apache-2.0
 * Checks the arguments of a command against its usage, which is their whole grammar: "SLUG [DIR]
 * --user EMAIL [--version N] [--yes]". Options may stand anywhere, as "--name value" or
 * "--name=value", each once; behind "--" all are arguments. What is in brackets may be left out;
 * "EMAIL…" is one or more. */
#ifndef VITRINE_USAGE_H
#define VITRINE_USAGE_H
#include <stdbool.h>
#include <stddef.h>

enum { USAGE_ARGS = 104, USAGE_OPTIONS = 16 };

struct usage {
	const char *args[USAGE_ARGS]; /* arguments that are not options, in order */
	size_t n;
	struct usage_option {
		const char *name, *value; /* name with its dashes; value "" when it takes none */
	} options[USAGE_OPTIONS];
	size_t option_n;
	const char *lacking; /* where they don't fit: the option that lacks its value, or NULL */
};

/* A word of a usage, n bytes at s, and the value that an option takes: value_n is 0 when it takes
 * none. */
struct usage_word {
	const char *s, *value;
	size_t n, value_n;
	bool optional, option, more; /* more: it ended in "…", which n leaves out */
};
/* The next word, and *at behind it; false at the end. */
bool usage_next(const char **at, struct usage_word *);

/* always is a usage whose options every command takes. False when the arguments do not fit. Writes
 * into argv: "--name=value" is split in place. */
bool usage_read(const char *usage, const char *always, int argc, char **argv, struct usage *out);
const char *usage_option(const struct usage *, const char *name); /* NULL when not given */
#endif
