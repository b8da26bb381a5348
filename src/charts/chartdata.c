/* SPDX-License-Identifier: Apache-2.0
 * The figures of a chart: one summary, or for a chart that is split two, of the groups alone (which
 * has also periods without rows) and of the groups by series. */
#include "base/num.h"
#include "base/str.h"
#include "charts/chart.h"
#include "data/decimal.h"
#include "data/summary.h"
#include "data/tableview.h"
#include "watch/alert.h"

#include <math.h>

/* Greater numbers are listed, not drawn: differences of them can be infinite. */
#define DRAWN_MOST 1e300
enum { PAIRS_MOST = 2 * CHART_POINTS, SERIES_FOUND = 1000, NAME_CHARS = 60 };

struct computing {
	struct ctx *c;
	const struct artifact *a;
	const struct principal *who;
	const struct chart *ch;
	const struct table_for *tf;
	bool *slow;
	struct chart_data *out;
	struct chart_points *p;
	const struct json *groups, *pairs;
	const char **keys; /* of the labels, as JSON */
};

/* ---- words ---- */

static const struct {
	const char *word, *label;
} figures[] = {
	{ "sum", "Sum of" },
	{ "avg", "Average of" },
	{ "min", "Least" },
	{ "max", "Greatest" },
	{ "median", "Median of" },
	{ "distinct", "Different values of" },
	{ "empty", "Rows without" },
};
enum { FIGURES = sizeof figures / sizeof *figures };

const char *
chart_measure_words(void *owner, const char *measure)
{
	const char *dot = strchr(measure, '.');

	for (size_t i = 0; dot && i < FIGURES; i++)
		if (strlen(figures[i].word) == (size_t)(dot - measure) &&
		    str_starts(measure, figures[i].word))
			return mem_printf(owner, "%s %s", figures[i].label, dot + 1);
	return "Rows";
}

const char *
chart_value_shown(struct ctx *c, const char *text)
{
	struct json *value;
	double v;

	if (!text)
		return "–";
	if (num_read(text, &v) && isfinite(v))
		return str_figure(c->mem, v);
	if (json_parse(c, text, strlen(text), &value) == E_OK && json_kind(value) == J_STR)
		return json_str(value);
	ctx_forgive(c);
	return text;
}

static const char *
key_label(struct ctx *c, const struct json *key)
{
	switch (json_kind(key)) {
	case J_NULL: return "No value";
	case J_BOOL: return json_true(key) ? "Yes" : "No";
	case J_STR: return *json_str(key) ? str_cut(c->mem, json_str(key), NAME_CHARS) : "Empty";
	case J_OBJ:
		return mem_printf(c->mem, "%s – %s", json_text(c->mem, json_get(key, "from")),
		    json_text(c->mem, json_get(key, "to")));
	default: return json_text(c->mem, key);
	}
}

/* ---- checks ---- */

static struct summary_asked
question_of(const struct chart *ch)
{
	return (struct summary_asked){ .asked = { .where = ch->where, .zone = ch->zone },
		.group = ch->group, .by = ch->by, .split = ch->split, .measure = ch->measure };
}

static size_t
measures_count(const char *measure)
{
	size_t n = 1;

	for (; *measure; measure++)
		n += *measure == ',';
	return n;
}

/* Only numbers can be drawn. */
static enum err
measures_drawn(struct ctx *c, const struct table_for *tf, const struct chart *ch)
{
	char *rest = mem_strdup(c->mem, ch->measure), *one;
	const struct data_column *col;

	if (str_in(ch->kind, "number|table"))
		return E_OK;
	while ((one = str_split(&rest, ','))) {
		col = strchr(one, '.') ? table_column(tf->t, strchr(one, '.') + 1) : NULL;
		if (col && (str_starts(one, "min.") || str_starts(one, "max.")) &&
		    !str_in(col->type, "number|integer"))
			return fail(c, E_INVALID,
			    "measure: %s isn't a number, so it can't be drawn as %s", one,
			    ch->kind);
	}
	return E_OK;
}

enum err
chart_check(struct ctx *c, const struct table_for *tf, const struct chart *ch)
{
	struct summary_asked asked = question_of(ch);
	const size_t n = measures_count(ch->measure);

	if (ch->bins)
		asked.bins = mem_printf(c->mem, "%lld", (long long)ch->bins);
	if (str_eq(ch->kind, "number") && ch->group)
		return fail(c, E_INVALID, "group: a chart of kind number has none");
	if (!str_eq(ch->kind, "number") && !ch->group)
		return fail(c, E_INVALID, "group: is required for a chart of kind %s", ch->kind);
	if (ch->bins && !str_eq(ch->kind, "histogram"))
		return fail(c, E_INVALID, "bins: are only for a chart of kind histogram");
	if (str_eq(ch->kind, "scatter") && n != 2)
		return fail(c, E_INVALID,
		    "measure: a chart of kind scatter has two measures, for both axes");
	if (ch->split && !str_in(ch->kind, "line|bar|stacked|area"))
		return fail(c, E_INVALID, "split: isn't for a chart of kind %s", ch->kind);
	if (ch->split && n != 1)
		return fail(c, E_INVALID, "measure: a chart that is split has one measure");
	TRY(measures_drawn(c, tf, ch));
	return summary_check(c, tf, &asked);
}

/* ---- asking ---- */

/* Asks for groups; *out is NULL if the answer would take long. */
static enum err
groups_ask(struct computing *k, const char *split, int64_t limit, struct summary *summary,
    const struct json **out)
{
	struct summary_asked asked = question_of(k->ch);
	struct json *tree;

	*out = NULL;
	asked.split = split;
	asked.limit = limit;
	if (k->ch->bins)
		asked.bins = mem_printf(k->c->mem, "%lld", (long long)k->ch->bins);
	TRY(tableview_use(k->c, k->tf, k->who, k->ch->view_id, &asked.asked, NULL, NULL));
	TRY(summary_make(k->c, k->tf, &asked, k->slow, summary));
	if (k->slow && *k->slow)
		return E_OK;
	TRY(json_parse(k->c, summary->groups, strlen(summary->groups), &tree));
	*out = tree;
	return E_OK;
}

/* ---- lines ---- */

static void
labels_make(struct computing *k)
{
	const size_t n = json_len(k->groups);

	k->p->n = k->ch->group ? n : 1;
	k->p->labels = mem_array(k->c->mem, const char *, n + 1);
	k->keys = mem_array(k->c->mem, const char *, n + 1);
	k->p->labels[0] = "All rows";
	for (size_t i = 0; k->ch->group && i < n; i++) {
		const struct json *key = json_at(json_get(json_at(k->groups, i), "key"), 0);

		k->keys[i] = json_text(k->c->mem, key);
		k->p->labels[i] = key_label(k->c, key);
	}
}

/* Adds a line with the values' texts. */
static void
line_add(struct computing *k, const char *name, const char *const *texts)
{
	struct chart_points *p = k->p;
	struct chart_line *line = k->out->series.v;
	struct buf b = BUF(k->c->mem);

	p->names[p->series_n] = name;
	p->texts[p->series_n] = mem_dup(k->c->mem, texts, (p->n + 1) * sizeof *texts);
	p->v[p->series_n] = mem_array(k->c->mem, double, p->n + 1);
	for (size_t i = 0; i < p->n; i++) {
		double v;

		buf_fmt(&b, "%c%s", i ? ',' : '[', texts[i] ? texts[i] : "null");
		p->v[p->series_n][i] =
		    texts[i] && num_read(texts[i], &v) && fabs(v) < DRAWN_MOST ? v : NAN;
	}
	buf_str(&b, p->n ? "]" : "[]");
	line[p->series_n++] = (struct chart_line){ .name = name, .values = buf_done(&b) };
	k->out->series.n = p->series_n;
}

static void
measures_add(struct computing *k)
{
	char *rest = mem_strdup(k->c->mem, k->ch->measure), *one;
	const char **texts = mem_array(k->c->mem, const char *, k->p->n + 1);

	for (size_t m = 0; (one = str_split(&rest, ',')) && m < SUMMARY_MEASURES; m++) {
		for (size_t i = 0; i < k->p->n; i++) {
			const struct json *value =
			    json_at(json_get(json_at(k->groups, i), "values"), m);

			texts[i] = json_kind(value) == J_NULL ? NULL : json_text(k->c->mem, value);
		}
		line_add(k, chart_measure_words(k->c->mem, one), texts);
	}
}

/* A value of the column by which the chart is split. */
struct part {
	const char *key, *name;
	double weight;
	const char **texts; /* by label */
	size_t place;
	bool shown;
};

static int
weight_order(const void *a, const void *b)
{
	const struct part *x = *(struct part *const *)a, *y = *(struct part *const *)b;

	return x->weight < y->weight ? 1
	    : x->weight > y->weight  ? -1
				     : (x->place > y->place) - (x->place < y->place);
}

static struct part *
part_find(struct computing *k, struct part *all, size_t *n, const struct json *key)
{
	const char *text = json_text(k->c->mem, key);

	for (size_t i = 0; i < *n; i++)
		if (str_eq(all[i].key, text))
			return &all[i];
	if (*n == SERIES_FOUND) {
		k->out->truncated = true;
		return NULL;
	}
	all[*n] = (struct part){ .key = text, .name = key_label(k->c, key), .place = *n,
		.texts = mem_array(k->c->mem, const char *, k->p->n + 1) };
	return &all[(*n)++];
}

/* Gives each part its values. Both lists are in the order of the labels. */
static void
parts_read(struct computing *k, struct part *all, size_t *n)
{
	size_t at = 0;

	for (size_t i = 0; i < json_len(k->pairs); i++) {
		const struct json *pair = json_at(k->pairs, i), *key = json_get(pair, "key");
		const struct json *value = json_at(json_get(pair, "values"), 0);
		const char *label = json_text(k->c->mem, json_at(key, 0));
		struct part *part;
		size_t to = at;
		while (to < k->p->n && !str_eq(k->keys[to], label))
			to++;
		if (to == k->p->n)
			continue;
		at = to;
		part = part_find(k, all, n, json_at(key, 1));
		if (!part)
			continue;
		if (json_kind(value) == J_INT || json_kind(value) == J_NUM)
			part->weight += fabs(json_num(value));
		if (json_kind(value) != J_NULL)
			part->texts[at] = json_text(k->c->mem, value);
	}
}

/* Adds up the parts that aren't shown, exactly. */
static void
others_add(struct computing *k, const struct part *all, size_t n)
{
	const char **texts = mem_array(k->c->mem, const char *, k->p->n + 1);
	struct cell_pairs number;
	struct bytes key;

	for (size_t i = 0; i < k->p->n; i++) {
		struct decimal_sum sum = { 0 };

		for (size_t s = 0; s < n; s++)
			if (!all[s].shown && all[s].texts[i] &&
			    cell_number(k->c->mem, all[s].texts[i], &key) &&
			    cell_pairs(key, &number))
				decimal_add(k->c->mem, &sum, &number);
		texts[i] = decimal_text(k->c->mem, &sum, 1);
	}
	line_add(k, "Others", texts);
}

static void
parts_add(struct computing *k)
{
	struct part *all = mem_array(k->c->mem, struct part, SERIES_FOUND);
	struct part **by_weight = mem_array(k->c->mem, struct part *, SERIES_FOUND);
	const char *measure = k->ch->measure;
	/* True if the values of two groups add up to that of both. */
	const bool adds = str_eq(measure, "count") || str_starts(measure, "sum.") ||
	    str_starts(measure, "empty.");
	size_t n = 0, most = k->p->n ? CHART_POINTS / k->p->n : CHART_SERIES;

	parts_read(k, all, &n);
	most = most < 2 ? 2 : most > CHART_SERIES ? CHART_SERIES : most;
	for (size_t i = 0; i < n; i++)
		by_weight[i] = &all[i];
	qsort(by_weight, n, sizeof *by_weight, weight_order);
	for (size_t i = 0; i < n && i < (n > most && adds ? most - 1 : most); i++)
		by_weight[i]->shown = true;
	for (size_t s = 0; s < n; s++) {
		for (size_t i = 0; adds && i < k->p->n; i++)
			if (!all[s].texts[i])
				all[s].texts[i] = "0";
		if (all[s].shown)
			line_add(k, all[s].name, all[s].texts);
	}
	if (n > most && adds)
		others_add(k, all, n);
	k->out->truncated |= n > most && !adds;
}

/* ---- the sentence ---- */

static void
describe(struct computing *k)
{
	const struct chart_points *p = k->p;
	double least = INFINITY, most = -INFINITY;
	size_t at = 0, of = 0;

	for (size_t s = 0; s < p->series_n; s++)
		for (size_t i = 0; i < p->n; i++) {
			double v = p->v[s][i];

			least = v < least ? v : least;
			if (v > most) {
				most = v;
				at = i;
				of = s;
			}
		}
	if (!k->out->rows)
		k->out->description = "There are no rows that you can see.";
	else if (!k->ch->group)
		k->out->description = mem_printf(k->c->mem, "%s: %s.", p->names[0],
		    chart_value_shown(k->c, p->texts[0][0]));
	else if (!(most >= least))
		k->out->description = mem_printf(k->c->mem, "%s, without numbers.",
		    str_count(k->c->mem, k->out->rows, "row"));
	else
		k->out->description = mem_printf(k->c->mem,
		    "%s to %s, from %s to %s. The most, %s, is at %s (%s).", p->labels[0],
		    p->labels[p->n - 1], str_figure(k->c->mem, least),
		    str_figure(k->c->mem, most), str_figure(k->c->mem, most), p->labels[at],
		    p->names[of]);
}

/* ---- the alert ---- */

/* An alert's value reveals something about all rows, so only people who see them all get the
 * line. */
static enum err
threshold_add(struct computing *k)
{
	struct chart_threshold *t;
	struct metric_alert *al;
	enum err e;

	if (!k->ch->alert_id || !k->who)
		return E_OK;
	e = alert_get(k->c, k->a, k->who, k->ch->alert_id, &al);
	if (e == E_NOT_FOUND)
		return ctx_forgive(k->c);
	TRY(e);
	t = mem_new(k->c->mem, struct chart_threshold);
	*t = (struct chart_threshold){ .name = al->name, .op = al->op, .value = al->value };
	k->out->threshold = t;
	return E_OK;
}

/* Turns E_INVALID into E_CONFLICT: the chart was made for other columns of the table. */
static enum err
conflict_if_invalid(struct computing *k, enum err e)
{
	const char *why;

	if (e != E_INVALID)
		return e;
	why = mem_strdup(k->c->mem, k->c->message);
	ctx_forgive(k->c);
	return fail(k->c, E_CONFLICT, "the chart %s doesn't fit the table %s any longer: %s",
	    k->ch->name, k->ch->table, why);
}

enum err
chart_compute(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct chart *ch, bool *slow, struct chart_data *out, struct chart_points *points)
{
	struct table_for tf;
	struct computing k = { .c = c, .a = a, .who = who, .ch = ch, .tf = &tf, .slow = slow,
		.out = out, .p = points };
	struct summary all = { 0 }, split = { 0 };
	const size_t measures = measures_count(ch->measure);

	*out = (struct chart_data){ .id = ch->id, .name = ch->name, .kind = ch->kind,
		.has.threshold = NULLED };
	*points = (struct chart_points){ 0 };
	out->series.v = mem_array(c->mem, struct chart_line, CHART_SERIES);
	TRY(table_get(c, a, who, ch->table, &tf));
	TRY(conflict_if_invalid(&k, chart_check(c, &tf, ch)));
	TRY(conflict_if_invalid(&k, groups_ask(&k, NULL,
	    CHART_POINTS / measures < SUMMARY_GROUPS ? (int64_t)(CHART_POINTS / measures)
						     : SUMMARY_GROUPS,
	    &all, &k.groups)));
	if (k.groups && ch->split)
		TRY(conflict_if_invalid(
		    &k, groups_ask(&k, ch->split, PAIRS_MOST, &split, &k.pairs)));
	if (slow && *slow)
		return E_OK;
	out->rows = all.rows;
	out->groups_total = all.groups_total;
	out->truncated = all.truncated || split.truncated;
	out->as_of = all.as_of;
	labels_make(&k);
	if (ch->split)
		parts_add(&k);
	else
		measures_add(&k);
	for (size_t i = 0; i < points->n; i++)
		strs_add(c->mem, &out->labels, points->labels[i]);
	describe(&k);
	TRY(threshold_add(&k));
	out->has.threshold = out->threshold ? GIVEN : NULLED;
	return E_OK;
}
