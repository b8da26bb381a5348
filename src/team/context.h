/* SPDX-License-Identifier: Apache-2.0
 * Context files: markdown that a workspace’s agents read, one of which is the entry. Members and
 * agents read them, admins write them. Source: team/README.md. */
#ifndef VITRINE_CONTEXT_H
#define VITRINE_CONTEXT_H
#include "core/user.h"
#include "core/workspace.h"
#include "team/textfile.h"

#define CONTEXT_FILE(F, T) \
	F(T, STR,  name) \
	F(T, INT,  size_bytes) \
	F(T, TIME, updated_at) \
	F(T, OBJ,  updated_by, .flags = F_NUL, .sub = &ws_user_shape, \
		.doc = "null: their account has been deleted") \
	F(T, STR,  sha256,     .flags = F_HID)
SHAPE_DECLARE(context_file, CONTEXT_FILE);

#define CONTEXT(F, T) \
	F(T, STR,  entry, .flags = F_NUL, .doc = "The file to read first") \
	F(T, LIST, files, .sub = &context_file_shape)
SHAPE_DECLARE(context, CONTEXT);

#define CONTEXT_ENTRY(F, T) \
	F(T, STR, entry, .flags = F_REQ | F_NUL, .hi = TEXT_FILE_NAME, .eg = "\"README.md\"")
SHAPE_DECLARE(context_entry, CONTEXT_ENTRY);

#define CONTEXT_TEXT(F, T) \
	F(T, STR,  name) \
	F(T, STR,  content) \
	F(T, INT,  size_bytes) \
	F(T, TIME, updated_at) \
	F(T, OBJ,  updated_by, .flags = F_HID, .sub = &ws_user_shape) \
	F(T, STR,  sha256,     .flags = F_HID)
SHAPE_DECLARE(context_text, CONTEXT_TEXT);

enum err context_get(struct ctx *c, const struct workspace *, struct context **out);
/* NULL: none. E_INVALID when there is no such file. */
enum err context_enter(
    struct ctx *c, const struct workspace *, const struct principal *who, const char *entry);
/* E_NOT_FOUND. */
enum err context_read(struct ctx *c, const struct workspace *, const char *name,
    struct context_text **out);
/* old NULL: a new file. Fails as text_file_check() and text_file_room() do. */
enum err context_write(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct context_text *old, const char *name, struct bytes content);
/* If the file was the entry, there is none afterwards. */
enum err context_remove(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *name);
#endif
