/* SPDX-License-Identifier: Apache-2.0 */
#include "core/branding.h"

#include "base/str.h"

SHAPE_DEFINE(branding, BRANDING);
SHAPE_DEFINE(branding_new, BRANDING_NEW);

enum err
branding_get(struct ctx *c, const char *workspace_id, struct branding **out)
{
	struct branding *b;
	struct tier t;

	TRY(db_one(c,
	    ROWS(branding,
		"SELECT brand_name AS display_name, brand_color AS color,"
		" brand_email AS support_email, brand_footer AS footer, hide_vitrine, logo,"
		" COALESCE(brand_name, name) AS name FROM workspace WHERE id = ?"),
	    ARGS(workspace_id), &b));
	b->logo_url = workspace_logo_url(c, b->logo);
	b->support_link = b->support_email ? mail_link(c->mem, b->support_email) : NULL;
	if (b->hide_vitrine) {
		TRY(tier_of(c, workspace_id, &t));
		b->hide_vitrine = t.features & 1u << FEATURE_CUSTOM_BRANDING;
	}
	*out = b;
	return E_OK;
}

static bool
branding_is_set(const struct branding *b)
{
	return b->display_name || b->color || b->logo || b->support_email || b->footer ||
	    b->hide_vitrine;
}

enum err
branding_find(struct ctx *c, const char *workspace_id, struct branding **out)
{
	TRY(branding_get(c, workspace_id, out));
	if (!branding_is_set(*out))
		*out = NULL;
	return E_OK;
}

enum err
branding_on_mail(struct ctx *c, const char *workspace_id, struct mail_values *values)
{
	struct mail_brand *brand = mem_new(c->mem, struct mail_brand);
	struct branding *b;

	TRY(branding_get(c, workspace_id, &b));
	*brand = (struct mail_brand){ .name = b->name,
		.color = b->color,
		.logo_url = b->logo_url,
		.support_email = b->support_email,
		.footer = b->footer,
		.hide_vitrine = b->hide_vitrine };
	values->workspace = b->name;
	values->brand = branding_is_set(b) ? brand : NULL;
	return E_OK;
}

enum err
branding_color(struct ctx *c, const char *where, const char *color, const char **out)
{
	char *lower = mem_strdup(c->mem, color);

	*out = lower;
	if (!color)
		return E_OK;
	if (!str_color(color))
		return fail(
		    c, E_INVALID, "%s: must be # and six hexadecimal digits, such as #1a2b3c",
		    where);
	str_lower(lower);
	return E_OK;
}

enum err
branding_set(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct branding_new *in)
{
	struct branding *before, *after;
	const char *color;

	if (in->hide_vitrine)
		TRY(tier_need(c, w->id, FEATURE_CUSTOM_BRANDING));
	TRY(branding_color(c, "color", in->color, &color));
	TRY(branding_get(c, w->id, &before));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE workspace SET brand_name = ?, brand_color = ?, brand_email = ?,"
		" brand_footer = ?, hide_vitrine = ?, updated_at = ? WHERE id = ?"),
	    ARGS(in->display_name, color, in->support_email, in->footer, in->hide_vitrine, c->now,
		w->id)));
	TRY(branding_get(c, w->id, &after));
	return audit_workspace(c, w, who, "branding.changed",
	    shape_text(c->mem, &branding_shape, before),
	    shape_text(c->mem, &branding_shape, after));
}
