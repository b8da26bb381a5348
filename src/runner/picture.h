/* SPDX-License-Identifier: Apache-2.0
 * Opens the pages that are due, to say what goes wrong (site/pagecheck.h) and for pictures of
 * public ones (site/picture.h), and makes those of what is in libraries (preview.h): one at a time
 * on a machine, so many a minute at most. Where no program can be locked up (ext/room.h) none is
 * opened, and cards are drawn. */
#ifndef VITRINE_JOBS_PICTURE_H
#define VITRINE_JOBS_PICTURE_H
#include "base/ctx.h"

/* Until none is due, or its minute is full. A page that can't be pictured is no failure. */
enum err pictures_run(const struct conf *conf, struct db *db);
#endif
