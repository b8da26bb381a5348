/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/dump.h"

#include "archive/room.h"
#include "archive/scratch.h"
#include "base/buf.h"
#include "base/conf.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { CHUNK = 1 << 16, SAVED_MAX = 3 };
static const char begins[] = "# vitrine backup 2\n", ends[] = "# end ";

/* ---- MariaDB's tools ---- */

/* Runs a MariaDB tool with its input or output in a file. The environment has the password, since
 * other users can't read it there. */
static enum err
tool_run(struct ctx *c, char *const argv[], const char *in, const char *out)
{
	const struct conf *conf = c->conf;
	posix_spawn_file_actions_t files;
	int status = 0;
	pid_t pid;

	if (conf_has(conf->db_password_file)) {
		const char *password = conf_secret(c->mem, conf->db_password_file);

		if (!password || !*password)
			return fail_here(c, "%s", conf->db_password_file);
		setenv("MYSQL_PWD", password, 1);
	}
	posix_spawn_file_actions_init(&files);
	if (in)
		posix_spawn_file_actions_addopen(&files, 0, in, O_RDONLY, 0);
	if (out)
		posix_spawn_file_actions_addopen(&files, 1, out, O_WRONLY | O_CREAT | O_EXCL, 0600);
	errno = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (errno || waitpid(pid, &status, 0) < 0)
		return fail_here(c, "%s", argv[0]);
	return status == 0 ? E_OK : fail_here(c, "%s exited with status %d", argv[0], status);
}

static enum err
rows_tool(struct ctx *c, char *tool, char *const options[], const char *in, const char *out)
{
	const struct conf *conf = c->conf;
	bool local = !conf_has(conf->db_host);
	/* Without --protocol or --host, the tools would ask localhost by TCP. */
	char *argv[16] = { tool, "--no-defaults",
		local ? mem_printf(c->mem, "--socket=%s", conf->db_socket)
		      : mem_printf(c->mem, "--host=%s", conf->db_host),
		local ? mem_printf(c->mem, "--protocol=socket")
		      : mem_printf(c->mem, "--port=%lld", (long long)conf->db_port),
		mem_printf(c->mem, "--user=%s", conf->db_user) };
	size_t n = 5;

	while (options && *options)
		argv[n++] = *options++;
	argv[n] = (char *)(uintptr_t)conf->db_name;
	return tool_run(c, argv, in, out);
}

enum err
dump_rows_back(struct ctx *c, const char *dir)
{
	return rows_tool(c, "mariadb", NULL, mem_printf(c->mem, "%s/" DUMP_ROWS, dir), NULL);
}

/* ---- digests ---- */

/* Returns a file's digest; NULL with errno if it can't be read. */
static const char *
file_digest(struct ctx *c, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *chunk = mem_array(c->mem, char, CHUNK);
	struct sha256 *hash = crypto_sha256_begin(chunk);
	uint8_t got[SHA256_BYTES];
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && (n = read(fd, chunk, CHUNK)) > 0)
		crypto_sha256_add(hash, chunk, (size_t)n);
	if (fd >= 0)
		close(fd);
	crypto_sha256_end(hash, got);
	mem_free(chunk);
	return n == 0 ? crypto_hex(c->mem, got, sizeof got) : NULL;
}

const char *
dump_file_wrong(struct ctx *c, const char *path, const char *sha256)
{
	const char *got = file_digest(c, path);

	if (!got)
		return errno == ENOENT ? "is missing" : "can't be read";
	return str_eq(got, sha256) ? NULL : "is damaged";
}

/* ---- writing ---- */

enum err
dump_begin(struct ctx *c, const char *dir, struct dump *out)
{
	*out = (struct dump){ .dir = dir, .hash = crypto_sha256_begin(c->mem) };
	if (mkdir(dir, 0700))
		return fail_here(c, "%s must be a new folder", dir);
	out->manifest = fopen(mem_printf(c->mem, "%s/manifest.new", dir), "we");
	if (!out->manifest)
		return fail_here(c, "%s can't be written", dir);
	fputs(begins, out->manifest);
	crypto_sha256_add(out->hash, begins, strlen(begins));
	return E_OK;
}

void
dump_add(struct dump *d, const char *path, const char *sha256)
{
	char line[SHA256_HEX + 128];
	int n = snprintf(line, sizeof line, "%s  %s\n", sha256, path);

	fputs(line, d->manifest);
	crypto_sha256_add(d->hash, line, (size_t)n);
	d->n++;
}

enum err
dump_rows(struct ctx *c, struct dump *d)
{
	const char *path = mem_printf(c->mem, "%s/" DUMP_ROWS, d->dir), *sha256;

	TRY(rows_tool(c, "mariadb-dump",
	    (char *[]){ "--single-transaction", "--hex-blob", "--skip-lock-tables", NULL }, NULL,
	    path));
	if (!(sha256 = file_digest(c, path)))
		return fail_here(c, "%s", path);
	dump_add(d, DUMP_ROWS, sha256);
	d->n--;
	return E_OK;
}

enum err
dump_end(struct ctx *c, struct dump *d)
{
	const char *path = mem_printf(c->mem, "%s/manifest", d->dir);
	uint8_t digest[SHA256_BYTES];

	crypto_sha256_end(d->hash, digest);
	fprintf(d->manifest, "%s%s\n", ends, crypto_hex(c->mem, digest, sizeof digest));
	if (ferror(d->manifest) || fflush(d->manifest) || syncfs(fileno(d->manifest)) ||
	    fclose(d->manifest) || rename(mem_printf(c->mem, "%s.new", path), path))
		return fail_here(c, "%s", path);
	return E_OK;
}

enum err
rows_backup(struct ctx *c, const char *dir)
{
	struct dump dump;

	db_any_schema(c->db);
	TRY(room_for_dump(c, dirname(mem_strdup(c->mem, dir))));
	TRY(dump_begin(c, dir, &dump));
	TRY(dump_rows(c, &dump));
	TRY(dump_end(c, &dump));
	printf("the rows were backed up to %s\n", dir);
	return E_OK;
}

static int
is_saved(const struct dirent *entry)
{
	return strstr(entry->d_name, "-before-") != NULL;
}

static enum err
saved_expire(struct ctx *c, const char *dir)
{
	struct dirent **saved;
	int n = scandir(dir, &saved, is_saved, alphasort);

	for (int i = 0; i < n; i++) {
		if (i < n - SAVED_MAX)
			(void)scratch_remove(
			    c, mem_printf(c->mem, "%s/%s", dir, saved[i]->d_name));
		free(saved[i]);
	}
	if (n >= 0)
		free(saved);
	return c->err;
}

enum err
rows_save(struct ctx *c, const char *dir, int64_t version)
{
	struct timespec now;
	struct ctx *one;
	struct tm tm;
	char second[32];
	const char *to;

	if (mkdir(dir, 0700) && errno != EEXIST)
		return fail_here(c, "%s can't be made", dir);
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(second, sizeof second, "%Y%m%dT%H%M%S", &tm);
	to = mem_printf(c->mem, "%s/%s.%03ld-before-schema-%lld", dir, second,
	    now.tv_nsec / 1000000, (long long)version);
	if (!rows_backup(c, to))
		return saved_expire(c, dir);
	one = ctx_begin(c->conf, NULL);
	scratch_remove(one, to);
	ctx_end(one);
	return c->err;
}

/* ---- reading ---- */

static enum err
not_whole(struct ctx *c, const char *dir, const char *why)
{
	errno = 0;
	return fail(c, E_CONFLICT, "%s/manifest %s; nothing can be restored from this backup", dir,
	    why);
}

static bool
line_read(struct ctx *c, const char *line, struct dump_list *out)
{
	uint8_t digest[SHA256_BYTES];
	const char *hex = mem_strndup(c->mem, line, strnlen(line, SHA256_HEX));
	const char *path = line + strlen(hex);

	if (!crypto_unhex(hex, digest, sizeof digest) || *path != ' ')
		return false;
	if (str_eq(path, "  " DUMP_ROWS)) {
		out->rows_sha256 = hex;
		return true;
	}
	out->v = mem_grow(c->mem, out->v, (out->n + 1) * sizeof *out->v);
	out->v[out->n++] = hex;
	return true;
}

/* Checks and cuts off the end of the text, which has the text's digest. Returns the text after its
 * beginning; NULL if the end is missing or wrong. */
static char *
end_cut(struct ctx *c, char *text)
{
	char *end = strstr(text, ends);
	uint8_t digest[SHA256_BYTES];

	if (!end)
		return NULL;
	crypto_sha256(text, (size_t)(end - text), digest);
	if (!str_eq(end + strlen(ends),
		mem_printf(c->mem, "%s\n", crypto_hex(c->mem, digest, sizeof digest))))
		return NULL;
	*end = '\0';
	return text + strlen(begins);
}

enum err
dump_read(struct ctx *c, const char *dir, struct dump_list *out)
{
	const char *path = mem_printf(c->mem, "%s/manifest", dir);
	FILE *f = fopen(path, "re");
	struct buf b = BUF(c->mem);
	char chunk[CHUNK], *text, *line;
	size_t n;

	*out = (struct dump_list){ 0 };
	if (!f)
		return fail_here(c, "%s: not a complete backup", path);
	while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
		buf_add(&b, chunk, n);
	fclose(f);
	text = mem_strdup(c->mem, buf_done(&b));
	if (strlen(text) != b.n)
		return not_whole(c, dir, "is damaged");
	/* A backup of an older release has no beginning and no end. */
	if (!str_starts(text, begins) && *text == '#')
		return not_whole(c, dir, "is of a newer release, or damaged");
	if (str_starts(text, begins) && !(text = end_cut(c, text)))
		return not_whole(c, dir, "is damaged or cut off");
	while ((line = str_split(&text, '\n')))
		if (*line && !line_read(c, line, out))
			return not_whole(c, dir, "is damaged");
	return out->n || out->rows_sha256 ? E_OK : not_whole(c, dir, "is damaged: it is empty");
}

const char *
dump_rows_wrong(struct ctx *c, const char *dir, const struct dump_list *list)
{
	static const char last[] = "-- Dump completed";
	const char *path = mem_printf(c->mem, "%s/" DUMP_ROWS, dir);
	char tail[128] = "";
	int fd;

	if (list->rows_sha256)
		return dump_file_wrong(c, path, list->rows_sha256);
	/* A backup without a digest of its rows: only its end can tell. */
	fd = mem_fd(c->mem, open(path, O_RDONLY | O_CLOEXEC));
	if (fd < 0)
		return "is missing";
	if (lseek(fd, -(off_t)(sizeof tail - 1), SEEK_END) < 0 ||
	    read(fd, tail, sizeof tail - 1) < 0 || !strstr(tail, last))
		return "is cut off";
	return NULL;
}
