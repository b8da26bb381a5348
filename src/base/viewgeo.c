/* SPDX-License-Identifier: Apache-2.0
 * The shapes of GeoJSON (RFC 7946) as SVG, without a map behind them. */
#include "base/json.h"
#include "base/str.h"
#include "base/viewdraw.h"

#include <math.h>

enum { WIDTH = 1000, MOST_HIGH = 1500, NESTED = 8, POINT = 5 };

struct shapes {
	struct buf *b;  /* NULL: only the bounds are looked for */
	double west, south, east, north; /* of all positions */
	double shrunk;  /* how much shorter a degree of longitude is than one of latitude */
	double scale;   /* pixels for a degree of latitude */
	size_t n;       /* number of positions */
};

/* ---- positions ---- */

static bool
position_read(const struct json *at, double *x, double *y)
{
	enum json_kind kx = json_kind(json_at(at, 0)), ky = json_kind(json_at(at, 1));

	if ((kx != J_NUM && kx != J_INT) || (ky != J_NUM && ky != J_INT))
		return false;
	*x = json_num(json_at(at, 0));
	*y = json_num(json_at(at, 1));
	return isfinite(*x) && isfinite(*y) && fabs(*x) < 1e9 && fabs(*y) < 1e9;
}

static void
bounds_widen(struct shapes *s, double x, double y)
{
	if (!s->n++) {
		s->west = s->east = x;
		s->south = s->north = y;
	}
	s->west = fmin(s->west, x);
	s->east = fmax(s->east, x);
	s->south = fmin(s->south, y);
	s->north = fmax(s->north, y);
}

static void
place_of(const struct shapes *s, double *x, double *y)
{
	*x = (*x - s->west) * s->shrunk * s->scale;
	*y = (s->north - *y) * s->scale;
}

/* ---- shapes ---- */

static void
point_put(struct shapes *s, const struct json *at)
{
	double x, y;

	if (!position_read(at, &x, &y))
		return;
	if (!s->b) {
		bounds_widen(s, x, y);
		return;
	}
	place_of(s, &x, &y);
	buf_fmt(s->b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/>", x, y, POINT);
}

/* Adds a line, or a ring, to a path that is begun. */
static void
line_put(struct shapes *s, const struct json *line, bool ring)
{
	bool begun = false;

	for (size_t i = 0; i < json_len(line); i++) {
		double x, y;

		if (!position_read(json_at(line, i), &x, &y))
			continue;
		if (!s->b) {
			bounds_widen(s, x, y);
			continue;
		}
		place_of(s, &x, &y);
		buf_fmt(s->b, "%c%.1f %.1f", begun ? 'L' : 'M', x, y);
		begun = true;
	}
	if (begun && ring)
		buf_chr(s->b, 'Z');
}

/* depth: how many arrays are around a line. */
static void
lines_put(struct shapes *s, const struct json *j, int depth, bool ring)
{
	if (!depth)
		line_put(s, j, ring);
	for (size_t i = 0; depth && i < json_len(j); i++)
		lines_put(s, json_at(j, i), depth - 1, ring);
}

static void
path_put(struct shapes *s, const struct json *j, int depth, bool ring)
{
	if (s->b)
		buf_fmt(s->b, "<path%s d=\"", ring ? "" : " class=\"line\"");
	lines_put(s, j, depth, ring);
	if (s->b)
		buf_str(s->b, "\"/>");
}

static void
geometry_put(struct shapes *s, const struct json *j, int nested)
{
	const char *type = json_word(j, "type");
	const struct json *at = json_get_as(j, "coordinates", J_ARR),
			  *all = json_get_as(j, "geometries", J_ARR);

	if (str_eq(type, "Point"))
		point_put(s, at);
	else if (str_eq(type, "LineString"))
		path_put(s, at, 0, false);
	else if (str_eq(type, "MultiLineString"))
		path_put(s, at, 1, false);
	else if (str_eq(type, "Polygon"))
		path_put(s, at, 1, true);
	else if (str_eq(type, "MultiPolygon"))
		path_put(s, at, 2, true);
	for (size_t i = 0; str_eq(type, "MultiPoint") && i < json_len(at); i++)
		point_put(s, json_at(at, i));
	for (size_t i = 0; nested < NESTED && i < json_len(all); i++)
		geometry_put(s, json_at(all, i), nested + 1);
}

/* Draws a feature as an SVG group, with its name as the tooltip. */
static void
feature_put(struct shapes *s, const struct json *feature)
{
	const struct json *facts = json_get_as(feature, "properties", J_OBJ);
	const char *name = json_word(facts, "name");

	name = name ? name : json_word(facts, "NAME");
	if (s->b) {
		buf_str(s->b, "<g>");
		if (name) {
			buf_str(s->b, "<title>");
			buf_html(s->b, str_cut(s->b->owner, name, VIEW_TITLE_CHARS));
			buf_str(s->b, "</title>");
		}
	}
	geometry_put(s, json_get_as(feature, "geometry", J_OBJ), 0);
	if (s->b)
		buf_str(s->b, "</g>\n");
}

static size_t
shapes_put(struct shapes *s, const struct json *j)
{
	const struct json *all = json_get_as(j, "features", J_ARR);

	if (str_eq(json_word(j, "type"), "Feature"))
		feature_put(s, j);
	else if (!all)
		geometry_put(s, j, 0);
	for (size_t i = 0; i < json_len(all); i++)
		feature_put(s, json_at(all, i));
	return all ? json_len(all) : 1;
}

bool
view_shapes(struct buf *b, const struct json *j)
{
	enum { MARGIN = 10 };
	struct shapes s = { .shrunk = 1 };
	double wide, high, middle;
	size_t features = shapes_put(&s, j);

	if (!s.n)
		return false;
	middle = (s.south + s.north) / 2;
	/* Degrees only if all numbers can be; else coordinates of a plane, which aren't shrunk. */
	if (fabs(s.south) <= 90 && fabs(s.north) <= 90 && s.east - s.west <= 360)
		s.shrunk = fmax(cos(middle * M_PI / 180), 0.1);
	wide = (s.east - s.west) * s.shrunk;
	high = s.north - s.south;
	s.scale = wide <= 0 && high <= 0
	    ? 1
	    : fmin(wide > 0 ? WIDTH / wide : INFINITY, high > 0 ? MOST_HIGH / high : INFINITY);
	wide *= s.scale;
	high *= s.scale;
	buf_fmt(b,
	    "<svg class=\"map\" role=\"img\" aria-label=\"%s\" viewBox=\"%d %d %.0f %.0f\">\n",
	    str_count(b->owner, (int64_t)features, "shape"), -MARGIN, -MARGIN, wide + 2 * MARGIN,
	    high + 2 * MARGIN);
	s.b = b;
	shapes_put(&s, j);
	buf_str(b, "</svg>\n");
	return true;
}
