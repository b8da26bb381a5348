/* SPDX-License-Identifier: Apache-2.0
 * Reads what esbuild says of an app (site/app.h): its mistakes, and what its page loads. */
#ifndef VITRINE_APPSAID_H
#define VITRINE_APPSAID_H
#include "base/shape.h"

/* Parts that are missing are NULL. */
struct built {
	const char *log, *js, *css, *meta;
	size_t log_n, js_n, css_n, meta_n;
};
struct app_said {
	struct strs libraries; /* by their specifiers */
	struct strs hosts;     /* origins of other hosts' modules */
};

/* parcel: its sources. Fails as app_draw() does if there are mistakes. */
enum err app_said(
    struct ctx *c, const struct built *, const struct buf *parcel, struct app_said *out);
#endif
