/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/memory.h"

#include "base/crypto.h"
#include "base/id.h"
#include "base/str.h"
#include "cli/credentials.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#define BUILT "dist|build|out|public"
#define MEMORY_NAME ".vitrine.json"

/* ---- the file ---- */

static const char *
path_dir(struct cli *cli, const char *path)
{
	size_t n = (size_t)(str_base(path) - path);

	return mem_strndup(cli->c->mem, path, n > 1 ? n - 1 : n);
}

static bool
has_entry(struct cli *cli, const char *dir, const char *name)
{
	struct stat st;

	return lstat(mem_printf(cli->c->mem, "%s/%s", dir, name), &st) == 0;
}

/* Returns the nearest folder upward that has an entry with one of the names. Stops at a repository,
 * at the home, and at folders of other users (in /tmp, others could leave a file for us). */
static const char *
dir_upward(struct cli *cli, const char *from, const char *name, const char *other)
{
	const char *home = getenv("HOME");
	struct stat st;

	for (const char *dir = from; *dir && dir[1]; dir = path_dir(cli, dir)) {
		if (!str_eq(dir, from) &&
		    (str_eq(dir, home) || stat(dir, &st) || st.st_uid != geteuid() ||
			st.st_mode & S_IWOTH))
			return NULL;
		if (has_entry(cli, dir, name) || (other && has_entry(cli, dir, other)))
			return dir;
		if (has_entry(cli, dir, ".git"))
			return NULL;
	}
	return NULL;
}

bool
memory_locate(struct cli *cli, const char *place, struct memory *out)
{
	char *real = realpath(place, mem_zalloc(cli->c->mem, PATH_MAX));
	const char *from, *dir;
	struct stat st;

	*out = (struct memory){ .service = credentials_origin(cli, cli->url) };
	if (!real || stat(real, &st)) {
		cli_fail("%s: %s", place, strerror(errno));
		return false;
	}
	from = S_ISDIR(st.st_mode) ? real : path_dir(cli, real);
	dir = dir_upward(cli, from, MEMORY_NAME, NULL);
	if (!dir)
		dir = dir_upward(cli, from, ".git", "package.json");
	if (!dir)
		dir = str_in(str_base(from), BUILT) ? path_dir(cli, from) : from;
	out->dir = dir;
	out->path = str_eq(dir, real) ? "." : real + strlen(dir) + (dir[1] != '\0');
	out->file = mem_printf(cli->c->mem, "%s/" MEMORY_NAME, dir[1] ? dir : "");
	return true;
}

const char *
memory_name(struct cli *cli, const struct memory *m)
{
	const char *whole = str_eq(m->path, ".")
	    ? m->dir
	    : mem_printf(cli->c->mem, "%s/%s", m->dir, m->path);

	while (str_in(str_base(whole), BUILT) && strlen(whole) > strlen(m->dir))
		whole = path_dir(cli, whole);
	return *str_base(whole) ? str_base(whole) : "Untitled";
}

/* ---- the key ---- */

/* Reads the user's key; with make, creates it if there is none. Returns false without a key. */
static bool
key_read(struct cli *cli, bool make, uint8_t key[AES_KEY_BYTES])
{
	const char *path = credentials_beside(cli, "client-key"), *text;
	struct buf b = BUF(cli->c->mem);
	struct stat st;
	size_t n;

	if (!cli_file_read(cli, path, 256, &st, &text, &n))
		return false;
	if (text && st.st_uid == geteuid() && !(st.st_mode & 077) && n > 2 * AES_KEY_BYTES &&
	    crypto_unhex(mem_strndup(cli->c->mem, text, 2 * AES_KEY_BYTES), key, AES_KEY_BYTES))
		return true;
	if (!make)
		return false;
	crypto_random(key, AES_KEY_BYTES);
	buf_fmt(&b, "%s\n", crypto_hex(cli->c->mem, key, AES_KEY_BYTES));
	return credentials_keep(cli, path, &b);
}

/* Returns the text that the mark seals: a mark is invalid elsewhere and for another artifact. */
static const char *
entry_purpose(struct cli *cli, const struct memory *m, const struct memory_entry *e)
{
	return json_object_of(cli->c->mem, "dir", m->dir, "path", e->path, "service", e->service,
	    "artifact_id", e->artifact_id, NULL)
	    .s;
}

static bool
entry_is_ours(struct cli *cli, const struct memory *m, const struct memory_entry *e)
{
	uint8_t key[AES_KEY_BYTES], box[AES_EXTRA_BYTES], nothing[1];

	return crypto_unhex(e->mark, box, sizeof box) && key_read(cli, false, key) &&
	    crypto_aes_open(key, entry_purpose(cli, m, e), box, sizeof box, nothing);
}

/* ---- the file ---- */

/* Accepts the older form of the file, too: an artifact_id alone. */
static bool
memory_parse(struct cli *cli, struct memory *m, const char *text, size_t n)
{
	const struct json *list;
	struct json *tree;
	size_t count;

	if (json_parse(cli->c, text, n, &tree) != E_OK || json_kind(tree) != J_OBJ)
		return false;
	if (id_valid(json_member(tree, "artifact_id"), "art_")) {
		m->v[m->n++] = (struct memory_entry){ m->path, m->service,
			json_member(tree, "artifact_id"), json_member(tree, "url"), "", 0 };
		return str_http_url(m->v[0].url);
	}
	list = json_list(tree, "published", &count);
	for (size_t i = 0; i < count; i++) {
		const struct json *j = json_at(list, i);
		struct memory_entry e = { json_member(j, "path"), json_member(j, "service"),
			json_member(j, "artifact_id"), json_member(j, "url"),
			json_member(j, "mark"), json_number(j, "version") };

		if (m->n == MEMORY_ENTRIES || !*e.path || !credentials_url_valid(e.service) ||
		    !id_valid(e.artifact_id, "art_") || !str_http_url(e.url))
			return false;
		m->v[m->n++] = e;
	}
	return list && json_kind(list) == J_ARR;
}

static void
memory_find(struct cli *cli, struct memory *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (str_eq(m->v[i].path, m->path) && str_eq(m->v[i].service, m->service))
			m->found = &m->v[i];
	m->ours = m->found && entry_is_ours(cli, m, m->found);
}

/* Returns the folder of a relative path: "packages" of "packages/app", "." of "packages". */
static const char *
parent_of(struct cli *cli, const char *path)
{
	return strchr(path, '/') ? path_dir(cli, path) : ".";
}

/* True if path is directly in dir; with deep, if it is anywhere below. In ".", the
 * project's top, only a build's folder (BUILT) counts, because many things are there. */
static bool
is_within(struct cli *cli, const char *path, const char *dir, bool deep)
{
	if (deep)
		return str_eq(dir, ".") || (str_starts(path, dir) && path[strlen(dir)] == '/');
	return str_eq(parent_of(cli, path), dir) &&
	    (!str_eq(dir, ".") || str_in(str_base(path), BUILT));
}

/* Returns how many artifacts of the service are remembered in dir. Sets found if there is only one.
 */
static size_t
entries_of(struct cli *cli, struct memory *m, const char *dir, bool deep)
{
	size_t n = 0;

	for (struct memory_entry *e = m->v; e < m->v + m->n; e++) {
		if (!str_eq(e->service, m->service))
			continue;
		if (str_eq(e->path, dir)) {
			m->found = e;
			return 1;
		}
		if (is_within(cli, e->path, dir, deep) &&
		    !(m->found && str_eq(m->found->artifact_id, e->artifact_id)))
			m->found = n++ ? NULL : e;
	}
	return n;
}

size_t
memory_choose(struct cli *cli, struct memory *m)
{
	const char *dir = m->path;
	size_t n = entries_of(cli, m, dir, false);

	while (!n && !str_eq(dir, "."))
		n = entries_of(cli, m, dir = parent_of(cli, dir), false);
	if (!n)
		n = entries_of(cli, m, m->path, true);
	if (!n)
		n = entries_of(cli, m, ".", true);
	m->ours = m->found && entry_is_ours(cli, m, m->found);
	return n;
}

bool
memory_read(struct cli *cli, struct memory *m)
{
	const char *text;
	struct stat st;
	size_t n;

	if (!cli_file_read(cli, m->file, MEMORY_BYTES, &st, &text, &n)) {
		cli_note("  remove it, or publish with --slug, --artifact, or --new");
		return false;
	}
	if (text && !memory_parse(cli, m, text, n)) {
		cli_fail(
		    "%s isn't in the form that vitrine writes: remove it, or publish with --slug, "
		    "--artifact, or --new",
		    m->file);
		return false;
	}
	memory_find(cli, m);
	return true;
}

void
memory_peek(struct cli *cli, struct memory *m)
{
	const char *text;
	struct stat st;
	size_t n;

	if (lstat(m->file, &st) || !S_ISREG(st.st_mode) || st.st_size >= MEMORY_BYTES ||
	    !cli_file_read(cli, m->file, MEMORY_BYTES, &st, &text, &n) || !text)
		return;
	if (memory_parse(cli, m, text, n))
		memory_find(cli, m);
	else
		m->n = 0;
}

void
memory_write(struct cli *cli, struct memory *m, const char *artifact_id, const char *url,
    int64_t version)
{
	uint8_t key[AES_KEY_BYTES], box[AES_EXTRA_BYTES];
	struct buf b = BUF(cli->c->mem);

	if (!m->found && m->n < MEMORY_ENTRIES)
		m->found = &m->v[m->n++];
	if (!m->found)
		m->found = &m->v[0];
	*m->found = (struct memory_entry){ m->path, m->service, artifact_id, url, "", version };
	if (key_read(cli, true, key)) {
		crypto_aes_seal(key, entry_purpose(cli, m, m->found), "", 0, box);
		m->found->mark = crypto_hex(cli->c->mem, box, sizeof box);
	}
	buf_str(&b, "{\"published\":[");
	for (const struct memory_entry *e = m->v; e < m->v + m->n; e++) {
		buf_str(&b, e > m->v ? ",\n\t{" : "\n\t{");
		json_texts(&b, "path", e->path, "service", e->service, "artifact_id",
		    e->artifact_id, "url", e->url, "mark", e->mark, NULL);
		if (e->version > 0)
			json_add_int(&b, "version", e->version);
		buf_chr(&b, '}');
	}
	buf_str(&b, "\n]}\n");
	if (!cli_file_write(cli, m->file, 0666, &b))
		cli_fail("%s could not be written (%s); publish with --slug next time", m->file,
		    strerror(errno));
}

void
memory_pulled(struct cli *cli, const char *place, const char *artifact_id, const char *url,
    int64_t version)
{
	struct memory m = { 0 };

	if (!memory_locate(cli, place, &m))
		return;
	memory_peek(cli, &m);
	if (m.found && m.ours && str_eq(m.found->artifact_id, artifact_id))
		memory_write(cli, &m, artifact_id, m.found->url, version);
	else if (!m.found && url)
		memory_write(cli, &m, artifact_id, url, version);
}
