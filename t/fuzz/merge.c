/* SPDX-License-Identifier: Apache-2.0
 * Merge patches: of a line and the rest, the document that json_merge() makes must be the one that RFC 7396's pseudocode makes, and the patch must
 * change nothing when it comes a second time. */
#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Section 2, on text: target NULL is "undefined". */
struct model {
	struct buf *out;
	const struct json *target, *patch;
	size_t n;
};

static void model_merge(struct buf *out, const struct json *target, const struct json *patch);

static void
model_name(struct model *m, const char *name)
{
	if (m->n++)
		buf_chr(m->out, ',');
	buf_json(m->out, name);
	buf_chr(m->out, ':');
}

static int
model_old(void *arg, const char *name, const struct json *value)
{
	struct model *m = arg;
	const struct json *change = json_get(m->patch, name);

	if (change && json_kind(change) == J_NULL)
		return 0;
	model_name(m, name);
	if (change)
		model_merge(m->out, value, change);
	else
		buf_str(m->out, json_text(m->out->owner, value));
	return 0;
}

static int
model_new(void *arg, const char *name, const struct json *value)
{
	struct model *m = arg;

	if (json_kind(value) == J_NULL || (m->target && json_get(m->target, name)))
		return 0;
	model_name(m, name);
	model_merge(m->out, NULL, value);
	return 0;
}

static void
model_merge(struct buf *out, const struct json *target, const struct json *patch)
{
	struct model m = { out, target && json_kind(target) == J_OBJ ? target : NULL, patch, 0 };

	if (json_kind(patch) != J_OBJ) {
		buf_str(out, json_text(out->owner, patch));
		return;
	}
	buf_chr(out, '{');
	if (m.target)
		json_each(m.target, model_old, &m);
	json_each(patch, model_new, &m);
	buf_chr(out, '}');
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	const char *text = (const char *)data, *cut = n ? memchr(text, '\n', n) : NULL;
	struct buf want = BUF(c->mem);
	struct json *target, *patch, *again;

	if (cut && !json_parse(c, text, (size_t)(cut - text), &target) && json_kind(target) == J_OBJ &&
	    !json_parse(c, cut + 1, n - (size_t)(cut + 1 - text), &patch) && json_kind(patch) == J_OBJ) {
		const char *before = json_text(c->mem, patch), *got;

		model_merge(&want, target, patch);
		json_merge(target, patch);
		got = json_text(c->mem, target);
		json_merge(target, patch);
		if (!str_eq(got, buf_done(&want)) || !str_eq(got, json_text(c->mem, target)) ||
		    !str_eq(before, json_text(c->mem, patch)))
			abort();
		if (json_parse(c, got, strlen(got), &again) || json_count(again) != json_count(target))
			abort();
	}
	ctx_end(c);
	return 0;
}
