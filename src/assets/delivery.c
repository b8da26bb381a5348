/* SPDX-License-Identifier: Apache-2.0 */
#include "assets/delivery.h"

#include "base/id.h"
#include "base/json.h"
#include "base/mime.h"
#include "base/seal.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/filename.h"
#include "core/tell.h"
#include "core/user.h"
#include "store/archive.h"
#include "store/object.h"
#include "store/rounds.h"

SHAPE_DEFINE(delivery, DELIVERY);
SHAPE_DEFINE(delivered, DELIVERED);

/* ---- reading ---- */

#define DELIVERY_SELECT \
	"SELECT l.id, l.name, l.gate, l.gate_epoch, l.password, l.domains, l.expires_at," \
	" l.opened_at, l.recipient, l.message, m.id AS maker_id, m.name AS maker_name," \
	" m.email AS maker_email, l.workspace_id FROM delivery_link l" LINK_STANDS_TABLES " WHERE"

enum err
delivery_find(struct ctx *c, const char *secret, struct delivery **out)
{
	uint8_t hash[SHA256_BYTES];

	token_hash(secret, hash);
	return db_one(c,
	    ROWS(delivery,
		DELIVERY_SELECT " l.hash = ? AND" LINK_STANDS
		" AND EXISTS (SELECT 1 FROM asset_collection_file f"
		" JOIN deliverable d ON d.id = f.deliverable_id AND " LINK_MAKER_SEES
		" WHERE f.collection_id = l.collection_id)"),
	    ARGS(((struct bytes){ hash, sizeof hash }), c->now), out);
}

#define DELIVERED_COLUMNS "b.id, d.name, b.mime AS mime_type, b.size_bytes AS size, b.sha256"

enum err
delivery_files(struct ctx *c, const struct delivery *d, struct delivered_list *out)
{
	return db_all(c,
	    ROWS(delivered,
		"SELECT " DELIVERED_COLUMNS ", p.sha256 AS preview, p.pages"
		" FROM delivery_link l" LINK_STANDS_TABLES LINK_FILES
		" LEFT JOIN asset_preview p ON p.input_sha256 = b.sha256"
		" WHERE l.id = ? AND" LINK_STANDS " ORDER BY f.place"),
	    ARGS(d->id, c->now), out);
}

/* Finds the file first, so that the cost doesn't grow with the number of files of the link. */
enum err
delivery_file(struct ctx *c, const char *secret, const char *blob_id, struct delivery **d,
    struct delivered **out)
{
	uint8_t hash[SHA256_BYTES];

	token_hash(secret, hash);
	TRY(db_find(c,
	    ROWS(delivered,
		"SELECT " DELIVERED_COLUMNS ", l.id AS link_id, l.gate, l.gate_epoch"
		" FROM delivery_link l STRAIGHT_JOIN asset_blob b ON b.id = ?"
		" STRAIGHT_JOIN deliverable d ON d.id = b.deliverable_id AND d.blob_id = b.id"
		" AND " LINK_MAKER_SEES
		" STRAIGHT_JOIN asset_collection_file f"
		" ON f.deliverable_id = d.id AND f.collection_id = l.collection_id"
		LINK_STANDS_TABLES " WHERE l.hash = ? AND" LINK_STANDS),
	    ARGS(blob_id, ((struct bytes){ hash, sizeof hash }), c->now), out));
	if (!*out)
		return delivery_find(c, secret, d);
	*d = mem_new(c->mem, struct delivery);
	**d = (struct delivery){ .id = (*out)->link_id, .gate = (*out)->gate,
		.gate_epoch = (*out)->gate_epoch };
	return E_OK;
}

/* ---- all files as a .zip ---- */

/* Returns a name that no earlier file has, even where case is ignored: "a.pdf", "A (2).pdf". */
static const char *
name_unique(struct ctx *c, const char *given, struct strs *keys)
{
	const char *whole = filename_portable(c->mem, given), *name = whole,
		   *dot = strrchr(whole, '.');
	int stem = (int)(dot && dot > whole ? dot - whole : (ptrdiff_t)strlen(whole)), same = 1;
	const char *key = unicode_casefold_nfkc(c->mem, name);

	while (strs_have(keys, key)) {
		name = mem_printf(c->mem, "%.*s (%d)%s", stem, whole, ++same, whole + stem);
		key = unicode_casefold_nfkc(c->mem, name);
	}
	keys->v[keys->n++] = key;
	return name;
}

enum err
delivery_zip(struct ctx *c, const struct delivered_list *files,
    enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n), void *arg)
{
	struct strs keys = { .v = mem_array(c->mem, const char *, files->n + 1) };
	struct archive_out *zip;

	TRY(archive_zip_begin(c, write, arg, &zip));
	for (size_t i = 0; i < files->n; i++) {
		const struct delivered *f = &files->v[i];
		const char *name = name_unique(c, f->name, &keys);
		uint8_t sha256[SHA256_BYTES];
		int64_t size;
		int fd;

		if (!crypto_unhex(f->sha256, sha256, sizeof sha256))
			return fail_here(c, "digest of %s", f->id);
		TRY(object_open(c, sha256, &fd, &size));
		archive_pack(zip, mime_compressible(f->name));
		TRY(archive_add_fd(zip, name, fd, size));
	}
	return archive_end(zip);
}

/* ---- the gate ---- */

/* The purpose has the gate's epoch, so a pass of a former gate is invalid. */
static const char *
pass_purpose(struct ctx *c, const struct delivery *d)
{
	return mem_printf(
	    c->mem, "delivery pass %s %lld", d->id, (long long)d->gate_epoch);
}

const char *
delivery_pass(struct ctx *c, const struct delivery *d)
{
	return seal_close(c->mem, pass_purpose(c, d),
	    mem_printf(c->mem, "%lld", (long long)c->now + PASS_HOURS * 3600));
}

bool
delivery_passes(struct ctx *c, const struct delivery *d, const char *pass)
{
	const char *text = seal_open(c->mem, pass_purpose(c, d), pass);
	int64_t until;

	return text && str_int(text, &until) && until > c->now;
}

bool
delivery_mails(struct ctx *c, const struct delivery *d, const char *email)
{
	const char *at = strrchr(email, '@');
	char *rest = mem_strdup(c->mem, d->domains ? d->domains : ""), *domain;

	while (at && (domain = str_split(&rest, ' ')))
		if (*domain && str_eq(domain, at + 1))
			return true;
	return false;
}

#define CODE_ASKED(F, T) \
	F(T, STR, link_id, .flags = F_REQ) \
	F(T, STR, email,   .flags = F_REQ)
SHAPE(code_asked, CODE_ASKED);

enum err
delivery_code_ask(struct ctx *c, const struct delivery *d, const char *email)
{
	struct code_asked asked = { .link_id = d->id, .email = email_fold(c, email) };

	return db_exec(c,
	    EXEC("INSERT INTO outbox (id, kind, subject, payload, due_at)"
		 " VALUES (?, 'delivery_code', ?, ?, ?)"),
	    ARGS(id_new(c->mem, "out_"), d->id,
		shape_text(c->mem, &code_asked_shape, &asked), c->now),
	    NULL);
}

static const char *
code_new(struct ctx *c)
{
	uint32_t n;

	/* 4,294,000,000 is the last multiple of a million that fits in. */
	do
		crypto_random(&n, sizeof n);
	while (n >= 4294000000U);
	return mem_printf(c->mem, "%06u", n % 1000000);
}

enum err
delivery_code_send(struct ctx *c, const char *asked)
{
	struct json *json;
	const char *code = code_new(c);
	struct code_asked *in;
	struct delivery *d;

	TRY(json_parse(c, asked, strlen(asked), &json));
	TRY(shape_read(c, &code_asked_shape, json, (void **)&in));
	TRY(db_find(c,
	    ROWS(delivery, DELIVERY_SELECT " l.id = ? AND" LINK_STANDS " AND l.gate = 'domain'"),
	    ARGS(in->link_id, c->now), &d));
	if (!d || !delivery_mails(c, d, in->email))
		return E_OK;
	TRY(db_exec(c,
	    EXEC("REPLACE INTO delivery_code (link_id, email, code, tries, expires_at)"
		 " VALUES (?, ?, ?, 0, ?)"),
	    ARGS(d->id, in->email, code, c->now + CODE_MINUTES * 60), NULL));
	return tell(c,
	    &(struct mail){ .template = MAIL_DELIVERY_CODE, .to = in->email,
		.values = { .code = code } });
}

#define CODE_SENT(F, T) F(T, STR, code)
SHAPE(code_sent, CODE_SENT);

enum err
delivery_code_try(struct ctx *c, const struct delivery *d, const char *email, const char *code,
    bool *right)
{
	const char *whose = email_fold(c, email);
	struct code_sent *sent;
	int64_t counted;

	*right = false;
	TRY(db_exec(c,
	    EXEC("UPDATE delivery_code SET tries = tries + 1"
		 " WHERE link_id = ? AND email = ? AND tries < ? AND expires_at > ?"),
	    ARGS(d->id, whose, CODE_TRIES, c->now), &counted));
	if (!counted || strlen(code) != 6)
		return E_OK;
	TRY(db_one(c,
	    ROWS(code_sent, "SELECT code FROM delivery_code WHERE link_id = ? AND email = ?"),
	    ARGS(d->id, whose), &sent));
	*right = crypto_equal(sent->code, code, 6) && delivery_mails(c, d, whose);
	return *right ? db_exec1(c,
			    EXEC("DELETE FROM delivery_code WHERE link_id = ? AND email = ?"),
			    ARGS(d->id, whose))
		      : E_OK;
}

/* ---- being opened ---- */

enum err
delivery_opened(struct ctx *c, const struct delivery *d)
{
	int64_t first;

	TRY(db_exec1(c, EXEC("UPDATE delivery_link SET views = views + 1 WHERE id = ?"),
	    ARGS(d->id)));
	if (d->has.opened_at == GIVEN)
		return E_OK;
	TRY(db_begin(c));
	TRY(db_exec(c,
	    EXEC("UPDATE delivery_link SET opened_at = ? WHERE id = ? AND opened_at IS NULL"),
	    ARGS(c->now, d->id), &first));
	if (first && d->maker_email)
		TRY(tell(c,
		    &(struct mail){ .template = MAIL_DELIVERY_OPENED, .to = d->maker_email,
			.values = { .what = d->name,
			    .who = d->recipient ? d->recipient : "Someone",
			    .link = d->workspace_id
				? mem_printf(c->mem, "/w/%s/library/links", d->workspace_id)
				: "/library/links" } }));
	return db_commit(c);
}

static enum err
codes_sweep(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM delivery_code WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

ROUNDS(delivery, { "delivery codes", .rows = codes_sweep });
