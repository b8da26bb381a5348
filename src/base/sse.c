/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sse.h"

/* Reads a line without its end. A line that begins with a colon is a comment. One blank after the
 * name's colon doesn't belong to the value. */
static void
line_read(struct sse *s)
{
	static const char bom[] = "\xef\xbb\xbf", name[] = "data";
	const char *line = buf_done(&s->line);
	size_t n = s->line.n;

	if (!s->begun && n >= 3 && memcmp(line, bom, 3) == 0) {
		line += 3;
		n -= 3;
	}
	s->begun = true;
	if (n < strlen(name) || memcmp(line, name, strlen(name)) != 0)
		return;
	line += strlen(name);
	n -= strlen(name);
	if (n && *line != ':')
		return;
	if (n) {
		size_t skip = n > 1 && line[1] == ' ' ? 2 : 1;

		line += skip;
		n -= skip;
	}
	if (s->has_data)
		buf_chr(&s->data, '\n');
	s->has_data = true;
	buf_add(&s->data, line, n);
}

/* True if the line was empty and ended an event. An event without data is ignored. */
static bool
line_end(struct sse *s)
{
	bool empty = !s->line.n;

	if (!empty)
		line_read(s);
	s->begun = true;
	s->line.n = 0;
	if (s->data.n > s->most)
		s->too_long = true;
	return empty && s->has_data && !s->too_long;
}

size_t
sse_take(struct sse *s, const char *bytes, size_t n, const char **event)
{
	*event = NULL;
	/* The event that the last call returned is no longer needed. */
	if (!s->has_data)
		s->data.n = 0;
	for (size_t i = 0; i < n && !s->too_long; i++) {
		bool skip = bytes[i] == '\n' && s->after_cr;

		s->after_cr = bytes[i] == '\r';
		if (skip)
			continue;
		if (bytes[i] != '\r' && bytes[i] != '\n') {
			s->too_long = s->line.n >= s->most;
			buf_chr(&s->line, bytes[i]);
		} else if (line_end(s)) {
			*event = buf_done(&s->data);
			s->has_data = false;
			return i + 1;
		}
	}
	return n;
}
