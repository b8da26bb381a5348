/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/unpack.h"

#include "base/ignore.h"
#include "base/str.h"
#include "domain/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const char *const endings[] = { ".zip", ".tar.gz", ".tgz" };

/* How long the name is without the ending of an archive; 0 when it has none. */
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

/* ---- its files ---- */

struct unpacking {
	struct cli *cli;
	struct folder *out;
	const char *path;
	struct buf bytes;
};

static enum err
file_begin(void *arg, struct ctx *c, const char *path)
{
	struct unpacking *u = arg;

	(void)c;
	u->path = mem_strdup(u->cli->c->mem, path);
	u->bytes = BUF(u->cli->c->mem);
	return E_OK;
}

static enum err
file_bytes(void *arg, struct ctx *c, const void *bytes, size_t n)
{
	(void)c;
	buf_add(&((struct unpacking *)arg)->bytes, bytes, n);
	return E_OK;
}

static enum err
file_end(void *arg, struct ctx *c)
{
	struct unpacking *u = arg;

	(void)c;
	folder_make(u->cli, u->out, u->path, buf_done(&u->bytes), u->bytes.n);
	return E_OK;
}

static bool
files_unpack(struct cli *cli, const char *place, struct folder *out)
{
	struct unpacking u = { .cli = cli, .out = out };
	struct archive_sink sink = { file_begin, file_bytes, file_end, &u };
	struct archive_limits limits = { FOLDER_ENTRIES, UNPACK_BYTES, UNPACK_BYTES, INT64_MAX };
	struct span packed = { .fd = open(place, O_RDONLY | O_CLOEXEC) };
	struct ctx *c;
	bool good;

	if (packed.fd < 0)
		return cli_fail("%s: %s", place, strerror(errno)) == EXIT_FINE;
	packed.n = lseek(packed.fd, 0, SEEK_END);
	c = ctx_begin(NULL, NULL);
	good = archive_read(c, &packed, &limits, &sink) == E_OK;
	if (!good)
		cli_fail("%s: can't be unpacked: %s; --entrypoint %s publishes it as a file", place,
		    ctx_why(c), str_base(place));
	ctx_end(c);
	close(packed.fd);
	return good;
}

/* ---- what of them is published ---- */

/* The folder, with its slash, that holds all files but those that are left out of any; "" when
 * there is none. */
static const char *
wrapper_of(struct cli *cli, const struct folder *o)
{
	const struct ignore *always = ignore_new(cli->c->mem, NULL);
	const char *first = "";
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++) {
		const char *path = o->v[i].path;

		if (ignore_leaves_out_within(always, path, false))
			continue;
		if (!*first) {
			first = path;
			n = strcspn(path, "/") + 1;
		}
		if (first[n - 1] != '/' || strncmp(path, first, n) != 0)
			return "";
	}
	return mem_strndup(cli->c->mem, first, n);
}

static bool
rules_find(struct cli *cli, const struct folder *o, struct ignore **out)
{
	const char *text = NULL;

	for (size_t i = 0; i < o->n; i++)
		if (str_eq(o->v[i].path, IGNORE_FILE) && o->v[i].size < IGNORE_FILE_BYTES)
			text = o->v[i].made;
	*out = ignore_new(cli->c->mem, text);
	return *out ||
	    cli_fail(IGNORE_FILE ": has more than %d patterns", IGNORE_RULES) == EXIT_FINE;
}

static bool
files_choose(struct cli *cli, struct folder *o)
{
	const char *wrapper = wrapper_of(cli, o);
	struct ignore *rules;
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++)
		if (str_starts(o->v[i].path, wrapper))
			o->v[i].path += strlen(wrapper);
	if (!rules_find(cli, o, &rules))
		return false;
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

bool
unpack_read(struct cli *cli, const char *place, struct folder *out)
{
	*out = (struct folder){ .place = place, .packed = true };
	return files_unpack(cli, place, out) && files_choose(cli, out) && folder_hash(cli, out);
}
