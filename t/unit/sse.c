/* SPDX-License-Identifier: Apache-2.0
 * Server-sent events: the examples of the WHATWG's HTML, and the same however the bytes are cut. */
#include "tap.h"

#include "base/mem.h"
#include "base/sse.h"

/* What comes of bytes that are taken `step` at a time: the events, each behind a bar. */
static const char *
read_all(void *mem, const char *bytes, size_t n, size_t step, size_t most)
{
	struct sse s = SSE(mem, most);
	struct buf out = BUF(mem);

	for (size_t at = 0; at < n;) {
		size_t more = n - at < step ? n - at : step;
		const char *event;

		at += sse_take(&s, bytes + at, more, &event);
		if (event)
			buf_fmt(&out, "|%s", event);
		if (s.too_long) {
			buf_str(&out, "!");
			break;
		}
	}
	return buf_done(&out);
}

static const struct {
	const char *text, *want, *name;
} examples[] = {
	{ "data: YHOO\ndata: +2\ndata: 10\n\n", "|YHOO\n+2\n10", "several lines" },
	{ ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n", "|first event|second event| third event", "a comment, ids, one blank" },
	{ "data\n\ndata\ndata\n\ndata:", "||\n", "empty data; the last is not ended" },
	{ "data:test\n\ndata: test\n\n", "|test|test", "the blank is not of the value" },
	{ "data: a\r\n\r\ndata: b\r\rdata: c\n\n", "|a|b|c", "each kind of line end" },
	{ "\xef\xbb\xbf" "data: a\n\n\xef\xbb\xbf" "data: b\n\n", "|a", "a byte order mark at the beginning, and only there" },
	{ "event: x\n\nretry: 1\n\n\n\ndatabase: x\n\ndata : x\n\n", "", "what has no data is none" },
	{ "data: a\n\ndata: b", "|a", "what has not ended is not given" },
	{ "data: a\n:\ndata: b\n\n", "|a\nb", "a comment between" },
	{ "", "", "nothing" },
};

int
main(void)
{
	void *mem = mem_root("test");
	char *long_one = mem_zalloc(mem, 3000);

	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		size_t n = strlen(examples[i].text), alike = 0;

		is_str(read_all(mem, examples[i].text, n, n ? n : 1, 1000), examples[i].want, examples[i].name);
		for (size_t step = 1; step < n; step++)
			alike += strcmp(read_all(mem, examples[i].text, n, step, 1000), examples[i].want) == 0;
		is_int((long long)alike, n ? (long long)n - 1 : 0, "the same however it is cut");
	}
	memset(long_one, 'x', 2000);
	is_str(read_all(mem, long_one, 2000, 7, 1000), "!", "a line without end is given up");
	for (size_t i = 0; i + 10 < 2500; i += 10)
		memcpy(long_one + i, "data: xxx\n", 10);
	is_str(read_all(mem, long_one, 2500, 100, 500), "!", "so is an event");
	mem_free(mem);
	return done();
}
