/* SPDX-License-Identifier: Apache-2.0
 * The list of entries: words, filters, counts, order, and parts. */
#include "base/str.h"
#include "catalog/entry_show.h"
#include "catalog/found.h"
#include "catalog/view.h"

/* ---- words ---- */

enum { FOUND_TITLE = 8, FOUND_TAG = 4, FOUND_PATH = 2, FOUND_TEXT = 1 };

struct query {
	const struct catalog_query *q;
	const char *words[CATALOG_WORDS];
	size_t n;
	bool best; /* sort by quality of the match */
};

/* Returns a score by the line that has the word: title, tags, path, or description. */
static int
word_score(const char *text, const char *word)
{
	static const int lines[] = { FOUND_TITLE, FOUND_TAG, FOUND_PATH, FOUND_TEXT };
	const char *at = strstr(text, word);
	size_t line = 0;

	if (!at)
		return 0;
	for (const char *s = text; s < at && line < 3; s++)
		line += *s == '\n';
	/* A match at the beginning of the title counts twice. */
	return lines[line] * (at == text ? 2 : 1);
}

static bool
words_match(const struct query *q, struct view_entry *e)
{
	e->score = 0;
	for (size_t i = 0; i < q->n; i++) {
		int score = word_score(e->words, q->words[i]);

		if (!score)
			return false;
		e->score += score;
	}
	return true;
}

/* ---- filters and counts ---- */

enum facet { BY_KIND, BY_DOMAIN, BY_STATUS, BY_TAG, FACETS };

static bool
tag_among(const char *tags, const struct strs *wanted)
{
	for (size_t i = 0; i < wanted->n; i++) {
		size_t n = strlen(wanted->v[i]);

		for (const char *s = tags; s; s = strchr(s, '\n'), s += s != NULL)
			if (strncmp(s, wanted->v[i], n) == 0 && (!s[n] || s[n] == '\n'))
				return true;
	}
	return false;
}

/* Returns a bit for each filter that the entry doesn't pass. */
static unsigned
filters_failed(const struct catalog_query *q, const struct view_entry *e)
{
	unsigned out = 0;

	if (q->kind.n && !strs_have(&q->kind, e->kind))
		out |= 1u << BY_KIND;
	if (q->domain.n && !(e->domain && strs_have(&q->domain, e->domain)))
		out |= 1u << BY_DOMAIN;
	if (q->status.n && !strs_have(&q->status, e->status))
		out |= 1u << BY_STATUS;
	if (q->tag.n && !tag_among(e->tags, &q->tag))
		out |= 1u << BY_TAG;
	return out;
}

/* Collects values, to count them at the end. */
struct values {
	void *owner;
	const char **v;
	size_t n, room;
};

static void
value_add(struct values *all, const char *value)
{
	if (all->n == all->room) {
		all->room = all->room ? 2 * all->room : 64;
		all->v = mem_grow(all->owner, all->v, all->room * sizeof *all->v);
	}
	all->v[all->n++] = value;
}

static void
values_add(struct values all[FACETS], unsigned failed, const struct view_entry *e)
{
	if (!(failed & ~(1u << BY_KIND)))
		value_add(&all[BY_KIND], e->kind);
	if (!(failed & ~(1u << BY_DOMAIN)) && e->domain)
		value_add(&all[BY_DOMAIN], e->domain);
	if (!(failed & ~(1u << BY_STATUS)))
		value_add(&all[BY_STATUS], e->status);
	if (failed & ~(1u << BY_TAG) || !*e->tags)
		return;
	for (char *rest = mem_strdup(all->owner, e->tags), *tag = str_split(&rest, '\n'); tag;
	    tag = str_split(&rest, '\n'))
		value_add(&all[BY_TAG], tag);
}

static int
by_count(const void *a, const void *b)
{
	const struct catalog_value *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
				    : strcmp(x->value, y->value);
}

static struct list
values_counted(struct values *all)
{
	struct catalog_value *out = mem_array(all->owner, struct catalog_value, all->n + 1);
	size_t n = 0;

	if (all->n)
		qsort(all->v, all->n, sizeof *all->v, str_order);
	for (size_t i = 0; i < all->n; i++) {
		if (!n || !str_eq(out[n - 1].value, all->v[i]))
			out[n++] = (struct catalog_value){ .value = all->v[i] };
		out[n - 1].count++;
	}
	if (n)
		qsort(out, n, sizeof *out, by_count);
	return (struct list){ out, n < CATALOG_VALUES ? n : CATALOG_VALUES };
}

/* Counts all words, in their order, including those with no entries. */
static struct list
words_counted(struct values *all, const char *words)
{
	char *rest = mem_strdup(all->owner, words);
	struct catalog_value *out = mem_array(all->owner, struct catalog_value, strlen(words) + 1);
	size_t n = 0;

	for (char *word = str_split(&rest, '|'); word; word = str_split(&rest, '|')) {
		out[n] = (struct catalog_value){ .value = word };
		for (size_t i = 0; i < all->n; i++)
			out[n].count += str_eq(all->v[i], word);
		n++;
	}
	return (struct list){ out, n };
}

/* ---- order ---- */

static int
by_change(const void *a, const void *b)
{
	const struct view_entry *x = *(struct view_entry *const *)a,
				*y = *(struct view_entry *const *)b;

	return x->updated_at != y->updated_at
	    ? (x->updated_at < y->updated_at) - (x->updated_at > y->updated_at)
	    : strcmp(x->id, y->id);
}

static int
by_use(const void *a, const void *b)
{
	const struct view_entry *x = *(struct view_entry *const *)a,
				*y = *(struct view_entry *const *)b;

	return x->used_by != y->used_by ? (x->used_by < y->used_by) - (x->used_by > y->used_by)
					: by_change(a, b);
}

static int
by_score(const void *a, const void *b)
{
	const struct view_entry *x = *(struct view_entry *const *)a,
				*y = *(struct view_entry *const *)b;

	return x->score != y->score ? (x->score < y->score) - (x->score > y->score)
				    : by_change(a, b);
}

static enum err
uses_count(struct ctx *c, const struct workspace *w, const struct view *view, const char *ids)
{
	struct view_link *links;
	size_t n;

	TRY(view_links(c, w, view, ids, &links, &n));
	for (size_t i = 0; i < n; i++)
		links[i].earlier->used_by++;
	return E_OK;
}

/* ---- a part of the list ---- */

struct found {
	struct view view;
	struct view_entry **v; /* sorted */
	size_t n;
};

static enum err
part_read(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct query *q, const struct found *f, struct catalog *out)
{
	bool counted = str_eq(q->q->sort, "used");
	struct catalog_entry_list entries;
	struct catalog_entry *part;
	const char **ids, *some;
	size_t from, n;

	for (from = 0; q->q->cursor && from < f->n && !str_eq(f->v[from]->id, q->q->cursor);)
		from++;
	from += q->q->cursor != NULL;
	if (from > f->n)
		return fail_cursor(c);
	n = f->n - from < (size_t)q->q->limit ? f->n - from : (size_t)q->q->limit;
	out->next_cursor = from + n < f->n ? f->v[from + n - 1]->id : NULL;
	ids = mem_array(c->mem, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		ids[i] = f->v[from + i]->id;
	some = ids_json(c, ids, n);
	TRY(entries_of(c, w, who, &f->view.access, some, &entries));
	if (!counted)
		TRY(uses_count(c, w, &f->view, some));
	part = mem_array(c->mem, struct catalog_entry, n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct catalog_entry *e = entry_among(&entries, ids[i]);

		/* An entry deleted meanwhile is left out. */
		if (!e)
			continue;
		part[out->entries.n] = *e;
		part[out->entries.n++].used_by = f->v[from + i]->used_by;
	}
	out->entries.v = part;
	return E_OK;
}

static void
entries_choose(struct ctx *c, const struct query *q, struct found *f, struct catalog *out)
{
	struct catalog_facets *facets = mem_new(c->mem, struct catalog_facets);
	struct values values[FACETS];

	for (int i = 0; i < FACETS; i++)
		values[i] = (struct values){ .owner = c->mem };
	f->v = mem_array(c->mem, struct view_entry *, f->view.entries.n + 1);
	for (size_t i = 0; i < f->view.entries.n; i++) {
		struct view_entry *e = &f->view.entries.v[i];
		unsigned failed;

		if (!words_match(q, e))
			continue;
		failed = filters_failed(q->q, e);
		values_add(values, failed, e);
		if (!failed)
			f->v[f->n++] = e;
	}
	*facets = (struct catalog_facets){ .kind = words_counted(&values[BY_KIND], CATALOG_KINDS),
		.domain = values_counted(&values[BY_DOMAIN]),
		.status = words_counted(&values[BY_STATUS], CATALOG_STATUSES),
		.tag = values_counted(&values[BY_TAG]) };
	out->facets = facets;
	out->total = (int64_t)f->n;
}

enum err
catalog_list(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct catalog_query *in, struct catalog **out)
{
	struct query q = { .q = in };
	struct found f = { .n = 0 };

	q.n = catalog_query_words(c->mem, in->q, q.words);
	q.best = q.n && (!in->sort || str_eq(in->sort, "best"));
	*out = mem_new(c->mem, struct catalog);
	(*out)->facets = mem_new(c->mem, struct catalog_facets);
	TRY(catalog_is_on(c, w, &(*out)->enabled));
	if (!(*out)->enabled)
		return E_OK;
	TRY(view_read(c, w, who, q.n > 0, NULL, 0, &f.view));
	entries_choose(c, &q, &f, *out);
	if (str_eq(in->sort, "used"))
		TRY(uses_count(c, w, &f.view, NULL));
	if (f.n)
		qsort(f.v, f.n, sizeof *f.v,
		    q.best ? by_score : str_eq(in->sort, "used") ? by_use : by_change);
	return part_read(c, w, who, &q, &f, *out);
}
