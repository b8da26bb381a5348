/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/rules.h"

#include "base/str.h"

enum { RULES = 1000, RULES_BYTES = 64 << 10, VALUE_BYTES = 8192, HEADERS_EACH = 40, NAMES = 16 };

const char *const rules_header_names[] = { "Content-Security-Policy",
	"Content-Security-Policy-Report-Only", "X-Frame-Options", "Referrer-Policy",
	"Permissions-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Embedder-Policy",
	"Cross-Origin-Resource-Policy", "Access-Control-Allow-Origin",
	"Access-Control-Allow-Methods", "Access-Control-Allow-Headers",
	"Access-Control-Expose-Headers", "Access-Control-Max-Age", "Timing-Allow-Origin", "Link",
	"X-Robots-Tag", "Content-Language", "X-DNS-Prefetch-Control", "Reporting-Endpoints", "NEL",
	"Origin-Agent-Cluster", "X-Permitted-Cross-Domain-Policies", "Cache-Control", NULL };

void
rules_print_nginx(FILE *out)
{
	fputs("# Made from src/domain/rules.c by vitrinectl nginx.\n", out);
	for (const char *const *name = rules_header_names; *name; name++) {
		if (str_eq(*name, "Cache-Control"))
			continue; /* nginx passes it without being told */
		fprintf(out, "add_header %s $upstream_http_", *name);
		for (const char *p = *name; *p; p++)
			fputc(*p == '-' ? '_' : tolower((unsigned char)*p), out);
		fputs(";\n", out);
	}
}

struct redirect {
	const char *from, *to;
	struct pair query[4];
	size_t query_n;
	int status;
	bool force;
};
struct redirects {
	struct redirect *v;
	size_t n;
};
struct header_rule {
	const char *pattern;
	struct pair v[HEADERS_EACH];
	size_t n;
};
struct headers {
	struct header_rule *v;
	size_t n;
};

/* ---- patterns: "/a/:name/b" and a final "*" ---- */

struct captures {
	struct {
		const char *name, *value;
		size_t name_n, value_n;
	} v[NAMES];
	size_t n;
};

static void
rule_capture(
    struct captures *cap, const char *name, size_t name_n, const char *value, size_t value_n)
{
	if (!cap || cap->n == NAMES)
		return;
	cap->v[cap->n].name = name;
	cap->v[cap->n].name_n = name_n;
	cap->v[cap->n].value = value;
	cap->v[cap->n++].value_n = value_n;
}

static bool
pattern_match(const char *pattern, const char *url, struct captures *cap)
{
	if (cap)
		cap->n = 0;
	while (*pattern) {
		if (*pattern == '*') {
			rule_capture(cap, "splat", 5, url, strlen(url));
			return true;
		}
		// the pattern "/blog/*" also matches "/blog"
		if (!*url)
			return str_eq(pattern, "/*");
		if (*pattern == ':' && pattern[-1] == '/') {
			size_t name_n = strcspn(pattern, "/"), value_n = strcspn(url, "/");

			if (!value_n)
				return false;
			rule_capture(cap, pattern + 1, name_n - 1, url, value_n);
			pattern += name_n;
			url += value_n;
		} else if (*pattern++ != *url++) {
			return false;
		}
	}
	return !*url || str_eq(url, "/");
}

static const char *
fill_in(void *owner, const char *to, const struct captures *cap)
{
	struct buf b = BUF(owner);

	for (; *to; to++) {
		bool filled = false;

		for (size_t i = 0; *to == ':' && i < cap->n && !filled; i++) {
			size_t n = cap->v[i].name_n;

			if (strncmp(to + 1, cap->v[i].name, n) == 0 &&
			    !isalnum((unsigned char)to[1 + n]) && to[1 + n] != '_') {
				buf_url(&b, mem_strndup(owner, cap->v[i].value, cap->v[i].value_n));
				to += n;
				filled = true;
			}
		}
		if (!filled)
			buf_chr(&b, *to);
	}
	return buf_done(&b);
}

/* ---- reading lines ---- */

struct lines {
	struct ctx *c;
	char *rest;
	int no;
	struct strs *warnings; /* NULL when nobody reads them */
};

static void
rule_warn(struct lines *l, const char *file, const char *what)
{
	struct strs *w = l->warnings;

	if (!w || w->n >= 100)
		return;
	w->v = mem_grow(l->c->mem, w->v, (w->n + 1) * sizeof *w->v);
	w->v[w->n++] = mem_printf(l->c->mem, "%s line %d: %s", file, l->no, what);
}

static char *
line_next(struct lines *l)
{
	char *line = str_split(&l->rest, '\n');
	size_t n;

	if (!line)
		return NULL;
	l->no++;
	n = strlen(line);
	while (n && isspace((unsigned char)line[n - 1]))
		line[--n] = '\0';
	return line;
}

static char *
rule_word_next(char **rest)
{
	char *word;

	while ((word = str_split(rest, ' ')) && !*word)
		;
	return word;
}

static bool
text_usable(struct lines *l, const char *file, const char *text, size_t n)
{
	if (n <= RULES_BYTES && !memchr(text, '\0', n) && str_utf8_valid(text, n)) {
		l->rest = mem_strndup(l->c->mem, text, n);
		return true;
	}
	rule_warn(l, file,
	    n > RULES_BYTES ? "the file is larger than 64 KiB and is not honoured"
			    : "the file is not UTF-8 text and is not honoured");
	return false;
}

/* ---- _redirects ---- */

static const char *
status_read(struct redirect *r, const char *word)
{
	int64_t status;
	char text[8];
	size_t n = strlen(word);

	if (n > 4 || n < 3)
		return "the status is not one of 200 301 302 303 307 308 404";
	memcpy(text, word, n + 1);
	r->force = text[n - 1] == '!';
	if (r->force)
		text[n - 1] = '\0';
	if (!str_int(text, &status) || !str_in(text, "200|301|302|303|307|308|404"))
		return "the status is not one of 200 301 302 303 307 308 404";
	r->status = (int)status;
	return NULL;
}

static const char *
redirect_read(struct redirect *r, char *line)
{
	char *rest = line, *word;

	for (char *p = line; *p; p++)
		if (*p == '\t')
			*p = ' ';
	*r = (struct redirect){ .from = rule_word_next(&rest), .status = 301 };
	if (!r->from || *r->from != '/')
		return "a rule begins with a path such as /old";
	while ((word = rule_word_next(&rest)) && *word != '/' && !str_starts(word, "http")) {
		char *value = strchr(word, '=');

		if (!value || r->query_n == 4)
			return "expected a query parameter (name=value) or where to go";
		*value++ = '\0';
		r->query[r->query_n++] = (struct pair){ word, value };
	}
	r->to = word;
	if (!r->to || (*r->to != '/' && !str_http_url(r->to)))
		return "the target is neither a path nor an http(s) address";
	if (str_starts(r->to, "//"))
		return "the target must not begin with //";
	if ((word = rule_word_next(&rest))) {
		const char *why = status_read(r, word);

		if (why)
			return why;
	}
	if (rule_word_next(&rest))
		return "conditions such as Country or Language are not honoured";
	if (*r->to != '/' && (r->status == 200 || r->status == 404))
		return "proxying to another host is not honoured";
	return NULL;
}

static enum err
redirects_read(struct lines *l, const char *text, size_t n, struct redirects *out)
{
	struct redirect r;
	char *line;

	if (!text_usable(l, "_redirects", text, n))
		return E_OK;
	out->v = mem_array(l->c->mem, struct redirect, RULES);
	while ((line = line_next(l))) {
		char *hash = strchr(line, '#');
		const char *why;

		if (hash && (hash == line || isspace((unsigned char)hash[-1])))
			*hash = '\0';
		if (!line[strspn(line, " \t")])
			continue;
		why = out->n == RULES ? "more than 1,000 rules" : redirect_read(&r, line);
		if (why)
			rule_warn(l, "_redirects", why);
		else
			out->v[out->n++] = r;
	}
	return E_OK;
}

enum err
rules_redirects_parse(struct ctx *c, const char *text, size_t n, struct redirects **out)
{
	struct lines l = { .c = c };

	*out = mem_new(c->mem, struct redirects);
	return n ? redirects_read(&l, text, n, *out) : E_OK;
}

static bool
query_matches(void *owner, const struct redirect *r, const char *query, struct captures *cap)
{
	for (size_t i = 0; i < r->query_n; i++) {
		char *rest = mem_strdup(owner, query), *part;
		bool found = false;

		while (!found && (part = str_split(&rest, '&'))) {
			char *value = strchr(part, '=');

			if (value)
				*value++ = '\0';
			found = value && str_eq(part, r->query[i].name) &&
			    (*r->query[i].value == ':' || str_eq(value, r->query[i].value));
			if (found && *r->query[i].value == ':')
				rule_capture(cap, r->query[i].value + 1,
				    strlen(r->query[i].value) - 1, value, strlen(value));
		}
		if (!found)
			return false;
	}
	return true;
}

bool
redirects_match(void *owner, const struct redirects *rules, const char *url, const char *query,
    bool exists, struct redirect_hit *out)
{
	for (size_t i = 0; i < rules->n; i++) {
		const struct redirect *r = &rules->v[i];
		struct captures cap;

		if ((exists && !r->force) || !pattern_match(r->from, url, &cap) ||
		    !query_matches(owner, r, query, &cap))
			continue;
		*out = (struct redirect_hit){ r->status, fill_in(owner, r->to, &cap), r->force };
		return true;
	}
	return false;
}

bool
redirects_force_touch(const struct redirects *rules, const char *url)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->v[i].force && pattern_match(rules->v[i].from, url, NULL))
			return true;
	return false;
}

/* ---- _headers ---- */

static const char *
name_known(const char *name)
{
	for (const char *const *known = rules_header_names; *known; known++)
		if (strcasecmp(*known, name) == 0)
			return *known;
	return NULL;
}

static const char *
rule_header_read(struct ctx *c, struct header_rule *rule, char *line)
{
	char *colon = strchr(line, ':'), *value;
	const char *name;

	if (!rule)
		return "a header stands before any path";
	if (!colon)
		return "expected Name: value";
	*colon = '\0';
	value = colon + 1 + strspn(colon + 1, " \t");
	name = name_known(line);
	if (!name)
		return "this header can't be set here";
	for (const char *p = value; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return "the value has control characters";
	if (strlen(value) > VALUE_BYTES)
		return "the value is longer than 8,192 bytes";
	for (size_t i = 0; i < rule->n; i++) {
		if (rule->v[i].name == name) {
			rule->v[i].value = mem_printf(c->mem, "%s, %s", rule->v[i].value, value);
			return NULL;
		}
	}
	if (rule->n == HEADERS_EACH)
		return "too many headers for one path";
	rule->v[rule->n++] = (struct pair){ name, value };
	return NULL;
}

static enum err
rule_headers_read(struct lines *l, const char *text, size_t n, struct headers *out)
{
	struct header_rule *rule = NULL;
	size_t room = 0;
	char *line;

	if (!text_usable(l, "_headers", text, n))
		return E_OK;
	while ((line = line_next(l))) {
		size_t indent = strspn(line, " \t");
		const char *why = NULL;

		if (!line[indent] || line[indent] == '#')
			continue;
		if (indent) {
			why = rule_header_read(l->c, rule, line + indent);
		} else if (*line != '/') {
			rule = NULL;
			why = "a rule begins with a path such as /*";
		} else if (out->n == RULES) {
			why = "more than 1,000 rules";
		} else {
			if (out->n == room) {
				room = room ? 2 * room : 8;
				out->v = mem_grow(l->c->mem, out->v, room * sizeof *out->v);
			}
			rule = &out->v[out->n++];
			*rule = (struct header_rule){ .pattern = line };
		}
		if (why)
			rule_warn(l, "_headers", why);
	}
	return E_OK;
}

enum err
rules_headers_parse(struct ctx *c, const char *text, size_t n, struct headers **out)
{
	struct lines l = { .c = c };

	*out = mem_new(c->mem, struct headers);
	return n ? rule_headers_read(&l, text, n, *out) : E_OK;
}

bool
headers_touch(const struct headers *rules, const char *url)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->v[i].n && pattern_match(rules->v[i].pattern, url, NULL))
			return true;
	return false;
}

void
headers_for(void *owner, const struct headers *rules, const char *url, struct pair **out, size_t *n)
{
	size_t room = 0;

	*out = NULL;
	*n = 0;
	for (size_t i = 0; i < rules->n; i++) {
		const struct header_rule *r = &rules->v[i];

		if (!pattern_match(r->pattern, url, NULL))
			continue;
		for (size_t k = 0; k < r->n; k++) {
			if (*n == room)
				*out = mem_grow(owner, *out, (room += 16) * sizeof **out);
			(*out)[(*n)++] = r->v[k];
		}
	}
}

enum err
rules_warnings(struct ctx *c, const char *path, const char *text, size_t n, struct strs *out)
{
	struct lines l = { .c = c, .warnings = out };

	if (str_eq(path, "_redirects"))
		return redirects_read(&l, text, n, mem_new(c->mem, struct redirects));
	return rule_headers_read(&l, text, n, mem_new(c->mem, struct headers));
}
