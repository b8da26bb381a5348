/* SPDX-License-Identifier: Apache-2.0 */
#include "knowledge/note.h"

#include "base/buf.h"
#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/artifact.h"
#include "core/find.h"
#include "core/follow.h"
#include "core/mention.h"
#include "knowledge/notetext.h"
#include "team/textfile.h"

SHAPE_DEFINE(note_link, NOTE_LINK);
SHAPE_DEFINE(note_backlink, NOTE_BACKLINK);
SHAPE_DEFINE(note_source, NOTE_SOURCE);
SHAPE_DEFINE(note, NOTE);
SHAPE_DEFINE(note_head, NOTE_HEAD);
SHAPE_DEFINE(note_counts, NOTE_COUNTS);
SHAPE_DEFINE(note_newer, NOTE_NEWER);

/* ---- reading ---- */

#define NOTE_SELECT \
	"SELECT n.id, " NOTE_PATH " AS path, n.title, x.content, n.origin, n.edited," \
	" n.artifact_id AS `source.artifact_id`, n.version_no AS `source.version_no`," \
	" a.slug AS `source.slug`, " "wk.subdomain AS `source.subdomain`," \
	" n.learned_at, n.created_at, n.updated_at, n.sha256, (SELECT w.version_no" \
	" FROM note_newer w WHERE w.note_id = n.id AND w.learned_at >= n.updated_at) AS newer_no," \
	" u.id AS `updated_by.user_id`, u.name AS `updated_by.name`," \
	" u.email AS `updated_by.email`, u.kind AS `updated_by.kind` FROM " SUBJECT_TABLE

enum err
note_find(struct ctx *c, const struct workspace *w, const struct principal *who, const char *path,
    struct note **out)
{
	const struct note_ref at = note_ref_of(c, path);
	struct note_source *source;

	*out = NULL;
	if (at.learned && !at.slug)
		return E_OK;
	if (at.learned)
		TRY(db_find(c,
		    ROWS(note,
			NOTE_SELECT " JOIN slug h STRAIGHT_JOIN note n"
			" ON n.artifact_id = h.artifact_id AND n.workspace_id = ?"
			NOTE_TABLES " JOIN note_text x ON x.note_id = n.id"
			" LEFT JOIN user u ON u.id = n.updated_by WHERE " NOTE_SEEN
			" AND h.slug = ?"),
		    ARGS(SUBJECT(who), w->id, at.slug), out));
	else
		TRY(db_find(c,
		    ROWS(note,
			NOTE_SELECT " JOIN note n ON n.workspace_id = ? AND n.path_key = ?"
			NOTE_TABLES " JOIN note_text x ON x.note_id = n.id"
			" LEFT JOIN user u ON u.id = n.updated_by WHERE " NOTE_SEEN),
		    ARGS(SUBJECT(who), w->id, ((struct bytes){ at.key, sizeof at.key })), out));
	source = *out ? (*out)->source : NULL;
	if (source)
		source->url = mem_printf(c->mem, "%s/",
		    artifact_origin(c,
			&(struct artifact){ .slug = source->slug,
			    .subdomain = source->subdomain }));
	return E_OK;
}

/* Reads the links whose targets the caller may read or that nobody wrote yet. Below NOTE_PAGES
 * people can't write, so hidden and missing targets look the same. */
static enum err
links_read(struct ctx *c, const struct principal *who, struct note *n)
{
	struct note_link_list all;
	struct note_link *v;
	size_t kept = 0;

	TRY(db_all(c,
	    ROWS(note_link,
		"SELECT IF(n.id IS NULL, l.path, " NOTE_PATH ") AS path, n.title, n.origin,"
		" l.path AS said_path FROM "
		SUBJECT_TABLE " JOIN note_link l LEFT JOIN slug h ON h.slug = l.slug"
		" LEFT JOIN note o ON o.workspace_id = l.workspace_id AND o.path_key = l.path_key"
		" LEFT JOIN note k ON k.artifact_id = h.artifact_id"
		" AND k.workspace_id = l.workspace_id"
		" LEFT JOIN note n ON n.id = COALESCE(o.id, k.id)" NOTE_TABLES
		" WHERE l.note_id = ? AND (n.id IS NULL OR " NOTE_SEEN ") ORDER BY l.no"),
	    ARGS(SUBJECT(who), n->id), &all));
	v = all.v;
	for (size_t i = 0; i < all.n; i++)
		if (v[i].title || !note_ref_of(c, v[i].path).learned)
			v[kept++] = v[i];
	n->links = (struct list){ v, kept };
	return E_OK;
}

#define BACKLINKS(from) \
	"SELECT " NOTE_PATH " AS path, n.title," \
	" CONCAT(l.said_before, l.said, l.said_after) AS text, l.said_before AS `before`," \
	" l.said, l.said_after AS `after` FROM " SUBJECT_TABLE from " STRAIGHT_JOIN note n" \
	" ON n.id = l.note_id AND n.id <> ?" NOTE_TABLES " WHERE " NOTE_SEEN \
	" GROUP BY n.id ORDER BY path LIMIT " SQL_NUMBER(NOTE_LINKED)

static enum err
backlinks_read(struct ctx *c, const struct workspace *w, const struct principal *who,
    struct note *n)
{
	const struct note_ref at = note_ref_of(c, n->path);

	if (n->source)
		return db_all(c,
		    ROWS(note_backlink,
			BACKLINKS(" JOIN slug h ON h.artifact_id = ? STRAIGHT_JOIN note_link l"
				  " ON l.workspace_id = ? AND l.slug = h.slug")),
		    ARGS(SUBJECT(who), ((struct note_source *)n->source)->artifact_id, w->id,
			n->id),
		    &n->backlinks);
	return db_all(c,
	    ROWS(note_backlink,
		BACKLINKS(" JOIN note_link l ON l.workspace_id = ? AND l.path_key = ?")),
	    ARGS(SUBJECT(who), w->id, ((struct bytes){ at.key, sizeof at.key }), n->id),
	    &n->backlinks);
}

enum err
note_get(struct ctx *c, const struct workspace *w, const struct principal *who, const char *path,
    struct note **out)
{
	TRY(note_find(c, w, who, path, out));
	if (!*out)
		return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	TRY(links_read(c, who, *out));
	return backlinks_read(c, w, who, *out);
}

enum err
notes_mentioning(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *entry_id, struct note_head_list *out)
{
	return db_all(c,
	    ROWS(note_head,
		"SELECT " NOTE_PATH " AS path, n.title, n.origin, n.edited FROM " SUBJECT_TABLE
		" JOIN note_mention m ON m.workspace_id = ? AND m.entry_id = ?"
		" STRAIGHT_JOIN note n ON n.id = m.note_id" NOTE_TABLES " WHERE " NOTE_SEEN
		" ORDER BY n.title, path LIMIT " SQL_NUMBER(NOTE_LINKED)),
	    ARGS(SUBJECT(who), w->id, entry_id), out);
}

enum err
note_counts(struct ctx *c, const struct workspace *w, const struct principal *who,
    struct note_counts **out)
{
	return db_one(c,
	    ROWS(note_counts,
		"SELECT COUNT(*) AS notes, COUNT(n.artifact_id) AS learned,"
		" COUNT(*) - COUNT(n.artifact_id) AS human FROM " SUBJECT_TABLE
		" JOIN note n ON n.workspace_id = ?" NOTE_TABLES " WHERE " NOTE_SEEN),
	    ARGS(SUBJECT(who), w->id), out);
}

/* ---- writing ---- */

/* The rows to write for a text. */
struct written {
	struct bytes content, sha256;
	const char *title;
	struct note_saids links;
};

static enum err
text_write(struct ctx *c, const char *id, struct bytes content)
{
	return db_exec(c,
	    EXEC("INSERT INTO note_text (note_id, content) VALUES (?, ?)"
		 " ON DUPLICATE KEY UPDATE content = VALUES(content)"),
	    ARGS(id, content), NULL);
}

static enum err
links_write(struct ctx *c, const char *workspace_id, const char *id, const struct note_saids *links)
{
	enum { EACH = 9 };
	struct arg *v = mem_array(c->mem, struct arg, links->n * EACH + 1), *at = v;

	TRY(db_exec(c, EXEC("DELETE FROM note_link WHERE note_id = ?"), ARGS(id), NULL));
	if (!links->n)
		return E_OK;
	for (size_t i = 0; i < links->n; i++) {
		const struct note_said *l = &links->v[i];

		*at++ = arg_str(id);
		*at++ = arg_int((int64_t)i);
		*at++ = arg_str(workspace_id);
		*at++ = arg_str(l->to.path);
		*at++ = l->to.learned ? arg_null()
				      : arg_bytes((struct bytes){ l->to.key, sizeof l->to.key });
		*at++ = arg_str(l->to.slug);
		*at++ = arg_str(l->before);
		*at++ = arg_str(l->text);
		*at++ = arg_str(l->after);
	}
	return db_exec_many(c,
	    EXEC("INSERT INTO note_link (note_id, no, workspace_id, path, path_key, slug,"
		 " said_before, said, said_after) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    v, EACH, links->n);
}

static enum err
mentions_write(struct ctx *c, const char *workspace_id, const char *id, struct bytes content)
{
	const struct bytes text = note_text(content);
	struct strs ids;
	struct arg *v;

	mentions_of(c, workspace_id, text.p, text.n, &ids);
	TRY(db_exec(c, EXEC("DELETE FROM note_mention WHERE note_id = ?"), ARGS(id), NULL));
	v = mem_array(c->mem, struct arg, ids.n * 3 + 1);
	for (size_t i = 0; i < ids.n; i++) {
		v[3 * i] = arg_str(id);
		v[3 * i + 1] = arg_str(ids.v[i]);
		v[3 * i + 2] = arg_str(workspace_id);
	}
	return ids.n
	    ? db_exec_many(c,
		  EXEC("INSERT INTO note_mention (note_id, entry_id, workspace_id)"
		       " VALUES (?, ?, ?)"),
		  v, 3, ids.n)
	    : E_OK;
}

/* Writes the text and the rows made from it. */
static enum err
derived_write(struct ctx *c, const char *workspace_id, const char *id, const struct written *text)
{
	TRY(text_write(c, id, text->content));
	TRY(links_write(c, workspace_id, id, &text->links));
	return mentions_write(c, workspace_id, id, text->content);
}

enum err
note_mend(struct ctx *c, const char *workspace_id, const char *id, const char *content)
{
	uint8_t *sha256 = mem_zalloc(c->mem, SHA256_BYTES);
	struct written text = { { content, strlen(content) }, { sha256, SHA256_BYTES }, NULL,
		{ 0 } };

	crypto_sha256(content, text.content.n, sha256);
	note_links(c, text.content, &text.links);
	TRY(db_begin(c));
	TRY(db_exec(c, EXEC("UPDATE note SET size_bytes = ?, sha256 = ? WHERE id = ?"),
	    ARGS((int64_t)text.content.n, text.sha256, id), NULL));
	TRY(derived_write(c, workspace_id, id, &text));
	return db_commit(c);
}

static enum err
number_check(struct ctx *c, const char *workspace_id)
{
	struct note_counts *row;

	TRY(db_one(c,
	    ROWS(note_counts, "SELECT COUNT(*) AS notes, 0 AS learned, 0 AS human FROM note"
			      " WHERE workspace_id = ?"),
	    ARGS(workspace_id), &row));
	if (row->notes < NOTES)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"limit\":%d}", NOTES);
	return fail(c, E_LIMIT_REACHED,
	    "The workspace has %s notes, the maximum; delete one first",
	    str_number(c->mem, NOTES));
}

static enum err
human_add(struct ctx *c, const struct workspace *w, const struct principal *who, const char *path,
    const struct written *text, const char **id)
{
	const struct note_ref at = note_ref_of(c, path);

	if (at.learned)
		return fail(c, E_INVALID,
		    "path: " NOTE_PAGES " has what is learned from pages, and no such note is "
		    "there to be changed; put yours into another folder");
	TRY(number_check(c, w->id));
	*id = id_new(c->mem, "note_");
	return db_exec(c,
	    EXEC("INSERT INTO note (id, workspace_id, path, path_key, title, size_bytes,"
		 " sha256, origin, created_at, updated_at, updated_by)"
		 " VALUES (?, ?, ?, ?, ?, ?, ?, 'human', ?, ?, ?)"),
	    ARGS(*id, w->id, path, ((struct bytes){ at.key, sizeof at.key }), text->title,
		(int64_t)text->content.n, text->sha256, c->now, c->now,
		who->user_id),
	    NULL);
}

/* Adds the present text to the history and drops the oldest beyond NOTE_EDITS. */
static enum err
past_keep(struct ctx *c, const char *id)
{
	TRY(db_exec1(c,
	    EXEC(
		"INSERT INTO note_edit (note_id, no, content, size_bytes, at, learned, user_id)"
		" SELECT n.id, 1 + COALESCE((SELECT MAX(e.no) FROM note_edit e"
		" WHERE e.note_id = n.id), 0), x.content, n.size_bytes, n.updated_at,"
		" n.origin = 'learned' AND NOT n.edited, n.updated_by FROM note n"
		" JOIN note_text x ON x.note_id = n.id WHERE n.id = ?"),
	    ARGS(id)));
	return db_exec(c,
	    EXEC("DELETE FROM note_edit WHERE note_id = ? AND no + ? <= (SELECT last FROM"
		 " (SELECT MAX(no) AS last FROM note_edit WHERE note_id = ?) e)"),
	    ARGS(id, (int)NOTE_EDITS, id), NULL);
}

/* The paths may differ only by a former slug of the page, not by case or Unicode form. */
static enum err
path_check_same(struct ctx *c, const struct note *old, const char *path)
{
	if (str_eq(old->path, path) || !str_eq(unicode_casefold_nfkc(c->mem, old->path),
		unicode_casefold_nfkc(c->mem, path)))
		return E_OK;
	return fail(c, E_CONFLICT,
	    "path: the note %s is the same to people who read its path; use that, or another name",
	    old->path);
}

enum err
note_write(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct note *old, const char *path, struct bytes content)
{
	uint8_t sha256[SHA256_BYTES];
	struct bytes checked = content;
	struct written text;
	const char *id = old ? old->id : NULL;

	TRY(note_path_check(c, "path", &path));
	if (old)
		TRY(path_check_same(c, old, path));
	TRY(text_file_check(c, &checked, sha256));
	text = (struct written){ checked, { sha256, sizeof sha256 }, note_title(c, path, checked),
		{ 0 } };
	note_links(c, checked, &text.links);
	if (text.links.more)
		return fail(c, E_INVALID, "content: links to more than %d notes", NOTE_LINKS);
	if (old && str_eq(old->content, mem_strndup(c->mem, checked.p, checked.n)))
		return E_OK;
	if (!old) {
		TRY(human_add(c, w, who, path, &text, &id));
	} else {
		TRY(past_keep(c, id));
		TRY(db_exec1(c,
		    EXEC("UPDATE note SET title = ?, size_bytes = ?, sha256 = ?,"
			 " edited = origin = 'learned', updated_at = ?, updated_by = ?"
			 " WHERE id = ?"),
		    ARGS(text.title, (int64_t)text.content.n, text.sha256, c->now, who->user_id,
			id)));
	}
	TRY(derived_write(c, w->id, id, &text));
	return find_changed(c, FIND_NOTE, id);
}

enum err
note_remove(struct ctx *c, const struct workspace *w, const struct note *n)
{
	TRY(find_changed(c, FIND_NOTE, n->id));
	return db_exec1(c, EXEC("DELETE FROM note WHERE id = ? AND workspace_id = ?"),
	    ARGS(n->id, w->id));
}

/* ---- the page's present text ---- */

enum err
note_newer_get(struct ctx *c, const struct note *n, struct note_newer **out)
{
	return db_find(c,
	    ROWS(note_newer, "SELECT version_no, learned_at, content, title FROM note_newer"
			     " WHERE note_id = ?"),
	    ARGS(n->id), out);
}

static enum err
newer_drop(struct ctx *c, const char *id)
{
	return db_exec(c, EXEC("DELETE FROM note_newer WHERE note_id = ?"), ARGS(id), NULL);
}

enum err
note_newer_take(struct ctx *c, const struct workspace *w, const struct note *n,
    const struct note_newer *newer)
{
	struct bytes content = { newer->content, strlen(newer->content) };
	const struct note_source *source = n->source;
	struct note_saids links;
	uint8_t sha256[SHA256_BYTES];

	TRY(text_file_check(c, &content, sha256));
	TRY(past_keep(c, n->id));
	TRY(db_exec1(c,
	    EXEC("UPDATE note SET title = ?, size_bytes = ?, sha256 = ?, edited = FALSE,"
		 " version_no = ?, learned_at = ?, updated_at = ?, updated_by = NULL"
		 " WHERE id = ?"),
	    ARGS(newer->title, (int64_t)content.n, ((struct bytes){ sha256, sizeof sha256 }),
		newer->version_no, newer->learned_at, c->now, n->id)));
	TRY(text_write(c, n->id, content));
	note_links(c, content, &links);
	TRY(links_write(c, w->id, n->id, &links));
	TRY(newer_drop(c, n->id));
	TRY(find_changed(c, FIND_NOTE, n->id));
	return source ? learning_taken(c, source->artifact_id) : E_OK;
}

/* ---- learned notes ---- */

#define LEARNED_ROW(F, T) \
	F(T, ID,   id, .arg = "note_") \
	F(T, BOOL, edited) \
	F(T, STR,  title) \
	F(T, STR,  sha256) \
	F(T, BOOL, same)
SHAPE(learned_row, LEARNED_ROW);

static enum err
learned_add(struct ctx *c, const struct learned *l, const struct written *text, const char **id)
{
	TRY(number_check(c, l->workspace_id));
	*id = id_new(c->mem, "note_");
	return db_exec(c,
	    EXEC("INSERT INTO note (id, workspace_id, title, size_bytes, sha256, origin,"
		 " artifact_id, version_no, learned_at, created_at, updated_at)"
		 " VALUES (?, ?, ?, ?, ?, 'learned', ?, ?, ?, ?, ?)"),
	    ARGS(*id, l->workspace_id, text->title, (int64_t)text->content.n, text->sha256,
		l->artifact_id, l->version_no, c->now, c->now, c->now),
	    NULL);
}

static enum err
learned_change(struct ctx *c, const struct learned *l, const char *id, const struct written *text)
{
	return db_exec1(c,
	    EXEC("UPDATE note SET title = ?, size_bytes = ?, sha256 = ?,"
		 " version_no = ?, learned_at = ?, updated_at = ? WHERE id = ?"),
	    ARGS(text->title, (int64_t)text->content.n, text->sha256, l->version_no, c->now,
		c->now, id));
}

enum err
note_learn(struct ctx *c, const struct learned *l, enum note_learned *did)
{
	struct bytes content = { l->content, strlen(l->content) };
	uint8_t sha256[SHA256_BYTES];
	struct written text = { content, { sha256, sizeof sha256 },
		str_cut(c->mem, l->title, NOTE_TITLE), { 0 } };
	struct learned_row *row;
	const char *id;

	TRY(text_file_check(c, &content, sha256));
	TRY(workspace_hold(c, l->workspace_id));
	TRY(db_find(c,
	    ROWS(learned_row, "SELECT id, edited, title, sha256, sha256 = ? AS same FROM note"
			      " WHERE artifact_id = ? AND workspace_id = ? FOR UPDATE"),
	    ARGS(text.sha256, l->artifact_id, l->workspace_id), &row));
	*did = !row ? NOTE_WRITTEN
	    : row->edited ? NOTE_KEPT
	    : row->same && str_eq(row->title, text.title) ? NOTE_SAME : NOTE_WRITTEN;
	if (*did == NOTE_KEPT && row->same)
		return newer_drop(c, row->id);
	if (*did == NOTE_KEPT)
		return db_exec(c,
		    EXEC("REPLACE INTO note_newer (note_id, version_no, title, content,"
			 " learned_at) VALUES (?, ?, ?, ?, ?)"),
		    ARGS(row->id, l->version_no, text.title, text.content, c->now), NULL);
	if (*did == NOTE_SAME)
		return db_exec1(c,
		    EXEC("UPDATE note SET version_no = ?, learned_at = ? WHERE id = ?"),
		    ARGS(l->version_no, c->now, row->id));
	id = row ? row->id : NULL;
	TRY(row ? learned_change(c, l, id, &text) : learned_add(c, l, &text, &id));
	note_links(c, content, &text.links);
	TRY(derived_write(c, l->workspace_id, id, &text));
	return find_changed_now(c, FIND_NOTE, id);
}

#define UNLEARNED_ROW(F, T) \
	F(T, ID,   id, .arg = "note_") \
	F(T, BOOL, written)
SHAPE(unlearned_row, UNLEARNED_ROW);

enum err
note_unlearn(struct ctx *c, const char *workspace_id, const char *artifact_id, bool *there,
    bool *kept)
{
	struct unlearned_row *row;

	TRY(workspace_hold(c, workspace_id));
	TRY(db_find(c,
	    ROWS(unlearned_row,
		"SELECT n.id, n.edited OR EXISTS (SELECT 1 FROM note_edit e"
		" WHERE e.note_id = n.id) AS written FROM note n"
		" WHERE n.artifact_id = ? AND n.workspace_id = ? FOR UPDATE"),
	    ARGS(artifact_id, workspace_id), &row));
	*there = row != NULL;
	*kept = row && row->written;
	if (!row)
		return E_OK;
	if (*kept)
		return newer_drop(c, row->id);
	TRY(db_exec1(c, EXEC("DELETE FROM note WHERE id = ?"), ARGS(row->id)));
	return find_changed_now(c, FIND_NOTE, row->id);
}

/* ---- search ---- */

#define FOUND_NOTE(F, T) \
	FOUND(F, T) \
	F(T, STR, path)
SHAPE(found_note, FOUND_NOTE);

const char *
note_page_path(struct ctx *c, const char *workspace_id, const char *page, const char *path)
{
	struct buf b = BUF(c->mem);

	buf_fmt(&b, "/w/%s/notes/%s/", workspace_id, page);
	buf_url(&b, path);
	return buf_done(&b);
}

/* Search finds learned notes only by a role on the artifact, like artifacts: public pages aren't
 * found by everybody. */
static enum err
note_found(struct ctx *c, const struct find_asked *asked, struct found_list *out)
{
	struct found_note_list rows;

	TRY(db_all(c,
	    ROWS(found_note,
		"SELECT t.id AS `key`, " NOTE_PATH " AS id, n.title,"
		" CONCAT_WS(' · ', IF(n.artifact_id IS NULL, 'Note', 'Note of a page'), "
		NOTE_PATH ") AS subtitle, '' AS url, n.artifact_id, n.workspace_id, FALSE AS own,"
		" n.updated_at, " NOTE_PATH " AS path FROM " FIND_ASKED
		" STRAIGHT_JOIN note n ON n.id = t.id"
		" JOIN workspace nw ON nw.id = n.workspace_id AND nw.deleted_at IS NULL"
		" JOIN member nm ON nm.workspace_id = nw.id AND nm.user_id = s.user_id" NOTE_TABLES
		" WHERE NOT s.grants_only AND COALESCE(n.workspace_id = s.workspace_id, TRUE)"
		" AND NOT " AGENT_BARRED("nw", "s.agent_host")
		" AND " FIND_WITHIN("n.workspace_id")
		" AND (n.artifact_id IS NULL OR (" FIND_ARTIFACT_SHOWN
		" AND " ROLE_COLUMN " IS NOT NULL))"),
	    FIND_ARGS(asked), &rows));
	for (size_t i = 0; i < rows.n; i++)
		rows.v[i].url = note_page_path(c, rows.v[i].workspace_id, "read", rows.v[i].path);
	*out = (struct found_list){ mem_array(c->mem, struct found, rows.n + 1), rows.n };
	for (size_t i = 0; i < rows.n; i++)
		out->v[i] = FOUND_OF(c, &rows.v[i]);
	return E_OK;
}

#define NOTE_FOUND_FROM \
	" FROM " ID_TABLE " STRAIGHT_JOIN note n ON n.id = t.id" \
	" STRAIGHT_JOIN note_text x ON x.note_id = n.id" \
	" LEFT JOIN artifact a ON a.id = n.artifact_id"
FINDS(note, FIND_NOTE, "pages", DATA_READ, note_found,
    .text = ROWS(find_text,
	"SELECT n.id, IF(n.artifact_id IS NULL, n.workspace_id, " FIND_ARTIFACT_AUDIENCES ")"
	" AS audiences, n.title AS name, " NOTE_PATH " AS also, x.content AS page"
	NOTE_FOUND_FROM " WHERE n.artifact_id IS NULL OR a.deleted_at IS NULL"),
    .all = FIND_ALL("note"),
    .page = ROWS(find_page, "SELECT n.id, x.content AS page" NOTE_FOUND_FROM),
    /* People who find a note may not open its link targets, so these aren't indexed. */
    .plain = markdown_unlinked);

/* ---- changes elsewhere ---- */

static enum err
finders_change(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC(FIND_LATER "SELECT ?, n.id" FIND_HAPPENED
		 " JOIN note n ON n.artifact_id = a.id"),
	    ARGS(FIND_NOTE, FIND_HAPPENED_ARGS(h)), NULL);
}

/* Search finds a learned note if it finds its page. So a deleted or restored page re-indexes its
 * note. */
static enum err
note_reindex(struct ctx *c, const struct happened *h)
{
	return db_exec(c, EXEC(FIND_LATER "SELECT ?, id FROM note WHERE artifact_id = ?"),
	    ARGS(FIND_NOTE, h->art->id), NULL);
}

/* A learned note stays neither in the old workspace nor moves to the new one. */
static enum err
artifact_leaves(struct ctx *c, const struct happened *h)
{
	TRY(note_reindex(c, h));
	return db_exec(
	    c, EXEC("DELETE FROM note WHERE artifact_id = ?"), ARGS(h->art->id), NULL);
}

enum { PURGED_AT_ONCE = 100 };

static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	int64_t gone;

	TRY(db_exec(c,
	    EXEC(FIND_LATER "SELECT ?, id FROM note WHERE workspace_id = ? LIMIT ?"),
	    ARGS(FIND_NOTE, h->workspace_id, (int)PURGED_AT_ONCE), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM note WHERE workspace_id = ? LIMIT ?"),
	    ARGS(h->workspace_id, (int)PURGED_AT_ONCE), &gone));
	*h->more = gone == PURGED_AT_ONCE;
	return E_OK;
}

USERS(USER_UNSET(note, updated_by)
      USER_UNSET(note_edit, user_id))
FOLLOWS(note, { FINDERS_CHANGE, finders_change }, { ARTIFACT_DELETED, note_reindex },
    { ARTIFACT_BACK, note_reindex }, { ARTIFACT_PURGED, note_reindex },
    { ARTIFACT_LEAVES, artifact_leaves }, USERS_FOLLOW, { WORKSPACE_PURGED, workspace_purged });
PURGES(note, ROWS_OF(note));
