/* SPDX-License-Identifier: Apache-2.0
 * vitrine.yaml: a file at the root of what is published, which says what of an artifact's data
 * there should be: tables, rules, a document. It is applied when its version goes live, in that
 * transaction. It makes and adds; what somebody has changed by hand since stays, and is reported
 * as drift.
 *
 * A section belongs to a noun, which has DECLARES at the bottom of its file and DECLARED in its
 * noun.def. They are applied in the order of these lines. */
#ifndef VITRINE_DECLARE_H
#define VITRINE_DECLARE_H
#include "base/buf.h"
#include "base/frontmatter.h"
#include "core/artifact.h"

#define DECLARE_FILE "vitrine.yaml"
enum { DECLARE_BYTES = 256 << 10, DECLARE_NODES = 80000 };

#define PLAN_ACTIONS "add|change|keep|drift"
#define PLAN_STEP(F, T) \
	F(T, WORD, action, .arg = PLAN_ACTIONS, \
		.doc = "drift: it was changed by hand, and stays so") \
	F(T, STR,  what,   .doc = "Such as tables.orders.columns.note") \
	F(T, STR,  before, .flags = F_NUL, .doc = "What is there; null: nothing") \
	F(T, STR,  after,  .flags = F_NUL, .doc = "What " DECLARE_FILE " says; null: nothing") \
	F(T, INT,  line,   .flags = F_NUL, .doc = "Of " DECLARE_FILE)
SHAPE_DECLARE(plan_step, PLAN_STEP);

struct declaring {
	struct ctx *c;
	const struct artifact *art; /* as its owner sees it; id NULL: it doesn't exist yet */
	const struct principal *who;
	const struct fm *top;  /* the file; NULL: declare_apply() reads it */
	const struct fm *last; /* what was applied last; NULL: nothing */
	bool dry;   /* only make the plan */
	bool reset; /* also change what was changed by hand */
	bool opens; /* strangers can open the artifact once this is committed */
	struct plan_step_list plan;
	size_t room;             /* of plan.v */
	struct buf marks;        /* JSON members: digests of things, by section.name */
	const struct json *made; /* such an object of what was applied last; NULL: none */
};

/* A thing that has a name in its section, such as a job, as it is now. */
#define DECLARED_THING(F, T) \
	F(T, STR, id) \
	F(T, STR, mark, .doc = "Digest of what the section can say of it; DECLARED_MARK()")
SHAPE_DECLARE(declared_thing, DECLARED_THING);
#define DECLARED_MARK(...) "MD5(JSON_ARRAY(" __VA_ARGS__ ")) AS mark" /* SQL */

/* A section has apply(), or is one of things. E_INVALID and E_CONFLICT by fm_fail() and
 * declare_conflict(). */
struct declares {
	const char *section;
	/* wanted: the section; last: as it was applied last, or NULL. */
	enum err (*apply)(
	    struct declaring *, const struct fm *wanted, const struct fm *last);
	/* A section of things has these instead of apply(). A thing whose mark differs from the one
	 * that it was stored with last was made or changed by hand. */
	const char *fields; /* a bar-list */
	const char *of; /* a field, or NULL: things of the same name differ by its text */
	/* *out is NULL if the artifact, which exists, has no such thing. */
	enum err (*find)(struct declaring *, const struct fm *wanted, struct declared_thing **out);
	/* Changes the old thing; makes one if old is NULL. With d->dry only checks it. */
	enum err (*store)(
	    struct declaring *, const struct fm *wanted, const struct declared_thing *old);
};
#define DECLARES(name_, ...) \
	extern const struct declares name_##_declares; \
	const struct declares name_##_declares = { .section = #name_, __VA_ARGS__ }

/* ---- for the sections ---- */

enum declared { DECLARED_KEEP, DECLARED_ADD, DECLARED_CHANGE, DECLARED_DRIFT };
/* Compares what is there, what was applied last, and what is wanted; each may be NULL. */
enum declared declare_decide(
    const struct declaring *, const char *now, const char *last, const char *wanted);
void declare_step(struct declaring *, enum declared, const char *what, const char *before,
    const char *after, const struct fm *at);
/* Decides about a value, and adds the step. Returns true if the value is to be stored. */
bool declare_value(struct declaring *, const char *what, const char *now, const char *last,
    const char *wanted, const struct fm *at);
/* True if `drop` names it, such as "orders" or "orders.note". */
bool declare_drops(const struct declaring *, const char *what);
/* Like fm_fail(), with E_CONFLICT. */
enum err declare_conflict(struct declaring *, const struct fm *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* E_INVALID unless it is a map of members from the bar-list. names NULL: of any. */
enum err declare_map(struct declaring *, const struct fm *, const char *names);

/* Finds a member that must be a text. E_INVALID. */
enum err declare_text(
    struct declaring *, const struct fm *map, const char *name, const struct fm **out);

/* Reads the wanted thing as a value of the shape, with its name, the artifact's id, and more (may
 * be NULL). E_INVALID like fm_fail(). */
enum err declare_shape(struct declaring *, const struct fm *wanted, const struct json *more,
    const struct shape *, void **out);
/* Fails with E_CONFLICT if the file wants another value of a field that can't change. now: the
 * value that the thing has; NULL: none. */
enum err declare_fixed(
    struct declaring *, const struct fm *wanted, const char *field, const char *now);
/* Adds the line to an E_INVALID or E_CONFLICT about a thing: that of the field whose name begins
 * the message, or else that of the thing. Returns e; other errors stay as they are. */
enum err declare_blame(struct declaring *, const struct fm *at, enum err e);

/* ---- for a publish ---- */

/* Checks everything that can be checked without the artifact. E_INVALID with details
 * {"line","column"}. *top is the file, as long as the context. */
enum err declare_check(struct ctx *c, const char *text, const struct fm **top);
/* True if this text was applied last. */
enum err declare_is_last(struct ctx *c, const char *artifact_id, const char *text, bool *yes);
/* Applies the text to d->art, whose row is locked, or only makes the plan. Sets d->art,
 * top, and last. */
enum err declare_apply(struct declaring *d, const struct artifact *a, const char *text);
#endif
