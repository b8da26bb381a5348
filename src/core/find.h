/* SPDX-License-Identifier: Apache-2.0
 * What can be found by words. A noun says at the bottom of its file which texts its things have, who
 * finds them, and what is shown of one; who changes one of these says find_changed() in the same
 * transaction. What is done with it is search/'s. */
#ifndef VITRINE_FIND_H
#define VITRINE_FIND_H
#include "core/follow.h"
#include "core/role.h"
#include "db/ids.h"

/* Kinds of things, by the numbers that the database has: new ones come last. */
enum find_kind {
	FIND_ARTIFACT = 1,
	FIND_FOLDER,
	FIND_FILE,   /* a deliverable of a library */
	FIND_TABLE,  /* id: its number in data_table */
	FIND_PERSON, /* a member; id: the user's */
	FIND_JOB,
	FIND_AGENT,  /* a workspace's, with a token; id: its user's */
	FIND_ALERT,
	FIND_CLIENT, /* an organization outside */
	FIND_KINDS
};

/* Groups of a reply; "files" is ours. */
#define FIND_GROUPS "pages|folders|files|datasets|connectors|people|schedules|crew|alerts"

/* An audience is whoever finds a thing without a look at the thing: a user's id is that person
 * alone, the id of a workspace everybody in it. With FIND_ARTIFACTS behind it, who sees all its
 * artifacts: its members as its member_access has it; with FIND_ADMINS, who governs it. */
#define FIND_ARTIFACTS "*"
#define FIND_ADMINS "!"

/* What a thing is found by. */
#define FIND_TEXT(F, T) \
	F(T, STR, id) \
	F(T, STR, audiences, .flags = F_NUL) /* separated by commas; some may be twice */ \
	F(T, STR, name) \
	F(T, STR, also, .flags = F_NUL) /* a slug, an address */ \
	F(T, STR, text, .flags = F_NUL) /* a description, tags */
SHAPE_DECLARE(find_text, FIND_TEXT);

/* What is shown of one, to somebody who may GET it. */
#define FOUND(F, T) \
	F(T, STR,  key, .flags = F_HID) /* the thing's id in FIND_TEXT */ \
	F(T, STR,  id) \
	F(T, STR,  title) \
	F(T, STR,  subtitle, .flags = F_NUL) \
	F(T, STR,  url, .doc = "Where a person looks at it") \
	F(T, ID,   artifact_id, .flags = F_OPT, .arg = "art_", .doc = "Of what is an artifact's") \
	F(T, ID,   workspace_id, .flags = F_NUL, .arg = "wsp_") \
	F(T, BOOL, own, .flags = F_HID) /* theirs, or a favorite: it comes first */ \
	F(T, TIME, updated_at)
SHAPE_DECLARE(found, FOUND);

/* Statements about things of a kind. `show` begins with FIND_ASKED, which has the caller as `s`,
 * the workspace that is asked about as `q`.`scope` (NULL: everywhere) and the ids as `t`: of these
 * it has what a GET would give that caller, by the same predicate, in that workspace, and what an
 * index finds by id. */
struct finds {
	enum find_kind kind;
	const char *group;
	struct find_text_rows text; /* of the ids of an ID_TABLE; one that nobody finds has no row */
	struct find_text_rows all;  /* their ids alone, above one, rising, so many */
	struct found_rows show;
};
#define FIND_ASKED SUBJECT_TABLE " JOIN (SELECT ? AS scope) q JOIN " ID_TABLE
#define FIND_ARGS(who, scope, ids) ARGS(SUBJECT(who), scope, ids)
/* FINDS(folder, FIND_FOLDER, "folders", .text = ROWS(find_text, "…"), .all = …, .show = …); */
#define FINDS(noun, kind_, group_, ...) \
	const struct finds *noun##_finds(void); \
	const struct finds *noun##_finds(void) \
	{ \
		static struct finds v; \
		v = (struct finds){ .kind = kind_, .group = group_, __VA_ARGS__ }; \
		return &v; \
	}
extern const struct finds *(*const finders[])(void); /* app/nouns.c; ends with NULL */

/* In its transaction: the thing is new, is called otherwise, is seen by others, or is gone. */
enum err find_changed(struct ctx *c, enum find_kind, const char *id);
/* The same of many at once, by a statement that inserts rows (kind, id) into search_due: the runner
 * follows. What may be seen is decided when it is shown, so only what is newly theirs comes later. */
#define FIND_LATER "INSERT IGNORE INTO search_due (kind, id) "
/* After the reply: they have looked at it. Once in a while it is written down. */
enum err find_opened(struct ctx *c, const struct principal *who, enum find_kind, const char *id);
#endif
