/* SPDX-License-Identifier: Apache-2.0 */
#include "data/rename.h"

#include "base/buf.h"
#include "base/str.h"
#include "data/policy.h"

/* ---- names ---- */

struct renames_walk {
	struct ctx *c;
	struct renames *out;
};

static int
rename_read(void *arg, const char *old, const struct json *name)
{
	struct renames_walk *w = arg;

	if (json_kind(name) != J_STR)
		return (int)fail(w->c, E_INVALID, "renames.%s: must be the column's new name",
		    str_cut(w->c->mem, old, TABLE_NAME_CHARS));
	w->out->v[w->out->n++] = (struct pair){ old, json_str(name) };
	return 0;
}

enum err
renames_read(struct ctx *c, const char *json, struct renames *out)
{
	struct renames_walk w = { c, out };
	struct json *tree;

	*out = (struct renames){ .json = json };
	if (!json)
		return E_OK;
	TRY(json_parse(c, json, strlen(json), &tree));
	out->v = mem_array(c->mem, struct pair, json_len(tree) + 1);
	return (enum err)json_each(tree, rename_read, &w);
}

const char *
renamed_to(const struct renames *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (str_eq(r->v[i].name, name))
			return r->v[i].value;
	return NULL;
}

const char *
renamed_from(const struct renames *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (str_eq(r->v[i].value, name))
			return r->v[i].name;
	return NULL;
}

/* ---- saved texts ---- */

static const char *
name_now(const struct renames *r, const char *name)
{
	const char *to = renamed_to(r, name);

	return to ? to : name;
}

/* A list of columns. */
static const char *
names_rewrite(struct ctx *c, const struct renames *r, const struct json *names)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < json_len(names); i++) {
		buf_chr(&b, i ? ',' : '[');
		buf_json(&b, name_now(r, json_str(json_at(names, i))));
	}
	buf_str(&b, json_len(names) ? "]" : "[]");
	return buf_done(&b);
}

enum err
renames_names(struct ctx *c, const struct renames *r, const char *names, const char **out)
{
	struct json *tree;

	*out = NULL;
	if (!names)
		return E_OK;
	TRY(json_parse(c, names, strlen(names), &tree));
	*out = names_rewrite(c, r, tree);
	return E_OK;
}

struct members_walk {
	struct buf b;
	const struct renames *renames;
};

static int
member_rename(void *arg, const char *name, const struct json *value)
{
	struct members_walk *w = arg;

	json_key(&w->b, name_now(w->renames, name));
	json_into(&w->b, value);
	return 0;
}

enum err
renames_members(struct ctx *c, const struct renames *r, const char *object, const char **out)
{
	struct members_walk w = { BUF(c->mem), r };
	struct json *tree;

	*out = NULL;
	if (!object)
		return E_OK;
	TRY(json_parse(c, object, strlen(object), &tree));
	buf_chr(&w.b, '{');
	json_each(tree, member_rename, &w);
	buf_chr(&w.b, '}');
	*out = buf_done(&w.b);
	return E_OK;
}

static void
node_rename(struct buf *b, const struct renames *r, const struct json *node)
{
	const char *word = json_get(node, "or") ? "or" : "and";
	const struct json *parts = json_get(node, word);

	if (json_kind(node) == J_ARR) {
		buf_chr(b, '[');
		buf_json(b, name_now(r, json_str(json_at(node, 0))));
		for (size_t i = 1; i < json_len(node); i++) {
			buf_chr(b, ',');
			json_into(b, json_at(node, i));
		}
		buf_chr(b, ']');
		return;
	}
	buf_fmt(b, "{\"%s\":[", word);
	for (size_t i = 0; i < json_len(parts); i++) {
		if (i)
			buf_chr(b, ',');
		node_rename(b, r, json_at(parts, i));
	}
	buf_str(b, "]}");
}

enum err
renames_where(struct ctx *c, const struct renames *r, const char *where, const char **out)
{
	struct buf b = BUF(c->mem);
	struct json *tree;

	*out = NULL;
	if (!where)
		return E_OK;
	TRY(json_parse(c, where, strlen(where), &tree));
	node_rename(&b, r, tree);
	*out = buf_done(&b);
	return E_OK;
}

const char *
renames_order(struct ctx *c, const struct renames *r, const char *order)
{
	char *rest = mem_strdup(c->mem, order), *name;
	struct buf b = BUF(c->mem);

	while (rest && (name = str_split(&rest, ',')))
		buf_fmt(&b, "%s%s%s", b.n ? "," : "", *name == '-' ? "-" : "",
		    name_now(r, name + (*name == '-')));
	return order ? buf_done(&b) : NULL;
}

const char *
renames_measures(struct ctx *c, const struct renames *r, const char *measures)
{
	char *rest = mem_strdup(c->mem, measures), *name;
	struct buf b = BUF(c->mem);

	while (rest && (name = str_split(&rest, ','))) {
		const char *dot = strchr(name, '.');
		const int head = dot ? (int)(dot - name) + 1 : (int)strlen(name);

		buf_fmt(&b, "%s%.*s%s", b.n ? "," : "", head, name,
		    dot ? name_now(r, dot + 1) : "");
	}
	return measures ? buf_done(&b) : NULL;
}

/* ---- the access_policy ---- */

struct rewriting {
	struct ctx *c;
	const struct renames *renames;
	struct buf *b;    /* the changed rules, as members of an object */
	const char *rule; /* the first of them, or NULL */
};

static bool
is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

/* Returns an expression with renamed columns. Texts in quotes stay. */
static const char *
expr_rewrite(const struct rewriting *w, const char *text)
{
	static const char row[] = "row.";
	struct buf b = BUF(w->c->mem);

	while (*text) {
		const char *end = *text == '\'' || *text == '"' ? strchr(text + 1, *text) : NULL;
		size_t n = end ? (size_t)(end - text) + 1 : 1;
		const char *name, *to;

		if (!end && str_starts(text, row) && !(b.n && is_word(b.s[b.n - 1]))) {
			for (n = sizeof row - 1; is_word(text[n]); n++)
				;
			name = mem_strndup(w->c->mem, text + sizeof row - 1, n - sizeof row + 1);
			to = renamed_to(w->renames, name);
			buf_fmt(&b, "%s%s", row, to ? to : name);
		} else {
			buf_add(&b, text, n);
		}
		text += n;
	}
	return buf_done(&b);
}

static int
rule_follow(void *arg, const char *key, const struct json *rule)
{
	struct rewriting *w = arg;
	struct buf b = BUF(w->c->mem);
	const char *now;

	if (json_kind(rule) == J_STR)
		buf_json(&b, expr_rewrite(w, json_str(rule)));
	else if (json_kind(rule) != J_ARR)
		json_into(&b, rule);
	now = json_kind(rule) == J_ARR ? names_rewrite(w->c, w->renames, rule) : buf_done(&b);
	if (str_eq(now, json_text(w->c->mem, rule)))
		return 0;
	json_key(w->b, key);
	buf_str(w->b, now);
	w->rule = w->rule ? w->rule : key;
	return 0;
}

enum err
renames_policy(struct ctx *c, const struct artifact *a, const char *table,
    const struct renames *renames, bool rewrite)
{
	struct buf b = BUF(c->mem);
	struct rewriting w = { .c = c, .renames = renames, .b = &b };
	const struct json *rules;
	struct json *tree, *patch;
	const char *text;

	TRY(rowpolicy_text(c, a, &text));
	if (!text || rowpolicy_check(c, text))
		return ctx_forgive(c);
	TRY(json_parse(c, text, strlen(text), &tree));
	rules = json_get_as(tree, "tables", J_OBJ);
	rules = rules ? json_get_as(rules, table, J_OBJ) : NULL;
	buf_fmt(&b, "{\"tables\":{\"%s\":{", table);
	if (rules)
		json_each(rules, rule_follow, &w);
	buf_str(&b, "}}}");
	if (!w.rule)
		return E_OK;
	if (!rewrite)
		return fail(c, E_CONFLICT,
		    "renames: access_policy.tables.%s.%s names a renamed column; "
		    "with policy: \"rewrite\", the rules follow", table, w.rule);
	TRY(json_parse(c, b.s, b.n, &patch));
	json_merge(tree, patch);
	TRY(rowpolicy_check(c, json_text(c->mem, tree)));
	TRY(db_exec1(c, EXEC("UPDATE artifact SET access_policy = ? WHERE id = ?"),
	    ARGS(json_text(c->mem, tree), a->id)));
	return policy_changed(c, a, text, json_text(c->mem, tree), NULL);
}
