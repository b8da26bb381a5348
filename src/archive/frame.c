/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/frame.h"

#include "archive/pipe.h"
#include "base/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { SALT_BYTES = 16, BOX_BYTES = FRAME_BYTES + AES_TAG_BYTES };
static const char word[8] = "VITRINE1";

struct frames {
	const char *name;
	int fd;
	uint8_t key[AES_KEY_BYTES];
	uint64_t no;
	uint8_t text[FRAME_BYTES];
	uint8_t box[BOX_BYTES + 1]; /* reading: one byte more shows whether a frame follows */
	size_t n;                   /* bytes in text, or in box */
	bool end;
};

static bool
key_bytes(const char *path, uint8_t out[AES_KEY_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && read(fd, out, AES_KEY_BYTES) == AES_KEY_BYTES;

	if (fd >= 0)
		close(fd);
	return good;
}

enum err
frame_key_read(struct ctx *c, struct frame_key *out)
{
	const char *path = c->conf->backup_key_file;
	uint8_t digest[SHA256_BYTES], ours[AES_KEY_BYTES];

	errno = 0;
	if (!key_bytes(path, out->bytes))
		return fail(c, E_INVALID, "backup_key_file: %s %s", path,
		    errno ? strerror(errno) : "is too short; a key has 32 bytes");
	if (key_bytes(c->conf->key_file, ours) && crypto_equal(ours, out->bytes, sizeof ours))
		return fail(c, E_INVALID,
		    "backup_key_file: %s is the installation's key; a backup needs its own, "
		    "since it must not reveal secrets to who has both", path);
	crypto_hmac_sha256(out->bytes, sizeof out->bytes, "backup key id", 13, digest);
	memcpy(out->id, digest, sizeof out->id);
	return E_OK;
}

static void
piece_key(struct frames *f, const struct frame_key *key, const uint8_t salt[SALT_BYTES])
{
	uint8_t text[SALT_BYTES + 12] = "backup piece";

	memcpy(text + 12, salt, SALT_BYTES);
	crypto_hmac_sha256(key->bytes, sizeof key->bytes, text, sizeof text, f->key);
}

static void
nonce_set(uint8_t nonce[AES_NONCE_BYTES], uint64_t no, bool last)
{
	memset(nonce, 0, AES_NONCE_BYTES);
	nonce[0] = last;
	for (int i = 0; i < 8; i++)
		nonce[AES_NONCE_BYTES - 1 - i] = (uint8_t)(no >> 8 * i);
}

/* ---- writing ---- */

static enum err
bytes_write(struct ctx *c, const char *name, int fd, const uint8_t *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && errno == EAGAIN) {
			TRY(pipe_await(c, fd, POLLOUT, name));
			continue;
		}
		if (done <= 0)
			return fail_here(c, "%s can't be written", name);
		bytes += done;
		n -= (size_t)done;
	}
	return E_OK;
}

enum err
frames_begin(struct ctx *c, void *owner, const struct frame_key *key, const char *name, int fd,
    struct frames **out)
{
	struct frames *f = *out = mem_new(owner, struct frames);
	uint8_t head[FRAME_HEAD];

	f->name = name;
	f->fd = fd;
	memcpy(head, word, sizeof word);
	memcpy(head + sizeof word, key->id, sizeof key->id);
	crypto_random(head + FRAME_HEAD - SALT_BYTES, SALT_BYTES);
	piece_key(f, key, head + FRAME_HEAD - SALT_BYTES);
	return bytes_write(c, name, fd, head, sizeof head);
}

static enum err
frame_write(struct ctx *c, struct frames *f, bool last)
{
	uint8_t nonce[AES_NONCE_BYTES];
	size_t n = f->n;

	nonce_set(nonce, f->no++, last);
	crypto_aes_seal_at(f->key, nonce, f->name, f->text, n, f->box);
	f->n = 0;
	return bytes_write(c, f->name, f->fd, f->box, n + AES_TAG_BYTES);
}

/* A full frame is written when more bytes may come, since the last one is marked. */
enum err
frames_add(struct ctx *c, struct frames *f, const void *bytes, size_t n)
{
	const uint8_t *from = bytes;

	while (n) {
		size_t part = sizeof f->text - f->n;

		if (!part) {
			TRY(frame_write(c, f, false));
			continue;
		}
		part = part < n ? part : n;
		memcpy(f->text + f->n, from, part);
		f->n += part;
		from += part;
		n -= part;
	}
	return E_OK;
}

enum err
frames_fill(struct ctx *c, struct frames *f, int from, int64_t n, struct sha256 *hash)
{
	while (n) {
		size_t part;
		ssize_t got;

		if (f->n == sizeof f->text)
			TRY(frame_write(c, f, false));
		part = sizeof f->text - f->n;
		if (n > 0 && (int64_t)part > n)
			part = (size_t)n;
		TRY(pipe_read(c, from, f->text + f->n, part, f->name, &got));
		if (got < 0 || (!got && n > 0))
			return fail_here(c, "what becomes %s can't be read", f->name);
		if (!got)
			return E_OK;
		if (hash)
			crypto_sha256_add(hash, f->text + f->n, (size_t)got);
		f->n += (size_t)got;
		n -= n > 0 ? got : 0;
	}
	return E_OK;
}

enum err
frames_end(struct ctx *c, struct frames *f)
{
	return frame_write(c, f, true);
}

/* ---- reading ---- */

static enum err
damaged(struct ctx *c, const struct frames *f)
{
	return fail(c, E_CONFLICT, "%s is damaged or cut off in the backup", f->name);
}

enum err
frames_open(struct ctx *c, void *owner, const struct frame_key *key, const char *name, int fd,
    struct frames **out)
{
	struct frames *f = *out = mem_new(owner, struct frames);
	uint8_t head[FRAME_HEAD];
	ssize_t got = read(fd, head, sizeof head);

	f->name = name;
	f->fd = fd;
	if (got < 0)
		return fail_here(c, "%s can't be read", name);
	if (got != sizeof head || memcmp(head, word, sizeof word))
		return damaged(c, f);
	if (memcmp(head + sizeof word, key->id, sizeof key->id))
		return fail(c, E_CONFLICT, "%s was encrypted with another key than %s", name,
		    c->conf->backup_key_file);
	piece_key(f, key, head + FRAME_HEAD - SALT_BYTES);
	return E_OK;
}

enum err
frames_next(struct ctx *c, struct frames *f, const uint8_t **bytes, size_t *n)
{
	uint8_t nonce[AES_NONCE_BYTES];
	size_t box;

	*bytes = f->text;
	*n = 0;
	if (f->end)
		return E_OK;
	while (f->n < sizeof f->box) {
		ssize_t got = read(f->fd, f->box + f->n, sizeof f->box - f->n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail_here(c, "%s can't be read", f->name);
		if (!got)
			break;
		f->n += (size_t)got;
	}
	f->end = f->n <= BOX_BYTES;
	box = f->end ? f->n : BOX_BYTES;
	nonce_set(nonce, f->no++, f->end);
	if (!crypto_aes_open_at(f->key, nonce, f->name, f->box, box, f->text))
		return damaged(c, f);
	f->n -= box;
	memmove(f->box, f->box + box, f->n);
	*n = box - AES_TAG_BYTES;
	return E_OK;
}

enum err
frames_copy(struct ctx *c, struct frames *f, int to, struct sha256 *hash)
{
	const uint8_t *bytes;
	size_t n;

	for (;;) {
		TRY(frames_next(c, f, &bytes, &n));
		if (!n)
			return E_OK;
		if (hash)
			crypto_sha256_add(hash, bytes, n);
		if (to >= 0)
			TRY(bytes_write(c, f->name, to, bytes, n));
	}
}
