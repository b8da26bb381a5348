/* SPDX-License-Identifier: Apache-2.0
 * The tab "Data" of an artifact: its JSON document, to read and to change. */
#include "base/json.h"
#include "base/sample.h"
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "data/document.h"
#include "data/rowpolicy.h"
#include "http/form.h"

/* SHOWN_BYTES: of indented text; sent back it has less than three times as many, which a form may
 * have. */
enum { SHOWN_BYTES = 256 << 10 };

#define DATA_PAGE(F, T) \
	F(T, OBJ,  document,   .sub = &document_shape, .doc = "NULL: there is none") \
	F(T, BOOL, may_write) \
	F(T, BOOL, too_large) \
	F(T, STR,  text,       .doc = "Of the document, or what was typed") \
	F(T, STR,  etag,       .doc = "Of the document that what is typed is to replace") \
	F(T, STR,  wrong,      .doc = "With what was typed") \
	F(T, BOOL, changed,    .doc = "By somebody else meanwhile") \
	F(T, STR,  now_text) \
	F(T, STR,  problem)
SHAPE(data_page, DATA_PAGE);

/* Fills the page with the document d, or with none if d is NULL. */
static void
page_show(struct req *r, struct data_page *page, struct document *d)
{
	const char *text = d ? json_indented(r->c->mem, d->body) : "{\n}";

	page->document = d;
	page->too_large = strlen(text) > SHOWN_BYTES;
	page->text = page->too_large ? NULL : text;
	page->etag = document_etag(r->c->mem, d);
}

/* A document that the policy hides is shown as missing. */
static enum err
document_seen(struct req *r, struct document **out)
{
	enum err e = document_get(r->c, r->art, r->who, NULL, out);

	if (e != E_NOT_FOUND)
		return e;
	*out = NULL;
	ctx_again(r->c);
	return E_OK;
}

static enum err
h_data_page(struct req *r)
{
	struct data_page page = { 0 };
	struct document *d;

	TRY(document_seen(r, &d));
	TRY(rowpolicy_allows(
	    r->c, r->art, r->who, POLICY_JSON, POLICY_WRITE, &page.may_write));
	page_show(r, &page, d);
	return reply_page(r, 0, &page);
}

#define DOCUMENT_FORM(F, T) \
	F(T, STR, text, .flags = F_REQ) \
	F(T, STR, etag, .hi = 40)
SHAPE(document_form, DOCUMENT_FORM);

/* Shows again what was typed, beside what is wrong with it. */
static enum err
reply_typed(struct req *r, int status, struct data_page *page)
{
	const struct document_form *in = r->in;

	page->may_write = true;
	page->text = in->text;
	page->too_large = false;
	return reply_page(r, status, page);
}

/* Shows the present text; saving again replaces it. */
static enum err
reply_changed(struct req *r, struct document *now)
{
	struct data_page page = { 0 };

	page_show(r, &page, now);
	page.changed = true;
	page.now_text = now ? page.text ? page.text : "(too large to show)" : "(deleted)";
	page.problem =
	    "Not saved. Someone else changed the document while you were editing it; "
	    "the current one is below. Saving again replaces it with yours.";
	return reply_typed(r, 409, &page);
}

static enum err
h_document_save(struct req *r)
{
	const struct document_form *in = r->in;
	const char *sent = in->etag ? in->etag : "", *etag;
	struct data_page page = { 0 };
	struct document *old, now;
	struct json *tree;

	TRY(document_lock(r->c, r->art, r->who, true, &old));
	etag = document_etag(r->c->mem, old);
	if (!str_eq(sent, etag ? etag : ""))
		return reply_changed(r, old);
	page_show(r, &page, old);
	page.wrong = document_wrong(r->c, in->text, &tree);
	if (page.wrong)
		return reply_typed(r, 400, &page);
	if (document_put(r->c, r->art, old, tree, &now) == E_BODY_TOO_LARGE) {
		page.wrong = mem_printf(r->c->mem, "Not saved: %s.", r->c->message);
		ctx_again(r->c);
		return reply_typed(r, 413, &page);
	}
	TRY(r->c->err);
	return form_done(r, NULL);
}

static const struct route data_page_routes[] = {
  { PAGE("/a/{art}/data", ART_VIEW, data, h_data_page), .query = &tab_query_shape,
    .title = "Data", .doc = "The JSON document of an artifact" },
  { FORM_PAGE("/a/{art}/data", ART_VIEW, document_form, data, h_document_save),
    .then = "/a/{art}/data?done=saved", .again = "/a/{art}/data",
    .title = "Data", .doc = "Change the JSON document" },
};
ROUTES(data_page, "Pages: data",
    "What people see of an artifact's data in the browser.");
