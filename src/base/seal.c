/* SPDX-License-Identifier: Apache-2.0 */
#include "base/seal.h"

#include "base/crypto.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <unistd.h>

static uint8_t key[AES_KEY_BYTES];

static bool
seal_key_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, key, sizeof key);
	int kept = errno;

	if (fd >= 0)
		close(fd);
	errno = got >= 0 ? EINVAL : kept;
	return got == sizeof key;
}

/* Makes a key file. It gets its name only when its bytes are on disk. When two processes do this at
 * once, link() lets the first one win, and the second uses that key. */
static bool
seal_key_make(const char *path)
{
	void *mem = mem_root("key");
	const char *temp = mem_printf(mem, "%s.%d", path, (int)getpid());
	int fd = mem_fd(mem, open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	int dir = mem_fd(
	    mem, open(dirname(mem_strdup(mem, path)), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	bool made;
	int kept;

	crypto_random(key, sizeof key);
	made = fd >= 0 && dir >= 0 && write(fd, key, sizeof key) == sizeof key && !fsync(fd) &&
	    (!link(temp, path) || errno == EEXIST) && !fsync(dir);
	kept = errno;
	unlink(temp);
	mem_free(mem);
	errno = kept;
	return made;
}

bool
seal_prepare(const char *key_file, const char **why)
{
	if (seal_key_read(key_file) ||
	    (errno == ENOENT && seal_key_make(key_file) && seal_key_read(key_file)))
		return true;
	*why = strerror(errno);
	return false;
}

const char *
seal_close(void *owner, const char *purpose, const char *text)
{
	size_t n = strlen(text);
	uint8_t *box = mem_zalloc(owner, n + AES_EXTRA_BYTES);

	crypto_aes_seal(key, purpose, text, n, box);
	return crypto_base64(owner, box, n + AES_EXTRA_BYTES);
}

const char *
seal_open(void *owner, const char *purpose, const char *sealed)
{
	size_t n = strlen(sealed);
	uint8_t *box = mem_zalloc(owner, n + 1);
	char *text = mem_zalloc(owner, n + 1);

	if (!crypto_unbase64(sealed, n, box, &n) || n < AES_EXTRA_BYTES ||
	    !crypto_aes_open(key, purpose, box, n, text))
		return NULL;
	text[n - AES_EXTRA_BYTES] = '\0';
	return text;
}
