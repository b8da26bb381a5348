/* SPDX-License-Identifier: Apache-2.0 */
#include "http/describe.h"

#include "base/sample.h"
#include "base/str.h"
#include "http/who.h"

/* Returns the thing on which the row's caller needs a role, such as "artifact". */
static const char *
noun_word(void *owner, const struct noun *noun)
{
	char *word = mem_strdup(owner, param_outside(mem_printf(owner, "%s}", noun->param)));

	if (noun->on)
		return noun->on;
	if (str_ends(word, "_id"))
		word[strlen(word) - 3] = '\0';
	for (char *p = word; *p; p++)
		*p = *p == '_' ? ' ' : *p;
	return word;
}

/* Returns words for a grant that must allow more than viewing. */
static const char *
given_words(void *owner, const struct who_row *who)
{
	return who->given > 1
	    ? mem_printf(owner, "; people outside its workspace if it's shared with them to %s",
		  who->noun->capabilities[who->given])
	    : "";
}

const char *
route_callers(void *owner, const struct route *row)
{
	const struct who_row *who = row->who;
	struct buf b = BUF(owner);

	if (who->policy)
		return mem_printf(owner,
		    "Anyone signed in whom the access_policy of the %s allows; "
		    "without one, its editors and owner%s",
		    noun_word(owner, who->noun), given_words(owner, who));
	if (!who->noun)
		return who->caller == ANYBODY ? "Anyone"
		    : who->caller == KNOWN    ? "Anyone signed in"
					      : "Anyone signed in with a browser";
	buf_fmt(&b, "%s %s",
	    who->caller == ANYBODY && row->method == GET ? "Anyone who can see the"
							 : who->noun->rungs[who->least].callers,
	    noun_word(owner, who->noun));
	if (who->governed)
		buf_str(&b, ", and admins of its workspace");
	buf_str(&b, given_words(owner, who));
	if (who->visitors)
		buf_str(&b, "; on its own host, anyone who can see its page");
	return buf_done(&b);
}

const char *
route_token(void *owner, const struct route *row)
{
	const struct who_row *who = row->who;

	if (who->caller == ANYBODY && !who->noun)
		return "None needed";
	if (row->scope == ANY_SCOPE)
		return "Any";
	if (row->scope == NO_SCOPE)
		return "One that isn't limited to scopes";
	return mem_printf(owner, "One with the scope %s, or one that isn't limited to scopes",
	    scope_name(row->scope));
}

bool
route_is_repeatable(const struct route *row)
{
	return (row->method == POST || row->body.kind == BODY_BYTES) && row->who != PUBLIC &&
	    route_is_api(row) && !row->no_transaction;
}

size_t
route_refusals(const struct route *row, int status[REFUSALS])
{
	const struct who_row *who = row->who;
	bool judged = who->caller != ANYBODY || who->noun, body = row->body.kind != BODY_NONE;
	const struct {
		int status;
		bool may;
	} all[] = { { 400, row->query || body }, { 401, judged }, { 403, judged },
		{ 404, strchr(row->path, '{') || (who->noun && who->noun->named) },
		{ 409, route_is_repeatable(row) },
		{ 413, body }, { 415, body && row->body.kind != BODY_BYTES },
		{ 422, route_is_repeatable(row) },
		{ 429, row->limit || row->failures } };
	size_t n = 0;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].may)
			status[n++] = all[i].status;
	return n;
}

/* ---- examples ---- */

const char *
route_example_path(void *owner, const struct route *row)
{
	struct buf b = BUF(owner);

	for (const char *p = row->path; *p; p++) {
		const char *sample = *p == '{' ? param_sample(p + 1) : NULL;

		if (*p != '{') {
			buf_chr(&b, *p);
			continue;
		}
		if (sample)
			buf_str(&b, sample);
		else
			buf_chr(&b, '$');
		for (const char *q = sample ? "" : param_outside(p + 1); *q; q++)
			buf_chr(&b, (char)toupper((unsigned char)*q));
		p += strcspn(p, "}");
	}
	return buf_done(&b);
}

static void
curl_body(struct buf *b, const struct route *row)
{
	struct buf text = BUF(b->owner);

	if (row->body.kind == BODY_NONE) {
		return;
	} else if (row->body.kind == BODY_FILE || row->body.kind == BODY_IMAGE) {
		buf_str(b, " \\\n  -F file=@photo.png");
		return;
	} else if (row->body.kind == BODY_BYTES) {
		buf_str(b, " \\\n  -T photo.png");
		return;
	} else if (row->body.kind >= BODY_FORM) {
		shape_sample_pairs(&text, row->body.shape);
		buf_str(b, " \\\n  -d '");
	} else {
		if (row->body.shape)
			shape_sample(&text, row->body.shape, false);
		else
			buf_str(&text,
			    row->body.kind == BODY_MESSAGE ? MESSAGE_SAMPLE : OBJECT_SAMPLE);
		buf_str(b, " \\\n  -H 'Content-Type: application/json' \\\n  -d '");
	}
	for (const char *p = buf_done(&text); *p; p++)
		if (*p == '\'')
			buf_str(b, "'\\''"); /* for the single quotes of a shell */
		else
			buf_chr(b, *p);
	buf_chr(b, '\'');
}

/* Writes the command up to the body. */
static void
curl_begin(struct buf *b, const char *base_url, const struct route *row)
{
	const struct who_row *who = row->who;
	struct buf query = BUF(b->owner);
	bool implied = row->method == (row->body.kind == BODY_NONE ? GET
					  : row->body.kind == BODY_BYTES ? PUT : POST);

	if (row->query)
		shape_sample_pairs(&query, row->query);
	buf_str(b, "curl");
	if (!implied)
		buf_fmt(b, " -X %s", method_names[row->method]);
	if (row->answer.kind == ANSWER_BYTES || row->answer.kind == ANSWER_STREAM)
		buf_str(b, " -OJ");
	buf_fmt(b, " \"%s%s%s%s\"", base_url, route_example_path(b->owner, row), query.n ? "?" : "",
	    buf_done(&query));
	if (who->caller != ANYBODY || who->noun)
		buf_str(b, " \\\n  -H \"Authorization: Bearer $VITRINE_TOKEN\"");
}

const char *
route_curl(void *owner, const char *base_url, const struct route *row)
{
	struct buf b = BUF(owner);

	curl_begin(&b, base_url, row);
	curl_body(&b, row);
	return buf_done(&b);
}

const char *
route_curl_archive(void *owner, const char *base_url, const struct route *row)
{
	struct buf b = BUF(owner);

	curl_begin(&b, base_url, row);
	buf_str(&b,
	    " \\\n  -F 'manifest={\"name\":\"My site\"};"
	    "type=application/json' -F archive=@my-site.zip");
	return buf_done(&b);
}

const char *
param_words(void *owner, const char *at)
{
	const char *sample = param_sample(at);

	if (param_is_number(at))
		return "whole number, at least 1";
	if (sample)
		return mem_printf(owner, "text such as %s", sample);
	if (!param_prefix(at))
		return "as it was given to you";
	return mem_printf(owner, "id that begins with %s", param_prefix(at));
}

const char *
route_example_answer(void *owner, const struct route *row)
{
	const struct answer *a = &row->answer;
	struct buf b = BUF(owner), value = BUF(owner);

	if (a->kind > ANSWER_LIST)
		return NULL;
	buf_str(&b, "{\"success\":true");
	if (a->kind != ANSWER_NONE)
		shape_sample(&value, a->shape, true);
	if (a->kind == ANSWER_FLAT && value.n > 2)
		buf_fmt(&b, ",%.*s", (int)value.n - 2, value.s + 1);
	else if (a->kind == ANSWER_NOUN)
		buf_fmt(&b, ",\"%s\":%s", a->noun, value.s);
	else if (a->kind == ANSWER_LIST)
		buf_fmt(&b, ",\"%s\":[%s],\"next_cursor\":null", a->noun, value.s);
	buf_chr(&b, '}');
	return json_indented(owner, buf_done(&b));
}

/* ---- the most similar address ---- */

enum { FAR = 5 };

struct split {
	const char *part[NEAR_PARTS + 1];
	size_t n;
};

static void
near_split(void *owner, const char *path, struct split *out)
{
	char *rest = mem_strdup(owner, path + 1), *part;

	out->n = 0;
	while (out->n <= NEAR_PARTS && (part = str_split(&rest, '/')))
		if (*part)
			out->part[out->n++] = part;
}

static bool
split_takes_rest(const struct split *row)
{
	return row->n && str_starts(row->part[row->n - 1], "{+");
}

/* Returns the distance between a sent path and a row's, in mistyped letters. They aren't similar
 * from FAR on. A missing or extra part at the end costs two, unless the row takes any number of
 * parts. /v1 alone is near no other address. */
static size_t
near_distance(const struct split *sent, const struct split *row)
{
	size_t n = sent->n < row->n ? sent->n : row->n;
	size_t more = split_takes_rest(row) && sent->n > n ? 0 : sent->n + row->n - 2 * n;
	size_t sum = more && n < 2 ? FAR : more * 2;

	for (size_t i = 0; i < n && sum < FAR; i++) {
		const char *part = sent->part[i], *of_row = row->part[i];
		size_t most = str_slips_most(part), slips;

		if (*of_row == '{') {
			/* A value that doesn't fit a parameter may still be meant as one. */
			sum += !param_fits_at(of_row + 1, part);
			continue;
		}
		slips = str_slips(part, of_row, most);
		sum += slips <= most ? slips : FAR;
	}
	return sum;
}

struct nearest {
	const struct route *row;
	size_t distance;
	int method; /* preferred among rows that are equally near */
};

static void
near_try(struct nearest *best, void *owner, const struct split *sent, const struct route *row)
{
	struct split of_row;
	size_t d;

	if (!str_starts(row->path, "/v1"))
		return;
	near_split(owner, row->path, &of_row);
	d = near_distance(sent, &of_row);
	if (d > best->distance || d >= FAR)
		return;
	if (best->row && d == best->distance &&
	    ((int)best->row->method == best->method || (int)row->method != best->method))
		return;
	best->row = row;
	best->distance = d;
}

const struct route *
route_near(void *owner, int method, const char *raw_path)
{
	struct nearest best = { NULL, FAR, method };
	struct split sent;

	if (strlen(raw_path) > NEAR_PATH_BYTES)
		return NULL;
	near_split(owner, raw_path, &sent);
	for (const struct route_list *const *at = routes_all(), *list; (list = *at); at++)
		for (const struct route *row = list->rows; row < list->rows + list->n; row++)
			near_try(&best, owner, &sent, row);
	return best.row;
}

/* If only parts that don't fit their parameter keep the path from matching the row, returns the
 * first such parameter, with *value as sent; else NULL. */
static const char *
split_misfit(
    void *owner, const struct split *sent, const struct split *row, const char **value)
{
	const char *misfit = NULL;

	if (sent->n < row->n || (sent->n > row->n && !split_takes_rest(row)))
		return NULL;
	for (size_t i = 0; i < row->n; i++) {
		const char *of_row = row->part[i];
		char *part = mem_strdup(owner, sent->part[i]);

		if (*of_row != '{' && !str_eq(part, of_row))
			return NULL;
		if (*of_row == '{' && !misfit && str_unescape(part, false) &&
		    !param_fits_at(of_row + 1, part)) {
			misfit = of_row + 1;
			*value = part;
		}
	}
	return misfit;
}

const char *
route_misfit(void *owner, const struct route *row, const char *raw_path)
{
	enum { ID_CHARACTERS = 26, SHOWN_CHARS = 80 };
	struct buf b = BUF(owner);
	struct split sent, of_row;
	const char *at, *value;

	near_split(owner, raw_path, &sent);
	near_split(owner, row->path, &of_row);
	at = split_misfit(owner, &sent, &of_row, &value);
	if (!at)
		return NULL;
	if (param_prefix(at))
		buf_fmt(&b, "%s must be %s followed by %d characters, not ", param_outside(at),
		    param_prefix(at), ID_CHARACTERS);
	else
		buf_fmt(&b, "%s must be %s%s, not ", param_outside(at),
		    param_is_number(at) ? "a " : "", param_words(owner, at));
	buf_json(&b, str_cut(owner, value, SHOWN_CHARS));
	return buf_done(&b);
}
