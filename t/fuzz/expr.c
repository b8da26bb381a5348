/* SPDX-License-Identifier: Apache-2.0
 * Expressions of an access_policy: what is taken is judged alike however it is bracketed, its opposite is the opposite, and the condition that it
 * becomes has as many values as it says. What is refused is refused at a place within it. */
#include "base/str.h"
#include "data/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct expr *
parsed(struct ctx *c, const char *before, const char *text, const char *after)
{
	const struct expr *e;
	size_t at;

	return expr_parse(c->mem, mem_printf(c->mem, "%s%s%s", before, text, after), true, &e, &at) ? NULL : e;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	const char *text = mem_strndup(c->mem, (const char *)data, n);
	const struct cell_columns columns = { .v = { { "a", CELL_TEXT }, { "b", CELL_NUMBER }, { "at", CELL_TIMESTAMP }, { NULL }, { "c", CELL_BOOLEAN } } };
	const struct expr_viewer viewer = { .member = { [VIEWER_EMAIL] = cell_text(c->mem, "a@b.c"), [VIEWER_ROLE] = cell_text(c->mem, "viewer") } };
	struct bytes keys[CELL_SLOTS] = { cell_text(c->mem, "a@b.c"), { 0 }, { 0 }, { 0 }, cell_bool(true) };
	const struct expr *e, *not, *same;
	struct sql q = SQL(c->mem);
	struct expr_lead leads[4];
	enum verdict v;
	size_t at;
	bool held;

	cell_number(c->mem, "15e-1", &keys[1]);
	if (expr_parse(c->mem, text, true, &e, &at)) {
		if (at > strlen(text))
			abort();
		ctx_end(c);
		return 0;
	}
	held = expr_holds(e, &viewer, &columns, keys);
	v = expr_verdict(e, &viewer);
	if (v != VERDICT_ROW && held != (v == VERDICT_YES))
		abort();
	not = parsed(c, "not (", text, ")");
	same = parsed(c, "(", text, ") and true");
	if (not && expr_holds(not, &viewer, &columns, keys) == held)
		abort();
	if (same && expr_holds(same, &viewer, &columns, keys) != held)
		abort();
	expr_sql(&q, e, &viewer, &columns);
	if (q.stmt.wrong || q.n > 2 * EXPR_VALUES)
		abort();
	/* A row that the expression holds for has the keys that lead to it. */
	n = expr_leads(c->mem, e, &viewer, &columns, leads, 4);
	for (size_t i = 0; held && i < n; i++)
		if (!cell_equal(keys[leads[i].slot], leads[i].key))
			abort();
	ctx_end(c);
	return 0;
}
