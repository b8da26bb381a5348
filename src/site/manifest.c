/* SPDX-License-Identifier: Apache-2.0 */
#include "site/manifest.h"

#include "base/charset.h"
#include "base/conf.h"
#include "base/ignore.h"
#include "base/mime.h"
#include "base/path.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/declare.h"
#include "db/ids.h"
#include "site/derive.h"
#include "site/rules.h"
#include "store/archive.h"

enum { RATIO = 200 };

struct item *
manifest_add(struct manifest *m)
{
	if (m->n == m->room) {
		m->room = m->room ? 2 * m->room : 64;
		m->items = mem_grow(m->c->mem, m->items, m->room * sizeof *m->items);
	}
	m->items[m->n] = (struct item){ 0 };
	return &m->items[m->n++];
}

static const char *
member_named(struct manifest *m, size_t i, const char *member)
{
	return mem_printf(m->c->mem, "files[%zu].%s", i, member);
}

static enum err
item_mime(struct manifest *m, struct item *it, const char *at, const char *mime)
{
	it->mime = mime_of(it->path);
	if (!mime)
		return E_OK;
	if (!mime_valid(mime))
		return fail(m->c, E_INVALID, "%s: %s isn't a media type", at, mime);
	mime = mime_canonical(m->c->mem, mime);
	it->declared = !str_eq(mime, it->mime);
	it->mime = mime;
	return E_OK;
}

static enum err
item_decode(struct manifest *m, struct item *it, size_t i, const struct publish_file *f)
{
	size_t n = strlen(f->content);
	uint8_t *raw;

	it->bytes = f->content;
	it->n = n;
	if (str_eq(f->encoding, "base64")) {
		raw = mem_zalloc(m->c->mem, n / 4 * 3 + 1);
		if (!crypto_unbase64(f->content, n, raw, &it->n))
			return fail(m->c, E_INVALID,
			    "%s: isn't valid base64 (RFC 4648, padded, without line breaks)",
			    member_named(m, i, "content"));
		it->bytes = (const char *)raw;
	}
	it->size = (int64_t)it->n;
	crypto_sha256(it->bytes, it->n, it->sha256);
	return E_OK;
}

static enum err
item_check(struct manifest *m, struct item *it, size_t i, const struct publish_file *f)
{
	struct ctx *c = m->c;
	uint8_t named[SHA256_BYTES];

	if (f->sha256 && !crypto_unhex(f->sha256, named, sizeof named))
		return fail(c, E_INVALID, "%s: must be 64 lowercase hexadecimal digits",
		    member_named(m, i, "sha256"));
	if (f->content) {
		TRY(item_decode(m, it, i, f));
		if (f->sha256 && memcmp(named, it->sha256, sizeof named) != 0)
			return fail(c, E_INVALID, "%s: doesn't match the content",
			    member_named(m, i, "sha256"));
		if (f->has.size_bytes == GIVEN && f->size_bytes != it->size)
			return fail(c, E_INVALID, "%s: is %lld, but the content is %lld bytes",
			    member_named(m, i, "size_bytes"), (long long)f->size_bytes,
			    (long long)it->size);
		return E_OK;
	}
	if (!f->sha256)
		return fail(c, E_INVALID,
		    "%s: is required, unless sha256 identifies bytes you have published before",
		    member_named(m, i, "content"));
	it->by_digest = true;
	it->size = f->has.size_bytes == GIVEN ? f->size_bytes : -1;
	memcpy(it->sha256, named, sizeof named);
	return E_OK;
}

struct item *
manifest_item(const struct manifest *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++)
		if (str_eq(m->items[i].path, path))
			return &m->items[i];
	return NULL;
}

/* ---- an archive ---- */

/* Returns copies of the archive’s items in the order of their paths, because the array of all may
 * move. n is the index of the original. */
static struct item **
archived_sorted(struct manifest *m)
{
	struct item *copy = mem_array(m->c->mem, struct item, m->n),
		    **sorted = mem_array(m->c->mem, struct item *, m->n);

	for (size_t i = 0; i < m->n; i++) {
		copy[i] = (struct item){ .path = m->items[i].path, .n = i };
		sorted[i] = &copy[i];
	}
	qsort(sorted, m->n, sizeof *sorted, item_by_path);
	return sorted;
}

static struct item *
archived_find(struct manifest *m, struct item **sorted, size_t n, const char *path)
{
	struct item key = { .path = path }, *at = &key, **found;

	found = n ? bsearch(&at, sorted, n, sizeof *sorted, item_by_path) : NULL;
	return found ? &m->items[(*found)->n] : NULL;
}

enum { RULES_FILES = 8 };

/* State for an archive of a folder. */
struct packed_folder {
	const struct ignore *ignore; /* what of it isn't published */
	const char *wrapper;         /* the folder that holds all the rest, with its slash, or "" */
	struct rules_file {
		const char *path;
		struct buf text;
	} rules[RULES_FILES]; /* each file that may be the folder's .vitrineignore */
	size_t rules_n;
	bool seeks_rules;
	struct buf *text; /* name of the rules that are being read, or NULL */
	size_t left_out;
	const char *first_out; /* a path */
};

static enum err
entry_pass(struct manifest *m, struct packed_folder *f, const char *path)
{
	const char *slash = strchr(path, '/');

	f->text = NULL;
	if (!f->left_out++)
		f->first_out = mem_strdup(m->c->mem, path);
	/* Rules are at the top, or one folder below, which may be the wrapper. */
	if (!f->seeks_rules || !str_eq(slash ? slash + 1 : path, IGNORE_FILE))
		return E_OK;
	if (f->rules_n == RULES_FILES)
		return fail(
		    m->c, E_INVALID, "archive: has more than %d files " IGNORE_FILE, RULES_FILES);
	f->rules[f->rules_n] = (struct rules_file){ mem_strdup(m->c->mem, path), BUF(m->c->mem) };
	f->text = &f->rules[f->rules_n++].text;
	return E_OK;
}

static enum err
entry_begin(void *arg, struct ctx *c, const char *path)
{
	struct manifest *m = arg;
	struct packed_folder *f = m->folder;
	struct item *it;

	m->passing = f &&
	    (!str_starts(path, f->wrapper) ||
		ignore_leaves_out_within(f->ignore, path + strlen(f->wrapper), false));
	if (m->passing)
		return entry_pass(m, f, path);
	it = manifest_add(m);
	it->path = mem_strdup(c->mem, path);
	return object_writer_new(c, m->batch, &m->writer);
}

static enum err
entry_data(void *arg, struct ctx *c, const void *bytes, size_t n)
{
	struct manifest *m = arg;
	struct buf *rules;

	if (!m->passing)
		return object_writer_add(c, m->writer, bytes, n);
	rules = m->folder->text;
	if (!rules)
		return E_OK;
	if (rules->n + n > IGNORE_FILE_BYTES)
		return fail(m->c, E_INVALID, "archive: " IGNORE_FILE " has more than %d bytes",
		    IGNORE_FILE_BYTES);
	buf_add(rules, bytes, n);
	return E_OK;
}

static enum err
entry_end(void *arg, struct ctx *c)
{
	struct manifest *m = arg;
	struct item *it;
	struct object o;

	if (m->passing)
		return E_OK;
	it = &m->items[m->n - 1];
	TRY(object_writer_end(c, m->writer, &o));
	memcpy(it->sha256, o.sha256, sizeof it->sha256);
	it->size = o.size;
	return item_mime(m, it, "mime", NULL);
}

/* Returns the folder that contains all files, with its slash; "" if there is none, or the request
 * names its entry within it. */
static const char *
items_wrapper(struct manifest *m)
{
	const char **paths = mem_array(m->c->mem, const char *, m->n), *wrapper;

	for (size_t i = 0; i < m->n; i++)
		paths[i] = m->items[i].path;
	wrapper = m->n ? mem_strndup(m->c->mem, paths[0], path_wrapper(paths, m->n)) : "";
	return m->in->entrypoint && str_starts(m->in->entrypoint, wrapper) ? "" : wrapper;
}

static void
items_unwrap(struct manifest *m, size_t n)
{
	for (size_t i = 0; i < m->n; i++)
		m->items[i].path += n;
}

/* Reads the folder's own rules; *own is NULL if it has none. */
static enum err
rules_find(struct manifest *m, struct packed_folder *f, const struct ignore **own)
{
	const char *path = mem_printf(m->c->mem, "%s" IGNORE_FILE, f->wrapper);

	*own = NULL;
	for (size_t i = 0; i < f->rules_n; i++) {
		if (!str_eq(f->rules[i].path, path))
			continue;
		*own = ignore_new(m->c->mem, buf_done(&f->rules[i].text));
		if (!*own)
			return fail(m->c, E_INVALID,
			    "archive: " IGNORE_FILE " has more than %d patterns", IGNORE_RULES);
	}
	return E_OK;
}

static enum err
left_out_check(struct manifest *m, const struct packed_folder *f)
{
	const char *some = f->left_out == 1
	    ? f->first_out
	    : mem_printf(m->c->mem, "%zu files such as %s", f->left_out, f->first_out);

	if (f->left_out && !m->n)
		return fail(m->c, E_INVALID,
		    "archive: has nothing to publish but hidden files, such as %s", f->first_out);
	if (f->left_out)
		warn(m->c,
		    "archive: left out %s; publish what is left out by a ! line in " IGNORE_FILE,
		    some);
	return E_OK;
}

/* The rules may be the last entry of an archive. If there are some, we read it a second time. */
static enum err
folder_collect(struct manifest *m, const struct span *archive, const struct archive_limits *limits,
    const struct archive_sink *sink)
{
	struct packed_folder f = {
		.ignore = ignore_new(m->c->mem, NULL), .wrapper = "", .seeks_rules = true
	};
	const struct ignore *own;

	m->folder = &f;
	TRY(archive_read(m->c, archive, limits, sink));
	f.wrapper = items_wrapper(m);
	TRY(rules_find(m, &f, &own));
	if (own) {
		m->n = f.left_out = 0;
		f.ignore = own;
		f.seeks_rules = false;
		TRY(archive_read(m->c, archive, limits, sink));
	}
	m->folder = NULL;
	items_unwrap(m, strlen(f.wrapper));
	return left_out_check(m, &f);
}

static enum err
count_check(struct manifest *m, size_t n)
{
	int64_t max = m->c->conf->max_files;

	if ((int64_t)n > max)
		return fail(m->c, E_BODY_TOO_LARGE,
		    "files: has %zu files; the maximum for a version is %lld", n, (long long)max);
	return E_OK;
}

/* ---- loose files ---- */

enum { CHUNK = 256 << 10 };

static enum err
loose_collect(struct manifest *m, const struct loose *file, char chunk[CHUNK])
{
	struct span rest = file->bytes;
	const char *path = file->path;

	TRY(path_check(m->c, "files", &path));
	TRY(entry_begin(m, m->c, path));
	while (rest.n) {
		size_t n = rest.n < CHUNK ? (size_t)rest.n : CHUNK;

		TRY(span_read(m->c, &rest, chunk, n));
		TRY(entry_data(m, m->c, chunk, n));
		rest = span_after(rest, (int64_t)n);
	}
	return entry_end(m, m->c);
}

static enum err
upload_collect(struct manifest *m, const struct upload *up)
{
	const struct conf *conf = m->c->conf;
	struct archive_limits limits = { conf->max_files, conf->max_file_bytes,
		conf->max_version_bytes, RATIO };
	struct archive_sink sink = { entry_begin, entry_data, entry_end, m };
	char *chunk = up->loose_n ? mem_array(m->c->mem, char, CHUNK) : NULL;

	TRY(count_check(m, up->loose_n));
	if (up->sent)
		TRY(m->in->files.n ? archive_read(m->c, &up->archive, &limits, &sink)
				   : folder_collect(m, &up->archive, &limits, &sink));
	for (size_t i = 0; i < up->loose_n; i++)
		TRY(loose_collect(m, &up->loose[i], chunk));
	if (up->loose_n && up->unwrap)
		items_unwrap(m, strlen(items_wrapper(m)));
	return E_OK;
}

static enum err
files_none(struct manifest *m)
{
	return fail(
	    m->c, E_INVALID, "files: is required and must contain at least one file");
}

static enum err
items_collect(struct manifest *m, const struct upload *up)
{
	const struct publish_file *f = m->in->files.v;
	struct item **sorted;
	size_t archived;

	TRY(count_check(m, m->in->files.n));
	TRY(upload_collect(m, up));
	archived = m->n;
	sorted = archived_sorted(m);
	for (size_t i = 0; i < m->in->files.n; i++, f++) {
		const char *path = unicode_composed(m->c->mem, f->path);
		struct item *it = archived_find(m, sorted, archived, path);

		if (it && !f->content) {
			TRY(item_mime(m, it, member_named(m, i, "mime"), f->mime));
			continue;
		}
		TRY(path_check(m->c, member_named(m, i, "path"), &path));
		it = manifest_add(m);
		it->path = path;
		TRY(item_mime(m, it, member_named(m, i, "mime"), f->mime));
		TRY(item_check(m, it, i, f));
	}
	return m->n || m->in->delete.n || m->in->candidate ? E_OK : files_none(m);
}

enum err
manifest_check(struct manifest *m)
{
	const struct conf *conf = m->c->conf;
	const char **paths = mem_array(m->c->mem, const char *, m->n);

	TRY(count_check(m, m->n));
	for (size_t i = 0; i < m->n; i++) {
		paths[i] = m->items[i].path;
		if (m->items[i].size > conf->max_file_bytes)
			return fail(m->c, E_FILE_TOO_LARGE,
			    "files: %s is %lld bytes; the maximum for a file is %lld",
			    paths[i], (long long)m->items[i].size, (long long)conf->max_file_bytes);
	}
	return path_set_check(m->c, paths, m->n);
}

enum err
manifest_read(struct manifest *m, const struct upload *up)
{
	TRY(items_collect(m, up));
	return manifest_check(m);
}

/* Needs the sizes of files that are named by digest. */
static enum err
total_check(struct manifest *m)
{
	m->total = 0;
	if (!m->n)
		return files_none(m);
	for (size_t i = 0; i < m->n; i++)
		m->total += m->items[i].size;
	if (m->total > m->c->conf->max_version_bytes)
		return fail(m->c, E_BODY_TOO_LARGE,
		    "files: total %lld bytes; the maximum for a version is %lld",
		    (long long)m->total, (long long)m->c->conf->max_version_bytes);
	return E_OK;
}

enum err
manifest_recheck(struct manifest *m)
{
	TRY(manifest_check(m));
	return total_check(m);
}

/* ---- the entry ---- */

enum err
manifest_entry(struct manifest *m, const char **entry)
{
	struct buf candidates = BUF(m->c->mem);
	size_t pages = 0;

	if (!m->in->entrypoint && *entry && manifest_item(m, *entry))
		return E_OK;
	*entry = m->in->entrypoint ? unicode_composed(m->c->mem, m->in->entrypoint) : NULL;
	if (*entry && manifest_item(m, *entry))
		return E_OK;
	if (*entry)
		return fail(m->c, E_INVALID, "entrypoint: %s isn't one of the files", *entry);
	for (size_t i = 0; i < m->n; i++) {
		const char *path = m->items[i].path;

		if (strcasecmp(path, "index.html") == 0 && (!*entry || str_eq(path, "index.html")))
			*entry = path;
	}
	if (*entry)
		return E_OK;
	for (size_t i = 0; i < m->n; i++) {
		const char *path = m->items[i].path;

		if (!mime_is_page(mime_of(path)))
			continue;
		*entry = path;
		if (pages++ < 10)
			buf_fmt(&candidates, "%s%s", pages > 1 ? ", " : "", path);
	}
	if (pages == 1)
		return E_OK;
	if (!pages)
		return fail(m->c, E_INVALID,
		    "entrypoint: there is no .html file; specify the entry file, or leave out "
		    "views, which make pages of files");
	return fail(m->c, E_INVALID,
	    "entrypoint: there is no index.html; "
	    "specify which page opens first, or rename that page to index.html: %s%s",
	    buf_done(&candidates), pages > 10 ? ", …" : "");
}

/* ---- bytes by digest ---- */

#define DIGEST_ROW(F, T) \
	F(T, STR, sha256) \
	F(T, INT, size_bytes)
SHAPE(digest_row, DIGEST_ROW);

static int
item_by_digest(const void *a, const void *b)
{
	const struct item *const *x = a, *const *y = b;

	return memcmp((*x)->sha256, (*y)->sha256, SHA256_BYTES);
}

struct item **
manifest_sorted(struct manifest *m,
    bool (*wanted)(const struct manifest *, const struct item *), size_t *n)
{
	struct item **sorted = mem_array(m->c->mem, struct item *, m->n);

	*n = 0;
	for (size_t i = 0; i < m->n; i++)
		if (wanted(m, &m->items[i]))
			sorted[(*n)++] = &m->items[i];
	if (*n)
		qsort(sorted, *n, sizeof *sorted, item_by_digest);
	return sorted;
}

static bool
is_by_digest(const struct manifest *m, const struct item *it)
{
	(void)m;
	return it->by_digest;
}

static bool
is_unknown(const struct manifest *m, const struct item *it)
{
	(void)m;
	return it->by_digest && !it->was && !it->held;
}

static int
row_by_digest(const void *key, const void *row)
{
	return strcmp(key, ((const struct digest_row *)row)->sha256);
}

/* Accepts an object by digest only if the caller has published it, or sees it in a version of this
 * artifact: any other might be somebody’s secret. */
static enum err
known_find(struct manifest *m, const char *digests, struct list *known)
{
	return db_all(m->c,
	    ROWS(digest_row,
		"SELECT LOWER(HEX(o.sha256)) AS sha256, o.size_bytes"
		" FROM " HASH_TABLE
		" JOIN owned_object o ON o.sha256 = UNHEX(j.h) WHERE o.owner_id = ?"
		" UNION SELECT LOWER(HEX(f.sha256)), f.size_bytes"
		" FROM " HASH_TABLE
		" JOIN version_file f ON f.sha256 = UNHEX(j.h) WHERE f.artifact_id = ?"
		" AND COALESCE(f.version_no = ?, TRUE) ORDER BY 1"),
	    ARGS(digests, m->user, digests, m->artifact_id,
		m->seen_no ? arg_int(*m->seen_no) : arg_null()),
	    known);
}

/* Lists what is missing, and files that stay and whose bytes the store lost. */
static enum err
missing_fail(struct manifest *m)
{
	struct buf missing = BUF(m->c->mem);
	size_t n;
	struct item **sorted = manifest_sorted(m, is_by_digest, &n);

	for (size_t i = 0; i < n; i++) {
		const struct item *it = sorted[i];

		if (it->missing || (it->was && !batch_has(m->batch, it->sha256, it->size)))
			buf_fmt(&missing, "%s\"%s\"", missing.n ? "," : "[",
			    crypto_hex(m->c->mem, it->sha256, SHA256_BYTES));
	}
	if (!missing.n)
		return E_OK;
	m->c->details = mem_printf(m->c->mem, "{\"missing\":%s]}", missing.s);
	return fail(m->c, E_MISSING_BLOBS,
	    "files: some sha256 values identify bytes that you haven't published before; "
	    "send their content");
}

enum err
manifest_lost(struct manifest *m, enum err e)
{
	enum err lost = e == E_INTERNAL && m->former.no ? missing_fail(m) : E_OK;

	return lost ? lost : e;
}

static enum err
digests_resolve(struct manifest *m)
{
	struct ctx *c = m->c;
	size_t n;
	struct item **sorted = manifest_sorted(m, is_unknown, &n);
	struct buf wanted = BUF(c->mem);
	struct list known;
	bool missing = false;

	if (!n)
		return E_OK;
	for (size_t i = 0; i < n; i++)
		buf_fmt(&wanted, "%s\"%s\"", wanted.n ? "," : "[",
		    crypto_hex(c->mem, sorted[i]->sha256, SHA256_BYTES));
	buf_chr(&wanted, ']');
	TRY(known_find(m, wanted.s, &known));
	for (size_t i = 0; i < n; i++) {
		const char *hex = crypto_hex(c->mem, sorted[i]->sha256, SHA256_BYTES);
		const struct digest_row *row = NULL;

		if (known.n)
			row = bsearch(hex, known.v, known.n, sizeof *row, row_by_digest);
		if (!row || !batch_has(m->batch, sorted[i]->sha256, row->size_bytes))
			missing = sorted[i]->missing = true;
		else if (sorted[i]->size >= 0 && sorted[i]->size != row->size_bytes)
			return fail(c, E_INVALID,
			    "files: size_bytes of %s is %lld, but the file is %lld bytes",
			    sorted[i]->path, (long long)sorted[i]->size,
			    (long long)row->size_bytes);
		else
			sorted[i]->size = row->size_bytes;
	}
	return missing ? missing_fail(m) : E_OK;
}

enum err
manifest_resolve(struct manifest *m)
{
	TRY(digests_resolve(m));
	return total_check(m);
}

enum err
manifest_warnings(struct manifest *m, struct strs *warnings)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct item *it = &m->items[i];
		const char *text;
		size_t n;

		if (!str_eq(it->path, "_redirects") && !str_eq(it->path, "_headers"))
			continue;
		TRY(object_head(m->c, m->c->mem, it->sha256, RULES_BYTES + 1, &text, &n));
		TRY(rules_warnings(m->c, it->path, text, n, warnings));
	}
	return E_OK;
}

enum err
manifest_declared(struct manifest *m, const char **text)
{
	const struct item *it = manifest_item(m, DECLARE_FILE);

	*text = NULL;
	if (!it)
		return E_OK;
	if (it->size > DECLARE_BYTES)
		return fail(m->c, E_INVALID, DECLARE_FILE " is %s; the maximum is %s",
		    str_amount_1024(m->c->mem, it->size),
		    str_amount_1024(m->c->mem, DECLARE_BYTES));
	TRY(object_text(m->c, it->sha256, it->size, DECLARE_BYTES, text));
	return *text ? E_OK : fail(m->c, E_INVALID, DECLARE_FILE " isn't text in UTF-8");
}

enum { LINK_LOOK = 16 << 10 }; /* bytes of a page that are read to find its links */

enum err
manifest_link_look(struct manifest *m, const char *entry, struct strs *warnings)
{
	const struct item *it = manifest_item(m, entry);
	const char *html;
	size_t n;

	if (!it)
		return E_OK;
	TRY(object_head(m->c, m->c->mem, it->sha256, LINK_LOOK, &html, &n));
	if (derive_manifest_closed(m->c->mem, html))
		strs_add(m->c->mem, warnings,
		    mem_printf(m->c->mem,
			"%s: browsers can't install the page while it is private, because its "
			"<link rel=\"manifest\"> lacks crossorigin=\"use-credentials\"", entry));
	return E_OK;
}

/* ---- character sets ---- */

enum { CHARSET_WARNINGS = 20 };

enum err
manifest_charsets(struct manifest *m, struct file_row *rows, struct strs *warnings)
{
	size_t unclear = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct item *it = &m->items[i];
		const struct former_row *was = it->was;
		/* The former version says what a look at the bytes would find. */
		bool known = was && was->utf8 && !was->declared && str_eq(was->mime, it->mime);
		const char *bytes = it->bytes, *set, *guess = NULL;
		size_t n = it->n < CHARSET_LOOK ? it->n : CHARSET_LOOK;
		void *mine;

		if (it->declared || !mime_is_text(it->mime) || known)
			continue;
		mine = mem_zalloc(m->c->mem, 0);
		if (!bytes)
			TRY(object_head(m->c, mine, it->sha256, CHARSET_LOOK, &bytes, &n));
		set = charset_of(mine, it->mime, bytes, n);
		if (set && !*set && m->shows && charset_text(mine, bytes, &n, &guess) && guess)
			set = guess;
		if (set && *set) {
			it->mime = rows[i].mime = mem_printf(m->c->mem, "%.*s; charset=%s",
			    (int)strcspn(it->mime, ";"), it->mime, set);
			it->declared = rows[i].declared = true;
		} else if (set && ++unclear <= CHARSET_WARNINGS) {
			strs_add(m->c->mem, warnings,
			    mem_printf(m->c->mem,
				"%s%s: isn't UTF-8 and doesn't say which character set it is in, "
				"so letters may be shown wrong; save it as UTF-8",
				it->path, unclear == CHARSET_WARNINGS ? " and others" : ""));
		}
		mem_free(mine);
	}
	m->unclear = unclear > 0;
	return E_OK;
}

/* Warns instead of refusing, since tools send a name with each version. */
const struct publish_new *
manifest_keep_name(struct ctx *c, const struct publish_new *in, const struct artifact *a)
{
	struct publish_new *kept;

	if (!in->name || str_eq(in->name, a->name))
		return in;
	kept = mem_new(c->mem, struct publish_new);
	*kept = *in;
	kept->name = a->name;
	warn(c, "name: %s keeps its name, which only its workspace can change", a->slug);
	return kept;
}
