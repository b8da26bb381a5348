/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/health.h"

#include "base/buf.h"
#include "base/conf.h"
#include "base/str.h"

#include <sys/stat.h>

enum { BASE_LATE_S = 2 * 86400, LOG_LATE_S = 300, PROOF_LATE_S = 10 * 86400 };

SHAPE_DEFINE(backup_proof, BACKUP_PROOF);
const char *const health_names[HEALTH_PARTS] = { "base", "log", "objects", "proof", "window" };

enum err
proof_last(struct ctx *c, struct backup_proof **out)
{
	return db_find(c,
	    ROWS(backup_proof,
		"SELECT proved_at, to_second, seconds, bytes, base, why FROM backup_proof"
		" ORDER BY id DESC LIMIT 1"),
	    NOARGS, out);
}

enum err
proof_keep(struct ctx *c, const struct backup_proof *p)
{
	enum { WHY_CHARS = 1000 };

	return db_exec(c,
	    EXEC("INSERT INTO backup_proof (proved_at, to_second, seconds, bytes, base, why)"
		 " VALUES (?, ?, ?, ?, ?, ?)"),
	    ARGS(p->proved_at, p->to_second, p->seconds, p->bytes, p->base,
		p->why ? str_cut(c->mem, p->why, WHY_CHARS) : NULL),
	    NULL);
}

/* ---- parts ---- */

static void
part_set(struct health *h, enum health_part part, bool good, int64_t at, const char *say)
{
	h->part[part].good = good;
	h->part[part].at = at;
	h->part[part].say = say;
}

static void
base_check(struct ctx *c, const struct chains *all, const struct base *newest, struct health *h)
{
	if (!newest)
		part_set(h, HEALTH_BASE, false, 0, "none of this installation's log yet");
	else
		part_set(h, HEALTH_BASE, newest->second + BASE_LATE_S > c->now, newest->second,
		    mem_printf(c->mem, "%s; %s in the backup", str_rfc3339(c->mem, newest->second),
			str_count(c->mem, (int64_t)all->base_n, "base")));
}

/* Sets the log and the window: how far it reaches back from its end without a hole. */
static void
log_check(struct ctx *c, const struct chains *all, const struct base *newest, struct health *h)
{
	size_t first, n;
	bool good;

	if (newest) {
		h->to = base_reach(all, newest, &first, &n);
		h->hole = first + n < all->log_n;
	}
	for (const struct base *b = newest; newest && b >= all->bases; b--) {
		if (b != newest && base_reach(all, b, &first, &n) < h->from)
			break;
		h->from = b->second;
	}
	good = newest && h->to + LOG_LATE_S > c->now && !h->hole;
	part_set(h, HEALTH_LOG, good && !h->trouble, h->to,
	    !newest	 ? "nothing can be restored before there is a base"
		: h->trouble ? h->trouble
		: h->hole    ? mem_printf(c->mem, "has a hole after %s; a new base helps",
				   str_rfc3339(c->mem, h->to))
		: mem_printf(c->mem, "complete up to %s; %s", str_rfc3339(c->mem, h->to),
		      str_count(c->mem, (int64_t)all->log_n, "piece")));
	part_set(h, HEALTH_WINDOW, newest != NULL, h->from,
	    !newest ? "none" : mem_printf(c->mem, "%s to %s", str_rfc3339(c->mem, h->from),
				   str_rfc3339(c->mem, h->to)));
}

static void
objects_check(struct ctx *c, struct health *h)
{
	struct stat st;
	int64_t at = stat(archive_path(c, "looked"), &st) ? 0 : st.st_mtim.tv_sec;

	part_set(h, HEALTH_OBJECTS, at + LOG_LATE_S > c->now, at,
	    at ? mem_printf(c->mem, "all that were stored before %s", str_rfc3339(c->mem, at))
	       : "none yet");
}

static enum err
proof_check(struct ctx *c, const struct chains *all, struct health *h)
{
	struct backup_proof *p;

	TRY(proof_last(c, &p));
	if (!p)
		part_set(h, HEALTH_PROOF,
		    !all->base_n || all->bases[0].second + PROOF_LATE_S > c->now, 0, "none yet");
	else if (p->why)
		part_set(h, HEALTH_PROOF, false, p->proved_at,
		    mem_printf(c->mem, "failed at %s: %s", str_rfc3339(c->mem, p->proved_at),
			p->why));
	else
		part_set(h, HEALTH_PROOF, p->proved_at + PROOF_LATE_S > c->now, p->proved_at,
		    mem_printf(c->mem, "%s: restored to %s in %lld s",
			str_rfc3339(c->mem, p->proved_at), str_rfc3339(c->mem, p->to_second),
			(long long)p->seconds));
	return E_OK;
}

enum err
health_of(
    struct ctx *c, const struct chains *all, const struct base *newest, struct health *out)
{
	*out = (struct health){ .trouble = conf_secret(c->mem, archive_path(c, "trouble")) };
	base_check(c, all, newest, out);
	log_check(c, all, newest, out);
	objects_check(c, out);
	return proof_check(c, all, out);
}

enum err
health_read(struct ctx *c, struct health *out)
{
	const struct base *newest;
	struct archive archive;
	struct chains all;

	TRY(archive_open(c, c->mem, &archive));
	TRY(chains_read(c, &archive, &all));
	TRY(base_newest(c, &all, &newest));
	return health_of(c, &all, newest, out);
}

const char *
health_json(void *owner, const struct health *h)
{
	struct buf b = BUF(owner), part;

	buf_chr(&b, '{');
	for (int i = 0; i < HEALTH_PARTS; i++) {
		int64_t at = h->part[i].at;

		part = (struct buf){ .owner = owner };
		json_add(&part, "state", h->part[i].good ? "ok" : "fail");
		json_add(&part, "detail", h->part[i].say);
		if (i == HEALTH_WINDOW) {
			json_add(&part, "from", h->from ? str_rfc3339(owner, h->from) : NULL);
			json_add(&part, "to", h->to ? str_rfc3339(owner, h->to) : NULL);
		} else {
			json_add(&part, "at", at ? str_rfc3339(owner, at) : NULL);
		}
		json_key(&b, health_names[i]);
		buf_fmt(&b, "{%s}", part.s);
	}
	buf_str(&b, "}\n");
	return b.s;
}

enum err
health_gauges(struct ctx *c, int64_t gauges[GAUGES])
{
	struct backup_proof *p;
	struct stat st;

	if (!archive_on(c->conf))
		return E_OK;
	/* The runner touches this file when the log is copied. Without it, nothing ever was. */
	gauges[G_backup_log_age_seconds] = c->now;
	if (!stat(archive_path(c, "copied"), &st))
		gauges[G_backup_log_age_seconds] = c->now - st.st_mtim.tv_sec;
	TRY(proof_last(c, &p));
	gauges[G_backup_proved_at] = p && !p->why ? p->proved_at : 0;
	return E_OK;
}

/* ---- MariaDB's settings ---- */

#define SETTINGS(F, T) \
	F(T, INT, log) \
	F(T, STR, format) \
	F(T, INT, log_sync) \
	F(T, INT, row_sync) \
	F(T, INT, strict)
SHAPE(settings, SETTINGS);

enum err
health_settings(struct ctx *c, const char **why)
{
	struct settings *s;
	struct buf b = BUF(c->mem);

	TRY(db_one(c,
	    ROWS(settings,
		"SELECT @@global.log_bin AS log, @@global.binlog_format AS format,"
		" @@global.sync_binlog AS log_sync,"
		" @@global.innodb_flush_log_at_trx_commit AS row_sync,"
		" @@global.gtid_strict_mode AS strict"),
	    NOARGS, &s));
	if (!s->log)
		buf_str(&b, "log_bin; ");
	if (!str_eq(s->format, "ROW"))
		buf_str(&b, "binlog_format=ROW; ");
	if (s->log_sync != 1)
		buf_str(&b, "sync_binlog=1; ");
	if (s->row_sync != 1)
		buf_str(&b, "innodb_flush_log_at_trx_commit=1; ");
	if (!s->strict)
		buf_str(&b, "gtid_strict_mode=ON; ");
	*why = b.n ? mem_strndup(c->mem, b.s, b.n - 2) : NULL;
	return E_OK;
}
