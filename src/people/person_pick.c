/* SPDX-License-Identifier: Apache-2.0 */
#include "people/person_pick.h"

#include "base/id.h"
#include "base/str.h"

SHAPE_DEFINE(person_pick, PERSON_PICK);

static const char *
person_word(const struct ws_person *p)
{
	return *p->name || !p->email ? p->name : p->email;
}

static int
person_by_word(const void *a, const void *b)
{
	const struct ws_person *one = a, *other = b;
	int order = strcasecmp(person_word(one), person_word(other));

	return order ? order : strcmp(one->user_id, other->user_id);
}

const char *
person_pick_of(struct ctx *c, const struct ws_person_list *found, const char *who,
    const char *chosen, struct person_pick *out)
{
	size_t n = found->n > PICK_MOST ? PICK_MOST : found->n;
	struct ws_person *to = mem_array(c->mem, struct ws_person, n + 1);

	/* The typed text takes precedence over the earlier choice. */
	if (who)
		chosen = found->n == 1 ? found->v[0].user_id : NULL;
	else if (chosen && !id_valid(chosen, "usr_"))
		chosen = NULL;
	if (n)
		memcpy(to, found->v, n * sizeof *to);
	qsort(to, n, sizeof *to, person_by_word);
	*out = (struct person_pick){
		.people = { to, n }, .chosen = chosen, .many = found->n > n || who, .who = who
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
	person_pick_keep(c, out, *out_id, person_word(found.v));
	return E_OK;
}

void
person_pick_keep(struct ctx *c, struct person_pick *pick, const char *chosen, const char *name)
{
	const struct ws_person *old = pick->people.v;
	size_t n = pick->people.n;
	struct ws_person *to;

	for (size_t i = 0; i < n; i++)
		if (str_eq(old[i].user_id, chosen))
			return;
	if (!chosen)
		return;
	to = mem_array(c->mem, struct ws_person, n + 1);
	if (n)
		memcpy(to, old, n * sizeof *to);
	to[n] = (struct ws_person){ .user_id = chosen, .name = name ? name : "Someone else" };
	pick->people = (struct list){ to, n + 1 };
	pick->chosen = chosen;
}
