/* SPDX-License-Identifier: Apache-2.0 */
#include "core/declare.h"

#include "base/json.h"
#include "base/str.h"
#include "core/follow.h"
#include "db/db.h"

SHAPE_DEFINE(plan_step, PLAN_STEP);
SHAPE_DEFINE(declared_thing, DECLARED_THING);

#define DECLARED(section) extern const struct declares section##_declares;
#define LAST_DECLARED(section) DECLARED(section)
#include "core/nouns.def"
static const struct declares *const sections[] = {
#define DECLARED(section) &section##_declares,
#include "core/nouns.def"
#define LAST_DECLARED(section) &section##_declares,
#include "core/nouns.def"
	NULL
};

/* ---- for the sections ---- */

enum declared
declare_decide(const struct declaring *d, const char *now, const char *last, const char *wanted)
{
	if (str_eq(now, wanted))
		return DECLARED_KEEP;
	if (!now && !last)
		return DECLARED_ADD;
	if (d->reset || str_eq(now, last))
		return now ? DECLARED_CHANGE : DECLARED_ADD;
	return DECLARED_DRIFT;
}

void
declare_step(struct declaring *d, enum declared action, const char *what, const char *before,
    const char *after, const struct fm *at)
{
	enum { SHOWN_CHARS = 1000 };
	static const char *const words[] = { [DECLARED_KEEP] = "keep",
		[DECLARED_ADD] = "add",
		[DECLARED_CHANGE] = "change",
		[DECLARED_DRIFT] = "drift" };
	struct plan_step *step;

	if (d->plan.n == d->room) {
		d->room = d->room ? 2 * d->room : 16;
		d->plan.v = mem_grow(d->c->mem, d->plan.v, d->room * sizeof *d->plan.v);
	}
	step = &d->plan.v[d->plan.n++];
	*step = (struct plan_step){ .action = words[action],
		.what = what,
		.before = before ? str_cut(d->c->mem, before, SHOWN_CHARS) : NULL,
		.after = after ? str_cut(d->c->mem, after, SHOWN_CHARS) : NULL,
		.line = at ? at->line : 0 };
	step->has.line = at ? GIVEN : NULLED;
}

bool
declare_value(struct declaring *d, const char *what, const char *now, const char *last,
    const char *wanted, const struct fm *at)
{
	enum declared action = declare_decide(d, now, last, wanted);

	if (action == DECLARED_KEEP)
		now = wanted = NULL;
	declare_step(d, action, what, now, wanted, at);
	return action == DECLARED_ADD || action == DECLARED_CHANGE;
}

bool
declare_drops(const struct declaring *d, const char *what)
{
	const struct fm *drop = fm_get(d->top, "drop");

	for (size_t i = 0; drop && i < drop->n; i++)
		if (str_eq(drop->v[i].text, what))
			return true;
	return false;
}

enum err
declare_conflict(struct declaring *d, const struct fm *at, const char *fmt, ...)
{
	const char *why;
	va_list ap;

	va_start(ap, fmt);
	why = mem_vprintf(d->c->mem, fmt, ap);
	va_end(ap);
	d->c->details = mem_printf(d->c->mem, "{\"line\":%d,\"column\":%d}", at->line, at->column);
	return fail(d->c, E_CONFLICT, "Line %d: %s", at->line, why);
}

static enum err
map_check(struct ctx *c, const struct fm *map, const char *names)
{
	if (map->kind != FM_MAP)
		return fm_fail(c, map, "there must be fields here%s%s", names ? ", of " : "",
		    names ? names : "");
	for (size_t i = 0; names && i < map->n; i++)
		if (!str_in(map->v[i].name, names)) {
			struct str_near near = STR_NEAR(map->v[i].name);
			char *rest = mem_strdup(c->mem, names), *word;

			while ((word = str_split(&rest, '|')))
				str_near_try(&near, word);
			return fm_fail(c, &map->v[i], "there's no field %s here%s%s%s",
			    str_cut(c->mem, map->v[i].name, 64), near.word ? "; did you mean " : "",
			    near.word ? near.word : "", near.word ? "?" : "");
		}
	return E_OK;
}

enum err
declare_map(struct declaring *d, const struct fm *map, const char *names)
{
	return map_check(d->c, map, names);
}

enum err
declare_text(
    struct declaring *d, const struct fm *map, const char *name, const struct fm **out)
{
	*out = fm_get(map, name);
	return *out && (*out)->kind == FM_TEXT && (*out)->text
	    ? E_OK
	    : fm_fail(d->c, *out ? *out : map, "%s: is required, and is a text", name);
}

static const char *
node_json(struct ctx *c, const struct fm *node)
{
	struct buf b = BUF(c->mem);

	if (!node)
		return NULL;
	fm_json(&b, node);
	return buf_done(&b);
}

static enum err
thing_find(struct declaring *d, const struct declares *how, const struct fm *wanted,
    struct declared_thing **out)
{
	*out = NULL;
	return d->art->id ? how->find(d, wanted, out) : E_OK;
}

static enum err
thing_apply(struct declaring *d, const struct declares *how, const struct fm *wanted,
    const struct fm *last)
{
	const char *key = mem_printf(d->c->mem, "%s.%s", how->section, wanted->name);
	const char *mark = json_word(d->made, key), *before, *now = NULL;
	const struct fm *of, *was = how->of ? fm_get(last, how->of) : NULL;
	struct declared_thing *thing;

	TRY(declare_map(d, wanted, how->fields));
	if (how->of) {
		TRY(declare_text(d, wanted, how->of, &of));
		if (was && !str_eq(was->text, of->text))
			last = NULL;
	}
	TRY(thing_find(d, how, wanted, &thing));
	before = node_json(d->c, last);
	if (thing)
		now = before && str_eq(mark, thing->mark) ? before : "made by hand";
	if (declare_value(d, key, now, before, node_json(d->c, wanted), wanted)) {
		TRY(how->store(d, wanted, thing));
		TRY(thing_find(d, how, wanted, &thing));
		mark = thing ? thing->mark : NULL;
	}
	json_add(&d->marks, key, mark);
	return E_OK;
}

static enum err
things_apply(struct declaring *d, const struct declares *how, const struct fm *wanted,
    const struct fm *last)
{
	TRY(declare_map(d, wanted, NULL));
	for (size_t i = 0; i < wanted->n; i++)
		TRY(thing_apply(d, how, &wanted->v[i], fm_get(last, wanted->v[i].name)));
	return E_OK;
}

enum err
declare_fixed(struct declaring *d, const struct fm *wanted, const char *field, const char *now)
{
	const struct fm *at = fm_get(wanted, field);

	return str_eq(at ? at->text : NULL, now)
	    ? E_OK
	    : declare_conflict(d, at ? at : wanted,
		  "%s: %s has %s, which can't change; give this one another name", field,
		  str_cut(d->c->mem, wanted->name, 80), now ? now : "none");
}

enum err
declare_blame(struct declaring *d, const struct fm *at, enum err e)
{
	const char *why = d->c->message;
	const struct fm *field;

	if (e != E_INVALID && e != E_CONFLICT)
		return e;
	field = fm_get(at, mem_strndup(d->c->mem, why, strcspn(why, ":.[ ")));
	at = field ? field : at;
	return e == E_CONFLICT ? declare_conflict(d, at, "%s", why) : fm_fail(d->c, at, "%s", why);
}

enum err
declare_shape(struct declaring *d, const struct fm *wanted, const struct json *more,
    const struct shape *shape, void **out)
{
	const char *text = node_json(d->c, wanted);
	/* In a dry run, there may be no artifact yet. */
	const char *id = d->art->id ? d->art->id : "art_00000000000000000000000000";
	struct json *tree;

	TRY(json_parse(d->c, text, strlen(text), &tree));
	json_merge(tree, json_new(d->c, "name", wanted->name, "artifact_id", id, NULL));
	if (more)
		json_merge(tree, more);
	return declare_blame(d, wanted, shape_read(d->c, shape, tree, out));
}

/* ---- the file ---- */

/* Puts the file's name before the line number of an error. */
static enum err
blame(struct ctx *c, enum err e)
{
	if (e && c->message && str_starts(c->message, "Line "))
		c->message = mem_printf(c->mem, DECLARE_FILE ", l%s", c->message + 1);
	return e;
}

static enum err
top_read(struct ctx *c, const char *text, const struct fm **top)
{
	const struct fm_limits limits = { "file", DECLARE_BYTES, DECLARE_NODES };
	struct buf names = BUF(c->mem);
	const struct fm *drop;
	bool listed;

	TRY(yaml_file_read(c, text, limits, top));
	for (size_t i = 0; sections[i]; i++)
		buf_fmt(&names, "%s|", sections[i]->section);
	buf_str(&names, "drop");
	TRY(map_check(c, *top, buf_done(&names)));
	drop = fm_get(*top, "drop");
	if (!drop)
		return E_OK;
	listed = drop->kind == FM_LIST || (drop->kind == FM_TEXT && !drop->text);
	for (size_t i = 0; i < drop->n; i++)
		listed &= drop->v[i].text != NULL;
	return listed
	    ? E_OK
	    : fm_fail(c, drop, "drop is a list of names, such as [orders, guests.note]");
}

enum err
declare_check(struct ctx *c, const char *text, const struct fm **top)
{
	return blame(c, top_read(c, text, top));
}

#define LAST(F, T) \
	F(T, STR, text) \
	F(T, STR, marks)
SHAPE(declared_last, LAST);

/* *out has NULLs if nothing was applied yet. */
static enum err
last_find(struct ctx *c, const char *artifact_id, struct declared_last **out)
{
	*out = NULL;
	if (artifact_id)
		TRY(db_find(c,
		    ROWS(declared_last,
			"SELECT text, marks FROM declared WHERE artifact_id = ?"),
		    ARGS(artifact_id), out));
	if (!*out)
		*out = mem_new(c->mem, struct declared_last);
	return E_OK;
}

enum err
declare_is_last(struct ctx *c, const char *artifact_id, const char *text, bool *yes)
{
	struct declared_last *last;

	TRY(last_find(c, artifact_id, &last));
	*yes = str_eq(last->text, text);
	return E_OK;
}

/* A text that an older release has applied may have been read otherwise. */
static enum err
last_read(struct declaring *d)
{
	struct declared_last *last;
	struct json *made;

	TRY(last_find(d->c, d->art->id, &last));
	if (!last->text)
		return E_OK;
	if (top_read(d->c, last->text, &d->last)) {
		d->last = NULL;
		ctx_forgive(d->c);
	}
	TRY(json_parse(d->c, last->marks, strlen(last->marks), &made));
	d->made = made;
	return E_OK;
}

static enum err
sections_apply(struct declaring *d, const char *text)
{
	d->marks = BUF(d->c->mem);
	if (!d->top)
		TRY(top_read(d->c, text, &d->top));
	TRY(last_read(d));
	buf_chr(&d->marks, '{');
	for (size_t i = 0; sections[i]; i++) {
		const struct declares *how = sections[i];
		const struct fm *wanted = fm_get(d->top, how->section);
		const struct fm *last = fm_get(d->last, how->section);

		if (!wanted || (wanted->kind == FM_TEXT && !wanted->text))
			continue;
		TRY(how->apply ? how->apply(d, wanted, last)
			       : things_apply(d, how, wanted, last));
	}
	buf_chr(&d->marks, '}');
	if (d->dry)
		return E_OK;
	return db_exec(d->c,
	    EXEC("INSERT INTO declared (artifact_id, text, marks, at) VALUES (?, ?, ?, ?)"
		 " ON DUPLICATE KEY UPDATE text = VALUES(text), marks = VALUES(marks),"
		 " at = VALUES(at)"),
	    ARGS(d->art->id, text, buf_done(&d->marks), d->c->now), NULL);
}

enum err
declare_apply(struct declaring *d, const struct artifact *a, const char *text)
{
	struct artifact *owned = mem_new(d->c->mem, struct artifact);

	if (a)
		*owned = *a;
	/* Rights were checked before, and the publish may have changed the rules. */
	owned->role = "owner";
	owned->has.access_policy = ABSENT;
	owned->is_open |= d->opens;
	d->art = owned;
	return blame(d->c, sections_apply(d, text));
}

PURGES(declare, ROWS_OF(declared));
