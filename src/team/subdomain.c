/* SPDX-License-Identifier: Apache-2.0 */
#include "team/subdomain.h"

#include "base/conf.h"
#include "base/str.h"
#include "core/follow.h"
#include "core/role.h"
#include "core/slug.h"
#include "store/rounds.h"

SHAPE_DEFINE(subdomain, SUBDOMAIN);
SHAPE_DEFINE(subdomain_new, SUBDOMAIN_NEW);
SHAPE_DEFINE(front_art, FRONT_ART);

enum { SWEPT_AT_ONCE = 100 };

void
subdomain_tell(struct ctx *c, const struct workspace *w, struct subdomain *out)
{
	const char *label = w->subdomain ? w->subdomain : w->slug;

	*out = (struct subdomain){ .enabled = w->subdomain != NULL,
		.slug = label,
		.host = mem_printf(c->mem, "%s.%s", label, c->conf->content_domain),
		.url = mem_printf(c->mem, "%s/", conf_site_origin(c->mem, c->conf, label)) };
}

enum err
subdomain_get(struct ctx *c, const struct workspace *w, struct subdomain *out)
{
	TRY(tier_need(c, w->id, FEATURE_SUBDOMAIN));
	subdomain_tell(c, w, out);
	return E_OK;
}

/* Releases the present label, claims `label` (NULL: none), and projects the pages again. */
static enum err
label_move(struct ctx *c, const struct workspace *w, const char *label)
{
	if (w->subdomain)
		TRY(slug_release_label(c, w->subdomain, w->id));
	if (label)
		TRY(slug_take_label(c, label, w->id));
	TRY(db_exec1(c, EXEC("UPDATE workspace SET subdomain = ?, updated_at = ? WHERE id = ?"),
	    ARGS(label, c->now, w->id)));
	return workspace_pages_show(c, w->id);
}

enum err
subdomain_set(struct ctx *c, const struct workspace *w, const struct principal *who, bool on)
{
	TRY(tier_need(c, w->id, FEATURE_SUBDOMAIN));
	if (on == (w->subdomain != NULL))
		return E_OK;
	TRY(label_move(c, w, on ? w->slug : NULL));
	return audit_workspace(c, w, who, on ? "subdomain.on" : "subdomain.off", NULL, NULL);
}

/* ---- the plan's end ---- */

#define SUBDOMAIN_HELD(F, T) \
	F(T, ID,  id, .arg = "wsp_") \
	F(T, STR, name) \
	F(T, STR, subdomain) \
	TIER_ROW(F, T)
SHAPE(subdomain_held, SUBDOMAIN_HELD);

#define SUBDOMAIN_HELD_COLUMNS \
	"SELECT w.id, w.name, w.subdomain, " TIER_COLUMNS("w") " FROM workspace w"

static bool
held_entitled(const struct ctx *c, const struct subdomain_held *h)
{
	struct tier t;

	tier_read(c, TIER_ROW_OF(h), &t);
	return t.features & 1u << FEATURE_SUBDOMAIN;
}

/* Ends the subdomain if the plan doesn't include it, under the workspace's lock. The next check is
 * when an operator's or the paid plan ends. */
static enum err
held_check_locked(struct ctx *c, const char *id, bool *ended)
{
	struct subdomain_held *h;
	struct workspace w;

	*ended = false;
	TRY(db_begin(c));
	TRY(db_find(c, ROWS(subdomain_held, SUBDOMAIN_HELD_COLUMNS " WHERE w.id = ? FOR UPDATE"),
	    ARGS(id), &h));
	if (!h)
		return E_OK;
	if (h->subdomain && !held_entitled(c, h)) {
		w = (struct workspace){ .id = h->id, .name = h->name, .subdomain = h->subdomain };
		TRY(label_move(c, &w, NULL));
		TRY(audit_workspace(c, &w, NULL, "subdomain.off", NULL, NULL));
		*ended = true;
	}
	TRY(db_exec(c,
	    EXEC(
		"UPDATE workspace SET plan_due = CASE"
		" WHEN plan_until > ? AND NOT paid_until BETWEEN ? AND plan_until THEN plan_until"
		" WHEN paid_until > ? THEN paid_until"
		" WHEN plan_until > ? THEN plan_until END WHERE id = ?"),
	    ARGS(c->now, c->now + 1, c->now, c->now, id), NULL));
	return db_commit(c);
}

static enum err
held_check(struct ctx *c, const char *id, int64_t *ended)
{
	bool ended_now;
	enum err e = held_check_locked(c, id, &ended_now);

	db_rollback(c);
	*ended += !e && ended_now;
	return e;
}

/* Removes subdomains that the plan no longer includes: first of workspaces whose plan has ended or
 * was changed by an operator (plan_due), then of all, because plans_file may have changed. */
static enum err
subdomain_due(struct ctx *c, struct sweep_at *at)
{
	struct subdomain_held_list rows;

	TRY(db_all(c,
	    ROWS(subdomain_held,
		SUBDOMAIN_HELD_COLUMNS " WHERE w.plan_due <= ? ORDER BY w.plan_due LIMIT ?"),
	    ARGS(c->now, SWEPT_AT_ONCE), &rows));
	at->end = rows.n < SWEPT_AT_ONCE;
	at->looked += (int64_t)rows.n;
	for (size_t i = 0; i < rows.n; i++)
		TRY(held_check(c, rows.v[i].id, &at->removed));
	return E_OK;
}

static enum err
subdomain_sweep(struct ctx *c, struct sweep_at *at)
{
	struct subdomain_held_list rows;

	TRY(db_all(c,
	    ROWS(subdomain_held,
		SUBDOMAIN_HELD_COLUMNS " WHERE w.subdomain > ? ORDER BY w.subdomain LIMIT ?"),
	    ARGS(at->id, SWEPT_AT_ONCE), &rows));
	at->end = rows.n < SWEPT_AT_ONCE;
	at->looked += (int64_t)rows.n;
	for (size_t i = 0; i < rows.n; i++) {
		snprintf(at->id, sizeof at->id, "%s", rows.v[i].subdomain);
		if (!held_entitled(c, &rows.v[i]))
			TRY(held_check(c, rows.v[i].id, &at->removed));
	}
	return E_OK;
}

/* ---- for visitors ---- */

#define FRONT_OF(F, T) F(T, ID, id, .arg = "wsp_")
SHAPE(front_of, FRONT_OF);

enum err
subdomain_of(struct ctx *c, const char *label, const char **workspace_id)
{
	struct front_of *row;

	TRY(db_find(c, ROWS(front_of, "SELECT id FROM workspace WHERE subdomain = ?"),
	    ARGS(label), &row));
	*workspace_id = row ? row->id : NULL;
	return E_OK;
}

enum err
subdomain_pages(struct ctx *c, const char *workspace_id, const char *label, const char *before,
    struct front_art_list *out, const char **next)
{
	TRY(db_all(c,
	    ROWS(front_art,
		"SELECT a.id, a.name, a.slug, a.social_description, a.updated_at FROM artifact a"
		" WHERE a.workspace_id = ? AND a.visibility = 'public' AND a.id < ?"
		" AND a.owner_id IS NOT NULL AND " ARTIFACT_IS_SHOWN " ORDER BY a.id DESC LIMIT ?"),
	    ARGS(workspace_id, *before ? before : "art_~", (int64_t)FRONT_PAGES + 1), out));
	*next = NULL;
	if (out->n > FRONT_PAGES) {
		out->n = FRONT_PAGES;
		*next = out->v[out->n - 1].id;
	}
	for (size_t i = 0; i < out->n; i++)
		out->v[i].url = mem_printf(c->mem, "%s/",
		    conf_site_origin(
			c->mem, c->conf, slug_host(c->mem, out->v[i].slug, label)));
	return E_OK;
}

enum err
subdomain_was(struct ctx *c, const char *artifact_id, const char *label, bool *yes)
{
	struct front_of *row;

	TRY(db_find(c,
	    ROWS(front_of,
		"SELECT h.workspace_id AS id"
		" FROM slug h JOIN artifact a ON a.id = ? AND a.workspace_id = h.workspace_id"
		" WHERE h.slug = ? AND (h.released_at IS NULL OR h.released_at > ?)"),
	    ARGS(artifact_id, label, c->now - SUBDOMAIN_KEPT_S), &row));
	*yes = row != NULL;
	return E_OK;
}

/* ---- when other things change ---- */

static enum err
workspace_renamed(struct ctx *c, const struct happened *h)
{
	return h->ws->subdomain ? label_move(c, h->ws, h->slug) : E_OK;
}

static enum err
workspace_deleted(struct ctx *c, const struct happened *h)
{
	return h->ws->subdomain ? label_move(c, h->ws, NULL) : E_OK;
}

WORKSPACE_ROWS(slug, "")
FOLLOWS(subdomain, { WORKSPACE_RENAMED, workspace_renamed },
    { WORKSPACE_DELETED, workspace_deleted }, { WORKSPACE_PURGED, workspace_purged });
ROUNDS(subdomain, { "plans", .piece = subdomain_due },
    { "subdomains", .piece = subdomain_sweep, .how = DAILY });
