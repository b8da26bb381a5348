/* SPDX-License-Identifier: Apache-2.0 */
#include "knowledge/knowledge.h"

#include "core/audit.h"
#include "ext/chat.h"
#include "knowledge/learning.h"

SHAPE_DEFINE(knowledge_settings, KNOWLEDGE_SETTINGS);
SHAPE_DEFINE(knowledge_counts, KNOWLEDGE_COUNTS);
SHAPE_DEFINE(knowledge, KNOWLEDGE);
SHAPE_DEFINE(knowledge_switch, KNOWLEDGE_SWITCH);

enum err
knowledge_settings(struct ctx *c, const struct workspace *w, struct knowledge_settings **out)
{
	TRY(db_one(c,
	    ROWS(knowledge_settings, "SELECT knowledge AS enabled, knowledge_summaries AS summaries"
				     " FROM workspace WHERE id = ?"),
	    ARGS(w->id), out));
	(*out)->model = chat_enabled(c) ? chat_model(c, NULL) : NULL;
	return E_OK;
}

enum err
knowledge_get(struct ctx *c, const struct workspace *w, const struct principal *who,
    struct knowledge **out)
{
	struct knowledge_settings *settings;
	struct learning_counts *pages;
	struct note_counts *notes;

	TRY(knowledge_settings(c, w, &settings));
	TRY(note_counts(c, w, who, &notes));
	TRY(learning_counts(c, w, who, &pages));
	*out = mem_new(c->mem, struct knowledge);
	(*out)->settings = settings;
	(*out)->counts = mem_new(c->mem, struct knowledge_counts);
	*(struct knowledge_counts *)(*out)->counts =
	    (struct knowledge_counts){ .notes = notes->notes,
		    .learned = notes->learned,
		    .human = notes->human,
		    .queued = pages->queued,
		    .failed = pages->failed,
		    .forgotten = pages->forgotten };
	return E_OK;
}

enum err
knowledge_set(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct knowledge_switch *in)
{
	struct knowledge_settings *was;
	bool summaries;

	TRY(knowledge_settings(c, w, &was));
	summaries = in->has.summaries == GIVEN ? in->summaries : was->summaries;
	if (in->enabled)
		TRY(tier_need(c, w->id, FEATURE_KNOWLEDGE));
	if (in->has.summaries == GIVEN && summaries && !was->model)
		return fail(c, E_CONFLICT,
		    "summaries: the service has no language model that could write them");
	if (in->enabled == was->enabled && summaries == was->summaries)
		return E_OK;
	TRY(db_exec1(c,
	    EXEC("UPDATE workspace SET knowledge = ?, knowledge_summaries = ?, updated_at = ?"
		 " WHERE id = ?"),
	    ARGS(in->enabled, summaries, c->now, w->id)));
	return audit_workspace(c, w, who, in->enabled ? "knowledge.on" : "knowledge.off", NULL,
	    audit_facts(c, "summaries", summaries ? "on" : "off"));
}

enum err
knowledge_remove(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct note *n, bool forget)
{
	const struct note_source *source = n->source;

	forget &= source != NULL; /* people's notes have no page to forget */
	if (forget)
		TRY(learning_forget(c, source->artifact_id));
	TRY(note_remove(c, w, n));
	return audit_add(c, w->id, who,
	    &(struct audit){ .action = forget ? "note.forgotten" : "note.deleted",
		.type = "note", .id = n->id, .name = n->path });
}

enum err
knowledge_learns(struct ctx *c, const struct workspace *w)
{
	struct knowledge_settings *is;

	TRY(tier_need(c, w->id, FEATURE_KNOWLEDGE));
	TRY(knowledge_settings(c, w, &is));
	return is->enabled ? E_OK
			   : fail(c, E_CONFLICT,
				 "Learning is off in this workspace; turn it on first");
}
