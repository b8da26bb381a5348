/* SPDX-License-Identifier: Apache-2.0 */
#include "http/format.h"

#include "base/marked.h"
#include "base/num.h"
#include "base/str.h"
#include "base/viewdraw.h"

/* A format that fits K_LIST fits K_STRS, too, because both have a number of items. */
struct format {
	const char *name;
	enum kind kind; /* K_STR means all kinds of text; K_TIME also K_DATETIME */
	/* rest: what follows the format's name and a space, or NULL */
	const char *(*text)(void *mem, const void *at, const char *rest);
	bool html;        /* text() returns HTML */
	bool rest_field;  /* rest names a field of text, which is taken in its place */
};

static const char *
text_at(const void *at)
{
	return *(const char *const *)at ? *(const char *const *)at : "";
}

static const char *
url_text(void *mem, const void *at, const char *rest)
{
	struct buf b = BUF(mem);

	(void)rest;
	buf_url(&b, text_at(at));
	return buf_done(&b);
}

static const char *
base_text(void *mem, const void *at, const char *rest)
{
	(void)mem, (void)rest;
	return str_base(text_at(at));
}

static const char *
less_text(void *mem, const void *at, const char *rest)
{
	const char *text = text_at(at);
	size_t n = rest && str_ends(text, rest) ? strlen(rest) : 0;

	return mem_strndup(mem, text, strlen(text) - n);
}

static const char *
kib_text(void *mem, const void *at, const char *rest)
{
	(void)rest;
	return str_amount_1024(mem, *(const int64_t *)at);
}

static const char *
number_text(void *mem, int64_t n, const char *noun)
{
	return noun ? str_count(mem, n, noun) : str_number(mem, n);
}

static const char *
int_count_text(void *mem, const void *at, const char *rest)
{
	return number_text(mem, *(const int64_t *)at, rest);
}

static const char *
list_count_text(void *mem, const void *at, const char *rest)
{
	return number_text(mem, (int64_t)((const struct list *)at)->n, rest);
}

static const char *
some_text(void *mem, const void *at, const char *rest)
{
	const struct strs *list = at;

	(void)rest;
	return str_some(mem, list->v, list->n);
}

static const char *
lines_text(void *mem, const void *at, const char *rest)
{
	(void)rest;
	return strs_join(mem, at, "\n");
}

/* rest: the least and the most. */
static const char *
rows_text(void *mem, const void *at, const char *rest)
{
	char *end;
	long least = strtol(rest ? rest : "", &end, 10), most = strtol(end, NULL, 10), n = 1;

	for (const char *s = text_at(at); *s && n < most; s++)
		n += *s == '\n';
	return mem_printf(mem, "%ld", n < least ? least : n);
}

static const char *
day_text(void *mem, const void *at, const char *rest)
{
	(void)rest;
	return *(const int64_t *)at ? str_day(mem, *(const int64_t *)at) : "";
}

static const char *
date_text(void *mem, const void *at, const char *rest)
{
	int64_t t = *(const int64_t *)at;

	return t ? (rest ? str_date_day : str_date)(mem, t) : "";
}

static const char *
money_text(void *mem, const void *at, const char *rest)
{
	return rest ? str_money(mem, *(const int64_t *)at, rest) : "";
}

static const char *
took_text(void *mem, const void *at, const char *rest)
{
	(void)rest;
	return str_took(mem, *(const int64_t *)at);
}

static const char *
int_digits_text(void *mem, const void *at, const char *rest)
{
	(void)rest;
	return mem_printf(mem, "%lld", (long long)*(const int64_t *)at);
}

static const char *
num_digits_text(void *mem, const void *at, const char *rest)
{
	(void)rest;
	return num_write(mem_array(mem, char, NUM_CHARS), *(const double *)at);
}

static const char *
figure_text(void *mem, const void *at, const char *rest)
{
	(void)rest;
	return str_figure(mem, *(const double *)at);
}

static const char *
cut_text(void *mem, const void *at, const char *rest)
{
	const char *text = text_at(at);
	int64_t most;

	return rest && str_int(rest, &most) && (int64_t)str_chars(text) > most
	    ? mem_printf(mem, "%s…", str_cut(mem, text, (size_t)most))
	    : text;
}

static const char *
capital_text(void *mem, const void *at, const char *rest)
{
	char *out = mem_strdup(mem, text_at(at));

	*out = (char)toupper((unsigned char)*out);
	return cut_text(mem, &out, rest);
}

static const char *
marks_text(void *mem, const void *at, const char *rest)
{
	(void)rest;
	return marked_html(mem, text_at(at));
}

static const char *
code_text(void *mem, const void *at, const char *rest)
{
	struct buf b = BUF(mem);
	const char *text = text_at(at);

	view_lines(&b, text, strlen(text), !rest);
	return buf_done(&b);
}

static const struct format formats[] = {
	{ "took", K_INT, .text = took_text },
	{ "digits", K_INT, .text = int_digits_text },
	{ "digits", K_NUM, .text = num_digits_text },
	{ "figure", K_NUM, .text = figure_text },
	{ "url", K_STR, .text = url_text },
	{ "base", K_STR, .text = base_text },
	{ "capital", K_STR, .text = capital_text },
	{ "cut", K_STR, .text = cut_text },
	{ "less", K_STR, .text = less_text },
	{ "kib", K_INT, .text = kib_text },
	{ "count", K_INT, .text = int_count_text },
	{ "count", K_LIST, .text = list_count_text },
	{ "some", K_STRS, .text = some_text },
	{ "lines", K_STRS, .text = lines_text },
	{ "rows", K_STR, .text = rows_text },
	{ "day", K_TIME, .text = day_text },
	{ "date", K_TIME, .text = date_text },
	{ "money", K_INT, .text = money_text, .rest_field = true },
	{ "marks", K_STR, .text = marks_text, .html = true },
	{ "code", K_STR, .text = code_text, .html = true },
};

static const struct format *
format_find(const char *how, enum kind kind)
{
	size_t n = strcspn(how, " ");

	kind = kind <= K_WORD ? K_STR : kind == K_DATETIME ? K_TIME : kind;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strlen(formats[i].name) == n && memcmp(formats[i].name, how, n) == 0 &&
		    (formats[i].kind == kind || (formats[i].kind == K_LIST && kind == K_STRS)))
			return &formats[i];
	return NULL;
}

bool
format_fits(const char *how, const struct field *f)
{
	return format_find(how, f->kind) != NULL;
}

const char *
format_field(const char *how, const struct field *f)
{
	const struct format *format = format_find(how, f->kind);
	const char *rest = strchr(how, ' ');

	return format && format->rest_field && rest ? rest + 1 : NULL;
}

void
format_print(struct buf *b, const char *how, const struct field *f, const void *at)
{
	const struct format *format = format_find(how, f->kind);
	const char *rest = strchr(how, ' ');

	(format->html ? buf_str : buf_html)(b, format->text(b->owner, at, rest ? rest + 1 : NULL));
}
