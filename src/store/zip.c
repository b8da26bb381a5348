/* SPDX-License-Identifier: Apache-2.0 */
#include "store/zip.h"

#include "base/buf.h"
#include "base/path.h"
#include "base/str.h"

#include <endian.h>
#include <sys/stat.h>

enum {
	END_BYTES = 22,
	END64_BYTES = 56,
	LOCATOR_BYTES = 20,
	CENTRAL_BYTES = 46,
	LOCAL_BYTES = 30,
	TAIL_BYTES = 1 << 14, /* where libarchive searches for the end record */
};
enum {
	FLAG_ENCRYPTED = 1,
	FLAG_DESCRIPTOR = 8,
	FLAG_STRONG = 0x40,
	FLAG_UTF8 = 0x800,
	FLAG_MASKED = 0x2000,
	FLAGS_SECRET = FLAG_ENCRYPTED | FLAG_STRONG | FLAG_MASKED,
	FLAGS_TOLD = FLAGS_SECRET | FLAG_DESCRIPTOR | FLAG_UTF8,
};
enum {
	METHOD_STORED = 0,
	METHOD_DEFLATED = 8,
	EXTRA_ZIP64 = 1,
	EXTRA_NAME = 0x7075,
	SYSTEM_DOS = 0,
	SYSTEM_UNIX = 3,
	SYSTEM_OSX = 19,
	DOS_FOLDER = 0x10,
};

static uint16_t
le16_at(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof v);
	return le16toh(v);
}

static uint32_t
le32_at(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return le32toh(v);
}

/* Returns at most INT64_MAX, which no file reaches. */
static int64_t
le64_at(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	v = le64toh(v);
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

struct zip_bytes {
	const char *s;
	size_t n;
};

/* The description of an entry, in the directory or in its local header. */
struct zip_entry {
	uint16_t flags, method;
	uint32_t crc;
	int64_t packed, size, at; /* at: of the local header; only in the directory */
	struct zip_bytes name, extra;
};

struct zip_range {
	int64_t at, end;
	const char *name;
};

struct zip {
	struct ctx *c;
	struct span all;
	int64_t entries, directory_at, directory_end;
	struct zip_range *ranges;
	void *mine; /* memory for the current entry */
};

static enum err
zip_wrong(struct zip *z, const char *why)
{
	return fail(z->c, E_INVALID, "archive: can't be read as .zip: %s", why);
}

static enum err
entry_wrong(struct zip *z, const struct zip_entry *e, const char *why)
{
	return fail(
	    z->c, E_INVALID, "archive: %s %s", path_shown(z->c->mem, e->name.s, e->name.n), why);
}

static enum err
zip_read(struct zip *z, void *owner, int64_t at, size_t n, const char **out)
{
	struct span from;
	char *bytes = mem_array(owner, char, n + 1);

	*out = bytes;
	if (at < 0 || at > z->all.n || n > (size_t)(z->all.n - at))
		return zip_wrong(z, "it refers to bytes that it doesn't have");
	from = span_after(z->all, at);
	return span_read(z->c, &from, bytes, n);
}

/* ---- the end ---- */

static enum err
end64_read(struct zip *z, void *mine, int64_t locator_at, const char *end)
{
	const char *locator, *end64;
	int64_t at;

	TRY(zip_read(z, mine, locator_at, LOCATOR_BYTES, &locator));
	at = le64_at(locator + 8);
	if (le32_at(locator + 4) || le32_at(locator + 16) != 1 || at != locator_at - END64_BYTES)
		return zip_wrong(z, "the end of its directory isn't where it says");
	TRY(zip_read(z, mine, at, END64_BYTES, &end64));
	if (memcmp(end64, "PK\6\6", 4) != 0 || le64_at(end64 + 4) != END64_BYTES - 12 ||
	    le32_at(end64 + 16) || le32_at(end64 + 20) ||
	    le64_at(end64 + 24) != le64_at(end64 + 32))
		return zip_wrong(z, "the end of its directory is damaged");
	z->entries = le64_at(end64 + 32);
	z->directory_at = le64_at(end64 + 48);
	z->directory_end = at;
	if (z->directory_at > at || le64_at(end64 + 40) != at - z->directory_at ||
	    (le16_at(end + 10) != UINT16_MAX && le16_at(end + 10) != z->entries) ||
	    (le32_at(end + 12) != UINT32_MAX && le32_at(end + 12) != at - z->directory_at) ||
	    (le32_at(end + 16) != UINT32_MAX && le32_at(end + 16) != z->directory_at))
		return zip_wrong(z, "it has two end records that differ");
	return E_OK;
}

/* Like libarchive, takes the last thing that looks like an end record; its comment must end the
 * file. */
static enum err
end_find(struct zip *z, void *mine)
{
	int64_t n = z->all.n < TAIL_BYTES ? z->all.n : TAIL_BYTES, i = n - END_BYTES, at;
	const char *tail, *end;

	TRY(zip_read(z, mine, z->all.n - n, (size_t)n, &tail));
	while (i >= 0 && memcmp(tail + i, "PK\5\6", 4) != 0)
		i--;
	if (i < 0)
		return zip_wrong(z,
		    "it has no directory; it may be truncated, or not be a .zip file");
	end = tail + i;
	at = z->all.n - n + i;
	if (le16_at(end + 20) != n - i - END_BYTES)
		return zip_wrong(z, "there is extra data after its end");
	if (le16_at(end + 4) || le16_at(end + 6) || le16_at(end + 8) != le16_at(end + 10))
		return zip_wrong(z, "it is one part of a multi-part archive");
	if (i >= LOCATOR_BYTES && memcmp(end - LOCATOR_BYTES, "PK\6\7", 4) == 0)
		return end64_read(z, mine, at - LOCATOR_BYTES, end);
	z->entries = le16_at(end + 10);
	z->directory_at = le32_at(end + 16);
	z->directory_end = at;
	return z->directory_at + le32_at(end + 12) == at
	    ? E_OK
	    : zip_wrong(z, "its directory isn't where its end record says");
}

/* ---- an entry ---- */

/* Returns the first extra field of a kind. */
static struct zip_bytes
extra_find(struct zip_bytes extra, uint16_t kind)
{
	while (extra.n >= 4) {
		size_t n = le16_at(extra.s + 2);

		if (n > extra.n - 4)
			break;
		if (le16_at(extra.s) == kind)
			return (struct zip_bytes){ extra.s + 4, n };
		extra.s += 4 + n;
		extra.n -= 4 + n;
	}
	return (struct zip_bytes){ NULL, 0 };
}

/* Reads a number that didn't fit from the extra field. Returns false if it isn't there. */
static bool
number_read(struct zip_bytes *zip64, int64_t *v)
{
	if (*v != UINT32_MAX)
		return true;
	if (zip64->n < 8)
		return false;
	*v = le64_at(zip64->s);
	zip64->s += 8;
	zip64->n -= 8;
	return true;
}

static bool
numbers_read(struct zip_entry *e)
{
	struct zip_bytes zip64 = extra_find(e->extra, EXTRA_ZIP64);

	return number_read(&zip64, &e->size) && number_read(&zip64, &e->packed) &&
	    number_read(&zip64, &e->at);
}

/* Reads the fields that directory and local header share, from the flags on. */
static struct zip_entry
entry_read(const char *p)
{
	return (struct zip_entry){ .flags = le16_at(p),
		.method = le16_at(p + 2),
		.crc = le32_at(p + 8),
		.packed = le32_at(p + 12),
		.size = le32_at(p + 16) };
}

static enum err
local_read(struct zip *z, const struct zip_entry *in, struct zip_entry *out, int64_t *data_at)
{
	const char *p, *names;
	size_t name_n, extra_n;

	TRY(zip_read(z, z->mine, in->at, LOCAL_BYTES, &p));
	if (memcmp(p, "PK\3\4", 4) != 0)
		return entry_wrong(z, in, "isn't where the directory says");
	name_n = le16_at(p + 26);
	extra_n = le16_at(p + 28);
	TRY(zip_read(z, z->mine, in->at + LOCAL_BYTES, name_n + extra_n, &names));
	*out = entry_read(p + 6);
	out->name = (struct zip_bytes){ names, name_n };
	out->extra = (struct zip_bytes){ names + name_n, extra_n };
	*data_at = in->at + LOCAL_BYTES + (int64_t)(name_n + extra_n);
	return numbers_read(out) ? E_OK : entry_wrong(z, in, "has no size");
}

static bool
bytes_same(struct zip_bytes a, struct zip_bytes b)
{
	return !a.s == !b.s && a.n == b.n && (!a.n || memcmp(a.s, b.s, a.n) == 0);
}

/* A local header may leave out sizes that follow the data. */
static bool
number_same(const struct zip_entry *local, int64_t v, int64_t directory)
{
	return v == directory || ((local->flags & FLAG_DESCRIPTOR) && !v);
}

static enum err
entry_compare(struct zip *z, const struct zip_entry *d, const struct zip_entry *l)
{
	if (!bytes_same(d->name, l->name) ||
	    !bytes_same(extra_find(d->extra, EXTRA_NAME), extra_find(l->extra, EXTRA_NAME)))
		return fail(z->c, E_INVALID,
		    "archive: %s has a different name in its local header: %s",
		    path_shown(z->c->mem, d->name.s, d->name.n),
		    path_shown(z->c->mem, l->name.s, l->name.n));
	if ((d->flags ^ l->flags) & FLAGS_TOLD || d->method != l->method)
		return entry_wrong(z, d, "is compressed differently than the directory says");
	if (!number_same(l, l->crc, d->crc) || !number_same(l, l->packed, d->packed) ||
	    !number_same(l, l->size, d->size))
		return entry_wrong(z, d,
		    "has a different size or checksum than the directory says");
	return E_OK;
}

/* Checks the descriptor after the data: checksum and sizes of four or eight bytes, with or without
 * a signature. Moves *end behind it. */
static enum err
descriptor_check(struct zip *z, const struct zip_entry *d, int64_t *end)
{
	int64_t left = z->directory_at - *end;
	const char *p;

	if (!d->packed && !d->size)
		return E_OK;
	TRY(zip_read(z, z->mine, *end, left < 24 ? (size_t)left : 24, &p));
	for (int wide = 0; wide < 2; wide++) {
		for (int signature = 0; signature < 2; signature++) {
			const char *at = p + 4 * signature;
			int64_t n = 4 * signature + (wide ? 20 : 12);

			if (n > left || (signature && memcmp(p, "PK\7\10", 4) != 0) ||
			    le32_at(at) != d->crc ||
			    (wide ? le64_at(at + 4) : le32_at(at + 4)) != d->packed ||
			    (wide ? le64_at(at + 12) : le32_at(at + 8)) != d->size)
				continue;
			*end += n;
			return E_OK;
		}
	}
	return entry_wrong(z, d, "has a different size or checksum after its data");
}

static const char *
kind_wrong(const struct zip_entry *d, uint16_t made_by, uint32_t attributes)
{
	int system = made_by >> 8;
	mode_t kind = system == SYSTEM_UNIX || system == SYSTEM_OSX ? attributes >> 16 & S_IFMT : 0;
	bool folder = d->name.s[d->name.n - 1] == '/';

	if (kind && kind != S_IFREG && kind != S_IFDIR)
		return "is a link or a device; only files and folders are accepted";
	if (folder && d->size)
		return "is a folder but has content";
	if (!folder && (kind == S_IFDIR || (system == SYSTEM_DOS && attributes & DOS_FOLDER)))
		return "is a folder, but its name does not end in /";
	return NULL;
}

static const char *
entry_unusable(const struct zip_entry *d)
{
	if (!d->name.n)
		return "is an entry without a name";
	if (memchr(d->name.s, '\0', d->name.n))
		return "has a NUL in its name";
	if (memchr(d->name.s, '\\', d->name.n))
		return "must not contain a backslash or a colon";
	if (d->flags & FLAGS_SECRET)
		return "is encrypted";
	if (d->method != METHOD_STORED && d->method != METHOD_DEFLATED)
		return "uses a compression method other than deflate";
	return d->method == METHOD_STORED && d->packed != d->size
	    ? "isn't compressed, but has two different sizes"
	    : NULL;
}

/* p: the entry's record in the directory. */
static enum err
entry_check(struct zip *z, const char *p, const struct zip_entry *d, struct zip_range *range)
{
	const char *why = entry_unusable(d);
	struct zip_entry local;
	int64_t end = 0;

	if (!why)
		why = kind_wrong(d, le16_at(p + 4), le32_at(p + 38));
	if (why)
		return entry_wrong(z, d, why);
	TRY(local_read(z, d, &local, &end));
	TRY(entry_compare(z, d, &local));
	if (end > z->directory_at || d->packed > z->directory_at - end)
		return entry_wrong(z, d, "is larger than the archive");
	end += d->packed;
	if (d->flags & FLAG_DESCRIPTOR)
		TRY(descriptor_check(z, d, &end));
	*range = (struct zip_range){ d->at, end, path_shown(z->ranges, d->name.s, d->name.n) };
	return E_OK;
}

/* ---- the directory ---- */

static enum err
record_check(struct zip *z, int64_t *at, struct zip_range *range)
{
	struct zip_entry d;
	size_t name_n, extra_n;
	const char *p, *names;

	if (*at > z->directory_end - CENTRAL_BYTES)
		return zip_wrong(z, "its directory has fewer entries than its end record says");
	TRY(zip_read(z, z->mine, *at, CENTRAL_BYTES, &p));
	if (memcmp(p, "PK\1\2", 4) != 0)
		return zip_wrong(z, "its directory is damaged");
	name_n = le16_at(p + 28);
	extra_n = le16_at(p + 30);
	TRY(zip_read(z, z->mine, *at + CENTRAL_BYTES, name_n + extra_n, &names));
	d = entry_read(p + 8);
	d.at = le32_at(p + 42);
	d.name = (struct zip_bytes){ names, name_n };
	d.extra = (struct zip_bytes){ names + name_n, extra_n };
	*at += CENTRAL_BYTES + (int64_t)(name_n + extra_n) + le16_at(p + 32);
	if (!numbers_read(&d))
		return entry_wrong(z, &d, "has no size");
	return entry_check(z, p, &d, range);
}

static int
by_place(const void *a, const void *b)
{
	const struct zip_range *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static enum err
directory_check(struct zip *z)
{
	int64_t at = z->directory_at;
	const struct zip_range *r;

	z->ranges = mem_array(z->c->mem, struct zip_range, (size_t)z->entries);
	for (int64_t i = 0; i < z->entries; i++) {
		z->mine = mem_zalloc(z->ranges, 0);
		TRY(record_check(z, &at, &z->ranges[i]));
		mem_free(z->mine);
	}
	if (at != z->directory_end)
		return zip_wrong(z, "its directory has more entries than its end record says");
	r = z->ranges;
	qsort(z->ranges, (size_t)z->entries, sizeof *r, by_place);
	for (int64_t i = 1; i < z->entries; i++)
		if (r[i].at < r[i - 1].end)
			return fail(z->c, E_INVALID, "archive: %s and %s overlap", r[i - 1].name,
			    r[i].name);
	mem_free(z->ranges);
	return E_OK;
}

enum err
zip_check(struct ctx *c, const struct span *zip, int64_t max_entries)
{
	struct zip z = { .c = c, .all = *zip };
	void *mine = mem_zalloc(c->mem, 0);

	TRY(end_find(&z, mine));
	mem_free(mine);
	if (z.entries > max_entries)
		return fail(c, E_BODY_TOO_LARGE, "archive: it has more than %lld files and folders",
		    (long long)max_entries);
	return directory_check(&z);
}
