/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/log.h"

#include "archive/event.h"
#include "archive/objects.h"
#include "archive/pipe.h"
#include "archive/room.h"
#include "archive/tool.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/log.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	PIECE_BYTES = 16 << 20,
	WHY_BYTES = 300,
	PART_MS = 5000, /* for which the lock is held, and then to the end of what was begun */
	FETCH_S = 3600 /* for one file of the log */
};

/* ---- the chain ---- */

/* data_dir/archive/chain: the name of this installation's chain, and where it began. */
struct chain {
	const char *name;
	struct log_at at;
	int64_t sequence; /* the last piece of the backup before it */
};

static enum err
chain_read(struct ctx *c, struct chain *out)
{
	const char *path = archive_path(c, "chain");
	char *rest = (char *)(uintptr_t)conf_secret(c->mem, path);
	char *at, *sequence;

	*out = (struct chain){ 0 };
	if (!rest)
		return errno == ENOENT ? E_OK : fail_here(c, "%s", path);
	out->name = str_split(&rest, ' ');
	sequence = rest ? str_split(&rest, ' ') : NULL;
	at = rest ? str_split(&rest, ' ') : NULL;
	out->at.file = rest;
	if (!rest || !str_int(at, &out->at.at) || !str_int(sequence, &out->sequence))
		*out = (struct chain){ 0 };
	return E_OK;
}

static enum err
chain_begin(struct ctx *c, const struct chains *all, const struct log_at *at, struct chain *out)
{
	uint8_t random[CHAIN_CHARS / 2];
	const char *line;

	crypto_random(random, sizeof random);
	*out = (struct chain){ crypto_hex(c->mem, random, sizeof random), *at,
		all->log_n ? all->log[all->log_n - 1].sequence : 0 };
	line = mem_printf(c->mem, "%s %lld %lld %s\n", out->name, (long long)out->sequence,
	    (long long)at->at, at->file);
	return state_write(c, archive_path(c, "chain"), line, strlen(line), NULL);
}

enum err
base_newest(struct ctx *c, const struct chains *all, const struct base **out)
{
	struct chain chain;

	*out = NULL;
	TRY(chain_read(c, &chain));
	for (size_t i = 0; i < all->base_n; i++)
		if (chain.name && str_eq(all->bases[i].chain, chain.name))
			*out = &all->bases[i];
	return E_OK;
}

/* ---- the server's log ---- */

#define LOG_FILE(F, T) \
	F(T, STR, Log_name) \
	F(T, INT, File_size)
SHAPE(log_file, LOG_FILE);
#define SERVER_NOW(F, T) F(T, INT, now)
SHAPE(server_now, SERVER_NOW);

struct copying {
	struct ctx *c;
	const struct archive *archive;
	const struct conf *reader; /* connects as backup_db_user */
	struct log_file_list files;
	int64_t now; /* by the database's clock, before the files were listed */
	struct chain chain;
	struct log_at at; /* up to which the log is copied */
	int64_t sequence, until_ms;
	struct log_round *out;
};

/* Lists the server's files, as backup_db_user. */
static enum err
server_logs_list(struct copying *k)
{
	struct conf *reader = mem_dup(k->c->mem, k->c->conf, sizeof *k->c->conf);
	struct ctx *one;
	struct server_now *now;
	enum err e;

	reader->db_user = k->c->conf->backup_db_user;
	reader->db_password_file = k->c->conf->backup_db_password_file;
	reader->db_name = "information_schema";
	k->reader = reader;
	one = ctx_begin(reader, NULL);
	one->db = db_new(one->mem, reader, (int)reader->runner_statement_s);
	db_any_schema(one->db);
	e = db_one(one, ROWS(server_now, "SELECT UNIX_TIMESTAMP() AS now"), NOARGS, &now);
	k->now = e ? 0 : now->now;
	e = e ? e : db_all(one, ROWS(log_file, "SHOW BINARY LOGS"), NOARGS, &k->files);
	for (size_t i = 0; !e && i < k->files.n; i++)
		k->files.v[i].Log_name = mem_strdup(k->c->mem, k->files.v[i].Log_name);
	errno = 0;
	if (e)
		fail_here(k->c, "the binary log can't be listed as %s: %s", reader->db_user,
		    ctx_why(one));
	else
		k->files.v = mem_dup(k->c->mem, k->files.v, k->files.n * sizeof *k->files.v);
	ctx_end(one);
	if (!e && !k->files.n)
		return fail_here(k->c, "MariaDB writes no binary log; set log_bin");
	return e ? k->c->err : E_OK;
}

/* Finds where the copied log ends. Begins a new chain if it can't be continued. */
static enum err
copying_begin(struct copying *k)
{
	const struct log_file *last = &k->files.v[k->files.n - 1];
	struct ctx *c = k->c;
	const struct log_piece *p;
	struct chains all;

	TRY(chains_read(c, k->archive, &all));
	TRY(chain_read(c, &k->chain));
	if (k->chain.name && !chains_have(&all, k->chain.name)) {
		/* Another place, or one that was emptied. */
		log_line(LOG_LEVEL_ERROR,
		    "the backup has nothing of this log; everything is copied anew", "place",
		    k->archive->place.name, NULL);
		k->chain.name = NULL;
		TRY(objects_anew(c));
	}
	k->sequence = all.log_n ? all.log[all.log_n - 1].sequence : 0;
	k->at = k->chain.at;
	for (p = all.log; k->chain.name && p < all.log + all.log_n; p++)
		if (str_eq(p->chain, k->chain.name))
			k->at = (struct log_at){ p->file, p->to };
	for (size_t i = 0; k->chain.name && i < k->files.n; i++)
		if (str_eq(k->files.v[i].Log_name, k->at.file) &&
		    k->files.v[i].File_size >= k->at.at)
			return E_OK;
	if (k->chain.name)
		log_line(LOG_LEVEL_ERROR,
		    "the binary log was purged before it was copied; a new base is made", "file",
		    k->at.file, NULL);
	k->at = (struct log_at){ last->Log_name, last->File_size };
	k->out->began = true;
	return chain_begin(c, &all, &k->at, &k->chain);
}

/* ---- pieces ---- */

/* Copies n bytes of a file, from an offset, into the piece. */
static enum err
span_add(struct ctx *c, struct frames *f, int fd, int64_t at, int64_t n)
{
	return lseek(fd, at, SEEK_SET) < 0 ? fail_here(c, "the copied log can't be read")
					   : frames_fill(c, f, fd, n, NULL);
}

/* A stretch of the fetched file. */
struct stretch {
	int64_t begin, end; /* offsets */
	int64_t to;         /* the position in the server's file at its end */
	int64_t second;     /* of its last transaction; 0: there is none */
	struct event first; /* of that transaction */
};

static enum err
piece_put(struct copying *k, const struct events *e, const struct stretch *s, int64_t through)
{
	struct ctx *c = k->c;
	struct log_piece piece = { .sequence = k->sequence + 1, .chain = k->chain.name,
		.through = through, .from = k->at.at, .to = s->to,
		.gtid = s->second ? event_gtid(k->c->mem, &s->first) : "-", .file = k->at.file };
	struct frames *f;
	struct put *p;

	log_piece_name(c->mem, &piece);
	TRY(piece_begin(c, c->mem, k->archive, piece.name, &p, &f));
	TRY(span_add(c, f, e->fd, 0, e->format_end));
	TRY(span_add(c, f, e->fd, s->begin, s->end - s->begin));
	TRY(piece_end(c, p, f));
	k->sequence++;
	k->at.at = s->to;
	k->out->pieces++;
	k->out->bytes += s->end - s->begin;
	return E_OK;
}

/* True for an event at which a file can end without cutting a transaction in two. */
static bool
event_ends(const struct event *e)
{
	static const int within[] = { EVENT_GTID, 5, 13, 14, 19, 23, 24, 25, 160, 166, 167, 168,
		169, 170, 171 };

	for (size_t i = 0; i < sizeof within / sizeof *within; i++)
		if (e->type == within[i])
			return false;
	return true;
}

/* Puts what a fetched file has into pieces of whole transactions. all: it has everything that was
 * committed before the log was listed; otherwise a later fetch may have more of its last second. */
static enum err
file_cut(struct copying *k, int fd, bool all)
{
	struct ctx *c = k->c;
	struct events e;
	struct stretch s = { .second = 0 }, whole;
	const char *name = k->at.file;
	bool any;

	TRY(events_begin(c, fd, name, &e));
	s.begin = s.end = e.format_end;
	s.to = k->at.at;
	whole = s;
	for (;;) {
		TRY(events_next(c, &e, name, &any));
		if (!any)
			break;
		if (e.now.type == EVENT_GTID) {
			if (s.end - s.begin >= PIECE_BYTES) {
				TRY(piece_put(k, &e, &s, e.now.second - 1));
				s.begin = s.end;
			}
			s.second = e.now.second;
			s.first = e.now;
		}
		s.end = e.at;
		s.to = e.now.end ? e.now.end : s.to;
		if (event_ends(&e.now))
			whole = s;
	}
	/* An unfinished transaction comes with the next fetch. */
	whole.begin = s.begin;
	if (whole.end <= whole.begin)
		return E_OK;
	return piece_put(k, &e, &whole, all ? k->now - 1 : whole.second ? whole.second - 1 : 0);
}

/* Logs why mariadb-binlog failed. Returns whether the file's end is cut off. */
static bool
cut_off(struct ctx *c, const char *path)
{
	int fd = mem_fd(c->mem, open(path, O_RDONLY | O_CLOEXEC));
	char text[WHY_BYTES + 1] = "";

	if (fd < 0 || read(fd, text, WHY_BYTES) < 0)
		return false;
	if (*text)
		log_line(LOG_LEVEL_WARN, "mariadb-binlog", "said", str_one_line(c->mem, text),
		    NULL);
	return strstr(text, "truncated") != NULL;
}

/* Fetches the rest of the file at k->at into data_dir/archive, and puts it into pieces. last: the
 * server writes to it. *over: its end is cut off, which happens where MariaDB was killed. */
static enum err
file_fetch(struct copying *k, bool last, bool *over)
{
	struct ctx *c = k->c;
	const char *prefix = archive_path(c, "fetch-"), *said = archive_path(c, "fetch.err");
	const char *path = mem_printf(c->mem, "%s%s", prefix, k->at.file);
	int64_t from = k->at.at;
	struct tool t;
	enum err e, failed;
	bool cut;
	int fd;

	unlink(path);
	TRY(tool_client(c, k->reader, "mariadb-binlog", &t));
	t.err = mem_fd(c->mem, open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640));
	tool_add(&t, "--read-from-remote-server");
	tool_add(&t, "--raw");
	tool_add(&t, mem_printf(c->mem, "--start-position=%lld", (long long)k->at.at));
	tool_add(&t, mem_printf(c->mem, "--result-file=%s", prefix));
	tool_add(&t, k->at.file);
	TRY(tool_start(c, &t));
	failed = tool_end_within(c, &t, FETCH_S);
	fd = mem_fd(c->mem, open(path, O_RDONLY | O_CLOEXEC));
	unlink(path);
	cut = failed && cut_off(c, said);
	if (fd < 0)
		return failed ? failed : fail_here(c, "%s is missing", path);
	/* Objects first, so that a listed piece has its bytes. */
	e = objects_copy(c, k->archive, 0, &k->out->objects, NULL);
	e = e ? e : file_cut(k, fd, last && !failed);
	*over = !e && cut && k->at.at == from;
	return e ? e : *over ? ctx_forgive(c) : failed;
}

static enum err
copying_run(struct copying *k)
{
	const struct log_file *last = &k->files.v[k->files.n - 1];

	for (size_t i = 0; i < k->files.n; i++) {
		const struct log_file *f = &k->files.v[i];
		const char *next;
		bool over = false;

		if (!str_eq(f->Log_name, k->at.file))
			continue;
		if (k->at.at < f->File_size)
			TRY(file_fetch(k, f == last, &over));
		if (f == last)
			break;
		if (k->at.at < f->File_size && !over)
			return E_OK;
		next = log_file_next(k->c->mem, k->at.file);
		if (!next)
			return fail_here(k->c, "%s isn't the name of a binary log", k->at.file);
		k->at = (struct log_at){ next, BINLOG_BEGIN };
		k->out->more = clock_ms() >= k->until_ms;
		if (k->out->more)
			return E_OK;
	}
	return E_OK;
}

static enum err
part_copy(struct copying *k)
{
	const struct log_file *last;
	int64_t before = k->out->pieces;

	TRY(server_logs_list(k));
	last = &k->files.v[k->files.n - 1];
	TRY(copying_begin(k));
	/* The first time, these are all of the store. */
	TRY(objects_copy(k->c, k->archive, k->until_ms, &k->out->objects, &k->out->more));
	if (k->out->more)
		return E_OK;
	TRY(copying_run(k));
	/* If nothing was left to fetch, nothing was committed. */
	if (k->out->pieces > before || k->out->more || !str_eq(k->at.file, last->Log_name) ||
	    k->at.at < last->File_size)
		return E_OK;
	return mark_put(k->c, k->archive,
	    &(struct mark){ k->chain.name, k->sequence, k->now - 1 });
}

enum err
log_copy(struct ctx *c, const struct archive *archive, struct log_round *out)
{
	/* Frees memory and lock at its end. */
	struct ctx *one = ctx_begin(c->conf, c->db);
	struct copying k = { .c = one, .archive = archive, .out = out,
		.until_ms = clock_ms() + PART_MS };
	enum err e = archive_lock(one, one->mem);

	out->more = false;
	return ctx_join(c, one, e ? e : part_copy(&k));
}

enum err
log_copy_all(struct ctx *c, const struct archive *archive, struct log_round *out)
{
	TRY(log_copy(c, archive, out));
	while (out->more) {
		nanosleep(&(struct timespec){ .tv_nsec = LOG_REST_MS * 1000000L }, NULL);
		TRY(log_copy(c, archive, out));
	}
	return E_OK;
}

/* ---- bases ---- */

enum { HEAD_MOST = 1 << 20 };

/* Finds the position in the dump's head. Returns false if it isn't there yet. */
static bool
dump_position(void *owner, const char *head, struct log_at *out)
{
	const char *file = strstr(head, "MASTER_LOG_FILE='"), *at, *end;

	if (!file)
		return false;
	file += strlen("MASTER_LOG_FILE='");
	end = strchr(file, '\'');
	at = end ? strstr(end, "MASTER_LOG_POS=") : NULL;
	if (!at || !strchr(at, ';'))
		return false;
	out->file = mem_strndup(owner, file, (size_t)(end - file));
	out->at = strtoll(at + strlen("MASTER_LOG_POS="), NULL, 10);
	return true;
}

static enum err
base_write(struct ctx *c, const struct archive *archive, const struct chain *chain,
    int64_t sequence, int from, struct put **p, struct base *b)
{
	struct server_now *now;
	struct frames *f;
	char *head = mem_zalloc(c->mem, HEAD_MOST + 1);
	size_t n = 0;

	*b = (struct base){ .sequence = sequence, .chain = chain->name };
	/* The dump's head has its position. */
	while (!dump_position(c->mem, head, &b->at)) {
		ssize_t got;

		TRY(pipe_read(c, from, head + n, HEAD_MOST - n, "mariadb-dump", &got));
		if (got <= 0)
			return fail_here(c, "mariadb-dump wrote no position in the log");
		n += (size_t)got;
	}
	TRY(db_one(c, ROWS(server_now, "SELECT UNIX_TIMESTAMP() AS now"), NOARGS, &now));
	b->second = now->now;
	base_name(c->mem, b);
	TRY(piece_begin(c, c->mem, archive, b->name, p, &f));
	TRY(frames_add(c, f, head, n));
	TRY(frames_fill(c, f, from, -1, NULL));
	return frames_end(c, f);
}

enum err
base_make(struct ctx *c, const struct archive *archive, const char **name)
{
	int64_t sequence, copied = 0;
	struct chains all;
	struct chain chain;
	struct base b;
	struct tool t;
	struct put *p;
	enum err e;
	int ends[2];

	TRY(chain_read(c, &chain));
	if (!chain.name)
		return fail(c, E_CONFLICT,
		    "the log must be copied before a base is made; "
		    "start the runner, or run vitrinectl backup --log");
	/* For a store, all of a piece lies here first. */
	TRY(room_for_dump(
	    c, archive->place.stored ? archive_path(c, "") : archive->place.name));
	TRY(chains_read(c, archive, &all));
	sequence = all.log_n ? all.log[all.log_n - 1].sequence : 0;
	TRY(tool_client(c, c->conf, "mariadb-dump", &t));
	tool_add(&t, "--single-transaction");
	tool_add(&t, "--hex-blob");
	tool_add(&t, "--skip-lock-tables");
	tool_add(&t, "--master-data=2");
	tool_add(&t, c->conf->db_name);
	TRY(tool_listen(c, c->mem, &t));
	TRY(pipe_make(c, ends, 0));
	t.out = ends[1];
	e = tool_start(c, &t);
	close(ends[1]);
	mem_fd(c->mem, ends[0]);
	e = e ? e : base_write(c, archive, &chain, sequence, ends[0], &p, &b);
	TRY(e ? tool_failed(c, &t, e) : tool_end_within(c, &t, (int)c->conf->backup_statement_s));
	/* The objects that its rows name are there before it is listed. */
	TRY(archive_lock(c, p));
	TRY(objects_copy(c, archive, 0, &copied, NULL));
	TRY(place_put_end(c, p));
	mem_free(p);
	*name = b.name;
	return E_OK;
}

/* ---- retention ---- */

#define PROVED(F, T) F(T, STR, base)
SHAPE(proved, PROVED);

enum err
archive_expire(struct ctx *c, const struct archive *archive)
{
	int64_t until = c->now - c->conf->backup_days * 86400, second, sequence;
	const struct base *b;
	struct proved *proved;
	struct chains all;
	size_t first = 0;

	TRY(archive_lock(c, c->mem));
	TRY(place_tidy(c, &archive->place));
	TRY(chains_read(c, archive, &all));
	for (size_t i = 0; i < all.spare.n; i++)
		TRY(place_delete(c, &archive->place, all.spare.v[i]));
	if (!all.base_n)
		return E_OK;
	TRY(db_find(c,
	    ROWS(proved,
		"SELECT base FROM backup_proof WHERE why IS NULL ORDER BY id DESC LIMIT 1"),
	    NOARGS, &proved));
	/* With the first base that is kept, the backup reaches back backup_days. */
	while (first + 1 < all.base_n && all.bases[first + 1].second <= until)
		first++;
	second = all.bases[first].second;
	sequence = all.bases[first].sequence;
	for (b = all.bases; b < all.bases + first; b++) {
		if (proved && str_eq(b->name, proved->base)) {
			second = b->second;
			sequence = b->sequence;
			break;
		}
		TRY(place_delete(c, &archive->place, b->name));
	}
	/* No kept base needs these. The last piece stays: its name says how far the log goes. */
	for (size_t i = 0; i + 1 < all.log_n && all.log[i].sequence <= sequence; i++)
		TRY(place_delete(c, &archive->place, all.log[i].name));
	return objects_expire(c, archive, second);
}
