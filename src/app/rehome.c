/* SPDX-License-Identifier: Apache-2.0 */
#include "app/rehome.h"

#include "base/str.h"
#include "core/member.h"

SHAPE_DEFINE(rehome_part, REHOME_PART);

enum err
rehome_part_read(struct ctx *c, const struct artifact *a, const struct principal *who, void **out)
{
	struct rehome_part *part = *out = mem_new(c->mem, struct rehome_part);
	struct home_list homes;

	TRY(artifact_homes(c, a, who, &homes));
	part->artifact_id = a->id;
	part->homes = (struct list){ homes.v, homes.n };
	part->yours = str_eq(a->owner_id, who->user_id);
	part->may = !a->workspace_id && part->yours;
	for (size_t i = 0; i < homes.n; i++)
		if (homes.v[i].home_current) {
			part->from = homes.v[i].home_name;
			part->may = member_rank(homes.v[i].home_role) >= MEMBER_ADMIN;
		}
	part->held = part->may && str_eq(a->paused_by, "admin");
	part->may = part->may && !part->held;
	part->elsewhere = homes.n > (part->from ? 1 : 0);
	return E_OK;
}

const char *
rehome_entered(struct ctx *c, const struct workspace *to)
{
	const struct workspace_settings *set = to->settings;

	return mem_printf(c->mem,
	    "In %s, %s from then on. Its admins can pause it and transfer it to others, "
	    "and only they can take it out again.",
	    to->name,
	    str_eq(set->member_access, "none") ? "the admins can see it"
		: str_eq(set->member_access, "editor") ? "every member can see and change it"
						       : "every member can see it");
}
