/* SPDX-License-Identifier: Apache-2.0
 * The sections `policy` and `document` of vitrine.yaml (core/declare.h). */
#include "core/declare.h"

#include "base/json.h"
#include "base/str.h"
#include "data/document.h"
#include "data/policy.h"
#include "data/tablepolicy.h"

/* ---- the rules ---- */

/* Rules are texts, also true and false. */
static void
rules_json(struct buf *b, const struct fm *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		const struct fm *v = &rules->v[i];

		json_key(b, v->name);
		if (v->kind == FM_TEXT && v->text && !str_eq(v->name, "add_per_hour"))
			buf_json(b, v->text);
		else
			fm_json(b, v);
	}
}

static void
part_json(struct buf *b, const struct fm *part)
{
	json_key(b, part->name);
	if (part->kind != FM_MAP) {
		fm_json(b, part);
		return;
	}
	buf_chr(b, '{');
	for (size_t i = 0; str_eq(part->name, "tables") && i < part->n; i++) {
		json_key(b, part->v[i].name);
		if (part->v[i].kind != FM_MAP) {
			fm_json(b, &part->v[i]);
			continue;
		}
		buf_chr(b, '{');
		rules_json(b, &part->v[i]);
		buf_chr(b, '}');
	}
	if (!str_eq(part->name, "tables"))
		rules_json(b, part);
	buf_chr(b, '}');
}

/* NULL: none. */
static const char *
policy_json(struct ctx *c, const struct fm *policy)
{
	struct buf b = BUF(c->mem);

	if (!policy || policy->kind != FM_MAP)
		return NULL;
	buf_chr(&b, '{');
	for (size_t i = 0; i < policy->n; i++)
		part_json(&b, &policy->v[i]);
	buf_chr(&b, '}');
	return buf_done(&b);
}

/* Finds the line of a refusal of the rules by its path. */
static enum err
policy_blame(struct declaring *d, const struct fm *policy)
{
	const char *why = strchr(d->c->message, ':');
	const struct fm *at = policy;
	struct json *details;
	char *rest, *name;

	if (d->c->err != E_INVALID || !d->c->details || !why ||
	    json_parse(d->c, d->c->details, strlen(d->c->details), &details))
		return d->c->err;
	rest = mem_strdup(d->c->mem, json_word(details, "path"));
	while (rest && *rest && (name = str_split(&rest, '.')) && fm_get(at, name))
		at = fm_get(at, name);
	return fm_fail(d->c, at, "%s%s%s", at->name ? at->name : "", at->name ? "" : "policy", why);
}

/* Only rules that are stored must fit the tables: others may name a column that somebody has
 * renamed by hand since. A dry run makes no tables, so it doesn't check that. */
static enum err
policy_apply(struct declaring *d, const struct fm *wanted, const struct fm *last)
{
	struct artifact none = { .id = d->art->id };
	const char *text, *now = NULL, *more;
	struct strs odd = { 0 };
	struct json *tree;
	bool stored;

	TRY(declare_map(d, wanted, NULL));
	text = policy_json(d->c, wanted);
	if (rowpolicy_check(d->c, text))
		return policy_blame(d, wanted);
	if (d->art->id)
		TRY(rowpolicy_text(d->c, d->art, &now));
	if (now && !json_parse(d->c, now, strlen(now), &tree))
		now = json_text(d->c->mem, tree);
	stored = declare_value(d, "policy", now, policy_json(d->c, last), text, wanted);
	if (d->dry || !stored)
		return E_OK;
	if (tablepolicy_check(d->c, &none, text, &odd))
		return policy_blame(d, wanted);
	for (size_t i = 0; i < odd.n; i++)
		warn(d->c, "%s", odd.v[i]);
	TRY(policy_exposes(d->c, d->art, d->who, text, &more));
	if (more)
		return declare_conflict(d, wanted,
		    "policy: %s Publish it as a draft, which your person can make live", more);
	TRY(db_exec1(d->c, EXEC("UPDATE artifact SET access_policy = ? WHERE id = ?"),
	    ARGS(text, d->art->id)));
	return policy_changed(d->c, d->art, now, text, NULL);
}

/* ---- the document ---- */

static const char *
document_json(struct ctx *c, const struct fm *document)
{
	struct buf b = BUF(c->mem);

	if (!document || document->kind != FM_MAP)
		return NULL;
	fm_json(&b, document);
	return buf_done(&b);
}

static enum err
document_apply(struct declaring *d, const struct fm *wanted, const struct fm *last)
{
	struct document *old = NULL, now;
	struct json *tree;
	const char *text;
	bool stored;

	TRY(declare_map(d, wanted, NULL));
	text = document_json(d->c, wanted);
	TRY(json_parse(d->c, text, strlen(text), &tree));
	text = json_text(d->c->mem, tree);
	if (d->art->id)
		TRY(document_lock(d->c, d->art, d->who, true, &old));
	stored = declare_value(d, "document", old ? old->body : NULL, document_json(d->c, last),
	    text, wanted);
	return d->dry || !stored
	    ? E_OK
	    : document_put(d->c, d->art, old, tree, &now);
}

DECLARES(policy, .apply = policy_apply);
DECLARES(document, .apply = document_apply);
