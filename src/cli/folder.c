/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/folder.h"

#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

struct walk {
	struct cli *cli;
	struct folder *out;
	char *ignore[256];
	size_t ignore_n;
};

static bool
file_hash(struct cli *cli, struct folder_file *f)
{
	struct sha256 *h = crypto_sha256_begin(cli->c->mem);
	int fd = open(f->source, O_RDONLY | O_CLOEXEC);
	char chunk[65536];
	ssize_t got = -1;

	f->size = 0;
	while (fd >= 0 && (got = read(fd, chunk, sizeof chunk)) > 0) {
		crypto_sha256_add(h, chunk, (size_t)got);
		f->size += got;
	}
	if (got < 0)
		cli_fail("%s: %s", f->source, strerror(errno));
	if (fd >= 0)
		close(fd);
	crypto_sha256_end(h, f->sha256);
	mem_free(h);
	return got == 0;
}

static bool
folder_file_add(struct walk *w, const char *source, const char *path)
{
	struct folder *o = w->out;

	if (o->n == o->room) {
		o->room = o->room ? 2 * o->room : 64;
		o->v = mem_grow(w->cli->c->mem, o->v, o->room * sizeof *o->v);
	}
	o->v[o->n] = (struct folder_file){ .path = path, .source = source };
	if (!file_hash(w->cli, &o->v[o->n]))
		return false;
	o->bytes += o->v[o->n++].size;
	return true;
}

static bool
left_out(const struct walk *w, const char *path, const char *name)
{
	if (str_in(name, ".git|.vitrine.json|.vitrine.json.new|.vitrineignore|.DS_Store"))
		return true;
	for (size_t i = 0; i < w->ignore_n; i++)
		if (fnmatch(w->ignore[i], path, FNM_PATHNAME) == 0 ||
		    fnmatch(w->ignore[i], name, 0) == 0)
			return true;
	return false;
}

static void
ignore_read(struct walk *w, const char *place)
{
	FILE *f = fopen(mem_printf(w->cli->c->mem, "%s/.vitrineignore", place), "re");
	char line[1024];

	while (f && w->ignore_n < 256 && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\r\n")] = '\0';
		if (*line && *line != '#')
			w->ignore[w->ignore_n++] = mem_strdup(w->cli->c->mem, line);
	}
	if (f)
		fclose(f);
}

static bool folder_walk(struct walk *w, const char *dir, const char *prefix);

static bool
folder_entry(struct walk *w, const char *dir, const char *prefix, const char *name)
{
	const char *source = mem_printf(w->cli->c->mem, "%s/%s", dir, name),
		   *path = mem_printf(w->cli->c->mem, "%s%s", prefix, name);
	struct stat st;

	if (left_out(w, path, name))
		return true;
	if (!str_utf8_valid(name, strlen(name)))
		return !cli_fail(
		    "%s: its name is not UTF-8; rename it, or name its folder in .vitrineignore",
		    source);
	if (lstat(source, &st))
		return !cli_fail("%s: %s", source, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return folder_walk(w, source, mem_printf(w->cli->c->mem, "%s/", path));
	if (!S_ISREG(st.st_mode))
		return cli_fail("%s is %s; copy the file itself, or name it in .vitrineignore",
			   source,
			   S_ISLNK(st.st_mode) ? "a symbolic link" : "no file") == EXIT_FINE;
	return folder_file_add(w, source, path);
}

static bool
folder_walk(struct walk *w, const char *dir, const char *prefix)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, alphasort);
	bool good = n >= 0;

	if (!good)
		cli_fail("%s: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (good && !str_in(names[i]->d_name, ".|.."))
			good = folder_entry(w, dir, prefix, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return good;
}

bool
folder_read(struct cli *cli, const char *place, struct folder *out)
{
	struct walk w = { .cli = cli, .out = out };
	const char *slash = strrchr(place, '/');
	struct stat st;

	*out = (struct folder){ 0 };
	if (stat(place, &st)) {
		cli_fail("%s: %s", place, strerror(errno));
		return false;
	}
	if (!S_ISDIR(st.st_mode))
		return folder_file_add(&w, place, slash ? slash + 1 : place);
	ignore_read(&w, place);
	if (!folder_walk(&w, place, ""))
		return false;
	if (!out->n)
		cli_fail("%s has no files", place);
	return out->n > 0;
}

bool
folder_content(struct cli *cli, const struct folder_file *f, char **out)
{
	int fd = open(f->source, O_RDONLY | O_CLOEXEC);
	int64_t done = 0;
	ssize_t got = 1;

	*out = mem_zalloc(cli->c->mem, (size_t)f->size + 1);
	while (fd >= 0 && done < f->size &&
	    (got = read(fd, *out + done, (size_t)(f->size - done))) > 0)
		done += got;
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && done == f->size)
		return true;
	cli_fail("%s changed while it was read", f->source);
	return false;
}

/* ---- .tar.gz: a pax header with the path before each file, so that any path and size fits ---- */

static void
tar_octal(char *field, size_t n, uint64_t value)
{
	snprintf(field, n, "%0*llo", (int)n - 1, (unsigned long long)value);
}

static void
tar_header(char block[512], const char *name, char type, int64_t size)
{
	unsigned sum = 0;

	memset(block, 0, 512);
	snprintf(block, 100, "%s", name);
	tar_octal(block + 100, 8, 0644);
	tar_octal(block + 108, 8, 0);
	tar_octal(block + 116, 8, 0);
	tar_octal(block + 124, 12, (uint64_t)size);
	tar_octal(block + 136, 12, 946684800);
	memset(block + 148, ' ', 8);
	block[156] = type;
	memcpy(block + 257, "ustar\00000", 8);
	for (int i = 0; i < 512; i++)
		sum += (unsigned char)block[i];
	snprintf(block + 148, 8, "%06o", sum);
}

static bool
tar_put(gzFile gz, const void *bytes, size_t n)
{
	static const char zero[512];
	size_t pad = (512 - n % 512) % 512;

	return (!n || gzwrite(gz, bytes, (unsigned)n) == (int)n) &&
	    (!pad || gzwrite(gz, zero, (unsigned)pad) == (int)pad);
}

static bool
tar_file(struct cli *cli, gzFile gz, const struct folder_file *f)
{
	char block[512], *record, *content;
	size_t n = strlen(f->path) + 7, digits;

	/* "<length> path=<path>\n", where the length counts itself. */
	digits = n + 2 > 99 ? n + 3 > 999 ? 4 : 3 : 2;
	record = mem_printf(cli->c->mem, "%zu path=%s\n", n + digits, f->path);
	tar_header(block, "pax", 'x', (int64_t)strlen(record));
	if (!tar_put(gz, block, 512) || !tar_put(gz, record, strlen(record)))
		return false;
	tar_header(block, "file", '0', f->size);
	if (!folder_content(cli, f, &content))
		return false;
	if (!tar_put(gz, block, 512) || !tar_put(gz, content, (size_t)f->size))
		return false;
	mem_free(content);
	return true;
}

static void
unlink_path(void *path)
{
	unlink(path);
}

const char *
folder_pack(struct cli *cli, const struct folder *folder, const bool *chosen)
{
	const char *base = getenv("TMPDIR");
	char *path = mem_printf(cli->c->mem, "%s/vitrine-XXXXXX", base ? base : "/tmp");
	int fd = mkstemp(path);
	gzFile gz = fd < 0 ? NULL : gzdopen(fd, "wb6");
	bool good = gz != NULL;
	char end[1024] = "";

	if (fd >= 0)
		mem_defer(cli->c->mem, unlink_path, path);
	for (size_t i = 0; good && i < folder->n; i++)
		good = !chosen[i] || tar_file(cli, gz, &folder->v[i]);
	good = good && gzwrite(gz, end, sizeof end) == sizeof end;
	if (gz)
		good &= gzclose(gz) == Z_OK;
	if (!good)
		cli_fail("%s: the archive can't be written", path);
	return good ? path : NULL;
}
