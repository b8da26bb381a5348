/* SPDX-License-Identifier: Apache-2.0 */
#include "people/person_pick.h"

#include "base/id.h"
#include "base/str.h"

SHAPE_DEFINE(picked, PICKED);
SHAPE_DEFINE(person_pick, PERSON_PICK);

const char *
pick_typed(const char *typed)
{
	return typed && *typed ? typed : NULL;
}

static int
picked_by_name(const void *a, const void *b)
{
	const struct picked *one = a, *other = b;
	int order = strcasecmp(one->name, other->name);

	return order ? order : strcmp(one->user_id, other->user_id);
}

static struct picked
picked_of(const struct ws_person *p)
{
	bool named = *p->name || !p->email;

	return (struct picked){ .user_id = p->user_id,
		.name = named ? p->name : p->email,
		.email = named ? p->email : NULL,
		.agent = str_eq(p->kind, "agent") };
}

const char *
person_pick_of(struct ctx *c, const struct ws_person_list *found, const char *who,
    const char *chosen, struct person_pick *out)
{
	size_t n = found->n > PICK_MOST ? PICK_MOST : found->n;
	struct picked *to = mem_array(c->mem, struct picked, n + 1);

	/* The typed text takes precedence over the earlier choice. */
	if (who)
		chosen = found->n == 1 ? found->v[0].user_id : NULL;
	else if (chosen && !id_valid(chosen, "usr_"))
		chosen = NULL;
	for (size_t i = 0; i < n; i++)
		to[i] = picked_of(&found->v[i]);
	qsort(to, n, sizeof *to, picked_by_name);
	for (size_t i = 0; i < n; i++)
		to[i].chosen = str_eq(to[i].user_id, chosen);
	*out = (struct person_pick){
		.people = { to, n }, .many = found->n > n || who, .who = who
	};
	return chosen;
}

enum err
person_pick_find(struct ctx *c, const struct workspace *w, const char *who, const char *chosen,
    struct person_pick *out, const char **out_id)
{
	struct ws_person_list found;

	TRY(people_find(c, w, who, PICK_MOST + 1, &found));
	*out_id = person_pick_of(c, &found, who, chosen, out);
	if (!*out_id || !who)
		return E_OK;
	TRY(person_pick_find(c, w, NULL, *out_id, out, out_id));
	person_pick_keep(c, out, *out_id, picked_of(found.v).name);
	return E_OK;
}

void
person_pick_keep(struct ctx *c, struct person_pick *pick, const char *chosen, const char *name)
{
	const struct picked *old = pick->people.v;
	size_t n = pick->people.n;
	struct picked *to;

	for (size_t i = 0; i < n; i++)
		if (old[i].chosen)
			return;
	if (!chosen)
		return;
	to = mem_array(c->mem, struct picked, n + 1);
	memcpy(to, old, n * sizeof *to);
	to[n] = (struct picked){
		.user_id = chosen, .name = name ? name : "Someone else", .chosen = true
	};
	pick->people = (struct list){ to, n + 1 };
}
