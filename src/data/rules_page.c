/* SPDX-License-Identifier: Apache-2.0
 * The rules of an artifact's data in the browser: in sentences, as a text, what somebody else could
 * do under them or under a changed text, and earlier versions. */
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "core/clash.h"
#include "data/celltext.h"
#include "data/policy.h"
#include "data/tablepolicy.h"
#include "http/req.h"

#define RULES_TABLE(F, T)                                                         \
	F(T, STR, name)                                                           \
	F(T, STRS, sentences)                                                     \
	F(T, STR, told, .doc = "What the person could do; NULL: nobody is tried") \
	F(T, STRS, columns)                                                       \
	F(T, LIST, sample, .sub = &cell_line_shape)
SHAPE(rules_table, RULES_TABLE);

#define RULES_PAGE(F, T)                                                               \
	TEXT_EDITED(F, T)                                                              \
	F(T, STR, text)                                                                \
	F(T, STR, as, .doc = "Who is tried: stranger, signed_in, email; NULL: nobody") \
	F(T, STR, email)                                                               \
	F(T, STR, person, .doc = "Who is tried, in words")                             \
	F(T, BOOL, reaches)                                                            \
	F(T, BOOL, draft, .doc = "The text isn't saved")                               \
	F(T, STR, rules_odd)                                                           \
	F(T, INT, line, .doc = "Number of the one with the mistake; 0: none")          \
	F(T, INT, first, .doc = "Number of the first of these")                        \
	F(T, LIST, lines, .sub = &text_line_shape)                                     \
	F(T, LIST, tables, .sub = &rules_table_shape)                                  \
	F(T, INT, version)                                                             \
	F(T, LIST, versions, .sub = &policy_version_shape)
SHAPE(rules_page, RULES_PAGE);

#define AS_WORDS "stranger|signed_in|email"
#define RULES_QUERY(F, T)               \
	TAB_QUERY(F, T)                 \
	F(T, WORD, as, .arg = AS_WORDS) \
	F(T, STR, email, .hi = 254)     \
	F(T, INT, version, .lo = 1, .hi = INT32_MAX, .doc = "Begin with the text of this version")
SHAPE(rules_query, RULES_QUERY);

#define RULES_FORM(F, T)                                         \
	F(T, STR, text, .flags = F_LONG, .hi = 4 * POLICY_BYTES) \
	F(T, STR, seen, .flags = F_REQ, .hi = 20)                \
	F(T, WORD, as, .arg = AS_WORDS)                          \
	F(T, STR, email, .hi = 254)                              \
	F(T, WORD, act, .arg = "save|try", .def = "save")
SHAPE(rules_form, RULES_FORM);

#define RULES_PATH "/a/{art}/data/rules"

/* ---- what the page has ---- */

/* Fills in the page's tables with the rules of a policy, compact JSON; NULL: no rules. */
static enum err
tables_fill(struct req *r, const char *policy, struct rules_page *page)
{
	struct artifact as = { .id = r->art->id,
		.role = "viewer",
		.access_policy = policy,
		.has.access_policy = GIVEN };
	struct data_table_list tables;
	struct rules_table *v;
	struct rowpolicy p;

	TRY(rowpolicy_read(r->c, &as, NULL, &p));
	TRY(table_all(r->c, r->art->id, &tables));
	v = mem_array(r->c->mem, struct rules_table, tables.n + 1);
	for (size_t i = 0; i < tables.n; i++) {
		v[i].name = tables.v[i].name;
		TRY(policy_say(r->c, &p, &tables.v[i], &v[i].sentences));
	}
	page->tables = (struct list){ v, tables.n };
	return E_OK;
}

static enum err
page_begin(struct req *r, struct rules_page *page, struct policy_told **told)
{
	struct policy_version_list versions;
	const char *next;

	TRY(policy_get(r->c, r->art, told));
	TRY(policy_versions(
	    r->c, r->art, &(struct page_query){ .limit = POLICY_VERSIONS }, &versions, &next));
	*page = (struct rules_page){ .what = "text",
		.text = (*told)->text,
		.version = (*told)->version,
		.seen = mem_printf(r->c->mem, "%lld", (long long)(*told)->version),
		.versions = (struct list){ versions.v, versions.n } };
	return tablepolicy_said(r->c, r->art, NULL, &page->rules_odd);
}

/* ---- trying ---- */

static const char *
counted(struct req *r, int64_t n, const struct tried_table *t)
{
	return t->rows == n ? mem_printf(r->c->mem, "all %s", str_number(r->c->mem, n))
			    : mem_printf(r->c->mem, "%s of %s", str_number(r->c->mem, n),
				  str_number(r->c->mem, t->rows));
}

static const char *
reach_words(struct req *r, const struct tried_table *t)
{
	const char *adds = str_eq(t->add, "none") ? "can’t add any" : "can add some";

	if (t->has.rows_read != GIVEN)
		return mem_printf(r->c->mem, "%s of the rows can be seen, %s changed; %s", t->read,
		    t->change, adds);
	return mem_printf(r->c->mem, "Sees %s rows, can change %s, and %s",
	    counted(r, t->rows_read, t), str_number(r->c->mem, t->rows_change), adds);
}

/* Tries the rules as the chosen person. text NULL: the saved rules. */
static enum err
try_fill(struct req *r, const char *text, struct rules_page *page)
{
	struct policy_as as = { .email = str_eq(page->as, "email") ? page->email : NULL,
		.stranger = str_eq(page->as, "stranger"),
		.signed_in = str_eq(page->as, "signed_in") };
	struct policy_try in = { .as = &as, .text = text };
	struct policy_tried out = { 0 };
	struct rules_table *v = page->tables.v;
	const struct tried_table *t;
	struct data_table_list tables;

	if (!page->as)
		return E_OK;
	if (as.email && !str_email(as.email))
		return fail(r->c, E_INVALID, "email: must be an e-mail address");
	TRY(policy_try(r->c, r->art, r->who, &in, &out));
	TRY(table_all(r->c, r->art->id, &tables));
	t = out.tables.v;
	for (size_t i = 0; i < page->tables.n && i < out.tables.n && i < tables.n; i++) {
		const struct data_column *col = tables.v[i].columns.v;

		v[i].told = reach_words(r, &t[i]);
		for (size_t k = 0; k < tables.v[i].columns.n; k++)
			strs_add(r->c->mem, &v[i].columns, col[k].name);
		TRY(cell_lines(r->c, &v[i].columns, t[i].sample, &v[i].sample));
	}
	page->reaches = out.reaches;
	page->person = as.email ? as.email
	    : as.stranger       ? "a visitor who isn’t signed in"
				: "somebody signed in whom nothing names";
	return E_OK;
}

/* ---- showing ---- */

static enum err
h_rules(struct req *r)
{
	const struct rules_query *q = r->query;
	struct rules_page page;
	struct policy_told *told;
	const struct policy_version *v;

	TRY(page_begin(r, &page, &told));
	page.as = q->as;
	page.email = q->email;
	v = page.versions.v;
	for (size_t i = 0; i < page.versions.n; i++)
		if (q->version == v[i].version && q->version != told->version) {
			page.text = v[i].text ? v[i].text : "";
			page.draft = true;
		}
	TRY(tables_fill(r, told->policy, &page));
	TRY(try_fill(r, NULL, &page));
	return reply_page(r, 0, &page);
}

static enum err
rules_refused(struct req *r, enum err e, const struct policy_told *told, struct rules_page *page)
{
	const char *why = r->c->message ? r->c->message : err_table[e].text;
	int status = err_table[e].status;

	if (status < 400 || status >= 500)
		return e;
	page->lines = text_mistake(r->c, page->text, &page->line, &page->first);
	if (page->line)
		why = mem_printf(r->c->mem, "text: %s", why);
	ctx_again(r->c);
	TRY(tables_fill(r, told->policy, page));
	return reply_refused(r, status, why, page);
}

static enum err
h_rules_form(struct req *r)
{
	const struct rules_form *in = r->in;
	const char *typed = str_lines(r->c->mem, in->text ? in->text : ""), *compact, *written;
	const struct policy_new new = { .text = typed };
	struct policy_told *told;
	struct strs odd = { 0 };
	struct rules_page page;
	enum err e;

	TRY(page_begin(r, &page, &told));
	page.text = typed;
	page.as = in->as;
	page.email = in->email;
	page.draft = !str_eq(typed, told->text ? told->text : "");
	if (str_eq(in->act, "try")) {
		e = policy_read(r->c, NULL, typed, &compact, &written);
		if (!e)
			e = tables_fill(r, compact, &page);
		if (!e)
			e = try_fill(r, typed, &page);
		return e ? rules_refused(r, e, told, &page) : reply_page(r, 0, &page);
	}
	if (page.draft && text_clashes(in->seen, page.seen, typed, told->text)) {
		page.clash = clash_of(r->c, mem_printf(r->c->mem, "/a/%s/data/rules", r->art->id),
		    told->text ? told->text : "", typed, told->updated_at, NULL);
		TRY(tables_fill(r, told->policy, &page));
		return reply_page(r, err_table[E_PRECONDITION].status, &page);
	}
	e = policy_put(r->c, r->art, r->who, &new, &odd);
	return e ? rules_refused(r, e, told, &page)
		 : reply_go(r, "/a/%s/data/rules?done=rules_saved", r->art->id);
}

static const struct route rules_page_routes[] = {
  { PAGE(RULES_PATH, ART_EDIT, rules, h_rules), .slow = true, .query = &rules_query_shape,
    .title = "Access rules", .doc = "Who can see and change which rows, also as somebody else" },
  { FORM_PAGE(RULES_PATH, ART_EDIT, rules_form, rules, h_rules_form), .slow = true,
    .again = RULES_PATH, .title = "Access rules", .doc = "Change the rules, or try changed ones" },
};
ROUTES(rules_page, "Pages: rules", "Who can see and change which rows of an artifact's tables.");
