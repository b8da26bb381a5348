/* SPDX-License-Identifier: Apache-2.0
 * The round that keeps objects/ within objects_keep: removes the objects that were opened least
 * recently, if the store has them and no tree has a link to them. object_bring() fetches them.
 *
 * A first walk through the folders counts bytes by the time of their last opening, which tells how
 * far back is kept. A second one removes what is older. Both hold the names of one folder. */
#include "base/conf.h"
#include "base/log.h"
#include "base/str.h"
#include "bucket/bucket.h"
#include "db/ids.h"
#include "store/beneath.h"
#include "store/object.h"
#include "store/rounds.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FOLDERS = 256, HOUR_S = 3600, HOURS = 48, AGES = HOURS + 400, BLOCK = 512 };

/* Findings of the first walk, in data_dir/keep, since each minute may have a runner of its own. If
 * the file is lost or of another walk, the round begins anew. */
struct counted {
	int64_t next;          /* folder; the second walk begins at FOLDERS */
	int64_t bytes;         /* bytes of all objects */
	int64_t by_age[AGES];  /* bytes of objects that may be removed, by age */
	int64_t age, left;     /* from this age on, `left` bytes are removed */
};

struct candidate {
	const char *path;
	uint8_t sha256[SHA256_BYTES];
	struct stat st;
};

struct keeping {
	struct ctx *c;
	struct sweep_at *at;
	struct counted *counted;
	int root;
	int64_t copied_s; /* older objects are copied: sweep_copied_before() */
	struct candidate *v;
	size_t n;
};

/* Returns an age: the hours since the object was opened; from two days on, 48 and the days. */
static int64_t
age_of(const struct ctx *c, const struct stat *st)
{
	int64_t hours = (c->now - st->st_atim.tv_sec) / HOUR_S, age;

	if (hours < HOURS)
		return hours < 0 ? 0 : hours;
	age = HOURS + hours / 24 - HOURS / 24;
	return age < AGES ? age : AGES - 1;
}

/* Trees and deliveries have links to the others, whose bytes would stay. Objects that are younger
 * than the last look may not be in the backup yet. */
static bool
may_go(const struct keeping *k, const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_nlink == 1 && st->st_ctim.tv_sec < k->copied_s;
}

static bool
is_old(const struct keeping *k, const struct stat *st)
{
	return may_go(k, st) && age_of(k->c, st) >= k->counted->age;
}

/* Reads an entry of a folder into k->v[k->n]; false if it is no object. */
static bool
candidate_read(struct keeping *k, const char *folder, const char *name)
{
	struct candidate *one = &k->v[k->n];

	one->path = mem_printf(k->c->mem, "%s/%s", folder, name);
	return crypto_unhex(name, one->sha256, SHA256_BYTES) &&
	    !fstatat(k->root, one->path, &one->st, AT_SYMLINK_NOFOLLOW);
}

static enum err
folder_list(struct keeping *k, const char **path, struct names *names)
{
	*path = mem_printf(k->c->mem, "objects/%02x", (unsigned)(k->at->outer % FOLDERS));
	return dir_list(k->c, k->c->mem, k->root, *path, names);
}

#define KEPT(F, T) F(T, INT, i)
SHAPE(kept, KEPT);

/* Reduces the candidates to objects whose rows say that the store has them, and that no row is
 * about to change there. */
static enum err
recorded_keep(struct keeping *k)
{
	struct kept_list rows;

	TRY(db_all(k->c,
	    ROWS(kept,
		"SELECT CAST(j.i - 1 AS SIGNED) AS i FROM " HASH_TABLE
		" JOIN object_stored s ON s.sha256 = UNHEX(j.h)"
		" LEFT JOIN object_due d ON d.sha256 = s.sha256"
		" LEFT JOIN object_doomed g ON g.sha256 = s.sha256"
		" WHERE d.sha256 IS NULL AND g.sha256 IS NULL ORDER BY 1"),
	    ARGS(hashes_json(k->c, k->v->sha256, sizeof *k->v, k->n)), &rows));
	for (size_t i = 0; i < rows.n; i++)
		k->v[i] = k->v[rows.v[i].i];
	k->n = rows.n;
	return E_OK;
}

/* ---- counting ---- */

static enum err
candidates_count(struct keeping *k)
{
	if (k->n)
		TRY(recorded_keep(k));
	for (size_t i = 0; i < k->n; i++)
		k->counted->by_age[age_of(k->c, &k->v[i].st)] += k->v[i].st.st_blocks * BLOCK;
	k->n = 0;
	return E_OK;
}

static enum err
folder_count(struct keeping *k)
{
	struct names names;
	const char *path;

	TRY(folder_list(k, &path, &names));
	for (size_t i = 0; i < names.n; i++) {
		if (!candidate_read(k, path, names.v[i]))
			continue;
		k->counted->bytes += k->v[k->n].st.st_blocks * BLOCK;
		k->n += may_go(k, &k->v[k->n].st);
		if (k->n == SWEEP_ITEMS)
			TRY(candidates_count(k));
	}
	k->at->looked += (int64_t)names.n;
	return candidates_count(k);
}

/* ---- removing ---- */

/* Asks the store, and reduces the candidates to objects that it has in their full length. */
static enum err
stored_keep(struct keeping *k)
{
	struct s3_call *calls = mem_array(k->c->mem, struct s3_call, k->n);
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++)
		calls[i] = bucket_call(k->c, S3_HEAD, k->v[i].sha256);
	TRY(s3_calls(k->c, s3_store(k->c->conf), calls, k->n));
	for (size_t i = 0; i < k->n; i++) {
		if (calls[i].why && !calls[i].absent)
			return bucket_down(k->c, calls[i].why);
		if (calls[i].absent || calls[i].length != k->v[i].st.st_size)
			log_line(LOG_LEVEL_WARN, "recorded, but not in the store", "object",
			    k->v[i].path, NULL);
		else
			k->v[n++] = k->v[i];
	}
	k->n = n;
	return E_OK;
}

/* Removes candidates from data_dir, while no publish is between finding an object here and
 * committing a row that names it (the sweeper's lock). */
static enum err
candidates_remove(struct ctx *c, void *arg)
{
	struct keeping *k = arg;
	struct stat st;

	(void)c;
	TRY(recorded_keep(k));
	for (size_t i = 0; i < k->n && k->counted->left > 0; i++) {
		const struct candidate *one = &k->v[i];

		if (fstatat(k->root, one->path, &st, AT_SYMLINK_NOFOLLOW) || !is_old(k, &st))
			continue;
		if (unlinkat(k->root, one->path, 0))
			return fail_here(k->c, "%s can't be removed", one->path);
		k->counted->left -= st.st_blocks * BLOCK;
		k->at->removed++;
	}
	return E_OK;
}

/* Finds the next candidates of a folder, after at->id, which has the first digits of a digest.
 * *all: there are no more. */
static enum err
candidates_find(struct keeping *k, bool *all)
{
	enum { ID = sizeof k->at->id - 1 };
	struct names names;
	const char *path;
	size_t i = 0;

	TRY(folder_list(k, &path, &names));
	if (names.n)
		qsort(names.v, names.n, sizeof *names.v, str_order);
	while (i < names.n && strncmp(names.v[i], k->at->id, ID) <= 0)
		i++;
	for (; i < names.n && k->n < SWEEP_ITEMS; i++) {
		snprintf(k->at->id, sizeof k->at->id, "%.*s", ID, names.v[i]);
		k->at->looked++;
		k->n += candidate_read(k, path, names.v[i]) && is_old(k, &k->v[k->n].st);
	}
	*all = i == names.n;
	return E_OK;
}

/* ---- the round ---- */

static enum err
folder_do(struct keeping *k, int64_t keep)
{
	struct counted *counted = k->counted;
	int64_t bytes = 0;
	bool all = true;

	if (k->at->outer < FOLDERS) {
		TRY(folder_count(k));
	} else {
		TRY(candidates_find(k, &all));
		if (k->n)
			TRY(recorded_keep(k));
		if (k->n)
			TRY(stored_keep(k));
		if (k->n)
			TRY(sweep_alone(k->c, candidates_remove, k));
	}
	if (all) {
		k->at->outer++;
		*k->at->id = '\0';
	}
	/* All are counted: chooses the age from which on enough bytes may go. */
	if (k->at->outer == FOLDERS && all) {
		counted->left = counted->bytes - keep;
		counted->age = AGES;
		while (counted->age > 0 && bytes < counted->left)
			bytes += counted->by_age[--counted->age];
	}
	k->at->end = k->at->outer >= FOLDERS &&
	    (counted->left <= 0 || k->at->outer == 2 * FOLDERS);
	counted->next = k->at->outer;
	return E_OK;
}

static enum err
keep_piece(struct ctx *c, struct sweep_at *at)
{
	struct counted counted;
	struct keeping k = { .c = c, .at = at, .counted = &counted };
	int64_t keep;
	int fd;

	at->end = !conf_has(c->conf->store_url) || !str_int(c->conf->objects_keep, &keep);
	if (at->end)
		return E_OK;
	TRY(store_root_kept(c, &k.root));
	k.copied_s = sweep_copied_before(c->conf, k.root);
	k.v = mem_array(c->mem, struct candidate, SWEEP_ITEMS);
	fd = mem_fd(c->mem, beneath_open(k.root, "keep", O_RDWR | O_CREAT));
	if (fd < 0)
		return fail_here(c, "keep can't be opened");
	if (pread(fd, &counted, sizeof counted, 0) != sizeof counted || !at->outer ||
	    counted.next != at->outer) {
		memset(&counted, 0, sizeof counted);
		at->outer = 0;
		*at->id = '\0';
	}
	TRY(folder_do(&k, keep));
	if (pwrite(fd, &counted, sizeof counted, 0) != sizeof counted)
		return fail_here(c, "keep can't be written");
	return E_OK;
}

ROUNDS(objects_keep, { "objects_keep", .piece = keep_piece, .how = DAILY });
