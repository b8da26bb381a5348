/* SPDX-License-Identifier: Apache-2.0 */
#include "data/rowpolicy.h"

#include "base/jsonplace.h"
#include "base/str.h"

/* ---- parsing a policy ---- */

const char *const policy_act_names[POLICY_ACTS] = { "read", "write", "add", "change", "delete" };

enum { COLUMNS_MOST = 64, PER_HOUR_MOST = 1000 };

enum err
policy_fail(struct ctx *c, const struct policy_place *p, const char *fmt, ...)
{
	const struct text_place place =
	    text_place(p->text, json_place(c->mem, p->text, p->keys, p->n, p->name) + p->at);
	struct buf path = BUF(c->mem), details = BUF(c->mem);
	const char *why, *dotted;
	va_list ap;

	va_start(ap, fmt);
	why = mem_vprintf(c->mem, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < p->n; i++)
		buf_fmt(&path, "%s%s", i ? "." : "", p->keys[i]);
	dotted = buf_done(&path);
	buf_str(&details, "{\"path\":");
	buf_json(&details, dotted);
	buf_fmt(&details, ",\"line\":%zu,\"column\":%zu}", place.line, place.column);
	c->details = buf_done(&details);
	if (!strchr(p->text, '\n'))
		return fail(
		    c, E_INVALID, "access_policy%s%s: %s", p->n ? "." : "", dotted, why);
	return fail(c, E_INVALID, "access_policy%s%s, line %zu: %s", p->n ? "." : "", dotted,
	    place.line, why);
}

/* Arguments of a walk over a policy's members. */
struct policy_walk {
	struct ctx *c;
	struct policy_place at;
	bool rows; /* the rules are a table's */
};

static struct policy_walk
walk_into(const struct policy_walk *w, const char *key)
{
	struct policy_walk in = *w;

	in.at.keys[in.at.n++] = key;
	return in;
}

static enum err
rule_parse(const struct policy_walk *w, const struct json *value, const struct expr **out)
{
	struct policy_place at = w->at;
	const char *why;
	size_t where;

	if (json_kind(value) != J_STR || json_len(value) > EXPR_BYTES)
		return policy_fail(
		    w->c, &at, "must be a string of at most %d bytes", EXPR_BYTES);
	why = expr_parse(w->c->mem, json_str(value), w->rows, out, &where);
	if (!why)
		return E_OK;
	/* The value begins with a quotation mark. */
	at.at = where + 1;
	return policy_fail(w->c, &at, "%s at character %zu", why, where);
}

static enum err
columns_check(const struct policy_walk *w, const struct json *value)
{
	size_t n = json_kind(value) == J_ARR ? json_len(value) : COLUMNS_MOST + 1;

	for (size_t i = 0; n <= COLUMNS_MOST && i < n; i++)
		if (json_kind(json_at(value, i)) != J_STR)
			n = COLUMNS_MOST + 1;
	return n <= COLUMNS_MOST
	    ? E_OK
	    : policy_fail(w->c, &w->at, "must be a list of at most %d names of columns",
		  COLUMNS_MOST);
}

static int
rule_check(void *arg, const char *key, const struct json *value)
{
	const struct policy_walk *of = arg;
	struct policy_walk w = walk_into(of, key);
	const struct expr *e;

	if (w.rows && str_eq(key, "change_columns"))
		return (int)columns_check(&w, value);
	if (w.rows && str_eq(key, "add_per_hour"))
		return json_kind(value) == J_INT && json_int(value) >= 1 &&
			json_int(value) <= PER_HOUR_MOST
		    ? 0
		    : (int)policy_fail(w.c, &w.at, "must be a whole number from 1 to %d",
			  PER_HOUR_MOST);
	if (str_in(key, w.rows ? "read|write|add|change|delete" : "read|write"))
		return (int)rule_parse(&w, value, &e);
	w.at.name = true;
	return (int)policy_fail(w.c, &w.at,
	    w.rows ? "must be one of read, write, add, change, delete, change_columns, and "
		     "add_per_hour"
		   : "must be read or write");
}

static enum err
rules_check(struct policy_walk *w, const struct json *value)
{
	if (json_kind(value) != J_OBJ)
		return policy_fail(w->c, &w->at, "must be an object with read and write");
	return (enum err)json_each(value, rule_check, w);
}

static int
table_check(void *arg, const char *key, const struct json *value)
{
	struct policy_walk w = walk_into(arg, key);

	w.rows = true;
	return (int)rules_check(&w, value);
}

static int
member_check(void *arg, const char *key, const struct json *value)
{
	struct policy_walk w = walk_into(arg, key);

	if (str_eq(key, "tables"))
		return json_kind(value) == J_OBJ
		    ? 0
		    : (int)policy_fail(w.c, &w.at, "must be an object");
	if (str_in(key, "json|blobs"))
		return (int)rules_check(&w, value);
	w.at.name = !str_eq(key, "default");
	if (w.at.name)
		return (int)policy_fail(w.c, &w.at, "must be tables, json, blobs, or default");
	if (json_kind(value) != J_STR || !str_in(json_str(value), "owner|editor|viewer|everyone"))
		return (int)policy_fail(w.c, &w.at, "must be owner, editor, viewer, or everyone");
	return 0;
}

/* Checks everything but the rules of tables. There may be many, so these are parsed when needed. */
static enum err
policy_parse(struct ctx *c, const char *text, struct json **out)
{
	struct policy_walk w = { .c = c, .at.text = text };
	size_t at;
	const char *why = json_wrong(c, text, strlen(text), out, &at);

	if (why) {
		w.at.at = at;
		return policy_fail(c, &w.at, "isn't valid JSON: %s", why);
	}
	if (json_kind(*out) != J_OBJ)
		return policy_fail(c, &w.at, "must be an object");
	return (enum err)json_each(*out, member_check, &w);
}

enum err
rowpolicy_check(struct ctx *c, const char *json_text)
{
	struct policy_walk w = { .c = c, .at = { json_text, { "tables" }, 1, false, 0 } };
	const struct json *tables;
	struct json *tree;

	TRY(policy_parse(c, json_text, &tree));
	tables = json_get(tree, "tables");
	if (!tables)
		return E_OK;
	if (json_len(tables) > POLICY_TABLES)
		return policy_fail(c, &w.at,
		    "names %zu tables; the maximum is %d. Remove those that the artifact doesn't "
		    "have",
		    json_len(tables), POLICY_TABLES);
	return (enum err)json_each(tables, table_check, &w);
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
	str_lower(domain);
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

/* rules: the object with read and write, or NULL. rows: it is a table's. out->expr is NULL if there
 * is no such rule. */
static enum err
rule_read(struct ctx *c, const struct json *rules, bool rows, enum policy_act act,
    struct row_rule *out)
{
	struct policy_walk w = { .c = c, .at.text = "", .rows = rows };
	const struct json *text;

	if (!rules)
		return E_OK;
	TRY(rules_check(&w, rules));
	out->name = policy_act_names[act];
	if (act > POLICY_WRITE && !json_get(rules, out->name))
		out->name = policy_act_names[POLICY_WRITE];
	text = json_get(rules, out->name);
	if (!text)
		out->name = NULL;
	return text ? rule_parse(&w, text, &out->expr) : E_OK;
}

static struct row_rule
policy_ask(struct ctx *c, const struct rowpolicy *p, const struct json *rules, bool rows,
    enum policy_act act)
{
	const struct json *least = p->tree ? json_get(p->tree, "default") : NULL;
	struct row_rule out = { .verdict = VERDICT_YES, .viewer = p->viewer };

	if (p->role == ROLE_OWNER)
		return out;
	if (p->closed || rule_read(c, rules, rows, act, &out)) {
		ctx_forgive(c);
		out.verdict = VERDICT_NO;
		out.wrong = true;
	} else if (out.expr) {
		out.verdict = expr_verdict(out.expr, out.viewer);
	} else if (least ? p->role < role_rank(json_str(least))
			 : act != POLICY_READ && p->role < ROLE_EDITOR) {
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

struct row_limits
rowpolicy_limits(const struct rowpolicy *p, const char *table)
{
	const struct json *rules = json_get(policy_part(p, "tables"), table), *n;
	struct row_limits out = { 0 };

	if (p->role == ROLE_OWNER || p->closed)
		return out;
	out.change_columns = json_get_as(rules, "change_columns", J_ARR);
	n = json_get_as(rules, "add_per_hour", J_INT);
	out.add_per_hour = n ? json_int(n) : 0;
	return out;
}

bool
may_change_column(const struct row_limits *l, const char *column)
{
	size_t n = json_len(l->change_columns), i = 0;

	while (i < n && !str_eq(json_str(json_at(l->change_columns, i)), column))
		i++;
	return !l->change_columns || i < n;
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
