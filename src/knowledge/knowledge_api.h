/* SPDX-License-Identifier: Apache-2.0
 * What routes and pages of notes read of a request. */
#ifndef VITRINE_KNOWLEDGE_API_H
#define VITRINE_KNOWLEDGE_API_H
#include "http/req.h"
#include "knowledge/note.h"

/* {+note}. E_INVALID where it breaks publish's rules, and for a slash that was sent encoded, which
 * is not the same as one between two names. */
enum err note_asked(struct req *, const char **path);
/* The note of that path. E_NOT_FOUND where there is none that the caller may read. */
enum err note_here(struct req *, struct note **out);
#endif
