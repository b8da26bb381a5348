/* SPDX-License-Identifier: Apache-2.0
 * How a person hears of each kind of items, and when of those that come once a day. */
#include "base/json.h"
#include "base/str.h"
#include "inbox/daily.h"
#include "inbox/inbox.h"

SHAPE_DEFINE(inbox_way, INBOX_WAY);
SHAPE_DEFINE(inbox_settings, INBOX_SETTINGS);
SHAPE_DEFINE(inbox_settings_edit, INBOX_SETTINGS_EDIT);

#define WAY_ROW(F, T) \
	F(T, STR, kind) \
	F(T, STR, way)
SHAPE(way_row, WAY_ROW);

enum err
inbox_settings_get(struct ctx *c, const struct principal *who, struct inbox_settings *out)
{
	struct way_row_list chosen;
	struct inbox_way *w;
	struct daily d;

	TRY(db_all(c, ROWS(way_row, "SELECT kind, way FROM inbox_way WHERE user_id = ?"),
	    ARGS(who->user_id), &chosen));
	out->kinds = (struct list){ 0 };
	for (const struct inbox_kind *k = inbox_kinds; k->word; k++)
		out->kinds.n++;
	out->kinds.v = w = mem_array(c->mem, struct inbox_way, out->kinds.n);
	for (const struct inbox_kind *k = inbox_kinds; k->word; k++, w++) {
		*w = (struct inbox_way){
			.kind = k->word, .title = k->title, .ways = strs_split(c->mem, k->ways, '|')
		};
		w->way = w->ways.v[0];
		for (size_t i = 0; i < chosen.n; i++)
			if (str_eq(chosen.v[i].kind, k->word) &&
			    strs_have(&w->ways, chosen.v[i].way)) {
				w->way = chosen.v[i].way;
				break;
			}
	}
	TRY(daily_get(c, who->user_id, &d));
	out->digest_at = mem_printf(
	    c->mem, "%02d:%02d", (int)d.at_minute / 60, (int)d.at_minute % 60);
	out->zone = d.zone;
	return E_OK;
}

struct putting {
	struct ctx *c;
	const struct principal *who;
};

static int
way_put(void *arg, const char *name, const struct json *value)
{
	const struct putting *p = arg;
	const struct inbox_kind *k = inbox_kind(name);
	const char *way = json_kind(value) == J_STR ? json_str(value) : "";

	if (!k)
		return (int)fail(p->c, E_INVALID, "ways: a kind must be %s, not \"%s\"",
		    inbox_kind_words(p->c->mem), str_cut(p->c->mem, name, 64));
	if (!str_in(way, k->ways))
		return (int)fail(p->c, E_INVALID, "ways.%s: must be %s", name,
		    str_or(p->c->mem, k->ways));
	return (int)db_exec(p->c,
	    EXEC("INSERT INTO inbox_way (user_id, kind, way, since) VALUES (?, ?, ?, ?)"
		 " ON DUPLICATE KEY UPDATE since = IF(way = VALUES(way), since, VALUES(since)),"
		 " way = VALUES(way)"),
	    ARGS(p->who->user_id, k->word, way, p->c->now), NULL);
}

enum err
inbox_settings_put(
    struct ctx *c, const struct principal *who, const struct inbox_settings_edit *in)
{
	struct json *tree;

	if (!in->ways && !in->digest_at && !in->zone)
		return fail(c, E_INVALID, "ways: specify ways, digest_at, or zone");
	TRY(daily_put(c, who->user_id, in->digest_at, in->zone));
	if (in->ways) {
		TRY(json_parse(c, in->ways, strlen(in->ways), &tree));
		TRY((enum err)json_each(tree, way_put, &(struct putting){ c, who }));
	}
	return daily_plan(c, who->user_id);
}
