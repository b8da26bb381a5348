/* SPDX-License-Identifier: Apache-2.0
 * Commands of the continuous backup (archive/README.md). */
#ifndef VITRINE_ADMIN_ARCHIVE_H
#define VITRINE_ADMIN_ARCHIVE_H
#include "admin/cmd.h"
#include "archive/scratch.h"

/* `restore --to …`: into the empty database and data_dir, or a folder for scratch. */
enum err archive_restore(struct cmd_call *);
/* Writes what an artifact has in a restored state to DIR/export: its live version's files, its
 * document, its tables as CSV, its blobs. id: or its slug. */
enum err artifact_export(struct ctx *c, const struct archive *, const struct scratch *,
    const char *id);
/* Checks rules of rows alone, as fsck does. Prints problems, and adds their number. */
enum err fsck_rows(struct cmd_call *, int64_t *problems);
/* E_CONFLICT unless the database of c has no tables, and its data_dir no objects. */
enum err restore_empty(struct ctx *c);
#endif
