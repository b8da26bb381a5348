/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/lane.h"

#include "archive/health.h"
#include "archive/tool.h"
#include "base/buf.h"
#include "base/conf.h"
#include "base/log.h"
#include "base/str.h"
#include "core/mail.h"
#include "core/user.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AGAIN_S = 600, DAY_S = 86400, NIGHT_S = 2 * 3600, WEEK_S = 7 * DAY_S };

/* Writes a file of data_dir/archive anew, so that its time is now. A failure is logged only. */
static void
own_write(struct ctx *c, const char *name, const char *text)
{
	if (!state_write(c, archive_path(c, name), text, strlen(text), NULL))
		return;
	log_line(LOG_LEVEL_WARN, "backup", "why", ctx_why(c), NULL);
	ctx_forgive(c);
}

/* ---- bases and proofs ---- */

/* Returns the path of vitrinectl: beside this program, else by PATH. */
static const char *
control_program(struct ctx *c)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	const char *beside;

	if (n <= 0)
		return "vitrinectl";
	self[n] = '\0';
	beside = mem_printf(c->mem, "%s/vitrinectl", dirname(self));
	return access(beside, X_OK) ? "vitrinectl" : beside;
}

static bool
work_is_running(struct ctx *c, const char *lock)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	bool busy = archive_alone(one, one->mem, lock) == E_CONFLICT;

	ctx_end(one);
	return busy;
}

/* Starts `vitrinectl backup what`, unless it was started a few minutes ago, or holds its lock, as
 * it may for hours. If it can't be started, the next round tries again. */
static enum err
work_start(struct ctx *c, const char *what, const char *lock)
{
	const char *name = what + strlen("--");
	struct tool t = tool_of(control_program(c));
	struct stat st;

	if ((!stat(archive_path(c, name), &st) && st.st_mtim.tv_sec + AGAIN_S > c->now) ||
	    work_is_running(c, lock))
		return E_OK;
	tool_add(&t, "-c");
	tool_add(&t, c->conf->path);
	tool_add(&t, "backup");
	tool_add(&t, what);
	TRY(tool_release(c, &t));
	own_write(c, name, "");
	log_line(LOG_LEVEL_INFO, "backup", "starts", name, NULL);
	return E_OK;
}

static enum err
works_start(struct ctx *c, const struct archive *archive)
{
	int64_t night = c->now - (c->now - NIGHT_S) % DAY_S;
	const struct base *newest;
	struct backup_proof *proof;
	struct health health;
	struct chains all;
	size_t first, n;
	int status;

	/* Logs children that have failed, since one that was killed has recorded nothing. */
	while (waitpid(-1, &status, WNOHANG) > 0) {
		bool killed = WIFSIGNALED(status);

		if (status)
			log_line(LOG_LEVEL_WARN, "backup", "failed", "a base or a proof", "why",
			    mem_printf(c->mem, killed ? "signal %d" : "status %d",
				killed ? WTERMSIG(status) : WEXITSTATUS(status)),
			    NULL);
	}
	TRY(chains_read(c, archive, &all));
	TRY(base_newest(c, &all, &newest));
	TRY(health_of(c, &all, newest, &health));
	own_write(c, HEALTH_FILE, health_json(c->mem, &health));
	if (newest)
		base_reach(&all, newest, &first, &n);
	/* A base also leads over a hole in the log. */
	if (!newest || newest->second < night || first + n < all.log_n)
		return work_start(c, "--base", "base");
	TRY(proof_last(c, &proof));
	if (!proof || proof->proved_at + (proof->why ? DAY_S : WEEK_S) < c->now)
		return work_start(c, "--prove", "proof");
	return E_OK;
}

/* ---- trouble ---- */

/* The limit of this mail is one a day for each address. */
static enum err
trouble_mail(struct ctx *c, const char *why)
{
	struct staff_person_list rows;

	if (!mail_enabled(c))
		return E_OK;
	TRY(user_staff_list(c, &rows));
	TRY(db_begin(c));
	for (size_t i = 0; i < rows.n; i++) {
		const struct mail m = { .template = MAIL_BACKUP_FAILS, .to = rows.v[i].email,
			.values = { .message = str_cut(c->mem, why, 500), .link = "/" } };

		if (rows.v[i].level != STAFF_SUPER || rows.v[i].disabled_at)
			continue;
		if (mail_send(c, &m) == E_RATE_LIMITED)
			ctx_forgive(c);
		else if (c->err)
			return c->err;
	}
	return db_commit(c);
}

/* Writes the reason for people, without the source places that the log has, and mails it. */
static void
trouble_report(struct ctx *c, const char *reason)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	char *rest = mem_strdup(one->mem, str_one_line(one->mem, reason));
	struct buf b = BUF(one->mem);
	const char *why;

	for (char *word; rest && (word = str_split(&rest, ' '));)
		if (!strstr(word, ".c:"))
			buf_fmt(&b, "%s%s", b.n ? " " : "", word);
	why = buf_done(&b);
	own_write(one, "trouble", why);
	if (trouble_mail(one, why)) {
		log_line(LOG_LEVEL_WARN, "nobody was told", "why", ctx_why(one), NULL);
		db_rollback(one);
	}
	ctx_end(one);
}

enum err
archive_round(struct ctx *c, bool *more)
{
	struct log_round done = { 0 };
	struct archive archive;
	enum err e = archive_open(c, c->mem, &archive);

	e = e ? e : log_copy(c, &archive, &done);
	*more = done.more;
	if (e) {
		trouble_report(c, ctx_why(c));
		return e;
	}
	/* A chain without a base restores nothing. */
	if (done.began)
		unlink(archive_path(c, "base"));
	if (done.more)
		return E_OK;
	own_write(c, "copied", "");
	if (unlink(archive_path(c, "trouble")) && errno != ENOENT)
		log_line(LOG_LEVEL_WARN, "trouble", "why", strerror(errno), NULL);
	return works_start(c, &archive);
}
