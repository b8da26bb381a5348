/* SPDX-License-Identifier: Apache-2.0
 * Checks a command's arguments against its usage text, which is their grammar: "SLUG [DIR] --user
 * EMAIL [--version N] [--yes]". Options may come anywhere, as "--name value" or "--name=value",
 * each once; all words after "--" are arguments. Brackets mean optional; "EMAIL…" means one or
 * more. */
#ifndef VITRINE_USAGE_H
#define VITRINE_USAGE_H
#include <stdbool.h>
#include <stddef.h>

enum { USAGE_ARGS = 104, USAGE_OPTIONS = 16 };

struct usage {
	const char *args[USAGE_ARGS]; /* arguments that aren't options, in order */
	size_t n;
	struct usage_option {
		/* name with its dashes; value "" if the option takes none */
		const char *name, *value;
	} options[USAGE_OPTIONS];
	size_t option_n;
	const char *lacking; /* if reading fails: the option that lacks its value, or NULL */
};

/* A word of a usage text, n bytes at s, and the value that an option takes; value_n is 0 if it
 * takes none. */
struct usage_word {
	const char *s, *value;
	size_t n, value_n;
	bool optional, option, more; /* more: it ended in "…", which n doesn't count */
};
/* Reads the next word and moves *at behind it. Returns false at the end. */
bool usage_next(const char **at, struct usage_word *);

/* always: a usage whose options every command takes. Returns false if the arguments don't fit.
 * Writes into argv: splits "--name=value" in place. */
bool usage_read(const char *usage, const char *always, int argc, char **argv, struct usage *out);
const char *usage_option(const struct usage *, const char *name); /* NULL if not given */
#endif
