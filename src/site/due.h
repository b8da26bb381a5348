/* SPDX-License-Identifier: Apache-2.0
 * A queue of artifacts whose pages our browser is to open: a table with one row an artifact, with
 * the time when it is due (NULL: it isn't) and the number of attempts. A runner that leases a row
 * moves its due_at; that time and the attempts identify the lease. picture.c and pagecheck.c have
 * such a table; runner/picture.c does the work. */
#ifndef VITRINE_DUE_H
#define VITRINE_DUE_H
#include "core/artifact.h"

#define PAGE_DUE(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, SLUG, slug) \
	F(T, INT,  version_no,  .doc = "The live one, when it was taken") \
	F(T, INT,  due_at) \
	F(T, INT,  attempts)
SHAPE_DECLARE(page_due, PAGE_DUE);
enum { DUE_LEASE_S = 90, DUE_ATTEMPTS = 3 /* of a version */, DUE_TRIES = 8 };

/* NOUN_waits: true if one may be due; leases nothing. NOUN_take: leases the row that has been due
 * the longest for DUE_LEASE_S; *out is NULL if there is none. NOUN_fail: makes it due again later,
 * unless that was attempt DUE_ATTEMPTS. */
#define DUE_DECLARE(noun) \
	enum err noun##_waits(struct ctx *c, bool *yes); \
	enum err noun##_take(struct ctx *c, struct page_due **out); \
	enum err noun##_fail(struct ctx *c, const struct page_due *)

/* SQL condition: the row still has this lease; takes DUE_ARGS. */
#define DUE_IS_MINE " artifact_id = ? AND due_at = ? AND attempts = ?"
#define DUE_ARGS(d) (d)->artifact_id, (d)->due_at, (d)->attempts

/* Defines NOUN_waits() and NOUN_take() for a table p. is_due is a condition on its artifact a. */
#define DUE_DEFINE(noun, table, is_due) \
	static enum err due_first(struct ctx *c, struct page_due **out) \
	{ \
		return db_find(c, \
		    ROWS(page_due, \
			"SELECT artifact_id, '' AS slug, 0 AS version_no, due_at, attempts" \
			" FROM " table " WHERE due_at <= ? ORDER BY due_at, artifact_id" \
			" LIMIT 1"), \
		    ARGS(c->now), out); \
	} \
	enum err noun##_waits(struct ctx *c, bool *yes) \
	{ \
		struct page_due *first; \
		TRY(due_first(c, &first)); \
		*yes = first != NULL; \
		return E_OK; \
	} \
	/* *out is NULL if another runner was quicker, or if the artifact isn't to be opened: then \
	 * its row is deleted. A change that makes it due inserts another. */ \
	static enum err due_take(struct ctx *c, struct page_due *d, struct page_due **out) \
	{ \
		int64_t mine; \
		TRY(db_exec(c, \
		    EXEC("UPDATE " table " SET due_at = ?, attempts = attempts + 1," \
			 " begun_at = ? WHERE" DUE_IS_MINE), \
		    ARGS(c->now + DUE_LEASE_S, c->now, DUE_ARGS(d)), &mine)); \
		if (!mine) \
			return E_OK; \
		d->due_at = c->now + DUE_LEASE_S; \
		d->attempts++; \
		TRY(db_find(c, \
		    ROWS(page_due, \
			"SELECT p.artifact_id, a.slug, a.live_no AS version_no, p.due_at," \
			" p.attempts FROM " table " p JOIN artifact a ON a.id = p.artifact_id" \
			" WHERE p.artifact_id = ? AND p.due_at = ? AND p.attempts = ?" \
			" AND " is_due), \
		    ARGS(DUE_ARGS(d)), out)); \
		return *out ? E_OK \
			    : db_exec(c, EXEC("DELETE FROM " table " WHERE" DUE_IS_MINE), \
				  ARGS(DUE_ARGS(d)), NULL); \
	} \
	enum err noun##_take(struct ctx *c, struct page_due **out) \
	{ \
		struct page_due *first; \
		*out = NULL; \
		for (int i = 0; i < DUE_TRIES && !*out; i++) { \
			TRY(due_first(c, &first)); \
			if (!first) \
				break; \
			TRY(due_take(c, first, out)); \
		} \
		return E_OK; \
	}
#endif
