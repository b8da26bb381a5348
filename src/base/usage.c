/* SPDX-License-Identifier: Apache-2.0 */
#include "base/usage.h"

#include "base/str.h"

bool
usage_next(const char **at, struct usage_word *w)
{
	static const char more[] = "…";
	const char *s = *at + strspn(*at, " ]");

	*w = (struct usage_word){ .optional = *s == '[' };
	w->s = s += w->optional;
	w->n = strcspn(s, " ]");
	w->option = str_starts(s, "--");
	w->more = w->n > sizeof more - 1 && str_starts(s + w->n - (sizeof more - 1), more);
	s += w->n;
	w->n -= w->more ? sizeof more - 1 : 0;
	if (w->option && *s == ' ' && s[1] != '[' && !str_starts(s + 1, "--")) {
		w->value = ++s;
		w->value_n = strcspn(s, " ]");
	}
	*at = s + w->value_n;
	return w->n > 0;
}

static bool
word_matches(const struct usage_word *w, const char *name)
{
	return w->n == strlen(name) && memcmp(w->s, name, w->n) == 0;
}

static bool
word_find(const char *usage, const char *name, struct usage_word *w)
{
	while (usage_next(&usage, w))
		if (w->option && word_matches(w, name))
			return true;
	return false;
}

const char *
usage_option(const struct usage *u, const char *name)
{
	for (size_t i = 0; i < u->option_n; i++)
		if (str_eq(u->options[i].name, name))
			return u->options[i].value;
	return NULL;
}

/* Reads the option at argv[*i] and its value, and moves *i to the last word used. Returns false if
 * the option is unknown or repeated, lacks its value, or has one that it doesn't take. */
static bool
option_read(const char *usage, const char *always, int argc, char **argv, int *i, struct usage *out)
{
	char *name = argv[*i], *value = strchr(name, '=');
	struct usage_word w;

	if (value)
		*value++ = '\0';
	if ((!word_find(usage, name, &w) && !word_find(always, name, &w)) ||
	    usage_option(out, name) || out->option_n == USAGE_OPTIONS)
		return false;
	if (w.value_n && !value)
		value = ++*i < argc ? argv[*i] : NULL;
	if (w.value_n && !value)
		out->lacking = name;
	if (w.value_n ? !value : value != NULL)
		return false;
	out->options[out->option_n++] = (struct usage_option){ name, w.value_n ? value : "" };
	return true;
}

bool
usage_read(const char *usage, const char *always, int argc, char **argv, struct usage *out)
{
	size_t least = 0, most = 0;
	bool options = true;
	struct usage_word w;

	*out = (struct usage){ 0 };
	for (int i = 0; i < argc; i++) {
		if (options && str_eq(argv[i], "--")) {
			options = false;
		} else if (options && str_starts(argv[i], "--")) {
			if (!option_read(usage, always, argc, argv, &i, out))
				return false;
		} else if (out->n < USAGE_ARGS) {
			out->args[out->n++] = argv[i];
		} else {
			return false;
		}
	}
	while (usage_next(&usage, &w)) {
		bool given = false;

		for (size_t i = 0; w.option && i < out->option_n; i++)
			given |= word_matches(&w, out->options[i].name);
		if (w.option && !w.optional && !given)
			return false;
		most += w.option ? 0 : w.more ? USAGE_ARGS : 1;
		least += !w.option && !w.optional;
	}
	return out->n >= least && out->n <= most;
}
