/* SPDX-License-Identifier: Apache-2.0
 * A note's text as pages show it: Markdown whose links lead to pages. */
#ifndef VITRINE_NOTELOOK_H
#define VITRINE_NOTELOOK_H
#include "core/workspace.h"
#include "knowledge/note.h"

const char *note_shown(struct ctx *c, const char *content); /* without its front matter */
/* Links lead to the notes that its reader may see. */
const char *note_linked(struct ctx *c, const struct workspace *, const struct note *);
/* Of a text that isn't saved. Links lead to the path of the note, whether it exists or not, because
 * saving looks them up. */
const char *note_preview(struct ctx *c, const struct workspace *, const char *typed);
#endif
