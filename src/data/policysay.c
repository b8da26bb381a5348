/* SPDX-License-Identifier: Apache-2.0
 * Says in sentences who can do what with a table's rows. */
#include "base/str.h"
#include "data/policy.h"

/* A rule, with the acts that it decides about. */
struct said_rule {
	const struct expr *expr; /* NULL: the default */
	const char *name;
	const char *acts[POLICY_ACTS];
	size_t n;
	bool reads;
};

static const char *
acts_words(struct ctx *c, const struct said_rule *rule)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < rule->n; i++)
		buf_fmt(&b, "%s%s",
		    !i                    ? ""
			: i + 1 < rule->n ? ", "
			: rule->n > 2     ? ", and "
					  : " and ",
		    rule->acts[i]);
	return buf_done(&b);
}

static const char *
least_words(const char *least, bool reads)
{
	if (!least)
		return reads ? "Everyone who can open it" : "The owner and editors";
	return str_eq(least, "owner") ? "Only the owner"
	    : str_eq(least, "editor") ? "The owner and editors"
	    : str_eq(least, "viewer") ? "People with a role on it"
	    : reads                   ? "Everyone who can open it"
				      : "Signed-in people who can open it";
}

static const char *
rule_words(struct ctx *c, const struct said_rule *rule, const char *least)
{
	static const struct expr_viewer nobody;
	const char *acts = acts_words(c, rule), *clause;
	bool adds = rule->n == 1 && str_eq(acts, policy_act_names[POLICY_ADD]);
	const char *all = adds ? "rows" : "all rows";
	enum verdict stranger;

	if (!rule->expr)
		return mem_printf(
		    c->mem, "%s can %s %s.", least_words(least, rule->reads), acts, all);
	stranger = expr_verdict(rule->expr, &nobody);
	clause = expr_words(c->mem, rule->expr);
	if (str_eq(clause, "true is true"))
		return mem_printf(
		    c->mem, "%s can %s %s.", least_words("everyone", rule->reads), acts, all);
	if (str_eq(clause, "false is true"))
		return mem_printf(c->mem, "Only the owner can %s rows.", acts);
	return mem_printf(c->mem, "People can %s %s%s %s %s.%s", acts,
	    !adds && expr_unknown(rule->expr, NULL) ? "the " : "",
	    expr_unknown(rule->expr, NULL) ? "rows" : all,
	    expr_unknown(rule->expr, NULL) ? "where" : "if", clause,
	    rule->reads && stranger == VERDICT_NO ? " Visitors who aren’t signed in see none."
						  : "");
}

/* Adds the rule, or its act to that which also decides about others. */
static void
rule_add(struct said_rule *rules, size_t *n, const struct row_rule *rule, enum policy_act act)
{
	size_t i = 1;

	while (i < *n && !(str_eq(rules[i].name, rule->name) && rule->name) &&
	    (rules[i].name || rule->name))
		i++;
	if (!*n)
		i = 0;
	if (i >= *n) {
		i = (*n)++;
		rules[i] = (struct said_rule){
			.expr = rule->expr, .name = rule->name, .reads = act == POLICY_READ
		};
	}
	rules[i].acts[rules[i].n++] = act == POLICY_READ ? "see" : policy_act_names[act];
}

static void
limits_words(struct ctx *c, const struct row_limits *l, struct strs *out)
{
	size_t n = json_len(l->change_columns);
	const char **names = mem_array(c->mem, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		names[i] = json_str(json_at(l->change_columns, i));
	if (l->change_columns)
		strs_add(c->mem, out,
		    n ? mem_printf(c->mem, "Of rows that are there, only %s can change.",
			    str_some(c->mem, names, n))
		      : "Of rows that are there, no column can change.");
	if (l->add_per_hour)
		strs_add(c->mem, out,
		    mem_printf(c->mem, "A person can add at most %s an hour.",
			str_count(c->mem, l->add_per_hour, "row")));
}

enum err
policy_say(
    struct ctx *c, const struct rowpolicy *policy, const struct data_table *t, struct strs *out)
{
	static const struct expr_viewer nobody;
	struct rowpolicy p = *policy;
	struct said_rule rules[POLICY_ACTS];
	struct row_limits limits;
	size_t n = 0;

	p.role = ROLE_VIEWER;
	p.viewer = &nobody;
	if (rowpolicy_table(c, &p, t->name, NULL, POLICY_READ).wrong) {
		strs_add(c->mem, out,
		    "The rules are invalid, so only the owner can see and change rows.");
		return E_OK;
	}
	limits = rowpolicy_limits(&p, t->name);
	for (enum policy_act act = 0; act < POLICY_ACTS; act++) {
		struct row_rule rule = rowpolicy_table(c, &p, t->name, NULL, act);

		if (act != POLICY_WRITE)
			rule_add(rules, &n, &rule, act);
	}
	for (size_t i = 0; i < n; i++)
		strs_add(c->mem, out, rule_words(c, &rules[i], json_word(p.tree, "default")));
	limits_words(c, &limits, out);
	return E_OK;
}
