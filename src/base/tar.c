/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tar.h"

#include "base/mem.h"
#include "base/str.h"

enum { BLOCK = 512, NAMES_BYTES = 1 << 20, SIZE_AT = 124, SIZE_DIGITS = 12, KIND_AT = 156 };

struct tar_walk {
	char head[BLOCK];
	size_t have;  /* bytes in head */
	int64_t skip; /* bytes of a file or of padding to skip first */
	char kind;    /* of the extended header that is being collected */
	char *names;
	size_t names_n, names_want; /* names_want is 0 unless a header is being collected */
	int64_t size;               /* of the next file, from a pax header; -1 if none said it */
	bool off;
};

struct tar_walk *
tar_walk_new(void *owner)
{
	struct tar_walk *w = mem_new(owner, struct tar_walk);

	w->size = -1;
	return w;
}

static int64_t
padding(int64_t n)
{
	return -n & (BLOCK - 1);
}

/* Parses octal digits. Returns -1 for other forms, which only files above our limits have. */
static int64_t
octal_read(const char *s)
{
	int64_t v = 0;
	int i = 0;

	while (i < SIZE_DIGITS && s[i] == ' ')
		i++;
	for (; i < SIZE_DIGITS && s[i] >= '0' && s[i] <= '7'; i++)
		v = v * 8 + (s[i] - '0');
	return i == SIZE_DIGITS || !s[i] || s[i] == ' ' ? v : -1;
}

static const char *
nul_within(struct tar_walk *w, const char *name, size_t n)
{
	const char *shown = str_utf8_valid(name, strlen(name)) ? name : "a file";

	return memchr(name, '\0', n) ? mem_printf(w, "%s has a NUL in its name", shown) : NULL;
}

/* Checks one "key=value" of a pax header: n bytes, ended by a NUL. Allocates nothing, because there
 * may be millions. */
static const char *
record_check(struct tar_walk *w, const char *record, size_t n)
{
	static const char *const names[] = { "path=", "linkpath=", "GNU.sparse.name=" };

	if (str_starts(record, "size=") && w->kind == 'x')
		w->off = !str_int(record + strlen("size="), &w->size);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t key_n = strlen(names[i]);

		if (str_starts(record, names[i]))
			return nul_within(w, record + key_n, n - key_n);
	}
	return NULL;
}

/* Checks lines of "length key=value". */
static const char *
pax_check(struct tar_walk *w)
{
	const char *why = NULL;

	for (char *at = w->names, *end = at + w->names_n, *rest; at < end && !why && !w->off;) {
		long n = strtol(at, &rest, 10);

		if (rest == at || *rest != ' ' || n <= rest + 1 - at || n > end - at ||
		    at[n - 1] != '\n') {
			w->off = true;
			return NULL;
		}
		at[n - 1] = '\0';
		why = record_check(w, rest + 1, (size_t)(at + n - 1 - (rest + 1)));
		at += n;
	}
	return why;
}

static const char *
names_check(struct tar_walk *w)
{
	size_t n = w->names_n;

	w->names_want = 0;
	if (w->kind == 'x' || w->kind == 'g')
		return pax_check(w);
	/* A GNU long name, padded with NULs. */
	while (n && !w->names[n - 1])
		n--;
	return nul_within(w, w->names, n);
}

static void
head_read(struct tar_walk *w)
{
	int64_t size = octal_read(w->head + SIZE_AT);

	w->have = 0;
	w->kind = w->head[KIND_AT];
	w->off = !*w->head || size < 0;
	if (w->off)
		return;
	if (!w->kind || !strchr("xgLK", w->kind)) {
		size = w->size >= 0 ? w->size : size;
		w->size = -1;
		w->off = size > INT64_MAX - BLOCK;
		w->skip = w->off ? 0 : size + padding(size);
		return;
	}
	w->off = size > NAMES_BYTES;
	w->names_want = w->off ? 0 : (size_t)size;
	w->names_n = 0;
	w->names = mem_grow(w, w->names, w->names_want + 1);
	w->skip = 0;
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Reads as much of the current part (header, names, or bytes to skip) as there is. */
static size_t
piece_read(struct tar_walk *w, const char *bytes, size_t n, const char **why)
{
	size_t take;

	if (w->names_want) {
		take = least(w->names_want - w->names_n, n);
		memcpy(w->names + w->names_n, bytes, take);
		w->names_n += take;
		w->names[w->names_n] = '\0';
		if (w->names_n == w->names_want) {
			w->skip = padding((int64_t)w->names_n);
			*why = names_check(w);
		}
		return take;
	}
	if (w->skip) {
		take = w->skip < (int64_t)n ? (size_t)w->skip : n;
		w->skip -= (int64_t)take;
		return take;
	}
	take = least(BLOCK - w->have, n);
	memcpy(w->head + w->have, bytes, take);
	w->have += take;
	if (w->have == BLOCK)
		head_read(w);
	return take;
}

const char *
tar_walk(struct tar_walk *w, const char *bytes, size_t n)
{
	const char *why = NULL;

	while (n && !why && !w->off) {
		size_t took = piece_read(w, bytes, n, &why);

		bytes += took;
		n -= took;
	}
	return why;
}
