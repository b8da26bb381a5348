/* SPDX-License-Identifier: Apache-2.0
 * A shape is one list of fields that is at once the C struct, the validator of input, the map
 * from columns, the JSON writer and the OpenAPI schema:
 *
 *	#define FOLDER_NEW(F, T) \
 *		F(T, STR, name,      .flags = F_REQ, .lo = 1, .hi = 120) \
 *		F(T, ID,  parent_id, .flags = F_NUL, .arg = "fld_")
 *	SHAPE_DECLARE(folder_new, FOLDER_NEW);    in a header
 *	SHAPE_DEFINE(folder_new, FOLDER_NEW);     in one source file
 * or, for a shape that one source file alone uses:
 *	SHAPE(folder_new, FOLDER_NEW);
 *
 * Kinds: STR ID EMAIL SLUG URL WORD (const char *; WORD's arg is "a|b|c", ID's arg the prefix),
 * INT TIME DATETIME (int64_t; TIME is written as Unix seconds, DATETIME as RFC 3339,
 * "2026-01-02T03:04:05Z"; both are read from either, with fraction and zone, rounded down), NUM
 * (double), BOOL, STRS (struct strs),
 * LIST (struct list of .sub), OBJ (pointer to .sub's struct), JSON (const char *, the text of
 * any value, numbers as they were sent; arg "object" or "array" narrows it, and .sub names members
 * in the schema, for programs that refuse one without, but checks none).
 *
 * lo and hi bound the length in characters, the number, the time, the count, or JSON's bytes. hi 0
 * = unbounded (a time: the end of the year 9999; an id, an address or a slug has its own limit). lo
 * holds always, so an INT refuses negative numbers unless .lo says otherwise; of a NUM both hold or
 * neither. A STR with hi is text for people, of one line as str_plain() has it, with F_LONG of
 * several as str_plain_lines() has them; it is read in NFC, unless it is F_SECRET. An EMAIL is read
 * as email_read() has it.
 * STRS: .item is the kind of the items (STR when not given), arg is theirs, .item_lo and .item_hi
 * bound their length; what is said of one names its index.
 *
 * Query strings and forms take every kind but LIST, OBJ and JSON. Of STRS each value is cut at its
 * commas, and the parameter may be repeated: groups=a,b&groups=c gives three; an empty item is
 * refused. Of EMAIL items it is cut as emails_typed() does.
 *
 * has.x is ABSENT, GIVEN or NULLED, so a PATCH tells absent from null. Without F_NUL null is absent
 * in JSON, unless the field is required. Only single-field facts
 * belong in a list; rules that join fields are plain lines in the domain function. Unknown fields
 * are ignored; base/unknown.h names them. */
#ifndef VITRINE_SHAPE_H
#define VITRINE_SHAPE_H
#include "base/buf.h"
#include "base/ctx.h"

enum kind {
	K_STR,
	K_ID,
	K_EMAIL,
	K_SLUG,
	K_URL,
	K_WORD,
	K_INT,
	K_TIME,
	K_DATETIME,
	K_NUM,
	K_BOOL,
	K_STRS,
	K_LIST,
	K_OBJ,
	K_JSON
};
enum has { ABSENT, GIVEN, NULLED };
enum {
	F_REQ = 1,  /* must be given */
	F_NUL = 2,  /* may be null */
	F_OPT = 4,  /* left out of output when NULL or ABSENT */
	F_HID = 8,  /* for the program only: neither read, written nor described */
	F_LONG = 16, /* text of several lines: line ends and tabs are allowed */
	F_CLAMP = 32, /* INT: more than hi is taken as hi, and the caller warned */
	F_SECRET = 64, /* of a form: never shown again, whatever becomes of the form */
	F_ONE = 128 /* STRS: a single text is taken as a list of it */
};

struct strs {
	const char **v;
	size_t n;
};
bool strs_have(const struct strs *, const char *value);
struct list {
	void *v; /* array of the sub-shape's struct */
	size_t n;
};

struct shape;
struct field {
	const char *name; /* in C and on the wire, unless wire says otherwise */
	enum kind kind;
	size_t off, has;  /* offsets of the member and of its has byte */
	unsigned flags;
	int64_t lo, hi;
	enum kind item;   /* of STRS */
	int64_t item_lo, item_hi;
	const char *arg;
	const struct shape *sub;
	const char *wire;
	const char *def;  /* query strings: the value when absent */
	const char *doc;
	/* In the documents' examples, as JSON; an optional field that has one stands in them. Of
	 * LIST and OBJ it is "{}", which .sub's examples fill. */
	const char *eg;
};
struct shape {
	const char *name;
	size_t size; /* of the struct */
	const struct field *fields;
	size_t n;
};

/* In the query of a list: how many rows at once, and from where on. */
enum { PAGE_MAX = 200 };
#define PAGE_LIMIT(F, T) \
	F(T, INT, limit, .flags = F_CLAMP, .lo = 1, .hi = PAGE_MAX, .def = "50", \
		.doc = "Values above 200 are treated as 200")
#define PAGE_FIELDS(F, T, cursor_chars) \
	PAGE_LIMIT(F, T) \
	F(T, STR, cursor, .hi = cursor_chars)

#define CTYPE_STR const char *
#define CTYPE_ID const char *
#define CTYPE_EMAIL const char *
#define CTYPE_SLUG const char *
#define CTYPE_URL const char *
#define CTYPE_WORD const char *
#define CTYPE_INT int64_t
#define CTYPE_TIME int64_t
#define CTYPE_DATETIME int64_t
#define CTYPE_NUM double
#define CTYPE_BOOL bool
#define CTYPE_STRS struct strs
#define CTYPE_LIST struct list
#define CTYPE_OBJ void *
#define CTYPE_JSON const char *

#define SHAPE_MEMBER_(T, KIND, NAME, ...) CTYPE_##KIND NAME;
#define SHAPE_HAS_(T, KIND, NAME, ...) uint8_t NAME;
#define SHAPE_FIELD_(T, KIND, NAME, ...) \
	{ .name = #NAME, .kind = K_##KIND, .off = offsetof(struct T, NAME), \
	    .has = offsetof(struct T, has.NAME), ##__VA_ARGS__ },
/* With the struct come a list of it, which struct list holds too but forgets whose it is, and what
 * db/db.h's ROWS() gives: a statement, and the types that its rows may be left in (both NULL). */
struct stmt;
#define SHAPE_STRUCTS_(T, FIELDS) \
	struct T { \
		FIELDS(SHAPE_MEMBER_, T) \
		struct { FIELDS(SHAPE_HAS_, T) } has; \
	}; \
	struct T##_list { \
		struct T *v; \
		size_t n; \
	}; \
	struct T##_rows { \
		struct stmt *stmt; \
		struct T **row; \
		struct T##_list *list; \
	}
#define SHAPE_DECLARE(T, FIELDS) \
	SHAPE_STRUCTS_(T, FIELDS); \
	extern const struct shape T##_shape
/* A struct list of what `made`, an expression of `row`, makes of each row of a shape's list. */
#define list_made(owner, rows, row, /* made */...) \
	({ \
		const __auto_type rows_ = (rows); \
		__auto_type row = rows_->v; \
		__typeof__(__VA_ARGS__) *const made_ = \
		    mem_zalloc((owner), (rows_->n + 1) * sizeof *made_); \
		for (size_t i_ = 0; i_ < rows_->n; i_++, row++) \
			made_[i_] = (__VA_ARGS__); \
		(struct list){ made_, rows_->n }; \
	})
#define SHAPE_FIELDS_(T, FIELDS) \
	static const struct field T##_fields_[] = { FIELDS(SHAPE_FIELD_, T) }
#define SHAPE_VALUE_(T) \
	{ #T, sizeof(struct T), T##_fields_, sizeof T##_fields_ / sizeof *T##_fields_ }
#define SHAPE_DEFINE(T, FIELDS) \
	SHAPE_FIELDS_(T, FIELDS); \
	const struct shape T##_shape = SHAPE_VALUE_(T)
/* Declares and defines a shape that one source file alone uses; T_shape is static there. */
#define SHAPE(T, FIELDS) \
	SHAPE_STRUCTS_(T, FIELDS); \
	SHAPE_FIELDS_(T, FIELDS); \
	static const struct shape T##_shape = SHAPE_VALUE_(T)

struct json;

/* Reads a JSON object into a new struct. E_INVALID names the first wrong field ("files[3].path:
 * must be a string"). */
enum err shape_read(struct ctx *c, const struct shape *, const struct json *, void **out);
/* The same from decoded name=value pairs of a query string or form; a pair that no field names is
 * ignored, a repeated one is E_INVALID unless its field is STRS. A value NULL is null. */
struct pair {
	const char *name, *value;
};
enum err
shape_read_pairs(struct ctx *c, const struct shape *, const struct pair *, size_t n, void **out);
/* Writes the fields of one value, without the braces. */
void shape_write_fields(struct buf *, const struct shape *, const void *value);
void
shape_write(struct buf *, const struct shape *, const void *value); /* an object; NULL gives null */
const char *shape_text(void *owner, const struct shape *, const void *value); /* the same, alone */
/* The JSON schema of the shape, as OpenAPI 3.1 wants it. output: describe what is written rather
 * than what is accepted. */
void shape_schema(struct buf *, const struct shape *, bool output);
void shape_field_schema(struct buf *, const struct field *); /* of one field, for parameters */
const struct field *shape_field(const struct shape *, const char *wire_name); /* NULL if none */
/* Why a shape can't be used so ("files.path: has no .arg with its words"); NULL when it can. */
enum shape_use { SHAPE_BODY, SHAPE_PAIRS, SHAPE_ANSWER };
const char *shape_wrong(void *owner, const struct shape *, enum shape_use);
#define field_wire(f) ((f)->wire ? (f)->wire : (f)->name)
#endif
