/* SPDX-License-Identifier: Apache-2.0 */
#include "sharing/shared_things.h"

#include "base/mime.h"
#include "base/str.h"
#include "core/filename.h"

SHAPE_DEFINE(shared_things, SHARED_THINGS);
SHAPE_DEFINE(shared_section, SHARED_SECTION);

/* Returns a thing of the list, which has room for `most`. Adds a missing one, without a capability
 * yet. */
static struct shared *
thing_find_or_add(struct ctx *c, struct shared_things *to, const struct shared *s, size_t most)
{
	struct list *all = str_eq(s->resource_type, "folder") ? &to->folders
	    : str_eq(s->resource_type, "artifact")	      ? &to->artifacts
							      : &to->files;
	struct shared *thing = all->v;

	if (!thing)
		thing = all->v = mem_array(c->mem, struct shared, most);
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(thing[i].resource_id, s->resource_id))
			return &thing[i];
	thing += all->n++;
	*thing = *s;
	thing->capability = NULL;
	if (all == &to->files)
		thing->kind = file_kind(mime_of(s->resource_name));
	return thing;
}

static int
capability_rank(const char *capability)
{
	static const char *const rising[] = { "view", "comment", "create", "edit" };
	int n = sizeof rising / sizeof *rising;

	while (n-- && !str_eq(rising[n], capability))
		;
	return n;
}

/* Adds a grant on the thing. Its capability is that of the grant that gives the most. */
static void
thing_add_grant(struct shared *thing, const char *capability, int64_t until)
{
	bool folder = str_eq(thing->resource_type, "folder");
	bool creates = str_eq(capability, "create");

	if (creates && !folder)
		capability = "view";
	if (capability_rank(capability) > capability_rank(thing->capability)) {
		thing->capability = capability;
		thing->expires_at = until;
	}
	thing->adds = thing->adds || (folder && creates);
}

/* Fills a section with the consecutive rows of one workspace. */
static void
section_fill(struct ctx *c, const struct shared *rows, size_t n, struct shared_section *out)
{
	const char **clients = mem_array(c->mem, const char *, n);
	struct shared_things *things = mem_new(c->mem, struct shared_things);
	size_t client_n = 0;

	for (size_t i = 0; i < n; i++) {
		const struct shared *s = &rows[i];
		size_t k = 0;

		thing_add_grant(thing_find_or_add(c, things, s, n), s->capability, s->expires_at);
		while (k < client_n && !str_eq(clients[k], s->client))
			k++;
		if (k == client_n && s->client)
			clients[client_n++] = s->client;
	}
	*out = (struct shared_section){
		.by = rows->workspace, .clients = { clients, client_n }, .things = things
	};
}

struct list
shared_sections(struct ctx *c, const struct shared_list *rows)
{
	struct shared_section *all = mem_array(c->mem, struct shared_section, rows->n + 1);
	size_t n = 0, from = 0;

	for (size_t i = 1; i <= rows->n; i++) {
		if (i < rows->n && str_eq(rows->v[i].workspace_id, rows->v[from].workspace_id))
			continue;
		section_fill(c, &rows->v[from], i - from, &all[n++]);
		from = i;
	}
	return (struct list){ all, n };
}

const char *
shared_capability(const struct shared_folder *f)
{
	return f->can_edit ? "edit" : f->can_comment ? "comment" : "view";
}

void
shared_items(struct ctx *c, const struct shared_folder *f, const struct shared_list *grants,
    struct shared_things *out)
{
	const struct shared_item *item = f->items.v;

	for (size_t i = 0; i < f->items.n; i++) {
		struct shared *thing = thing_find_or_add(c, out,
		    &(struct shared){ .resource_type = item[i].resource_type,
			.resource_id = item[i].resource_id,
			.resource_name = item[i].resource_name,
			.url = item[i].url,
			.updated_at = item[i].updated_at },
		    f->items.n);

		thing_add_grant(thing, shared_capability(f), 0);
		if (f->can_create)
			thing_add_grant(thing, "create", 0);
		for (size_t k = 0; k < grants->n; k++)
			if (str_eq(grants->v[k].resource_id, thing->resource_id))
				thing_add_grant(thing, grants->v[k].capability,
				    grants->v[k].expires_at);
	}
}
