/* SPDX-License-Identifier: Apache-2.0 */
#include "http/form.h"

#include "base/str.h"
#include "http/filled.h"

/* ---- elements of our own pages, whose attributes are all quoted ---- */

enum { ATTRS = 24 };
struct attr {
	const char *name, *value; /* escaped as in the page; value NULL: without a value */
};
struct element {
	const char *from, *after; /* the start and end of its tag */
	const char *name;
	struct attr attrs[ATTRS];
	size_t n;
	void *owner;
};

static const char *
attr_read(void *owner, const char *p, struct attr *out)
{
	size_t n = strcspn(p, " =>");
	const char *end;

	*out = (struct attr){ mem_strndup(owner, p, n), NULL };
	p += n;
	if (strncmp(p, "=\"", 2) != 0)
		return p + (*p == '=');
	end = p + 2 + strcspn(p + 2, "\"");
	out->value = mem_strndup(owner, p + 2, (size_t)(end - p - 2));
	return end + (*end == '"');
}

/* Reads the next opening or closing tag between p and end. */
static bool
element_next(void *owner, const char *p, const char *end, struct element *out)
{
	const char *from = memchr(p, '<', (size_t)(end - p));
	size_t n = from ? strcspn(from + 1, " >") : 0;

	if (!from)
		return false;
	*out = (struct element){
		.from = from, .name = mem_strndup(owner, from + 1, n), .owner = owner
	};
	for (p = from + 1 + n; p < end && *p != '>';) {
		if (*p == ' ')
			p++;
		else if (out->n < ATTRS)
			p = attr_read(owner, p, &out->attrs[out->n++]);
		else
			return false;
	}
	out->after = p + (p < end);
	return true;
}

static struct attr *
element_attr(struct element *e, const char *name)
{
	for (size_t i = 0; i < e->n; i++)
		if (str_eq(e->attrs[i].name, name))
			return &e->attrs[i];
	return NULL;
}

static const char *
element_value(struct element *e, const char *name)
{
	const struct attr *a = element_attr(e, name);

	return a && a->value ? a->value : "";
}

static void
element_set(struct element *e, const char *name, const char *value)
{
	struct attr *a = element_attr(e, name);

	if (!a && e->n < ATTRS)
		a = &e->attrs[e->n++];
	if (a)
		*a = (struct attr){ name, value };
}

static bool
element_drop(struct element *e, const char *name)
{
	struct attr *a = element_attr(e, name);

	if (a)
		*a = e->attrs[--e->n];
	return a != NULL;
}

static void
element_print(struct buf *b, const struct element *e)
{
	buf_fmt(b, "<%s", e->name);
	for (size_t i = 0; i < e->n; i++) {
		buf_fmt(b, " %s", e->attrs[i].name);
		if (e->attrs[i].value)
			buf_fmt(b, "=\"%s\"", e->attrs[i].value);
	}
	buf_chr(b, '>');
}

/* ---- the typed values and the refusal ---- */

struct filling {
	struct buf out;
	const struct route *form;
	const struct shape *shape;
	struct pair typed[PAIRS];
	size_t typed_n;
	const char *field; /* the refused field, or NULL */
	const char *text;  /* the reason, without the field's name */
	bool told;
	bool picture; /* the body is a picture, in the form's field `file` */
};

static const char *
html_of(void *owner, const char *text)
{
	struct buf b = BUF(owner);

	buf_html(&b, text);
	return buf_done(&b);
}

/* Finds the field of the body that the form's field of this name fills; NULL if there is none. */
static const struct field *
field_called(const struct filling *f, const char *name)
{
	const struct field *own = f->shape ? shape_field(f->shape, name) : NULL;

	return own || !f->shape
	    ? own
	    : shape_field(f->shape, req_api_name(f->out.owner, f->form, name));
}

/* True if the field is shown again with its typed value. */
static bool
name_is_kept(const struct filling *f, const char *name)
{
	const struct field *field = field_called(f, name);

	return field ? !(field->flags & F_SECRET) : f->form->open_query;
}

/* Returns the escaped typed value; NULL if it wasn't sent or isn't shown again. */
static const char *
typed_value(const struct filling *f, const char *name)
{
	const char *value = name_is_kept(f, name) ? pair_value(f->typed, f->typed_n, name) : NULL;

	return value ? html_of(f->out.owner, value) : NULL;
}

/* Returns the text with a period, if it lacks one. */
static char *
sentence_ended(void *owner, const char *text)
{
	size_t n = strlen(text);

	return mem_printf(owner, "%s%s", text, n && strchr(".!?", text[n - 1]) ? "" : ".");
}

/* Doesn't capitalise an address at the start. */
const char *
form_sentence(void *owner, const char *text)
{
	char *out = sentence_ended(owner, text);

	if (out[strspn(out, "abcdefghijklmnopqrstuvwxyz'")] == ' ')
		*out = (char)toupper((unsigned char)*out);
	return out;
}

const char *
why_of(const char *why, const char *name)
{
	size_t n = strlen(name);

	return str_starts(why, name) && str_starts(why + n, ": ") ? why + n + 2 : NULL;
}

/* True if the text begins with a typed value, or with an item of a typed list. */
static bool
begins_as_typed(const struct filling *f, const char *text)
{
	for (size_t i = 0; i < f->typed_n; i++) {
		const char *v = f->typed[i].value;
		size_t n;

		while (*(v += strspn(v, " \t,;\r\n"))) {
			n = strcspn(v, ",;\r\n");
			if (strncmp(text, v, n) == 0 && text[n] == ' ')
				return true;
			v += n;
		}
	}
	return false;
}

/* Finds the field in a reason such as "slug: is reserved" or "emails[0]: is the owner", and makes
 * the rest a sentence. */
static void
why_split(struct filling *f, const char *why)
{
	size_t n = strspn(why, f->form->open_query ? "abcdefghijklmnopqrstuvwxyz_.0123456789"
						   : "abcdefghijklmnopqrstuvwxyz_");
	const char *name = mem_strndup(f->out.owner, why, n);

	why += n;
	if (*why == '[')
		why += strspn(why, "[0123456789]");
	if (!str_starts(why, ": "))
		return;
	f->text = begins_as_typed(f, why + 2) ? sentence_ended(f->out.owner, why + 2)
					      : form_sentence(f->out.owner, why + 2);
	if (f->shape ? field_called(f, name) || (f->form->open_query && strchr(name, '.'))
		     : f->picture)
		f->field = name;
}

/* ---- the fields ---- */

static const char *
error_id(struct filling *f, struct element *e)
{
	const char *id = element_value(e, "id");

	return mem_printf(f->out.owner, "%s-error", *id ? id : element_value(e, "name"));
}

static bool
element_is_refused(const struct filling *f, struct element *e)
{
	const struct field *field = f->field ? field_called(f, f->field) : NULL;
	const char *type = element_value(e, "type");

	if (f->told || !f->field || !str_eq(element_value(e, "name"), f->field))
		return false;
	/* A box or button that represents a field of its own, not one of several values. */
	if (str_eq(type, "checkbox") || str_eq(e->name, "button"))
		return field && field->kind == K_BOOL;
	return !str_in(type, "hidden|radio");
}

/* Returns the tag after which the reason is written. */
static const char *
element_end(struct element *e)
{
	if (str_eq(element_value(e, "type"), "checkbox"))
		return "/label";
	return str_eq(e->name, "input") ? "input" : mem_printf(e->owner, "/%s", e->name);
}

static void
input_fill(struct filling *f, struct element *e)
{
	const char *name = element_value(e, "name"), *type = element_value(e, "type"),
		   *typed = typed_value(f, name);

	if (!name_is_kept(f, name) || str_in(type, "password|file"))
		return;
	/* A script fills a hidden field that is disabled. Others are the page's own. */
	if (str_eq(type, "hidden")) {
		if (typed && element_drop(e, "disabled"))
			element_set(e, "value", typed);
		return;
	}
	if (!str_in(type, "radio|checkbox")) {
		if (typed)
			element_set(e, "value", typed);
		return;
	}
	element_drop(e, "checked");
	/* Of several boxes with one name, each checked one is sent. */
	for (size_t i = 0; i < f->typed_n; i++)
		if (str_eq(f->typed[i].name, name) &&
		    str_eq(html_of(f->out.owner, f->typed[i].value), element_value(e, "value")))
			element_set(e, "checked", NULL);
}

static void
options_fill(struct filling *f, const char *p, const char *end, const char *typed)
{
	struct element e;

	for (; element_next(f->out.owner, p, end, &e); p = e.after) {
		buf_add(&f->out, p, (size_t)(e.from - p));
		element_drop(&e, "selected");
		if (str_eq(e.name, "option") && str_eq(typed, element_value(&e, "value")))
			element_set(&e, "selected", NULL);
		element_print(&f->out, &e);
	}
	buf_add(&f->out, p, (size_t)(end - p));
}

/* Writes a field, and returns where the page continues after it. */
static const char *
field_fill(struct filling *f, struct element *e)
{
	const char *typed = typed_value(f, element_value(e, "name")), *close;
	bool choice = str_eq(e->name, "select");

	if (str_eq(e->name, "input"))
		input_fill(f, e);
	element_print(&f->out, e);
	if (str_eq(e->name, "input") || !typed)
		return e->after;
	close = strstr(e->after, choice ? "</select>" : "</textarea>");
	if (!close)
		return e->after;
	if (choice)
		options_fill(f, e->after, close, typed);
	else
		/* Browsers drop the first newline of a textarea. */
		buf_fmt(&f->out, "%s%s", *typed == '\n' || *typed == '\r' ? "\n" : "", typed);
	return close;
}

/* Returns where the content of the form that posts to path begins; NULL if the page has no such
 * form. */
static const char *
form_find(void *owner, const char *html, const char *path)
{
	const char *end = html + strlen(html), *action = html_of(owner, path);
	struct element e;

	for (const char *p = strstr(html, "<form"); p; p = strstr(p + 1, "<form"))
		if (element_next(owner, p, end, &e) &&
		    str_eq(element_value(&e, "method"), "post") &&
		    str_eq(element_value(&e, "action"), action))
			return e.after;
	return NULL;
}

/* Writes the form's fields with what was typed, and the reason after the refused field. */
static void
fields_fill(struct filling *f, const char *p, const char *end)
{
	struct element e, wrong = { 0 };

	for (const char *after; element_next(f->out.owner, p, end, &e); p = after) {
		buf_add(&f->out, p, (size_t)(e.from - p));
		after = e.after;
		if (element_is_refused(f, &e)) {
			const char *hint = element_value(&e, "aria-describedby");

			/* A screen reader reads the reason with the field, which gets the focus
			 * first. */
			if (!str_eq(e.name, "button"))
				element_set(&e, "aria-invalid", "true");
			element_set(&e, "aria-describedby",
			    mem_printf(
				f->out.owner, "%s%s%s", error_id(f, &e), *hint ? " " : "", hint));
			element_set(&e, "autofocus", NULL);
			wrong = e;
		}
		if (str_in(e.name, "input|select|textarea"))
			after = field_fill(f, &e);
		else if (wrong.from == e.from)
			element_print(&f->out, &e);
		else
			buf_add(&f->out, e.from, (size_t)(e.after - e.from));
		if (wrong.name && str_eq(e.name, element_end(&wrong))) {
			buf_fmt(&f->out,
			    "<span class=\"error\" id=\"%s\"><svg class=\"i\" aria-hidden=\"true\">"
			    "<use href=\"/assets/icons.svg#triangle-alert\"/></svg>",
			    error_id(f, &wrong));
			buf_html(&f->out, f->text);
			buf_str(&f->out, "</span>");
			f->told = true;
			wrong.name = NULL;
		}
	}
	buf_add(&f->out, p, (size_t)(end - p));
}

const char *
form_fill(struct req *r, const char *html, const char **rest)
{
	struct filling f = { .out = BUF(r->c->mem),
		.form = r->refused.row,
		.shape = r->refused.row->body.shape,
		.picture = r->refused.row->body.kind == BODY_IMAGE,
		.text = r->refused.why };
	const char *from = form_find(r->c->mem, html, r->refused.path),
		   *end = from ? strstr(from, "</form>") : NULL;

	if (f.shape || f.picture)
		f.typed_n = req_form_pairs(r, f.typed);
	why_split(&f, r->refused.why);
	*rest = f.text;
	if (!end || (!f.shape && !f.picture))
		return html;
	buf_add(&f.out, html, (size_t)(from - html));
	fields_fill(&f, from, end);
	buf_str(&f.out, end);
	*rest = f.told ? NULL : f.text;
	return buf_done(&f.out);
}

/* ---- the page ---- */

/* Returns what follows an index in brackets, or s if it begins with none. */
static const char *
index_skip(const char *s)
{
	const char *end = *s == '[' ? strchr(s, ']') : NULL;

	return end ? end + 1 : s;
}

/* Rewrites the refusal with the form's names of fields, and with what its row says instead. A form
 * has one field for an array, so its name has no index. */
static void
refusal_adapt(struct req *r, enum err e)
{
	const struct route *form = r->route;
	char *rest = form && form->called ? mem_strdup(r->c->mem, form->called) : NULL, *pair;
	const char *why = r->c->message;

	if (form && form->instead && form->instead->e == e)
		r->c->message = form->instead->why;
	while (why && rest && (pair = str_split(&rest, '&'))) {
		const char *api = str_split(&pair, '=');
		size_t n = strlen(api);
		const char *after;

		if (!str_starts(why, api))
			continue;
		after = index_skip(why + n);
		if (api[n - 1] == '.')
			r->c->message = why = why + n;
		else if (pair && str_starts(after, ": "))
			r->c->message = why = mem_printf(r->c->mem, "%s%s", pair, after);
	}
}

/* Anonymous and rate-limited callers get a cheap error page instead. A form sent from another site
 * isn't shown, because its values are from there. */
static bool
form_may_be_shown(const struct req *r, int status)
{
	return r->route && r->route->again && !r->content && !r->turned_away && status >= 400 &&
	    status < 500 && status != 401 && (status != 429 || r->who) && req_same_origin(r);
}

/* Reads the page's query from the form, if its path doesn't say everything. */
static enum err
query_from_form(struct req *r)
{
	struct pair typed[PAIRS];
	size_t n = req_form_pairs(r, typed);
	void *query;

	if (!r->route->query)
		return E_OK;
	if (shape_read_pairs(r->c, r->route->query, typed, n, &query))
		TRY(shape_read_pairs(r->c, r->route->query, NULL, 0, &query));
	r->query = query;
	return E_OK;
}

static enum err
page_look(struct req *r, const char *page)
{
	r->route = route_named(GET, page);
	r->method = GET;
	r->uri = form_filled(r, page, NULL);
	r->query = r->in = NULL;
	TRY(authorise(r));
	TRY(query_from_form(r));
	return r->route->handler(r);
}

bool
form_show_again(struct req *r, enum err e)
{
	struct ctx was;
	const struct req before = *r;
	int status = err_table[e].status;
	bool shown;

	refusal_adapt(r, e);
	was = *r->c;
	if (!form_may_be_shown(r, status))
		return false;
	if (r->route->body.kind == BODY_FORM && !r->body)
		(void)req_map_body(r);
	r->refused = (struct refused){ r->route,
		mem_strndup(r->c->mem, r->uri, strcspn(r->uri, "?")),
		was.message ? was.message : err_table[e].text };
	r->cookie_n = 0;
	ctx_again(r->c);
	shown = page_look(r, before.route->again) == E_OK && (r->status < 300 || r->status >= 400);
	r->c->err = was.err;
	r->c->message = was.message;
	r->c->internal = was.internal;
	if (!shown) {
		*r = before;
		return false;
	}
	r->route = before.route;
	r->method = before.method;
	r->uri = before.uri;
	r->status = status;
	reply_retry_after(r, status);
	return true;
}

enum err
form_stay(struct req *r, const char *secret)
{
	const struct route *form = r->route;
	enum err e;

	r->made = secret;
	e = page_look(r, form->stays);
	r->route = form;
	r->method = POST;
	return e;
}

enum err
form_done(struct req *r, const void *made)
{
	const struct route *form = r->route;

	if (form->stays && (made || !form->then))
		return form_stay(r, text_filled(r, "{token|secret}", form->answer.shape, made));
	return reply_redirect(r, form_filled(r, r->route->then, made));
}
