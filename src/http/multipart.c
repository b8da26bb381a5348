/* SPDX-License-Identifier: Apache-2.0 */
#include "http/multipart.h"

#include "base/str.h"

enum { BOUNDARY = 70, HEADER_LINES = 16, HEADER_BYTES = 8192 };

struct scan {
	struct ctx *c;
	const char *p, *end;
	const char *delimiter; /* CRLF "--" boundary */
	size_t delimiter_n;
};

static enum err
form_bad(struct scan *s, const char *why)
{
	return fail(s->c, E_INVALID, "the form is malformed: %s", why);
}

static enum err
boundary_read(struct scan *s, const char *type)
{
	const char *b = strcasestr(type, "boundary=");
	size_t n;

	if (!b)
		return form_bad(s, "Content-Type has no boundary");
	b += strlen("boundary=");
	n = *b == '"' ? strcspn(++b, "\"") : strcspn(b, "; \t");
	if (!n || n > BOUNDARY)
		return form_bad(s, "the boundary must have 1 to 70 characters");
	s->delimiter = mem_printf(s->c->mem, "\r\n--%.*s", (int)n, b);
	s->delimiter_n = n + 4;
	return E_OK;
}

/* The value of the parameter name="…" in a header line, where %22 stands for a quote; NULL when it
 * is absent. */
static const char *
header_parameter(struct scan *s, const char *line, const char *name)
{
	const char *at = strcasestr(line, mem_printf(s->c->mem, "; %s=\"", name)), *end;
	char *value, *quote;

	if (!at)
		return NULL;
	at = strchr(at, '"') + 1;
	end = strchr(at, '"');
	if (!end)
		return NULL;
	value = mem_strndup(s->c->mem, at, (size_t)(end - at));
	while ((quote = strcasestr(value, "%22"))) {
		*quote = '"';
		memmove(quote + 1, quote + 3, strlen(quote + 3) + 1);
	}
	return value;
}

static enum err
part_headers_read(struct scan *s, struct part *part)
{
	const char *from = s->p;

	for (int lines = 0;; lines++) {
		const char *eol = memmem(s->p, (size_t)(s->end - s->p), "\r\n", 2);
		const char *line;

		if (!eol || eol - from > HEADER_BYTES || lines > HEADER_LINES)
			return form_bad(s, "the headers of a part are too long or not ended");
		line = mem_strndup(s->c->mem, s->p, (size_t)(eol - s->p));
		if (strlen(line) != (size_t)(eol - s->p) || *line == ' ' || *line == '\t' ||
		    strchr(line, '\n'))
			return form_bad(
			    s, "a header of a part is folded or has control characters");
		s->p = eol + 2;
		if (!*line)
			break;
		if (strncasecmp(line, "Content-Disposition:", 20) == 0) {
			part->name = header_parameter(s, line, "name");
			part->filename = header_parameter(s, line, "filename");
		} else if (strncasecmp(line, "Content-Type:", 13) == 0) {
			part->mime = line + 13 + strspn(line + 13, " \t");
		}
	}
	if (!part->name || !str_utf8_valid(part->name, strlen(part->name)))
		return form_bad(s, "a part has no name");
	if (part->mime && strncasecmp(part->mime, "multipart/", 10) == 0)
		return form_bad(s, "parts within parts are not accepted");
	return E_OK;
}

enum err
multipart_parse(struct ctx *c, const char *content_type, const char *body, size_t n,
    struct part *out, size_t max, size_t *count)
{
	struct scan s = { .c = c, .p = body, .end = body + n };

	*count = 0;
	TRY(boundary_read(&s, content_type ? content_type : ""));
	if (n < s.delimiter_n || memcmp(body, s.delimiter + 2, s.delimiter_n - 2) != 0)
		return form_bad(&s, "it does not begin with its boundary");
	s.p += s.delimiter_n - 2;
	for (;;) {
		struct part part = { 0 };
		const char *end;

		if (s.end - s.p >= 2 && s.p[0] == '-' && s.p[1] == '-')
			return E_OK;
		if (s.end - s.p < 2 || s.p[0] != '\r' || s.p[1] != '\n')
			return form_bad(&s, "a boundary is not followed by a line end");
		s.p += 2;
		if (*count == max)
			return form_bad(&s, mem_printf(c->mem, "it has more than %zu parts", max));
		TRY(part_headers_read(&s, &part));
		/* The delimiter after an empty part begins with the line end of the part's headers,
		 * so the search begins there. */
		s.p -= 2;
		end = memmem(s.p, (size_t)(s.end - s.p), s.delimiter, s.delimiter_n);
		if (!end)
			return form_bad(&s, "the final boundary is missing");
		part.bytes = end < s.p + 2 ? end : s.p + 2;
		part.n = end < s.p + 2 ? 0 : (size_t)(end - part.bytes);
		out[(*count)++] = part;
		s.p = end + s.delimiter_n;
	}
}
