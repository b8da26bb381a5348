/* SPDX-License-Identifier: Apache-2.0
 * Work in a process apart: what it makes comes back, and whatever it tries, it has nothing and holds nobody up. */
#include "tap.h"

#include "base/ctx.h"
#include "base/str.h"
#include "ext/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Somebody's, of before. */
static char seen[8];

/* glibc asks how much memory there is before it sorts this many. */
static int many[4096];

static int
by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static enum err
attack(struct ctx *c, const char *in, size_t n, struct buf *out)
{
	volatile char *p;
	int fd;

	switch (*in) {
	case 'o': fd = open("/etc/passwd", O_RDONLY); buf_fmt(out, "%d %d", fd, errno == ENOENT); return E_OK;
	case 's': buf_fmt(out, "%d", socket(AF_INET, SOCK_STREAM, 0)); return E_OK;
	case 'f': buf_fmt(out, "%d", fork()); return E_OK;
	case 'k': buf_fmt(out, "%d", kill(getppid(), SIGKILL)); return E_OK;
	case 'x': execl("/bin/true", "true", NULL); return E_OK;
	case 'e': buf_str(out, getenv("SECRET") ? getenv("SECRET") : "none"); return E_OK;
	case 'd': for (fd = 4; fd < 100; fd++) if (lseek(fd, 0, SEEK_CUR) >= 0) buf_chr(out, '!'); return E_OK;
	case 'c': for (;;) if (c->now < 0) return E_OK;
	case 'a': abort();
	case 'n': p = NULL; *p = 1; return E_OK;
	case 'r': buf_add(out, in, n); return E_OK;
	case 'w': buf_str(out, seen); memcpy(seen, in + 1, 3); return E_OK;
	case 'q': qsort(many, 4096, sizeof *many, by_number); buf_fmt(out, "%d", many[0]); return E_OK;
	case 'h': for (int i = 0; i < 2000; i++) buf_str(out, "too much "); return E_OK;
	default: return fail(c, E_INVALID, "no\nsuch work");
	}
}

/* Work of another kind, and work that takes a while: it ends when its file says so. */
static enum err
quick(struct ctx *c, const char *in, size_t n, struct buf *out)
{
	(void)c;
	buf_add(out, in, n);
	return E_OK;
}

static enum err
long_work(struct ctx *c, const struct apart_file *f)
{
	char byte = 0;

	while (pread(f->fd, &byte, 1, 0) == 1 && byte != 'e')
		sched_yield();
	return apart_file_put(c, f, f->asked, 1);
}

static enum err
long_took(void *arg, const void *bytes, size_t n)
{
	(void)n;
	*(char *)arg = *(const char *)bytes;
	return E_OK;
}

/* More of a kind than run at once wait, and no work of another kind with them. */
static void
one_kind_waits(struct ctx *c)
{
	enum { MANY = APART_AT_ONCE * 2 };
	int file = memfd_create("work", 0), status, good = 0;
	const char *out;
	size_t n;

	if (write(file, "w", 1) != 1)
		abort();
	for (int i = 0; i < MANY; i++)
		if (!fork()) {
			char answer = 0;

			ctx_again(c);
			apart_file_run(c, long_work, &(struct apart_file){ .fd = file, .size = 1, .side_fd = -1 }, "a", long_took, &answer);
			_exit(answer == 'a');
		}
	ctx_again(c);
	ok(!apart_run(c, quick, "x", 1, 5, &out, &n) && *out == 'x', "work of another kind doesn't wait for those");
	if (pwrite(file, "e", 1, 0) != 1)
		abort();
	for (int i = 0; i < MANY; i++)
		good += wait(&status) > 0 && WEXITSTATUS(status) == 1;
	is_int(good, MANY, "what waited is done, too");
}

static const char *
done_apart(struct ctx *c, const char *in)
{
	const char *out;
	size_t n;

	ctx_again(c);
	return apart_run(c, attack, in, strlen(in), 5000, &out, &n) ? c->message : out;
}

int
main(void)
{
	static const struct { const char *in, *name; } dead[] = { { "s", "no sockets" }, { "f", "no processes" },
		{ "k", "no signals" }, { "x", "no programs" }, { "d", "no other descriptors" }, { "c", "no endless work" },
		{ "a", "it may give up" }, { "n", "and crash" } };
	struct ctx *c = ctx_begin(NULL, NULL);

	ok(!apart_prepared(attack), "nothing is prepared at first");
	is_str(done_apart(c, "r"), "there is no process for it", "... which is said");
	setenv("SECRET", "sesame", 1);
	apart_prepare((struct apart_kind[]){ { .work = attack }, { .work = quick }, { .file_work = long_work } }, 3);
	is_str(done_apart(c, "read"), "read", "work is done");
	is_str(done_apart(c, "?"), "no such work", "or fails in words, of one line");
	is_str(done_apart(c, "o"), "-1 1", "no files are there");
	is_str(done_apart(c, "e"), "none", "nor an environment");
	is_str(done_apart(c, "q"), "0", "... but it sorts, for which glibc asks how much memory there is");
	for (size_t i = 0; i < sizeof dead / sizeof *dead; i++)
		is_str(done_apart(c, dead[i].in), "it takes too much memory or time", dead[i].name);
	is_str(done_apart(c, "wabc"), "", "it may write down what it was given");
	is_str(done_apart(c, "w"), "", "... and the next knows nothing of that");
	is_str(done_apart(c, "h"), "it is too long", "no more comes back than is wanted");
	is_str(done_apart(c, "read"), "read", "and work is done as before");
	one_kind_waits(c);
	ctx_end(c);
	return done();
}
