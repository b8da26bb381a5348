/* SPDX-License-Identifier: Apache-2.0
 * Pieces of the continuous backup: what is sealed comes back, and nothing that was cut, changed, moved or renamed does. Heads of the binary
 * log's events. */
#include "archive/event.h"
#include "archive/frame.h"
#include "base/conf.h"
#include "tap.h"

#include <sys/mman.h>
#include <unistd.h>

static struct frame_key key = { .bytes = "a key of thirty-two bytes for it", .id = "id" };
static const struct conf conf = { .backup_key_file = "/key" };

static int
sealed(struct ctx *c, const char *name, const uint8_t *text, size_t n, size_t step)
{
	int fd = memfd_create("piece", 0);
	struct frames *f;

	if (frames_begin(c, c->mem, &key, name, fd, &f))
		return -1;
	for (size_t at = 0; at < n; at += step)
		if (frames_add(c, f, text + at, n - at < step ? n - at : step))
			return -1;
	return frames_end(c, f) ? -1 : fd;
}

/* The same from a file: the first byte by itself, then either all up to its end, or as many as are left. */
static int
filled(struct ctx *c, const char *name, const uint8_t *text, size_t n, bool to_end)
{
	int fd = memfd_create("piece", 0), from = memfd_create("text", 0);
	struct frames *f;

	if (write(from, text, n) != (ssize_t)n || lseek(from, 0, SEEK_SET) ||
	    frames_begin(c, c->mem, &key, name, fd, &f) || frames_fill(c, f, from, n > 0, NULL) ||
	    frames_fill(c, f, from, to_end || !n ? -1 : (int64_t)n - 1, NULL))
		return -1;
	close(from);
	return frames_end(c, f) ? -1 : fd;
}

/* How many bytes came back as they were; -1: the piece was refused. */
static long
opened(struct ctx *c, const char *name, int fd, const uint8_t *text)
{
	struct frames *f;
	const uint8_t *bytes;
	size_t n, all = 0;

	lseek(fd, 0, SEEK_SET);
	if (frames_open(c, c->mem, &key, name, fd, &f))
		return -1;
	for (;;) {
		if (frames_next(c, f, &bytes, &n))
			return -1;
		if (!n)
			return (long)all;
		if (memcmp(bytes, text + all, n))
			return -2;
		all += n;
	}
}

static void
flip(int fd, off_t at)
{
	uint8_t b;

	if (pread(fd, &b, 1, at) != 1)
		abort();
	b ^= 1;
	if (pwrite(fd, &b, 1, at) != 1)
		abort();
}

static void
frames_try(struct ctx *c)
{
	enum { MOST = 3 * FRAME_BYTES + 7, WHOLE = FRAME_BYTES + AES_TAG_BYTES };
	static const size_t sizes[] = { 0, 1, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 2 * FRAME_BYTES, MOST };
	uint8_t *text = mem_array(c->mem, uint8_t, MOST), *frames = mem_array(c->mem, uint8_t, 2 * WHOLE);
	struct frame_key right = key;
	bool good = true;
	int fd;

	crypto_random(text, MOST);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (size_t step = 1000; step <= MOST; step *= 150)
			good &= opened(c, "a", sealed(c, "a", text, sizes[i], step), text) == (long)sizes[i];
	ok(good, "pieces of all sizes come back");
	for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++)
		good &= opened(c, "a", filled(c, "a", text, sizes[i / 2], i % 2), text) == (long)sizes[i / 2];
	ok(good, "... also from files");
	fd = sealed(c, "a", text, MOST, MOST);
	ok(opened(c, "b", fd, text) == -1, "a renamed piece doesn't open");
	is_str(ctx_why(c), "b is damaged or cut off in the backup", "... and says so");
	key.id[0] = 'x';
	ok(opened(c, "a", fd, text) == -1, "a piece of another key doesn't open");
	is_str(ctx_why(c), "a was encrypted with another key than /key", "... and says so");
	key = right;
	key.bytes[0] ^= 1;
	ok(opened(c, "a", fd, text) == -1, "... nor does its id alone open it");
	key = right;
	good = true;
	for (off_t at = 0; at < FRAME_HEAD + MOST + 4 * AES_TAG_BYTES; at += at < 100 ? 1 : 4999) {
		flip(fd, at);
		good &= opened(c, "a", fd, text) == -1;
		flip(fd, at);
	}
	ok(good, "a changed bit anywhere is found");
	if (pread(fd, frames, 2 * WHOLE, FRAME_HEAD) != 2 * WHOLE ||
	    pwrite(fd, frames + WHOLE, WHOLE, FRAME_HEAD) != WHOLE || pwrite(fd, frames, WHOLE, FRAME_HEAD + WHOLE) != WHOLE)
		abort();
	ok(opened(c, "a", fd, text) == -1, "exchanged frames are found");
	fd = sealed(c, "a", text, MOST, MOST);
	good = true;
	for (off_t n = FRAME_HEAD + MOST + 4 * AES_TAG_BYTES - 1; n >= 0; n -= n % WHOLE < 40 ? 1 : 3001) {
		if (ftruncate(fd, n))
			abort();
		good &= opened(c, "a", fd, text) == -1;
	}
	ok(good, "a piece that was cut off anywhere is refused, also between two frames");
}

static void
events_try(void)
{
	uint8_t gtid[EVENT_LOOK] = { 0x84, 0x9f, 9, 0x6b, EVENT_GTID, 1, 0, 0, 0, 42, 0, 0, 0, 0x0d, 6, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0,
		0, 1 };
	struct event e;

	ok(event_read(gtid, sizeof gtid, &e) && e.second == 0x6b099f84 && e.size == 42 && e.end == 0x60d && e.server == 1 && e.sequence == 8 &&
		e.domain == 3, "a transaction's head is read");
	ok(!event_read(gtid, sizeof gtid - 1, &e), "... only whole");
	gtid[9] = EVENT_LOOK - 1;
	ok(!event_read(gtid, sizeof gtid, &e), "... and only if it is as long as it must be");
	gtid[4] = EVENT_XID;
	ok(event_read(gtid, EVENT_HEAD, &e) && e.type == EVENT_XID, "another event's head is enough");
	gtid[9] = EVENT_HEAD - 1;
	ok(!event_read(gtid, sizeof gtid, &e), "an event shorter than its head is none");
	gtid[12] = 0xff;
	ok(event_read(gtid, sizeof gtid, &e) && e.size > 0, "a length of four gigabytes isn't negative");
}

int
main(void)
{
	struct ctx *c = ctx_begin(&conf, NULL);

	frames_try(c);
	events_try();
	ctx_end(c);
	return done();
}
