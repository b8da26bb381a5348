/* SPDX-License-Identifier: Apache-2.0
 * Pages of our own: templates in src/http/pages/<name>.html, compiled in and filled from the struct
 * of a shape. The tags are a subset of mustache's:
 *
 *  {{name}}             the value, escaped
 *  {{#name}}…{{/name}}  once when the value is set (text not empty, number not 0, true),
 *                       or once for each item of a list
 *  {{^name}}…{{/name}}  once when it is not set
 *
 * No tag writes a value without escaping it. Templates have values in text and in quoted attributes
 * only, and no script. */
#ifndef VITRINE_PAGE_H
#define VITRINE_PAGE_H
#include "base/shape.h"

struct conf;

#define PAGE_ERROR(F, T) \
	F(T, STR, title) \
	F(T, STR, message) \
	F(T, STR, home, .doc = "Where to go on, or NULL") \
	F(T, STR, signin) \
	F(T, STR, report, .doc = "Where to report what a page does")
SHAPE_DECLARE(page_error, PAGE_ERROR);

const char *page_render(void *owner, const char *name, const struct shape *, const void *value);
/* Checks a template: NULL when every tag names a field of the shape and every section is closed,
 * else what is wrong. */
const char *page_wrong(void *owner, const char *name, const struct shape *);
/* The Content-Security-Policy of every page. It lets forms lead to our own hosts only. */
const char *page_csp(const struct conf *);
#endif
