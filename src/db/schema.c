/* SPDX-License-Identifier: Apache-2.0 */
#include "db/schema.h"

#include "base/str.h"

#include <dirent.h>
#include <errno.h>

#define MIGRATED(F, T) \
	F(T, INT, version) \
	F(T, INT, step)
SHAPE_DECLARE(migrated, MIGRATED);
SHAPE_DEFINE(migrated, MIGRATED);

static const char create[] =
    "CREATE TABLE IF NOT EXISTS schema_migration (version INT NOT NULL PRIMARY KEY,"
    " step INT NOT NULL, done BOOLEAN NOT NULL, changed_at BIGINT NOT NULL) ENGINE=InnoDB";

enum err
schema_version(struct ctx *c, int64_t *out)
{
	struct migrated *row;

	TRY(db_run(c, create, strlen(create)));
	TRY(db_one(c,
	    ROWS(migrated,
		"SELECT COALESCE(MAX(version), 0) AS version FROM schema_migration WHERE done"),
	    NOARGS, &row));
	*out = row->version;
	return E_OK;
}

enum err
schema_check(struct ctx *c)
{
	struct migrated *row = NULL;

	TRY(db_connect(c));
	if (db_one(c,
		ROWS(migrated,
		    "SELECT COALESCE(MAX(IF(done, version, 0)), 0) AS version,"
		    " COALESCE(MAX(version), 0) AS step FROM schema_migration"),
		NOARGS, &row) == E_OK &&
	    row->version == SCHEMA_VERSION && row->step == SCHEMA_VERSION)
		return E_OK;
	if (c->err != E_OK && c->replay)
		return c->err;
	errno = 0;
	if (row && row->step > SCHEMA_VERSION)
		fail_here(c,
		    "the database has schema %lld, newer than this program's %d: "
		    "install its release",
		    (long long)row->step, SCHEMA_VERSION);
	else
		fail_here(c, "the database does not have schema %d: run vitrinectl migrate apply",
		    SCHEMA_VERSION);
	return c->err = E_UNAVAILABLE;
}

/* ---- applying ---- */

static bool
is_done_already(const struct ctx *c)
{
	/* A killed run may have made the table, column or key without recording the step. */
	return c->internal &&
	    (strstr(c->internal, "error 1050:") || strstr(c->internal, "error 1060:") ||
		strstr(c->internal, "error 1061:"));
}

static enum err
step_record(struct ctx *c, int64_t version, int64_t step, bool done)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO schema_migration (version, step, done, changed_at) VALUES (?, ?, ?, ?)"
		" ON DUPLICATE KEY UPDATE step = VALUES(step), done = VALUES(done),"
		" changed_at = VALUES(changed_at)"),
	    ARGS(version, step, done, c->now), NULL);
}

static enum err
migration_read(struct ctx *c, const char *path, char **text)
{
	struct buf b = BUF(c->mem);
	FILE *f = fopen(path, "re");
	char chunk[4096];
	size_t n;

	if (!f)
		return fail_here(c, "%s", path);
	while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
		buf_add(&b, chunk, n);
	fclose(f);
	*text = mem_strdup(c->mem, buf_done(&b));
	return E_OK;
}

/* The next statement: lines without comments up to one that ends in ";". NULL at the end. */
static const char *
statement_next(struct ctx *c, char **rest)
{
	struct buf b = BUF(c->mem);
	char *line;

	while ((line = str_split(rest, '\n'))) {
		if (str_starts(line, "--") || !*line)
			continue;
		buf_fmt(&b, "%s\n", line);
		if (str_ends(line, ";")) {
			b.s[b.n - 2] = '\0';
			return b.s;
		}
	}
	return NULL;
}

static enum err
file_apply(struct ctx *c, const char *path, int64_t version)
{
	struct migrated *at;
	const char *sql;
	char *rest;
	int64_t step = 0;

	TRY(migration_read(c, path, &rest));
	TRY(db_find(c,
	    ROWS(migrated, "SELECT version, step FROM schema_migration WHERE version = ?"),
	    ARGS(version), &at));
	while ((sql = statement_next(c, &rest))) {
		if (++step <= (at ? at->step : 0))
			continue;
		if (db_run(c, sql, strlen(sql)) && !is_done_already(c))
			return c->err;
		TRY(step_record(c, version, step, false));
	}
	return step_record(c, version, step, true);
}

static enum err
files_find(struct ctx *c, const char *dir, struct strs *out)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	*out = (struct strs){ 0 };
	if (!d)
		return fail_here(c, "%s", dir);
	while ((entry = readdir(d))) {
		if (!isdigit((unsigned char)*entry->d_name) || !str_ends(entry->d_name, ".sql"))
			continue;
		out->v = mem_grow(c->mem, out->v, (out->n + 1) * sizeof *out->v);
		out->v[out->n++] = mem_strdup(c->mem, entry->d_name);
	}
	closedir(d);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, str_order);
	return E_OK;
}

enum err
schema_apply(struct ctx *c, const char *dir, int64_t *applied)
{
	struct strs files;
	int64_t have;

	*applied = 0;
	TRY(schema_version(c, &have));
	TRY(files_find(c, dir, &files));
	for (size_t i = 0; i < files.n; i++) {
		int64_t version = strtol(files.v[i], NULL, 10);

		if (version <= have)
			continue;
		TRY(file_apply(c, mem_printf(c->mem, "%s/%s", dir, files.v[i]), version));
		++*applied;
	}
	TRY(schema_version(c, &have));
	errno = 0;
	return have == SCHEMA_VERSION
	    ? E_OK
	    : fail_here(c, "the database has schema %lld; this program needs %d", (long long)have,
		  SCHEMA_VERSION);
}
