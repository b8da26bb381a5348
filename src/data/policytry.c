/* SPDX-License-Identifier: Apache-2.0
 * Evaluates an artifact's policy for somebody else, by the statements that serve lists. */
#include "base/id.h"
#include "base/principal.h"
#include "base/str.h"
#include "core/user.h"
#include "data/policy.h"
#include "data/row.h"

SHAPE_DEFINE(policy_as, POLICY_AS);
SHAPE_DEFINE(policy_try, POLICY_TRY);
SHAPE_DEFINE(tried_table, TRIED_TABLE);
SHAPE_DEFINE(policy_tried, POLICY_TRIED);

enum {
	COUNTED_MOST = 1000000, /* rows, of all tables together */
	SAMPLE = 20,
	LOOKED_PARTS = 10, /* of a list, to find rows that both may see */
	PART = 100
};

/* An account that appears in no rule, collaboration, or row. */
#define NOBODY_ID "usr_nobody"

struct trying {
	struct ctx *c;
	const struct principal *as; /* NULL: not signed in */
	struct artifact *theirs;    /* the artifact as they see it */
	struct rowpolicy policy, own;
	const struct artifact *a;
	int64_t left; /* rows that may still be counted */
};

/* ---- who ---- */

static const struct principal *
person_new(struct ctx *c, const char *user_id, const char *email)
{
	const struct principal p = {
		.kind = "person", .user_id = user_id, .email = email, .name = ""
	};

	return mem_dup(c->mem, &p, sizeof p);
}

/* An account is used only if it has a role, or is in the workspace. Otherwise this would tell
 * which account has an address, and so who wrote a row. */
static enum err
person_find(struct trying *t, const char *email)
{
	struct artifact *found = NULL;
	const char *id;
	enum err e;

	t->as = person_new(t->c, NOBODY_ID, email);
	TRY(user_id_of_email(t->c, email, &id));
	if (!id)
		return E_OK;
	e = artifact_get(t->c, t->a->id, person_new(t->c, id, email), false, &found);
	if (e == E_NOT_FOUND || e == E_DENIED)
		return ctx_forgive(t->c);
	TRY(e);
	t->theirs = found;
	if (found->role || found->workspace_role || found->can_view)
		t->as = person_new(t->c, id, email);
	return E_OK;
}

static enum err
as_read(struct trying *t, const struct policy_as *as)
{
	if ((as->email != NULL) + as->stranger + as->signed_in != 1)
		return fail(t->c, E_INVALID, "as: send one of email, stranger and signed_in");
	/* Without an account that is found, the artifact is seen as by somebody without a role. */
	t->theirs = mem_dup(t->c->mem, t->a, sizeof *t->a);
	t->theirs->role = t->theirs->workspace_role = NULL;
	t->theirs->can_view = t->theirs->can_comment = t->theirs->can_edit = false;
	if (as->email)
		return person_find(t, as->email);
	if (as->signed_in)
		t->as = person_new(t->c, NOBODY_ID, "nobody@nobody.invalid");
	return E_OK;
}

/* ---- a table ---- */

static enum err
rows_counts(struct trying *t, const struct table_for *theirs, struct tried_table *out)
{
	int64_t n = 0, denied = 0;
	bool easy = theirs->read.verdict == VERDICT_NO ||
	    (theirs->read.verdict == VERDICT_YES && theirs->change.verdict != VERDICT_ROW);

	if (easy) {
		n = theirs->read.verdict == VERDICT_NO ? 0 : theirs->t->row_count;
		denied = theirs->change.verdict == VERDICT_YES ? 0 : n;
	} else if (theirs->t->row_count > t->left) {
		return E_OK;
	} else {
		t->left -= theirs->t->row_count;
		TRY(rows_total(
		    t->c, theirs, &(struct row_find){ 0 }, &theirs->change, &n, &denied));
	}
	out->rows_read = n;
	out->rows_change = n - denied;
	out->has.rows_read = out->has.rows_change = GIVEN;
	return E_OK;
}

/* Adds rows of a part that the caller may read, too. */
static enum err
sample_part(struct trying *t, const struct table_for *mine, const struct data_row_list *rows,
    struct buf *b, size_t *n)
{
	for (size_t i = 0; i < rows->n && *n < SAMPLE; i++) {
		struct row_new state;
		struct json *doc;

		TRY(row_state(t->c, mine, &rows->v[i], &doc, &state));
		if (!row_rule_holds(&mine->read, &mine->columns, state.keys))
			continue;
		buf_chr(b, (*n)++ ? ',' : '[');
		buf_str(b, row_text(t->c, mine->t, &rows->v[i]));
	}
	return E_OK;
}

static enum err
sample_make(struct trying *t, const struct table_for *theirs, const struct table_for *mine,
    const char **out)
{
	struct row_find what = { .limit = PART };
	struct buf b = BUF(t->c->mem);
	struct data_row_list rows;
	const char *next;
	size_t n = 0;

	*out = "[]";
	if (theirs->read.verdict == VERDICT_NO || mine->read.verdict == VERDICT_NO)
		return E_OK;
	for (int i = 0; i < LOOKED_PARTS && n < SAMPLE && (!i || what.cursor); i++) {
		TRY(rows_find(t->c, theirs, &what, &rows, &next));
		what.cursor = next;
		TRY(sample_part(t, mine, &rows, &b, &n));
	}
	buf_chr(&b, ']');
	if (n)
		*out = buf_done(&b);
	return E_OK;
}

static enum err
table_try(struct trying *t, const struct data_table *table, struct tried_table *out)
{
	const struct row_rule no = { .verdict = VERDICT_NO };
	struct table_for theirs, mine;

	table_rules(t->c, t->theirs, &t->policy, table, &theirs);
	table_rules(t->c, t->a, &t->own, table, &mine);
	/* Writing requires an account, whatever the rule says. */
	if (!t->as)
		theirs.add = theirs.change = theirs.delete = no;
	*out = (struct tried_table){ .name = table->name,
		.read = verdict_word(theirs.read.verdict),
		.add = verdict_word(theirs.add.verdict),
		.change = verdict_word(theirs.change.verdict),
		.delete = verdict_word(theirs.delete.verdict),
		.rows = table->row_count };
	out->has.rows = out->has.rows_read = out->has.rows_change = NULLED;
	if (mine.read.verdict == VERDICT_YES) {
		out->has.rows = GIVEN;
		TRY(rows_counts(t, &theirs, out));
	}
	return sample_make(t, &theirs, &mine, &out->sample);
}

enum err
policy_try(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct policy_try *in, struct policy_tried *out)
{
	struct trying t = { .c = c, .a = a, .left = COUNTED_MOST };
	const char *policy, *compact, *written;
	struct data_table_list tables;
	struct tried_table *v;

	TRY(as_read(&t, in->as));
	TRY(rowpolicy_text(c, a, &policy));
	if (in->policy || in->text) {
		TRY(policy_read(c, in->policy, in->text, &compact, &written));
		policy = compact;
	}
	t.theirs->access_policy = policy;
	t.theirs->has.access_policy = policy ? GIVEN : NULLED;
	TRY(rowpolicy_read(c, t.theirs, t.as, &t.policy));
	TRY(rowpolicy_read(c, a, who, &t.own));
	TRY(table_all(c, a->id, &tables));
	v = mem_array(c->mem, struct tried_table, tables.n + 1);
	for (size_t i = 0; i < tables.n; i++)
		TRY(table_try(&t, &tables.v[i], &v[i]));
	out->reaches = t.theirs->is_open || t.theirs->role || t.theirs->can_view;
	out->tables = (struct list){ v, tables.n };
	return E_OK;
}
