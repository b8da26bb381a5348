/* SPDX-License-Identifier: Apache-2.0
 * A person's inbox: what waits for them, what they should know, and what is done. Items are read
 * through the rights of the moment: one whose artifact or workspace the person can't open any more
 * isn't listed or counted. item.h is for those who write items. Source: inbox/README.md. */
#ifndef VITRINE_INBOX_H
#define VITRINE_INBOX_H
#include "base/principal.h"
#include "inbox/item.h"

#define INBOX_BOXES "waiting|know|done"
#define INBOX_WAYS "page|mail|digest|off"

/* A kind, as INBOX() declares it. */
struct inbox_kind {
	const char *word, *badge;
	const char *title; /* in the settings */
	const char *ways;  /* of INBOX_WAYS that a person can choose; the first is the default */
};
extern const struct inbox_kind inbox_kinds[]; /* an empty one ends it */
const struct inbox_kind *inbox_kind(const char *word); /* NULL: there is none */
const char *inbox_kind_words(void *mem);               /* all, as "approval, review, or …" */

/* A sort, as ITEM() declares it. Paths have {subject}, {artifact}, {workspace}, and {id}. */
struct inbox_form {
	const char *word, *kind, *box, *need;
	const char *verb, *tail; /* the title: actor, verb, thing, tail, with {word} and {n} */
	const char *path;        /* where it leads */
	const char *open;        /* says the link there; NULL: the title is the link */
	/* Forms that decide it on the page. */
	struct inbox_button {
		const char *label, *path, *field, *value;
	} buttons[2];
};
extern const struct inbox_form inbox_forms[]; /* by enum inbox_sort; an empty one ends it */
const struct inbox_form *inbox_form(const char *sort); /* NULL: this program doesn't know it */

#define INBOX_REF(F, T) \
	F(T, STR, id) \
	F(T, STR, name)
SHAPE_DECLARE(inbox_ref, INBOX_REF);
#define INBOX_ACT(F, T) \
	F(T, STR, label) \
	F(T, STR, action) \
	F(T, STR, field) \
	F(T, STR, value)
SHAPE_DECLARE(inbox_act, INBOX_ACT);
#define INBOX_ITEM(F, T) \
	F(T, ID,   id,         .arg = "inb_") \
	F(T, STR,  kind,       .doc = "As in GET /v1/inbox/settings", .eg = "\"approval\"") \
	F(T, WORD, box,        .arg = INBOX_BOXES) \
	F(T, STR,  title,      .doc = "A sentence without a period", \
		.eg = "\"Ann asks to make Report public\"") \
	F(T, STR,  excerpt,    .flags = F_NUL, .doc = "What somebody wrote, up to 140 characters") \
	F(T, URL,  url) \
	F(T, OBJ,  actor,      .flags = F_NUL, .sub = &inbox_ref_shape) \
	F(T, OBJ,  artifact,   .flags = F_NUL, .sub = &inbox_ref_shape) \
	F(T, OBJ,  workspace,  .flags = F_NUL, .sub = &inbox_ref_shape) \
	F(T, INT,  n,          .doc = "How often it has happened while the item was open") \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	F(T, BOOL, seen) \
	F(T, BOOL, done) \
	F(T, STR,  sort,       .flags = F_HID) \
	F(T, STR,  subject,    .flags = F_HID) \
	F(T, STR,  who,        .flags = F_HID) \
	F(T, STR,  thing,      .flags = F_HID) \
	F(T, STR,  word,       .flags = F_HID) \
	F(T, TIME, ends_at,    .flags = F_HID) \
	F(T, STR,  place,      .flags = F_HID) \
	F(T, BOOL, by_grant,   .flags = F_HID, .doc = "Only grants can show its artifact") \
	F(T, INT,  total,      .flags = F_HID) \
	F(T, STR,  lead,       .flags = F_HID, .doc = "Who did it; NULL: nobody") \
	F(T, STR,  verb,       .flags = F_HID) \
	F(T, STR,  about,      .flags = F_HID) \
	F(T, STR,  tail,       .flags = F_HID) \
	F(T, STR,  path,       .flags = F_HID) \
	F(T, STR,  badge,      .flags = F_HID) \
	F(T, STR,  open,       .flags = F_HID) \
	F(T, BOOL, decided,    .flags = F_HID, .doc = "Its noun alone ends it") \
	F(T, LIST, acts,       .flags = F_HID, .sub = &inbox_act_shape)
SHAPE_DECLARE(inbox_item, INBOX_ITEM);

#define INBOX_QUERY(F, T) \
	F(T, WORD, box,  .arg = INBOX_BOXES, .def = "waiting") \
	F(T, STR,  kind, .hi = 20, .doc = "One kind only, such as approval") \
	WAIT_FIELDS(F, T) \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(inbox_query, INBOX_QUERY);
#define INBOX_COUNTS(F, T) \
	F(T, INT, waiting) \
	F(T, INT, know, .doc = "That you haven't seen")
SHAPE_DECLARE(inbox_counts, INBOX_COUNTS);
#define INBOX_PART(F, T) \
	F(T, LIST, items,       .sub = &inbox_item_shape) \
	F(T, OBJ,  counts,      .sub = &inbox_counts_shape, .doc = "Of all kinds; at most 1,000") \
	F(T, INT,  change_no,   .doc = "Another number after each change of your inbox") \
	F(T, STR,  next_cursor, .flags = F_NUL)
SHAPE_DECLARE(inbox_part, INBOX_PART);

/* Lists the items of a box, those that changed last first. */
enum err inbox_list(struct ctx *c, const struct principal *who, const struct inbox_query *,
    struct inbox_part *out);
/* Reads the newest five that wait, and how many wait (at most 100), in one statement. For the
 * header. */
enum err inbox_newest(
    struct ctx *c, const struct principal *who, struct list *items, int64_t *n);
/* For the daily mail, within its transaction: marks what is new to it as listed, and reads the
 * newest `most` of those that they may still see. *n: how many there are. */
enum err inbox_listed(struct ctx *c, const struct principal *who, int64_t most,
    struct list *items, int64_t *n);
enum err inbox_unlist(struct ctx *c, const char *user_id); /* undoes that */
/* E_NOT_FOUND if the item isn't theirs, or they can't open the thing that it is about. */
enum err inbox_get(
    struct ctx *c, const struct principal *who, const char *id, struct inbox_item **out);

#define INBOX_EDIT(F, T) \
	F(T, BOOL, seen, .eg = "true") \
	F(T, BOOL, done)
SHAPE_DECLARE(inbox_edit, INBOX_EDIT);
/* E_CONFLICT: done of a thing that is decided elsewhere. */
enum err inbox_change(struct ctx *c, const struct principal *who, const char *id,
    const struct inbox_edit *, struct inbox_item **out);

#define INBOX_SEEN(F, T) \
	F(T, STRS, ids,    .hi = 200, .item = K_ID, .arg = "inb_") \
	F(T, TIME, before, .doc = "Or: all that changed by then", .eg = "1700000000")
SHAPE_DECLARE(inbox_seen, INBOX_SEEN);
enum err inbox_see(struct ctx *c, const struct principal *who, const struct inbox_seen *);

/* How a person hears of each kind: settings.c. */
#define INBOX_WAY(F, T) \
	F(T, STR,  kind) \
	F(T, STR,  title) \
	F(T, WORD, way,  .arg = INBOX_WAYS) \
	F(T, STRS, ways, .doc = "That can be chosen")
SHAPE_DECLARE(inbox_way, INBOX_WAY);
#define INBOX_SETTINGS(F, T) \
	F(T, LIST, kinds,     .sub = &inbox_way_shape) \
	F(T, STR,  digest_at, .doc = "When the daily mail comes", .eg = "\"08:00\"") \
	F(T, STR,  zone,      .doc = "Time zone of that", .eg = "\"UTC\"")
SHAPE_DECLARE(inbox_settings, INBOX_SETTINGS);
#define INBOX_SETTINGS_EDIT(F, T) \
	F(T, JSON, ways,      .arg = "object", .hi = 2000, \
		.doc = "A way for each kind to change; mail (at once) and digest (once a day) " \
		       "include the inbox, off is neither", \
		.eg = "{\"mention\":\"page\"}") \
	F(T, STR,  digest_at, .lo = 5, .hi = 5, .doc = "A time of the day", .eg = "\"08:00\"") \
	F(T, STR,  zone,      .lo = 1, .hi = 64, .doc = "IANA time zone", \
		.eg = "\"Europe/Dublin\"")
SHAPE_DECLARE(inbox_settings_edit, INBOX_SETTINGS_EDIT);
enum err inbox_settings_get(
    struct ctx *c, const struct principal *who, struct inbox_settings *out);
/* E_INVALID for an unknown kind, a way that it doesn't have, no such time or zone. */
enum err inbox_settings_put(
    struct ctx *c, const struct principal *who, const struct inbox_settings_edit *);
#endif
