/* SPDX-License-Identifier: Apache-2.0 */
#include "data/policy.h"

#include "base/principal.h"
#include "base/sample.h"
#include "base/str.h"
#include "core/follow.h"
#include "data/exposure.h"
#include "data/tablepolicy.h"
#include "store/rounds.h"

SHAPE_DEFINE(policy_told, POLICY_TOLD);
SHAPE_DEFINE(policy_new, POLICY_NEW);
SHAPE_DEFINE(policy_version, POLICY_VERSION);

/* ---- versions ---- */

enum err
policy_changed(struct ctx *c, const struct artifact *a, const char *before, const char *after,
    const char *written)
{
	before = before && *before ? before : NULL;
	after = after && *after ? after : NULL;
	if (str_eq(before, after))
		return E_OK;
	TRY(audit_policy(c, a, before, after));
	/* The policy before may be older than this record. */
	return db_exec(c,
	    EXEC("BEGIN NOT ATOMIC DECLARE art " SQL_ID
		 " DEFAULT ?; DECLARE was MEDIUMTEXT DEFAULT ?;"
		 " DECLARE latest INT DEFAULT"
		 " (SELECT MAX(no) FROM policy_version WHERE artifact_id = art);"
		 " IF latest IS NULL AND was IS NOT NULL THEN"
		 " INSERT INTO policy_version (artifact_id, no, text) VALUES (art, 1, was);"
		 " SET latest = 1; END IF;"
		 " INSERT INTO policy_version (artifact_id, no, text, at, user_id)"
		 " VALUES (art, COALESCE(latest, 0) + 1, ?, ?, ?);"
		 " DELETE FROM policy_version WHERE artifact_id = art AND no <= latest - ?; END"),
	    ARGS(a->id, before, written && after ? written : after, c->now,
		c->actor ? c->actor->user_id : NULL, POLICY_VERSIONS - 1),
	    NULL);
}

#define VERSIONS                                                                                  \
	"SELECT p.no AS version, p.text, p.at AS updated_at, p.user_id AS `updated_by.user_id`,"  \
	" u.name AS `updated_by.name` FROM policy_version p LEFT JOIN user u ON u.id = p.user_id" \
	" WHERE p.artifact_id = ?"

enum err
policy_versions(struct ctx *c, const struct artifact *a, const struct page_query *q,
    struct policy_version_list *out, const char **next)
{
	int64_t before = INT32_MAX;

	*next = NULL;
	if (q->cursor && !str_int(q->cursor, &before))
		return fail_cursor(c);
	return db_part(c, ROWS(policy_version, VERSIONS " AND p.no < ? ORDER BY p.no DESC LIMIT ?"),
	    ARGS(a->id, before), q->limit, out, next,
	    mem_printf(c->mem, "%lld", (long long)last->version));
}

/* ---- reading ---- */

/* Returns the compact form; NULL if the text isn't JSON. */
static const char *
compact_of(struct ctx *c, const char *text)
{
	struct json *tree;

	if (!text)
		return NULL;
	if (!json_parse(c, text, strlen(text), &tree))
		return json_text(c->mem, tree);
	ctx_forgive(c);
	return NULL;
}

/* Returns the text that was written, if it is still that of the policy. */
static const char *
text_of(struct ctx *c, const struct policy_version *v, const char *policy)
{
	const char *compact = compact_of(c, policy);
	const char *written = v ? v->text : NULL;

	if (!compact)
		return policy;
	if (written && str_eq(compact_of(c, written), compact) && strchr(written, '\n'))
		return written;
	return json_indented(c->mem, compact);
}

enum err
policy_get(struct ctx *c, const struct artifact *a, struct policy_told **out)
{
	struct policy_told *told = *out = mem_new(c->mem, struct policy_told);
	struct artifact as = { .id = a->id, .role = "viewer", .has.access_policy = GIVEN };
	struct data_table_list tables;
	struct buf b = BUF(c->mem);
	struct policy_version *v;
	struct rowpolicy p;
	const char *policy;

	TRY(rowpolicy_text(c, a, &policy));
	TRY(db_find(c, ROWS(policy_version, VERSIONS " ORDER BY p.no DESC LIMIT 1"), ARGS(a->id),
	    &v));
	*told = (struct policy_told){ .policy = compact_of(c, policy),
		.text = text_of(c, v, policy),
		/* A policy that is older than the record of versions will be its first. */
		.version = v ? v->version : policy != NULL,
		.updated_at = v ? v->updated_at : 0,
		.updated_by = v ? v->updated_by : NULL };
	told->has.updated_at = v && v->has.updated_at == GIVEN ? GIVEN : NULLED;
	as.access_policy = policy;
	TRY(table_all(c, a->id, &tables));
	TRY(rowpolicy_read(c, &as, NULL, &p));
	buf_chr(&b, '{');
	for (size_t i = 0; i < tables.n; i++) {
		struct strs sentences = { 0 };

		TRY(policy_say(c, &p, &tables.v[i], &sentences));
		json_key(&b, tables.v[i].name);
		buf_jsons(&b, sentences.v, sentences.n);
	}
	buf_chr(&b, '}');
	told->sentences = buf_done(&b);
	return E_OK;
}

/* ---- changing ---- */

enum err
policy_read(
    struct ctx *c, const char *policy, const char *text, const char **compact, const char **written)
{
	*compact = *written = NULL;
	if (text && !text[strspn(text, " \t\r\n")])
		return E_OK;
	*written = text ? str_lines(c->mem, text) : policy ? json_indented(c->mem, policy) : NULL;
	if (!*written)
		return E_OK;
	if (strlen(*written) > POLICY_BYTES)
		return fail(c, E_INVALID, "text: is %zu bytes long; the maximum is %d",
		    strlen(*written), POLICY_BYTES);
	TRY(rowpolicy_check(c, *written));
	*compact = compact_of(c, *written);
	return E_OK;
}

/* A policy applies at once, so it must not get around what holds for versions. */
static enum err
open_check(struct ctx *c, const struct artifact *a, const struct principal *who)
{
	if (!a->is_open)
		return E_OK;
	if (a->needs_approval)
		return fail(c, E_APPROVAL_REQUIRED,
		    "The workspace must approve what others can see and change; publish the policy "
		    "with a version, as access_policy");
	return ceiling_check(
	    c, who, a->visibility, "policy", mem_printf(c->mem, "/a/%s/data/rules", a->id));
}

enum err
policy_exposes(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *policy, const char **more)
{
	struct strs grown = { 0 };

	*more = NULL;
	if (!who || !principal_is_agent(who) || !a->is_open)
		return E_OK;
	TRY(exposure_grows(c, a, policy, &grown));
	*more = grown.n ? strs_join(c->mem, &grown, " ") : NULL;
	return E_OK;
}

enum err
policy_put(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct policy_new *in, struct strs *odd)
{
	const char *compact, *written, *before, *more = NULL;

	if ((in->has.policy != ABSENT) == (in->text != NULL))
		return fail(c, E_INVALID, "policy: send either policy or text");
	TRY(policy_read(c, in->policy, in->text, &compact, &written));
	TRY(tablepolicy_check(c, a, written, odd));
	TRY(rowpolicy_text(c, a, &before));
	if (str_eq(before, compact))
		return E_OK;
	TRY(open_check(c, a, who));
	if (!in->accept_exposure)
		TRY(policy_exposes(c, a, who, compact, &more));
	if (more)
		return fail(c, E_CONFLICT,
		    "policy: nothing was changed. %s Ask your person, then send accept_exposure",
		    more);
	TRY(db_exec1(c, EXEC("UPDATE artifact SET access_policy = ?, updated_at = ? WHERE id = ?"),
	    ARGS(compact, c->now, a->id)));
	return policy_changed(c, a, before, compact, written);
}

/* ---- what ends ---- */

static enum err
pace_delete(struct ctx *c, int64_t limit, int64_t *done)
{
	return db_exec(c, EXEC("DELETE FROM data_pace WHERE hour < ? ORDER BY hour LIMIT ?"),
	    ARGS(c->now / 3600 - 1, limit), done);
}

USERS(USER_UNSET(policy_version, user_id) USER_EITHER(data_pace, user_id))
FOLLOWS(policy, USERS_FOLLOW);
ROUNDS(policy, { "pace", .rows = pace_delete });
PURGES(policy, ROWS_OF(policy_version));
