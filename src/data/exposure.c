/* SPDX-License-Identifier: Apache-2.0 */
#include "data/exposure.h"

#include "base/str.h"
#include "db/build.h"

SHAPE_DEFINE(exposed_table, EXPOSED_TABLE);
SHAPE_DEFINE(exposed_part, EXPOSED_PART);
SHAPE_DEFINE(exposed_to, EXPOSED_TO);
SHAPE_DEFINE(exposure, EXPOSURE);

/* A person who appears in no rule, collaboration, or row. */
static const struct principal someone = {
	.kind = "person", .user_id = "usr_nobody", .email = "nobody@nobody.invalid", .name = ""
};

struct look {
	struct ctx *c;
	const struct data_table_list *tables;
	int64_t left; /* rows that may still be examined */
	struct exposure *out;
	size_t warning_n;
};

#define ROWS_HELD(F, T) F(T, INT, n)
SHAPE(rows_held, ROWS_HELD);

/* Counts the table's rows that the rule allows. */
static enum err
rows_count(struct look *l, const struct data_table *t, const struct row_rule *rule, int64_t *n,
    uint8_t *has)
{
	int64_t most = t->row_count < EXPOSURE_ROWS ? t->row_count : EXPOSURE_ROWS;
	struct cell_columns columns;
	struct rows_held *row;
	struct sql q = SQL(l->c->mem);

	*has = GIVEN;
	*n = rule->verdict == VERDICT_YES ? t->row_count : 0;
	if (rule->verdict != VERDICT_ROW || !most)
		return E_OK;
	if (most > l->left) {
		*has = NULLED;
		return E_OK;
	}
	l->left -= most;
	table_columns(t, &columns);
	sql_add(&q, "SELECT COUNT(*) AS n FROM (SELECT (TRUE", NOARGS);
	row_rule_sql(&q, rule, &columns);
	sql_add(&q,
	    ") AS held FROM data_row r WHERE r.table_no = ? ORDER BY r.id LIMIT ?) x WHERE held",
	    ARGS(t->no, (int64_t)EXPOSURE_ROWS));
	TRY(db_one(l->c, BUILT(rows_held, &q), sql_args(&q), &row));
	*n = row->n;
	return E_OK;
}

static enum err
table_look(struct look *l, const struct rowpolicy *p, const struct data_table *t, bool writes,
    struct exposed_table *out)
{
	struct cell_columns columns;
	struct row_rule read, add, write, delete;

	table_columns(t, &columns);
	read = rowpolicy_table(l->c, p, t->name, &columns, POLICY_READ);
	add = rowpolicy_table(l->c, p, t->name, &columns, POLICY_ADD);
	write = rowpolicy_table(l->c, p, t->name, &columns, POLICY_CHANGE);
	delete = rowpolicy_table(l->c, p, t->name, &columns, POLICY_DELETE);
	if (delete.verdict == VERDICT_YES || write.verdict == VERDICT_NO)
		write = delete;
	if (!writes)
		add = write = (struct row_rule){ .verdict = VERDICT_NO };
	*out = (struct exposed_table){ .name = t->name,
		.rows = t->row_count,
		.read = verdict_word(read.verdict),
		.add = verdict_word(add.verdict),
		.write = verdict_word(write.verdict) };
	TRY(rows_count(l, t, &read, &out->readable, &out->has.readable));
	return rows_count(l, t, &write, &out->writable, &out->has.writable);
}

static enum err
part_look(struct ctx *c, const struct artifact *a, const struct principal *who,
    enum policy_part part, void **out)
{
	struct exposed_part *to = *out = mem_new(c->mem, struct exposed_part);

	TRY(rowpolicy_allows(c, a, who, part, POLICY_READ, &to->read));
	return who ? rowpolicy_allows(c, a, who, part, POLICY_WRITE, &to->write) : E_OK;
}

/* a: the artifact as that person sees it. People who aren't signed in can't write, whatever the
 * rule says. */
static enum err
audience_look(struct look *l, const struct artifact *a, const struct principal *who, bool reaches,
    void **out)
{
	struct exposed_to *to = *out = mem_new(l->c->mem, struct exposed_to);
	struct exposed_table *tables =
	    mem_array(l->c->mem, struct exposed_table, l->tables->n + 1);
	struct rowpolicy p;

	to->reaches = reaches;
	TRY(part_look(l->c, a, who, POLICY_JSON, &to->document));
	TRY(part_look(l->c, a, who, POLICY_BLOBS, &to->blobs));
	TRY(rowpolicy_read(l->c, a, who, &p));
	for (size_t i = 0; i < l->tables->n; i++)
		TRY(table_look(l, &p, &l->tables->v[i], who != NULL, &tables[i]));
	to->tables = (struct list){ tables, l->tables->n };
	return E_OK;
}

static void
warning_add(struct look *l, const char *text)
{
	l->out->warnings.v[l->warning_n++] = text;
	l->out->warnings.n = l->warning_n;
}

/* Warns of rights that owners often mean for their team but give to everybody. */
static void
warnings_make(struct look *l)
{
	const struct exposed_to *strangers = l->out->strangers, *signed_in = l->out->signed_in;
	const struct exposed_part *document = signed_in->document, *blobs = signed_in->blobs;
	const struct exposed_table *theirs = strangers->tables.v, *t = signed_in->tables.v;
	void *mem = l->c->mem;

	l->out->warnings.v = mem_array(mem, const char *, 2 * l->tables->n + 3);
	if (document->write)
		warning_add(l, "Anyone who can open it and is signed in can replace the document.");
	if (blobs->write)
		warning_add(l, "Anyone who can open it and is signed in can store files in it.");
	for (size_t i = 0; i < signed_in->tables.n; i++, t++, theirs++) {
		if (str_eq(t->write, "all"))
			warning_add(l,
			    mem_printf(mem,
				"Anyone who can open it and is signed in can change all %lld rows "
				"of %s%s.",
				(long long)t->rows, t->name,
				str_eq(t->add, "none") ? "" : ", and add others"));
		else if (str_eq(t->add, "all"))
			warning_add(l,
			    mem_printf(mem,
				"Anyone who can open it and is signed in can add rows to %s.",
				t->name));
		if (str_eq(theirs->read, "all") && t->rows)
			warning_add(l,
			    mem_printf(mem, "Anyone who can open it can read all %lld rows of %s.",
				(long long)t->rows, t->name));
	}
}

enum err
exposure_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    struct exposure **out)
{
	struct look l = { .c = c, .left = EXPOSURE_ROWS_IN_ALL };
	struct data_table_list all;
	struct artifact theirs = *a;
	const char *next;
	size_t n = 0;

	l.out = *out = mem_new(c->mem, struct exposure);
	TRY(table_list(c, a, who, &(struct page_query){ .limit = TABLES_MAX }, &all, &next));
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].has.row_count != NULLED)
			all.v[n++] = all.v[i];
	all.n = n;
	l.tables = &all;
	theirs.role = theirs.workspace_role = NULL;
	theirs.can_view = theirs.can_edit = false;
	TRY(audience_look(&l, &theirs, NULL, a->is_open, &l.out->strangers));
	TRY(audience_look(&l, &theirs, &someone, a->is_open, &l.out->signed_in));
	if (a->workspace_id) {
		bool in = !str_eq(a->member_access, "none");

		theirs.role = in ? a->member_access : NULL;
		theirs.workspace_role = "member";
		TRY(audience_look(&l, &theirs, &someone, in || a->is_open, &l.out->members));
	}
	warnings_make(&l);
	return E_OK;
}

/* ---- two policies ---- */

/* The rights that a policy gives people without a role. */
struct reach {
	struct rowpolicy stranger, signed_in;
	struct exposed_part *strangers[2], *theirs[2]; /* of the document and the blobs */
};

static enum err
reach_read(struct ctx *c, struct artifact *theirs, const char *policy, struct reach *out)
{
	theirs->access_policy = policy;
	theirs->has.access_policy = policy ? GIVEN : NULLED;
	for (enum policy_part part = POLICY_JSON; part <= POLICY_BLOBS; part++) {
		void *found;

		TRY(part_look(c, theirs, NULL, part, &found));
		out->strangers[part] = found;
		TRY(part_look(c, theirs, &someone, part, &found));
		out->theirs[part] = found;
	}
	TRY(rowpolicy_read(c, theirs, NULL, &out->stranger));
	return rowpolicy_read(c, theirs, &someone, &out->signed_in);
}

/* True if the rule lets all rows pass, and didn't before. */
static bool
all_now(struct ctx *c, const struct data_table *t, const struct rowpolicy *was,
    const struct rowpolicy *is, enum policy_act act)
{
	struct cell_columns columns;

	table_columns(t, &columns);
	return rowpolicy_table(c, was, t->name, &columns, act).verdict != VERDICT_YES &&
	    rowpolicy_table(c, is, t->name, &columns, act).verdict == VERDICT_YES;
}

static void
parts_grow(struct ctx *c, const struct reach *was, const struct reach *is, struct strs *out)
{
	static const char *const names[] = { [POLICY_JSON] = "the document",
		[POLICY_BLOBS] = "the files" };

	for (enum policy_part part = POLICY_JSON; part <= POLICY_BLOBS; part++) {
		if (is->strangers[part]->read && !was->strangers[part]->read)
			strs_add(c->mem, out,
			    mem_printf(
				c->mem, "Anyone who can open it can read %s.", names[part]));
		else if (is->theirs[part]->read && !was->theirs[part]->read)
			strs_add(c->mem, out,
			    mem_printf(c->mem,
				"Anyone who can open it and is signed in can read %s.",
				names[part]));
		if (is->theirs[part]->write && !was->theirs[part]->write)
			strs_add(c->mem, out,
			    mem_printf(c->mem,
				"Anyone who can open it and is signed in can change %s.",
				names[part]));
	}
}

static void
table_grows(struct ctx *c, const struct data_table *t, const struct reach *was,
    const struct reach *is, struct strs *out)
{
	const char *acts[POLICY_ACTS];
	size_t n = 0;

	if (all_now(c, t, &was->stranger, &is->stranger, POLICY_READ))
		strs_add(c->mem, out,
		    mem_printf(
			c->mem, "Anyone who can open it can read all rows of %s.", t->name));
	else if (all_now(c, t, &was->signed_in, &is->signed_in, POLICY_READ))
		acts[n++] = "read";
	for (enum policy_act act = POLICY_ADD; act < POLICY_ACTS; act++)
		if (all_now(c, t, &was->signed_in, &is->signed_in, act))
			acts[n++] = policy_act_names[act];
	if (n)
		strs_add(c->mem, out,
		    mem_printf(c->mem,
			"Anyone who can open it and is signed in can %s any row of %s.",
			str_some(c->mem, acts, n), t->name));
}

enum err
exposure_grows(
    struct ctx *c, const struct artifact *a, const char *policy, struct strs *out)
{
	struct artifact theirs = *a;
	struct data_table_list tables;
	struct reach was, is;
	const char *before;

	TRY(rowpolicy_text(c, a, &before));
	theirs.role = theirs.workspace_role = NULL;
	theirs.can_view = theirs.can_edit = false;
	TRY(reach_read(c, &theirs, before, &was));
	TRY(reach_read(c, &theirs, policy, &is));
	parts_grow(c, &was, &is, out);
	TRY(table_all(c, a->id, &tables));
	for (size_t i = 0; i < tables.n; i++)
		table_grows(c, &tables.v[i], &was, &is, out);
	return E_OK;
}
