/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ignore.h"

#include "base/mem.h"
#include "base/str.h"

struct rule {
	const char *pattern;
	/* pattern after "!"; matches folders only; matches the whole path */
	bool taken, dirs, bound;
};
struct ignore {
	struct rule rules[IGNORE_RULES];
	size_t n;
};

/* ---- one segment: * ? [a-z] [!a-z] \\x ---- */

/* Returns whether the set at p, which is after its bracket, has ch. *len is the set's length with
 * both brackets; 0 if no bracket ends it, and then it isn't a set. */
static bool
set_has(const char *p, const char *end, char ch, size_t *len)
{
	const char *at = p + (p < end && (*p == '!' || *p == '^'));
	bool negated = at > p, found = false;

	for (const char *first = at; at < end && (*at != ']' || at == first); at++) {
		char lo = *at;

		if (at + 2 < end && at[1] == '-' && at[2] != ']')
			at += 2;
		found |= ch >= lo && ch <= *at;
	}
	*len = at < end ? (size_t)(at - p) + 2 : 0;
	return found != negated;
}

/* Matches one character with the pattern at *p, and moves *p past what it has matched. */
static bool
one_match(const char **p, const char *p_end, char ch)
{
	size_t len;
	bool has;

	if (**p == '?') {
		++*p;
		return true;
	}
	if (**p == '[') {
		has = set_has(*p + 1, p_end, ch, &len);
		if (len) {
			*p += len;
			return has;
		}
	}
	*p += **p == '\\' && *p + 1 < p_end;
	return *(*p)++ == ch;
}

/* Backtracks to the last star only, so a hostile pattern takes no longer. */
static bool
segment_match(const char *p, size_t pn, const char *s, size_t sn)
{
	const char *p_end = p + pn, *s_end = s + sn, *star = NULL, *star_s = s;

	while (s < s_end) {
		if (p < p_end && *p == '*') {
			star = ++p;
			star_s = s;
		} else if (p < p_end && one_match(&p, p_end, *s)) {
			s++;
		} else if (star) {
			p = star;
			s = ++star_s;
		} else {
			return false;
		}
	}
	while (p < p_end && *p == '*')
		p++;
	return p == p_end;
}

/* ---- a path ---- */

static const char *
segment_after(const char *s)
{
	s += strcspn(s, "/");
	return s + (*s == '/');
}

/* Takes time proportional to the product of both lengths, for any pattern. */
static bool
ignore_match(const char *p, const char *s)
{
	const char *star = NULL, *star_s = s;

	while (*s) {
		size_t pn = strcspn(p, "/");

		if (pn == 2 && p[0] == '*' && p[1] == '*') {
			star = p = segment_after(p);
			star_s = s;
			if (!*p)
				return true;
		} else if (*p && segment_match(p, pn, s, strcspn(s, "/"))) {
			p = segment_after(p);
			s = segment_after(s);
		} else if (star) {
			p = star;
			s = star_s = segment_after(star_s);
		} else {
			return false;
		}
	}
	return !*p;
}

/* ---- the rules ---- */

static bool
rule_add(struct ignore *ig, char *line)
{
	struct rule r = { .taken = *line == '!' };
	size_t n = strlen(line);

	while (n && line[n - 1] == ' ' && (n < 2 || line[n - 2] != '\\'))
		line[--n] = '\0';
	line += r.taken;
	n -= r.taken;
	r.dirs = n && line[n - 1] == '/';
	if (r.dirs)
		line[n - 1] = '\0';
	r.bound = strchr(line, '/') != NULL;
	r.pattern = line + (*line == '/');
	if (!*r.pattern || *line == '#')
		return true;
	if (ig->n == IGNORE_RULES)
		return false;
	ig->rules[ig->n++] = r;
	return true;
}

const char *
ignore_always(void)
{
#define LEFT_OUT(pattern) " " pattern
	static const char all[] =
#include "base/leftout.def"
	    ;
#undef LEFT_OUT

	return all + 1;
}

struct ignore *
ignore_new(void *owner, const char *text)
{
	struct ignore *ig = mem_new(owner, struct ignore);
	char *always = mem_strdup(owner, ignore_always()), *rest = mem_strdup(owner, text), *line;

	while ((line = str_split(&always, ' ')))
		rule_add(ig, line);
	while ((line = str_split(&rest, '\n'))) {
		line[strcspn(line, "\r")] = '\0';
		if (!rule_add(ig, line))
			return NULL;
	}
	return ig;
}

bool
ignore_is_ours(const char *path)
{
	return str_starts(str_base(path), ".vitrine.json") || str_eq(str_base(path), IGNORE_FILE);
}

bool
ignore_leaves_out(const struct ignore *ig, const char *path, bool is_dir)
{
	const char *name = str_base(path);
	bool out = false;

	if (ignore_is_ours(path) || strcasecmp(name, ".git") == 0)
		return true;
	for (const struct rule *r = ig->rules; r < ig->rules + ig->n; r++)
		if ((is_dir || !r->dirs) && ignore_match(r->pattern, r->bound ? path : name))
			out = !r->taken;
	return out;
}

bool
ignore_leaves_out_within(const struct ignore *ig, const char *path, bool is_dir)
{
	void *scratch = mem_root("path");
	bool out = ignore_leaves_out(ig, path, is_dir);

	for (const char *end = strchr(path, '/'); end && !out; end = strchr(end + 1, '/'))
		out = ignore_leaves_out(
		    ig, mem_strndup(scratch, path, (size_t)(end - path)), true);
	mem_free(scratch);
	return out;
}
