/* SPDX-License-Identifier: Apache-2.0
 * Parts of comment.c: where a remark is (spot.c), and whom it names (named.c). Source:
 * talk/README.md. */
#ifndef VITRINE_REMARK_H
#define VITRINE_REMARK_H
#include "talk/comment.h"

/* The author's address as the artifact's people know it; NULL if the author has no role. Of the
 * artifact a, the user u, and the collaborator co. */
#define COMMENT_EMAIL \
	"IF(a.owner_id = u.id, COALESCE(a.owner_given, u.email)," \
	" IF(co.role IS NULL, NULL, COALESCE(co.given_email, u.email)))"

/* The condition for a comment m, h being the first of its thread, to be seen. The four arguments
 * are READER(r). */
#define COMMENT_SEEN \
	" AND (? OR m.audience = 'all' OR h.author_id = ? OR m.author_id = ?)" \
	" AND (NOT ? OR (m.audience = 'all' AND h.anchor IS NULL))"
#define READER(r) (r)->people, (r)->user_id, (r)->user_id, (r)->page

/* The word for the column via. page: a script of the page does it. */
const char *comment_via(const struct principal *who, bool page);
/* Removes carriage returns, which forms send. E_INVALID: blank, or too long. */
enum err comment_text(struct ctx *c, const char *field, const char *text, const char **out);
enum err comments_check_open(struct ctx *c, const struct artifact *); /* E_DENIED: closed */
/* Resolves the thread by version no (0: none), or opens it again (by NULL). */
enum err settle(
    struct ctx *c, const char *artifact_id, const char *head_id, const char *by, int64_t no);

/* Ends the items of threads that are resolved now, and lets their people know. ids: made by
 * ids_json(). */
enum err threads_settled(struct ctx *c, const char *ids, const char *by);

/* ---- where ---- */

struct spot {
	const char *path, *anchor; /* anchor: JSON, or NULL */
	int64_t version_no;        /* 0: there is none */
	bool closed;               /* strangers can't open that version */
};
/* Reads path, version_no, and anchor. One statement if version_no or anchor is given, else none. */
enum err spot_read(struct ctx *c, const struct artifact *, const struct principal *who,
    const struct comment_new *, struct spot *out);
/* Returns the page of a PDF that an anchor (JSON; NULL: none) names; 0: none. */
int64_t anchor_page(struct ctx *c, const char *anchor);
/* Notes that the artifact has a remark, and asks for its place in the live and newest version. */
enum err spot_put(struct ctx *c, const struct artifact *, const struct spot *);
enum err spot_again(struct ctx *c, const struct artifact *); /* asks for all in the live one */
/* E_NOT_FOUND: there is no such version, or `who` (NULL: nobody) can't see it. */
enum err spot_version(
    struct ctx *c, const struct artifact *, const struct principal *who, int64_t no);
/* spot_version(), with the type of the file at the path (NULL: there is none), and the path of the
 * PDF that it is, or that the page there shows, without a slash before it (NULL: none). */
enum err spot_mime(struct ctx *c, const struct artifact *, const struct principal *who, int64_t no,
    const char *path, const char **mime, const char **pdf);

/* ---- whom ---- */

struct naming {
	const struct artifact *art;
	const struct principal *who;
	const char *comment_id, *text;
	const struct strs *field; /* ids and addresses; NULL: none */
};
/* Records and mails the people that a comment, whose row exists, mentions, in its text and in the
 * field; earlier ones of it aren't mailed again. E_INVALID: `who` may not mention somebody in the
 * field. Others in the text stay text. */
enum err named_write(struct ctx *c, const struct naming *);

/* Lists people whom `who` (NULL: nobody) can mention on the artifact: with a role, and q of two
 * characters or more, those of the artifact and its workspace whose name or address contains q;
 * without, those who are in threads of `who`, and the people of their client there. */
#define NAMED_PERSON(F, T) \
	F(T, ID,    id,    .arg = "usr_") \
	F(T, STR,   name,  .doc = "Can be empty") \
	F(T, EMAIL, email, .flags = F_NUL, \
		.doc = "null unless you both have a role on the artifact")
SHAPE_DECLARE(named_person, NAMED_PERSON);
#define NAMED_PEOPLE(F, T) F(T, LIST, people, .sub = &named_person_shape, .doc = "At most 20")
SHAPE_DECLARE(named_people, NAMED_PEOPLE);
#define NAMED_QUERY(F, T) F(T, STR, q, .hi = 200, .doc = "Part of the name or address")
SHAPE_DECLARE(named_query, NAMED_QUERY);
enum err named_search(struct ctx *c, const struct artifact *, const struct principal *who,
    const char *q, struct list *out);
#endif
