/* SPDX-License-Identifier: Apache-2.0
 * Pages of our own: mustache templates ({{name}} escaped, {{#name}}…{{/name}} when set, {{^name}}…{{/name}} when not) without any tag for raw output,
 * so what comes out is escaped by construction. No script; one style sheet, allowed by its digest. */
#ifndef VITRINE_PAGE_H
#define VITRINE_PAGE_H
#include "base/shape.h"

const char *page_render(void *owner, const char *name, const struct pair *values, size_t n);
const char *page_csp(void); /* the Content-Security-Policy that goes with every page */
#endif
