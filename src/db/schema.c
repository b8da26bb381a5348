/* SPDX-License-Identifier: Apache-2.0 */
#include "db/schema.h"

#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <time.h>

static const char create[] =
    "CREATE TABLE IF NOT EXISTS schema_migration (version INT NOT NULL PRIMARY KEY,"
    " step INT NOT NULL, done BOOLEAN NOT NULL, changed_at BIGINT NOT NULL) ENGINE=InnoDB";
static const char add_compatible[] = "ALTER TABLE schema_migration ADD COLUMN compatible INT";

enum err
schema_version(struct ctx *c, int64_t *out)
{
	int64_t tables;

	TRY(db_connect(c));
	TRY(db_numbers(c,
	    "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()"
	    " AND table_name = 'schema_migration'", &tables, 1));
	*out = 0;
	if (!tables)
		return E_OK;
	return db_numbers(c, "SELECT MAX(version) FROM schema_migration WHERE done", out, 1);
}

enum err
schema_lowest(struct ctx *c, int64_t *out)
{
	return db_numbers(c,
	    "SELECT MAX(COALESCE(compatible, version)) FROM schema_migration WHERE done", out, 1);
}

enum err
schema_look(struct ctx *c)
{
	/* Highest version done; highest begun; lowest program version that can run. */
	int64_t is[3] = { 0 };
	enum err e = db_numbers(c,
	    "SELECT MAX(IF(done, version, 0)), MAX(version), MAX(COALESCE(compatible, version))"
	    " FROM schema_migration", is, 3);

	if (!e && is[0] >= SCHEMA_VERSION && is[2] <= SCHEMA_VERSION)
		return E_OK;
	if (e && c->replay)
		return e;
	errno = 0;
	c->replay = false;
	if (is[1] > SCHEMA_VERSION)
		fail_here(c,
		    "the database has schema %lld, newer than this program's %d: "
		    "install its release",
		    (long long)is[1], SCHEMA_VERSION);
	else
		fail_here(c, "the database does not have schema %d: run vitrinectl migrate apply",
		    SCHEMA_VERSION);
	return c->err = E_UNAVAILABLE;
}

enum err
schema_check(struct ctx *c)
{
	enum err e;

	TRY(db_connect(c));
	e = schema_look(c);
	if (!e || !c->replay)
		return e;
	/* The connection was lost while idle. */
	ctx_again(c);
	TRY(db_connect(c));
	return schema_look(c);
}

/* ---- applying ---- */

static enum err
step_record(struct ctx *c, int64_t version, int64_t step, bool done)
{
	return db_exec(c,
	    EXEC("UPDATE schema_migration SET step = ?, done = ?, changed_at = ?"
		 " WHERE version = ?"),
	    ARGS(step, done, c->now, version), NULL);
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

/* Returns the next statement: the lines up to one that ends in ";", without comments. NULL at the
 * end. */
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

struct migration {
	int64_t version;
	int64_t bears; /* the lowest program version that can run on its result */
	char *text;
};
struct migrations {
	struct migration *v;
	size_t n;
	int64_t bears;
};

static enum err
migration_apply(struct ctx *c, const struct migration *m)
{
	char *rest = m->text;
	const char *sql;
	int64_t done, step = 0;

	TRY(db_numbers(c,
	    mem_printf(c->mem, "SELECT step FROM schema_migration WHERE version = %lld",
		(long long)m->version), &done, 1));
	while ((sql = statement_next(c, &rest))) {
		if (++step <= done)
			continue;
		/* A run that was killed may have made the table, column or key without recording
		 * the step. */
		if (db_run(c, sql, strlen(sql)) &&
		    !(c->internal &&
			(strstr(c->internal, "error 1050:") || strstr(c->internal, "error 1060:") ||
			    strstr(c->internal, "error 1061:"))))
			return c->err;
		TRY(step_record(c, m->version, step, false));
	}
	return step_record(c, m->version, step, true);
}

/* Reads the migrations after version `have`. */
static enum err
migrations_read(struct ctx *c, const char *dir, int64_t have, struct migrations *out)
{
	static const char compatible[] = "-- compatible: ";
	struct strs files = { 0 };
	DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		return fail_here(c, "%s", dir);
	while ((entry = readdir(d)))
		if (isdigit((unsigned char)*entry->d_name) && str_ends(entry->d_name, ".sql"))
			strs_add(c->mem, &files, mem_strdup(c->mem, entry->d_name));
	closedir(d);
	if (files.n)
		qsort(files.v, files.n, sizeof *files.v, str_order);
	*out = (struct migrations){ .v = mem_array(c->mem, struct migration, files.n) };
	for (size_t i = 0; i < files.n; i++) {
		struct migration *m = &out->v[out->n];

		m->version = m->bears = strtol(files.v[i], NULL, 10);
		if (m->version <= have)
			continue;
		TRY(migration_read(c, mem_printf(c->mem, "%s/%s", dir, files.v[i]), &m->text));
		if (str_starts(m->text, compatible))
			m->bears = strtol(m->text + strlen(compatible), NULL, 10);
		out->bears = m->bears > out->bears ? m->bears : out->bears;
		out->n++;
	}
	return E_OK;
}

/* ---- other connections ---- */

#define OTHER(F, T) \
	F(T, INT, id) \
	F(T, STR, who)
SHAPE(other, OTHER);

/* Waits until the present connections have ended. Without cut it waits half a second, enough for
 * one that was refused and is closing. With cut it kills them; new ones are refused already, and
 * one that is committing finishes first. */
static enum err
others_gone(struct ctx *c, bool cut, const char *way)
{
	enum { NAMED = 10 };
	const struct timespec between = { .tv_nsec = 50000000 };
	struct other_list others;
	struct buf b = BUF(c->mem);
	int64_t newest = INT64_MAX;

	for (int tries = cut ? 200 : 10; tries > 0; tries--) {
		/* The program's name is known only if performance_schema is on. */
		TRY(db_all(c,
		    ROWS(other,
			"SELECT p.id, CONCAT(p.user, ' from ', p.host,"
			" COALESCE(CONCAT(' (', a.attr_value, ')'), ''),"
			" IF(p.command = 'Sleep', ', idle', ', busy'), ' for ', p.time, ' s')"
			" AS who"
			" FROM information_schema.processlist p"
			" LEFT JOIN performance_schema.session_account_connect_attrs a"
			" ON a.processlist_id = p.id AND a.attr_name = 'program_name'"
			" WHERE p.db = DATABASE() AND p.id <> CONNECTION_ID() AND p.id <= ?"
			" ORDER BY p.id"),
		    ARGS(newest), &others));
		if (!others.n)
			return E_OK;
		newest = newest < INT64_MAX ? newest : others.v[others.n - 1].id;
		for (size_t i = 0; cut && i < others.n; i++) {
			const char *kill =
			    mem_printf(c->mem, "KILL %lld", (long long)others.v[i].id);

			/* The connection may have ended by itself. */
			if (db_run(c, kill, strlen(kill)))
				ctx_forgive(c);
		}
		nanosleep(&between, NULL);
	}
	for (size_t i = 0; i < others.n && i < NAMED; i++)
		buf_fmt(&b, "\n  %s", others.v[i].who);
	if (others.n > NAMED)
		buf_fmt(&b, "\n  and %zu more", others.n - NAMED);
	return fail(c, E_CONFLICT, "%s connected to the database:%s\n%s",
	    others.n == 1 ? "another program is" : "others are", buf_done(&b), way);
}

/* ---- apply ---- */

static enum err
migrations_apply(struct ctx *c, const struct migrations *all, bool cut, int64_t running)
{
	int64_t bears;

	TRY(schema_lowest(c, &bears));
	/* bears is 0 for an empty database, which no program can be using. */
	if (bears && running > bears)
		bears = running;
	if (bears && all->bears > bears && !cut)
		TRY(others_gone(c, false,
		    "stop the pools, the runner, and cron, or cut them off: "
		    "vitrinectl migrate apply --force"));
	/* From now on a program that can't run on these versions is refused when it connects. */
	for (size_t i = 0; i < all->n; i++)
		TRY(db_exec(c,
		    EXEC("INSERT INTO schema_migration"
			 " (version, step, done, changed_at, compatible) VALUES (?, 0, FALSE, ?, ?)"
			 " ON DUPLICATE KEY UPDATE compatible = VALUES(compatible)"),
		    ARGS(all->v[i].version, c->now, all->v[i].bears), NULL));
	if (bears && all->bears > bears)
		TRY(others_gone(c, true, "they can't be cut off; run migrate apply again"));
	for (size_t i = 0; i < all->n; i++)
		TRY(migration_apply(c, &all->v[i]));
	return E_OK;
}

enum err
schema_apply(struct ctx *c, const char *dir, bool cut, int64_t running, int64_t *applied)
{
	struct migrations all;
	int64_t have, columns;

	TRY(db_run(c, create, strlen(create)));
	TRY(schema_version(c, &have));
	TRY(db_numbers(c,
	    "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE()"
	    " AND table_name = 'schema_migration' AND column_name = 'compatible'", &columns, 1));
	if (!columns)
		TRY(db_run(c, add_compatible, strlen(add_compatible)));
	TRY(migrations_read(c, dir, have, &all));
	if (all.n)
		TRY(migrations_apply(c, &all, cut, running));
	*applied = (int64_t)all.n;
	TRY(schema_version(c, &have));
	errno = 0;
	return have >= SCHEMA_VERSION
	    ? schema_look(c)
	    : fail_here(c, "the database has schema %lld; this program needs %d", (long long)have,
		  SCHEMA_VERSION);
}
