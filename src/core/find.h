/* SPDX-License-Identifier: Apache-2.0
 * Registers things with search. A noun declares at the bottom of its file which texts its things
 * have, who finds them, and which fields are shown; code that changes one of these calls
 * find_changed() in the same transaction. search/ does the rest. */
#ifndef VITRINE_FIND_H
#define VITRINE_FIND_H
#include "core/follow.h"
#include "core/role.h"
#include "db/ids.h"

/* Kinds of things, by the numbers that the database has: FIND_ and a word of FINDER() in
 * noun.def of each folder. */
enum find_kind {
#define FINDER(noun, kind, no) FIND_##kind = no,
#include "core/nouns.def"
	FIND_KINDS = 32 /* more than any */
};

/* Groups of search results, as in the reply; only we say "files". */
#define FIND_GROUPS "pages|folders|files|datasets|connectors|people|schedules|crew|alerts"

/* An audience names who finds a thing without a check of the thing. A user's id: that person. A
 * workspace's id: all who are in it. FIND_ARTIFACTS after the id: members and admins who see all
 * its artifacts, by its member_access. FIND_EDITORS: those who edit all of them (members if
 * member_access is 'editor') and admins. FIND_ADMINS: admins. */
#define FIND_ARTIFACTS "*"
#define FIND_EDITORS "+"
#define FIND_ADMINS "!"

/* The texts by which people find a thing. */
#define FIND_TEXT(F, T) \
	F(T, STR, id) \
	F(T, STR, audiences, .flags = F_NUL) /* separated by commas; duplicates are allowed */ \
	F(T, STR, name) \
	F(T, STR, also, .flags = F_NUL) /* a slug, an address */ \
	F(T, STR, text, .flags = F_NUL) /* a description, tags */ \
	F(T, STR, page, .flags = F_NUL) /* long text; people find it by whole words, spelled
					 * exactly */
SHAPE_DECLARE(find_text, FIND_TEXT);

/* The fields of a found thing, shown to callers who may GET it. */
#define FOUND_SHOWN(F, T) \
	F(T, STR,  id) \
	F(T, STR,  title) \
	F(T, STR,  subtitle, .flags = F_NUL) \
	F(T, STR,  url, .doc = "Where a person looks at it") \
	F(T, ID,   artifact_id, .flags = F_OPT, .arg = "art_", .doc = "Of what is an artifact's") \
	F(T, ID,   workspace_id, .flags = F_NUL, .arg = "wsp_")
#define FOUND(F, T) \
	F(T, STR,  key, .flags = F_HID) /* the thing's id in FIND_TEXT */ \
	FOUND_SHOWN(F, T) \
	F(T, BOOL, own, .flags = F_HID) /* the viewer's own, or a favorite: sorted first */ \
	F(T, TIME, updated_at)
SHAPE_DECLARE(found, FOUND);

/* `all` for a noun whose things are all rows of one table. */
#define FIND_ALL(table) \
	ROWS(find_text, "SELECT id FROM " table " WHERE id > ? ORDER BY id LIMIT ?")

/* The text of a thing’s page. */
#define FIND_PAGE(F, T) \
	F(T, STR, id) \
	F(T, STR, page)
SHAPE_DECLARE(find_page, FIND_PAGE);

/* A question of search: which of these ids (ids_json()) `who` may see, in one workspace (within) or
 * (NULL) everywhere. */
struct find_asked {
	const struct principal *who;
	const char *within, *ids;
};

/* How search finds the things of a kind. */
struct finds {
	enum find_kind kind;
	const char *group;
	enum scope scope; /* the scope that a token needs to GET one */
	struct find_text_rows text; /* for an ID_TABLE; a thing that nobody finds has no row */
	struct find_text_rows all;  /* lists the ids only: `limit` ids after one, ascending */
	struct find_page_rows page; /* for an ID_TABLE, as the rows are now; NULL: none */
	/* Reduces the page's text to the words that `text` and `page` store; NULL: all words. Takes
	 * time proportional to the text's length. */
	const char *(*plain)(void *owner, const char *page);
	/* Of the ids, returns those that the caller may GET, by the same predicate as that GET. */
	enum err (*show)(struct ctx *, const struct find_asked *, struct found_list *out);
};
/* Calls `plain`, if there is one. NULL gives NULL. */
const char *find_plain(const struct finds *, void *owner, const char *page);
/* A statement of `show` begins with FIND_ASKED, which has the caller as `s`, the workspace as
 * `q`.`within`, and the ids as `t`, and joins the things to it: " STRAIGHT_JOIN folder a ON …". Its
 * arguments are FIND_ARGS. If it names the thing's row `a`, the tables and columns of core/role.h
 * work as for an artifact. */
#define FIND_ASKED SUBJECT_TABLE " JOIN (SELECT ? AS within) q JOIN " ID_TABLE
#define FIND_ARGS(asked) ARGS(SUBJECT((asked)->who), (asked)->within, (asked)->ids)
#define FIND_WITHIN(workspace_id) "COALESCE(" workspace_id " = q.within, q.within IS NULL)"
/* True if the subject may GET the pages of the artifact `a` or things of it; needs ROLE_TABLES. */
#define FIND_ARTIFACT_SHOWN \
	"a.deleted_at IS NULL AND (a.paused_at IS NULL OR a.owner_id = s.user_id OR " GOVERNS ")" \
	" AND " FIND_WITHIN("a.workspace_id")
/* SQL expression: the audience of the artifact `a`, for FIND_TEXT. */
#define FIND_ARTIFACT_AUDIENCES \
	"CONCAT_WS(',', a.owner_id, CONCAT(a.workspace_id, '" FIND_ARTIFACTS "')," \
	" (SELECT GROUP_CONCAT(co.user_id) FROM collaborator co WHERE co.artifact_id = a.id))"
/* A whole statement. The result's url is a path. */
enum err find_rows(
    struct ctx *c, struct found_rows, const struct find_asked *, struct found_list *out);
/* Makes a struct found from a row with the fields of FOUND and more. The result's url is a path. */
#define FOUND_OF(c, r) \
	((struct found){ .key = (r)->key, .id = (r)->id, .title = (r)->title, \
	    .subtitle = (r)->subtitle, .url = find_url(c, (r)->url), \
	    .artifact_id = (r)->artifact_id, .workspace_id = (r)->workspace_id, .own = (r)->own, \
	    .updated_at = (r)->updated_at })
const char *find_url(struct ctx *c, const char *path);

/* FINDS(member, FIND_PERSON, "people", NO_SCOPE, person_found,
 *     .text = ROWS(find_text, "…"), .all = FIND_ALL("…")) */
#define FINDS(noun, kind_, group_, scope_, show_, ...) \
	const struct finds *noun##_finds(void); \
	const struct finds *noun##_finds(void) \
	{ \
		static struct finds v; \
		v = (struct finds){ .kind = kind_, .group = group_, .scope = scope_, \
			.show = show_, __VA_ARGS__ }; \
		return &v; \
	} \
	_Static_assert(true, "")
extern const struct finds *(*const finders[])(void); /* app/nouns.c; ends with NULL */

/* Tells search, in the caller's transaction, that the thing is new, renamed, visible to others, or
 * gone. After the reply another transaction writes its words, so nobody waits for them; if this
 * process dies first, the runner does. Until then its old name doesn't find it, but whoever changed
 * it finds it by its new one. */
enum err find_changed(struct ctx *c, enum find_kind, const char *id);
/* find_changed() of an artifact as SQL within a larger statement. find_is_wanted() tells whether it
 * must run: always, but for a bench without search. */
#define FIND_CHANGED(art, who) \
	"INSERT INTO search_due (kind, id, user_id) VALUES (1, " art ", " who ")" \
	" ON DUPLICATE KEY UPDATE user_id = VALUES(user_id);"
bool find_is_wanted(struct ctx *c);
/* find_changed() that writes the words in this transaction, for the runner, which has time. */
enum err find_changed_now(struct ctx *c, enum find_kind, const char *id);
/* find_changed() for many things, by a statement that inserts rows (kind, id) into search_due for
 * the runner. Rights are checked when a result is shown, so only newly shared things appear late.
 */
#define FIND_LATER "INSERT IGNORE INTO search_due (kind, id) "
/* For FINDERS_CHANGE: selects the artifacts `a` that changed hands. FIND_HAPPENED_ARGS are the
 * arguments. */
#define FIND_HAPPENED \
	" FROM (SELECT id FROM artifact WHERE id = ? UNION SELECT id FROM artifact" \
	" WHERE owner_id = ? UNION SELECT artifact_id FROM collaborator WHERE user_id = ?) o" \
	" JOIN artifact a ON a.id = o.id AND COALESCE(a.workspace_id = ?, ? IS NULL)"
#define FIND_HAPPENED_ARGS(h) \
	(h)->artifact_id, (h)->user_id, (h)->user_id, (h)->workspace_id, (h)->workspace_id

/* Records that a person opened the thing, for "Recent": after the reply, once in ten minutes. Not
 * if a program asks for them. The last RECENTS stay, for RECENTS_DAYS. */
enum { RECENTS = 200, RECENTS_DAYS = 90 };
enum err find_opened(struct ctx *c, const struct principal *who, enum find_kind, const char *id);
#endif
