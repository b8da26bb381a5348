/* SPDX-License-Identifier: Apache-2.0
 * The objects of a backup: each is a piece objects/ab/<digest>. */
#ifndef VITRINE_ARCHIVE_OBJECTS_H
#define VITRINE_ARCHIVE_OBJECTS_H
#include "archive/piece.h"

/* Copies the objects that the backup lacks. Reads only those folders of objects/ that have changed
 * since they were last read. Records in data_dir/archive when it began; the sweeper keeps all
 * younger objects (store/sweep.c), so none goes before it was copied. Begins no folder after
 * until_ms (clock_ms()): then *more is true, and the next such call goes on there. more NULL:
 * copies all. The caller holds archive_lock(). */
enum err objects_copy(struct ctx *c, const struct archive *, int64_t until_ms, int64_t *copied,
    bool *more);
/* Forgets what was copied: the next call reads all folders. */
enum err objects_anew(struct ctx *c);
/* Writes an object of the backup into the store of c, if that lacks it. E_CONFLICT or E_NOT_FOUND,
 * naming it, if the backup's is damaged or missing. */
enum err object_fetch(struct ctx *c, const struct archive *, const char *hex);
/* Reads an object of the backup and compares its digest; `to` gets its bytes, -1: nothing does. */
enum err object_prove(struct ctx *c, const struct archive *, const char *hex, int to);
/* Deletes from the backup what had gone from the store before `second`: notes what is gone now, and
 * since when. The caller holds archive_lock(). */
enum err objects_expire(struct ctx *c, const struct archive *, int64_t second);
#endif
