/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/rowpolicy.h"

#include "base/json.h"
#include "base/str.h"

enum { EXPR_BYTES = 2000, EXPR_DEPTH = 16 };

struct scan {
	const char *p, *why;
	int depth;
};

static bool scan_or(struct scan *s);
static bool policy_value(struct scan *s);

static bool
policy_bad(struct scan *s, const char *why)
{
	if (!s->why)
		s->why = why;
	return false;
}

/* What stands in brackets, with the closing one. Only open brackets count: "(a) or (b)" is one
 * deep. */
static bool
scan_inside(struct scan *s, bool (*what)(struct scan *))
{
	bool good = ++s->depth <= EXPR_DEPTH ? what(s) : policy_bad(s, "nested deeper than 16");

	s->depth--;
	return good;
}

static bool
is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

static bool
policy_take(struct scan *s, const char *token)
{
	size_t n = strlen(token);

	while (isspace((unsigned char)*s->p))
		s->p++;
	if (strncmp(s->p, token, n) != 0 || (is_word(token[n - 1]) && is_word(s->p[n])))
		return false;
	s->p += n;
	return true;
}

static bool
scan_name(struct scan *s)
{
	const char *from = s->p;

	while (is_word(*s->p))
		s->p++;
	return (s->p > from && s->p - from <= 64 && !isdigit((unsigned char)*from)) ||
	    policy_bad(s, "expected the name of a column");
}

static bool
scan_viewer(struct scan *s)
{
	static const char *const member[] = { "id", "email", "role", "workspace_role", "domain" };

	for (size_t i = 0; i < sizeof member / sizeof *member; i++)
		if (policy_take(s, member[i]))
			return true;
	return policy_bad(s, "viewer has id, email, role, workspace_role and domain");
}

static bool
scan_list(struct scan *s)
{
	if (policy_take(s, "]"))
		return true;
	do {
		if (!policy_value(s))
			return false;
	} while (policy_take(s, ","));
	return policy_take(s, "]") || policy_bad(s, "expected ',' or ']'");
}

static bool
policy_value(struct scan *s)
{
	if (policy_take(s, "row."))
		return scan_name(s);
	if (policy_take(s, "viewer."))
		return scan_viewer(s);
	if (policy_take(s, "true") || policy_take(s, "false") || policy_take(s, "null"))
		return true;
	if (policy_take(s, "["))
		return scan_inside(s, scan_list);
	if (*s->p == '\'' || *s->p == '"') {
		const char *end = strchr(s->p + 1, *s->p);

		s->p = end ? end + 1 : s->p;
		return end || policy_bad(s, "unterminated text");
	}
	if (isdigit((unsigned char)*s->p) || (*s->p == '-' && isdigit((unsigned char)s->p[1]))) {
		s->p++;
		s->p += strspn(s->p, "0123456789.");
		return true;
	}
	return policy_bad(s, "expected row.<column>, viewer.<member> or a literal");
}

static bool
scan_group(struct scan *s)
{
	return scan_or(s) && (policy_take(s, ")") || policy_bad(s, "expected ')'"));
}

static bool
scan_comparison(struct scan *s)
{
	if (policy_take(s, "("))
		return scan_inside(s, scan_group);
	if (!policy_value(s))
		return false;
	if (policy_take(s, "==") || policy_take(s, "!=") || policy_take(s, "<") ||
	    policy_take(s, "in"))
		return policy_value(s);
	return true;
}

static bool
scan_and(struct scan *s)
{
	do {
		policy_take(s, "not");
		if (!scan_comparison(s))
			return false;
	} while (policy_take(s, "and"));
	return true;
}

static bool
scan_or(struct scan *s)
{
	do {
		if (!scan_and(s))
			return false;
	} while (policy_take(s, "or"));
	return true;
}

const char *
rowpolicy_scan(const char *expr, size_t *at)
{
	struct scan s = { .p = expr };

	if (scan_or(&s)) {
		policy_take(&s, " ");
		s.p += strspn(s.p, " \t\r\n");
		if (*s.p)
			policy_bad(&s, "expected 'and', 'or' or the end");
	}
	*at = (size_t)(s.p - expr);
	return s.why;
}

struct walk {
	struct ctx *c;
	const char *table;
};

static int
check_rule(void *arg, const char *key, const struct json *value)
{
	struct walk *w = arg;
	const char *why;
	size_t at;

	if (!str_in(key, "read|write"))
		return (int)fail(w->c, E_INVALID,
		    "access_policy.tables.%s: %s is neither read nor write", w->table, key);
	if (json_kind(value) != J_STR || json_len(value) > EXPR_BYTES)
		return (int)fail(w->c, E_INVALID,
		    "access_policy.tables.%s.%s: must be a string of at most %d bytes", w->table,
		    key, EXPR_BYTES);
	why = rowpolicy_scan(json_str(value), &at);
	return why ? (int)fail(w->c, E_INVALID, "access_policy.tables.%s.%s: %s at character %zu",
			 w->table, key, why, at)
		   : 0;
}

static int
check_table(void *arg, const char *key, const struct json *value)
{
	struct walk *w = arg;

	w->table = key;
	if (json_kind(value) != J_OBJ)
		return (int)fail(w->c, E_INVALID,
		    "access_policy.tables.%s: must be an object with read and write", key);
	return json_each(value, check_rule, w);
}

static int
check_member(void *arg, const char *key, const struct json *value)
{
	struct walk *w = arg;

	if (str_eq(key, "tables"))
		return json_kind(value) == J_OBJ ? json_each(value, check_table, w) :
		    (int)fail(w->c, E_INVALID, "access_policy.tables: must be an object");
	if (!str_eq(key, "default"))
		return (int)fail(
		    w->c, E_INVALID, "access_policy: %s is neither tables nor default", key);
	if (json_kind(value) != J_STR || !str_in(json_str(value), "owner|editor|viewer|everyone"))
		return (int)fail(w->c, E_INVALID,
		    "access_policy.default: must be one of owner|editor|viewer|everyone");
	return 0;
}

enum err
rowpolicy_check(struct ctx *c, const char *json_text)
{
	struct walk w = { .c = c };
	struct json *tree;

	TRY(json_parse(c, json_text, strlen(json_text), &tree));
	return (enum err)json_each(tree, check_member, &w);
}
