/* SPDX-License-Identifier: Apache-2.0 */
#include "site/former.h"

#include "base/str.h"
#include "core/artifact.h"

SHAPE_DEFINE(former_row, FORMER_ROW);

enum {
	FORMER_LEAST = 100,
	RUN_ROWS = 1000 /* MariaDB copies through memory, above some 7,000 rows through a file */
};

int
item_by_path(const void *a, const void *b)
{
	const struct item *const *x = a, *const *y = b;

	return strcmp((*x)->path, (*y)->path);
}

/* A file named by digest whose size is wrong stays unmatched, and is refused with the others. */
bool
former_has_bytes(const struct item *it, const struct former_row *row)
{
	uint8_t was[SHA256_BYTES];

	return (it->size < 0 || it->size == row->size_bytes) &&
	    crypto_unhex(row->sha256, was, sizeof was) &&
	    memcmp(was, it->sha256, sizeof was) == 0;
}

enum err
former_rows(struct ctx *c, const char *artifact_id, const struct principal *who, int64_t no,
    struct former_row_list *out)
{
	return db_all(c,
	    ROWS(former_row,
		"SELECT f.path, f.sha256, f.size_bytes, f.mime, f.declared, v.utf8,"
		" v.created_by = ? AS mine FROM version v JOIN version_file f"
		" ON f.artifact_id = v.artifact_id AND f.version_no = v.version_no"
		" WHERE v.artifact_id = ? AND v.version_no = ? ORDER BY f.path"),
	    ARGS(who->user_id, artifact_id, no), out);
}

void
former_match(struct ctx *c, const struct former *f, struct item *items, size_t n)
{
	struct item **sorted = mem_array(c->mem, struct item *, n);
	const struct former_row *row = f->rows.v, *end = row + f->rows.n;

	for (size_t i = 0; i < n; i++)
		sorted[i] = &items[i];
	qsort(sorted, n, sizeof *sorted, item_by_path);
	for (size_t i = 0; i < n && row < end;) {
		int order = strcmp(sorted[i]->path, row->path);

		if (!order && former_has_bytes(sorted[i], row)) {
			sorted[i]->was = row;
			sorted[i]->size = row->size_bytes;
		}
		i += order <= 0;
		row += order >= 0;
	}
}

enum err
former_read(struct ctx *c, struct former *f, const struct artifact *a,
    const struct principal *who, struct item *items, size_t n)
{
	if (!a || !a->version_no || n <= FORMER_LEAST)
		return E_OK;
	TRY(former_rows(c, a->id, who, a->version_no, &f->rows));
	former_match(c, f, items, n);
	f->no = a->version_no;
	return E_OK;
}

/* Writes the runs of kept rows that no other row of the former version interrupts, by their first
 * and last path. */
static const char *
runs_text(struct ctx *c, const struct former *f)
{
	struct buf json = BUF(c->mem);

	for (size_t i = 0, end; i < f->rows.n; i = end + (end == i)) {
		for (end = i; end < f->rows.n && f->kept[end] && end - i < RUN_ROWS;)
			end++;
		if (end == i)
			continue;
		buf_str(&json, json.n ? ",[" : "[[");
		buf_json(&json, f->rows.v[i].path);
		buf_chr(&json, ',');
		buf_json(&json, f->rows.v[end - 1].path);
		buf_chr(&json, ']');
	}
	buf_chr(&json, ']');
	return buf_done(&json);
}

void
former_keep(struct ctx *c, struct former *f, const struct item *items, size_t n)
{
	if (!f->no)
		return;
	f->kept = mem_array(c->mem, bool, f->rows.n);
	for (size_t i = 0; i < n && f->n + 1 < n; i++) {
		const struct former_row *was = items[i].was;
		bool stays = was && items[i].declared == was->declared &&
		    str_eq(items[i].mime, was->mime);

		if (stays)
			f->kept[was - f->rows.v] = true;
		f->n += stays;
	}
	f->runs = runs_text(c, f);
	if (strlen(f->runs) > DB_MANY_BYTES)
		f->n = 0;
}

bool
former_keeps(const struct former *f, const struct item *it)
{
	return f->n && it->was && f->kept[it->was - f->rows.v];
}

const char *
former_newcomer(const struct former *f, const char *user)
{
	return f->n && !f->rows.v->mine ? user : NULL;
}
