/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/write.h"

#include "base/id.h"
#include "base/markdown.h"
#include "base/str.h"
#include "core/mention.h"

#define ENTRIES_COUNTED(F, T) F(T, INT, n)
SHAPE(entries_counted, ENTRIES_COUNTED);

enum err
entries_room(struct ctx *c, const struct workspace *w, size_t more)
{
	struct entries_counted *row;

	TRY(db_one(c,
	    ROWS(entries_counted,
		"SELECT COUNT(*) AS n FROM catalog_entry WHERE workspace_id = ?"),
	    ARGS(w->id), &row));
	if (row->n + (int64_t)more <= CATALOG_ENTRIES)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"limit\":%d}", CATALOG_ENTRIES);
	return fail(c, E_LIMIT_REACHED,
	    "A catalog can have %s entries; %s more would be too many. Delete some first",
	    str_number(c->mem, CATALOG_ENTRIES), str_number(c->mem, (int64_t)more));
}

static const char *
lines_made(struct ctx *c, const struct strs *v)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < v->n; i++)
		buf_fmt(&b, "%s%s", i ? "\n" : "", v->v[i]);
	return buf_done(&b);
}

static const char *
fields_made(struct ctx *c, const struct catalog_column_list *v)
{
	struct buf b = BUF(c->mem);

	buf_chr(&b, '[');
	for (size_t i = 0; i < v->n; i++) {
		if (i)
			buf_chr(&b, ',');
		shape_write(&b, &catalog_column_shape, &v->v[i]);
	}
	buf_chr(&b, ']');
	return buf_done(&b);
}

static struct bytes
key_made(struct ctx *c, const char *path)
{
	uint8_t *key = mem_zalloc(c->mem, SHA256_BYTES);

	catalog_path_key(c, path, key);
	return (struct bytes){ key, SHA256_BYTES };
}

enum { ENTRY_ARGS = 23 };

static enum err
rows_write(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct entry_new *v, size_t n)
{
	struct arg *args = mem_array(c->mem, struct arg, n * ENTRY_ARGS);

	for (size_t i = 0; i < n; i++) {
		const struct entry_new *e = &v[i];
		const struct catalog_meta *m = &e->meta;
		const struct about *a = &e->about;
		const struct args row = ARGS(e->id, w->id, e->path, key_made(c, e->path),
		    bytes_sha256(c, e->content), m->kind, m->title, m->description, m->domain,
		    m->status, lines_made(c, &m->tags), m->owner, fields_made(c, &m->columns),
		    lines_made(c, &m->upstream), catalog_words(c, e->path, m), a->source_kind,
		    a->source_artifact_id, a->source_table, a->source_connection_id, e->seeded,
		    c->now, c->now, who->user_id);

		memcpy(args + i * ENTRY_ARGS, row.v, row.n * sizeof *args);
	}
	return db_exec_many(c,
	    EXEC(
		"INSERT INTO catalog_entry (id, workspace_id, path, path_key, sha256, kind, title,"
		" description, domain, status, tags, owner, fields, upstream, words, source_kind,"
		" source_artifact_id, source_table, source_connection_id, seeded, created_at,"
		" updated_at, updated_by)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
		" ON DUPLICATE KEY UPDATE sha256 = VALUES(sha256), kind = VALUES(kind),"
		" title = VALUES(title), description = VALUES(description),"
		" domain = VALUES(domain), status = VALUES(status), tags = VALUES(tags),"
		" owner = VALUES(owner), fields = VALUES(fields), upstream = VALUES(upstream),"
		" words = VALUES(words), source_kind = VALUES(source_kind),"
		" source_artifact_id = VALUES(source_artifact_id),"
		" source_table = VALUES(source_table),"
		" source_connection_id = VALUES(source_connection_id), source_closed = FALSE,"
		" seeded = VALUES(seeded),"
		" updated_at = VALUES(updated_at), updated_by = VALUES(updated_by)"),
	    args, ENTRY_ARGS, n);
}

static enum err
files_write(struct ctx *c, const struct entry_new *v, size_t n)
{
	struct arg *args = mem_array(c->mem, struct arg, n * 2);

	for (size_t i = 0; i < n; i++) {
		args[2 * i] = arg_str(v[i].id);
		args[2 * i + 1] = arg_str(v[i].content);
	}
	return db_exec_many(c,
	    EXEC(
		"INSERT INTO catalog_file (entry_id, content) VALUES (?, ?)"
		" ON DUPLICATE KEY UPDATE content = VALUES(content)"),
	    args, 2, n);
}

/* Replaces an entry's rows in a table of paths and entry ids. Two paths that look the same have one
 * key, so the second insert changes nothing. */
static enum err
targets_write(struct ctx *c, const struct workspace *w, const char *entry_id, struct stmt *delete,
    struct stmt *insert, const struct strs *to)
{
	struct arg *args = mem_array(c->mem, struct arg, to->n * 3 + 1);

	TRY(db_exec(c, delete, ARGS(entry_id), NULL));
	for (size_t i = 0; i < to->n; i++) {
		args[3 * i] = arg_str(entry_id);
		args[3 * i + 1] = arg_bytes(catalog_mention_key(c, to->v[i]));
		args[3 * i + 2] = arg_str(w->id);
	}
	return to->n ? db_exec_many(c, insert, args, 3, to->n) : E_OK;
}

/* ---- links of the text ---- */

struct linking {
	struct ctx *c;
	const struct workspace *w;
	const struct entry_new *e;
	struct strs to; /* paths and entry ids */
};

static const char *
link_add(void *arg, const char *address)
{
	struct linking *l = arg;
	const char *to = mention_of(l->c, l->w->id, address);

	if (!to)
		to = catalog_beside(l->c, l->e->path, address);
	if (to && l->to.n < MENTIONS && !strs_have(&l->to, to))
		l->to.v[l->to.n++] = to;
	return NULL;
}

struct bytes
catalog_mention_key(struct ctx *c, const char *to)
{
	return id_valid(to, "cat_") ? bytes_sha256(c, to) : key_made(c, to);
}

static enum err
mentions_write(struct ctx *c, const struct workspace *w, const struct entry_new *e)
{
	struct linking l = { c, w, e, { mem_array(c->mem, const char *, MENTIONS), 0 } };
	const char *text = catalog_file_text(c, e->path, e->content);

	if (text)
		markdown_led(c->mem, text, strlen(text), link_add, &l);
	return targets_write(c, w, e->id,
	    EXEC("DELETE FROM catalog_mention WHERE entry_id = ?"),
	    EXEC(
		"INSERT INTO catalog_mention (entry_id, to_key, workspace_id)"
		" VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE to_key = VALUES(to_key)"),
	    &l.to);
}

enum err
entries_write(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct entry_new *v, size_t n)
{
	TRY(rows_write(c, w, who, v, n));
	TRY(files_write(c, v, n));
	for (size_t i = 0; i < n; i++)
		/* A seeded file has no upstream and no links. */
		if (!v[i].seeded) {
			TRY(targets_write(c, w, v[i].id,
			    EXEC("DELETE FROM catalog_upstream WHERE entry_id = ?"),
			    EXEC(
				"INSERT INTO catalog_upstream (entry_id, path_key, workspace_id)"
				" VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE"
				" path_key = VALUES(path_key)"),
			    &v[i].meta.upstream));
			TRY(mentions_write(c, w, &v[i]));
		}
	return E_OK;
}
