/* SPDX-License-Identifier: Apache-2.0 */
#include "base/seal.h"

#include "base/conf.h"
#include "base/crypto.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <unistd.h>

struct key {
	uint8_t bytes[AES_KEY_BYTES];
	char id[SEAL_ID_CHARS + 1]; /* empty if there is no key */
};
static struct key keys[SEAL_NO_KEY];

/* ---- the files ---- */

static bool
key_read(const char *path, struct key *out)
{
	uint8_t digest[SHA256_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, out->bytes, sizeof out->bytes);
	int kept = errno;

	if (fd >= 0)
		close(fd);
	errno = got >= 0 ? EINVAL : kept;
	if (got != sizeof out->bytes)
		return false;
	crypto_hmac_sha256(out->bytes, sizeof out->bytes, "key id", 6, digest);
	crypto_hex_into(out->id, digest, SEAL_ID_CHARS / 2);
	return true;
}

/* Writes and syncs the key before it gets its name. If two processes do this at once, link() fails
 * for the second. */
bool
seal_key_new(const char *path)
{
	void *mem = mem_root("key");
	const char *temp = mem_printf(mem, "%s.%d", path, (int)getpid());
	int fd = mem_fd(mem, open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	int dir = mem_fd(
	    mem, open(dirname(mem_strdup(mem, path)), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	uint8_t key[AES_KEY_BYTES];
	bool made;
	int kept;

	crypto_random(key, sizeof key);
	made = fd >= 0 && dir >= 0 && write(fd, key, sizeof key) == sizeof key && !fsync(fd) &&
	    !link(temp, path);
	kept = errno;
	unlink(temp);
	/* The second process uses the first one's key, so it must sync the folder too. */
	if ((made || kept == EEXIST) && fsync(dir)) {
		kept = errno;
		made = false;
	}
	mem_free(mem);
	errno = kept;
	return made;
}

static bool
key_refused(void *owner, const char *setting, const char *path, const char **why)
{
	*why = errno == EINVAL
	    ? mem_printf(owner, "%s: %s is too short; a key has %d bytes", setting, path,
		  AES_KEY_BYTES)
	    : mem_printf(owner, "%s: %s: %s", setting, path, strerror(errno));
	return false;
}

static bool
keys_read(void *owner, const struct conf *conf, bool make, const char **why)
{
	bool two = conf_has(conf->other_key_file);
	struct key fresh[SEAL_NO_KEY] = { 0 };

	if (!key_read(conf->key_file, &fresh[SEAL_KEY]) &&
	    !(errno == ENOENT && make && !two &&
		(seal_key_new(conf->key_file) || errno == EEXIST) &&
		key_read(conf->key_file, &fresh[SEAL_KEY])))
		return key_refused(owner, "key_file", conf->key_file, why);
	if (two && !key_read(conf->other_key_file, &fresh[SEAL_OTHER_KEY]))
		return key_refused(owner, "other_key_file", conf->other_key_file, why);
	if (str_eq(fresh[SEAL_KEY].id, fresh[SEAL_OTHER_KEY].id)) {
		*why = mem_printf(owner, "other_key_file: %s has the same key as key_file",
		    conf->other_key_file);
		return false;
	}
	memcpy(keys, fresh, sizeof keys);
	return true;
}

bool
seal_prepare(void *owner, const struct conf *conf, const char **why)
{
	return keys_read(owner, conf, true, why);
}

bool
seal_read(void *owner, const struct conf *conf, const char **why)
{
	return keys_read(owner, conf, false, why);
}

const char *
seal_key_id(enum seal_key which)
{
	return which < SEAL_NO_KEY && *keys[which].id ? keys[which].id : NULL;
}

/* ---- boxes ---- */

const char *
seal_close(void *owner, const char *purpose, const char *text)
{
	size_t n = strlen(text);
	uint8_t *box = mem_zalloc(owner, n + AES_EXTRA_BYTES);

	/* A caller must have called seal_prepare(); never seal with a key of zeros. */
	if (!*keys[SEAL_KEY].id)
		abort();
	crypto_aes_seal(keys[SEAL_KEY].bytes, purpose, text, n, box);
	return mem_printf(owner, "%s.%s", keys[SEAL_KEY].id,
	    crypto_base64(owner, box, n + AES_EXTRA_BYTES));
}

/* Base64 has no dot, so a dot there ends an id. */
const char *
seal_id_of(void *owner, const char *sealed)
{
	return strcspn(sealed, ".") == SEAL_ID_CHARS && sealed[SEAL_ID_CHARS]
	    ? mem_strndup(owner, sealed, SEAL_ID_CHARS)
	    : NULL;
}

const char *
seal_open_by(void *owner, const char *purpose, const char *sealed, enum seal_key *by)
{
	const char *id = seal_id_of(owner, sealed),
		   *coded = id ? sealed + SEAL_ID_CHARS + 1 : sealed;
	size_t n = strlen(coded);
	uint8_t *box = mem_zalloc(owner, n + 1);
	char *text = mem_zalloc(owner, n + 1);

	*by = SEAL_NO_KEY;
	if (!crypto_unbase64(coded, n, box, &n) || n < AES_EXTRA_BYTES)
		return NULL;
	for (enum seal_key which = SEAL_KEY; which < SEAL_NO_KEY; which++) {
		if (!*keys[which].id || (id && !str_eq(id, keys[which].id)) ||
		    !crypto_aes_open(keys[which].bytes, purpose, box, n, text))
			continue;
		text[n - AES_EXTRA_BYTES] = '\0';
		*by = which;
		return text;
	}
	return NULL;
}

const char *
seal_open(void *owner, const char *purpose, const char *sealed)
{
	enum seal_key by;

	return seal_open_by(owner, purpose, sealed, &by);
}

/* ---- which processes seal with which key ---- */

/* Returns the byte offset in the lock file that represents a key. */
static off_t
key_place(const char *id)
{
	return (off_t)strtoul(id, NULL, 16);
}

static const char *
lock_path(void *owner, const struct conf *conf)
{
	return mem_printf(owner, "%s/key.lock", conf->data_dir);
}

/* The lock belongs to the open file, which forked children share. The kernel releases it when the
 * last of these processes ends, in any way. */
bool
seal_hold(void *owner, const struct conf *conf, const char **why)
{
	static int held = -1;
	struct flock lock = { .l_type = F_RDLCK,
		.l_whence = SEEK_SET,
		.l_start = key_place(keys[SEAL_KEY].id),
		.l_len = 1 };
	const char *path = lock_path(owner, conf);
	int fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0640);

	if (fd < 0 || fcntl(fd, F_OFD_SETLK, &lock)) {
		*why = mem_printf(owner, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (held >= 0)
		close(held);
	held = fd;
	return true;
}

/* Sets *at to the offset of a lock in [from, to), or to -1 if there is none. to 0 means the end. */
static bool
lock_find(int fd, off_t from, off_t to, off_t *at)
{
	struct flock lock = { .l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = from,
		.l_len = to ? to - from : 0 };

	*at = -1;
	if (to && to == from)
		return true;
	if (fcntl(fd, F_OFD_GETLK, &lock))
		return false;
	if (lock.l_type != F_UNLCK)
		*at = lock.l_start;
	return true;
}

/* Doesn't create the file: an operator may run this as another user than the service. */
bool
seal_others(void *owner, const struct conf *conf, const char **id, const char **why)
{
	off_t mine = key_place(keys[SEAL_KEY].id), at = -1;
	const char *path = lock_path(owner, conf);
	int fd = mem_fd(owner, open(path, O_RDONLY | O_CLOEXEC));
	bool told = fd < 0 ? errno == ENOENT
			   : (!mine || lock_find(fd, 0, mine, &at)) &&
	    (at >= 0 || lock_find(fd, mine + 1, 0, &at));

	if (!told)
		*why = mem_printf(owner, "%s: %s", path, strerror(errno));
	*id = told && at >= 0
	    ? mem_printf(owner, "%0*llx", SEAL_ID_CHARS, (unsigned long long)at)
	    : NULL;
	return told;
}

const struct conf *
seal_conf_again(void)
{
	const struct conf *conf = conf_again();
	void *mem = mem_root("key");
	const char *why;

	if (conf && (!seal_prepare(mem, conf, &why) || !seal_hold(mem, conf, &why))) {
		log_line(LOG_LEVEL_ERROR, "key", "why", why, NULL);
		conf = NULL;
	}
	mem_free(mem);
	return conf;
}
