/* SPDX-License-Identifier: Apache-2.0 */
#include "http/multipart.h"

#include "base/str.h"

enum { BOUNDARY = 70, HEADER_LINES = 16, HEADER_BYTES = 8192, WINDOW_BYTES = 1 << 18 };

struct scan {
	struct ctx *c;
	struct span rest;      /* of the body */
	char *window;
	int64_t window_at;     /* offset in the file */
	size_t window_n;
	const char *delimiter; /* CRLF "--" boundary */
	size_t delimiter_n;
};

static enum err
form_bad(struct scan *s, const char *why)
{
	return fail(s->c, E_INVALID, "the form is malformed: %s", why);
}

/* Returns the next bytes of the rest: at least `least`, unless fewer are left, and at most a
 * window. */
static enum err
scan_look(struct scan *s, size_t least, const char **p, size_t *n)
{
	int64_t skip = s->rest.at - s->window_at;
	size_t have = skip >= 0 && (size_t)skip < s->window_n ? s->window_n - (size_t)skip : 0;

	if (have < least && (int64_t)have < s->rest.n) {
		s->window_n = s->rest.n < WINDOW_BYTES ? (size_t)s->rest.n : WINDOW_BYTES;
		TRY(span_read(s->c, &s->rest, s->window, s->window_n));
		s->window_at = s->rest.at;
		skip = 0;
		have = s->window_n;
	}
	*p = s->window + skip;
	*n = (int64_t)have < s->rest.n ? have : (size_t)s->rest.n;
	return E_OK;
}

static void
scan_pass(struct scan *s, int64_t n)
{
	s->rest = span_after(s->rest, n);
}

/* Moves to the next delimiter. */
static enum err
scan_to_delimiter(struct scan *s)
{
	for (;;) {
		const char *p, *found;
		size_t n;

		TRY(scan_look(s, s->delimiter_n, &p, &n));
		found = memmem(p, n, s->delimiter, s->delimiter_n);
		if (!found && n < s->delimiter_n)
			return form_bad(s, "the final boundary is missing");
		/* A delimiter may begin in this window and end in the next. */
		scan_pass(s, found ? found - p : (int64_t)(n - s->delimiter_n + 1));
		if (found)
			return E_OK;
	}
}

/* Reads a parameter after its semicolon: a token or a quoted string (RFC 2183). In quotes a
 * backslash escapes only itself and quotes, because browsers send paths unescaped. *value is NULL
 * if there is none. Returns where the next parameter begins. */
static const char *
parameter_next(void *mem, const char *p, const char **name, char **value)
{
	size_t n = strcspn(p += strspn(p, "; \t"), "=; \t");
	char *to;

	*name = mem_strndup(mem, p, n);
	*value = NULL;
	p += n + strspn(p + n, " \t");
	if (*p != '=')
		return p;
	p += 1 + strspn(p + 1, " \t");
	if (*p != '"') {
		n = strcspn(p, ";");
		to = *value = mem_strndup(mem, p, n);
		for (size_t end = n; end && strchr(" \t", to[end - 1]);)
			to[--end] = '\0';
		return p + n;
	}
	to = *value = mem_strdup(mem, ++p);
	for (; *p && *p != '"'; p++) {
		p += *p == '\\' && (p[1] == '"' || p[1] == '\\');
		*to++ = *p;
	}
	*to = '\0';
	if (!*p)
		*value = NULL;
	return p + (*p == '"');
}

/* Reads "UTF-8''na%C3%AFve" (RFC 5987). Returns NULL for another charset or an invalid value. */
static const char *
extended_read(const char *value)
{
	char *text = strncasecmp(value, "utf-8'", 6) == 0 ? strchr(value + 6, '\'') : NULL;

	return text && str_unescape(text + 1, false) ? text + 1 : NULL;
}

/* Returns the value of a header's parameter; name* takes precedence, and %22 means a quote. NULL if
 * it is missing. */
static const char *
header_parameter(struct scan *s, const char *line, const char *wanted)
{
	const char *p = strchr(line, ';'), *name, *found = NULL, *extended;
	size_t n = strlen(wanted);
	char *value, *quote;

	while (p && *p) {
		p = parameter_next(s->c->mem, p, &name, &value);
		if (!value || strncasecmp(name, wanted, n) != 0)
			continue;
		if (str_eq(name + n, "*") && (extended = extended_read(value)))
			return extended;
		if (name[n] || found)
			continue;
		while ((quote = strstr(value, "%22"))) {
			*quote = '"';
			memmove(quote + 1, quote + 3, strlen(quote + 3) + 1);
		}
		found = value;
	}
	return found;
}

static enum err
part_headers_read(struct scan *s, struct part *part)
{
	const char *p, *from, *end;
	size_t n;

	TRY(scan_look(s, HEADER_BYTES + 2, &from, &n));
	p = from;
	end = from + n;
	for (int lines = 0;; lines++) {
		const char *eol = memmem(p, (size_t)(end - p), "\r\n", 2);
		const char *line;

		if (!eol || eol - from > HEADER_BYTES || lines > HEADER_LINES)
			return form_bad(s, "the headers of a part are too long or have no end");
		line = mem_strndup(s->c->mem, p, (size_t)(eol - p));
		if (strlen(line) != (size_t)(eol - p) || *line == ' ' || *line == '\t' ||
		    strchr(line, '\n'))
			return form_bad(
			    s, "a header of a part is folded or has control characters");
		p = eol + 2;
		if (!*line)
			break;
		if (strncasecmp(line, "Content-Disposition:", 20) == 0) {
			part->name = header_parameter(s, line, "name");
			part->filename = header_parameter(s, line, "filename");
		} else if (strncasecmp(line, "Content-Type:", 13) == 0) {
			part->mime = line + 13 + strspn(line + 13, " \t");
		}
	}
	scan_pass(s, p - from);
	if (!part->name || !str_utf8_valid(part->name, strlen(part->name)))
		return form_bad(s, "a part has no name");
	if (part->mime && strncasecmp(part->mime, "multipart/", 10) == 0)
		return form_bad(s, "nested parts aren't supported");
	return E_OK;
}

/* Reads a part after its boundary. */
static enum err
part_scan(struct scan *s, struct part *part)
{
	struct span from;
	const char *p;
	size_t n;

	TRY(scan_look(s, 2, &p, &n));
	if (n < 2 || p[0] != '\r' || p[1] != '\n')
		return form_bad(s, "a boundary isn't followed by a line break");
	scan_pass(s, 2);
	TRY(part_headers_read(s, part));
	from = s->rest;
	/* The delimiter of an empty part begins with the line end of its headers. */
	scan_pass(s, -2);
	TRY(scan_to_delimiter(s));
	part->bytes = from;
	part->bytes.n = s->rest.at > from.at ? s->rest.at - from.at : 0;
	scan_pass(s, (int64_t)s->delimiter_n);
	return E_OK;
}

enum err
multipart_parse(struct ctx *c, const char *content_type, struct span body, struct part *out,
    size_t max, size_t *count)
{
	struct scan s = { .c = c, .rest = body };
	const char *p, *boundary;
	size_t n;

	*count = 0;
	s.window = mem_array(c->mem, char, body.n < WINDOW_BYTES ? (size_t)body.n : WINDOW_BYTES);
	boundary = header_parameter(&s, content_type ? content_type : "", "boundary");
	if (!boundary)
		return form_bad(&s, "Content-Type has no boundary");
	if (!*boundary || strlen(boundary) > BOUNDARY)
		return form_bad(&s, "the boundary must be 1 to 70 characters");
	s.delimiter = mem_printf(c->mem, "\r\n--%s", boundary);
	s.delimiter_n = strlen(s.delimiter);
	TRY(scan_look(&s, s.delimiter_n, &p, &n));
	if (n < s.delimiter_n || memcmp(p, s.delimiter + 2, s.delimiter_n - 2) != 0)
		return form_bad(&s, "it doesn't start with its boundary");
	scan_pass(&s, (int64_t)s.delimiter_n - 2);
	for (;;) {
		TRY(scan_look(&s, 2, &p, &n));
		if (n >= 2 && p[0] == '-' && p[1] == '-')
			break;
		if (*count == max)
			return form_bad(&s, mem_printf(c->mem, "it has more than %zu parts", max));
		out[*count] = (struct part){ 0 };
		TRY(part_scan(&s, &out[(*count)++]));
	}
	mem_free(s.window);
	return E_OK;
}

enum err
part_read(struct ctx *c, const struct part *part, const char **bytes)
{
	char *b = mem_grow(c->mem, NULL, (size_t)part->bytes.n + 1);

	TRY(span_read(c, &part->bytes, b, (size_t)part->bytes.n));
	b[part->bytes.n] = '\0';
	*bytes = b;
	return E_OK;
}
