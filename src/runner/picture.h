/* SPDX-License-Identifier: Apache-2.0
 * Opens pages that are due: to say what is seen of them (site/seen.h), and to take pictures of
 * public ones for their cards (site/picture.h). Also makes previews of library files (preview.h). A
 * machine does one at a time, a limited number a minute. Where rooms (ext/room.h) can't be made, no
 * page is opened and cards are drawn. */
#ifndef VITRINE_JOBS_PICTURE_H
#define VITRINE_JOBS_PICTURE_H
#include "base/ctx.h"

/* Works until nothing is due, or the minute's number is reached. A page without a picture is no
 * failure. */
enum err pictures_run(const struct conf *conf, struct db *db);
#endif
