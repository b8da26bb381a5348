/* SPDX-License-Identifier: Apache-2.0
 * Finds files that a new version shares with the live one: with equal path, bytes, and media type.
 * Their rows are copied inside the database, and their objects need neither be found nor synced,
 * because committed rows name them. If the tree can't link one of them, publish_prepare() asks for
 * its bytes (manifest_lost()). Source: site/README.md, "Publishing". */
#ifndef VITRINE_FORMER_H
#define VITRINE_FORMER_H
#include "base/crypto.h"
#include "base/principal.h"
#include "db/db.h"

struct artifact;

#define FORMER_ROW(F, T) \
	F(T, STR,  path) \
	F(T, STR,  sha256) \
	F(T, INT,  size_bytes) \
	F(T, STR,  mime) \
	F(T, BOOL, declared) \
	F(T, BOOL, utf8) \
	F(T, BOOL, mine)
/* The last two are the version's. utf8: its texts that declare no character set are UTF-8. mine:
 * the caller published it. */
SHAPE_DECLARE(former_row, FORMER_ROW);

/* A file to publish. */
struct item {
	const char *path, *mime;
	const char *bytes; /* NULL: named by digest, or already in the batch */
	size_t n;
	uint8_t sha256[SHA256_BYTES];
	int64_t size;
	bool by_digest, declared;
	bool held;     /* by_digest, and a row that the caller may use names it */
	bool conflict; /* of a merge: not settled (site/merge.h) */
	bool missing; /* by_digest, and neither the caller's nor the artifact's */
	const struct former_row *was; /* the live version's row with its path and bytes, or NULL */
};

/* The live version, as its rows were before the transaction. Rows of a version never change. */
struct former {
	int64_t no;                  /* 0: the new version shares nothing */
	struct former_row_list rows; /* in the order of their paths */
	bool *kept;                  /* for each row: the new version has it, too */
	size_t n;                    /* how many are kept */
	const char *runs;            /* which: JSON, pairs of a first and a last path */
};

int item_by_path(const void *, const void *); /* orders pointers to items by path */
/* Reads the rows of any version. */
enum err former_rows(struct ctx *c, const char *artifact_id, const struct principal *,
    int64_t no, struct former_row_list *);
/* Sets item->was of items that have a row's path and bytes. */
void former_match(struct ctx *c, const struct former *, struct item *items, size_t n);
bool former_has_bytes(const struct item *, const struct former_row *);
/* Finds the live version's rows that have an item's path and bytes: item->was. Only for many items,
 * because few are written as quickly. NULL: a new artifact. */
enum err former_read(struct ctx *c, struct former *, const struct artifact *,
    const struct principal *, struct item *items, size_t n);
/* Decides which rows are kept, when the items' types are final. At least one item isn't kept. */
void former_keep(struct ctx *c, struct former *, const struct item *items, size_t n);
bool former_keeps(const struct former *, const struct item *);
/* Returns the user if bytes of kept rows may not be their own yet, else NULL. */
const char *former_newcomer(const struct former *, const char *user);
#endif
