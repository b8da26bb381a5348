/* SPDX-License-Identifier: Apache-2.0 */
#include "http/above.h"

#include "assets/linkshow.h"
#include "base/json.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/find.h"
#include "core/outside.h"
#include "core/session.h"
#include "core/spread.h"
#include "core/token.h"
#include "data/table.h"
#include "oauth/grant.h"
#include "search/index.h"
#include "site/project.h"

const char *
req_art_id(const struct req *r)
{
	return r->art->id;
}

void
caller_touch(struct ctx *c, const struct principal *who)
{
	if (who->session_id)
		(void)session_touch(c, who);
	else
		(void)token_touch(c, who);
}

/* Only the reply names a new artifact. */
enum err
agent_changed(const struct req *r)
{
	struct buf reply = r->out;
	struct json *json;
	const struct json *made = NULL;
	const char *id;

	if (!r->art && reply.n && json_parse(r->c, buf_done(&reply), reply.n, &json) == E_OK &&
	    json_kind(json) == J_OBJ)
		made = json_get(json, "artifact");
	id = r->art ? r->art->id : json_word(made, "id");
	return grant_note(r->c, r->who,
	    &(struct act){ .was = r->route->undo ? r->art : NULL,
		.what = r->route->did && id ? r->route->did
		    : id                             ? mem_printf(r->c->mem, "%s:", r->route->doc)
						     : r->route->doc,
		.artifact_id = id });
}

static bool
is_by_grant(const struct req *r)
{
	return r->who && r->art && r->art->can_view && !r->art->role;
}

const struct outside_read *
outside_seen(const struct req *r)
{
	struct outside_read *seen;

	if (!is_by_grant(r))
		return NULL;
	seen = mem_new(r->c->mem, struct outside_read);
	*seen = (struct outside_read){ r->who->user_id, r->art->workspace_id, r->route->visit,
		"artifact", r->art->id, r->art->name };
	return seen;
}

void
outside_note(struct ctx *c, const struct outside_read *seen)
{
	(void)outside_has_read(c, seen);
}

void
opened_note(const struct req *r)
{
	const struct param *p = r->p;
	const char *id;

	if (r->art && !r->art->role)
		return;
	while (p + 1 < r->p + PATH_PARAMS && p[1].name)
		p++;
	id = p->value;
	if (r->route->opened == FIND_TABLE && table_key(r->c, r->art, id, &id))
		return;
	(void)find_opened(r->c, r->who, (enum find_kind)r->route->opened, id);
}

enum err
words_index(struct ctx *c, bool *more)
{
	return index_changed(c, more);
}

enum err
outside_changed(const struct req *r)
{
	const struct artifact *a = r->art;

	if (!is_by_grant(r))
		return E_OK;
	return outside_did(r->c, r->who, a->workspace_id,
	    r->route->who == ART_DISCUSS ? "comment" : "edit", "artifact", a->id, a->name);
}

enum err
effect_show(struct ctx *c, const struct effect *effect)
{
	return effect->links ? links_show(c, effect->links) : project_effect(c, effect);
}

enum err
effects_spread(struct ctx *c, bool patient, bool *closed)
{
	return spread_wait(c, patient ? SPREAD_PATIENCE_MS : SPREAD_QUICK_MS, closed);
}

enum err
effects_spread_all(struct ctx *c)
{
	return spread_all(c);
}

enum err
effects_pack(struct ctx *c, struct packs **out)
{
	return packs_new(c, c->mem, out);
}

enum err
effect_pack(struct ctx *c, struct packs *packs, const char *artifact_id, int64_t budget_ms,
    bool *finished)
{
	return project_pack(c, packs, artifact_id, budget_ms, finished);
}

enum err
effects_done(struct ctx *c, struct packs *packs, const struct strs *outbox_ids)
{
	TRY(packs_place(c, packs));
	return outbox_ids->n ? project_done_all(c, outbox_ids) : E_OK;
}
