/* SPDX-License-Identifier: Apache-2.0 */
#include "core/accesspolicy.h"

#include "base/host.h"
#include "base/str.h"
#include "base/suffix.h"
#include "core/follow.h"
#include "core/user.h"

SHAPE_DEFINE(access_policy, ACCESS_POLICY);

#define ALLOWED(F, T) F(T, STR, value)
SHAPE(allowed, ALLOWED);

enum err
access_policy_get(struct ctx *c, const struct workspace *w, struct access_policy **out)
{
	struct access_policy *p = *out = mem_new(c->mem, struct access_policy);
	struct allowed_list rows;

	TRY(db_all(c,
	    ROWS(allowed,
		"SELECT value FROM workspace_allowed WHERE workspace_id = ? ORDER BY value"),
	    ARGS(w->id), &rows));
	p->allowed_domains.v = mem_array(c->mem, const char *, rows.n + 1);
	p->allowed_emails.v = mem_array(c->mem, const char *, rows.n + 1);
	for (size_t i = 0; i < rows.n; i++) {
		struct strs *to = strchr(rows.v[i].value, '@') ? &p->allowed_emails
							       : &p->allowed_domains;

		to->v[to->n++] = rows.v[i].value;
	}
	return E_OK;
}

/* ---- changing ---- */

enum err
mail_domain_check(struct ctx *c, const char *at, const char *domain, const char **out)
{
	static const char public_ones[] =
#include "core/mailboxes.def"
	    ;
	const char *name = host_name(c->mem, domain);

	if (!name || !strchr(name, '.') || strchr(name, '_') ||
	    strspn(name, "0123456789.") == strlen(name))
		return fail(c, E_INVALID, "%s: %s isn't a valid e-mail domain", at, domain);
	if (suffix_is_public(name))
		return fail(c, E_INVALID,
		    "%s: anyone can register a domain under %s; "
		    "list whole domains, such as example.%s",
		    at, name, name);
	if (str_in(name, public_ones))
		return fail(c, E_INVALID,
		    "%s: anyone can get an address at %s; list individual addresses instead", at,
		    name);
	*out = name;
	return E_OK;
}

enum err
access_policy_set(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct access_policy *in)
{
	size_t n = in->allowed_domains.n + in->allowed_emails.n;
	struct arg *v = mem_array(c->mem, struct arg, 2 * n + 1), *at = v;
	struct access_policy *before, *after;
	const char *value = NULL;

	TRY(access_policy_get(c, w, &before));
	for (size_t i = 0; i < in->allowed_domains.n; i++) {
		TRY(mail_domain_check(c, mem_printf(c->mem, "allowed_domains[%zu]", i),
		    in->allowed_domains.v[i], &value));
		*at++ = arg_str(w->id);
		*at++ = arg_str(value);
	}
	for (size_t i = 0; i < in->allowed_emails.n; i++) {
		*at++ = arg_str(w->id);
		*at++ = arg_str(email_fold(c, in->allowed_emails.v[i]));
	}
	TRY(db_exec(c, EXEC("DELETE FROM workspace_allowed WHERE workspace_id = ?"),
	    ARGS(w->id), NULL));
	/* A value that is listed twice is stored once. */
	TRY(db_exec_many(c,
	    EXEC("INSERT IGNORE INTO workspace_allowed (workspace_id, value) VALUES (?, ?)"), v, 2,
	    n));
	TRY(db_exec1(c, EXEC("UPDATE workspace SET fenced = ?, updated_at = ? WHERE id = ?"),
	    ARGS(n > 0, c->now, w->id)));
	TRY(access_policy_get(c, w, &after));
	return audit_workspace(c, w, who, "access_policy.changed",
	    shape_text(c->mem, &access_policy_shape, before),
	    shape_text(c->mem, &access_policy_shape, after));
}

/* ---- checking ---- */

#define FENCE(F, T) \
	F(T, BOOL, fenced) \
	F(T, BOOL, named) \
	F(T, BOOL, member)
SHAPE(fence, FENCE);

static enum err
fence_read(struct ctx *c, const char *workspace_id, const char *email, struct fence **out)
{
	const char *whose = email_fold(c, email), *at = strrchr(whose, '@');

	return db_one(c,
	    ROWS(fence,
		"SELECT w.fenced, EXISTS (SELECT 1 FROM workspace_allowed x"
		" WHERE x.workspace_id = w.id AND x.value IN (?, ?)) AS named,"
		" EXISTS (SELECT 1 FROM member m"
		" WHERE m.workspace_id = w.id AND m.user_id = " USER_OF_EMAIL ") AS member"
		" FROM workspace w WHERE w.id = ?"),
	    ARGS(whose, at ? at + 1 : "", USER_OF(whose), workspace_id), out);
}

enum err
access_policy_allows(struct ctx *c, const char *workspace_id, const char *email, bool *yes)
{
	struct fence *f;

	TRY(fence_read(c, workspace_id, email, &f));
	*yes = !f->fenced || f->named || f->member;
	return E_OK;
}

bool
access_policy_names(struct ctx *c, const struct access_policy *p, const char *email)
{
	const char *whose = email_fold(c, email), *at = strrchr(whose, '@');

	return (!p->allowed_domains.n && !p->allowed_emails.n) ||
	    strs_have(&p->allowed_emails, whose) ||
	    (at && strs_have(&p->allowed_domains, at + 1));
}

enum err
access_policy_names_user(
    struct ctx *c, const char *workspace_id, const char *user_id, bool *yes)
{
	struct fence *f;

	TRY(db_one(c,
	    ROWS(fence,
		"SELECT EXISTS (SELECT 1 FROM user u JOIN workspace_allowed x"
		" ON x.workspace_id = ? AND x.value IN (u.email, SUBSTRING_INDEX(u.email, '@', -1))"
		" WHERE u.id = ?) AS named"),
	    ARGS(workspace_id, user_id), &f));
	*yes = f->named;
	return E_OK;
}

enum err
access_policy_joins(
    struct ctx *c, const char *workspace_id, const struct principal *who, bool *yes)
{
	struct fence *f;

	*yes = false;
	if (!who->email || who->workspace_id || who->grants_only)
		return E_OK;
	TRY(fence_read(c, workspace_id, who->email, &f));
	*yes = f->fenced && f->named && !f->member;
	return E_OK;
}

/* ---- when other things change ---- */

WORKSPACE_ROWS(workspace_allowed, "")
FOLLOWS(access_policy, { WORKSPACE_PURGED, workspace_purged });
