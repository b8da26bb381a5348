/* SPDX-License-Identifier: Apache-2.0 */
#include "http/route.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "http/page.h"

const char *const method_names[METHODS] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
const char *const pool_names[POOLS] = { "quick", "slow" };
const char *const who_names[] = { "public", "signed_in", "session", "artifact_read",
	"artifact_view", "artifact_edit", "artifact_own", "artifact_trash" };
const char *const scope_names[] = { NULL, "any", "artifacts:read", "artifacts:publish", "data:read",
	"data:write" };

int64_t
body_bytes(const struct conf *conf, enum body_size size)
{
	enum { USUAL = 1 << 20, FORM = 64 << 10 /* around a manifest and an archive */ };

	return size == BODY_PUBLISH ? conf->max_archive_bytes + conf->max_json_bytes + FORM : USUAL;
}

/* Each '/'-separated part of a raw path is decoded once, by itself: %2f never becomes a separator.
 */
struct parts {
	char **v;
	size_t n;
};

static bool
parts_split(void *mem, const char *raw, struct parts *out)
{
	char *rest = mem_strdup(mem, raw + 1), *part;
	size_t room = 1;

	for (const char *p = raw; *p; p++)
		room += *p == '/';
	out->v = mem_array(mem, char *, room);
	while ((part = str_split(&rest, '/'))) {
		if (!str_unescape(part, false) || strpbrk(part, "\\\x7f"))
			return false;
		for (const char *p = part; *p; p++)
			if ((unsigned char)*p < 0x20)
				return false;
		out->v[out->n++] = part;
	}
	return true;
}

static bool
param_fits(const char *kind, const char *part)
{
	int64_t no;

	if (str_starts(kind, "{art}"))
		return id_valid(part, "art_");
	if (str_starts(kind, "{no}"))
		return str_int(part, &no) && no > 0 && no < INT32_MAX;
	return *part != '\0';
}

static bool
path_matches(void *mem, const char *pattern, const struct parts *parts, const char *p[PATH_PARAMS])
{
	size_t i = 0, n = 0;

	for (const char *at = pattern; *at; i++) {
		size_t len = strcspn(++at, "/");

		if (i >= parts->n)
			return false;
		if (str_starts(at, "{+}")) {
			struct buf b = BUF(mem);

			for (; i < parts->n; i++)
				buf_fmt(&b, "%s%s", b.n ? "/" : "", parts->v[i]);
			p[n] = buf_done(&b);
			return b.n > 0;
		}
		if (*at == '{') {
			if (!param_fits(at, parts->v[i]))
				return false;
			p[n++] = parts->v[i];
		} else if (strlen(parts->v[i]) != len || memcmp(parts->v[i], at, len) != 0) {
			return false;
		}
		at += len;
	}
	return i == parts->n;
}

const struct route *
route_find(
    void *mem, int method, const char *raw_path, const char *p[PATH_PARAMS], unsigned *allowed)
{
	const struct route *found = NULL;
	struct parts parts = { 0 };

	*allowed = 0;
	if (raw_path[0] != '/' || !parts_split(mem, raw_path, &parts))
		return NULL;
	for (const struct route_list *const *at = route_lists, *list; (list = *at); at++) {
		for (const struct route *row = list->rows; row < list->rows + list->n; row++) {
			const char *got[PATH_PARAMS] = { 0 };

			if (!path_matches(mem, row->path, &parts, got))
				continue;
			*allowed |= 1u << row->method;
			if ((int)row->method == method && !found) {
				found = row;
				memcpy(p, got, sizeof got);
			}
		}
	}
	return found;
}

static const struct route *
route_at(size_t i, const char **tag)
{
	for (const struct route_list *const *at = route_lists, *list; (list = *at); at++) {
		if (i < list->n) {
			if (tag)
				*tag = list->tag;
			return &list->rows[i];
		}
		i -= list->n;
	}
	return NULL;
}

size_t
route_count(void)
{
	size_t n = 0;

	for (const struct route_list *const *at = route_lists, *list; (list = *at); at++)
		n += list->n;
	return n;
}

size_t
route_index(const struct route *row)
{
	size_t i = 0;

	while (route_at(i, NULL) != row)
		i++;
	return i;
}

static void
row_wrong(const struct route *row, const char *why)
{
	fprintf(stderr, "route %s %s: %s\n", method_names[row->method], row->path, why);
	exit(70);
}

void
routes_check(void)
{
	void *mem = mem_root("routes");
	const char *why = page_wrong(mem, "error", &page_error_shape);

	if (why) {
		fprintf(stderr, "page error: %s\n", why);
		exit(70);
	}
	for (size_t i = 0; i < route_count(); i++) {
		const struct route *row = route_at(i, NULL);

		for (size_t k = 0; k < i; k++)
			if (route_at(k, NULL)->method == row->method &&
			    str_eq(route_at(k, NULL)->path, row->path))
				row_wrong(row, "stands twice");
		if (!row->handler || !row->doc)
			row_wrong(row, "has no handler or no doc");
		if (row->who >= ART_READ && !strstr(row->path, "{art}"))
			row_wrong(row, "judges an artifact but its path has no {art}");
		if (row->method == GET && row->body.kind != BODY_NONE)
			row_wrong(row, "GET with a body");
		if (row->prepare && !row->slow)
			row_wrong(row, "prepares what takes long and is not slow");
		if (row->answer.kind == ANSWER_STREAM && !row->slow)
			row_wrong(row, "sends a stream and is not slow");
		if (row->answer.kind == ANSWER_PAGE && row->answer.noun &&
		    page_wrong(mem, row->answer.noun, row->answer.shape))
			row_wrong(row, page_wrong(mem, row->answer.noun, row->answer.shape));
		if ((row->answer.kind == ANSWER_FLAT || row->answer.kind == ANSWER_NOUN ||
			row->answer.kind == ANSWER_LIST) &&
		    !row->answer.shape)
			row_wrong(row, "has no shape for its answer");
	}
	mem_free(mem);
}

void
routes_print(void)
{
	for (size_t i = 0; i < route_count(); i++) {
		const struct route *row = route_at(i, NULL);

		printf(
		    "{\"method\":\"%s\",\"path\":\"%s\",\"who\":\"%s\",\"scope\":%s%s%s,\"pool\":\"%s\",\"body\":\"%s\",\"success\":%d}\n",
		    method_names[row->method], row->path, who_names[row->who],
		    row->scope ? "\"" : "", row->scope ? scope_names[row->scope] : "null",
		    row->scope ? "\"" : "", pool_names[row->slow],
		    !row->body.kind                   ? "none"
			: row->body.kind >= BODY_FORM ? "form"
						      : "json",
		    row->success ? row->success : 200);
	}
}
