/* SPDX-License-Identifier: Apache-2.0
 * Makes the pictures that are due, of public pages (site/picture.h) and of what is in libraries
 * (preview.h), one at a time on a machine, so many a minute at most. Where no program can be locked
 * up (ext/room.h) none is made, and cards are drawn. */
#ifndef VITRINE_JOBS_PICTURE_H
#define VITRINE_JOBS_PICTURE_H
#include "base/ctx.h"

/* Until none is due, or its minute is full. A page that can't be pictured is no failure. */
enum err pictures_run(const struct conf *conf, struct db *db);
#endif
