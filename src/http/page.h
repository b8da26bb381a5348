/* SPDX-License-Identifier: Apache-2.0
 * Pages of our own: templates in src/http/pages/<name>.html, compiled in, filled from a struct of a
 * shape. A subset of mustache: {{name}} escaped;
 * {{#name}}…{{/name}} when it is set (text not empty, number not 0, yes), or once for each item of
 * a list; {{^name}}…{{/name}} when it is not. There is no tag for raw output, so what comes out is
 * escaped by construction; values stand in text or in quoted attributes only. No script. */
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
/* NULL when every tag of the template names a field of the shape, else what is wrong. */
const char *page_wrong(void *owner, const char *name, const struct shape *);
/* The Content-Security-Policy of every page. Forms may lead to our own hosts only. */
const char *page_csp(const struct conf *);
#endif
