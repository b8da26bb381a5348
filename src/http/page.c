/* SPDX-License-Identifier: Apache-2.0 */
#include "http/page.h"

#include "base/conf.h"
#include "base/markdown.h"
#include "base/str.h"
#include "http/format.h"
#include "http/route.h"

SHAPE_DEFINE(page_error, PAGE_ERROR);
SHAPE_DEFINE(confirm_page, CONFIRM_PAGE);
SHAPE_DEFINE(asked_words, ASKED_WORDS);
SHAPE_DEFINE(switch_to, SWITCH_TO);
SHAPE_DEFINE(shell, SHELL);

/* { name, text } of each template; the build writes pages.inc. */
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
	const char *whole, *name;
	const char *word; /* what follows '=' in it, or NULL */
	const char *how;  /* what follows ':' in a value's tag, or NULL */
	char kind;        /* one of KINDS, or 0 */
};
#define KINDS "#^/>+~@*%&?"

/* Works like strstr(), whose sanitized form reads on to the end of the template at each tag. */
static const char *
braces(const char *p, const char *what)
{
	size_t n = strlen(what);

	while ((p = strchr(p, *what)) && strncmp(p, what, n) != 0)
		p++;
	return p;
}

static bool
tag_next(void *owner, const char *p, const char *end, struct tag *out)
{
	const char *open = memmem(p, (size_t)(end - p), "{{", 2),
		   *close = open ? braces(open, "}}") : NULL, *name = open ? open + 2 : NULL;
	char *inside;

	if (!close)
		return false;
	*out = (struct tag){
		.from = open, .after = close + 2, .kind = strchr(KINDS, *name) ? *name : '\0'
	};
	name += out->kind != '\0';
	out->whole = out->name = inside = mem_strndup(owner, name, (size_t)(close - name));
	if (out->kind == '?')
		out->whole = mem_printf(owner, "?%s", out->name);
	if (!out->kind && strchr(inside, ':')) {
		out->name = str_split(&inside, ':');
		out->how = inside;
		out->whole = mem_printf(owner, "%s:%s", out->name, out->how);
		return true;
	}
	if (strchr(inside, '=')) {
		out->name = str_split(&inside, '=');
		out->word = inside;
		out->whole = mem_printf(owner, "%s=%s", out->name, out->word);
	}
	return true;
}

/* Finds the closing tag of a section. A section can't contain another of the same name. */
static const char *
section_end(void *owner, const struct tag *tag)
{
	return braces(tag->after, mem_printf(owner, "{{/%s}}", tag->whole));
}

/* Finds the field that a tag names, "name" or "object.name". *at: its value; NULL if the object is
 * missing, or while templates are checked. */
static const struct field *
look_up_value(void *owner, const struct frame *frame, const char *name, const void **at)
{
	const char *dot = name[0] == '.' ? NULL : strchr(name, '.');
	const char *first = dot ? mem_strndup(owner, name, (size_t)(dot - name)) : name;
	const struct frame *holder = frame;
	const struct field *f = NULL;

	while (holder && !(f = holder->shape ? shape_field(holder->shape, first) : NULL))
		holder = holder->outer;
	*at = f && holder->value ? (const char *)holder->value + f->off : NULL;
	for (; f && dot; dot = strchr(dot + 1, '.')) {
		const void *inner = *at ? *(void *const *)*at : NULL;

		f = f->kind == K_OBJ
		    ? shape_field(f->sub, mem_strndup(owner, dot + 1, strcspn(dot + 1, ".")))
		    : NULL;
		*at = f && inner ? (const char *)inner + f->off : NULL;
	}
	return f;
}

/* An item of a list of texts, as a frame whose one field is {{.}}. */
static const struct field item_field = { .name = ".", .kind = K_STR };
static const struct shape item_shape = {
	.name = "item", .size = sizeof(char *), .fields = &item_field, .n = 1
};

/* "4 minutes", "1 hour" */
static const char *
print_span(void *owner, int64_t seconds)
{
	bool hours = seconds >= 3600;
	int64_t n = seconds / (hours ? 3600 : 60);

	return mem_printf(
	    owner, "%lld %s%s", (long long)n, hours ? "hour" : "minute", n == 1 ? "" : "s");
}

static void
print_time(struct buf *b, int64_t t, int64_t now)
{
	time_t at = t, present = now;
	struct tm tm, today;
	int64_t ago = now - t;
	char title[64], day[64];

	gmtime_r(&at, &tm);
	gmtime_r(&present, &today);
	strftime(title, sizeof title, "%B %-d, %Y at %H:%M UTC", &tm);
	strftime(day, sizeof day, tm.tm_year == today.tm_year ? "%B %-d" : "%B %-d, %Y", &tm);
	buf_fmt(b, "<time datetime=\"%s\" title=\"%s\">", str_rfc3339(b->owner, t), title);
	if (ago >= 86400 || ago <= -86400)
		buf_str(b, day);
	else if (ago > -60 && ago < 60)
		buf_str(b, ago < 0 ? "in a moment" : "just now");
	else if (ago < 0)
		buf_fmt(b, "in %s", print_span(b->owner, -ago));
	else
		buf_fmt(b, "%s ago", print_span(b->owner, ago));
	buf_str(b, "</time>");
}

static void
print_address(struct buf *b, const char *url)
{
	const char *host = strstr(url, "://");
	size_t n;

	host = host ? host + 3 : url;
	n = strlen(host);
	buf_html(b, mem_strndup(b->owner, host, n && host[n - 1] == '/' ? n - 1 : n));
}

void
page_way(struct buf *b, const char *how, const char *address)
{
	buf_fmt(b, "/auth/view?%sto=", how);
	buf_form(b, address);
}

static void
print_way(struct buf *b, const char *address)
{
	page_way(b, "", address);
}

static void
print_initials(struct buf *b, const char *name)
{
	buf_html(b, page_initials(b->owner, name));
}

/* Writes the word as people say it. */
static void
print_word(struct buf *b, const char *word)
{
	const struct word_said *w = words_said;

	while (w->word && !str_eq(w->word, word))
		w++;
	buf_html(b, w->word ? w->said : word);
}

enum { HEADINGS_BELOW = 2 }; /* a page has its title, and those of its parts */

static void
print_markdown(struct buf *b, const char *text)
{
	buf_str(b, markdown_html(b->owner, text, strlen(text), HEADINGS_BELOW));
}

static void
print_value(struct buf *b, const struct field *f, const void *at, char how, int64_t now)
{
	bool in_short = how == '~';
	const struct strs *list = at;
	const char *text;

	switch (f->kind) {
	case K_INT:
		buf_str(b, (in_short ? str_amount : str_number)(b->owner, *(const int64_t *)at));
		break;
	case K_TIME: case K_DATETIME:
		if (!in_short)
			print_time(b, *(const int64_t *)at, now);
		else if (*(const int64_t *)at)
			buf_fmt(b, "%lld", (long long)*(const int64_t *)at);
		break;
	case K_STRS:
		for (size_t i = 0; i < list->n; i++) {
			if (i)
				buf_str(b, ", ");
			(how == '%' ? print_word : buf_html)(b, list->v[i]);
		}
		break;
	case K_NUM: case K_BOOL: case K_LIST: case K_OBJ:
		break;
	default:
		text = *(const char *const *)at ? *(const char *const *)at : "";
		(how == '@'	    ? print_way
			: how == '*' ? print_markdown
			: how == '%' ? print_word
			: how == '&' ? print_initials
			: in_short   ? print_address
				     : buf_html)(b, text);
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
	case K_LIST: case K_STRS:
		return ((const struct list *)at)->n > 0;
	case K_NUM:
		return false;
	case K_OBJ:
		return *(void *const *)at != NULL;
	default:
		return *(const char *const *)at && **(const char *const *)at;
	}
}

/* Reads the number that a section compares with. Returns false if there is none. */
static bool
tag_number(void *owner, const struct tag *tag, const struct frame *frame, int64_t *out)
{
	const void *at;

	if (tag->word[0] != '.')
		return str_int(tag->word, out);
	(void)look_up_value(owner, frame, tag->word + 1, &at);
	if (at)
		*out = *(const int64_t *)at;
	return at != NULL;
}

static bool
tag_holds(void *owner, const struct tag *tag, const struct frame *frame, const struct field *f,
    const void *at, int64_t now)
{
	int64_t number;
	const char *text;
	const void *other;

	if (!at)
		return false;
	if (!tag->word)
		return is_set(f, at);
	if (f->kind == K_LIST || f->kind == K_STRS) /* {{#files=1}} */
		return str_int(tag->word, &number) &&
		    number == (int64_t)((const struct list *)at)->n;
	if (f->kind == K_NUM ||
	    ((f->kind == K_INT || f->kind == K_BOOL) && str_eq(tag->word, "given")))
		return ((const uint8_t *)at - f->off)[f->has] == GIVEN;
	if (f->kind == K_TIME || f->kind == K_DATETIME) /* {{#expires_at=past}} */
		return is_set(f, at) && *(const int64_t *)at <= now;
	if (f->kind == K_INT)
		return tag_number(owner, tag, frame, &number) && number == *(const int64_t *)at;
	text = *(const char *const *)at;
	if (!text || tag->word[0] != '.')
		return text && str_in(text, tag->word);
	/* {{#id=.name}} compares with the value of the field `name`. */
	(void)look_up_value(owner, frame, tag->word + 1, &other);
	return other && str_eq(text, *(const char *const *)other);
}

/* Returns the tag's format with a field's text in place of its name; NULL if that is missing. */
static const char *
format_of(void *owner, const struct tag *tag, const struct frame *frame, const struct field *f)
{
	const char *name = format_field(tag->how, f);
	const void *at;

	if (!name)
		return tag->how;
	(void)look_up_value(owner, frame, name, &at);
	return at && *(const char *const *)at
	    ? mem_printf(owner, "%.*s%s", (int)(name - tag->how), tag->how,
		  *(const char *const *)at)
	    : NULL;
}

/* Finds the first of the names "a|b.c" that is set, or else the last. */
static const struct field *
look_up_first(void *owner, const struct frame *frame, char *names, const void **at)
{
	const struct field *f = NULL;

	for (char *name; (name = str_split(&names, '|'));) {
		f = look_up_value(owner, frame, name, at);
		if (!f || (*at && is_set(f, *at)))
			break;
	}
	return f;
}

static void page_fill(struct buf *b, const char *p, const char *end, const struct frame *frame,
    const struct shell *shell);

/* Writes a section, and moves the tag behind the section's end. */
static void
section_fill(struct buf *b, struct tag *tag, const struct frame *frame, const struct shell *shell)
{
	const char *last = section_end(b->owner, tag);
	const void *at;
	const struct field *f =
	    look_up_first(b->owner, frame, mem_strdup(b->owner, tag->name), &at);

	if (f->kind == K_LIST && tag->kind == '#' && !tag->word) {
		const struct list *rows = at;

		for (size_t i = 0; rows && i < rows->n; i++)
			page_fill(b, tag->after, last,
			    &(struct frame){
				f->sub, (const char *)rows->v + i * f->sub->size, frame }, shell);
	} else if (f->kind == K_STRS && tag->kind == '#' && !tag->word) {
		const struct strs *list = at;

		for (size_t i = 0; list && i < list->n; i++)
			page_fill(b, tag->after, last,
			    &(struct frame){ &item_shape, &list->v[i], frame }, shell);
	} else if (tag_holds(b->owner, tag, frame, f, at, shell->now) == (tag->kind != '^')) {
		page_fill(b, tag->after, last,
		    f->kind == K_OBJ && tag->kind == '#'
			? &(struct frame){ f->sub, *(void *const *)at, frame }
			: frame,
		    shell);
	}
	tag->after = braces(last, "}}") + 2;
}

static void
tag_fill(struct buf *b, struct tag *tag, const struct frame *frame, const struct shell *shell)
{
	const struct field *f;
	const void *at;
	const char *part;

	if (tag->kind == '#' || tag->kind == '^' || tag->kind == '?') {
		section_fill(b, tag, frame, shell);
	} else if (tag->kind == '>') {
		part = text_named(tag->name);
		page_fill(b, part, part + strlen(part), frame, shell);
	} else if (tag->kind == '+') {
		buf_fmt(b,
		    "<svg class=\"i\" aria-hidden=\"true\">"
		    "<use href=\"/assets/icons.svg#%s\"/></svg>",
		    tag->name);
	} else {
		f = look_up_first(b->owner, frame, mem_strdup(b->owner, tag->name), &at);
		if (at && tag->how && (part = format_of(b->owner, tag, frame, f)))
			format_print(b, part, f, at);
		else if (at && !tag->how)
			print_value(b, f, at, tag->kind, shell->now);
	}
}

static void
page_fill(struct buf *b, const char *p, const char *end, const struct frame *frame,
    const struct shell *shell)
{
	struct tag tag;

	for (; tag_next(b->owner, p, end, &tag); p = tag.after) {
		buf_add(b, p, (size_t)(tag.from - p));
		tag_fill(b, &tag, frame, shell);
	}
	buf_add(b, p, (size_t)(end - p));
}

/* Fills the frames of a page's address: its query, and around it the parameters of its path. */
static void
asked_frames(void *owner, const struct page_asked *asked, struct frame *query, struct frame *params)
{
	const struct param *p = asked ? asked->params : NULL;
	struct field *field = mem_array(owner, struct field, PATH_PARAMS);
	const char **value = mem_array(owner, const char *, PATH_PARAMS);
	struct shape *shape = mem_new(owner, struct shape);

	*shape = (struct shape){ .name = "params", .fields = field };
	for (size_t n = 0; p && n < PATH_PARAMS && p[n].name; shape->n = ++n) {
		field[n] = (struct field){
			.name = p[n].name, .kind = K_STR, .off = n * sizeof *value
		};
		value[n] = p[n].value;
	}
	*params = (struct frame){ shape, value, NULL };
	*query = (struct frame){ NULL, NULL, params };
	if (asked)
		*query = (struct frame){ asked->shape, asked->value, params };
}

const char *
page_render(void *owner, const char *name, const struct shape *shape, const void *value,
    const struct shell *shell, const struct page_asked *asked)
{
	struct frame params, query, outermost = { &shell_shape, shell, &query };
	struct buf b = BUF(owner);
	const char *text = text_named(name);

	asked_frames(owner, asked, &query, &params);
	page_fill(
	    &b, text, text + strlen(text), &(struct frame){ shape, value, &outermost }, shell);
	return buf_done(&b);
}

const char *
page_initials(void *mem, const char *name)
{
	struct buf b = BUF(mem);

	for (int i = 0; i < 2 && *name; i++) {
		size_t n = 1;

		while ((name[n] & 0xc0) == 0x80)
			n++;
		if (n == 1)
			buf_chr(&b, (char)toupper((unsigned char)*name));
		else
			buf_add(&b, name, n);
		name += strcspn(name, " .@");
		if (*name == '@')
			break;
		name += strspn(name, " .");
	}
	return buf_done(&b);
}

/* ---- checks at the start ---- */

static const char *wrong_within(
    void *owner, const char *p, const char *end, const struct frame *frame);

static const char *
wrong_text(void *owner, const char *name, const struct frame *frame)
{
	const char *text = text_named(name);

	return text ? wrong_within(owner, text, text + strlen(text), frame)
		    : mem_printf(owner, "there is no template %s", name);
}

/* Returns what is wrong with a tag, or NULL. Moves tag->after behind a section. */
static const char *
wrong_tag(void *owner, struct tag *tag, const struct frame *frame)
{
	const struct field *f, *other;
	const void *at;
	const char *last, *why, *of;
	int64_t count;
	bool counts;

	if (tag->kind == '>')
		return wrong_text(owner, tag->name, frame);
	if (tag->kind == '+')
		return NULL;
	f = look_up_first(owner, frame, mem_strdup(owner, tag->name), &at);
	if (!f || tag->kind == '/')
		return mem_printf(
		    owner, "{{%s}} %s", tag->whole, f ? "closes nothing" : "names no field");
	if (tag->how && !format_fits(tag->how, f))
		return mem_printf(
		    owner, "{{%s}} has a format that its field can't have", tag->whole);
	if (tag->how && (of = format_field(tag->how, f)) &&
	    (!(other = look_up_value(owner, frame, of, &at)) || other->kind > K_WORD))
		return mem_printf(owner, "{{%s}} names no text", tag->whole);
	if (tag->word && tag->word[0] == '.' &&
	    (!(other = look_up_value(owner, frame, tag->word + 1, &at)) || f->kind > K_INT ||
		(f->kind == K_INT ? other->kind != K_INT : other->kind > K_WORD)))
		return mem_printf(
		    owner, "{{%s}} compares what is no text or number", tag->whole);
	counts = tag->word && (f->kind == K_LIST || f->kind == K_STRS) &&
	    str_int(tag->word, &count);
	if (tag->word && f->kind > K_DATETIME && !counts &&
	    !((f->kind == K_NUM || f->kind == K_BOOL) && str_eq(tag->word, "given")))
		return mem_printf(
		    owner, "{{%s}} is about a field that has no such value", tag->whole);
	if (tag->kind != '#' && tag->kind != '^' && tag->kind != '?')
		return NULL;
	if (!(last = section_end(owner, tag)))
		return mem_printf(owner, "{{#%s}} is not closed", tag->whole);
	why = wrong_within(owner, tag->after, last,
	    tag->kind == '?' || counts ? frame
		: f->kind == K_STRS ? &(struct frame){ &item_shape, NULL, frame }
		: f->kind == K_LIST || f->kind == K_OBJ ? &(struct frame){ f->sub, NULL, frame }
							: frame);
	tag->after = braces(last, "}}") + 2;
	return why;
}

static const char *
wrong_within(void *owner, const char *p, const char *end, const struct frame *frame)
{
	const char *why = NULL;
	struct tag tag;

	for (; !why && tag_next(owner, p, end, &tag); p = tag.after)
		why = wrong_tag(owner, &tag, frame);
	return why;
}

const char *
page_wrong(
    void *owner, const char *name, const struct shape *shape, const struct page_asked *asked)
{
	struct frame params, query, outermost = { &shell_shape, NULL, &query };

	asked_frames(owner, asked, &query, &params);
	return wrong_text(owner, name, &(struct frame){ shape, NULL, &outermost });
}

const char *
page_csp(const struct conf *conf)
{
	static char csp[1024];

	if (!*csp) {
		void *mem = mem_root("csp");

		/* The error pages of content hosts have their style and icon from here, too. The
		 * cells of a notebook, which the Files tab frames, contain their pictures. Browsers
		 * apply form-action to the redirect that answers a form, and signing in redirects
		 * to the page that was asked for, which may be on a content host. */
		snprintf(csp, sizeof csp,
		    "default-src 'none'; style-src %s; img-src 'self' %s data:; media-src 'self'; "
		    "script-src 'self'; connect-src 'self'; frame-ancestors 'none'; "
		    "base-uri 'none'; form-action 'self' %s",
		    conf->base_url, conf->base_url, conf_site_origin(mem, conf, "*"));
		mem_free(mem);
	}
	return csp;
}
