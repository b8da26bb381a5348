/* SPDX-License-Identifier: Apache-2.0 */
#include "data/expr.h"

#include "base/num.h"
#include "base/str.h"

enum operand_kind { VALUE_ROW, VALUE_VIEWER, VALUE_LITERAL };
struct operand {
	enum operand_kind kind;
	const char *name;          /* VALUE_ROW: the column; text literal: the text */
	enum viewer_member member; /* for VALUE_VIEWER */
	struct bytes key;          /* for VALUE_LITERAL */
	const char *shown;         /* a literal for people */
};

enum expr_kind {
	EXPR_OR,
	EXPR_AND,
	EXPR_NOT,
	EXPR_BARE, /* a value alone: holds if it is the boolean true */
	EXPR_EQUAL,
	EXPR_LESS,
	EXPR_NOT_OVER, /* less or equal */
	EXPR_IN
};
struct expr {
	enum expr_kind kind;
	const struct expr *a, *b;
	struct operand left;
	const struct operand *right; /* one operand; for EXPR_IN: n operands */
	size_t n;
};

/* ---- parsing ---- */

struct expr_scan {
	void *owner;
	const char *p, *why;
	int depth, values;
	bool rows;
};

static const struct expr *scan_or(struct expr_scan *s);

static void *
expr_bad(struct expr_scan *s, const char *why)
{
	if (!s->why)
		s->why = why;
	return NULL;
}

static bool
is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

static void
expr_space(struct expr_scan *s)
{
	s->p += strspn(s->p, " \t\r\n");
}

static bool
expr_accept(struct expr_scan *s, const char *token)
{
	size_t n = strlen(token);

	expr_space(s);
	if (strncmp(s->p, token, n) != 0 || (is_word(token[n - 1]) && is_word(s->p[n])))
		return false;
	s->p += n;
	return true;
}

static struct expr *
expr_new(struct expr_scan *s, enum expr_kind kind, const struct expr *a, const struct expr *b)
{
	struct expr *e = mem_new(s->owner, struct expr);

	*e = (struct expr){ .kind = kind, .a = a, .b = b };
	return e;
}

static bool
scan_column(struct expr_scan *s, struct operand *out)
{
	const char *from = s->p;

	if (!s->rows)
		return expr_bad(s, "row isn't available here (use viewer)");
	while (is_word(*s->p))
		s->p++;
	if (s->p == from || s->p - from > 64 || isdigit((unsigned char)*from))
		return expr_bad(s, "expected a column name");
	*out = (struct operand){ .kind = VALUE_ROW,
		.name = mem_strndup(s->owner, from, (size_t)(s->p - from)) };
	return true;
}

static bool
scan_viewer(struct expr_scan *s, struct operand *out)
{
	static const char *const member[VIEWER_MEMBERS] = { "id", "email", "role",
		"workspace_role", "domain" };
	struct str_near near;
	size_t n = 0;

	for (enum viewer_member i = 0; i < VIEWER_MEMBERS; i++)
		if (expr_accept(s, member[i])) {
			*out = (struct operand){ .kind = VALUE_VIEWER, .member = i };
			return true;
		}
	while (is_word(s->p[n]))
		n++;
	near = STR_NEAR(mem_strndup(s->owner, s->p, n));
	for (enum viewer_member i = 0; i < VIEWER_MEMBERS; i++)
		str_near_try(&near, member[i]);
	return expr_bad(s,
	    mem_printf(s->owner, "expected id, email, role, workspace_role, or domain%s%s%s",
		near.word ? " (did you mean " : "", near.word ? near.word : "",
		near.word ? "?)" : ""));
}

static bool
scan_text(struct expr_scan *s, struct operand *out)
{
	const char *end = strchr(s->p + 1, *s->p);

	if (!end)
		return expr_bad(s, "unterminated text");
	out->kind = VALUE_LITERAL;
	out->name = mem_strndup(s->owner, s->p + 1, (size_t)(end - s->p - 1));
	out->shown = mem_printf(s->owner, "“%s”", out->name);
	out->key = cell_text(s->owner, out->name);
	s->p = end + 1;
	return true;
}

static bool
scan_number(struct expr_scan *s, struct operand *out)
{
	size_t n = num_span(s->p, strlen(s->p));

	*out = (struct operand){ .kind = VALUE_LITERAL };
	out->shown = mem_strndup(s->owner, s->p, n);
	if (!n || is_word(s->p[n]) || s->p[n] == '.')
		return expr_bad(s, "malformed number");
	if (!cell_number(s->owner, mem_strndup(s->owner, s->p, n), &out->key))
		return expr_bad(s, "a number with more than 60 digits or an exponent beyond 400");
	s->p += n;
	return true;
}

static bool
scan_value(struct expr_scan *s, struct operand *out)
{
	*out = (struct operand){ .kind = VALUE_LITERAL };
	if (++s->values > EXPR_VALUES)
		return expr_bad(s, "more than 50 values");
	if (expr_accept(s, "row."))
		return scan_column(s, out);
	if (expr_accept(s, "viewer."))
		return scan_viewer(s, out);
	if (expr_accept(s, "null"))
		return true;
	if (expr_accept(s, "true")) {
		out->shown = "true";
		out->key = cell_bool(true);
		return true;
	}
	if (expr_accept(s, "false")) {
		out->shown = "false";
		out->key = cell_bool(false);
		return true;
	}
	if (*s->p == '\'' || *s->p == '"')
		return scan_text(s, out);
	if (*s->p == '-' || isdigit((unsigned char)*s->p))
		return scan_number(s, out);
	return expr_bad(s, "expected row.<column>, viewer.<member> or a literal");
}

static const struct expr *
scan_list(struct expr_scan *s, struct expr *e)
{
	struct operand *list = mem_array(s->owner, struct operand, EXPR_VALUES);

	e->right = list;
	if (!expr_accept(s, "["))
		return expr_bad(s, "expected a list such as ['a', 'b']");
	if (expr_accept(s, "]"))
		return e;
	do {
		if (!scan_value(s, &list[e->n]))
			return NULL;
		e->n++;
	} while (expr_accept(s, ","));
	return expr_accept(s, "]") ? e : expr_bad(s, "expected ',' or ']'");
}

/* left > right is stored as right < left. */
static const struct expr *
scan_right(struct expr_scan *s, struct expr *e, enum expr_kind kind, bool swap)
{
	struct operand *right = mem_new(s->owner, struct operand), left = e->left;

	if (!scan_value(s, right))
		return NULL;
	e->kind = kind;
	e->right = right;
	e->n = 1;
	if (swap) {
		e->left = *right;
		*right = left;
	}
	return e;
}

static const struct expr *
scan_test(struct expr_scan *s)
{
	struct expr *e = expr_new(s, EXPR_BARE, NULL, NULL);
	const char *from;

	expr_space(s);
	from = s->p;
	if (!scan_value(s, &e->left))
		return NULL;
	if (expr_accept(s, "=="))
		return scan_right(s, e, EXPR_EQUAL, false);
	if (expr_accept(s, "!=")) {
		const struct expr *equal = scan_right(s, e, EXPR_EQUAL, false);

		return equal ? expr_new(s, EXPR_NOT, equal, NULL) : NULL;
	}
	if (expr_accept(s, "<="))
		return scan_right(s, e, EXPR_NOT_OVER, false);
	if (expr_accept(s, ">="))
		return scan_right(s, e, EXPR_NOT_OVER, true);
	if (expr_accept(s, "<"))
		return scan_right(s, e, EXPR_LESS, false);
	if (expr_accept(s, ">"))
		return scan_right(s, e, EXPR_LESS, true);
	if (expr_accept(s, "in")) {
		e->kind = EXPR_IN;
		return scan_list(s, e);
	}
	if (*s->p == '=')
		return expr_bad(s, "expected == instead of =");
	/* A text, a number, or a viewer's member alone is surely a mistake. */
	if (e->left.kind == VALUE_ROW || cell_same_kind(e->left.key, cell_bool(true)))
		return e;
	s->p = from;
	return expr_bad(s, "a value that is neither true nor false (compare it with another)");
}

static const struct expr *
scan_not(struct expr_scan *s)
{
	const bool no = expr_accept(s, "not");
	const struct expr *e;

	if (!expr_accept(s, "(")) {
		e = scan_test(s);
	} else {
		/* Only open brackets count: "(a) or (b)" has depth 1. */
		if (++s->depth > EXPR_DEPTH)
			return expr_bad(s, "nested deeper than 16");
		e = scan_or(s);
		s->depth--;
		if (e && !expr_accept(s, ")"))
			return expr_bad(s, "expected ')'");
	}
	return e && no ? expr_new(s, EXPR_NOT, e, NULL) : e;
}

static const struct expr *
scan_and(struct expr_scan *s)
{
	const struct expr *e = scan_not(s);

	while (e && expr_accept(s, "and")) {
		const struct expr *more = scan_not(s);

		e = more ? expr_new(s, EXPR_AND, e, more) : NULL;
	}
	return e;
}

static const struct expr *
scan_or(struct expr_scan *s)
{
	const struct expr *e = scan_and(s);

	while (e && expr_accept(s, "or")) {
		const struct expr *more = scan_and(s);

		e = more ? expr_new(s, EXPR_OR, e, more) : NULL;
	}
	return e;
}

const char *
expr_parse(void *owner, const char *text, bool rows, const struct expr **out, size_t *at)
{
	struct expr_scan s = { .owner = owner, .p = text, .rows = rows };

	if (strlen(text) > EXPR_BYTES)
		expr_bad(&s, "an expression longer than 2000 bytes");
	else if ((*out = scan_or(&s))) {
		expr_space(&s);
		if (*s.p)
			expr_bad(&s, "expected 'and', 'or' or the end");
	}
	*at = (size_t)(s.p - text);
	return s.why;
}

static const char *
operand_unknown(const struct operand *v, const struct cell_columns *columns)
{
	bool column = v->kind == VALUE_ROW && v->name;

	return column && (!columns || cell_slot(columns, v->name) < 0) ? v->name : NULL;
}

const char *
expr_unknown(const struct expr *e, const struct cell_columns *columns)
{
	const char *name = e ? operand_unknown(&e->left, columns) : NULL;

	for (size_t i = 0; e && !name && i < e->n; i++)
		name = operand_unknown(&e->right[i], columns);
	if (!name && e && e->a)
		name = expr_unknown(e->a, columns);
	return name || !e || !e->b ? name : expr_unknown(e->b, columns);
}

/* ---- in words ---- */

static void
operand_words(struct buf *b, const struct operand *v)
{
	static const char *const member[VIEWER_MEMBERS] = { "their account’s ID",
		"their e-mail address", "their role", "their role in the workspace",
		"the domain of their e-mail address" };

	buf_str(b,
	    v->kind == VALUE_VIEWER     ? member[v->member]
		: v->kind == VALUE_ROW ? v->name
		: v->shown	       ? v->shown
				       : "empty");
}

/* Writes the column first, or else the viewer's member. */
static void
compare_words(struct buf *b, const struct expr *e, bool no)
{
	static const char *const over[] = { " isn’t less than ", " is less than ",
		" isn’t at most ", " is at most " };
	static const char *const under[] = { " isn’t more than ", " is more than ",
		" isn’t at least ", " is at least " };
	const struct operand *l = &e->left, *r = e->right;
	bool swap = r->kind == VALUE_ROW ||
	    (r->kind == VALUE_VIEWER && l->kind == VALUE_LITERAL);
	int place = (e->kind == EXPR_NOT_OVER) * 2 + !no;

	if (swap) {
		l = e->right;
		r = &e->left;
	}
	if (e->kind == EXPR_EQUAL && l->kind == VALUE_VIEWER && r->kind == VALUE_LITERAL &&
	    !r->key.n && (l->member == VIEWER_ID || l->member == VIEWER_EMAIL)) {
		buf_str(b, no ? "they are signed in" : "they aren’t signed in");
		return;
	}
	operand_words(b, l);
	buf_str(b,
	    e->kind == EXPR_EQUAL ? (no ? " isn’t " : " is ") : (swap ? under : over)[place]);
	operand_words(b, r);
}

static void
in_words(struct buf *b, const struct expr *e, bool no)
{
	operand_words(b, &e->left);
	buf_str(b, no ? " isn’t " : " is ");
	for (size_t i = 0; i < e->n; i++) {
		if (i)
			buf_str(b, i + 1 < e->n ? ", " : " or ");
		operand_words(b, &e->right[i]);
	}
	if (!e->n)
		buf_str(b, "one of none");
}

/* within: the kind of the expression around it. An expression of another kind gets brackets. */
static void
clause_words(struct buf *b, const struct expr *e, enum expr_kind within, bool no)
{
	bool joins = e->kind == EXPR_OR || e->kind == EXPR_AND;
	bool brackets = joins && (no || e->kind != within);

	switch (e->kind) {
	case EXPR_OR:
	case EXPR_AND:
		buf_str(b, no ? "not (" : brackets ? "(" : "");
		clause_words(b, e->a, e->kind, false);
		buf_str(b, e->kind == EXPR_OR ? " or " : " and ");
		clause_words(b, e->b, e->kind, false);
		buf_str(b, brackets ? ")" : "");
		break;
	case EXPR_NOT: clause_words(b, e->a, EXPR_NOT, !no); break;
	case EXPR_BARE:
		operand_words(b, &e->left);
		buf_str(b, no ? " isn’t true" : " is true");
		break;
	case EXPR_IN: in_words(b, e, no); break;
	default: compare_words(b, e, no);
	}
}

const char *
expr_words(void *owner, const struct expr *e)
{
	struct buf b = BUF(owner);

	clause_words(&b, e, e->kind, false);
	return buf_done(&b);
}

/* ---- evaluation ---- */

/* The inputs of an evaluation. columns NULL: the row isn't known. */
struct evaluation {
	const struct expr_viewer *viewer;
	const struct cell_columns *columns;
	const struct bytes *keys;
	void *owner; /* of keys made meanwhile */
};

/* Returns the key of an operand that isn't a column, for a comparison with `other`. */
static struct bytes
constant_key(const struct evaluation *j, const struct operand *v, const struct operand *other)
{
	struct bytes time;
	int slot = -1;

	if (v->kind == VALUE_VIEWER)
		return j->viewer->member[v->member];
	/* A text is read as a value of the column with which it is compared. */
	if (v->name && other->kind == VALUE_ROW && j->columns)
		slot = cell_slot(j->columns, other->name);
	if (slot >= 0 && cell_literal(j->owner, j->columns->v[slot].type, v->name, &time))
		return time;
	return v->key;
}

static struct bytes
value_key(const struct evaluation *j, const struct operand *v, const struct operand *other)
{
	int slot;

	if (v->kind != VALUE_ROW)
		return constant_key(j, v, other);
	slot = cell_slot(j->columns, v->name);
	return slot < 0 ? (struct bytes){ 0 } : j->keys[slot];
}

static enum verdict
verdict_of(bool b)
{
	return b ? VERDICT_YES : VERDICT_NO;
}

/* A value that the viewer lacks equals a written null, but no null of a row: "row.owner ==
 * viewer.id" must not give strangers rows that nobody owns. */
static bool
is_lacking(const struct evaluation *j, const struct operand *v, const struct operand *other)
{
	return v->kind == VALUE_VIEWER && !j->viewer->member[v->member].n &&
	    other->kind != VALUE_LITERAL;
}

static bool
is_unequal(const struct evaluation *j, const struct operand *l, const struct operand *r)
{
	return is_lacking(j, l, r) || is_lacking(j, r, l);
}

static enum verdict
compare_evaluate(const struct evaluation *j, enum expr_kind kind, const struct operand *l,
    const struct operand *r)
{
	struct bytes left, right;

	if (kind == EXPR_EQUAL && is_unequal(j, l, r))
		return VERDICT_NO;
	if (!j->columns && (l->kind == VALUE_ROW || r->kind == VALUE_ROW))
		return VERDICT_ROW;
	left = value_key(j, l, r);
	right = value_key(j, r, l);
	if (kind == EXPR_LESS)
		return verdict_of(cell_less(left, right));
	if (kind == EXPR_NOT_OVER)
		return verdict_of(cell_same_kind(left, right) && !cell_less(right, left));
	return verdict_of(cell_equal(left, right));
}

static enum verdict
in_evaluate(const struct evaluation *j, const struct expr *e)
{
	enum verdict all = VERDICT_NO;

	for (size_t i = 0; i < e->n; i++) {
		enum verdict one = compare_evaluate(j, EXPR_EQUAL, &e->left, &e->right[i]);

		if (one == VERDICT_YES)
			return one;
		if (one == VERDICT_ROW)
			all = one;
	}
	return all;
}

static enum verdict
expr_evaluate(const struct evaluation *j, const struct expr *e)
{
	struct operand is_true = { .kind = VALUE_LITERAL, .key = cell_bool(true) };
	enum verdict decides = verdict_of(e->kind == EXPR_OR), a, b;

	switch (e->kind) {
	case EXPR_OR:
	case EXPR_AND:
		a = expr_evaluate(j, e->a);
		if (a == decides)
			return a;
		b = expr_evaluate(j, e->b);
		return b == decides || a != VERDICT_ROW ? b : a;
	case EXPR_NOT:
		a = expr_evaluate(j, e->a);
		return a == VERDICT_ROW ? a : verdict_of(a == VERDICT_NO);
	case EXPR_BARE: return compare_evaluate(j, EXPR_EQUAL, &e->left, &is_true);
	case EXPR_IN: return in_evaluate(j, e);
	default: return compare_evaluate(j, e->kind, &e->left, e->right);
	}
}

enum verdict
expr_verdict(const struct expr *e, const struct expr_viewer *viewer)
{
	return expr_evaluate(&(struct evaluation){ .viewer = viewer }, e);
}

const char *
verdict_word(enum verdict v)
{
	return v == VERDICT_YES ? "all" : v == VERDICT_NO ? "none" : "some";
}

bool
expr_holds(const struct expr *e, const struct expr_viewer *viewer,
    const struct cell_columns *columns, const struct bytes keys[CELL_SLOTS])
{
	struct evaluation j = { .viewer = viewer, .columns = columns, .keys = keys,
		.owner = mem_root("expr") };
	bool holds = expr_evaluate(&j, e) == VERDICT_YES;

	mem_free(j.owner);
	return holds;
}

/* ---- SQL ---- */

static void
value_sql(struct sql *q, const struct evaluation *j, const struct operand *v,
    const struct operand *other)
{
	int slot = v->kind == VALUE_ROW ? cell_slot(j->columns, v->name) : -1;
	struct bytes key;

	if (slot >= 0) {
		sql_pick(q, CELL_R_NAMES, (size_t)slot);
	} else if (v->kind == VALUE_ROW) {
		sql_add(q, "NULL", NOARGS);
	} else {
		key = constant_key(j, v, other);
		sql_add(q, "?", ARGS(key.n ? arg_bytes(key) : arg_null()));
	}
}

/* Keys of different kinds sort by kind, so both sides must be of the same kind. */
static void
order_sql(struct sql *q, const struct evaluation *j, const struct expr *e)
{
	sql_add(q, "(", NOARGS);
	value_sql(q, j, &e->left, e->right);
	if (e->kind == EXPR_LESS)
		sql_add(q, " < ", NOARGS);
	else
		sql_add(q, " <= ", NOARGS);
	value_sql(q, j, e->right, &e->left);
	sql_add(q, " AND LEFT(", NOARGS);
	value_sql(q, j, &e->left, e->right);
	sql_add(q, ", 1) = LEFT(", NOARGS);
	value_sql(q, j, e->right, &e->left);
	sql_add(q, ", 1)) IS TRUE", NOARGS);
}

static void
equal_sql(
    struct sql *q, const struct evaluation *j, const struct operand *l, const struct operand *r)
{
	if (is_unequal(j, l, r)) {
		sql_add(q, "FALSE", NOARGS);
		return;
	}
	value_sql(q, j, l, r);
	sql_add(q, " <=> ", NOARGS);
	value_sql(q, j, r, l);
}

/* Parts that the viewer alone decides become TRUE or FALSE, so the optimizer sees only the rest. */
static void
condition_sql(struct sql *q, const struct evaluation *j, const struct expr *e)
{
	enum verdict known = expr_verdict(e, j->viewer);
	struct operand is_true = { .kind = VALUE_LITERAL, .key = cell_bool(true) };

	if (known == VERDICT_YES)
		sql_add(q, "TRUE", NOARGS);
	if (known == VERDICT_NO)
		sql_add(q, "FALSE", NOARGS);
	if (known != VERDICT_ROW)
		return;
	if (e->kind == EXPR_NOT)
		sql_add(q, "NOT ", NOARGS);
	sql_add(q, "(", NOARGS);
	switch (e->kind) {
	case EXPR_OR:
	case EXPR_AND:
		condition_sql(q, j, e->a);
		if (e->kind == EXPR_OR)
			sql_add(q, " OR ", NOARGS);
		else
			sql_add(q, " AND ", NOARGS);
		condition_sql(q, j, e->b);
		break;
	case EXPR_NOT: condition_sql(q, j, e->a); break;
	case EXPR_BARE: equal_sql(q, j, &e->left, &is_true); break;
	case EXPR_EQUAL: equal_sql(q, j, &e->left, e->right); break;
	case EXPR_IN:
		for (size_t i = 0; i < e->n; i++) {
			if (i)
				sql_add(q, " OR ", NOARGS);
			equal_sql(q, j, &e->left, &e->right[i]);
		}
		break;
	default: order_sql(q, j, e);
	}
	sql_add(q, ")", NOARGS);
}

void
expr_sql(struct sql *q, const struct expr *e, const struct expr_viewer *viewer,
    const struct cell_columns *columns)
{
	const struct evaluation j = {
		.viewer = viewer, .columns = columns, .owner = q->text.owner
	};

	condition_sql(q, &j, e);
}

/* ---- index conditions ---- */

static size_t
equal_lead(const struct evaluation *j, const struct expr *e, struct expr_lead *out)
{
	bool swap = e->left.kind != VALUE_ROW;
	const struct operand *column = swap ? e->right : &e->left;
	const struct operand *constant = swap ? &e->left : e->right;
	int slot = column->kind == VALUE_ROW ? cell_slot(j->columns, column->name) : -1;

	if (slot < 0 || constant->kind == VALUE_ROW || is_lacking(j, constant, column))
		return 0;
	*out = (struct expr_lead){ slot, constant_key(j, constant, column) };
	return 1;
}

static size_t
leads_find(const struct evaluation *j, const struct expr *e, struct expr_lead *out, size_t n)
{
	size_t got = 0;

	if (!n)
		return 0;
	if (e->kind == EXPR_EQUAL)
		return equal_lead(j, e, out);
	/* If the viewer makes one half of an OR false, the other half can lead: "viewer.role ==
	 * 'owner' or row.by == viewer.id". */
	if (e->kind == EXPR_OR) {
		if (expr_verdict(e->a, j->viewer) == VERDICT_NO)
			return leads_find(j, e->b, out, n);
		if (expr_verdict(e->b, j->viewer) == VERDICT_NO)
			return leads_find(j, e->a, out, n);
	}
	if (e->kind == EXPR_AND) {
		got = leads_find(j, e->a, out, n);
		got += leads_find(j, e->b, out + got, n - got);
	}
	return got;
}

size_t
expr_leads(void *owner, const struct expr *e, const struct expr_viewer *viewer,
    const struct cell_columns *columns, struct expr_lead *out, size_t n)
{
	const struct evaluation j = { .viewer = viewer, .columns = columns, .owner = owner };

	return leads_find(&j, e, out, n);
}
