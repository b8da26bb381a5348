/* SPDX-License-Identifier: Apache-2.0
 * A shape is one list of fields that makes a C struct, the validator of input, the map from
 * columns, the JSON writer and the OpenAPI schema:
 *
 *	#define FOLDER_NEW(F, T) \
 *		F(T, STR, name,      .flags = F_REQ, .lo = 1, .hi = 120) \
 *		F(T, ID,  parent_id, .flags = F_NUL, .arg = "fld_")
 *	SHAPE_DECLARE(folder_new, FOLDER_NEW);    in a header
 *	SHAPE_DEFINE(folder_new, FOLDER_NEW);     in one source file
 * or, for a shape that one source file alone uses:
 *	SHAPE(folder_new, FOLDER_NEW);
 *
 * Kinds. STR, ID, EMAIL, SLUG, URL, WORD: const char *; .arg is an ID's prefix and a WORD's words
 * ("a|b|c"). INT, TIME, DATETIME: int64_t; TIME is written as Unix seconds, DATETIME as RFC 3339;
 * either is read from both forms, with fraction and zone, rounded down. NUM: double. BOOL. STRS:
 * struct strs. LIST: struct list of .sub. OBJ: pointer to .sub's struct. JSON: const char *, the
 * text of any value, with numbers as sent; .arg "object" or "array" narrows it; .sub describes its
 * members in the schema but checks nothing.
 *
 * .lo and .hi limit the characters of a text, a number, a time, a count, or the bytes of JSON. .hi
 * 0 means no limit (for a time: the end of the year 9999; ids, addresses and slugs have limits of
 * their own). .lo always applies, so an INT refuses negative numbers unless .lo is negative; a NUM
 * needs both or neither. A STR with .hi is text for people: one line as str_plain() accepts it, or
 * several with F_LONG as str_plain_lines() does, converted to NFC unless it is F_SECRET.
 * email_read() reads an EMAIL. In STRS, .item is the items' kind (default STR), .arg belongs to
 * them, .item_lo and .item_hi limit their length; errors name the item's index.
 *
 * Queries and forms allow every kind but LIST, OBJ and JSON. A value of STRS is split at commas (of
 * EMAIL items as emails_typed() does), and the parameter may be repeated: groups=a,b&groups=c gives
 * three. An empty item is refused.
 *
 * has.x is ABSENT, GIVEN or NULLED, so a PATCH can tell absent from null. In JSON, null for a field
 * without F_NUL counts as absent, unless the field is required. A list of fields states facts about
 * single fields; rules that join fields belong in the domain function. Unknown fields are ignored;
 * base/unknown.h warns of them. */
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
	F_OPT = 4,  /* left out of output if NULL or ABSENT */
	F_HID = 8,  /* for the program only: not read, written or described */
	F_LONG = 16, /* text of several lines: line ends and tabs are allowed */
	F_CLAMP = 32, /* INT: a value above hi becomes hi, with a warning */
	F_SECRET = 64, /* of a form: never shown again */
	F_ONE = 128 /* STRS: a single text becomes a list of one */
};

struct strs {
	const char **v;
	size_t n;
};
bool strs_have(const struct strs *, const char *value);
/* Appends value, which isn't copied. list->v belongs to owner. */
void strs_add(void *owner, struct strs *list, const char *value);
/* Returns those that are among words ("a|b|c"). */
struct strs strs_among(void *owner, const struct strs *, const char *words);
/* Returns the parts of text between such characters, without empty ones. text may be NULL. */
struct strs strs_split(void *owner, const char *text, char between);
/* Returns all texts, with `between` between two of them; "" if there is none. */
const char *strs_join(void *owner, const struct strs *, const char *between);
struct list {
	void *v; /* array of the sub-shape's struct */
	size_t n;
};

struct shape;
struct field {
	const char *name; /* in C, and on the wire unless .wire is set */
	enum kind kind;
	size_t off, has;  /* offsets of the member and of its has byte */
	unsigned flags;
	int64_t lo, hi;
	enum kind item;   /* kind of the items of STRS */
	int64_t item_lo, item_hi;
	const char *arg;
	const struct shape *sub;
	const char *wire;
	const char *def;  /* queries and forms: the value if absent */
	const char *doc;
	/* The value in the documents' examples, as JSON. An optional field appears in them only if
	 * it has one. For LIST and OBJ "{}" takes the examples of .sub. */
	const char *eg;
};
struct shape {
	const char *name;
	size_t size; /* of the struct */
	const struct field *fields;
	size_t n;
};

/* Fields of a list's query: the number of rows, and where the page begins. */
enum { PAGE_MAX = 200 };
#define PAGE_LIMIT(F, T) \
	F(T, INT, limit, .flags = F_CLAMP, .lo = 1, .hi = PAGE_MAX, .def = "50", \
		.doc = "Values above 200 are treated as 200")
#define PAGE_FIELDS(F, T, cursor_chars) \
	PAGE_LIMIT(F, T) \
	F(T, STR, cursor, .hi = cursor_chars)
/* Fields of a list that has a change_no, which another request may wait for (http/await.h). */
#define WAIT_FIELDS(F, T) \
	F(T, INT, since, .lo = 0, .hi = 9007199254740991, \
		.doc = "With wait: the change_no that you know; default: the present one") \
	F(T, INT, wait,  .lo = 1, .hi = 50, \
		.doc = "Seconds to wait until change_no isn't since. It may end earlier: ask again")

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
/* The struct comes with a typed list, which struct list also holds without its type, and with the
 * type that db/db.h's ROWS() returns: a statement, and the types its rows may be read into (both
 * NULL). */
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
/* Makes a struct list with the value of `made`, an expression that uses `row`, for each row of a
 * shape's list. */
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
/* Declares and defines a shape for one source file; T_shape is static. */
#define SHAPE(T, FIELDS) \
	SHAPE_STRUCTS_(T, FIELDS); \
	SHAPE_FIELDS_(T, FIELDS); \
	static const struct shape T##_shape = SHAPE_VALUE_(T)

struct json;

/* Reads a JSON object into a new struct in c->mem. E_INVALID names the first wrong field
 * ("files[3].path: must be a string"). */
enum err shape_read(struct ctx *c, const struct shape *, const struct json *, void **out);
/* Returns a text in quotes, cut, for an error message. */
const char *value_quoted(struct ctx *c, const char *text);
/* Like shape_read(), from decoded name=value pairs of a query or form. Ignores a pair that no field
 * names; a repeated one is E_INVALID unless its field is STRS. A value NULL counts as null. */
struct pair {
	const char *name, *value;
};
enum err
shape_read_pairs(struct ctx *c, const struct shape *, const struct pair *, size_t n, void **out);
/* Returns the first value of this name; NULL: no pair has it. */
const char *pair_value(const struct pair *, size_t n, const char *name);
/* Writes the fields of a value, without the braces, and with a comma before them if one is due. */
void shape_write_fields(struct buf *, const struct shape *, const void *value);
void
shape_write(struct buf *, const struct shape *, const void *value); /* an object; NULL gives null */
/* An object or list whose fields code reads by their names. n is the number of structs in v; an
 * object that is absent has 0, and its fields are absent, too. */
struct shaped {
	const struct shape *shape;
	const void *v;
	size_t n;
	bool list;
};
struct shaped shaped_at(struct shaped, size_t i);
struct shaped shaped_of(struct shaped, const char *name); /* of OBJ or LIST */
/* Write a part, or the value of a field, without members that are null, also within JSON. */
void shaped_write(struct buf *, struct shaped);
void shaped_write_field(struct buf *, struct shaped, const char *name);
bool shaped_has(struct shaped, const char *name); /* has a value */
const char *shaped_text(struct shaped, const char *name); /* of a text or JSON, or NULL */
bool shaped_true(struct shaped, const char *name);
const struct strs *shaped_strs(struct shaped, const char *name);
/* shape_write()'s text */
const char *shape_text(void *owner, const struct shape *, const void *value);
/* Writes the shape's JSON schema for OpenAPI 3.1. output: describes what we write instead of what
 * we accept. */
void shape_schema(struct buf *, const struct shape *, bool output);
void shape_field_schema(struct buf *, const struct field *); /* of one field, for parameters */
/* NULL if there is none */
const struct field *shape_field(const struct shape *, const char *wire_name);
/* Says why a shape can't be used in this way ("files.path: has no .arg with its words"); NULL if it
 * can. */
enum shape_use { SHAPE_BODY, SHAPE_PAIRS, SHAPE_ANSWER };
const char *shape_wrong(void *owner, const struct shape *, enum shape_use);
#define field_wire(f) ((f)->wire ? (f)->wire : (f)->name)
#endif
