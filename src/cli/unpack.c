/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/unpack.h"

#include "base/ignore.h"
#include "base/path.h"
#include "base/str.h"
#include "base/unicode.h"
#include "cli/http.h"
#include "store/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define UNPACK_BYTES (2LL << 30) /* at most, where no service says how large an artifact may be */

static const char *const endings[] = { ".zip", ".tar.gz", ".tgz" };

/* Returns the length of the name without its ending; 0 if it isn't an archive's name. */
static size_t
stem_of(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t end = strlen(endings[i]);

		if (n > end && strcasecmp(name + n - end, endings[i]) == 0)
			return n - end;
	}
	return 0;
}

bool
unpack_is_archive(const char *place)
{
	struct stat st;

	return stem_of(str_base(place)) && stat(place, &st) == 0 && S_ISREG(st.st_mode);
}

const char *
unpack_name(struct cli *cli, const char *place)
{
	return mem_strndup(cli->c->mem, str_base(place), stem_of(str_base(place)));
}

/* ---- reading ---- */

static bool
archive_go(const struct folder *o, const struct archive_sink *sink)
{
	bool piped = str_eq(o->place, FOLDER_STDIN);
	const char *place = piped ? "standard input" : o->place;
	struct archive_limits limits = { FOLDER_ENTRIES, FOLDER_BYTES, FOLDER_BYTES, INT64_MAX };
	struct span packed = { .fd = open(o->packed, O_RDONLY | O_CLOEXEC) };
	struct ctx *c;
	bool good;

	if (packed.fd < 0)
		return cli_fail("%s: %s", place, strerror(errno)) == EXIT_FINE;
	packed.n = lseek(packed.fd, 0, SEEK_END);
	c = ctx_begin(NULL, NULL);
	good = archive_read(c, &packed, &limits, sink) == E_OK;
	if (!good)
		cli_fail("%s: can't be unpacked: %s%s%s%s", place, ctx_why(c),
		    piped ? "" : "; --entrypoint ", piped ? "" : str_base(place),
		    piped ? "" : " publishes it as a file");
	ctx_end(c);
	close(packed.fd);
	return good;
}

/* ---- its files, without their bytes ---- */

struct listing {
	struct cli *cli;
	struct folder *out;
	struct folder_file *file;
	struct buf rules; /* the file's bytes, if it may be the file of rules */
};

static enum err
listed_begin(void *arg, struct ctx *c, const char *path)
{
	struct listing *l = arg;

	(void)c;
	l->file = folder_make(l->cli, l->out, mem_strdup(l->cli->c->mem, path), "", 0);
	l->file->real = l->file->path;
	l->rules = BUF(l->cli->c->mem);
	return E_OK;
}

static enum err
listed_data(void *arg, struct ctx *c, const void *bytes, size_t n)
{
	struct listing *l = arg;

	(void)c;
	l->file->size += (int64_t)n;
	l->out->bytes += (int64_t)n;
	if (str_eq(str_base(l->file->path), IGNORE_FILE) && l->file->size < IGNORE_FILE_BYTES)
		buf_add(&l->rules, bytes, n);
	return E_OK;
}

static enum err
listed_end(void *arg, struct ctx *c)
{
	struct listing *l = arg;

	(void)c;
	l->file->made = buf_done(&l->rules);
	return E_OK;
}

/* ---- choosing files ---- */

/* Returns the folder that contains all files. Files that are always left out don't count. */
static const char *
wrapper_of(struct cli *cli, const struct folder *o)
{
	const struct ignore *always = ignore_new(cli->c->mem, NULL);
	const char **paths = mem_array(cli->c->mem, const char *, o->n);
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++)
		if (!ignore_leaves_out_within(always, o->v[i].path, false))
			paths[n++] = o->v[i].path;
	return n ? mem_strndup(cli->c->mem, paths[0], path_wrapper(paths, n)) : "";
}

static bool
files_choose(struct cli *cli, struct folder *o)
{
	const char *wrapper = wrapper_of(cli, o);
	const char *text = NULL;
	struct ignore *rules;
	size_t n = 0, text_n;

	for (struct folder_file *f = o->v; f < o->v + o->n; f++) {
		f->path += str_starts(f->path, wrapper) ? strlen(wrapper) : 0;
		if (!str_eq(f->path, IGNORE_FILE) || f->size >= IGNORE_FILE_BYTES)
			continue;
		text_n = (size_t)f->size;
		text = unicode_text(cli->c->mem, f->made, &text_n);
	}
	if (!(rules = ignore_new(cli->c->mem, text)))
		return cli_fail(IGNORE_FILE ": has more than %d patterns", IGNORE_RULES) ==
		    EXIT_FINE;
	for (size_t i = 0; i < o->n; i++) {
		if (ignore_leaves_out_within(rules, o->v[i].path, false)) {
			o->bytes -= o->v[i].size;
			folder_leave_out(cli, o, o->v[i].path, false);
		} else {
			o->v[n++] = o->v[i];
		}
	}
	o->n = n;
	return folder_has_files(o);
}

/* ---- their bytes ---- */

struct unpacking {
	struct folder *out;
	size_t next; /* index of the next published file, in the archive's order */
	int fd;      /* receives the files' bytes, one file after the other */
	int64_t left;
	bool taken;
};

static enum err
file_begin(void *arg, struct ctx *c, const char *path)
{
	struct unpacking *u = arg;

	(void)c;
	u->taken = u->next < u->out->n && str_eq(u->out->v[u->next].real, path);
	u->left = u->taken ? u->out->v[u->next].size : 0;
	return E_OK;
}

static enum err
file_data(void *arg, struct ctx *c, const void *bytes, size_t n)
{
	struct unpacking *u = arg;

	if (!u->taken)
		return E_OK;
	u->left -= (int64_t)n;
	if (u->left < 0)
		return fail(c, E_INVALID, "it changed while it was read");
	return cli_bytes_write(u->fd, bytes, n) ? E_OK
						: fail(c, E_DISK_FULL, "%s", strerror(errno));
}

static enum err
file_end(void *arg, struct ctx *c)
{
	struct unpacking *u = arg;

	u->next += u->taken;
	return u->left ? fail(c, E_INVALID, "it changed while it was read") : E_OK;
}

static bool
files_unpack(struct cli *cli, struct folder *o)
{
	char *path;
	int fd = mem_fd(cli->c->mem, folder_scratch(cli, &path));
	struct unpacking u = { .out = o, .fd = fd };
	const char *at;
	struct archive_sink sink = { file_begin, file_data, file_end, &u };

	if (fd < 0 || !archive_go(o, &sink))
		return false;
	if (u.next != o->n)
		return cli_fail("%s: changed while it was read", o->place) == EXIT_FINE;
	/* The bytes stay on disk, and are in memory only while they are read. */
	at = mmap(NULL, (size_t)o->bytes + 1, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return cli_fail("%s: can't be unpacked: %s", o->place, strerror(errno)) ==
		    EXIT_FINE;
	for (size_t i = 0; i < o->n; at += o->v[i++].size)
		o->v[i].made = at;
	return true;
}

/* ---- all ---- */

static int
unpack(struct cli *cli, const char *place, const char *path, struct folder *out)
{
	struct listing l = { .cli = cli, .out = out };
	struct archive_sink sink = { listed_begin, listed_data, listed_end, &l };
	struct http_res res;
	int64_t most = UNPACK_BYTES;
	int status;

	*out = (struct folder){ .place = place, .packed = path };
	if (!archive_go(out, &sink) || !files_choose(cli, out))
		return EXIT_REFUSED;
	if (cli->url) {
		if ((status = http_do(cli, &res, "GET /v1/limits")))
			return status;
		most = json_number(res.json, "limits.max_version_bytes");
	}
	if (most > 0 && out->bytes > most)
		return cli_fail("%s: unpacks to %s; %s accepts up to %s for a version", out->place,
		    str_amount_1024(cli->c->mem, out->bytes), cli->url ? cli->url : "the client",
		    str_amount_1024(cli->c->mem, most));
	return files_unpack(cli, out) && folder_hash(cli, out) ? EXIT_FINE : EXIT_REFUSED;
}

int
unpack_read(struct cli *cli, const char *place, struct folder *out)
{
	return unpack(cli, place, place, out);
}

int
unpack_stdin(struct cli *cli, struct folder *out)
{
	const char *bytes = out->v[0].made;
	size_t n = (size_t)out->v[0].size;
	char *path;
	int fd;
	bool good;

	if (n < 4 || (memcmp(bytes, "PK\3\4", 4) != 0 && memcmp(bytes, "\x1f\x8b", 2) != 0))
		return EXIT_FINE;
	if ((fd = folder_scratch(cli, &path)) < 0)
		return EXIT_REFUSED;
	good = cli_bytes_write(fd, bytes, n);
	close(fd);
	if (!good)
		cli_fail("%s: %s", path, strerror(errno));
	return good ? unpack(cli, FOLDER_STDIN, path, out) : EXIT_REFUSED;
}
