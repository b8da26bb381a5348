/* SPDX-License-Identifier: Apache-2.0 */
#include "team/audit_row.h"

#include "base/id.h"
#include "base/json.h"
#include "base/str.h"

SHAPE_DEFINE(audit_fact_told, AUDIT_FACT_TOLD);
SHAPE_DEFINE(audit_row, AUDIT_ROW);

/* A row's before and after, parsed; NULL: none. */
struct audit_states {
	struct json *was, *is;
};

static struct json *
state_read(struct ctx *c, const char *text)
{
	struct json *out;

	return text && json_parse(c, text, strlen(text), &out) == E_OK ? out : NULL;
}

static const struct json *
state_member(const struct json *state, const char *name)
{
	return state && json_kind(state) == J_OBJ ? json_get(state, name) : NULL;
}

/* ---- present names ---- */

static bool
names_somebody(const char *s)
{
	return id_valid(s, "usr_") || id_valid(s, "fld_");
}

struct ids_into {
	struct ctx *c;
	struct strs *ids;
};

static int
id_of_member(void *arg, const char *key, const struct json *value)
{
	struct ids_into *to = arg;

	(void)key;
	if (json_kind(value) == J_STR && names_somebody(json_str(value)))
		strs_add(to->c->mem, to->ids, json_str(value));
	return 0;
}

static enum err
there_read(struct ctx *c, const char *workspace_id, const struct audited_list *rows,
    const struct audit_states *states, struct audit_there_list *out)
{
	struct strs ids = { 0 };
	struct ids_into to = { c, &ids };

	for (size_t i = 0; i < rows->n; i++) {
		const struct audit_target *t = rows->v[i].target;

		if (str_in(t->type, "artifact|member|folder|context"))
			strs_add(c->mem, &ids, t->id);
		if (states[i].was && json_kind(states[i].was) == J_OBJ)
			(void)json_each(states[i].was, id_of_member, &to);
		if (states[i].is && json_kind(states[i].is) == J_OBJ)
			(void)json_each(states[i].is, id_of_member, &to);
	}
	*out = (struct audit_there_list){ 0 };
	return ids.n ? audit_find_there(c, workspace_id, &ids, out) : E_OK;
}

static const struct audit_there *
there_named(const struct audit_there_list *there, const char *type, const char *id)
{
	for (size_t i = 0; i < there->n; i++)
		if (str_eq(there->v[i].id, id) && str_eq(there->v[i].type, type))
			return &there->v[i];
	return NULL;
}

static const char *
target_href(struct ctx *c, const char *ws, const struct audit_target *t,
    const struct audit_there_list *there)
{
	const struct audit_there *now = there_named(there, t->type, t->id);
	bool member = str_eq(t->type, "member");
	struct buf b = BUF(c->mem);

	if (str_eq(t->type, "agent_token") || (member && now && !now->email))
		return mem_printf(c->mem, "/w/%s/agents", ws);
	if (!now)
		return NULL;
	if (str_eq(t->type, "artifact"))
		return mem_printf(c->mem, "/a/%s", t->id);
	if (member) {
		buf_fmt(&b, "/w/%s/members?q=", ws);
		buf_form(&b, now->email);
		return buf_done(&b);
	}
	return str_eq(t->type, "context") ? mem_printf(c->mem, "/w/%s/context/%s", ws, t->id)
					  : NULL;
}

/* ---- the sentence ---- */

/* People and folders have the names that they have today. */
static const char *
id_name(const char *id, const struct audit_there_list *there)
{
	bool person = id_valid(id, "usr_");
	const struct audit_there *now = there_named(there, person ? "member" : "folder", id);

	if (!now)
		return person ? "someone who has left" : "a deleted folder";
	return *now->name || !now->email ? now->name : now->email;
}

static const char *
state_text(struct ctx *c, const char *name, const struct json *v,
    const struct audit_there_list *there)
{
	if (!v || json_kind(v) == J_NULL)
		return NULL;
	if (json_kind(v) == J_STR)
		return names_somebody(json_str(v)) ? id_name(json_str(v), there) : json_str(v);
	if (json_kind(v) == J_INT && strlen(name) > 3 && str_eq(name + strlen(name) - 3, "_at"))
		return str_date(c->mem, json_int(v));
	return json_text(c->mem, v);
}

static const char *
word_text(struct ctx *c, const char *name, const struct audit_states *s,
    const struct audit_there_list *there)
{
	const struct json *v = *name ? state_member(s->is, name) : s->is;
	const char *text;

	if (!v)
		v = *name ? state_member(s->was, name) : s->was;
	text = state_text(c, name, v, there);
	return text ? text : "nobody";
}

static void
sentence_write(struct ctx *c, const char *sentence, const struct audit_states *s,
    const struct audit_there_list *there, struct audit_row *row)
{
	struct buf says = BUF(c->mem), ends = BUF(c->mem), *b = &says;

	for (const char *p = sentence; *p; p++) {
		size_t n = *p == '{' ? strcspn(p, "}") : 0;

		if (*p == '*')
			b = &ends;
		else if (n)
			buf_str(b,
			    word_text(c, mem_strndup(c->mem, p + 1, n - 1), s, there));
		else
			buf_chr(b, *p);
		p += n;
	}
	row->says = buf_done(&says);
	row->ends = buf_done(&ends);
	if (!strchr(sentence, '*'))
		row->target = row->href = NULL;
}

/* ---- before and after ---- */

struct facts_into {
	struct ctx *c;
	const struct audit_states *states;
	const struct audit_there_list *there;
	bool before; /* those that are there no more */
	struct audit_fact_told_list *out;
};

/* Skips values that didn’t change. */
static int
fact_add(void *arg, const char *name, const struct json *value)
{
	struct facts_into *to = arg;
	const struct json *was = state_member(to->states->was, name),
			  *is = state_member(to->states->is, name);
	char *label = mem_strdup(to->c->mem, name);
	struct audit_fact_told fact = { .fact = label };

	(void)value;
	if ((to->before && is) ||
	    (was && is && str_eq(json_text(to->c->mem, was), json_text(to->c->mem, is))))
		return 0;
	for (char *p = label; *p; p++)
		if (*p == '_')
			*p = ' ';
	fact.was = state_text(to->c, name, was, to->there);
	fact.is = state_text(to->c, name, is, to->there);
	to->out->v = mem_grow(
	    to->c->mem, to->out->v, (to->out->n + 1) * sizeof *to->out->v);
	to->out->v[to->out->n++] = fact;
	return 0;
}

static struct list
facts_list(
    struct ctx *c, const struct audit_states *s, const struct audit_there_list *there)
{
	struct audit_fact_told_list out = { 0 };
	struct facts_into to = { c, s, there, false, &out };

	if (s->is && json_kind(s->is) == J_OBJ)
		(void)json_each(s->is, fact_add, &to);
	to.before = true;
	if (s->was && json_kind(s->was) == J_OBJ)
		(void)json_each(s->was, fact_add, &to);
	return (struct list){ out.v, out.n };
}

/* ---- a row ---- */

static struct audit_row
audit_row_of(struct ctx *c, const char *ws, const struct audited *d,
    const struct audit_states *s, const struct audit_there_list *there)
{
	const struct audit_words *words = audit_words(d->action);
	const struct audit_target *t = d->target;
	const struct ws_user *actor = d->actor;
	struct audit_row row = { .id = d->id,
		.at = d->at,
		.exact = str_date(c->mem, d->at),
		.target = *t->name ? t->name : t->id,
		.href = target_href(c, ws, t, there),
		.action = d->action,
		.target_id = t->id,
		.address = d->address,
		.token_id = d->token_id,
		.agent_name = d->agent_name,
		.request_id = d->request_id,
		.actor = "The operator",
		.facts = facts_list(c, s, there) };

	if (actor) {
		row.actor_id = actor->user_id;
		row.actor = *actor->name || !actor->email ? actor->name : actor->email;
		row.agent = str_eq(actor->kind, "agent");
	}
	sentence_write(c,
	    words ? words->sentence : mem_printf(c->mem, "%s: *", d->action), s, there, &row);
	return row;
}

enum err
audit_rows_tell(struct ctx *c, const struct workspace *w, const struct audited_list *rows,
    struct audit_row_list *out)
{
	struct audit_states *states = mem_array(c->mem, struct audit_states, rows->n + 1);
	struct audit_there_list there;

	for (size_t i = 0; i < rows->n; i++)
		states[i] = (struct audit_states){ state_read(c, rows->v[i].before),
			state_read(c, rows->v[i].after) };
	TRY(there_read(c, w->id, rows, states, &there));
	out->n = rows->n;
	out->v = mem_array(c->mem, struct audit_row, rows->n + 1);
	for (size_t i = 0; i < rows->n; i++)
		out->v[i] = audit_row_of(c, w->id, &rows->v[i], &states[i], &there);
	return E_OK;
}
