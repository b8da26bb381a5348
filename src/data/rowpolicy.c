/* SPDX-License-Identifier: Apache-2.0 */
#include "data/rowpolicy.h"

#include "base/str.h"

/* ---- parsing a policy ---- */

static const char *const act_names[] = { [POLICY_READ] = "read", [POLICY_WRITE] = "write" };

struct policy_walk {
	struct ctx *c;
	const char *at; /* such as "access_policy.tables.orders" */
	bool rows;
};

static enum err
rule_parse(struct ctx *c, const char *at, bool rows, const struct json *value,
    const struct expr **out)
{
	const char *why;
	size_t where;

	if (json_kind(value) != J_STR || json_len(value) > EXPR_BYTES)
		return fail(c, E_INVALID, "%s: must be a string of at most %d bytes", at,
		    EXPR_BYTES);
	why = expr_parse(c->mem, json_str(value), rows, out, &where);
	return why ? fail(c, E_INVALID, "%s: %s at character %zu", at, why, where) : E_OK;
}

static int
rule_check(void *arg, const char *key, const struct json *value)
{
	struct policy_walk *w = arg;
	const struct expr *e;

	if (!str_in(key, "read|write"))
		return (int)fail(w->c, E_INVALID, "%s: %s must be read or write", w->at, key);
	return (int)rule_parse(
	    w->c, mem_printf(w->c->mem, "%s.%s", w->at, key), w->rows, value, &e);
}

static enum err
rules_check(struct ctx *c, const char *at, bool rows, const struct json *value)
{
	struct policy_walk w = { .c = c, .at = at, .rows = rows };

	if (json_kind(value) != J_OBJ)
		return fail(c, E_INVALID, "%s: must be an object with read and write", at);
	return (enum err)json_each(value, rule_check, &w);
}

static int
table_check(void *arg, const char *key, const struct json *value)
{
	struct ctx *c = arg;

	return (int)rules_check(
	    c, mem_printf(c->mem, "access_policy.tables.%s", key), true, value);
}

static int
member_check(void *arg, const char *key, const struct json *value)
{
	struct ctx *c = arg;

	if (str_eq(key, "tables"))
		return json_kind(value) == J_OBJ
		    ? 0
		    : (int)fail(c, E_INVALID, "access_policy.tables: must be an object");
	if (str_in(key, "json|blobs"))
		return (int)rules_check(
		    c, mem_printf(c->mem, "access_policy.%s", key), false, value);
	if (!str_eq(key, "default"))
		return (int)fail(c, E_INVALID,
		    "access_policy: %s must be one of tables, json, blobs and default", key);
	if (json_kind(value) != J_STR || !str_in(json_str(value), "owner|editor|viewer|everyone"))
		return (int)fail(c, E_INVALID,
		    "access_policy.default: must be one of owner|editor|viewer|everyone");
	return 0;
}

/* Checks everything but the rules of tables. There may be many, so these are parsed when needed. */
static enum err
policy_parse(struct ctx *c, const char *text, struct json **out)
{
	TRY(json_parse(c, text, strlen(text), out));
	if (json_kind(*out) != J_OBJ)
		return fail(c, E_INVALID, "access_policy: must be an object");
	return (enum err)json_each(*out, member_check, c);
}

enum err
rowpolicy_check(struct ctx *c, const char *json_text)
{
	const struct json *tables;
	struct json *tree;

	TRY(policy_parse(c, json_text, &tree));
	tables = json_get(tree, "tables");
	if (!tables)
		return E_OK;
	if (json_len(tables) > POLICY_TABLES)
		return fail(c, E_INVALID,
		    "access_policy.tables: names %zu tables; the maximum is %d. "
		    "Remove those that the artifact doesn't have",
		    json_len(tables), POLICY_TABLES);
	return (enum err)json_each(tables, table_check, c);
}

/* ---- decisions ---- */

#define POLICY_TEXT(F, T) F(T, STR, access_policy)
SHAPE(policy_text, POLICY_TEXT);

enum err
rowpolicy_text(struct ctx *c, const struct artifact *a, const char **out)
{
	struct policy_text *row;

	*out = a->access_policy;
	if (a->has.access_policy != ABSENT)
		return E_OK;
	TRY(db_one(c, ROWS(policy_text, "SELECT access_policy FROM artifact WHERE id = ?"),
	    ARGS(a->id), &row));
	*out = row->access_policy;
	return E_OK;
}

static struct bytes
key_of(struct ctx *c, const char *text)
{
	return text ? cell_text(c->mem, text) : (struct bytes){ 0 };
}

const char *
viewer_role(const struct artifact *a)
{
	return a->role ? a->role : a->can_view ? "external" : NULL;
}

static const struct expr_viewer *
viewer_of(struct ctx *c, const struct artifact *a, const struct principal *who)
{
	struct expr_viewer *out = mem_new(c->mem, struct expr_viewer);
	const char *at = who && who->email ? strrchr(who->email, '@') : NULL;
	char *domain = mem_strdup(c->mem, at ? at + 1 : NULL);

	if (!who)
		return out;
	for (char *p = domain; p && *p; p++)
		*p = (char)tolower((unsigned char)*p);
	out->member[VIEWER_ID] = key_of(c, who->user_id);
	out->member[VIEWER_EMAIL] = key_of(c, who->email);
	out->member[VIEWER_ROLE] = key_of(c, viewer_role(a));
	out->member[VIEWER_WORKSPACE_ROLE] = key_of(c, a->workspace_role);
	out->member[VIEWER_DOMAIN] = key_of(c, domain);
	return out;
}

enum err
rowpolicy_read(struct ctx *c, const struct artifact *a, const struct principal *who,
    struct rowpolicy *out)
{
	const char *text;
	struct json *tree;

	*out = (struct rowpolicy){ .role = role_rank(a->role) };
	if (a->can_edit && out->role < ROLE_EDITOR)
		out->role = ROLE_EDITOR;
	if (out->role == ROLE_OWNER)
		return E_OK;
	TRY(rowpolicy_text(c, a, &text));
	out->viewer = viewer_of(c, a, who);
	if (!text)
		return E_OK;
	out->closed = policy_parse(c, text, &tree) != E_OK;
	if (out->closed)
		return ctx_forgive(c);
	out->tree = tree;
	return E_OK;
}

/* rules: the object with read and write, or NULL. rows: it is a table's. *out is NULL if there
 * is no such rule. */
static enum err
rule_read(struct ctx *c, const struct json *rules, bool rows, enum policy_act act,
    const struct expr **out)
{
	const struct json *text;

	*out = NULL;
	if (!rules)
		return E_OK;
	TRY(rules_check(c, "access_policy", rows, rules));
	text = json_get(rules, act_names[act]);
	return text ? rule_parse(c, "access_policy", rows, text, out) : E_OK;
}

static struct row_rule
policy_ask(struct ctx *c, const struct rowpolicy *p, const struct json *rules, bool rows,
    enum policy_act act)
{
	const struct json *least = p->tree ? json_get(p->tree, "default") : NULL;
	struct row_rule out = { .verdict = VERDICT_YES, .viewer = p->viewer };

	if (p->role == ROLE_OWNER)
		return out;
	if (p->closed || rule_read(c, rules, rows, act, &out.expr)) {
		ctx_forgive(c);
		out.verdict = VERDICT_NO;
	} else if (out.expr) {
		out.verdict = expr_verdict(out.expr, out.viewer);
	} else if (least ? p->role < role_rank(json_str(least))
			 : act == POLICY_WRITE && p->role < ROLE_EDITOR) {
		out.verdict = VERDICT_NO;
	}
	return out;
}

static const struct json *
policy_part(const struct rowpolicy *p, const char *name)
{
	return p->tree ? json_get(p->tree, name) : NULL;
}

enum err
rowpolicy_allows(struct ctx *c, const struct artifact *a, const struct principal *who,
    enum policy_part part, enum policy_act act, bool *out)
{
	struct rowpolicy p;

	TRY(rowpolicy_read(c, a, who, &p));
	*out = policy_ask(c, &p, policy_part(&p, part == POLICY_JSON ? "json" : "blobs"), false,
		   act).verdict == VERDICT_YES;
	return E_OK;
}

struct row_rule
rowpolicy_table(struct ctx *c, const struct rowpolicy *p, const char *table,
    const struct cell_columns *columns, enum policy_act act)
{
	const struct json *tables = policy_part(p, "tables");
	struct row_rule out =
	    policy_ask(c, p, tables ? json_get(tables, table) : NULL, true, act);

	out.unknown = expr_unknown(out.expr, columns);
	if (out.unknown && columns)
		out.verdict = VERDICT_NO;
	return out;
}

bool
row_rule_holds(const struct row_rule *rule, const struct cell_columns *columns,
    const struct bytes keys[CELL_SLOTS])
{
	return rule->verdict == VERDICT_ROW
	    ? expr_holds(rule->expr, rule->viewer, columns, keys)
	    : rule->verdict == VERDICT_YES;
}

void
row_rule_sql(struct sql *q, const struct row_rule *rule, const struct cell_columns *columns)
{
	if (rule->verdict == VERDICT_YES)
		return;
	sql_add(q, " AND ", NOARGS);
	if (rule->verdict == VERDICT_NO)
		sql_add(q, "FALSE", NOARGS);
	else
		expr_sql(q, rule->expr, rule->viewer, columns);
}
