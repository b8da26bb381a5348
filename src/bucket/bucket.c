/* SPDX-License-Identifier: Apache-2.0 */
#include "bucket/bucket.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/str.h"
#include "care/damage.h"
#include "db/ids.h"
#include "store/beneath.h"
#include "store/object.h"
#include "store/temp.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 500, AGAIN_S = 86400 };

enum err
bucket_down(struct ctx *c, const char *why)
{
	fail_here(c, "store: %s", why);
	return fail(c, E_STORE, "%s", err_table[E_STORE].text);
}

static bool (*waits)(const struct conf *, bool begins);

static enum err
calls_wait(struct ctx *c, struct s3_call *calls, size_t n)
{
	enum err e;

	if (waits && !waits(c->conf, true))
		return bucket_down(c, "half of the workers wait for it");
	e = s3_calls(c, s3_store(c->conf), calls, n);
	if (waits)
		waits(c->conf, false);
	return e;
}

/* ---- puts ---- */

static int
object_fd(struct s3_call *call)
{
	struct ctx *c = call->arg;
	struct stat st;
	int root, fd;

	if (store_root_kept(c, &root))
		return -1;
	fd = beneath_open_file(root, call->key, &st);
	call->size = fd < 0 ? 0 : st.st_size;
	return fd;
}

struct s3_call
bucket_call(struct ctx *c, enum s3_method method, const uint8_t *digest)
{
	char path[OBJECT_PATH];

	object_path(path, digest);
	return (struct s3_call){ .method = method,
		.key = mem_strdup(c->mem, path),
		.open = object_fd,
		.sha256 = digest,
		.arg = c };
}

/* Rounds of the runner write the same rows, so a deadlock is possible. */
static enum err
insert(struct ctx *c, struct stmt *stmt, struct args args)
{
	int tries = 0;
	enum err e;

	do
		e = db_exec(c, stmt, args, NULL);
	while (db_again(c, e, &tries));
	return e;
}

enum err
bucket_has(struct ctx *c, const uint8_t *digests, size_t n)
{
	return n ? insert(c,
		       EXEC("INSERT IGNORE INTO object_stored (sha256, at)"
			    " SELECT UNHEX(j.h), ? FROM " HASH_TABLE),
		       ARGS(c->now, hashes_json(c, digests, SHA256_BYTES, n)))
		 : E_OK;
}

enum err
bucket_calls(struct ctx *c, const uint8_t *digests, size_t n,
    struct s3_call *calls)
{
	uint8_t *done = mem_zalloc(c->mem, n * SHA256_BYTES), *end = done;

	for (size_t i = 0; i < n; i++)
		calls[i] = bucket_call(c, S3_PUT, digests + i * SHA256_BYTES);
	TRY(calls_wait(c, calls, n));
	for (size_t i = 0; i < n; i++)
		if (!calls[i].why)
			end = mempcpy(end, calls[i].sha256, SHA256_BYTES);
	return bucket_has(c, done, (size_t)(end - done) / SHA256_BYTES);
}

#define RECORDED(F, T) F(T, INT, i)
SHAPE(recorded, RECORDED);

enum err
bucket_recorded(struct ctx *c, const uint8_t *digests, size_t n, bool *has)
{
	struct recorded_list rows;

	memset(has, 0, n * sizeof *has);
	for (size_t at = 0; at < n; at += PIECE) {
		size_t piece = n - at < PIECE ? n - at : PIECE;

		TRY(db_all(c,
		    ROWS(recorded,
			"SELECT CAST(j.i - 1 AS SIGNED) AS i FROM " HASH_TABLE
			" JOIN object_stored s ON s.sha256 = UNHEX(j.h)"),
		    ARGS(hashes_json(c, digests + at * SHA256_BYTES, SHA256_BYTES, piece)),
		    &rows));
		for (size_t i = 0; i < rows.n; i++)
			has[at + (size_t)rows.v[i].i] = true;
	}
	return E_OK;
}

#define RECORDED_NAME(F, T) F(T, STR, hex)
SHAPE(recorded_name, RECORDED_NAME);

enum err
bucket_names(struct ctx *c, unsigned first, struct names *out)
{
	const char *byte = mem_printf(c->mem, "%02x", first);
	struct recorded_name_list rows;

	TRY(db_all(c,
	    ROWS(recorded_name,
		"SELECT LOWER(HEX(sha256)) AS hex FROM object_stored WHERE sha256 BETWEEN"
		" UNHEX(RPAD(?, 64, '0')) AND UNHEX(RPAD(?, 64, 'f'))"),
	    ARGS(byte, byte), &rows));
	*out = (struct names){ mem_array(c->mem, const char *, rows.n + 1), rows.n };
	for (size_t i = 0; i < rows.n; i++)
		out->v[i] = rows.v[i].hex;
	return E_OK;
}

#define UNSTORED(F, T) \
	F(T, INT,  i) \
	F(T, BOOL, going) \
	F(T, BOOL, gone)
SHAPE(unstored, UNSTORED);

/* Which of the objects the store doesn't have. The runner is deleting those that are going from it,
 * or has done so in the last day. */
static enum err
unstored_list(struct ctx *c, const char *hashes, struct unstored_list *out)
{
	int64_t until = clock_ms() + c->conf->store_wait_s * 1000;
	const struct timespec pause = { .tv_nsec = 200 * 1000 * 1000 };

	for (;; nanosleep(&pause, NULL)) {
		bool wait = false;

		TRY(db_all(c,
		    ROWS(unstored,
			"SELECT CAST(j.i - 1 AS SIGNED) AS i, d.state <=> 1 AS going,"
			" d.state <=> 2 AS gone FROM " HASH_TABLE
			" LEFT JOIN object_stored s ON s.sha256 = UNHEX(j.h)"
			" LEFT JOIN object_doomed d ON d.sha256 = UNHEX(j.h)"
			" WHERE s.sha256 IS NULL"),
		    ARGS(hashes), out));
		for (size_t i = 0; i < out->n; i++)
			wait |= out->v[i].going;
		if (!wait)
			return E_OK;
		if (clock_ms() > until)
			return bucket_down(c, "an object is being deleted from it");
	}
}

static enum err
piece_put(struct ctx *c, const uint8_t *digests, size_t n)
{
	const char *hashes = hashes_json(c, digests, SHA256_BYTES, n);
	uint8_t *put = mem_zalloc(c->mem, n * SHA256_BYTES);
	struct s3_call *calls = mem_array(c->mem, struct s3_call, n);
	struct unstored_list rows;
	bool gone = false;

	TRY(unstored_list(c, hashes, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		memcpy(put + i * SHA256_BYTES, digests + rows.v[i].i * SHA256_BYTES,
		    SHA256_BYTES);
		gone |= rows.v[i].gone;
	}
	if (!rows.n)
		return E_OK;
	TRY(bucket_calls(c, put, rows.n, calls));
	/* In a store that becomes consistent later, a DELETE may win over a newer PUT, so these are
	 * put again a day later. */
	if (gone)
		TRY(insert(c,
		    EXEC("INSERT IGNORE INTO object_due (sha256, due_at)"
			 " SELECT d.sha256, ? FROM " HASH_TABLE
			 " JOIN object_doomed d ON d.sha256 = UNHEX(j.h) AND d.state = 2"),
		    ARGS(c->now + AGAIN_S, hashes)));
	for (size_t i = 0; i < rows.n; i++)
		if (calls[i].why)
			return bucket_down(c, calls[i].why);
	return E_OK;
}

enum err
bucket_put(struct ctx *c, const uint8_t *digests, size_t n)
{
	bool later = str_eq(c->conf->store_mode, "after");

	for (size_t i = 0; i < n; i += PIECE) {
		size_t piece = n - i < PIECE ? n - i : PIECE;
		const uint8_t *first = digests + i * SHA256_BYTES;

		if (!later) {
			TRY(piece_put(c, first, piece));
			continue;
		}
		/* The runner puts them. */
		TRY(insert(c,
		    EXEC("INSERT IGNORE INTO object_due (sha256, due_at)"
			 " SELECT UNHEX(j.h), ? FROM " HASH_TABLE
			 " LEFT JOIN object_stored s ON s.sha256 = UNHEX(j.h)"
			 " WHERE s.sha256 IS NULL"),
		    ARGS(c->now, hashes_json(c, first, SHA256_BYTES, piece))));
	}
	return E_OK;
}

/* ---- fetching ---- */

struct fetching {
	struct ctx *c;
	struct object_writer *w;
	enum err e;
};

static bool
fetch_receive(struct s3_call *call, const char *bytes, size_t n)
{
	struct fetching *f = call->arg;

	f->e = object_writer_add(f->c, f->w, bytes, n);
	return f->e == E_OK;
}

static enum err
fetch_write(struct ctx *c, struct object_writer *w, void *arg)
{
	struct fetching f = { .c = c, .w = w };
	struct s3_call call = bucket_call(c, S3_GET, arg);

	call.take = fetch_receive;
	call.arg = &f;
	TRY(calls_wait(c, &call, 1));
	TRY(f.e);
	if (call.status == 404)
		return fail_here(c, "%s is neither here nor in the store", call.key);
	return call.why ? bucket_down(c, call.why) : E_OK;
}

static bool
file_receive(struct s3_call *call, const char *bytes, size_t n)
{
	const int *fd = call->arg;

	while (n) {
		ssize_t put = write(*fd, bytes, n);

		if (put < 0 && errno != EINTR)
			return false;
		bytes += put > 0 ? put : 0;
		n -= put > 0 ? (size_t)put : 0;
	}
	return true;
}

enum err
bucket_read(struct ctx *c, const uint8_t *digest, int fd)
{
	struct s3_call call = bucket_call(c, S3_GET, digest);

	call.take = file_receive;
	call.arg = &fd;
	TRY(calls_wait(c, &call, 1));
	if (call.absent)
		return fail(c, E_NOT_FOUND, "%s isn't in the store", call.key);
	return call.why ? bucket_down(c, call.why) : E_OK;
}

static enum err
bucket_fetch(struct ctx *c, const uint8_t sha256[SHA256_BYTES])
{
	uint8_t copy[SHA256_BYTES];
	char path[OBJECT_PATH];
	bool sound;

	memcpy(copy, sha256, sizeof copy);
	TRY(object_restore(c, sha256, fetch_write, copy, &sound));
	if (sound)
		return E_OK;
	object_path(path, sha256);
	TRY(damage_keep(c, path, "isn't here, and the store has other bytes"));
	fail_here(c, "the store has other bytes as %s", path);
	return fail(c, E_UPSTREAM, "%s", err_table[E_UPSTREAM].text);
}

enum err
bucket_mend(struct ctx *c, const uint8_t *digest, const char **why)
{
	struct s3_call head = bucket_call(c, S3_HEAD, digest);
	const char *moved;
	int root;

	*why = "no store is set";
	if (!conf_has(c->conf->store_url))
		return E_OK;
	TRY(calls_wait(c, &head, 1));
	*why = head.why ? mem_printf(c->mem, "the store: %s", head.why) : NULL;
	if (*why)
		return E_OK;
	TRY(store_share(c, c->mem));
	TRY(store_root(c, c->mem, &root));
	TRY(trash_move(c, root, head.key, &moved));
	return object_bring(c, digest);
}

static enum err
bucket_has_one(struct ctx *c, const uint8_t sha256[SHA256_BYTES], bool *yes)
{
	return bucket_recorded(c, sha256, 1, yes);
}

void
bucket_prepare(bool puts, bool (*may_wait)(const struct conf *, bool begins))
{
	static const struct elsewhere both = { bucket_put, bucket_fetch, bucket_has_one },
				      fetches = { NULL, bucket_fetch, bucket_has_one };

	waits = may_wait;
	object_elsewhere(puts ? &both : &fetches);
}
