/* SPDX-License-Identifier: Apache-2.0
 * Has a table's file, which is a stranger's, read and drawn in a process apart (ext/apart.h). */
#ifndef VITRINE_TABLEREAD_H
#define VITRINE_TABLEREAD_H
#include "base/viewtable.h"
#include "ext/apart.h"

apart_file_work table_work;
/* The most of one reading, sorting included. */
#define TABLE_KIND { .file_work = table_work, .s = 20, .cpu_s = 10 }

enum table_want {
	TABLE_FIRST, /* the first page, without a side */
	TABLE_SIDE,  /* the side of asked->sort */
	TABLE_TEXT,  /* the file as UTF-8 */
	TABLE_PAGE
};
/* Adds the answer to out. asked->path must not be NULL. Fails as apart_run() does. */
enum err table_read(struct ctx *c, const struct apart_file *files, enum table_want,
    const struct table_asked *, struct buf *out);
#endif
