/* SPDX-License-Identifier: Apache-2.0 */
#include "core/session.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "core/mail.h"
#include "store/rounds.h"

SHAPE_DEFINE(session, SESSION);

enum { TOUCH_S = 60, AGENT_CHARS = 300, MAILED_CHARS = 150, KNOWN_S = 400 * 86400 };

const struct bytes *
secret_digest(struct ctx *c, const char *secret, const char *prefix)
{
	struct bytes *out = mem_new(c->mem, struct bytes);
	uint8_t *hash = mem_zalloc(c->mem, SHA256_BYTES);

	if (!secret || !token_valid(secret, prefix))
		return NULL;
	token_hash(secret, hash);
	*out = (struct bytes){ hash, SHA256_BYTES };
	return out;
}

const char *
origin_agent(struct ctx *c, const char *agent)
{
	return agent && str_plain(agent) ? str_cut(c->mem, agent, AGENT_CHARS) : "";
}

/* The list is in order of precedence: the browser has the name of the first word that its agent
 * contains, because many claim to be others as well. */
static const char *
agent_word(const char *agent, const char *const (*words)[2])
{
	while ((*words)[0] && !strstr(agent, (*words)[0]))
		words++;
	return (*words)[1];
}

/* Returns NULL for a browser that isn't well known. */
static const char *
agent_browser(const char *agent)
{
	static const char *const browsers[][2] = { { "Edg", "Edge" }, { "OPR/", "Opera" },
		{ "SamsungBrowser", "Samsung Internet" }, { "FxiOS", "Firefox" },
		{ "Firefox/", "Firefox" }, { "CriOS", "Chrome" }, { "Chrome/", "Chrome" },
		{ "Safari/", "Safari" }, { "curl/", "curl" }, { NULL, NULL } };

	return agent_word(agent, browsers);
}

const char *
agent_name(struct ctx *c, const char *agent)
{
	static const char *const systems[][2] = {
		{ "iPhone", " on iPhone" }, { "iPad", " on iPad" },
		{ "Android", " on Android" }, { "Windows", " on Windows" },
		{ "Mac OS X", " on a Mac" }, { "CrOS", " on ChromeOS" }, { "Linux", " on Linux" },
		{ NULL, "" } };
	const char *browser = agent_browser(agent);

	return mem_printf(
	    c->mem, "%s%s", browser ? browser : "A browser", agent_word(agent, systems));
}

int64_t
session_life_s(const struct ctx *c)
{
	return c->conf->session_days * 86400;
}

enum err
session_begin(struct ctx *c, const char *user_id, const char *kind, const struct origin *from,
    const char **cookie)
{
	*cookie = token_new(c->mem, "ses_");
	return db_exec(c,
	    EXEC(
		"INSERT INTO session"
		" (id, hash, user_id, kind, created_at, last_used_at, expires_at, address, agent)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(id_new(c->mem, "ses_"), *secret_digest(c, *cookie, "ses_"), user_id, kind, c->now,
		c->now, c->now + session_life_s(c), from->address,
		origin_agent(c, from->agent)),
	    NULL);
}

enum err
session_check(struct ctx *c, const char *cookie, const char *kind, struct principal **out)
{
	const struct bytes *digest = secret_digest(c, cookie, "ses_");

	*out = NULL;
	if (!digest)
		return E_OK;
	return db_find(c,
	    ROWS(principal,
		"SELECT u.kind, s.user_id, u.email, u.name, u.outside,"
		" u.is_staff AS staff,"
		" s.id AS session_id, " SESSION_ENDS("s", "u") " AS expires_at, s.last_used_at"
		" FROM session s JOIN user u ON u.id = s.user_id WHERE s.hash = ? AND s.kind = ?"
		" AND " SESSION_RUNS("s", "u") " AND u.disabled_at IS NULL"),
	    ARGS(session_life_s(c), *digest, kind, SESSION_NOW(c)), out);
}

enum err
session_touch(struct ctx *c, const struct principal *who)
{
	if (who->last_used_at + TOUCH_S > c->now)
		return E_OK;
	return db_exec(c, EXEC("UPDATE session SET last_used_at = ? WHERE id = ?"),
	    ARGS(c->now, who->session_id), NULL);
}

enum err
session_list(struct ctx *c, const struct principal *who, struct session_list *out)
{
	return db_all(c,
	    ROWS(session,
		"SELECT s.id, s.kind, s.address, s.agent, s.id = ? AS current, s.created_at,"
		" s.last_used_at, " SESSION_ENDS("s", "u") " AS expires_at"
		" FROM session s JOIN user u ON u.id = s.user_id"
		" WHERE s.user_id = ? AND " SESSION_RUNS("s", "u") " ORDER BY s.id DESC"),
	    ARGS(who->session_id ? who->session_id : "", session_life_s(c), who->user_id,
		SESSION_NOW(c)),
	    out);
}

enum err
session_end(struct ctx *c, const char *user_id, const char *session_id)
{
	return db_exec1(
	    c, EXEC("DELETE FROM session WHERE id = ? AND user_id = ?"), ARGS(session_id, user_id));
}

enum err
session_leave(struct ctx *c, const struct principal *who)
{
	return who && who->session_id
	    ? db_exec(c, EXEC("DELETE FROM session WHERE id = ?"), ARGS(who->session_id), NULL)
	    : E_OK;
}

enum err
session_end_others(struct ctx *c, const char *user_id, const char *keep)
{
	return db_exec(c, EXEC("DELETE FROM session WHERE user_id = ? AND id <> ?"),
	    ARGS(user_id, keep ? keep : ""), NULL);
}

#define KNOWN(F, T) F(T, BOOL, yes)
SHAPE(known, KNOWN);

enum err
browser_known(struct ctx *c, const char *email, const char *cookie, bool *yes)
{
	const struct bytes *digest = secret_digest(c, cookie, "brw_");
	struct known *row = NULL;

	if (digest)
		TRY(db_find(c,
		    ROWS(known,
			"SELECT 1 AS yes FROM known_browser b JOIN user u ON u.id = b.user_id"
			" WHERE b.hash = ? AND u.email = ?"),
		    ARGS(*digest, email_fold(c, email)), &row));
	*yes = row != NULL;
	return E_OK;
}

/* Mails only people who have signed in before: the first sign-in is no news. */
static enum err
new_browser_mail(struct ctx *c, const struct user *u, const struct origin *from)
{
	const char *agent = origin_agent(c, from->agent), *where = from->address;
	struct known *others;
	enum err e;

	TRY(db_find(c, ROWS(known, "SELECT 1 AS yes FROM known_browser WHERE user_id = ? LIMIT 1"),
	    ARGS(u->id), &others));
	if (!others || !mail_enabled(c))
		return E_OK;
	/* An unknown program is shown with its own name, which may tell the person more. */
	if (*agent)
		where = mem_printf(c->mem, "%s, %s", where,
		    agent_browser(agent) ? agent_name(c, agent)
					 : str_cut(c->mem, agent, MAILED_CHARS));
	e = mail_send(c,
	    &(struct mail){ .template = MAIL_SIGNIN_NEW_DEVICE,
		.to = u->email,
		.values = { .link = "/auth/account",
		    .when = str_date(c->mem, c->now),
		    .where = where } });
	return e == E_RATE_LIMITED ? E_OK : e;
}

enum err
browser_remember(
    struct ctx *c, const struct user *u, const struct origin *from, const char **cookie)
{
	bool known;

	TRY(browser_known(c, u->email, *cookie, &known));
	if (!known)
		TRY(new_browser_mail(c, u, from));
	if (!secret_digest(c, *cookie, "brw_"))
		*cookie = token_new(c->mem, "brw_");
	return db_exec(c,
	    EXEC(
		"INSERT INTO known_browser (user_id, hash, last_used_at) VALUES (?, ?, ?)"
		" ON DUPLICATE KEY UPDATE last_used_at = VALUES(last_used_at)"),
	    ARGS(u->id, *secret_digest(c, *cookie, "brw_"), c->now), NULL);
}

static enum err
session_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM session WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

static enum err
known_browser_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM known_browser WHERE last_used_at <= ? LIMIT ?"),
	    ARGS(c->now - KNOWN_S, limit), removed);
}

ROUNDS(session, { "sessions", .rows = session_reap },
    { "known_browsers", .rows = known_browser_reap });
