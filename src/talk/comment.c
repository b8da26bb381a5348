/* SPDX-License-Identifier: Apache-2.0 */
#include "talk/comment.h"

#include "base/id.h"
#include "base/str.h"
#include "core/event.h"
#include "core/follow.h"
#include "core/mail.h"
#include "db/db.h"

SHAPE_DEFINE(comment_author, COMMENT_AUTHOR);
SHAPE_DEFINE(comment, COMMENT);
SHAPE_DEFINE(comment_new, COMMENT_NEW);
SHAPE_DEFINE(comment_edit, COMMENT_EDIT);
SHAPE_DEFINE(comment_query, COMMENT_QUERY);

enum { PATH_BYTES = 1024, EVERY_S = 3600, COUNTED = 100, QUOTED_CHARS = 500 };

/* ---- reading ---- */

/* The author's address as the artifact's people know it; NULL if the author has no role. */
#define COMMENT_EMAIL \
	"IF(a.owner_id = u.id, COALESCE(a.owner_given, u.email)," \
	" IF(co.role IS NULL, NULL, COALESCE(co.given_email, u.email)))"
#define COMMENT_SELECT \
	"SELECT m.id, m.artifact_id, m.body AS `text`, m.path, m.reply_to, m.created_at," \
	" m.edited_at, u.id AS `author.id`, u.name AS `author.name`," \
	" IF(?, " COMMENT_EMAIL ", NULL) AS `author.email` FROM comment m" \
	" JOIN artifact a ON a.id = m.artifact_id JOIN user u ON u.id = m.author_id" \
	" LEFT JOIN collaborator co ON co.artifact_id = m.artifact_id" \
	" AND co.user_id = m.author_id"

enum err
comment_list(struct ctx *c, const struct artifact *a, const struct comment_query *q,
    enum comment_names names, struct list *out, const char **next)
{
	const struct arg after = arg_after(q->cursor, "cmt_");
	bool with_email = names == NAMES_AND_ADDRESSES;

	if (q->path)
		return db_part(c,
		    ROWS(comment,
			COMMENT_SELECT
			" WHERE m.artifact_id = ? AND m.path = ? AND m.id > ?"
			" ORDER BY m.id LIMIT ?"),
		    ARGS(with_email, a->id, q->path, after), q->limit, out, next, last->id);
	return db_part(c,
	    ROWS(comment,
		COMMENT_SELECT " WHERE m.artifact_id = ? AND m.id > ? ORDER BY m.id LIMIT ?"),
	    ARGS(with_email, a->id, after), q->limit, out, next, last->id);
}

enum err
comment_latest(struct ctx *c, const struct artifact *a, const char *before, int64_t most,
    enum comment_names names, struct comment_list *out, const char **earlier)
{
	TRY(db_part(c,
	    ROWS(comment,
		COMMENT_SELECT
		" WHERE m.artifact_id = ? AND m.id < ? ORDER BY m.id DESC LIMIT ?"),
	    ARGS(names == NAMES_AND_ADDRESSES, a->id, arg_before(before, "cmt_")), most, out,
	    earlier, last->id));
	for (size_t i = 0; i < out->n / 2; i++) {
		struct comment swap = out->v[i];

		out->v[i] = out->v[out->n - 1 - i];
		out->v[out->n - 1 - i] = swap;
	}
	return E_OK;
}

enum err
comment_get(struct ctx *c, const struct artifact *a, const char *id, enum comment_names names,
    struct comment **out)
{
	return db_one(c, ROWS(comment, COMMENT_SELECT " WHERE m.id = ? AND m.artifact_id = ?"),
	    ARGS(names == NAMES_AND_ADDRESSES, id, a->id), out);
}

/* ---- writing ---- */

/* Forms send \r\n for each line end. */
static enum err
text_read(struct ctx *c, const char *text, const char **out)
{
	struct buf b = BUF(c->mem);

	for (; *text; text++)
		if (*text != '\r')
			buf_chr(&b, *text);
	*out = buf_done(&b);
	if (!(*out)[strspn(*out, " \t\n")])
		return fail(c, E_INVALID, "text: must not be blank");
	return str_chars(*out) <= COMMENT_CHARS
	    ? E_OK
	    : fail(c, E_INVALID, "text: must have at most %d characters", COMMENT_CHARS);
}

static enum err
comments_check_open(struct ctx *c, const struct artifact *a)
{
	return a->comments_open
	    ? E_OK
	    : fail(c, E_DENIED, "Comments on %s are closed; its owner can open them", a->slug);
}

static enum err
path_check(struct ctx *c, const char *path)
{
	if (!path)
		return E_OK;
	if (*path != '/' || path[1] == '/' || strpbrk(path, "\\?#"))
		return fail(c, E_INVALID,
		    "path: must be the path of a page, such as /report.html, "
		    "without a query or fragment");
	return strlen(path) <= PATH_BYTES
	    ? E_OK
	    : fail(c, E_INVALID, "path: must have at most %d bytes", PATH_BYTES);
}

#define REPLIED(F, T) F(T, ID, id, .arg = "cmt_")
SHAPE(replied, REPLIED);

/* The share lock keeps that comment until the commit. */
static enum err
reply_to_check(struct ctx *c, const struct artifact *a, const char *id)
{
	struct replied *row = NULL;

	if (!id)
		return E_OK;
	TRY(db_find(c,
	    ROWS(replied,
		"SELECT id FROM comment WHERE id = ? AND artifact_id = ? LOCK IN SHARE MODE"),
	    ARGS(id, a->id), &row));
	return row ? E_OK
		   : fail(c, E_INVALID, "reply_to: this artifact has no comment %s", id);
}

enum err
comment_add(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct comment_new *in, const char **id)
{
	const char *text;

	TRY(comments_check_open(c, a));
	TRY(text_read(c, in->text, &text));
	TRY(path_check(c, in->path));
	TRY(reply_to_check(c, a, in->reply_to));
	*id = id_new(c->mem, "cmt_");
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO comment (id, artifact_id, author_id, reply_to, path, body, created_at)"
		" VALUES (?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(*id, a->id, who->user_id, in->reply_to, in->path, text, c->now), NULL));
	return event_add(c, EVENT_COMMENT_ADDED, a->id, *id);
}

static bool
comment_is_by(const struct comment *m, const struct principal *who)
{
	const struct comment_author *author = m->author;

	return str_eq(author->id, who->user_id);
}

enum err
comment_change(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id,
    const char *text)
{
	struct comment *m;

	TRY(comment_get(c, a, id, NAMES_ONLY, &m));
	if (!comment_is_by(m, who))
		return fail(c, E_DENIED, "Only its author can edit a comment");
	TRY(comments_check_open(c, a));
	TRY(text_read(c, text, &text));
	return db_exec1(c,
	    EXEC(
		"UPDATE comment SET body = ?, edited_at = ? WHERE id = ? AND artifact_id = ?"),
	    ARGS(text, c->now, id, a->id));
}

enum err
comment_remove(
    struct ctx *c, const struct artifact *a, const struct principal *who, const char *id)
{
	struct comment *m;

	TRY(comment_get(c, a, id, NAMES_ONLY, &m));
	if (!comment_is_by(m, who) && role_rank(a->role) < ROLE_EDITOR)
		return fail(c, E_DENIED,
		    "Only its author, the owner, and editors can delete a comment");
	return db_exec1(c, EXEC("DELETE FROM comment WHERE id = ? AND artifact_id = ?"),
	    ARGS(id, a->id));
}

/* ---- news for the owner ---- */

/* Only one e-mail of an artifact waits at a time. It covers later comments, too. */
enum err
comment_heard(struct ctx *c, const char *artifact_id)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO outbox (id, kind, subject, due_at)"
		" SELECT ?, 'comments', a.id, GREATEST(?, LEAST(a.comments_told_at, ?) + ?)"
		" FROM artifact a"
		" WHERE a.id = ? AND a.owner_id IS NOT NULL AND NOT EXISTS"
		" (SELECT 1 FROM outbox o WHERE o.subject = a.id AND o.kind = 'comments')"),
	    ARGS(id_new(c->mem, "out_"), c->now, c->now, EVERY_S, artifact_id), NULL);
}

/* The newest comment by somebody else since the last e-mail; news_id is NULL if there is none. */
#define COMMENT_NEWS(F, T) \
	F(T, STR,   artifact) \
	F(T, EMAIL, owner_email, .doc = "NULL for an agent") \
	F(T, BOOL,  wanted) \
	F(T, TIME,  told_at) \
	F(T, STR,   news_id) \
	F(T, INT,   news_n) \
	F(T, STR,   author) \
	F(T, STR,   body)
SHAPE(comment_news, COMMENT_NEWS);

static enum err
news_find(struct ctx *c, const char *artifact_id, struct comment_news **out)
{
	return db_find(c,
	    ROWS(comment_news,
		"SELECT a.name AS artifact, o.email AS owner_email,"
		" a.comment_mails AS wanted, a.comments_told_at AS told_at, m.id AS news_id,"
		" COALESCE(NULLIF(u.name, ''), " COMMENT_EMAIL ", 'Somebody') AS author, m.body,"
		" (SELECT COUNT(*) FROM (SELECT 1 FROM comment n WHERE n.artifact_id = ?"
		" AND n.id > (SELECT t.comments_told_id FROM artifact t WHERE t.id = ?)"
		" AND n.author_id <> (SELECT t.owner_id FROM artifact t WHERE t.id = ?)"
		" LIMIT ?) some) AS news_n"
		" FROM artifact a JOIN user o ON o.id = a.owner_id LEFT JOIN comment m"
		" ON m.id = (SELECT l.id FROM comment l WHERE l.artifact_id = a.id"
		" AND l.id > a.comments_told_id AND l.author_id <> a.owner_id"
		" ORDER BY l.id DESC LIMIT 1) LEFT JOIN user u ON u.id = m.author_id"
		" LEFT JOIN collaborator co ON co.artifact_id = a.id AND co.user_id = m.author_id"
		" WHERE a.id = ? AND a.deleted_at IS NULL ORDER BY m.id DESC LIMIT 1"),
	    ARGS(artifact_id, artifact_id, artifact_id, COUNTED, artifact_id), out);
}

static enum err
news_mail(struct ctx *c, const char *artifact_id, const struct comment_news *news)
{
	const char *cut = str_cut(c->mem, news->body, QUOTED_CHARS);
	const char *what = news->news_n == 1 ? "A new comment"
	    : news->news_n == COUNTED
	    ? mem_printf(c->mem, "%d or more new comments", COUNTED)
	    : mem_printf(c->mem, "%lld new comments", (long long)news->news_n);

	return mail_send(c,
	    &(struct mail){ .template = MAIL_COMMENTS,
		.to = news->owner_email,
		.artifact_id = artifact_id,
		.values = { .artifact = news->artifact,
		    .what = what,
		    .who = news->author,
		    .message = str_eq(cut, news->body) ? cut : mem_printf(c->mem, "%s…", cut),
		    .link = mem_printf(c->mem, "/a/%s/comments", artifact_id) } });
}

enum err
comment_tell(struct ctx *c, const char *artifact_id, int64_t *again_at)
{
	struct comment_news *news;
	enum err e;

	*again_at = 0;
	TRY(news_find(c, artifact_id, &news));
	if (!news || !news->news_id)
		return E_OK;
	if (news->told_at + EVERY_S > c->now && news->told_at <= c->now) {
		*again_at = news->told_at + EVERY_S;
		return E_OK;
	}
	if (news->wanted && news->owner_email && mail_enabled(c)) {
		e = news_mail(c, artifact_id, news);
		*again_at = e == E_RATE_LIMITED ? c->now + EVERY_S : 0;
		if (e)
			return *again_at ? E_OK : e;
	}
	/* If e-mails are off, mark the comments as reported: turning them on must not report old
	 * ones. */
	return db_exec1(c,
	    EXEC("UPDATE artifact SET comments_told_id = ?, comments_told_at = ? WHERE id = ?"),
	    ARGS(news->news_id, c->now, artifact_id));
}

USERS(USER_ENDS(comment, author_id))
FOLLOWS(comment, USERS_FOLLOW);
PURGES(comment, ROWS_OF(comment));
