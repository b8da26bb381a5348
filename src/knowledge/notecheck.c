/* SPDX-License-Identifier: Apache-2.0 */
#include "knowledge/notecheck.h"

#include "base/buf.h"
#include "base/str.h"
#include "core/mention.h"
#include "knowledge/note.h"
#include "knowledge/notetext.h"

SHAPE_DEFINE(note_odd, NOTE_ODD);

enum { AT_ONCE = 20 };

#define NOTE_KEPT_ROW(F, T) \
	F(T, ID,  id, .arg = "note_") \
	F(T, STR, content) \
	F(T, STR, sha256) \
	F(T, INT, size) \
	F(T, STR, links) \
	F(T, STR, workspace_id) \
	F(T, STR, mentions)
SHAPE(note_kept_row, NOTE_KEPT_ROW);

static const char *
links_text(struct ctx *c, struct bytes content)
{
	struct buf b = BUF(c->mem);
	struct note_saids links;

	note_links(c, content, &links);
	for (size_t i = 0; i < links.n; i++)
		buf_fmt(&b, "%s%s", i ? "\n" : "", links.v[i].to.path);
	return buf_done(&b);
}

static const char *
mentions_text(struct ctx *c, const char *workspace_id, struct bytes content)
{
	const struct bytes text = note_text(content);
	struct buf b = BUF(c->mem);
	struct strs ids;

	mentions_of(c, workspace_id, text.p, text.n, &ids);
	if (ids.n)
		qsort(ids.v, ids.n, sizeof *ids.v, str_order);
	for (size_t i = 0; i < ids.n; i++)
		buf_fmt(&b, "%s%s", i ? "\n" : "", ids.v[i]);
	return buf_done(&b);
}

static const char *
fault_of(struct ctx *c, const struct note_kept_row *n)
{
	const struct bytes content = { n->content, strlen(n->content) };
	uint8_t digest[SHA256_BYTES];

	crypto_sha256(content.p, content.n, digest);
	if (!str_eq(n->sha256, crypto_hex(c->mem, digest, sizeof digest)) ||
	    n->size != (int64_t)content.n)
		return "its size or digest isn't its text's";
	if (!str_eq(n->links ? n->links : "", links_text(c, content)))
		return "its links aren't its text's";
	return str_eq(n->mentions ? n->mentions : "", mentions_text(c, n->workspace_id, content))
	    ? NULL
	    : "its links to the data catalog aren't its text's";
}

/* *after is the last id of this piece, or NULL at the end. */
static enum err
piece_check(
    struct ctx *c, const char **after, bool mend, void *owner, struct note_odd_list *out)
{
	struct note_kept_row_list rows;

	TRY(db_all(c,
	    ROWS(note_kept_row,
		"SELECT n.id, x.content, n.sha256, n.size_bytes AS size,"
		" (SELECT GROUP_CONCAT(l.path ORDER BY l.no SEPARATOR '\\n') FROM note_link l"
		" WHERE l.note_id = n.id) AS links, n.workspace_id,"
		" (SELECT GROUP_CONCAT(m.entry_id ORDER BY m.entry_id SEPARATOR '\\n')"
		" FROM note_mention m WHERE m.note_id = n.id) AS mentions"
		" FROM note n JOIN note_text x ON x.note_id = n.id"
		" WHERE n.id > ? ORDER BY n.id LIMIT ?"),
	    ARGS(*after, (int)AT_ONCE), &rows));
	for (size_t i = 0; i < rows.n && out->n < NOTES_ODD; i++) {
		const char *why = fault_of(c, &rows.v[i]);

		if (why)
			out->v[out->n++] = (struct note_odd){
				mem_strdup(owner, rows.v[i].id), why, { 0 } };
		if (why && mend)
			TRY(note_mend(c, rows.v[i].workspace_id, rows.v[i].id, rows.v[i].content));
	}
	*after = rows.n == AT_ONCE ? mem_strdup(owner, rows.v[rows.n - 1].id) : NULL;
	return E_OK;
}

enum err
note_check(struct ctx *c, bool mend, struct note_odd_list *out)
{
	const char *after = "";
	enum err e = E_OK;

	*out = (struct note_odd_list){ mem_array(c->mem, struct note_odd, NOTES_ODD), 0 };
	while (after && !e) {
		void *whole = c->mem;

		c->mem = mem_root("notes");
		e = piece_check(c, &after, mend, whole, out);
		c->message = c->message ? mem_strdup(whole, c->message) : NULL;
		c->internal = c->internal ? mem_strdup(whole, c->internal) : NULL;
		mem_free(c->mem);
		c->mem = whole;
	}
	return e;
}
