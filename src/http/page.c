/* SPDX-License-Identifier: Apache-2.0 */
#include "http/page.h"

#include "base/conf.h"
#include "base/crypto.h"
#include "base/str.h"

SHAPE_DEFINE(page_error, PAGE_ERROR);

/* { name, text } of each file in pages/; the build writes pages.inc. */
static const struct {
	const char *name, *text;
} texts[] = {
#include "http/pages.inc"
};

/* Where the name of a tag is looked up: first in the item of a list, then in what encloses the
 * list. */
struct frame {
	const struct shape *shape;
	const void *value;
	const struct frame *outer;
};

static const char *
text_named(const char *name)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (str_eq(texts[i].name, name))
			return texts[i].text;
	return NULL;
}

struct tag {
	const char *from, *after; /* its opening braces, and what follows the closing ones */
	const char *name;
	char kind; /* '#', '^', '/', or 0 */
};

static bool
tag_next(void *owner, const char *p, const char *end, struct tag *out)
{
	const char *open = memmem(p, (size_t)(end - p), "{{", 2),
		   *close = open ? strstr(open, "}}") : NULL, *name = open ? open + 2 : NULL;

	if (!close)
		return false;
	*out = (struct tag){
		.from = open, .after = close + 2, .kind = strchr("#^/", *name) ? *name : '\0'
	};
	name += out->kind != '\0';
	out->name = mem_strndup(owner, name, (size_t)(close - name));
	return true;
}

/* Finds the closing tag of a section. A section can't contain another of the same name. */
static const char *
section_end(void *owner, const struct tag *tag)
{
	return strstr(tag->after, mem_printf(owner, "{{/%s}}", tag->name));
}

static const struct field *
look_up(const struct frame *at, const char *name, const struct frame **found)
{
	for (; at; at = at->outer) {
		const struct field *f = shape_field(at->shape, name);

		*found = at;
		if (f)
			return f;
	}
	return NULL;
}

static void
print_value(struct buf *b, const struct field *f, const void *at)
{
	switch (f->kind) {
	case K_INT:
		buf_fmt(b, "%lld", (long long)*(const int64_t *)at);
		break;
	case K_TIME: case K_DATETIME:
		buf_str(b, str_date(b->owner, *(const int64_t *)at));
		break;
	case K_NUM: case K_BOOL: case K_STRS: case K_LIST: case K_OBJ:
		break;
	default:
		buf_html(b, *(const char *const *)at ? *(const char *const *)at : "");
	}
}

static bool
is_set(const struct field *f, const void *at)
{
	switch (f->kind) {
	case K_INT: case K_TIME: case K_DATETIME:
		return *(const int64_t *)at != 0;
	case K_BOOL:
		return *(const bool *)at;
	case K_LIST:
		return ((const struct list *)at)->n > 0;
	case K_NUM: case K_STRS:
		return false;
	case K_OBJ:
		return *(void *const *)at != NULL;
	default:
		return *(const char *const *)at && **(const char *const *)at;
	}
}

static void
page_fill(struct buf *b, const char *p, const char *end, const struct frame *frame)
{
	const struct frame *holder;
	struct tag tag;

	for (; tag_next(b->owner, p, end, &tag); p = tag.after) {
		const struct field *f = look_up(frame, tag.name, &holder);
		const char *at = (const char *)holder->value + f->off, *last;

		buf_add(b, p, (size_t)(tag.from - p));
		if (!tag.kind) {
			print_value(b, f, at);
			continue;
		}
		last = section_end(b->owner, &tag);
		if (f->kind == K_LIST && tag.kind == '#') {
			const struct list *rows = (const struct list *)at;

			for (size_t i = 0; i < rows->n; i++)
				page_fill(b, tag.after, last,
				    &(struct frame){
					f->sub, (const char *)rows->v + i * f->sub->size, frame });
		} else if (is_set(f, at) == (tag.kind == '#')) {
			page_fill(b, tag.after, last, frame);
		}
		tag.after = strstr(last, "}}") + 2;
	}
	buf_add(b, p, (size_t)(end - p));
}

const char *
page_render(void *owner, const char *name, const struct shape *shape, const void *value)
{
	struct buf b = BUF(owner);
	const char *text = text_named(name);

	/* Each template begins with its <title>; HTML lets <head> and <body> be left out. */
	buf_fmt(&b,
	    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
	    "<style>%s</style>\n",
	    text_named("style"));
	page_fill(&b, text, text + strlen(text), &(struct frame){ shape, value, NULL });
	return buf_done(&b);
}

static const char *
wrong_within(void *owner, const char *p, const char *end, const struct frame *frame)
{
	const struct frame *holder;
	struct tag tag;

	for (; tag_next(owner, p, end, &tag); p = tag.after) {
		const struct field *f = look_up(frame, tag.name, &holder);
		const char *last, *why;

		if (!f || tag.kind == '/')
			return mem_printf(
			    owner, "{{%s}} %s", tag.name, f ? "closes nothing" : "names no field");
		if (!tag.kind)
			continue;
		if (!(last = section_end(owner, &tag)))
			return mem_printf(owner, "{{#%s}} is not closed", tag.name);
		why = wrong_within(owner, tag.after, last,
		    f->kind == K_LIST ? &(struct frame){ f->sub, NULL, frame } : frame);
		if (why)
			return why;
		tag.after = strstr(last, "}}") + 2;
	}
	return NULL;
}

const char *
page_wrong(void *owner, const char *name, const struct shape *shape)
{
	const char *text = text_named(name);

	return text
	    ? wrong_within(owner, text, text + strlen(text), &(struct frame){ shape, NULL, NULL })
	    : "there is no such template";
}

const char *
page_csp(const struct conf *conf)
{
	static char csp[1024];
	const char *style = text_named("style");
	uint8_t digest[SHA256_BYTES];

	if (!*csp) {
		void *mem = mem_root("csp");

		crypto_sha256(style, strlen(style), digest);
		/* Browsers apply form-action to the redirect that answers a form, too, and signing
		 * in redirects to the page that was asked for, which may be on a content host. */
		snprintf(csp, sizeof csp,
		    "default-src 'none'; style-src 'sha256-%s'; img-src 'self'; frame-ancestors 'none'; base-uri 'none';"
		    " form-action 'self' %s",
		    crypto_base64(mem, digest, sizeof digest), conf_site_origin(mem, conf, "*"));
		mem_free(mem);
	}
	return csp;
}
