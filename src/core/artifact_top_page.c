/* SPDX-License-Identifier: Apache-2.0 */
#include "core/artifact_top_page.h"

#include "base/str.h"
#include "core/notice.h"

SHAPE_DEFINE(visibility_choice, VISIBILITY_CHOICE);
SHAPE_DEFINE(tab_query, TAB_QUERY);
SHAPE_DEFINE(list_query, LIST_QUERY);

static const char *
done_asked(const struct req *r)
{
	const struct shape *s = r->query ? r->route->query : NULL;
	const struct field *f = s ? shape_field(s, "done") : NULL;

	return f ? *(const char *const *)((const char *)r->query + f->off) : NULL;
}

/* Says who can open an artifact that has just been published for the first time. */
static const char *
published_text(const struct req *r)
{
	const struct artifact *a = r->art;
	char *who = mem_strdup(r->c->mem, artifact_audience(r->c, a, a->visibility));

	if (str_eq(a->visibility, "private") && !a->workspace_id)
		return "Published. Only you can open it.";
	if (*who >= 'a' && *who <= 'z')
		*who += 'A' - 'a';
	return mem_printf(r->c->mem, "Published. %s.", who);
}

bool
artifact_page_first(const struct req *r)
{
	return str_eq(done_asked(r), "published_first");
}

const char *
artifact_page_done(const struct req *r)
{
	const char *done = done_asked(r);

	if (r->art && artifact_page_first(r))
		return published_text(r);
	if (done && r->art && str_eq(done, r->art->visibility))
		return mem_printf(r->c->mem, "It is %s now: %s.", done,
		    artifact_audience(r->c, r->art, done));
	return notice_text(r->c, done);
}

struct list
artifact_page_visibilities(const struct req *r)
{
	static const struct visibility_choice known[] = {
#define VISIBILITY(word, means_) { .visibility = #word },
#include "base/visibility.def"
#undef VISIBILITY
	};
	enum { KNOWN_N = sizeof known / sizeof *known };
	struct visibility_choice *all = mem_dup(r->c->mem, known, sizeof known);

	for (size_t i = 0; i < KNOWN_N; i++) {
		all[i].means = artifact_audience(r->c, r->art, all[i].visibility);
		all[i].chosen = str_eq(all[i].visibility, r->art->visibility);
	}
	return (struct list){ all, KNOWN_N };
}

