/* SPDX-License-Identifier: Apache-2.0 */
#include "site/publishrow.h"

#include "base/conf.h"
#include "base/str.h"
#include "core/event.h"
#include "core/find.h"
#include "core/learn_want.h"
#include "core/remarks_passed.h"
#include "site/digest.h"
#include "site/picture.h"
#include "site/version.h"
#include "site/versionsql.h"

/* A millisecond of the database per piece; then other requests have their turn. */
enum { FILES_AT_ONCE = 100 };

static struct bytes
item_digest(const struct item *it)
{
	return (struct bytes){ it->sha256, SHA256_BYTES };
}

static const char *
agent_text(struct publishing *w)
{
	return w->in->agent ? shape_text(w->c->mem, &publish_agent_shape, w->in->agent) : NULL;
}

/* Returns the changes that a draft keeps until it goes live. */
static struct digest_next
drafted_of(struct publishing *w)
{
	const struct publish_new *in = w->in;
	const char *policy = in->access_policy, *agent = agent_text(w);

	if (!w->draft)
		return (struct digest_next){ 0 };
	return (struct digest_next){ str_eq(in->name, w->art->name) ? NULL : in->name,
		in->has.access_policy ? (policy ? policy : "") : NULL,
		in->has.agent ? (agent ? agent : "") : NULL };
}

/* Digests the version into w->digest. Returns the digest of what it changes, or NULL. */
static const uint8_t *
version_digest(struct publishing *w)
{
	struct digest_file *files = mem_array(w->c->mem, struct digest_file, w->m.n);
	uint8_t *next = mem_zalloc(w->c->mem, SHA256_BYTES);
	const struct digest_next drafted = drafted_of(w);

	for (size_t i = 0; i < w->m.n; i++)
		files[i] = (struct digest_file){ w->m.items[i].path, w->m.items[i].mime,
			w->m.items[i].size, w->m.items[i].sha256 };
	next = digest_of_next(w->c->mem, &drafted, next) ? next : NULL;
	digest_of_version(w->c->mem, w->made->version, next, files, w->m.n, w->digest);
	return next;
}

bool
publishing_changes(const struct publishing *w, uint8_t has)
{
	return !w->draft && has != ABSENT;
}

#define ADDED(F, T) \
	F(T, INT, bytes) \
	F(T, STR, last)
SHAPE(added, ADDED);

/* Returns the error e of a statement with STORAGE_ADD_MORE. If the owner's storage is full, the
 * refusal says how much the version adds. */
static enum err
record_result(struct publishing *w, enum err e)
{
	const struct version_row *v = w->made->version;
	struct added *row;

	if (e != E_STORAGE_FULL)
		return e;
	TRY(db_one(w->c,
	    ROWS(added,
		"SELECT " VERSION_ADDS("''") " AS bytes FROM version v"
		" WHERE v.artifact_id = ? AND v.version_no = ?"),
	    ARGS(v->artifact_id, v->version_no), &row));
	return storage_refuse(w->c, v->artifact_id, w->who, row->bytes);
}

/* A new version alone doesn't change how search finds the artifact. */
static bool
words_change(const struct publishing *w)
{
	return !w->art->last_no ||
	    (publishing_changes(w, w->in->name != NULL) && !str_eq(w->in->name, w->art->name));
}

/* Writes a version with one file in one statement, which saves six round trips with the row locked.
 * live_no and live_mobile change together, as in version_show(). */
static enum err
version_record(struct publishing *w, const char *outbox_id)
{
	const struct version_row *v = w->made->version;
	const struct publish_new *in = w->in;
	const struct item *first = w->files[0];
	const uint8_t *next = version_digest(w);
	struct ctx *c = w->c;
	enum err e = db_exec(c,
	    EXEC(
		"BEGIN NOT ATOMIC"
		" DECLARE art " RECORD_ID " DECLARE author " RECORD_ID
		" DECLARE via " RECORD_ID " DECLARE no INT UNSIGNED DEFAULT ?;"
		" DECLARE at BIGINT DEFAULT ?;"
		" DECLARE mobile BINARY(32) DEFAULT ?;"
		" DECLARE shown BOOL DEFAULT ?;"
		" DECLARE digest BINARY(32) DEFAULT ?;"
		" DECLARE size BIGINT DEFAULT ?;"
		" DECLARE files INT DEFAULT ?;"
		" DECLARE icon BINARY(32) DEFAULT ?; DECLARE whole BINARY(32) DEFAULT ?;"
		" DECLARE renamed BOOL DEFAULT ?;"
		STORAGE_DECLARE "0; DECLARE named VARCHAR(100) DEFAULT NULL;"
		" IF via IS NOT NULL THEN"
		" SET named = (SELECT g.name FROM agent_grant g WHERE g.id = via); END IF;"
		" INSERT INTO version (artifact_id, version_no, id, created_at, created_by,"
		" grant_id, agent_name, approved, first_live_at, is_open, message, entrypoint,"
		" routing, mobile_sha256, mobile_size, pwa, icon_sha256, icon_size, file_count,"
		" size_bytes, utf8, digest, next_sha256) VALUES (art, no, ?, at, author, via,"
		" named, ?, IF(shown, at, NULL), ?, ?, ?, ?, mobile, ?, ?, icon, ?, files, ?, ?,"
		" whole, ?);"
		" UPDATE artifact SET name = COALESCE(?, name),"
		" visibility = COALESCE(?, visibility), last_no = no,"
		" access_policy = IF(?, ?, access_policy), agent = IF(?, ?, agent),"
		" live_no = IF(shown, no, live_no), updated_at = at,"
		" live_mobile = IF(shown, mobile IS NOT NULL, live_mobile),"
		" reviewed_live = IF(shown AND reviewed_digest = whole, no, reviewed_live)"
		" WHERE id = art; "
		FILE_INSERT " VALUES (art, no, ?, digest, size, ?, ?); "
		OWNED_INSERT " VALUES (author, digest, size);"
		PROJECT_WANT
		" IF shown THEN" REMARKS_PASSED("art")
		EVENT_UPDATED("art", "'" EVENT_PAYLOAD_UPDATED("version") "'", "at")
		SEEN_FRESH("art", "no", "at")
		" IF space IS NOT NULL THEN" LEARN_WANT("art", "at") " END IF; END IF;"
		PICTURE_WANT("art", "at")
		" IF renamed THEN " FIND_CHANGED("art", "author") " END IF;"
		" IF files = 1 THEN"
		" SET more = IF(" HAS_HAD("version_file", "sha256", "version_file_sha256", "digest",
		    "art", "o.version_no < no") " IS NULL, size, 0);"
		" IF mobile IS NOT NULL OR icon IS NOT NULL THEN"
		MORE_OF_VERSION("more + " EXTRAS_ADD) " END IF;" STORAGE_ADD_MORE
		" END IF; END"),
	    ARGS(v->artifact_id, w->who->user_id, w->who->grant_id, v->version_no, c->now,
		arg_hex_sha256(c, v->mobile_sha256), !w->draft, item_digest(first), first->size,
		(int64_t)w->m.n, arg_hex_sha256(c, v->icon_sha256),
		arg_sha256(w->digest), words_change(w) && find_is_wanted(c),
		w->art->workspace_id, w->art->owner_id,
		c->conf->storage_per_user, v->id, w->approved, v->is_open,
		in->message, v->entrypoint, v->routing, v->mobile_size, v->pwa, v->icon_size,
		w->m.total, !w->m.unclear, arg_sha256(next), w->draft ? NULL : in->name,
		w->visibility, publishing_changes(w, in->has.access_policy), in->access_policy,
		publishing_changes(w, in->has.agent), agent_text(w), first->path, first->mime,
		first->declared, outbox_id),
	    NULL);
	return record_result(w, e);
}

static enum err
files_record(struct publishing *w, size_t from, size_t n)
{
	const struct version_row *v = w->made->version;
	struct arg *of_version = mem_array(w->c->mem, struct arg, n * 7), *a = of_version;
	struct arg *of_owner = mem_array(w->c->mem, struct arg, n * 3), *o = of_owner;

	for (size_t i = from; i < from + n; i++) {
		const struct item *it = w->files[i];

		*a++ = arg_str(v->artifact_id);
		*a++ = arg_int(v->version_no);
		*a++ = arg_str(it->path);
		*a++ = arg_bytes(item_digest(it));
		*a++ = arg_int(it->size);
		*a++ = arg_str(it->mime);
		*a++ = arg_bool(it->declared);
		*o++ = arg_str(w->who->user_id);
		*o++ = arg_bytes(item_digest(it));
		*o++ = arg_int(it->size);
	}
	TRY(db_exec_many(
	    w->c, EXEC(FILE_INSERT " VALUES (?, ?, ?, ?, ?, ?, ?)"), of_version, 7, n));
	return db_exec_many(w->c, EXEC(OWNED_INSERT " VALUES (?, ?, ?)"), of_owner, 3, n);
}

/* The part of version_record() for a version of one file. Files that stay add nothing, so they are
 * copied after the others were summed. */
static enum err
storage_record(struct publishing *w)
{
	const struct version_row *v = w->made->version;
	const char *after = "";
	const struct former *former = &w->m.former;
	int64_t more = 0;
	struct added *row;

	for (size_t left = w->files_n; left > FILES_AT_ONCE; left -= FILES_AT_ONCE) {
		TRY(db_one(w->c,
		    ROWS(added,
			"SELECT COALESCE(SUM(IF(" FILE_IS_NEW ", f.size_bytes, 0)), 0) AS bytes,"
			" MAX(f.path) AS last"
			" FROM (SELECT artifact_id, version_no, path, sha256, size_bytes"
			" FROM version_file WHERE artifact_id = ? AND version_no = ? AND path > ?"
			" ORDER BY path LIMIT ?) f"),
		    ARGS(v->artifact_id, v->version_no, after, FILES_AT_ONCE), &row));
		more += row->bytes;
		after = row->last;
	}
	return record_result(w,
	    db_exec(w->c,
		EXEC("BEGIN NOT ATOMIC DECLARE art " RECORD_ID " DECLARE no INT UNSIGNED DEFAULT ?;"
		     STORAGE_DECLARE "?; DECLARE after VARBINARY(1024) DEFAULT ?;" FORMER_DECLARE
		    MORE_OF_VERSION("more + " VERSION_ADDS("after")) FORMER_COPY
		    STORAGE_ADD_MORE " END"),
		ARGS(v->artifact_id, v->version_no, w->art->workspace_id, w->art->owner_id,
		    w->c->conf->storage_per_user, more, after, former->no,
		    (int64_t)former->n, former->runs, former_newcomer(former, w->who->user_id)),
		NULL));
}

enum err
publishrow_version(struct publishing *w, const char *outbox_id)
{
	const struct version_row *v = w->made->version;

	TRY(version_record(w, outbox_id));
	if (w->draft) {
		const struct digest_next next = drafted_of(w);

		TRY(version_draft(w->c, v->artifact_id, v->version_no, next.name, next.policy,
		    next.agent, w->declared));
	}
	for (size_t i = 1, n; i < w->files_n; i += n) {
		n = w->files_n - i < FILES_AT_ONCE ? w->files_n - i : FILES_AT_ONCE;
		TRY(files_record(w, i, n));
	}
	return w->m.n > 1 ? storage_record(w) : E_OK;
}
