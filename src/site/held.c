/* SPDX-License-Identifier: Apache-2.0 */
#include "site/held.h"

#include "core/follow.h"
#include "inbox/item.h"

/* An id of the artifact itself would end other items, too. */
static const char *
held_subject(struct ctx *c, const char *artifact_id)
{
	return mem_printf(c->mem, "held_%s", artifact_id);
}

enum err
held_tell(struct ctx *c, const struct artifact *a, const struct principal *agent,
    const char *visibility)
{
	return inbox_put(c,
	    INBOX_PUT("SELECT " INBOX_ROW("u.id", "?", "NULL", "?", "?", "?", "NULL", "?", "NULL",
		"NULL") " FROM user u WHERE u.id = ?"),
	    visibility ? ITEM_AGENT_KEPT : ITEM_AGENT_HELD,
	    ARGS(held_subject(c, a->id), agent->agent_host, a->id, a->workspace_id, visibility,
		agent->user_id));
}

enum err
held_end(struct ctx *c, const char *artifact_id)
{
	return inbox_end(c, held_subject(c, artifact_id), NULL);
}

/* ---- when other things change ---- */

static enum err
opening(struct ctx *c, const struct happened *h)
{
	return visibility_opens(h->art->visibility, h->visibility) ? held_end(c, h->art->id)
								   : E_OK;
}

static enum err
version_live(struct ctx *c, const struct happened *h)
{
	return held_end(c, h->art->id);
}

static enum err
version_passed(struct ctx *c, const struct happened *h)
{
	return held_end(c, h->artifact_id);
}

FOLLOWS(held, { ARTIFACT_OPENS, opening }, { VERSION_LIVE, version_live },
    { VERSION_PASSED, version_passed });
