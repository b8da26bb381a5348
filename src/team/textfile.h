/* SPDX-License-Identifier: Apache-2.0
 * Rules for every named markdown text of a workspace: its context files (context.h) and notes about
 * clients (sharing/sharee_note.h). */
#ifndef VITRINE_TEXTFILE_H
#define VITRINE_TEXTFILE_H
#include "base/crypto.h"
#include "db/db.h"

enum { TEXT_FILE_BYTES = 256 << 10, TEXT_FILES = 100 /* of a workspace or a
						      * client */, TEXT_FILE_NAME = 100 };

/* The form of a name: a letter or digit, then those and ".", "_", "-", at most TEXT_FILE_NAME. */
bool text_file_name_valid(const char *name);
/* E_INVALID, naming the field, for any other. */
enum err text_file_name_check(struct ctx *c, const char *field, const char *name);
/* Makes the digest. E_INVALID if it isn't UTF-8, E_FILE_TOO_LARGE. Drops a byte order mark; UTF-16
 * with one becomes UTF-8. */
enum err text_file_check(struct ctx *c, struct bytes *content, uint8_t sha256[SHA256_BYTES]);
/* E_LIMIT_REACHED if there are TEXT_FILES already. of: "The context", "The client". */
enum err text_file_room(struct ctx *c, const char *of, int64_t there);
#endif
