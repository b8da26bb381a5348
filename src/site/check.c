/* SPDX-License-Identifier: Apache-2.0 */
#include "site/check.h"

#include "base/log.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/follow.h"
#include "core/tell.h"
#include "core/token.h"
#include "site/project.h"
#include "site/seen.h"
#include "store/rounds.h"

enum { HOLD_S = 600, WHY_CHARS = 1000, HOLDS_AT_ONCE = 100 };

enum err
checks_possible(struct ctx *c, int64_t bits)
{
	return !bits || seen_browser(c)
	    ? E_OK
	    : fail(c, E_CONFLICT,
		  "checks: no browser can run on this machine, so nothing was stored; publish a "
		  "draft, or end the artifact's checks");
}

enum err
checks_begin(struct ctx *c, const struct artifact *a, const struct principal *who, int64_t no,
    int64_t bits, bool goes_live)
{
	struct seen *seen;

	TRY(db_exec1(c,
	    EXEC("UPDATE version SET checks = ?, check_state = 'waiting'"
		 " WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(bits, a->id, no)));
	TRY(db_exec(c,
	    EXEC("INSERT INTO version_hold (artifact_id, version_no, live_no, user_id, token_id,"
		 " goes_live, until_at) VALUES (?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(a->id, no, arg_opt(a->version_no != 0, a->version_no), who->user_id,
		who->token_id, goes_live, c->now + HOLD_S),
	    NULL));
	return seen_again(c, a, no, &seen);
}

/* ended: the number of rows, 0 if the hold has ended already; or NULL. */
static enum err
hold_end(struct ctx *c, const char *artifact_id, int64_t no, int64_t *ended)
{
	return db_exec(c,
	    EXEC("DELETE FROM version_hold WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(artifact_id, no), ended);
}

enum err
checks_restore(struct ctx *c, const struct artifact *a, int64_t no)
{
	struct version *v;

	TRY(version_get(c, a, no, &v));
	if (v->is_live || !v->is_draft || !v->check_state || str_eq(v->check_state, "passed"))
		return version_restore(c, a, no);
	if (c->actor && principal_is_agent(c->actor))
		return fail(c, E_CONFLICT,
		    "version_no: version %lld is held by checks (%s); publish a version that "
		    "passes them, or let a person make it live at %s/a/%s/versions",
		    (long long)v->version_no, v->check_state, c->conf->base_url, a->id);
	TRY(hold_end(c, a->id, no, NULL));
	TRY(audit_artifact(c, a, "artifact.checks_overridden", NULL,
	    audit_facts(c, "version_no", no)));
	return version_restore(c, a, no);
}

/* ---- what is wrong ---- */

static int64_t
problems_count(const struct seen *s, const char *kinds)
{
	const struct page_problem *p = s->problems.v;
	int64_t n = 0;

	for (size_t i = 0; i < s->problems.n; i++)
		n += str_in(p[i].kind, kinds);
	return n;
}

static void
wrong_add(struct buf *b, const char *what)
{
	buf_fmt(b, "%s%s", b->n ? "; " : "", what);
}

static void
basics_check(struct ctx *c, struct buf *b, const struct seen_basics *f)
{
	if (!f)
		return;
	if (!f->title || !*f->title)
		wrong_add(b, "it has no title");
	if (!f->lang || !*f->lang)
		wrong_add(b, "it doesn't say its language");
	if (!f->viewport)
		wrong_add(b, "it doesn't say how it fits a phone");
	if (f->images_without_alt)
		wrong_add(b,
		    mem_printf(c->mem, "%s without a text",
			str_count(c->mem, f->images_without_alt, "picture")));
	if (f->links_without_text)
		wrong_add(b,
		    mem_printf(c->mem, "%s without a text",
			str_count(c->mem, f->links_without_text, "link")));
	if (f->fields_without_label)
		wrong_add(b,
		    mem_printf(c->mem, "%s without a label",
			str_count(c->mem, f->fields_without_label, "field")));
}

/* Returns the state of a version's checks by what was seen; *why has the reason. */
static const char *
seen_state(struct ctx *c, const struct seen *s, int64_t bits, const char **why)
{
	struct buf b = BUF(c->mem);
	int64_t scripts = problems_count(s, "exception|timeout"),
		missing = problems_count(s, "missing");

	if (!str_eq(s->status, "seen")) {
		*why = "no browser could open it";
		return "unseen";
	}
	if (bits & CHECK_BLANK && problems_count(s, "blank"))
		wrong_add(&b, "nothing can be seen");
	if (bits & CHECK_ERRORS && scripts)
		wrong_add(&b,
		    mem_printf(c->mem, "%s of its scripts",
			str_count(c->mem, scripts, "failure")));
	if (bits & CHECK_MISSING && missing)
		wrong_add(&b, mem_printf(c->mem, "%s missing", str_count(c->mem, missing, "file")));
	if (bits & CHECK_BASICS)
		basics_check(c, &b, s->basics);
	*why = b.n ? str_cut(c->mem, buf_done(&b), WHY_CHARS) : NULL;
	if (b.n)
		return "failed";
	if (s->has.ok == GIVEN || !(bits & (CHECK_BLANK | CHECK_ERRORS)))
		return "passed";
	*why = "it needs what our browser doesn't load";
	return "unseen";
}

/* ---- settling ---- */

#define HOLD(F, T) \
	F(T, INT,  live_no) \
	F(T, ID,   user_id,  .arg = "usr_") \
	F(T, ID,   token_id, .arg = "tok_") \
	F(T, BOOL, goes_live) \
	F(T, BOOL, late) \
	F(T, INT,  checks)
SHAPE(hold, HOLD);

static enum err
state_set(struct ctx *c, const char *id, int64_t no, const char *state, const char *why)
{
	return db_exec(c,
	    EXEC("UPDATE version SET check_state = ?, check_why = ?"
		 " WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(state, why, id, no), NULL);
}

/* *moved: another version went live meanwhile, and nothing was done. If another runner or a person
 * has ended the hold, nothing is done either. */
static enum err
live_make(struct ctx *c, const struct hold *h, const char *id, int64_t no, bool *moved)
{
	int64_t ended;
	struct principal *who;
	struct artifact *a;

	TRY(db_begin(c));
	TRY(principal_now(c, h->user_id, h->token_id, ARTIFACTS_PUBLISH, &who));
	TRY(artifact_get_to_edit(c, id, who, true, &a));
	TRY(hold_end(c, id, no, &ended));
	if (!ended)
		return db_commit(c);
	*moved = a->version_no != h->live_no;
	if (*moved)
		return E_OK;
	c->actor = who;
	TRY(state_set(c, id, no, "passed", NULL));
	TRY(version_restore(c, a, no));
	return db_commit(c);
}

#define PUBLISHER(F, T) \
	F(T, EMAIL, email) \
	F(T, STR,   artifact)
SHAPE(publisher, PUBLISHER);

static enum err
publisher_mail(struct ctx *c, const struct hold *h, const char *id, int64_t no, const char *why)
{
	struct publisher *to;

	TRY(db_find(c,
	    ROWS(publisher,
		"SELECT u.email, a.name AS artifact FROM user u JOIN artifact a ON a.id = ?"
		" WHERE u.id = ? AND u.email IS NOT NULL AND u.disabled_at IS NULL"
		" AND a.deleted_at IS NULL"),
	    ARGS(id, h->user_id), &to));
	return !to ? E_OK : tell(c, &(struct mail){ .template = MAIL_CHECKS_FAILED,
		.to = to->email,
		.artifact_id = id,
		.values = { .artifact = to->artifact,
		    .what = str_number(c->mem, no),
		    .message = why,
		    .link = mem_printf(c->mem, "/a/%s/versions", id) } });
}

static enum err
hold_settle(struct ctx *c, const struct hold *h, const char *id, int64_t no, const char *state,
    const char *why)
{
	int64_t ended;

	TRY(db_begin(c));
	TRY(hold_end(c, id, no, &ended));
	if (ended)
		TRY(state_set(c, id, no, state, why));
	if (ended && h->goes_live && !str_eq(state, "passed"))
		TRY(publisher_mail(c, h, id, no, why));
	return db_commit(c);
}

enum err
checks_settle(struct ctx *c, const char *id, int64_t no)
{
	const struct artifact a = { .id = id };
	const char *state, *why;
	bool moved = false;
	struct seen *s;
	struct hold *h;

	TRY(db_find(c,
	    ROWS(hold,
		"SELECT h.live_no, h.user_id, h.token_id, h.goes_live, h.until_at <= ? AS late,"
		" v.checks FROM version_hold h JOIN version v ON v.artifact_id = h.artifact_id"
		" AND v.version_no = h.version_no WHERE h.artifact_id = ? AND h.version_no = ?"),
	    ARGS(c->now, id, no), &h));
	if (!h)
		return E_OK;
	TRY(seen_get(c, &a, no, &s));
	if (str_eq(s->status, "waiting") && !h->late)
		return E_OK;
	state = seen_state(c, s, h->checks, &why);
	if (!str_eq(state, "passed") || !h->goes_live)
		return hold_settle(c, h, id, no, state, why);
	if (!live_make(c, h, id, no, &moved) && !moved) {
		project_effects(c);
		return E_OK;
	}
	db_rollback(c);
	c->effect_n = 0;
	why = moved ? "another version went live meanwhile"
		    : mem_printf(c->mem, "it passed, but can't go live: %s", ctx_told(c, c->err));
	c->actor = NULL;
	ctx_forgive(c);
	return hold_settle(c, h, id, no, moved ? "moved" : "failed", why);
}

/* ---- the round ---- */

#define LATE(F, T) \
	F(T, ID,  artifact_id, .arg = "art_") \
	F(T, INT, version_no)
SHAPE(late, LATE);

/* Settles the checks of versions that nobody opened in time. */
static enum err
checks_late(struct ctx *c, int64_t limit, int64_t *removed)
{
	struct late_list rows;

	TRY(db_all(c,
	    ROWS(late,
		"SELECT artifact_id, version_no FROM version_hold WHERE until_at <= ?"
		" ORDER BY until_at LIMIT ?"),
	    ARGS(c->now, limit < HOLDS_AT_ONCE ? limit : HOLDS_AT_ONCE), &rows));
	for (size_t i = 0; i < rows.n; i++) {
		struct ctx *one = ctx_begin(c->conf, c->db);
		enum err e = checks_settle(one, rows.v[i].artifact_id, rows.v[i].version_no);

		if (e) {
			db_rollback(one);
			log_line(LOG_LEVEL_WARN, "checks stay", "artifact", rows.v[i].artifact_id,
			    "why", ctx_why(one), NULL);
		}
		*removed += !e;
		ctx_end(one);
	}
	return E_OK;
}

/* ---- when other things change ---- */

static enum err
version_passed(struct ctx *c, const struct happened *h)
{
	return h->version_no ? hold_end(c, h->artifact_id, h->version_no, NULL) : E_OK;
}

USERS(USER_ENDS(version_hold, user_id))
FOLLOWS(check, { VERSION_PASSED, version_passed }, USERS_FOLLOW);
ROUNDS(check, { "checks", .rows = checks_late });
PURGES(check, ROWS_OF(version_hold));
