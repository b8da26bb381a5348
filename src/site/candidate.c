/* SPDX-License-Identifier: Apache-2.0 */
#include "site/candidate.h"

#include "base/id.h"
#include "base/json.h"
#include "base/str.h"
#include "core/follow.h"
#include "store/rounds.h"

SHAPE_DEFINE(candidate_file, CANDIDATE_FILE);

enum { FILES_AT_ONCE = 50 };

/* ---- what the first publish said ---- */

#define CANDIDATE_FIELDS "files|delete|candidate|mode|base_version|expected_version|dry_run"

static bool
is_given(const struct field *f, const void *in)
{
	return ((const uint8_t *)in)[f->has] != ABSENT;
}

/* Writes the request as JSON, without its files and without absent members. */
static enum err
request_text(struct ctx *c, const struct publish_new *in, const char **out)
{
	const char *whole = shape_text(c->mem, &publish_new_shape, in);
	struct buf none = BUF(c->mem);
	struct json *tree, *absent;

	buf_chr(&none, '{');
	for (size_t i = 0; i < publish_new_shape.n; i++) {
		const struct field *f = &publish_new_shape.fields[i];

		if (!is_given(f, in) || str_in(f->name, CANDIDATE_FIELDS)) {
			json_key(&none, f->name);
			buf_str(&none, "null");
		}
	}
	buf_chr(&none, '}');
	TRY(json_parse(c, whole, strlen(whole), &tree));
	TRY(json_parse(c, none.s, none.n, &absent));
	json_merge(tree, absent);
	*out = json_text(c->mem, tree);
	return E_OK;
}

static size_t
member_bytes(enum kind kind)
{
	switch (kind) {
	case K_BOOL:
		return sizeof(bool);
	case K_NUM:
		return sizeof(double);
	case K_INT:
	case K_TIME:
	case K_DATETIME:
		return sizeof(int64_t);
	case K_STRS:
		return sizeof(struct strs);
	case K_LIST:
		return sizeof(struct list);
	default:
		return sizeof(void *);
	}
}

/* Copies *in, and adds members of the first request that it lacks. */
static enum err
request_join(struct ctx *c, const char *text, const struct publish_new **in)
{
	struct publish_new *all = mem_dup(c->mem, *in, sizeof *all);
	struct json *tree;
	void *first;

	TRY(json_parse(c, text, strlen(text), &tree));
	TRY(shape_read(c, &publish_new_shape, tree, &first));
	for (size_t i = 0; i < publish_new_shape.n; i++) {
		const struct field *f = &publish_new_shape.fields[i];

		if (is_given(f, *in) || !is_given(f, first))
			continue;
		memcpy((char *)all + f->off, (const char *)first + f->off, member_bytes(f->kind));
		((uint8_t *)all)[f->has] = ((const uint8_t *)first)[f->has];
	}
	*in = all;
	return E_OK;
}

/* ---- rows ---- */

#define FOUND(F, T) \
	F(T, ID,  id, .arg = "cnd_") \
	F(T, ID,  artifact_id, .arg = "art_") \
	F(T, INT, version_no) \
	F(T, STR, request)
SHAPE(found, FOUND);

enum err
candidate_read(struct ctx *c, const struct principal *who, const struct publish_new **in,
    const struct candidate **out)
{
	struct publish_new *named;
	struct candidate *made;
	struct found *row;

	*out = NULL;
	if (!(*in)->candidate)
		return E_OK;
	TRY(db_find(c,
	    ROWS(found,
		"SELECT id, artifact_id, version_no, request FROM merge_candidate"
		" WHERE id = ? AND user_id = ? AND expires_at > ?"),
	    ARGS((*in)->candidate, who->user_id, c->now), &row));
	if (!row || ((*in)->artifact_id && !str_eq((*in)->artifact_id, row->artifact_id)))
		return fail(c, E_NOT_FOUND,
		    "candidate: you have none of this id for the artifact; it has been published, "
		    "or is more than an hour old; publish again with base_version");
	made = mem_new(c->mem, struct candidate);
	made->id = row->id;
	made->artifact_id = row->artifact_id;
	made->version_no = row->version_no;
	TRY(db_all(c,
	    ROWS(candidate_file,
		"SELECT path, sha256, size_bytes, mime, declared, conflict FROM merge_file"
		" WHERE candidate_id = ? ORDER BY path"),
	    ARGS(row->id), &made->files));
	named = mem_dup(c->mem, *in, sizeof *named);
	named->artifact_id = row->artifact_id;
	named->has.artifact_id = GIVEN;
	*in = named;
	*out = made;
	return request_join(c, row->request, in);
}

static enum err
files_add(struct manifest *m, const char *id, const struct item *items, size_t n)
{
	struct arg *args = mem_array(m->c->mem, struct arg, n * 8), *a = args;

	for (size_t i = 0; i < n; i++) {
		*a++ = arg_str(id);
		*a++ = arg_str(items[i].path);
		*a++ = arg_str(m->artifact_id);
		*a++ = arg_bytes((struct bytes){ items[i].sha256, SHA256_BYTES });
		*a++ = arg_int(items[i].size);
		*a++ = arg_str(items[i].mime);
		*a++ = arg_bool(items[i].declared);
		*a++ = arg_bool(items[i].conflict);
	}
	return db_exec_many(m->c,
	    EXEC("INSERT INTO merge_file (candidate_id, path, artifact_id, sha256, size_bytes,"
		 " mime, declared, conflict) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
	    args, 8, n);
}

static enum err
rows_add(struct manifest *m, const struct principal *who, int64_t version_no,
    const struct item *items, size_t n, const char *id)
{
	const char *request;

	TRY(request_text(m->c, m->in, &request));
	TRY(db_exec(m->c,
	    EXEC("INSERT INTO merge_candidate"
		 " (id, artifact_id, user_id, version_no, request, created_at, expires_at)"
		 " VALUES (?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(id, m->artifact_id, who->user_id, version_no, request, m->c->now,
		m->c->now + CANDIDATE_S),
	    NULL));
	for (size_t i = 0, some; i < n; i += some) {
		some = n - i < FILES_AT_ONCE ? n - i : FILES_AT_ONCE;
		TRY(files_add(m, id, items + i, some));
	}
	return E_OK;
}

enum err
candidate_add(struct manifest *m, const struct principal *who, int64_t version_no,
    const struct item *items, size_t n, const char **id)
{
	enum err e;

	for (size_t i = 0; i < n; i++) {
		struct object o = { .size = items[i].size };

		memcpy(o.sha256, items[i].sha256, SHA256_BYTES);
		if (items[i].bytes)
			TRY(batch_put_known(m->c, m->batch, items[i].bytes, &o));
		else if (items[i].by_digest && !items[i].was)
			batch_found(m->batch, items[i].sha256);
	}
	TRY(batch_sync(m->c, m->batch));
	*id = id_new(m->c->mem, "cnd_");
	TRY(db_begin(m->c));
	e = rows_add(m, who, version_no, items, n, *id);
	if (!e)
		e = db_commit(m->c);
	if (e)
		db_rollback(m->c);
	return e;
}

enum err
candidate_use(struct ctx *c, const struct candidate *made)
{
	enum err e = db_exec1(
	    c, EXEC("DELETE FROM merge_candidate WHERE id = ?"), ARGS(made->id));

	return e != E_NOT_FOUND ? e : fail(c, E_NOT_FOUND,
		   "candidate: it has just been published by another request");
}

/* ---- when other things change ---- */

/* A candidate counts as so many rows, because its files go with it. */
static enum err
candidates_expire(struct ctx *c, int64_t limit, int64_t *done)
{
	TRY(db_exec(c,
	    EXEC("DELETE FROM merge_candidate WHERE expires_at <= ? ORDER BY expires_at LIMIT ?"),
	    ARGS(c->now, limit / FILES_AT_ONCE + 1), done));
	*done *= FILES_AT_ONCE;
	return E_OK;
}

USERS(USER_ENDS(merge_candidate, user_id))
FOLLOWS(candidate, USERS_FOLLOW);
ROUNDS(candidate, { "candidates", .rows = candidates_expire });
PURGES(candidate, ROWS_OF(merge_file), ROWS_OF(merge_candidate));
