/* SPDX-License-Identifier: Apache-2.0
 * Notes about a client: markdown files that the client never sees. Members read them, admins write
 * them. Source: interface, "External sharing"; sharing/README.md. */
#ifndef VITRINE_SHAREE_NOTE_H
#define VITRINE_SHAREE_NOTE_H
#include "core/artifact.h"
#include "core/user.h"
#include "core/workspace.h"
#include "team/textfile.h"

#define NOTE_TOUCHED(F, T) \
	F(T, TIME, updated_at) \
	F(T, OBJ,  updated_by, .flags = F_NUL, .sub = &ws_user_shape, \
		.doc = "null: their account has been deleted")

#define SHAREE_NOTE(F, T) \
	F(T, STR,  name) \
	F(T, INT,  size_bytes) \
	NOTE_TOUCHED(F, T)
SHAPE_DECLARE(sharee_note, SHAREE_NOTE);

#define SHAREE_NOTE_TEXT(F, T) \
	F(T, STR,  name) \
	F(T, STR,  content) \
	NOTE_TOUCHED(F, T) \
	F(T, STR,  sha256, .flags = F_HID)
SHAPE_DECLARE(sharee_note_text, SHAREE_NOTE_TEXT);

/* Each returns E_NOT_FOUND if the workspace has no such client. */

/* Sorted by name. *next is NULL on the last page. */
enum err sharee_note_list(struct ctx *c, const struct workspace *, const char *sharee_id,
    const struct page_query *, struct sharee_note_list *out, const char **next);
/* Also E_NOT_FOUND if there is no such note. */
enum err sharee_note_read(struct ctx *c, const struct workspace *, const char *sharee_id,
    const char *name, struct sharee_note_text **out);
/* Finds a note; *out is NULL if there is none. */
enum err sharee_note_find(struct ctx *c, const struct workspace *, const char *sharee_id,
    const char *name, struct sharee_note_text **out);
/* old NULL: a new note. Fails as text_file_check() and text_file_room() do. */
enum err sharee_note_write(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *sharee_id, const struct sharee_note_text *old, const char *name,
    struct bytes content);
enum err sharee_note_remove(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *sharee_id, const char *name);
#endif
