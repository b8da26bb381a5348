/* SPDX-License-Identifier: Apache-2.0
 * Server-sent events: the first byte says how the rest is cut. Whatever it is, the events are those that come of it uncut. */
#include "base/buf.h"
#include "base/mem.h"
#include "base/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct buf
events_of(void *mem, const char *bytes, size_t n, size_t step)
{
	struct sse s = SSE(mem, 200);
	struct buf out = BUF(mem);

	for (size_t at = 0; at < n && !s.too_long;) {
		size_t more = n - at < step ? n - at : step, taken;
		const char *event;

		taken = sse_take(&s, bytes + at, more, &event);
		if (!taken || taken > more || (!event && taken != more))
			abort();
		at += taken;
		if (event) {
			buf_chr(&out, '|');
			buf_add(&out, event, s.data.n);
		}
	}
	buf_str(&out, s.too_long ? "!" : ".");
	return out;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	void *mem = mem_root("fuzz");

	if (n > 1) {
		const char *bytes = (const char *)data + 1;
		struct buf whole = events_of(mem, bytes, n - 1, n - 1);
		struct buf cut = events_of(mem, bytes, n - 1, (size_t)data[0] % 16 + 1);

		if (whole.n != cut.n || memcmp(whole.s, cut.s, whole.n) != 0)
			abort();
	}
	mem_free(mem);
	return 0;
}
