/* SPDX-License-Identifier: Apache-2.0 */
#include "site/stats.h"

#include "base/buf.h"
#include "base/conf.h"
#include "base/id.h"
#include "base/lease.h"
#include "base/str.h"
#include "core/event.h"
#include "core/follow.h"
#include "core/spread.h"
#include "db/ids.h"
#include "store/rounds.h"
#include "store/viewlog.h"

enum { DAY_S = 86400, SUMS = 500, SLOTS = 1024 };

SHAPE_DEFINE(stats_day, STATS_DAY);
SHAPE_DEFINE(stats, STATS);
SHAPE_DEFINE(stats_query, STATS_QUERY);

/* ---- reading ---- */

#define DAY_VIEWS(F, T) \
	F(T, INT, day) \
	F(T, INT, views)
SHAPE(day_views, DAY_VIEWS);

enum err
stats_get(struct ctx *c, const struct artifact *a, int64_t days, struct stats *out)
{
	struct stats_day *all = mem_array(c->mem, struct stats_day, (size_t)days);
	int64_t first = c->now / DAY_S - days + 1;
	struct day_views_list rows;

	TRY(db_all(c,
	    ROWS(day_views,
		"SELECT day, views FROM view_day WHERE artifact_id = ? AND day >= ? AND day < ?"),
	    ARGS(a->id, first, first + days), &rows));
	*out = (struct stats){ .days = { all, (size_t)days } };
	for (int64_t i = 0; i < days; i++) {
		all[i].begins_at = (first + i) * DAY_S;
		all[i].day = mem_strndup(
		    c->mem, str_rfc3339(c->mem, all[i].begins_at), strlen("2026-01-02"));
	}
	for (size_t i = 0; i < rows.n; i++) {
		all[rows.v[i].day - first].views = rows.v[i].views;
		out->views += rows.v[i].views;
	}
	return E_OK;
}

#define ART_VIEWS(F, T) \
	F(T, INT, i) \
	F(T, INT, views)
SHAPE(art_views, ART_VIEWS);

enum err
stats_of(struct ctx *c, const char *const *ids, size_t n, int64_t days, int64_t *views)
{
	int64_t today = c->now / DAY_S;
	struct buf b = BUF(c->mem);
	struct art_views_list rows;

	for (size_t i = 0; i < n; i++)
		buf_fmt(&b, "%c[%zu,\"%s\"]", i ? ',' : '[', i, ids[i]);
	if (!n)
		return E_OK;
	buf_chr(&b, ']');
	TRY(db_all(c,
	    ROWS(art_views,
		"SELECT STRAIGHT_JOIN j.i, CAST(SUM(v.views) AS SIGNED) AS views"
		" FROM JSON_TABLE(?, '$[*]' COLUMNS"
		" (i INT PATH '$[0]', id " SQL_ID " PATH '$[1]')) j"
		" JOIN view_day v ON v.artifact_id = j.id AND v.day > ? AND v.day <= ?"
		" GROUP BY j.i"),
	    ARGS(buf_done(&b), today - days, today), &rows));
	for (size_t i = 0; i < rows.n; i++)
		views[rows.v[i].i] = rows.v[i].views;
	return E_OK;
}

/* ---- a line of the log ---- */

/* The views of one log line, or the sum of several of a slug and day. */
struct view_sum {
	const char *slug;
	int64_t day, views, entries, versions, bots;
};

/* Returns true for a domain of an artifact's own. A JSON text can have it as it is. */
static bool
name_is_host(const char *name)
{
	size_t n = strlen(name);

	return n <= 253 && strchr(name, '.') &&
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") == n;
}

/* "1795305600.123 my-site v e h"; false for what nginx does not write, such as a line that a full
 * disk cut short. */
static bool
view_read(char *line, int64_t now, struct view_sum *out)
{
	char *rest = line, *time = str_split(&rest, ' '), *slug = str_split(&rest, ' '),
	     *no = str_split(&rest, ' '), *kind = str_split(&rest, ' '), *by = rest;
	int64_t at, version = 0;
	bool bot = str_eq(by, "b");

	if (!by || (!bot && !str_eq(by, "h")) || !str_in(kind, "e|p") ||
	    !(slug_valid(slug) || name_is_host(slug)))
		return false;
	if (*no != 'v' || (no[1] && (!str_int(no + 1, &version) || version <= 0)))
		return false;
	time[strcspn(time, ".")] = '\0';
	if (!str_int(time, &at) || at < 0 || at > now + DAY_S)
		return false;
	*out = (struct view_sum){ .slug = slug,
		.day = at / DAY_S,
		.views = !bot,
		.entries = !bot && *kind == 'e',
		.versions = !bot && version,
		.bots = bot };
	return true;
}

/* ---- sums ---- */

struct tally {
	struct view_sum sums[SUMS];
	size_t n;
	uint16_t slots[SLOTS]; /* 1 + index into sums, by hash; 0: free */
	int64_t lines;
};

/* Returns the sum of this slug and day, which may be new; NULL: there is no room for another. */
static struct view_sum *
tally_find(struct tally *t, const struct view_sum *seen)
{
	uint32_t hash = (uint32_t)seen->day;

	for (const char *p = seen->slug; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 16777619U;
	for (size_t i = hash % SLOTS;; i = (i + 1) % SLOTS) {
		struct view_sum *sum;

		if (!t->slots[i]) {
			if (t->n == SUMS)
				return NULL;
			t->sums[t->n] = (struct view_sum){ .slug = seen->slug, .day = seen->day };
			t->slots[i] = (uint16_t)++t->n;
			return &t->sums[t->n - 1];
		}
		sum = &t->sums[t->slots[i] - 1];
		if (sum->day == seen->day && str_eq(sum->slug, seen->slug))
			return sum;
	}
}

/* Lines are added as long as there is room for another sum. Returns the bytes of those. */
static size_t
tally_add(struct tally *t, struct viewlog_lines *lines, int64_t now)
{
	char *line = lines->text, *stop = line + lines->n, *end;

	for (; line < stop; line = end + 1, t->lines++) {
		struct view_sum seen, *sum;

		end = memchr(line, '\n', (size_t)(stop - line));
		if (!end)
			return lines->n;
		*end = '\0';
		if (!view_read(line, now, &seen))
			continue;
		sum = tally_find(t, &seen);
		if (!sum)
			return (size_t)(line - lines->text);
		sum->views += seen.views;
		sum->entries += seen.entries;
		sum->versions += seen.versions;
		sum->bots += seen.bots;
	}
	return lines->n;
}

#define VIEW_HOST(F, T) \
	F(T, STR,  host) \
	F(T, SLUG, slug)
SHAPE(view_host, VIEW_HOST);

/* Replaces domains by the slugs of their artifacts. Sums of one artifact may then be several. */
static enum err
hosts_replace(struct ctx *c, struct tally *t)
{
	struct buf hosts = BUF(c->mem);
	struct view_host_list rows;

	for (size_t i = 0; i < t->n; i++)
		if (strchr(t->sums[i].slug, '.'))
			buf_fmt(&hosts, "%c\"%s\"", hosts.n ? ',' : '[', t->sums[i].slug);
	if (!hosts.n)
		return E_OK;
	buf_chr(&hosts, ']');
	TRY(db_all(c,
	    ROWS(view_host,
		"SELECT STRAIGHT_JOIN DISTINCT d.host, a.slug FROM JSON_TABLE(?, '$[*]' COLUMNS"
		" (host VARCHAR(253) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j"
		" JOIN domain d ON d.held = j.host JOIN artifact a ON a.id = d.artifact_id"),
	    ARGS(buf_done(&hosts)), &rows));
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < rows.n; k++)
			if (str_eq(t->sums[i].slug, rows.v[k].host))
				t->sums[i].slug = rows.v[k].slug;
	return E_OK;
}

static const char *
tally_json(struct ctx *c, const struct tally *t)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < t->n; i++) {
		const struct view_sum *s = &t->sums[i];

		buf_fmt(&b, "%c[\"%s\",%lld,%lld,%lld,%lld,%lld]", i ? ',' : '[', s->slug,
		    (long long)s->day, (long long)s->views, (long long)s->entries,
		    (long long)s->versions, (long long)s->bots);
	}
	buf_chr(&b, ']');
	return buf_done(&b);
}

/* ---- the rows ---- */

#define COUNTED_SO_FAR(F, T) F(T, INT, counted)
SHAPE(counted_so_far, COUNTED_SO_FAR);

static enum err
log_position(struct ctx *c, const char *file, int64_t *counted)
{
	struct counted_so_far *row;

	TRY(db_find(c, ROWS(counted_so_far, "SELECT counted FROM view_log WHERE file = ?"),
	    ARGS(file), &row));
	*counted = row ? row->counted : 0;
	if (row)
		return E_OK;
	return db_exec(c, EXEC("INSERT IGNORE INTO view_log (file, counted) VALUES (?, 0)"),
	    ARGS(file), NULL);
}

/* A slug without an artifact has no row to join. sums: as tally_json() writes them. */
static enum err
sums_add(struct ctx *c, const char *sums)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO view_day"
		" (artifact_id, day, views, entry_views, version_views, bot_views)"
		" SELECT STRAIGHT_JOIN a.id, j.day, j.views, j.entries, j.versions, j.bots"
		" FROM JSON_TABLE(?, '$[*]' COLUMNS"
		" (slug VARCHAR(63) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[0]',"
		" day INT PATH '$[1]', views BIGINT PATH '$[2]',"
		" entries BIGINT PATH '$[3]', versions BIGINT PATH '$[4]',"
		" bots BIGINT PATH '$[5]')) j"
		" JOIN slug s ON s.slug = j.slug"
		" JOIN artifact a ON a.id = s.artifact_id AND a.owner_id IS NOT NULL"
		" ON DUPLICATE KEY UPDATE views = view_day.views + VALUES(views),"
		" entry_views = entry_views + VALUES(entry_views),"
		" version_views = version_views + VALUES(version_views),"
		" bot_views = bot_views + VALUES(bot_views)"),
	    ARGS(sums), NULL);
}

/* Jobs that wait for views of an artifact get one event a minute. */
static enum err
views_event_add(struct ctx *c, const char *sums)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO outbox (id, kind, subject, payload, due_at)"
		" SELECT " EVENT_VIEWED_ID("v.artifact_id") ", 'event', v.artifact_id, "
		EVENT_VIEWED_PAYLOAD("v.views") ", ?"
		" FROM (SELECT STRAIGHT_JOIN s.artifact_id, SUM(j.views) AS views"
		" FROM JSON_TABLE(?, '$[*]' COLUMNS"
		" (slug VARCHAR(63) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[0]',"
		" views BIGINT PATH '$[2]')) j"
		" JOIN slug s ON s.slug = j.slug WHERE j.views > 0"
		" AND EXISTS (SELECT 1 FROM job w WHERE w.artifact_id = s.artifact_id"
		" AND w.event_type = 'artifact.viewed' AND w.enabled AND w.deleted_at IS NULL)"
		" GROUP BY s.artifact_id) v" EVENT_VIEWED_ADD),
	    ARGS(c->now - c->now % 60 + 60, sums), NULL);
}

/* An artifact's sum for a month counts a day until 30 days later. Views of a former slug are in a
 * line of their own, so we add the sums one after the other. */
static enum err
months_add(struct ctx *c, const char *sums)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO artifact_storage (artifact_id, bytes, views, views_until)"
		" SELECT STRAIGHT_JOIN s.artifact_id, 0, j.views, j.day + 30"
		" FROM JSON_TABLE(?, '$[*]' COLUMNS"
		" (slug VARCHAR(63) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[0]',"
		" day INT PATH '$[1]', views BIGINT PATH '$[2]')) j"
		" JOIN slug h ON h.slug = j.slug"
		" JOIN artifact_storage s ON s.artifact_id = h.artifact_id"
		" WHERE j.day > ? - 30 AND j.views > 0"
		" ON DUPLICATE KEY UPDATE views = artifact_storage.views + VALUES(views),"
		" views_until = LEAST(COALESCE(artifact_storage.views_until, VALUES(views_until)),"
		" VALUES(views_until))"),
	    ARGS(sums, c->now / DAY_S), NULL);
}

static enum err
sums_count(struct ctx *c, const char *sums)
{
	TRY(sums_add(c, sums));
	TRY(views_event_add(c, sums));
	return months_add(c, sums);
}

/* Leaves the sums to the active machine. */
static enum err
sums_leave(struct ctx *c, const char *sums)
{
	return db_exec(c, EXEC("INSERT INTO node_views (id, sums) VALUES (?, ?)"),
	    ARGS(id_new(c->mem, "out_"), sums), NULL);
}

/* *mine is false, and nothing is written, when another runner has counted from there meanwhile. */
static enum err
sums_record(struct ctx *c, const char *file, int64_t from, int64_t to, struct tally *t,
    bool *mine)
{
	int64_t moved;

	TRY(db_begin(c));
	TRY(db_exec(c, EXEC("UPDATE view_log SET counted = ? WHERE file = ? AND counted = ?"),
	    ARGS(to, file, from), &moved));
	*mine = moved == 1;
	if (!*mine)
		return E_OK;
	TRY(hosts_replace(c, t));
	if (t->n)
		TRY((lease_active() ? sums_count : sums_leave)(c, tally_json(c, t)));
	return db_commit(c);
}

#define LEFT_SUMS(F, T) \
	F(T, STR, id) \
	F(T, STR, sums)
SHAPE(left_sums, LEFT_SUMS);

static enum err
left_count(struct ctx *c, bool *any)
{
	struct left_sums *left;

	TRY(db_begin(c));
	TRY(db_find(c,
	    ROWS(left_sums, "SELECT id, sums FROM node_views ORDER BY id LIMIT 1 FOR UPDATE"),
	    NOARGS, &left));
	*any = left != NULL;
	if (!left)
		return E_OK;
	TRY(sums_count(c, left->sums));
	TRY(db_exec(c, EXEC("DELETE FROM node_views WHERE id = ?"), ARGS(left->id), NULL));
	return db_commit(c);
}

/* Adds what other machines have counted: one transaction for each piece, so each counts once. */
static enum err
left_piece(struct ctx *c, struct sweep_at *at)
{
	bool any = false;
	enum err e = *node_name(c) ? left_count(c, &any) : E_OK;

	db_rollback(c);
	at->looked += any;
	at->end = !any;
	return e;
}

/* Counts another part of the log. One transaction writes the counts and the position in the log, so
 * a kill neither loses nor doubles a view, and if several runners race, one counts it. Ends if
 * there is no whole line left. */
static enum err
stats_count(struct ctx *c, struct sweep_at *at)
{
	struct tally *t = mem_new(c->mem, struct tally);
	struct viewlog_lines lines;
	struct viewlog *log;
	int64_t from, to;
	bool mine = false;
	const char *file;
	enum err e;

	at->end = true;
	TRY(viewlog_open(c, c->mem, &log));
	if (!log)
		return E_OK;
	file = *node_name(c) ? mem_printf(c->mem, "%s/%s", node_name(c), log->id) : log->id;
	TRY(log_position(c, file, &from));
	TRY(viewlog_read(c, log, from, &lines));
	if (!lines.n)
		return E_OK;
	to = lines.at + (int64_t)tally_add(t, &lines, c->now);
	e = sums_record(c, file, from, to, t, &mine);
	db_rollback(c);
	if (e || !mine)
		return e;
	viewlog_empty(c, log, to);
	at->looked += t->lines;
	at->end = false;
	return E_OK;
}

/* Adds up anew the month's sums that a day has fallen out of. */
static enum err
stats_roll(struct ctx *c, int64_t limit, int64_t *changed)
{
	int64_t today = c->now / DAY_S;

	return db_exec(c,
	    EXEC(
		"UPDATE artifact_storage s SET"
		" s.views = (SELECT COALESCE(SUM(v.views), 0) FROM view_day v"
		" WHERE v.artifact_id = s.artifact_id AND v.day > ? - 30),"
		" s.views_until = (SELECT MIN(v.day) + 30 FROM view_day v"
		" WHERE v.artifact_id = s.artifact_id AND v.day > ? - 30)"
		" WHERE s.views_until <= ? ORDER BY s.views_until LIMIT ?"),
	    ARGS(today, today, today, limit), changed);
}

static enum err
stats_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM view_day WHERE day < ? LIMIT ?"),
	    ARGS(c->now / DAY_S - c->conf->stats_days + 1, limit), removed);
}

ROUNDS(stats, { "views", .piece = stats_count, .each = true },
    { "node_views", .piece = left_piece }, { "view_months", .rows = stats_roll },
    { "view_days", .rows = stats_reap });
PURGES(stats, ROWS_OF(view_day));
