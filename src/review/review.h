/* SPDX-License-Identifier: Apache-2.0
 * Reviews: named people and clients approve exactly the bytes of a version, by its digest
 * (site/digest.h), or send them back. An artifact has one open review at most. Its end shows on the
 * artifact as `reviewed`. All that changes one locks the artifact's row. Source:
 * review/README.md. */
#ifndef VITRINE_REVIEW_H
#define VITRINE_REVIEW_H
#include "core/artifact.h"

enum {
	REVIEW_ASKED = 50,         /* entries */
	REVIEW_CLIENT_PEOPLE = 50, /* of a client that is asked */
	REVIEW_PEOPLE = 200,       /* of all entries together */
	REVIEW_DAYS = 7,
	REVIEW_DAYS_MOST = 90,
	REVIEW_NOTE = 2000
};

#define REVIEW_PERSON(F, T) \
	F(T, ID,    id,    .arg = "usr_") \
	F(T, STR,   name,  .doc = "Can be empty") \
	F(T, EMAIL, email, .flags = F_NUL, \
		.doc = "The address that was asked, or by which they have a role; null if you " \
		       "have no role on the artifact")
SHAPE_DECLARE(review_person, REVIEW_PERSON);
#define REVIEW_CLIENT(F, T) \
	F(T, STR, id) \
	F(T, STR, name, .flags = F_NUL, .doc = "null: it has been deleted")
SHAPE_DECLARE(review_client, REVIEW_CLIENT);

#define REVIEW_ANSWERS "approve|send_back"
#define REVIEW_ENTRY(F, T) \
	F(T, OBJ,  person,    .flags = F_NUL, .sub = &review_person_shape, \
		.doc = "Who is asked; of a client who answered for it") \
	F(T, OBJ,  client,    .flags = F_NUL, .sub = &review_client_shape, \
		.doc = "Any of its people can answer, and the first counts; null: a person") \
	F(T, WORD, answer,    .flags = F_NUL, .arg = REVIEW_ANSWERS) \
	F(T, STR,  note,      .flags = F_NUL) \
	F(T, TIME, at,        .flags = F_NUL) \
	F(T, BOOL, gone, \
		.doc = "They can't answer any more, so the review doesn't wait for them") \
	F(T, ID,   review_id, .flags = F_HID, .arg = "rvw_") \
	F(T, INT,  n,         .flags = F_HID) \
	F(T, WORD, kind,      .flags = F_HID, .arg = "person|client") \
	F(T, STR,  subject_id, .flags = F_HID, .doc = "A person or a client") \
	F(T, STR,  user_id,   .flags = F_HID, .doc = "Who answered") \
	F(T, BOOL, mine,      .flags = F_HID, .doc = "The reader is asked by it")
SHAPE_DECLARE(review_entry, REVIEW_ENTRY);

#define REVIEW_STATUSES "open|approved|sent_back|closed|superseded|expired"
#define REVIEW(F, T) \
	F(T, ID,   id,          .arg = "rvw_") \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, INT,  version_no) \
	F(T, STR,  digest, \
		.doc = "SHA-256 of all that the version serves; an answer names it") \
	F(T, STR,  message,     .flags = F_NUL) \
	F(T, WORD, status,      .arg = REVIEW_STATUSES, \
		.doc = "superseded: a version with another digest was published") \
	F(T, OBJ,  created_by,  .flags = F_NUL, .sub = &review_person_shape, \
		.doc = "null: their account has been deleted") \
	F(T, TIME, created_at) \
	F(T, TIME, due_at) \
	F(T, TIME, decided_at,  .flags = F_NUL) \
	F(T, LIST, asked,       .sub = &review_entry_shape) \
	F(T, BOOL, applies, \
		.doc = "It is approved, and the live version has this digest") \
	F(T, INT,  answered,    .flags = F_HID) /* this and the rest: for pages */ \
	F(T, INT,  needed,      .flags = F_HID) \
	F(T, WORD, my_answer,   .flags = F_HID, .arg = REVIEW_ANSWERS) \
	F(T, URL,  url,         .flags = F_HID, .doc = "The version's; NULL: it has none") \
	F(T, BOOL, may_answer,  .flags = F_HID) \
	F(T, BOOL, may_close,   .flags = F_HID)
SHAPE_DECLARE(review, REVIEW);

#define REVIEW_ASK(F, T) \
	F(T, ID,    user_id,   .flags = F_OPT | F_NUL, .arg = "usr_") \
	F(T, EMAIL, email,     .flags = F_OPT | F_NUL, .eg = "\"ben@example.com\"") \
	F(T, ID,    sharee_id, .flags = F_OPT | F_NUL, .arg = "shr_", .doc = "A client")
SHAPE_DECLARE(review_ask, REVIEW_ASK);
#define REVIEW_NEW(F, T) \
	F(T, INT,  version_no, .flags = F_NUL, .lo = 1, .hi = 2147483647, \
		.doc = "Default: the newest version, which may be a draft") \
	F(T, LIST, ask,        .flags = F_REQ, .lo = 1, .hi = REVIEW_ASKED, \
		.sub = &review_ask_shape, .eg = "{}", \
		.doc = "Each by exactly one of user_id, email and sharee_id. They must be able " \
		       "to comment on the artifact") \
	F(T, TIME, due_at,     .flags = F_NUL, .doc = "Within 90 days; default: in 7 days") \
	F(T, STR,  message,    .flags = F_NUL | F_LONG, .hi = 1000, \
		.doc = "Goes into the e-mail that tells them")
SHAPE_DECLARE(review_new, REVIEW_NEW);

#define REVIEW_ANSWER(F, T) \
	F(T, WORD, answer, .flags = F_REQ, .arg = REVIEW_ANSWERS, .eg = "\"approve\"") \
	F(T, STR,  digest, .flags = F_REQ, .lo = 64, .hi = 64, \
		.doc = "The review's, of what you have seen") \
	F(T, STR,  note,   .flags = F_NUL | F_LONG, .hi = REVIEW_NOTE, \
		.doc = "send_back needs one, or an open thread of yours on that version")
SHAPE_DECLARE(review_answer, REVIEW_ANSWER);

/* Lists the artifact's reviews, newest first; for a caller without a role those that ask them. */
enum err review_list(struct ctx *c, const struct artifact *, const struct principal *who,
    const struct page_query *, struct review_list *out, const char **next);
/* E_NOT_FOUND, also for a caller without a role whom it doesn't ask. */
enum err review_get(struct ctx *c, const struct artifact *, const struct principal *who,
    const char *id, struct review **out);
/* Begins a review, and mails the people who are asked. *id is the new id. E_INVALID names the entry
 * of somebody who can't comment on the artifact; E_NOT_FOUND: no such version; E_CONFLICT: another
 * one is open. */
enum err review_ask_people(struct ctx *c, const struct artifact *, const struct principal *who,
    const struct review_new *, const char **id);
/* Records an answer; a person's last one counts. It also decides a pending approval of the version,
 * if the person may (site/approval.h). The last answer ends the review. E_DENIED: not asked;
 * E_CONFLICT: it is over, or somebody else has answered for the client; E_VERSION_CONFLICT: another
 * digest; E_INVALID: nothing says why it is sent back; E_PAUSED. */
enum err review_answer_it(struct ctx *c, const struct artifact *, const struct principal *who,
    const char *id, const struct review_answer *);
/* Closes an open review, for who asked, and the owner. E_DENIED, E_CONFLICT. */
enum err review_close(struct ctx *c, const struct artifact *, const struct principal *who,
    const char *id);
#endif
