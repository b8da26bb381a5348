/* SPDX-License-Identifier: Apache-2.0
 * The workspace's switch for learning and its figures. If it is off, or the plan lacks
 * knowledge, notes can still be read and written; only learning stops. */
#ifndef VITRINE_KNOWLEDGE_H
#define VITRINE_KNOWLEDGE_H
#include "knowledge/note.h"

#define KNOWLEDGE_SETTINGS(F, T) \
	F(T, BOOL, enabled,   .doc = "The workspace's pages are learned") \
	F(T, BOOL, summaries, .doc = "A language model writes a summary of each") \
	F(T, STR,  model,     .flags = F_NUL, \
		.doc = "The language model; null: the service has none, so nothing is summarized")
SHAPE_DECLARE(knowledge_settings, KNOWLEDGE_SETTINGS);

#define KNOWLEDGE_COUNTS(F, T) \
	F(T, INT, notes) \
	F(T, INT, learned) \
	F(T, INT, human) \
	F(T, INT, queued,    .doc = "Pages that wait to be learned") \
	F(T, INT, failed,    .doc = "Pages that could not be learned") \
	F(T, INT, forgotten, .doc = "Pages that are not learned again until somebody asks for them")
SHAPE_DECLARE(knowledge_counts, KNOWLEDGE_COUNTS);

#define KNOWLEDGE(F, T) \
	F(T, OBJ, settings, .sub = &knowledge_settings_shape) \
	F(T, OBJ, counts,   .sub = &knowledge_counts_shape, \
		.doc = "Of what you may read, and of pages that you may open")
SHAPE_DECLARE(knowledge, KNOWLEDGE);

#define KNOWLEDGE_SWITCH(F, T) \
	F(T, BOOL, enabled,   .flags = F_REQ, .eg = "true") \
	F(T, BOOL, summaries, .doc = "Omitted: as it is")
SHAPE_DECLARE(knowledge_switch, KNOWLEDGE_SWITCH);

enum err knowledge_settings(
    struct ctx *c, const struct workspace *, struct knowledge_settings **out);
enum err knowledge_get(struct ctx *c, const struct workspace *, const struct principal *who,
    struct knowledge **out);
/* Changes the switch. E_TIER_REQUIRED: switched on without the plan. E_CONFLICT: summaries
 * without a language model. */
enum err knowledge_set(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct knowledge_switch *);
/* Deletes a note. With `forget`, its page is not learned again. */
enum err knowledge_remove(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct note *, bool forget);
/* E_TIER_REQUIRED: the plan lacks knowledge. E_CONFLICT: learning is off. */
enum err knowledge_learns(struct ctx *c, const struct workspace *);
#endif
