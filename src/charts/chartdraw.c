/* SPDX-License-Identifier: Apache-2.0
 * Draws a chart as SVG: axes, marks, legend. No script, nothing from outside. */
#include "base/str.h"
#include "charts/chart.h"

#include <math.h>

enum { LEFT = 64, RIGHT = 16, TOP = 16, BOTTOM = 32, LINE = 20, CHAR = 7, LABEL_ROOM = 76,
	LABEL_CHARS = 12, NAME_CHARS = 24, TICKS = 5 };

struct drawing {
	struct ctx *c;
	struct buf b;
	const struct chart *ch;
	const struct chart_data *data;
	const struct chart_points *p;
	double w, h, top;       /* of the image; top: of the plot, below the legend */
	double low, high, step; /* of the axis of values */
	double x_low, x_high;   /* of a scatter's other axis */
};

/* Colours of the series differ in lightness, too. */
static const char *const light[CHART_SERIES] = { "#1d4ed8", "#d97706", "#047857", "#be123c",
	"#7c3aed", "#0891b2", "#a16207", "#4d7c0f", "#c026d3", "#9a3412", "#0f766e", "#64748b" };
static const char *const dark[CHART_SERIES] = { "#7aa2ff", "#fbbf24", "#34d399", "#fb7185",
	"#b79cff", "#22d3ee", "#e3c267", "#a3e635", "#f0abfc", "#fdba74", "#5eead4", "#a3afc0" };

/* Adds a text. Control characters, which XML lacks, become spaces. */
static void
text_add(struct buf *b, const char *text)
{
	char *plain = mem_strdup(b->owner, text);

	for (char *p = plain; *p; p++) {
		if ((unsigned char)*p < ' ')
			*p = ' ';
		/* U+FFFE and U+FFFF. */
		if (str_starts(p, "\xef\xbf\xbe") || str_starts(p, "\xef\xbf\xbf"))
			p[0] = p[1] = p[2] = '?';
	}
	buf_html(b, plain);
}

static void
words_add(struct drawing *d, double x, double y, const char *anchor, const char *words,
    size_t chars)
{
	buf_fmt(&d->b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	text_add(&d->b, str_chars(words) > chars
		? mem_printf(d->c->mem, "%s…", str_cut(d->c->mem, words, chars - 1))
		: words);
	buf_str(&d->b, "</text>");
}

static void
colours_add(struct buf *b, const char *const *of, const char *ink, const char *rule)
{
	buf_fmt(b, "text{fill:%s}.axis{stroke:%s}.limit{stroke:%s}", ink, rule, ink);
	for (size_t i = 0; i < CHART_SERIES; i++)
		buf_fmt(b, ".s%zu{color:%s}", i, of[i]);
}

static void
head_add(struct drawing *d, const char *theme)
{
	buf_fmt(&d->b,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"t d\" "
	    "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\"><title id=\"t\">",
	    d->w, d->h, d->w, d->h);
	text_add(&d->b, d->ch->name);
	buf_str(&d->b, "</title><desc id=\"d\">");
	text_add(&d->b, d->data->description);
	buf_str(&d->b, "</desc><style>text{font:12px system-ui,sans-serif}.big{font-size:40px}");
	if (!str_eq(theme, "dark"))
		colours_add(&d->b, light, "#334155", "#cbd5e1");
	if (!theme)
		buf_str(&d->b, "@media (prefers-color-scheme:dark){");
	if (!str_eq(theme, "light"))
		colours_add(&d->b, dark, "#cbd5e1", "#475569");
	if (!theme)
		buf_chr(&d->b, '}');
	buf_str(&d->b, "</style>");
}

/* ---- axes ---- */

static double
nice_step(double range)
{
	double ten, part;

	if (!(range > 0) || !isfinite(range))
		return 1;
	ten = pow(10, floor(log10(range / (TICKS - 1))));
	part = range / (TICKS - 1) / ten;
	return ten * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static bool
from_zero(const struct chart *ch)
{
	return str_in(ch->kind, "bar|stacked|area|histogram");
}

static void
span_widen(double *low, double *high, double v)
{
	if (isnan(v))
		return;
	*low = v < *low ? v : *low;
	*high = v > *high ? v : *high;
}

/* Stacked values add up, those below 0 downward. */
static void
stack_span(struct drawing *d)
{
	for (size_t i = 0; i < d->p->n; i++) {
		double up = 0, down = 0;

		for (size_t s = 0; s < d->p->series_n; s++) {
			double v = d->p->v[s][i];

			up += v > 0 ? v : 0;
			down += v < 0 ? v : 0;
		}
		span_widen(&d->low, &d->high, up);
		span_widen(&d->low, &d->high, down);
	}
}

static void
values_span(struct drawing *d)
{
	const bool scatter = str_eq(d->ch->kind, "scatter");

	d->low = d->x_low = from_zero(d->ch) ? 0 : INFINITY;
	d->high = d->x_high = from_zero(d->ch) ? 0 : -INFINITY;
	if (str_eq(d->ch->kind, "stacked"))
		stack_span(d);
	for (size_t s = scatter; s < d->p->series_n; s++)
		for (size_t i = 0; i < d->p->n; i++)
			span_widen(&d->low, &d->high, d->p->v[s][i]);
	for (size_t i = 0; scatter && i < d->p->n; i++)
		span_widen(&d->x_low, &d->x_high, d->p->v[0][i]);
	if (d->data->threshold)
		span_widen(&d->low, &d->high,
		    ((const struct chart_threshold *)d->data->threshold)->value);
	if (!(d->low <= d->high))
		d->low = d->high = 0;
	d->step = nice_step(d->high - d->low);
	d->low = floor(d->low / d->step) * d->step;
	d->high = ceil(d->high / d->step) * d->step;
	if (!(d->high > d->low))
		d->high = d->low + d->step;
}

static double
y_of(const struct drawing *d, double v)
{
	double tall = d->h - BOTTOM - d->top;

	return d->top + tall * (1 - (v - d->low) / (d->high - d->low));
}

static double
band(const struct drawing *d)
{
	return (d->w - LEFT - RIGHT) / (double)(d->p->n ? d->p->n : 1);
}

static double
x_of(const struct drawing *d, size_t i)
{
	return LEFT + band(d) * ((double)i + 0.5);
}

static void
axes_add(struct drawing *d)
{
	size_t each = (size_t)ceil(LABEL_ROOM / band(d));

	for (int t = 0; t <= 2 * TICKS; t++) {
		double v = d->low + t * d->step;

		if (v > d->high + d->step / 2)
			break;
		buf_fmt(&d->b,
		    "<line class=\"axis\" x1=\"%d\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT,
		    d->w - RIGHT, y_of(d, v), y_of(d, v));
		words_add(d, LEFT - 8, y_of(d, v) + 4, "end", str_figure(d->c->mem, v), 10);
	}
	if (str_eq(d->ch->kind, "scatter")) {
		words_add(d, LEFT, d->h - 10, "start", str_figure(d->c->mem, d->x_low), 14);
		words_add(d, (d->w + LEFT) / 2, d->h - 10, "middle", d->p->names[0], 40);
		words_add(d, d->w - RIGHT, d->h - 10, "end", str_figure(d->c->mem, d->x_high), 14);
		return;
	}
	for (size_t i = 0; i < d->p->n; i += each ? each : 1)
		words_add(d, x_of(d, i), d->h - 10, "middle", d->p->labels[i], LABEL_CHARS);
}

/* Sets d->top, where the plot begins. */
static void
legend_add(struct drawing *d)
{
	double x = LEFT, y = TOP;

	d->top = TOP;
	if (d->p->series_n < 2 || str_eq(d->ch->kind, "scatter"))
		return;
	for (size_t s = 0; s < d->p->series_n; s++) {
		const size_t chars = str_chars(d->p->names[s]);
		const double wide = 28 + CHAR * (double)(chars < NAME_CHARS ? chars : NAME_CHARS);

		if (x + wide > d->w - RIGHT && x > LEFT) {
			x = LEFT;
			y += LINE;
		}
		buf_fmt(&d->b,
		    "<rect class=\"s%zu\" fill=\"currentColor\" x=\"%.1f\" y=\"%.1f\" "
		    "width=\"10\" height=\"10\" rx=\"2\"/>",
		    s, x, y - 9);
		words_add(d, x + 15, y, "start", d->p->names[s], NAME_CHARS);
		x += wide;
	}
	d->top = y + LINE;
}

/* ---- marks ---- */

static void
tip_add(struct drawing *d, size_t s, size_t i)
{
	buf_str(&d->b, "<title>");
	text_add(&d->b,
	    mem_printf(d->c->mem, "%s: %s (%s)", d->p->labels[i],
		chart_value_shown(d->c, d->p->texts[s][i]), d->p->names[s]));
	buf_str(&d->b, "</title>");
}

static void
bar_add(struct drawing *d, size_t s, size_t i, double x, double wide, double from, double to)
{
	double a = y_of(d, from > to ? from : to), z = y_of(d, from > to ? to : from);

	buf_fmt(&d->b,
	    "<rect class=\"s%zu\" fill=\"currentColor\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
	    "height=\"%.1f\">",
	    s, x, a, wide, z - a < 1 && from != to ? 1 : z - a);
	tip_add(d, s, i);
	buf_str(&d->b, "</rect>");
}

static void
bars_add(struct drawing *d)
{
	const bool stacked = str_eq(d->ch->kind, "stacked");
	const double wide = band(d) * (str_eq(d->ch->kind, "histogram") ? 0.96 : 0.76);
	const double each = stacked || !d->p->series_n ? wide : wide / (double)d->p->series_n;

	for (size_t i = 0; i < d->p->n; i++) {
		double up = 0, down = 0, x = x_of(d, i) - wide / 2;

		for (size_t s = 0; s < d->p->series_n; s++) {
			double v = d->p->v[s][i], *from = v < 0 ? &down : &up;

			if (!isnan(v) && stacked)
				bar_add(d, s, i, x, each, *from, *from + v);
			else if (!isnan(v))
				bar_add(d, s, i, x + each * (double)s, each, 0, v);
			*from += isnan(v) ? 0 : v;
		}
	}
}

/* Draws a line, with gaps where there is no value, and circles if there are few values. */
static void
line_draw(struct drawing *d, size_t s)
{
	enum { DOTS_MOST = 60 };
	bool on = false;

	buf_fmt(&d->b,
	    "<path class=\"s%zu\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" d=\"",
	    s);
	for (size_t i = 0; i < d->p->n; i++) {
		double v = d->p->v[s][i];

		if (!isnan(v))
			buf_fmt(&d->b, "%c%.1f %.1f", on ? 'L' : 'M', x_of(d, i), y_of(d, v));
		on = !isnan(v);
	}
	buf_str(&d->b, "\"/>");
	for (size_t i = 0; i < d->p->n && d->p->n <= DOTS_MOST; i++) {
		if (isnan(d->p->v[s][i]))
			continue;
		buf_fmt(&d->b,
		    "<circle class=\"s%zu\" fill=\"currentColor\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\">",
		    s, x_of(d, i), y_of(d, d->p->v[s][i]));
		tip_add(d, s, i);
		buf_str(&d->b, "</circle>");
	}
}

static void
area_draw(struct drawing *d, size_t s)
{
	size_t i = 0, end;

	while (i < d->p->n) {
		if (isnan(d->p->v[s][i])) {
			i++;
			continue;
		}
		buf_fmt(&d->b,
		    "<path class=\"s%zu\" fill=\"currentColor\" fill-opacity=\".25\" "
		    "d=\"M%.1f %.1f", s, x_of(d, i), y_of(d, 0));
		for (end = i; end < d->p->n && !isnan(d->p->v[s][end]); end++)
			buf_fmt(
			    &d->b, "L%.1f %.1f", x_of(d, end), y_of(d, d->p->v[s][end]));
		buf_fmt(&d->b, "L%.1f %.1fZ\"/>", x_of(d, end - 1), y_of(d, 0));
		i = end;
	}
	line_draw(d, s);
}

static void
scatter_draw(struct drawing *d)
{
	const double range = d->x_high - d->x_low, wide = d->w - LEFT - RIGHT - 16;

	for (size_t i = 0; d->p->series_n == 2 && i < d->p->n; i++) {
		double x = d->p->v[0][i], y = d->p->v[1][i];

		if (isnan(x) || isnan(y))
			continue;
		buf_fmt(&d->b,
		    "<circle class=\"s0\" fill=\"currentColor\" fill-opacity=\".7\" cx=\"%.1f\" "
		    "cy=\"%.1f\" r=\"4\">",
		    LEFT + 8 + wide * (range > 0 ? (x - d->x_low) / range : 0.5), y_of(d, y));
		tip_add(d, 1, i);
		buf_str(&d->b, "</circle>");
	}
}

/* ---- kinds without axes ---- */

static void
number_draw(struct drawing *d)
{
	for (size_t s = 0; s < d->p->series_n; s++) {
		double y = d->h * ((double)s + 0.5) / (double)d->p->series_n;

		buf_fmt(&d->b, "<text class=\"big\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
		    d->w / 2, y);
		text_add(&d->b, chart_value_shown(d->c, d->p->texts[s][0]));
		buf_str(&d->b, "</text>");
		words_add(d, d->w / 2, y + LINE, "middle", d->p->names[s], 60);
	}
}

static void
table_draw(struct drawing *d)
{
	const double wide = (d->w - 2 * RIGHT) / (double)(d->p->series_n + 1);
	const size_t chars = (size_t)(wide / CHAR), rows = (size_t)(d->h / LINE) - 2;

	for (size_t s = 0; s < d->p->series_n; s++)
		words_add(d, d->w - RIGHT - wide * (double)(d->p->series_n - 1 - s), LINE, "end",
		    d->p->names[s], chars);
	for (size_t i = 0; i < d->p->n && i < rows; i++) {
		double y = LINE * (double)(i + 2);

		words_add(d, RIGHT, y, "start", d->p->labels[i], chars);
		for (size_t s = 0; s < d->p->series_n; s++)
			words_add(d, d->w - RIGHT - wide * (double)(d->p->series_n - 1 - s), y,
			    "end", chart_value_shown(d->c, d->p->texts[s][i]), chars);
	}
}

static void
plot_draw(struct drawing *d)
{
	const struct chart_threshold *t = d->data->threshold;
	const char *kind = d->ch->kind;

	legend_add(d);
	values_span(d);
	axes_add(d);
	if (str_in(kind, "bar|stacked|histogram"))
		bars_add(d);
	else if (str_eq(kind, "scatter"))
		scatter_draw(d);
	else
		for (size_t s = 0; s < d->p->series_n; s++)
			if (str_eq(kind, "area"))
				area_draw(d, s);
			else
				line_draw(d, s);
	if (!t)
		return;
	buf_fmt(&d->b,
	    "<line class=\"limit\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\" x1=\"%d\" "
	    "x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
	    LEFT, d->w - RIGHT, y_of(d, t->value), y_of(d, t->value));
	words_add(d, d->w - RIGHT, y_of(d, t->value) - 5, "end",
	    mem_printf(d->c->mem, "%s: %s", t->name, str_figure(d->c->mem, t->value)), 40);
}

const char *
chart_draw(struct ctx *c, const struct chart *ch, const struct chart_data *data,
    const struct chart_points *points, const char *theme, int width)
{
	struct drawing d = { .c = c, .b = BUF(c->mem), .ch = ch, .data = data, .p = points,
		.w = width, .h = width / 2 < 220 ? 220 : width / 2 > 480 ? 480 : width / 2 };

	head_add(&d, theme);
	if (!data->rows)
		words_add(&d, d.w / 2, d.h / 2, "middle", "There are no rows that you can see", 60);
	else if (str_eq(ch->kind, "number"))
		number_draw(&d);
	else if (str_eq(ch->kind, "table"))
		table_draw(&d);
	else
		plot_draw(&d);
	buf_str(&d.b, "</svg>");
	return buf_done(&d.b);
}
