/* SPDX-License-Identifier: Apache-2.0
 * Request parameters that routes and pages of notes share. */
#ifndef VITRINE_KNOWLEDGE_API_H
#define VITRINE_KNOWLEDGE_API_H
#include "http/req.h"
#include "knowledge/note.h"

/* Returns the path {+note}. E_INVALID: it breaks the rules of published paths, or has an encoded
 * slash, which differs from a slash between names. */
enum err note_asked(struct req *, const char **path);
/* Returns the note at that path. E_NOT_FOUND: none that the caller may read. */
enum err note_here(struct req *, struct note **out);
#endif
