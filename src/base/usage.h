/* SPDX-License-Identifier: Apache-2.0
 * Arguments of a command, held against its usage, which is their whole grammar: "SLUG [DIR] --user
 * EMAIL [--version N] [--yes]". Options stand anywhere, as "--name value" or "--name=value", each
 * once. What is in brackets may be left out. */
#ifndef VITRINE_USAGE_H
#define VITRINE_USAGE_H
#include <stdbool.h>
#include <stddef.h>

enum { USAGE_ARGS = 8, USAGE_OPTIONS = 16 };

struct usage {
	const char *args[USAGE_ARGS]; /* what is no option, in order */
	size_t n;
	struct usage_option {
		const char *name, *value; /* with its dashes; "" for one without a value */
	} options[USAGE_OPTIONS];
	size_t option_n;
};

/* Options of always are understood as well. False if the arguments are not of the usage. Splits
 * "--name=value" in place. */
bool usage_read(const char *usage, const char *always, int argc, char **argv, struct usage *out);
const char *usage_option(const struct usage *, const char *name); /* NULL when not given */
#endif
