/* SPDX-License-Identifier: Apache-2.0
 * Makes the pictures of public pages that are due (site/picture.h), one at a time on a machine,
 * so many a minute at most. Where no browser can be locked up (ext/browser.h) none is made, and
 * cards are drawn. */
#ifndef VITRINE_JOBS_PICTURE_H
#define VITRINE_JOBS_PICTURE_H
#include "base/ctx.h"

/* Until none is due, or its minute is full. A page that can't be pictured is no failure. */
enum err pictures_run(const struct conf *conf, struct db *db);
#endif
