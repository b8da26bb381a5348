/* SPDX-License-Identifier: Apache-2.0 */
#include "people/password.h"

#include "admin/cmd.h"
#include "assets/library.h"
#include "base/passhash.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/artifact.h"
#include "core/mail.h"
#include "core/member.h"
#include "core/role.h"
#include "core/session.h"
#include "core/storage.h"
#include "inbox/item.h"
#include "people/factor.h"
#include "people/identity.h"
#include "share/collaborator.h"
#include "team/sessionpolicy.h"

static enum err
cmd_add(struct cmd_call *call)
{
	const char *name = usage_option(&call->with, "--name");
	struct user *u;

	TRY(db_begin(call->c));
	TRY(user_add(call->c, call->with.args[0], name ? name : "", &u));
	TRY(db_commit(call->c));
	printf("%s\n", u->id);
	fprintf(stderr, "to let them sign in, set a password: vitrinectl user password %s%s%s\n",
	    u->email,
	    mail_enabled(call->c) ? "; or e-mail them a link to choose one: vitrinectl user invite "
				  : "",
	    mail_enabled(call->c) ? u->email : "");
	return E_OK;
}

static enum err
cmd_user_list(struct cmd_call *call)
{
	struct listed_user_list rows;

	TRY(user_list(call->c, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		const struct listed_user *u = &rows.v[i];

		printf("%s  %s  %s%s%s\n", u->id, str_rfc3339(call->c->mem, u->created_at),
		    u->email ? u->email : u->name,
		    str_eq(u->kind, "person") ? "" : mem_printf(call->c->mem, " (%s)", u->kind),
		    u->disabled_at ? "  disabled" : "");
	}
	return E_OK;
}

#define OWNED(F, T) \
	F(T, ID,   id, .arg = "art_") \
	F(T, ID,   owner_id, .arg = "usr_") \
	F(T, SLUG, slug) \
	F(T, STR,  name) \
	F(T, ID,   workspace_id, .arg = "wsp_") \
	F(T, BOOL, open)
SHAPE(owned, OWNED);

static enum err
owned_list(struct ctx *c, const char *user_id, struct owned_list *out)
{
	return db_all(c,
	    ROWS(owned,
		"SELECT a.id, a.owner_id, a.slug, a.name, a.workspace_id, " ARTIFACT_IS_SHOWN
		" AS open FROM artifact a WHERE a.owner_id = ? ORDER BY a.id"),
	    ARGS(user_id), out);
}

static const char *const staff_words[] = {
	[STAFF_NONE] = "none", [STAFF_STAFF] = "staff", [STAFF_SUPER] = "super"
};

static enum err
cmd_staff(struct cmd_call *call)
{
	const char *email = call->with.args[0], *word = call->with.args[1];
	enum staff level = STAFF_NONE;
	struct user *u;

	for (; !str_eq(word, staff_words[level]); level++)
		if (level == STAFF_SUPER)
			return fail(call->c, E_INVALID, "%s: must be staff, super or none", word);
	TRY(user_get_by_email(call->c, email, &u));
	return user_staff_set(call->c, u->id, level);
}

static enum err
cmd_staff_list(struct cmd_call *call)
{
	struct staff_person_list rows;

	TRY(user_staff_list(call->c, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		const struct staff_person *p = &rows.v[i];

		printf("%-5s  %s%s%s%s\n", staff_words[p->level], p->email,
		    *p->name ? "  " : "", p->name, p->disabled_at ? "  disabled" : "");
	}
	return E_OK;
}

/* Disables or enables an account. Its public pages stay public, since others may need them. */
static enum err
cmd_disable(struct cmd_call *call)
{
	struct owned_list rows;
	int64_t open = 0;
	struct user *u;

	TRY(user_get_by_email(call->c, call->with.args[0], &u));
	TRY(user_set_disabled(call->c, u->id, call->cmd->act));
	if (!call->cmd->act)
		return E_OK;
	TRY(owned_list(call->c, u->id, &rows));
	for (size_t i = 0; i < rows.n; i++)
		open += rows.v[i].open;
	if (open)
		printf("%s of theirs %s open to everyone; to close one, "
		       "run vitrinectl artifact list %s and vitrinectl artifact pause ARTIFACT\n",
		    str_count(call->c->mem, open, "artifact"), open == 1 ? "stays" : "stay",
		    u->email);
	return E_OK;
}

/* Gives away or purges an artifact in a transaction of its own, so it stays done if a later one
 * fails. */
static enum err
owned_end(struct ctx *c, const struct owned *row, const char *to)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	struct artifact a = { .id = row->id,
		.owner_id = row->owner_id,
		.slug = row->slug,
		.name = row->name,
		.workspace_id = row->workspace_id };
	enum err e = db_begin(one);

	if (!e)
		e = to ? artifact_transfer(one, &a, to) : artifact_purge(one, &a);
	if (!e)
		e = db_commit(one);
	if (!e)
		e = effects_carry_out(one);
	if (e)
		e = fail(c, e, "%s: %s", row->slug, cmd_why(one));
	db_rollback(one);
	ctx_end(one);
	return e;
}

static enum err
cmd_delete(struct cmd_call *call)
{
	const char *what = usage_option(&call->with, "--artifacts"), *to = NULL;
	struct ctx *c = call->c;
	struct user *u, *heir;
	struct owned_list rows;

	TRY(user_get_by_email(c, call->with.args[0], &u));
	TRY(owned_list(c, u->id, &rows));
	if (what && str_starts(what, "give=")) {
		TRY(user_get_by_email(c, to = what + strlen("give="), &heir));
		TRY(user_may_receive(c, "--artifacts", to, heir->disabled_at));
	}
	if (to ? str_eq(heir->id, u->id) : what ? !str_eq(what, "delete") : rows.n > 0)
		return fail(c, E_INVALID,
		    "they own %s; add --artifacts delete to delete what they own permanently, "
		    "or --artifacts give=EMAIL to give it to another person",
		    str_count(c->mem, (int64_t)rows.n, "artifact"));
	TRY(member_may_go(c, u->id));
	TRY(user_set_disabled(c, u->id, true));
	for (size_t i = 0; i < rows.n; i++)
		TRY(owned_end(c, &rows.v[i], to));
	TRY(db_begin(c));
	TRY(user_delete(c, u->id));
	return db_commit(c);
}

static enum err
cmd_password(struct cmd_call *call)
{
	struct user *u;
	char line[2 * PASSHASH_MAX + 6] = ""; /* it may be UTF-16 */
	const char *password;

	TRY(user_get_by_email(call->c, call->with.args[0], &u));
	if (!fgets(line, sizeof line, stdin))
		return fail(call->c, E_INVALID,
		    "password: standard input is empty; send the password as a line");
	password = unicode_line(call->c->mem, line, sizeof line);
	TRY(password_judge(call->c, u, password));
	TRY(password_set(call->c, u, passhash_new(call->c->mem, password)));
	return session_end_others(call->c, u->id, NULL);
}

static enum err
cmd_invite(struct cmd_call *call)
{
	const char *by = usage_option(&call->with, "--by");
	struct user *u;

	TRY(user_get_by_email(call->c, call->with.args[0], &u));
	return password_send_link(
	    call->c, u->email, LETTER_INVITATION, by ? by : "Whoever runs the service");
}

static enum err
cmd_factor_off(struct cmd_call *call)
{
	struct user *u;
	enum err e;

	TRY(user_get_by_email(call->c, call->with.args[0], &u));
	TRY(db_begin(call->c));
	e = factor_turn_off(call->c, u);
	if (e == E_NOT_FOUND)
		e = fail(call->c, e, "%s has no second factor", u->email);
	if (!e)
		e = db_commit(call->c);
	if (e)
		db_rollback(call->c);
	return e;
}

/* Reads a size such as "500" or "20G". Returns false if it isn't one, or is too large. */
static bool
size_read(struct ctx *c, const char *text, int64_t *out)
{
	static const char units[] = "KMGT";
	char *digits = mem_strdup(c->mem, text), *end = digits + strspn(digits, "0123456789");
	const char *unit = *end ? strchr(units, *end) : NULL;
	size_t thousands = unit ? (size_t)(unit - units) + 1 : 0;
	int64_t n;

	if (*end && (!unit || end[1]))
		return false;
	*end = '\0';
	if (!str_int(digits, &n) || n > STORAGE_LIMIT_MOST)
		return false;
	for (; thousands; thousands--)
		if ((n *= 1000) > STORAGE_LIMIT_MOST)
			return false;
	*out = n;
	return n > 0;
}

static enum err
cmd_storage(struct cmd_call *call)
{
	struct ctx *c = call->c;
	struct storage *s;
	struct user *u;
	const char *word;
	int64_t bytes = 0;

	TRY(user_get_by_email(c, call->with.args[0], &u));
	if (call->with.n > 1) {
		word = call->with.args[1];
		if (!str_in(word, "default|none") && !size_read(c, word, &bytes))
			return fail(c, E_INVALID,
			    "%s: must be a number of bytes up to %lld, a number with K, M, "
			    "G or T (powers of 1000), none or default",
			    word, (long long)STORAGE_LIMIT_MOST);
		TRY(storage_limit(c, u->id, str_eq(word, "default") ? NULL : &bytes));
	}
	TRY(storage_get(c, u->id, &s));
	printf("%lld bytes used (%s), ", (long long)s->used_bytes,
	    str_amount(c->mem, s->used_bytes));
	if (s->has.limit_bytes == GIVEN)
		printf("of %lld (%s)\n", (long long)s->limit_bytes,
		    str_amount(c->mem, s->limit_bytes));
	else
		printf("no limit\n");
	return E_OK;
}

static enum err
cmd_recount(struct cmd_call *call)
{
	int64_t mended, seats, sessions, libraries, missing, over;

	TRY(storage_recount(call->c, &mended));
	TRY(member_recount(call->c, &seats));
	TRY(session_policy_mend(call->c, &sessions));
	TRY(library_recount(call->c, &libraries));
	TRY(inbox_mend(call->c, &missing, &over));
	printf("%lld counters were wrong and have been fixed\n",
	    (long long)(mended + seats + sessions + libraries + missing + over));
	return E_OK;
}

const struct cmd user_cmds[] = {
	{ "user add", "EMAIL [--name NAME]",
	    "add a person, and print the ID and how they can sign in", cmd_add },
	{ "user list", "", "list all people, guests and agents", cmd_user_list },
	{ "user password", "EMAIL",
	    "set the password to a line from standard input, and end every session", cmd_password },
	{ "user invite", "EMAIL [--by NAME]", "e-mail a link to set a password, valid for a week",
	    cmd_invite },
	{ "user factor off", "EMAIL",
	    "turn off the second factor of someone who has lost phone and codes; they are notified",
	    cmd_factor_off },
	{ "user disable", "EMAIL",
	    "disable the account; "
	    "its tokens and sessions stop working at once, open pages stay open",
	    cmd_disable, true },
	{ "user delete", "EMAIL [--artifacts WHAT]",
	    "delete the account; WHAT happens to its artifacts: delete, or give=EMAIL",
	    cmd_delete },
	{ "user enable", "EMAIL", "enable the account again, with its tokens and sessions",
	    cmd_disable, false },
	{ "user storage", "EMAIL [LIMIT]",
	    "show how much they store, or set their LIMIT, such as 20G, none or default",
	    cmd_storage },
	{ "user recount", "",
	    "recount storage and workspace seats, when fsck says the counts are wrong",
	    cmd_recount },
	{ "user staff", "EMAIL staff|super|none",
	    "staff: they answer support tickets, and pause and delete anyone's artifacts in "
	    "the browser; super: they see all tickets, too; none: neither any longer",
	    cmd_staff },
	{ "staff list", "", "list those who are staff or super", cmd_staff_list },
	{ 0 },
};
