/* SPDX-License-Identifier: Apache-2.0 */
#include "data/tablepolicy.h"

#include "base/str.h"
#include "data/rowpolicy.h"

struct fitting {
	struct ctx *c;
	const char *text; /* the policy */
	const char *only; /* NULL: all tables */
	struct data_table_list tables;
	struct rowpolicy policy;
	struct strs *out, absent;
	bool refuse; /* fail at an unknown column */
};

/* Returns "; did you mean status?" or "". */
static const char *
suggestion(struct ctx *c, const struct str_near *near)
{
	return near->word ? mem_printf(c->mem, "; did you mean %s?", near->word) : "";
}

/* name: of the rule that names a column which the table lacks. */
static enum err
column_lacks(struct fitting *f, const struct data_table *t, const char *name, const char *column)
{
	const struct policy_place at = { f->text, { "tables", t->name, name }, 3, false, 0 };
	struct str_near near = STR_NEAR(column);
	const struct data_column *col = t->columns.v;
	bool list = str_eq(name, "change_columns");
	const char *why;

	for (size_t i = 0; i < t->columns.n; i++)
		str_near_try(&near, col[i].name);
	why = mem_printf(
	    f->c->mem, "the table has no column %s%s", column, suggestion(f->c, &near));
	if (f->refuse)
		return policy_fail(f->c, &at, "%s", why);
	strs_add(f->c->mem, f->out,
	    mem_printf(f->c->mem, "access_policy.tables.%s.%s: %s%s%s", t->name, name, why,
		near.word ? "" : ".",
		list ? "" : " Until that changes, the rule allows only the owner."));
	return E_OK;
}

static enum err
table_fit(struct fitting *f, const struct data_table *t)
{
	struct row_limits limits = rowpolicy_limits(&f->policy, t->name);
	struct cell_columns columns;

	table_columns(t, &columns);
	for (enum policy_act act = 0; act < POLICY_ACTS; act++) {
		struct row_rule rule =
		    rowpolicy_table(f->c, &f->policy, t->name, &columns, act);

		if (rule.unknown && str_eq(rule.name, policy_act_names[act]))
			TRY(column_lacks(f, t, rule.name, rule.unknown));
	}
	for (size_t i = 0; i < json_len(limits.change_columns); i++) {
		const char *name = json_str(json_at(limits.change_columns, i));

		if (!table_column(t, name))
			TRY(column_lacks(f, t, "change_columns", name));
	}
	return E_OK;
}

static int
name_fit(void *arg, const char *name, const struct json *rules)
{
	struct fitting *f = arg;
	const struct data_table *t = f->tables.v;
	struct str_near near = STR_NEAR(name);

	(void)rules;
	if (f->only && !str_eq(f->only, name))
		return 0;
	for (size_t i = 0; i < f->tables.n; i++) {
		if (str_eq(t[i].name, name))
			return (int)table_fit(f, &t[i]);
		str_near_try(&near, t[i].name);
	}
	if (near.word)
		strs_add(f->c->mem, f->out,
		    mem_printf(f->c->mem, "access_policy.tables.%s: there is no such table%s", name,
			suggestion(f->c, &near)));
	else
		strs_add(f->c->mem, &f->absent, name);
	return 0;
}

static enum err
policy_fit(struct fitting *f, const char *artifact_id, const char *text)
{
	static const struct expr_viewer nobody;
	struct json *tree;

	f->text = text;
	if (rowpolicy_check(f->c, text)) {
		strs_add(f->c->mem, f->out,
		    mem_printf(f->c->mem, "%s. Until that changes, it allows only the owner.",
			f->c->message));
		return ctx_forgive(f->c);
	}
	TRY(json_parse(f->c, text, strlen(text), &tree));
	if (artifact_id)
		TRY(table_all(f->c, artifact_id, &f->tables));
	f->policy = (struct rowpolicy){ .role = ROLE_VIEWER, .tree = tree, .viewer = &nobody };
	if (json_get(tree, "tables"))
		TRY((enum err)json_each(json_get(tree, "tables"), name_fit, f));
	if (f->absent.n)
		strs_add(f->c->mem, f->out,
		    mem_printf(f->c->mem,
			"access_policy.tables: there is no table %s yet; its rules apply once "
			"there is.",
			str_some(f->c->mem, f->absent.v, f->absent.n)));
	return E_OK;
}

enum err
tablepolicy_warn(struct ctx *c, const char *artifact_id, const char *text, const char *table,
    struct strs *out)
{
	struct fitting f = { .c = c, .only = table, .out = out };

	return text ? policy_fit(&f, artifact_id, text) : E_OK;
}

enum err
tablepolicy_check(struct ctx *c, const struct artifact *a, const char *text, struct strs *out)
{
	struct fitting f = { .c = c, .out = out, .refuse = true };

	if (!text)
		return E_OK;
	TRY(rowpolicy_check(c, text));
	f.refuse = a && !str_eq(text, a->access_policy);
	return policy_fit(&f, a ? a->id : NULL, text);
}

enum err
tablepolicy_said(struct ctx *c, const struct artifact *a, const char *table, const char **out)
{
	struct buf b = BUF(c->mem);
	struct strs odd = { 0 };
	const char *policy;

	*out = NULL;
	if (role_rank(a->role) < ROLE_EDITOR)
		return E_OK;
	TRY(rowpolicy_text(c, a, &policy));
	TRY(tablepolicy_warn(c, a->id, policy, table, &odd));
	for (size_t i = 0; i < odd.n; i++)
		buf_fmt(&b, "%s%s", i ? " " : "", odd.v[i]);
	*out = odd.n ? buf_done(&b) : NULL;
	return E_OK;
}
