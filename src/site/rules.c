/* SPDX-License-Identifier: Apache-2.0 */
#include "site/rules.h"

#include "base/mime.h"
#include "base/str.h"
#include "base/unicode.h"
#include "site/pattern.h"

enum {
	RULES = 1000,
	VALUE_BYTES = 8192,
	HEADERS_EACH = 40,
	PARAMETERS = 100,
	QUERY_NAMES = PATTERN_QUERY_NAMES,
	WARNED_MOST = 100,
	HEADERS_BYTES = 12 << 10 /* of the headers of a reply: nginx reads 16 KiB, including ours */
};

const char *const rules_header_names[] = { "Content-Security-Policy",
	"Content-Security-Policy-Report-Only", "X-Frame-Options", "Referrer-Policy",
	"Permissions-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Embedder-Policy",
	"Cross-Origin-Resource-Policy", "Access-Control-Allow-Origin",
	"Access-Control-Allow-Methods", "Access-Control-Allow-Headers",
	"Access-Control-Expose-Headers", "Access-Control-Max-Age", "Timing-Allow-Origin", "Link",
	"X-Robots-Tag", "Content-Language", "X-DNS-Prefetch-Control", "Reporting-Endpoints", "NEL",
	"Origin-Agent-Cluster", "X-Permitted-Cross-Domain-Policies", "Cache-Control",
	"Content-Type", "Content-Encoding", NULL };

struct redirect {
	const char *from, *to;
	struct pair query[QUERY_NAMES];
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
	size_t joined[HEADERS_EACH]; /* bytes of a value that is of several lines, else 0 */
	size_t n;
};
struct headers {
	struct header_rule *v;
	size_t n;
};

/* ---- targets ---- */

/* Returns where the path begins: after the host of another site, which a visitor must not be able
 * to choose. */
static const char *
target_path(const char *to)
{
	const char *host = strstr(to, "://");

	return *to == '/' || !host ? to : host + 3 + strcspn(host + 3, "/?#");
}

/* Writes a character in the form that a header allows. */
static void
target_chr(struct buf *b, char ch)
{
	if (ch > ' ' && ch < 0x7f && !strchr("\"<>\\", ch))
		buf_chr(b, ch);
	else
		buf_fmt(b, "%%%02X", (unsigned char)ch);
}

/* Returns the placeholder at ":name"; NULL if there is none with that name. */
static const char *
placeholder_value(void *owner, const char *at, const struct captures *cap, size_t *name_n)
{
	for (size_t i = 0; i < cap->n; i++) {
		size_t n = *name_n = cap->v[i].name_n;

		if (n && strncmp(at + 1, cap->v[i].name, n) == 0 &&
		    !isalnum((unsigned char)at[1 + n]) && at[1 + n] != '_')
			return mem_strndup(owner, cap->v[i].value, cap->v[i].value_n);
	}
	return NULL;
}

static const char *
fill_in(void *owner, const char *to, const struct captures *cap)
{
	struct buf b = BUF(owner);
	const char *path = target_path(to), *value;
	size_t n;

	for (; *to; to++) {
		value = *to == ':' && to >= path ? placeholder_value(owner, to, cap, &n) : NULL;
		if (value) {
			buf_url(&b, value);
			to += n;
		} else {
			target_chr(&b, *to);
		}
	}
	return buf_done(&b);
}

/* Makes a path of this site: captured text must not turn it into another host ("//evil.example"),
 * nor lead upward. Returns false in the second case. */
static bool
path_settle(void *owner, const char **to)
{
	const char *rest = *to + strcspn(*to, "?#");
	char *path = mem_strndup(owner, *to, (size_t)(rest - *to)), *out = path, *decoded;

	for (const char *in = path; *in; in++)
		if (*in != '/' || out == path || out[-1] != '/')
			*out++ = *in;
	*out = '\0';
	*to = mem_printf(owner, "%s%s", path, rest);
	decoded = mem_printf(owner, "%s/", path);
	return str_unescape(decoded, false) && !strstr(decoded, "/./") && !strstr(decoded, "/../");
}

/* ---- reading lines ---- */

#define LEFT_OUT " (left out)"

struct lines {
	struct ctx *c;
	char *rest;
	int no;
	struct strs *warnings; /* NULL when nobody reads them */
	int warned;
	bool cut; /* the file is longer than the part that we read */
	const char *url;       /* _headers: only rules for this path; NULL: all */
};

/* Warns about the current line. then: what becomes of it, or NULL if it holds. */
static void
rule_warn(struct lines *l, const char *file, const char *then, const char *what)
{
	struct strs *w = l->warnings;

	if (!w || ++l->warned > WARNED_MOST)
		return;
	strs_add(l->c->mem, w,
	    mem_printf(l->c->mem, "%s line %d%s%s: %s", file, l->no,
		l->warned == WARNED_MOST ? " and others" : "", then ? then : "", what));
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

/* A "#" within a word is a fragment; before a word it begins a comment. */
static void
line_uncomment(char *line)
{
	for (char *hash = strchr(line, '#'); hash; hash = strchr(hash + 1, '#')) {
		if (hash == line || isspace((unsigned char)hash[-1])) {
			*hash = '\0';
			while (hash > line && isspace((unsigned char)hash[-1]))
				*--hash = '\0';
			return;
		}
	}
}

static char *
rule_word_next(char **rest)
{
	char *word;

	while ((word = str_split(rest, ' ')) && !*word)
		;
	return word;
}

/* Takes the lines that end within RULES_BYTES. A NUL becomes a byte that is in no text, so
 * line_wrong() names its line. */
static void
lines_begin(struct lines *l, const char *text, size_t n)
{
	text = unicode_text(l->c->mem, text, &n);
	l->cut = n > RULES_BYTES;
	for (n = l->cut ? RULES_BYTES : n; l->cut && n && text[n - 1] != '\n';)
		n--;
	l->rest = memcpy(mem_zalloc(l->c->mem, n + 1), text, n);
	for (char *nul = l->rest; (nul = memchr(nul, '\0', n - (size_t)(nul - l->rest)));)
		*nul = '\xff';
	/* Visitors' paths are compared in NFC, too. */
	if (str_utf8_valid(l->rest, strlen(l->rest)))
		l->rest = mem_strdup(l->c->mem, unicode_composed(l->c->mem, l->rest));
}

static const char *
line_wrong(const char *line)
{
	return str_utf8_valid(line, strlen(line)) ? NULL : "isn't UTF-8 text";
}

static void
lines_end(struct lines *l, const char *file)
{
	if (!l->cut)
		return;
	l->warned = 0;
	rule_warn(l, file, NULL, "from here on nothing holds: the file is larger than 64 KiB");
}

/* ---- _redirects ---- */

static const char *
status_read(struct redirect *r, const char *word)
{
	int64_t status;
	char text[8];
	size_t n = strlen(word);

	if (n > 4 || n < 3)
		return "the status must be one of 200 301 302 303 307 308 404";
	memcpy(text, word, n + 1);
	r->force = text[n - 1] == '!';
	if (r->force)
		text[n - 1] = '\0';
	if (!str_int(text, &status) || !str_in(text, "200|301|302|303|307|308|404"))
		return "the status must be one of 200 301 302 303 307 308 404";
	r->status = (int)status;
	return NULL;
}

/* Says what is wrong with the conditions after a target, or that a conditional rule has no
 * target. */
static const char *
condition_wrong(const char *words)
{
	static const char *const conditions[] = {
		"Country=", "Language=", "Role=", "Cookie=", "Signed="
	};

	while (words && *words) {
		for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
			if (strncasecmp(words, conditions[i], strlen(conditions[i])) == 0)
				return "conditions such as Country or Language, "
				       "and options such as Signed, aren't supported";
		words += strcspn(words, " ");
		words += strspn(words, " ");
	}
	return NULL;
}

static const char *
target_wrong(const char *to)
{
	const char *host;

	if (!to || (*to != '/' && !str_http_url(to)))
		return "the target must be a path or an http(s) address";
	if (str_starts(to, "//"))
		return "the target must not start with //";
	if (str_starts(to, "/.netlify/"))
		return "Netlify's functions and other services under /.netlify/ aren't "
		       "available here";
	host = *to == '/' ? NULL : strstr(to, "://");
	for (const char *p = host ? host + 3 : ""; *p && p < target_path(to); p++)
		if (*p == ':' && !isdigit((unsigned char)p[1]))
			return "the host of a target can't have placeholders";
	return NULL;
}

/* Moves *rest past the target. */
static const char *
parameters_and_target_read(struct redirect *r, char **rest)
{
	char *word;

	while ((word = rule_word_next(rest)) && *word != '/' && !str_starts(word, "http")) {
		char *value = strchr(word, '=');
		const char *why = value ? NULL : condition_wrong(*rest);

		if (why)
			return why;
		if (!value)
			return "expected a query parameter (name=value) or a target";
		if (r->query_n == QUERY_NAMES)
			return "more than 4 query parameters";
		*value++ = '\0';
		if (!str_unescape(word, true) || !str_unescape(value, true))
			return "a query parameter isn't valid percent-encoded UTF-8";
		r->query[r->query_n++] = (struct pair){ word, value };
	}
	r->to = word;
	return target_wrong(word);
}

static const char *
redirect_read(struct redirect *r, char *line)
{
	char *rest = line, *word;
	const char *why;

	for (char *p = line; *p; p++)
		if (*p == '\t')
			*p = ' ';
	*r = (struct redirect){ .from = rule_word_next(&rest), .status = 301 };
	why = pattern_wrong(r->from);
	if (!why)
		why = parameters_and_target_read(r, &rest);
	if (!why)
		why = condition_wrong(rest);
	if (why)
		return why;
	word = rule_word_next(&rest);
	why = word ? status_read(r, word) : NULL;
	if (why)
		return why;
	if (rule_word_next(&rest))
		return "text after the status isn't supported";
	if (*r->to != '/' && (r->status == 200 || r->status == 404))
		return "proxying to another host isn't supported";
	return NULL;
}

static bool
redirect_captures(const struct redirect *r, const char *name, size_t n)
{
	for (size_t i = 0; i < r->query_n; i++)
		if (*r->query[i].value == ':' && strlen(r->query[i].value) == n + 1 &&
		    memcmp(r->query[i].value + 1, name, n) == 0)
			return true;
	return pattern_names(r->from, name, n);
}

/* Finds a placeholder in the target that isn't replaced. Within a word a colon probably means
 * one. */
static const char *
target_uncaptured(void *owner, const struct redirect *r)
{
	for (const char *p = target_path(r->to); (p = strchr(p, ':')); p++) {
		size_t n = 0;

		while (isalnum((unsigned char)p[1 + n]) || p[1 + n] == '_')
			n++;
		if (n && strchr("/=", p[-1]) && isalpha((unsigned char)p[1]) &&
		    !redirect_captures(r, p + 1, n) && p[1 + n] != '-')
			return mem_printf(owner,
			    ":%.*s in the target stays as written: the path captures nothing "
			    "of this name", (int)n, p + 1);
	}
	return NULL;
}

static enum err
redirects_read(struct lines *l, const char *text, size_t n, struct redirects *out)
{
	struct redirect r;
	char *line;

	lines_begin(l, text, n);
	out->v = mem_array(l->c->mem, struct redirect, RULES);
	while ((line = line_next(l))) {
		const char *why, *then = LEFT_OUT;

		line_uncomment(line);
		if (!line[strspn(line, " \t")])
			continue;
		why = line_wrong(line);
		if (!why)
			why = out->n == RULES ? "more than 1,000 rules" : redirect_read(&r, line);
		if (!why) {
			out->v[out->n++] = r;
			why = target_uncaptured(l->c->mem, &r);
			then = NULL;
		}
		if (why)
			rule_warn(l, "_redirects", then, why);
	}
	lines_end(l, "_redirects");
	return E_OK;
}

enum err
rules_redirects_parse(struct ctx *c, const char *text, size_t n, struct redirects **out)
{
	struct lines l = { .c = c };

	*out = mem_new(c->mem, struct redirects);
	return n ? redirects_read(&l, text, n, *out) : E_OK;
}

/* The visitor's parameters, decoded; false when they are not such, or too many. */
struct parameters {
	struct pair v[PARAMETERS];
	size_t n;
};

static bool
parameters_read(void *owner, const char *query, struct parameters *out)
{
	char *rest = mem_strdup(owner, query), *part;

	out->n = 0;
	while ((part = str_split(&rest, '&'))) {
		char *value = strchr(part, '=');

		if (!*part)
			continue;
		if (value)
			*value++ = '\0';
		if (out->n == PARAMETERS || !str_unescape(part, true) ||
		    (value && !str_unescape(value, true)))
			return false;
		out->v[out->n++] = (struct pair){ part, value ? value : "" };
	}
	return true;
}

/* A rule with parameters matches exactly these. */
static bool
query_matches(const struct redirect *r, const struct parameters *given, struct captures *cap)
{
	if (r->query_n && (!given || given->n != r->query_n))
		return false;
	for (size_t i = 0; i < r->query_n; i++) {
		const char *want = r->query[i].value, *value = NULL;

		for (size_t k = 0; k < given->n; k++)
			if (str_eq(given->v[k].name, r->query[i].name))
				value = given->v[k].value;
		if (!value || (*want != ':' && !str_eq(value, want)))
			return false;
		if (*want == ':')
			pattern_capture(cap, want + 1, strlen(want) - 1, value, strlen(value));
	}
	return true;
}

/* Appends the visitor's query, unless the rule matches parameters or has a query of its own. */
static const char *
query_pass(void *owner, const struct redirect *r, const char *to, const char *query)
{
	struct buf b = BUF(owner);
	size_t n = strcspn(to, "#");

	if (!*query || r->query_n || memchr(to, '?', n) ||
	    (r->status != 200 && r->status != 301 && r->status != 302))
		return to;
	buf_add(&b, to, n);
	buf_chr(&b, '?');
	for (; *query; query++)
		target_chr(&b, *query);
	buf_str(&b, to + n);
	return buf_done(&b);
}

/* A redirect to the same address, apart from a slash at its end, would loop. */
static bool
leads_to_itself(void *owner, const struct redirect *r, const char *to, const char *url)
{
	char *path = mem_strndup(owner, to, strcspn(to, "?#"));
	size_t n, m = strlen(url);

	if (r->status == 200 || r->status == 404 || r->query_n || !str_unescape(path, false))
		return false;
	for (n = strlen(path); n && path[n - 1] == '/';)
		n--;
	while (m && url[m - 1] == '/')
		m--;
	return n == m && memcmp(path, url, n) == 0;
}

bool
redirects_match(void *owner, const struct redirects *rules, const char *url, const char *query,
    bool exists, struct redirect_hit *out)
{
	struct parameters *given = mem_new(owner, struct parameters);

	if (!parameters_read(owner, query, given))
		given = NULL;
	for (size_t i = 0; i < rules->n; i++) {
		const struct redirect *r = &rules->v[i];
		struct captures cap;
		const char *to;

		if ((exists && !r->force) || !pattern_match(r->from, url, &cap) ||
		    !query_matches(r, given, &cap))
			continue;
		to = fill_in(owner, r->to, &cap);
		if (*to == '/' &&
		    (!path_settle(owner, &to) || leads_to_itself(owner, r, to, url)))
			continue;
		to = query_pass(owner, r, to, query);
		*out = (struct redirect_hit){ r->status, to, r->force };
		return true;
	}
	return false;
}

bool
redirects_force_touch(const struct redirects *rules, const char *url, int64_t *steps)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->v[i].force && pattern_touch(rules->v[i].from, url, NULL, steps))
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
names_known(struct ctx *c)
{
	struct buf b = BUF(c->mem);

	for (const char *const *known = rules_header_names; *known; known++)
		buf_fmt(&b, "%s%s", b.n ? ", " : "", *known);
	return buf_done(&b);
}

/* Two headers of one name are joined. We append in place and limit the length; otherwise a file of
 * short lines would cost each visitor the square of its lines. */
static const char *
rule_header_join(struct ctx *c, struct header_rule *rule, size_t i, const char *value)
{
	size_t had = rule->joined[i] ? rule->joined[i] : strlen(rule->v[i].value);
	size_t n = had + strlen(", ") + strlen(value);
	char *both;

	if (n > VALUE_BYTES)
		return "the values together are longer than 8,192 bytes";
	if (rule->joined[i])
		both = mem_grow(c->mem, (char *)(uintptr_t)rule->v[i].value, n + 1);
	else
		both = memcpy(mem_zalloc(c->mem, n + 1), rule->v[i].value, had);
	snprintf(both + had, n + 1 - had, ", %s", value);
	rule->v[i].value = both;
	rule->joined[i] = n;
	return NULL;
}

static const char *
header_value_wrong(const char *name, const char *value)
{
	for (const char *p = value; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return "the value contains control characters";
	if (strlen(value) > VALUE_BYTES)
		return "the value is longer than 8,192 bytes";
	if (str_eq(name, "Content-Type") &&
	    !(mime_valid(value) &&
		(mime_is_text(value) || strcasestr(value, "+json") || strcasestr(value, "+xml"))))
		return "Content-Type can be that of a text only, such as text/plain; charset=utf-8";
	if (str_eq(name, "Content-Encoding") && !str_in(value, "gzip|br|identity"))
		return "Content-Encoding must be gzip, br or identity";
	return NULL;
}

static const char *
rule_header_read(struct ctx *c, struct header_rule *rule, char *line)
{
	const char *name, *why, *value;
	char *colon = strchr(line, ':');
	size_t all;

	if (!rule)
		return "a header must come after a path";
	if (!colon)
		return "expected Name: value";
	*colon = '\0';
	value = colon + 1 + strspn(colon + 1, " \t");
	name = name_known(line);
	all = strlen(line) + strlen(value);
	if (!name)
		return mem_printf(
		    c->mem, "this header can't be set here, only %s", names_known(c));
	why = header_value_wrong(name, value);
	if (why)
		return why;
	if (str_eq(name, "Content-Type"))
		value = mime_canonical(c->mem, value);
	for (size_t i = 0; i < rule->n; i++) {
		if (rule->v[i].name != name)
			continue;
		/* These replace a header that we derive from the bytes, so they aren't joined. */
		if (!str_in(name, "Content-Type|Content-Encoding"))
			return rule_header_join(c, rule, i, value);
		rule->v[i].value = value;
		return NULL;
	}
	for (size_t i = 0; i < rule->n; i++)
		all += strlen(rule->v[i].name) + strlen(rule->v[i].value);
	if (rule->n == HEADERS_EACH || all > HEADERS_BYTES)
		return "the headers of this path together are longer than 12,288 bytes";
	rule->v[rule->n++] = (struct pair){ name, value };
	return NULL;
}

static enum err
rule_headers_read(struct lines *l, const char *text, size_t n, struct headers *out)
{
	struct header_rule *rule = NULL;
	size_t room = 0, seen = 0;
	bool passed = false;
	char *line;

	lines_begin(l, text, n);
	while ((line = line_next(l))) {
		size_t indent = strspn(line, " \t");
		const char *why = line_wrong(line);

		if (!line[indent] || line[indent] == '#' || (indent && passed))
			continue;
		passed = false;
		if (!indent)
			line_uncomment(line);
		if (why) {
			rule = indent ? rule : NULL;
		} else if (indent) {
			why = rule_header_read(l->c, rule, line + indent);
		} else if ((why = pattern_wrong(line))) {
			if (strchr(line, ':') && !strstr(line, "://"))
				why = "a header must be indented, below the path that it is for";
			rule = NULL;
		} else if (seen == RULES) {
			why = "more than 1,000 rules";
			passed = true;
		} else if (seen++, l->url && !pattern_match(line, l->url, NULL)) {
			passed = true;
		} else {
			if (out->n == room) {
				room = room ? 2 * room : 8;
				out->v = mem_grow(l->c->mem, out->v, room * sizeof *out->v);
			}
			rule = &out->v[out->n++];
			*rule = (struct header_rule){ .pattern = line };
		}
		if (why)
			rule_warn(l, "_headers", LEFT_OUT, why);
	}
	lines_end(l, "_headers");
	return E_OK;
}

enum err
rules_headers_parse(
    struct ctx *c, const char *text, size_t n, const char *url, struct headers **out)
{
	struct lines l = { .c = c, .url = url };

	*out = mem_new(c->mem, struct headers);
	return n ? rule_headers_read(&l, text, n, *out) : E_OK;
}

bool
headers_touch(const struct headers *rules, const char *url, int64_t *steps)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->v[i].n && pattern_touch(rules->v[i].pattern, url, NULL, steps))
			return true;
	return false;
}

bool
rules_none(const struct redirects *redirects, const struct headers *headers)
{
	return !redirects->n && !headers->n;
}

/* Returns the value with the captured texts instead of the names. */
static const char *
value_fill(void *owner, const char *text, const struct captures *cap)
{
	struct buf b = BUF(owner);
	const char *value;
	size_t n;

	if (!cap->n || !strchr(text, ':'))
		return text;
	for (; *text; text++) {
		value = *text == ':' ? placeholder_value(owner, text, cap, &n) : NULL;
		if (value) {
			buf_url(&b, value);
			text += n;
		} else {
			buf_chr(&b, *text);
		}
	}
	return buf_done(&b);
}

void
headers_for(void *owner, const struct headers *rules, const char *url, struct pair **out, size_t *n)
{
	size_t room = 0, bytes = 0;

	*out = NULL;
	*n = 0;
	for (size_t i = 0; i < rules->n; i++) {
		const struct header_rule *r = &rules->v[i];
		struct captures cap;

		if (!pattern_match(r->pattern, url, &cap))
			continue;
		for (size_t k = 0; k < r->n; k++) {
			const char *value = value_fill(owner, r->v[k].value, &cap);
			size_t more = strlen(r->v[k].name) + strlen(value);

			if (bytes + more > HEADERS_BYTES)
				continue;
			bytes += more;
			if (*n == room)
				*out = mem_grow(owner, *out, (room += 16) * sizeof **out);
			(*out)[(*n)++] = (struct pair){ r->v[k].name, value };
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
