/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shape.h"

#include "base/email.h"
#include "base/id.h"
#include "base/json.h"
#include "base/num.h"
#include "base/str.h"
#include "base/unicode.h"

#include <math.h>

bool
strs_have(const struct strs *all, const char *value)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->v[i], value))
			return true;
	return false;
}

void
strs_add(void *owner, struct strs *list, const char *value)
{
	list->v = mem_grow(owner, list->v, (list->n + 1) * sizeof *list->v);
	list->v[list->n++] = value;
}

const char *
strs_join(void *owner, const struct strs *list, const char *between)
{
	struct buf b = BUF(owner);

	for (size_t i = 0; i < list->n; i++)
		buf_fmt(&b, "%s%s", i ? between : "", list->v[i]);
	return buf_done(&b);
}

const char *
pair_value(const struct pair *pairs, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(pairs[i].name, name))
			return pairs[i].value;
	return NULL;
}

#define MEMBER(type, value, f) (*(type *)((char *)(value) + (f)->off))
#define HAS(value, f) (*((uint8_t *)(value) + (f)->has))

static enum err read_object(
    struct ctx *c, const char *where, const struct shape *, const struct json *, void *into);

static bool
kind_is_text(enum kind k)
{
	return k <= K_WORD;
}

static bool
kind_is_time(enum kind k)
{
	return k == K_TIME || k == K_DATETIME;
}

/* ---- one value ---- */

enum { QUOTED_CHARS = 80 };

const char *
value_quoted(struct ctx *c, const char *text)
{
	struct buf b = BUF(c->mem);

	buf_json(&b, str_cut(c->mem, text, QUOTED_CHARS));
	return buf_done(&b);
}

/* Returns a value for an error message; only its kind if a text is expected, which may be a secret.
 */
static const char *
quoted_json(struct ctx *c, const struct field *f, const struct json *j)
{
	static const char *const name[] = { "null", "true or false", "a number", "a number",
		"a string", "an array", "an object" };
	enum json_kind k = json_kind(j);

	if (k >= J_ARR || kind_is_text(f->kind))
		return name[k];
	return k == J_STR ? value_quoted(c, json_str(j))
			  : str_cut(c->mem, json_text(c->mem, j), QUOTED_CHARS);
}

/* Different keyboards compose characters differently, so texts are stored in one form. */
static const char *
text_form(struct ctx *c, const struct field *f, const char *s)
{
	const char *email = f->kind == K_EMAIL ? email_read(c->mem, s) : NULL;

	return f->kind == K_STR && f->hi && !(f->flags & F_SECRET) ? unicode_composed(c->mem, s)
	    : email						  ? email
								  : s;
}

static enum err
check_text(struct ctx *c, const char *where, const struct field *f, const char **text)
{
	const char *s = *text = text_form(c, f, *text);
	int64_t chars = (int64_t)str_chars(s);

	if (f->kind == K_ID && !id_valid(s, f->arg ? f->arg : ""))
		return fail(c, E_INVALID, "%s: must be an ID that starts with %s, not %s", where,
		    f->arg, value_quoted(c, s));
	if (f->kind == K_WORD && !str_in(s, f->arg))
		return fail(c, E_INVALID, "%s: must be %s, not %s", where,
		    str_or(c->mem, f->arg), value_quoted(c, s));
	if (f->kind == K_EMAIL && !email_read(c->mem, s))
		return fail(c, E_INVALID, "%s: %s", where, email_wrong(c->mem, s));
	if (f->kind == K_URL && !str_http_url(s))
		return fail(c, E_INVALID,
		    "%s: must be an http:// or https:// address of at most 2,048 characters",
		    where);
	if (f->kind == K_SLUG && !slug_valid(s))
		return fail(c, E_INVALID,
		    "%s: must be %lld to %lld characters: "
		    "a-z, 0-9, and single hyphens between them",
		    where, (long long)(f->lo ? f->lo : 1), (long long)(f->hi ? f->hi : 63));
	if (chars < f->lo && f->lo == 1)
		return fail(c, E_INVALID, "%s: must not be empty", where);
	if (chars < f->lo)
		return fail(c, E_INVALID, "%s: must be at least %lld characters", where,
		    (long long)f->lo);
	if (f->hi && chars > f->hi)
		return fail(c, E_INVALID, "%s: has %lld characters; the maximum is %lld",
		    where, (long long)chars, (long long)f->hi);
	/* A length limit marks text for people, which must not have control characters or
	 * bidirectional overrides. */
	if (f->kind == K_STR && f->hi && !(f->flags & F_LONG ? str_plain_lines(s) : str_plain(s)))
		return fail(c, E_INVALID,
		    "%s: must not contain control characters, "
		    "bidirectional overrides or noncharacters", where);
	return E_OK;
}

static const int64_t last_second = 253402300799; /* 9999-12-31T23:59:59Z */

static enum err
check_int(struct ctx *c, const char *where, const struct field *f, int64_t v)
{
	int64_t hi = f->hi ? f->hi : f->kind == K_INT ? INT64_MAX : last_second;

	if ((v < f->lo || v > hi) && f->kind == K_DATETIME)
		return fail(c, E_INVALID, "%s: is out of range; it must be from %s to %s", where,
		    str_rfc3339(c->mem, f->lo), str_rfc3339(c->mem, hi));
	if (v < f->lo || v > hi)
		return fail(c, E_INVALID, "%s: %lld is out of range; it must be from %lld to %lld",
		    where, (long long)v, (long long)f->lo, (long long)hi);
	return E_OK;
}

/* Returns hi for a larger value if the field has F_CLAMP, and warns the caller. */
static int64_t
int_clamped(struct ctx *c, const char *where, const struct field *f, int64_t v)
{
	if (!(f->flags & F_CLAMP) || v <= f->hi)
		return v;
	warn(c, "%s: the maximum is %lld, which was used instead of %lld", where,
	    (long long)f->hi, (long long)v);
	return f->hi;
}

static enum err
check_num(struct ctx *c, const char *where, const struct field *f, double v)
{
	if (!isfinite(v))
		return fail(c, E_INVALID, "%s: the number is too large", where);
	if (f->hi && (v < (double)f->lo || v > (double)f->hi))
		return fail(c, E_INVALID, "%s: must be from %lld to %lld, not %g", where,
		    (long long)f->lo, (long long)f->hi, v);
	return E_OK;
}

static enum err
read_datetime(
    struct ctx *c, const char *where, const struct field *f, const char *text, int64_t *out)
{
	if (!str_from_rfc3339(text, out) && !str_int(text, out))
		return fail(c, E_INVALID,
		    "%s: must be a time such as 2026-01-02T03:04:05Z, or Unix seconds, not %s",
		    where, value_quoted(c, text));
	return check_int(c, where, f, *out);
}

static enum err
check_count(struct ctx *c, const char *where, const struct field *f, size_t n)
{
	if ((int64_t)n < f->lo)
		return fail(c, E_INVALID, "%s: must have at least %lld %s, not %zu", where,
		    (long long)f->lo, f->lo == 1 ? "entry" : "entries", n);
	if (f->hi && (int64_t)n > f->hi)
		return fail(c, E_INVALID, "%s: has %zu entries; the maximum is %lld", where, n,
		    (long long)f->hi);
	return E_OK;
}

/* Returns the items of STRS as a field. */
static struct field
field_item(const struct field *f)
{
	return (struct field){ .kind = f->item,
		.lo = f->item_lo,
		.hi = f->item_hi,
		.arg = f->arg,
		.flags = f->flags & F_LONG };
}

static enum err
check_item(
    struct ctx *c, const char *where, const struct field *f, size_t i, const char **s)
{
	const struct field item = field_item(f);
	char *name = mem_printf(c->mem, "%s[%zu]", where, i);

	TRY(check_text(c, name, &item, s));
	mem_free(name);
	return E_OK;
}

static enum err
read_strs(
    struct ctx *c, const char *where, const struct field *f, const struct json *j, struct strs *out)
{
	bool one = json_kind(j) == J_STR;
	size_t n = one ? 1 : json_len(j);

	TRY(check_count(c, where, f, n));
	out->v = mem_array(c->mem, const char *, n);
	out->n = n;
	for (size_t i = 0; i < n; i++) {
		const struct json *item = one ? j : json_at(j, i);

		if (json_kind(item) != J_STR)
			return fail(c, E_INVALID, "%s[%zu]: must be a string", where, i);
		out->v[i] = json_str(item);
		TRY(check_item(c, where, f, i, &out->v[i]));
	}
	return E_OK;
}

static enum err
read_list(
    struct ctx *c, const char *where, const struct field *f, const struct json *j, struct list *out)
{
	size_t n = json_len(j);
	void *scratch = mem_new(c->mem, char);

	TRY(check_count(c, where, f, n));
	out->n = n;
	out->v = mem_zalloc(c->mem, n * f->sub->size);
	for (size_t i = 0; i < n; i++) {
		const char *item = mem_printf(scratch, "%s[%zu]", where, i);

		TRY(read_object(c, item, f->sub, json_at(j, i), (char *)out->v + i * f->sub->size));
	}
	mem_free(scratch);
	return E_OK;
}

static enum err
wrong_kind(struct ctx *c, const char *where, const struct field *f, const char *sent)
{
	static const char *const name[] = { [K_INT] = "a whole number",
		[K_TIME] = "a time such as 2026-01-02T03:04:05Z, or Unix seconds",
		[K_DATETIME] = "a time such as 2026-01-02T03:04:05Z, or Unix seconds",
		[K_NUM] = "a number",
		[K_BOOL] = "true or false",
		[K_STRS] = "an array of strings",
		[K_LIST] = "an array",
		[K_OBJ] = "an object",
		[K_JSON] = "a value" };

	return fail(c, E_INVALID, "%s: must be %s, not %s", where,
	    name[f->kind] ? name[f->kind] : "a string", sent);
}

static enum err
read_json(struct ctx *c, const char *where, const struct field *f, const struct json *j, void *into)
{
	enum json_kind k = json_kind(j);

	if (f->arg && !str_eq(f->arg, k == J_OBJ ? "object" : k == J_ARR ? "array" : ""))
		return fail(c, E_INVALID, "%s: must be an %s, not %s", where, f->arg,
		    quoted_json(c, f, j));
	MEMBER(const char *, into, f) = json_text(c->mem, j);
	if (f->hi && (int64_t)strlen(MEMBER(const char *, into, f)) > f->hi)
		return fail(
		    c, E_INVALID, "%s: is more than %lld bytes of JSON", where, (long long)f->hi);
	return E_OK;
}

static enum err
read_value(
    struct ctx *c, const char *where, const struct field *f, const struct json *j, void *into)
{
	enum json_kind k = json_kind(j);

	if (kind_is_text(f->kind) && k == J_STR) {
		MEMBER(const char *, into, f) = json_str(j);
		return check_text(c, where, f, &MEMBER(const char *, into, f));
	}
	if (kind_is_time(f->kind) && k == J_STR)
		return read_datetime(c, where, f, json_str(j), &MEMBER(int64_t, into, f));
	if (f->kind == K_INT || kind_is_time(f->kind)) {
		double seconds = k == J_NUM ? floor(json_num(j)) : 0;

		if (k == J_NUM && (json_whole(j) || fabs(seconds) > 1e15))
			return fail(c, E_INVALID, "%s: the number is too large", where);
		if (k == J_NUM && kind_is_time(f->kind))
			return check_int(
			    c, where, f, MEMBER(int64_t, into, f) = (int64_t)seconds);
		if (k != J_INT)
			return wrong_kind(c, where, f, quoted_json(c, f, j));
		MEMBER(int64_t, into, f) = int_clamped(c, where, f, json_int(j));
		return check_int(c, where, f, MEMBER(int64_t, into, f));
	}
	if (f->kind == K_NUM && (k == J_INT || k == J_NUM)) {
		MEMBER(double, into, f) = json_num(j);
		return check_num(c, where, f, json_num(j));
	}
	if (f->kind == K_BOOL && k == J_BOOL) {
		MEMBER(bool, into, f) = json_true(j);
		return E_OK;
	}
	if (f->kind == K_STRS && (k == J_ARR || (k == J_STR && f->flags & F_ONE)))
		return read_strs(c, where, f, j, &MEMBER(struct strs, into, f));
	if (f->kind == K_LIST && k == J_ARR)
		return read_list(c, where, f, j, &MEMBER(struct list, into, f));
	if (f->kind == K_OBJ && k == J_OBJ) {
		MEMBER(void *, into, f) = mem_zalloc(c->mem, f->sub->size);
		return read_object(c, where, f->sub, j, MEMBER(void *, into, f));
	}
	if (f->kind == K_JSON)
		return read_json(c, where, f, j, into);
	return wrong_kind(c, where, f, quoted_json(c, f, j));
}

static enum err
read_object(
    struct ctx *c, const char *where, const struct shape *s, const struct json *j, void *into)
{
	if (json_kind(j) != J_OBJ)
		return fail(c, E_INVALID, "%s: must be an object", *where ? where : "the body");
	for (size_t i = 0; i < s->n; i++) {
		const struct field *f = &s->fields[i];
		const struct json *value = json_get(j, field_wire(f));
		char *name;
		enum err e = E_OK;

		if (f->flags & F_HID ||
		    ((!value || (json_kind(value) == J_NULL && !(f->flags & F_NUL))) &&
			!(f->flags & F_REQ)))
			continue;
		name = mem_printf(c->mem, "%s%s%s", where, *where ? "." : "", field_wire(f));
		if (!value)
			return fail(c, E_INVALID, "%s: is required", name);
		HAS(into, f) = json_kind(value) == J_NULL ? NULLED : GIVEN;
		if (json_kind(value) != J_NULL)
			e = read_value(c, name, f, value, into);
		else if (!(f->flags & F_NUL))
			e = fail(c, E_INVALID, "%s: must not be null", name);
		if (e)
			return e;
		mem_free(name);
	}
	return E_OK;
}

enum err
shape_read(struct ctx *c, const struct shape *s, const struct json *j, void **out)
{
	*out = mem_zalloc(c->mem, s->size);
	return read_object(c, "", s, j, *out);
}

/* ---- query strings ---- */

static enum err
read_csv(
    struct ctx *c, const char *where, const struct field *f, const char *text, struct strs *out)
{
	size_t room = out->n + 1;
	char *rest, *item;

	if (f->item == K_EMAIL)
		text = emails_typed(c->mem, text);
	if (!text)
		return E_OK;
	rest = mem_strdup(c->mem, text);
	for (const char *p = text; *p; p++)
		room += *p == ',';
	out->v = mem_grow(c->mem, out->v, room * sizeof *out->v);
	while ((item = str_split(&rest, ','))) {
		if (!*item)
			return fail(c, E_INVALID, "%s[%zu]: must not be empty", where, out->n);
		out->v[out->n] = item;
		TRY(check_item(c, where, f, out->n, &out->v[out->n]));
		out->n++;
	}
	return E_OK;
}

static enum err
read_pair(struct ctx *c, const struct field *f, const char *text, void *into)
{
	const char *where = field_wire(f);

	HAS(into, f) = GIVEN;
	switch (f->kind) {
	case K_INT:
		if (!str_int(text, &MEMBER(int64_t, into, f)))
			return wrong_kind(c, where, f, value_quoted(c, text));
		MEMBER(int64_t, into, f) =
		    int_clamped(c, where, f, MEMBER(int64_t, into, f));
		return check_int(c, where, f, MEMBER(int64_t, into, f));
	case K_TIME:
	case K_DATETIME:
		return read_datetime(c, where, f, text, &MEMBER(int64_t, into, f));
	case K_NUM:
		if (!num_read(text, &MEMBER(double, into, f)))
			return wrong_kind(c, where, f, value_quoted(c, text));
		return check_num(c, where, f, MEMBER(double, into, f));
	case K_BOOL:
		if (!str_in(text, "1|0|true|false"))
			return fail(c, E_INVALID, "%s: must be 1, 0, true or false, not %s", where,
			    value_quoted(c, text));
		MEMBER(bool, into, f) = str_in(text, "1|true");
		return E_OK;
	case K_STRS: return read_csv(c, where, f, text, &MEMBER(struct strs, into, f));
	case K_LIST:
	case K_OBJ:
	case K_JSON: return wrong_kind(c, where, f, "text");
	default:
		MEMBER(const char *, into, f) = text;
		return check_text(c, where, f, &MEMBER(const char *, into, f));
	}
}

/* Returns what an item of a list is called, by the list's name: "user" of user_ids. */
static const char *
noun_of(void *mem, const struct field *f)
{
	const char *name = f->name;
	size_t n = strlen(name);

	n -= str_ends(name, "_ids") ? 4 : str_ends(name, "s") ? 1 : 0;
	return mem_strndup(mem, name, n);
}

static enum err
pairs_complete(struct ctx *c, const struct field *f, void *into)
{
	if (!HAS(into, f) && f->flags & F_REQ && f->kind == K_STRS && !(f->flags & F_ONE))
		return fail(c, E_INVALID, "%s: choose at least one %s", field_wire(f),
		    noun_of(c->mem, f));
	if (!HAS(into, f) && f->flags & F_REQ)
		return fail(c, E_INVALID, "%s: is required", field_wire(f));
	if (!HAS(into, f) && f->def) {
		TRY(read_pair(c, f, f->def, into));
		HAS(into, f) = ABSENT;
	}
	return HAS(into, f) && f->kind == K_STRS
	    ? check_count(c, field_wire(f), f, MEMBER(struct strs, into, f).n)
	    : E_OK;
}

enum err
shape_read_pairs(
    struct ctx *c, const struct shape *s, const struct pair *pairs, size_t n, void **out)
{
	void *into = *out = mem_zalloc(c->mem, s->size);

	for (size_t i = 0; i < n; i++) {
		const struct field *f = shape_field(s, pairs[i].name);

		if (!f || f->flags & F_HID)
			continue;
		if (HAS(into, f) && f->kind != K_STRS)
			return fail(c, E_INVALID, "%s: appears twice", pairs[i].name);
		if (pairs[i].value)
			TRY(read_pair(c, f, pairs[i].value, into));
		else if (f->flags & F_NUL)
			HAS(into, f) = NULLED;
		else if (f->kind == K_STRS)
			HAS(into, f) = GIVEN;
		else
			return wrong_kind(c, pairs[i].name, f, "null");
	}
	for (const struct field *f = s->fields; f < s->fields + s->n; f++)
		if (!(f->flags & F_HID))
			TRY(pairs_complete(c, f, into));
	return E_OK;
}

const struct field *
shape_field(const struct shape *s, const char *wire_name)
{
	for (const struct field *f = s->fields; f < s->fields + s->n; f++)
		if (str_eq(field_wire(f), wire_name))
			return f;
	return NULL;
}

/* ---- the schema ---- */

static void
schema_bounds(struct buf *b, const struct field *f, const char *lo, const char *hi)
{
	if (f->lo)
		buf_fmt(b, ",\"%s\":%lld", lo, (long long)f->lo);
	if (f->hi)
		buf_fmt(b, ",\"%s\":%lld", hi, (long long)f->hi);
}

static void
schema_type(struct buf *b, const char *type, bool nullable)
{
	buf_fmt(b, nullable ? "\"type\":[\"%s\",\"null\"]" : "\"type\":\"%s\"", type);
}

static void
schema_text(struct buf *b, const struct field *f, bool output)
{
	bool null = f->flags & F_NUL;

	if (kind_is_time(f->kind) && !output)
		buf_fmt(b, "\"type\":[\"string\",\"number\"%s]", null ? ",\"null\"" : "");
	else
		schema_type(b, "string", null);
	if (f->kind == K_WORD) {
		const char *words = f->arg;

		buf_str(b, ",\"enum\":[\"");
		for (; *words; words++)
			if (*words == '|')
				buf_str(b, "\",\"");
			else
				buf_chr(b, *words);
		buf_str(b, null ? "\",null]" : "\"]");
	}
	if (f->kind == K_EMAIL || f->kind == K_URL || kind_is_time(f->kind))
		buf_fmt(b, ",\"format\":\"%s\"",
		    f->kind == K_EMAIL     ? "email"
			: f->kind == K_URL ? "uri"
					   : "date-time");
	if (f->kind == K_ID && f->arg)
		buf_fmt(b, ",\"pattern\":\"^%s\"", f->arg);
	if (f->kind == K_SLUG)
		buf_str(b, ",\"pattern\":\"^[a-z0-9]+(-[a-z0-9]+)*$\"");
	if (!kind_is_time(f->kind))
		schema_bounds(b, f, "minLength", "maxLength");
}

static void
schema_array(struct buf *b, const struct field *f, bool output)
{
	const struct field item = field_item(f);

	schema_type(b, "array", f->flags & F_NUL);
	buf_str(b, ",\"items\":");
	if (f->kind == K_LIST)
		shape_schema(b, f->sub, output);
	else
		shape_field_schema(b, &item);
	schema_bounds(b, f, "minItems", "maxItems");
}

static void
schema_default(struct buf *b, const struct field *f)
{
	bool plain = f->kind == K_INT || f->kind == K_TIME || f->kind == K_NUM;

	if (f->kind == K_STRS)
		return;
	buf_str(b, ",\"default\":");
	if (f->kind == K_BOOL)
		buf_str(b, str_in(f->def, "1|true") ? "true" : "false");
	else if (plain)
		buf_str(b, f->def);
	else
		buf_json(b, f->def);
}

/* Writes the schema of a nested object without its braces, because the description follows. */
static void
schema_object(struct buf *b, const struct field *f, bool output)
{
	struct buf whole = BUF(b->owner);

	shape_schema(&whole, f->sub, output);
	if (f->flags & F_NUL)
		buf_fmt(b, "\"anyOf\":[{\"type\":\"null\"},%s]", whole.s);
	else
		buf_add(b, whole.s + 1, whole.n - 2);
}

/* Writes the members of a field's schema, without the braces. Output may be null wherever the
 * struct can be NULL. */
static void
schema_field(struct buf *b, const struct field *f, bool output)
{
	bool null = f->flags & F_NUL;

	switch (f->kind) {
	case K_TIME:
		if (output)
			schema_type(b, "integer", null);
		else
			schema_text(b, f, output);
		break;
	case K_INT:
	case K_NUM:
		schema_type(b, f->kind == K_NUM ? "number" : "integer", null);
		schema_bounds(b, f, "minimum", "maximum");
		break;
	case K_BOOL: schema_type(b, "boolean", null); break;
	case K_STRS:
	case K_LIST: schema_array(b, f, output); break;
	case K_OBJ: schema_object(b, f, output); break;
	case K_JSON:
		if (f->sub) {
			struct field row = *f;

			/* The members of such JSON are described but not checked. */
			row.lo = row.hi = 0;
			row.kind = str_eq(f->arg, "array") ? K_LIST : K_OBJ;
			if (row.kind == K_LIST)
				schema_array(b, &row, output);
			else
				schema_object(b, &row, output);
		} else if (f->arg) {
			schema_type(b, f->arg, null);
		} else if (!f->doc) {
			buf_str(b, "\"description\":\"any JSON value\"");
		}
		break;
	default: schema_text(b, f, output);
	}
	if (f->doc) {
		buf_str(b, f->kind == K_JSON && !f->arg ? "\"description\":" : ",\"description\":");
		buf_json(b, f->doc);
	}
	if (f->def)
		schema_default(b, f);
}

void
shape_field_schema(struct buf *b, const struct field *f)
{
	buf_chr(b, '{');
	schema_field(b, f, false);
	buf_chr(b, '}');
}

void
shape_schema(struct buf *b, const struct shape *s, bool output)
{
	bool first = true;

	buf_str(b, "{\"type\":\"object\",\"properties\":{");
	for (const struct field *f = s->fields; f < s->fields + s->n; f++) {
		if (f->flags & F_HID)
			continue;
		json_key(b, field_wire(f));
		buf_chr(b, '{');
		schema_field(b, f, output);
		buf_chr(b, '}');
	}
	buf_chr(b, '}');
	for (const struct field *f = s->fields; f < s->fields + s->n; f++) {
		if (f->flags & F_HID || (output ? f->flags & F_OPT : !(f->flags & F_REQ)))
			continue;
		buf_str(b, first ? ",\"required\":[" : ",");
		buf_json(b, field_wire(f));
		first = false;
	}
	buf_str(b, first ? "}" : "]}");
}

/* ---- wrong shapes ---- */

static const char *
field_wrong(const struct field *f, enum shape_use use)
{
	enum kind text = f->kind == K_STRS ? f->item : f->kind;

	if ((f->kind == K_LIST || f->kind == K_OBJ) && !f->sub)
		return "has no .sub";
	if (use == SHAPE_PAIRS && (f->kind == K_LIST || f->kind == K_OBJ || f->kind == K_JSON))
		return "is of a kind that can't come as name=value";
	if (f->def && (use != SHAPE_PAIRS || f->flags & F_REQ))
		return "has .def, which only an optional field of a query or form reads";
	if (f->kind == K_STRS ? !kind_is_text(f->item) : f->item || f->item_lo || f->item_hi)
		return "has .item, which is for STRS and a kind of text";
	if (text == K_WORD && !f->arg)
		return "has no .arg with its words";
	if (text == K_ID && !f->arg)
		return "has no .arg with its prefix";
	if (f->kind == K_JSON && f->arg && !str_in(f->arg, "object|array"))
		return "has an .arg that is neither object nor array";
	if (f->flags & F_LONG && text != K_STR)
		return "has F_LONG, which is for STR";
	if ((f->hi && f->hi < f->lo) || (f->item_hi && f->item_hi < f->item_lo))
		return "has .hi below .lo";
	if (f->kind == K_NUM && f->lo && !f->hi)
		return "has .lo without .hi";
	if ((f->kind == K_BOOL || f->kind == K_OBJ) && (f->lo || f->hi))
		return "has bounds, which mean nothing here";
	return NULL;
}

/* Reads the default as if a request had sent it. */
static const char *
default_wrong(void *owner, const struct shape *s, const struct field *f)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	const char *why = NULL;

	if (read_pair(c, f, f->def, mem_zalloc(c->mem, s->size)))
		why = mem_printf(owner, "has a default that is refused: %s", c->message);
	ctx_end(c);
	return why;
}

static const char *
shape_wrong_at(
    void *owner, const struct shape *s, enum shape_use use, const char *where, int depth)
{
	if (depth > JSON_DEPTH)
		return "nests deeper than JSON may";
	for (const struct field *f = s->fields; f < s->fields + s->n; f++) {
		const char *name = mem_printf(owner, "%s%s", where, field_wire(f)), *why;

		if (f->flags & F_HID)
			continue;
		why = shape_field(s, field_wire(f)) != f ? "stands twice" : field_wrong(f, use);
		if (!why && f->def)
			why = default_wrong(owner, s, f);
		if (why)
			return mem_printf(owner, "%s: %s", name, why);
		if (f->sub && (why = shape_wrong_at(owner, f->sub, use,
				   mem_printf(owner, "%s.", name), depth + 1)))
			return why;
	}
	return NULL;
}

const char *
shape_wrong(void *owner, const struct shape *s, enum shape_use use)
{
	return shape_wrong_at(owner, s, use, "", 0);
}

struct strs
strs_split(void *owner, const char *text, char between)
{
	char *rest = mem_strdup(owner, text), *part;
	struct strs out = { 0 };

	while (rest && (part = str_split(&rest, between)))
		if (*part)
			strs_add(owner, &out, part);
	return out;
}

struct strs
strs_among(void *owner, const struct strs *list, const char *words)
{
	struct strs out = { mem_array(owner, const char *, list->n + 1), 0 };

	for (size_t i = 0; i < list->n; i++)
		if (str_in(list->v[i], words))
			out.v[out.n++] = list->v[i];
	return out;
}
