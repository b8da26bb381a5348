/* SPDX-License-Identifier: Apache-2.0 */
#include "talk/place.h"

#include "base/charset.h"
#include "base/crypto.h"
#include "base/json.h"
#include "base/log.h"
#include "base/str.h"
#include "base/unicode.h"
#include "db/db.h"
#include "db/ids.h"
#include "ext/apart.h"
#include "ext/html.h"
#include "site/pdfpage.h"
#include "store/object.h"
#include "talk/remark.h"

#include <string.h>

enum {
	LEASE_S = 300,
	ATTEMPTS = 5,
	READS = 200,           /* files for one version; remarks in others stay unknown */
	FILE_BYTES = 5 << 20,
	WORDS_BYTES = 4 << 20, /* of a file's text */
	LOOKS = 1000,          /* places with a quote's prefix that are tried */
	KEPT = 20              /* versions */
};

#define HERE "here"
#define CHANGED "changed"
#define GONE "gone"
#define UNKNOWN "unknown"
#define PENDING "pending"

/* ---- wanting ---- */

static const char *
row_id(struct ctx *c, const char *artifact_id, int64_t version_no)
{
	return mem_printf(
	    c->mem, "plc%s_%lld", artifact_id + strlen("art_"), (long long)version_no);
}

/* Ends the lease of a runner that has the row, so that it leaves the row there. */
#define WANTED_AGAIN \
	" ON DUPLICATE KEY UPDATE due_at = VALUES(due_at), attempts = 0"

enum err
places_want(struct ctx *c, const char *artifact_id, int64_t version_no)
{
	return db_exec(c,
	    EXEC("INSERT INTO outbox (id, kind, subject, payload, due_at)"
		 " VALUES (?, '" PLACES_KIND "', ?, ?, ?)" WANTED_AGAIN),
	    ARGS(row_id(c, artifact_id, version_no), artifact_id, version_no, c->now), NULL);
}

enum err
places_again(struct ctx *c, const char *artifact_id, const char *sha256)
{
	return db_exec(c,
	    EXEC("INSERT INTO outbox (id, kind, subject, payload, due_at)"
		 " SELECT DISTINCT CONCAT('plc', SUBSTRING(f.artifact_id, 5), '_', f.version_no),"
		 " '" PLACES_KIND "', f.artifact_id, f.version_no, ?"
		 " FROM version_file f FORCE INDEX (version_file_sha256)"
		 " JOIN artifact a ON a.id = f.artifact_id AND a.anchored"
		 " WHERE f.sha256 = UNHEX(?) AND f.artifact_id = ?"
		 " ORDER BY f.version_no DESC LIMIT ?" WANTED_AGAIN),
	    ARGS(c->now, sha256, artifact_id, KEPT), NULL);
}

/* ---- reading ---- */

#define STORED_PLACE(F, T) \
	F(T, ID,  id, .arg = "cmt_") \
	F(T, STR, status)
SHAPE(stored_place, STORED_PLACE);
#define PLACES_WAIT(F, T) F(T, BOOL, waits)
SHAPE(places_wait, PLACES_WAIT);

enum err
places_set(struct ctx *c, const char *artifact_id, int64_t version_no, struct comment *v, size_t n)
{
	const char **ids = mem_array(c->mem, const char *, n + 1);
	struct stored_place_list all;
	struct places_wait *row;

	for (size_t i = 0; i < n; i++)
		ids[i] = v[i].id;
	TRY(db_all(c,
	    ROWS(stored_place,
		"SELECT p.comment_id AS id, p.status FROM " ID_TABLE
		" STRAIGHT_JOIN comment_place p ON p.comment_id = t.id AND p.version_no = ?"),
	    ARGS(ids_json(c, ids, n), version_no), &all));
	TRY(db_one(c,
	    ROWS(places_wait,
		"SELECT EXISTS (SELECT 1 FROM outbox WHERE id = ?) AS waits"),
	    ARGS(row_id(c, artifact_id, version_no)), &row));
	for (size_t i = 0; i < n; i++) {
		const char *stored = NULL;
		struct comment_place *p;

		if (!v[i].anchor || !str_eq(v[i].id, v[i].thread_id))
			continue;
		for (size_t k = 0; k < all.n; k++)
			if (str_eq(all.v[k].id, v[i].id))
				stored = all.v[k].status;
		v[i].place = p = mem_new(c->mem, struct comment_place);
		p->version_no = version_no;
		p->status = v[i].version_no == version_no ? HERE
		    : stored                              ? stored
		    : row->waits                          ? PENDING
							  : UNKNOWN;
	}
	return E_OK;
}

/* ---- texts ---- */

/* Returns the bytes of a blank at the text's beginning; 0: it has none there. */
static size_t
blank_bytes(const char *s)
{
	unsigned char a = (unsigned char)s[0], b = (unsigned char)(a ? s[1] : 0);
	unsigned char d = (unsigned char)(b ? s[2] : 0);

	if (a && a <= ' ')
		return 1;
	if (a == 0xc2 && (b == 0xa0 || b == 0xad))
		return 2; /* a space that doesn't break, and a soft hyphen */
	if (a == 0xe2 && b == 0x80) /* spaces of U+2000, without width, and line ends */
		return (d >= 0x80 && d <= 0x8d) || d == 0xa8 || d == 0xa9 || d == 0xaf ? 3 : 0;
	if (a == 0xe3 && b == 0x80)
		return d == 0x80 ? 3 : 0;
	return a == 0xef && b == 0xbb && d == 0xbf ? 3 : 0;
}

const char *
place_fold(void *owner, const char *text)
{
	char *out = mem_array(owner, char, strlen(text) + 1), *to = out;

	while (*text) {
		size_t n = blank_bytes(text);

		if (n)
			text += n;
		else
			*to++ = *text++;
	}
	*to = '\0';
	return unicode_nfc(owner, out);
}

const char *
place_of_quote(const char *text, const struct place_quote *q)
{
	const char *at = text;
	size_t between = 2 * strlen(q->exact), suffix_n = strlen(q->suffix);

	if (!*q->exact)
		return UNKNOWN;
	if (strstr(text, q->exact))
		return HERE;
	if (!*q->prefix || !*q->suffix)
		return GONE;
	for (int i = 0; i < LOOKS && (at = strstr(at, q->prefix)); i++, at++) {
		const char *after = at + strlen(q->prefix);

		if (memmem(after, strnlen(after, between + suffix_n), q->suffix, suffix_n))
			return CHANGED;
	}
	return GONE;
}

/* ---- what a version has ---- */

#define PLACE_DUE(F, T) \
	F(T, STR, id) \
	F(T, ID,  artifact_id, .arg = "art_") \
	F(T, INT, version_no) \
	F(T, INT, due_at) \
	F(T, INT, attempts)
SHAPE(place_due, PLACE_DUE);

/* prev: the last version before this one in which its place is known. */
#define PLACED(F, T) \
	F(T, ID,  id, .arg = "cmt_") \
	F(T, STR, path) \
	F(T, STR, anchor) \
	F(T, INT, own) \
	F(T, INT, prev) \
	F(T, STR, before, .doc = "Its place there")
SHAPE(placed, PLACED);

#define PLACE_FILE(F, T) \
	F(T, STR, page) \
	F(T, INT, no) \
	F(T, STR, sha256) \
	F(T, STR, mime)
SHAPE(place_file, PLACE_FILE);

#define PLACE_VERSION(F, T) F(T, BOOL, ruled, .doc = "Rules serve addresses that aren't files")
SHAPE(place_version, PLACE_VERSION);

/* The text of the file that was read last. */
struct words {
	void *mem;
	const char *sha256, *text; /* text NULL: it can't be read */
};

struct placing {
	struct ctx *c;
	const struct place_due *due;
	bool ruled;
	struct placed_list remarks;
	struct place_file_list files; /* by page and version; the first of a page is it */
	struct words now, own;
	int reads;
};

#define REMARKS_OF \
	" FROM comment m FORCE INDEX (comment_head)" \
	" LEFT JOIN comment_place p ON p.comment_id = m.id AND p.version_no =" \
	" (SELECT MAX(x.version_no) FROM comment_place x WHERE x.comment_id = m.id" \
	" AND x.version_no < ?) WHERE m.artifact_id = ? AND m.state = 'open'" \
	" AND m.thread_id IS NULL AND m.anchor IS NOT NULL AND m.version_no <> ?" \
	" ORDER BY m.path, m.version_no, m.id LIMIT ?"
/* The path of a file that a page's path may mean, as in spot.c. */
#define FILE_OF \
	"CAST(IF(k.path = '/', IF(n.n = 1, v.entrypoint, NULL), CONCAT(SUBSTRING(k.path, 2)," \
	" ELT(n.n, '', '.html', '/index.html', 'index.html'))) AS BINARY)"

static enum err
version_read(struct placing *k)
{
	const struct place_due *d = k->due;
	struct place_version *v;

	TRY(db_find(k->c,
	    ROWS(place_version,
		"SELECT v.routing = 'spa' OR EXISTS (SELECT 1 FROM version_file f"
		" WHERE f.artifact_id = v.artifact_id AND f.version_no = v.version_no"
		" AND f.path = '_redirects') AS ruled FROM version v JOIN artifact a"
		" ON a.id = v.artifact_id AND a.deleted_at IS NULL"
		" WHERE v.artifact_id = ? AND v.version_no = ?"),
	    ARGS(d->artifact_id, d->version_no), &v));
	if (!v)
		return E_OK;
	k->ruled = v->ruled;
	TRY(db_all(k->c,
	    ROWS(placed,
		"SELECT m.id, m.path, m.anchor, m.version_no AS own, p.version_no AS prev,"
		" p.status AS `before`" REMARKS_OF),
	    ARGS(d->version_no, d->artifact_id, d->version_no, OPEN_THREADS), &k->remarks));
	return db_all(k->c,
	    ROWS(place_file,
		"WITH h AS (SELECT m.path, m.version_no AS own, p.version_no AS prev"
		REMARKS_OF "), k AS (SELECT path, own AS no FROM h UNION SELECT path, prev FROM h"
		" WHERE prev IS NOT NULL UNION SELECT path, ? FROM h)"
		" SELECT k.path AS page, k.no, COALESCE(w.sha256, f.sha256) AS sha256,"
		" IF(w.sha256 IS NULL, f.mime, 'text/html; charset=utf-8') AS mime FROM k"
		" STRAIGHT_JOIN version v ON v.artifact_id = ? AND v.version_no = k.no"
		" STRAIGHT_JOIN (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3"
		" UNION ALL SELECT 4) n LEFT JOIN version_file f ON f.artifact_id = v.artifact_id"
		" AND f.version_no = v.version_no AND f.path = " FILE_OF
		" LEFT JOIN view w ON w.artifact_id = v.artifact_id"
		" AND w.version_no = v.version_no AND w.path = " FILE_OF
		" WHERE f.path IS NOT NULL OR w.path IS NOT NULL ORDER BY k.path, k.no, n.n"),
	    ARGS(d->version_no, d->artifact_id, d->version_no, OPEN_THREADS, d->version_no,
		d->artifact_id),
	    &k->files);
}

static int
file_cmp(const char *page, int64_t no, const struct place_file *f)
{
	int order = strcmp(page, f->page);

	return order ? order : (no > f->no) - (no < f->no);
}

/* Returns the file of a page in a version, or NULL. */
static const struct place_file *
file_find(const struct placing *k, const char *page, int64_t no)
{
	size_t lo = 0, hi = k->files.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (file_cmp(page, no, &k->files.v[mid]) > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < k->files.n && file_cmp(page, no, &k->files.v[lo]) == 0 ? &k->files.v[lo] : NULL;
}

static bool
is_same(const struct place_file *a, const struct place_file *b)
{
	return a && b && str_eq(a->sha256, b->sha256);
}

/* ---- reading files ---- */

static enum err
file_text(struct ctx *one, const struct place_file *f, const char **text)
{
	struct html_page page = { .address = "https://page.invalid/",
		.charset = charset_declared(one->mem, f->mime),
		.most = WORDS_BYTES,
		.words = true };
	struct html_content said;
	uint8_t sha256[SHA256_BYTES];

	if (!crypto_unhex(f->sha256, sha256, sizeof sha256))
		return fail(one, E_INVALID, "it has no digest");
	TRY(object_read(one, sha256, FILE_BYTES, &page.bytes, &page.n));
	*text = page.bytes;
	if (!str_starts(f->mime, "text/html"))
		return str_utf8_valid(page.bytes, page.n)
		    ? E_OK
		    : fail(one, E_INVALID, "it isn't text");
	TRY(html_read(one, &page, &said));
	*text = said.text;
	return said.cut ? fail(one, E_INVALID, "it is too long") : E_OK;
}

/* Reads the words of a file, unless they are those of the last one. E_UNAVAILABLE isn't the file's
 * fault, so it is returned; after another failure there is no text. */
static enum err
words_read(struct placing *k, const struct place_file *f, struct words *w)
{
	struct ctx *one;
	const char *text = NULL;
	enum err e;

	if (str_eq(w->sha256, f->sha256))
		return E_OK;
	mem_free(w->mem);
	*w = (struct words){ .mem = mem_new(k->c->mem, struct words), .sha256 = f->sha256 };
	if (k->reads++ >= READS)
		return E_OK;
	one = ctx_begin(k->c->conf, k->c->db);
	e = file_text(one, f, &text);
	if (!e)
		w->text = place_fold(w->mem, text);
	else if (e == E_UNAVAILABLE)
		fail(k->c, e, "%s", ctx_why(one));
	ctx_end(one);
	return e == E_UNAVAILABLE ? e : E_OK;
}

/* ---- deciding ---- */

/* Reads the quote of an anchor, folded. Returns false if it has none. */
static bool
quote_read(struct ctx *c, const char *anchor, struct place_quote *q)
{
	const struct json *quote;
	struct json *j;
	const char *prefix, *suffix;

	if (json_parse(c, anchor, strlen(anchor), &j)) {
		ctx_forgive(c);
		return false;
	}
	quote = json_get(j, "quote");
	if (!json_word(quote, "exact"))
		return false;
	prefix = json_word(quote, "prefix");
	suffix = json_word(quote, "suffix");
	*q = (struct place_quote){ place_fold(c->mem, json_word(quote, "exact")),
		place_fold(c->mem, prefix ? prefix : ""),
		place_fold(c->mem, suffix ? suffix : "") };
	return true;
}

/* A quote that isn't found may be one that a script writes: then it isn't in its own file either,
 * and only a browser knows. */
static enum err
place_in_text(struct placing *k, const struct placed *m, const struct place_file *own,
    const struct place_file *now, const char **out)
{
	struct place_quote q;

	*out = UNKNOWN;
	if (!quote_read(k->c, m->anchor, &q))
		return E_OK;
	TRY(words_read(k, now, &k->now));
	if (!k->now.text)
		return E_OK;
	*out = place_of_quote(k->now.text, &q);
	if (str_eq(*out, HERE) || str_eq(*out, UNKNOWN) || !own)
		return E_OK;
	TRY(words_read(k, own, &k->own));
	if (!k->own.text || !str_eq(place_of_quote(k->own.text, &q), HERE))
		*out = UNKNOWN;
	return E_OK;
}

/* Places a remark in a PDF with other bytes. Until its pages are counted we say changed; then the
 * version is placed again. */
static enum err
place_in_pdf(struct placing *k, const struct placed *m, const struct place_file *now,
    const char **out)
{
	int64_t page = anchor_page(k->c, m->anchor), pages = 0;

	if (page)
		TRY(pdf_pages_count(
		    k->c, k->due->artifact_id, now->sha256, page, &pages));
	*out = pages && page > pages ? GONE : CHANGED;
	return E_OK;
}

static enum err
place_in_version(struct placing *k, const struct placed *m, const char **out)
{
	const struct place_file *own = file_find(k, m->path, m->own);
	const struct place_file *now = file_find(k, m->path, k->due->version_no);

	*out = UNKNOWN;
	if (!now) {
		*out = own && !k->ruled ? GONE : UNKNOWN;
		return E_OK;
	}
	if (is_same(own, now))
		*out = HERE;
	else if (str_starts(now->mime, "application/pdf"))
		return place_in_pdf(k, m, now, out);
	else if (m->before && is_same(file_find(k, m->path, m->prev), now))
		*out = m->before;
	else if (str_starts(now->mime, "image/"))
		*out = CHANGED;
	else if (str_starts(now->mime, "text/"))
		return place_in_text(k, m, own, now, out);
	return E_OK;
}

/* ---- storing ---- */

/* Deletes the row, unless somebody has asked again meanwhile. */
static enum err
due_end(struct ctx *c, const struct place_due *d)
{
	return db_exec(c, EXEC("DELETE FROM outbox WHERE id = ? AND due_at = ? AND attempts = ?"),
	    ARGS(d->id, d->due_at, d->attempts), NULL);
}

static enum err
places_store(struct placing *k, const struct arg *rows, size_t n)
{
	const struct place_due *d = k->due;
	struct ctx *c = k->c;

	TRY(db_begin(c));
	/* A comment may be deleted meanwhile. */
	TRY(db_exec_many(c,
	    EXEC("INSERT IGNORE INTO comment_place (comment_id, version_no, status)"
		 " VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE status = VALUES(status)"),
	    rows, 3, n));
	TRY(db_exec(c,
	    EXEC("DELETE p FROM comment m STRAIGHT_JOIN comment_place p ON p.comment_id = m.id"
		 " AND p.version_no <= ? WHERE m.artifact_id = ? AND m.thread_id IS NULL"),
	    ARGS(d->version_no > KEPT ? d->version_no - KEPT : 0, d->artifact_id), NULL));
	TRY(due_end(c, d));
	return db_commit(c);
}

static enum err
version_place(struct ctx *c, const struct place_due *d)
{
	struct placing k = { .c = c, .due = d };
	struct arg *rows;

	TRY(version_read(&k));
	rows = mem_array(c->mem, struct arg, 3 * k.remarks.n + 1);
	for (size_t i = 0; i < k.remarks.n; i++) {
		const char *status;

		TRY(place_in_version(&k, &k.remarks.v[i], &status));
		rows[3 * i] = arg_str(k.remarks.v[i].id);
		rows[3 * i + 1] = arg_int(d->version_no);
		rows[3 * i + 2] = arg_str(status);
	}
	return places_store(&k, rows, k.remarks.n);
}

/* ---- the lane ---- */

/* Leases the version that has waited longest. *out is NULL if none waits, or another runner was
 * quicker. */
static enum err
due_claim(struct ctx *c, bool *any, struct place_due **out)
{
	struct place_due *d;
	int64_t mine;

	*out = NULL;
	TRY(db_find(c,
	    ROWS(place_due,
		"SELECT id, subject AS artifact_id, CAST(payload AS UNSIGNED) AS version_no,"
		" due_at, attempts FROM outbox WHERE kind = '" PLACES_KIND "' AND due_at <= ?"
		" ORDER BY due_at, id LIMIT 1"),
	    ARGS(c->now), &d));
	*any = d != NULL;
	if (!d)
		return E_OK;
	TRY(db_exec(c,
	    EXEC("UPDATE outbox SET due_at = ?, attempts = attempts + 1"
		 " WHERE id = ? AND due_at = ? AND attempts = ?"),
	    ARGS(c->now + LEASE_S, d->id, d->due_at, d->attempts), &mine));
	d->due_at = c->now + LEASE_S;
	d->attempts++;
	*out = mine ? d : NULL;
	return E_OK;
}

/* A failure is tried again when the lease is over. After the last one the places stay unknown. */
static enum err
place_one(struct ctx *c, bool *any)
{
	struct place_due *d;
	enum err e;

	TRY(due_claim(c, any, &d));
	if (!d)
		return E_OK;
	e = d->attempts <= ATTEMPTS ? version_place(c, d) : due_end(c, d);
	db_rollback(c);
	return e;
}

enum err
place_next(const struct conf *conf, struct db *db, bool (*left)(void *arg), bool *any)
{
	struct ctx *c = ctx_begin(conf, db);
	enum err e = E_OK;

	(void)left;
	*any = false;
	if (apart_prepared(html_work))
		e = place_one(c, any);
	if (e)
		log_line(LOG_LEVEL_ERROR, "places not found", "why", ctx_why(c), NULL);
	ctx_end(c);
	return e;
}
