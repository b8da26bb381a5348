/* SPDX-License-Identifier: Apache-2.0
 * The files of one publish, from the request and its archive, checked one by one and together
 * before any of them is used. The bytes of an archive are stored while they are read; nothing
 * refers to them until the publish succeeds. */
#ifndef VITRINE_MANIFEST_H
#define VITRINE_MANIFEST_H
#include "site/former.h"
#include "site/project.h"
#include "site/publishing.h"
#include "store/object.h"

struct manifest {
	struct ctx *c;
	const struct publish_new *in;
	const char *user;
	const char *artifact_id; /* NULL: a new one */
	const int64_t *seen_no;  /* number of the one version that the user may see; NULL: all */
	struct batch *batch;     /* where bytes go */
	struct former former;
	bool shows;   /* has views, for which the character set of a text is guessed */
	bool unclear; /* a text is neither UTF-8 nor declares its character set */
	struct item *items;
	size_t n, room;
	int64_t total;                /* bytes, after manifest_resolve() */
	struct object_writer *writer; /* stores the archive's entry that is being read */
	struct packed_folder *folder; /* the user whose archive is read; NULL: no changes to its
				       * paths */
	bool passing;                 /* the warning that an entry is left out */
};

struct artifact;
/* Reads the files of an upload into items. E_INVALID, E_BODY_TOO_LARGE, E_FILE_TOO_LARGE. */
enum err manifest_read(struct manifest *, const struct upload *);
/* Adds an item, zeroed. */
struct item *manifest_add(struct manifest *);
/* Returns the item of a path, or NULL. */
struct item *manifest_item(const struct manifest *, const char *path);
/* Checks the items together, after some were added: number, sizes, paths. E_INVALID,
 * E_BODY_TOO_LARGE. The second one also checks and sets the total. */
enum err manifest_check(struct manifest *);
enum err manifest_recheck(struct manifest *);
/* Chooses the entry page: the named one, *entry if it is among the files (or NULL), index.html, or
 * the only .html file. E_INVALID lists the candidates. */
enum err manifest_entry(struct manifest *, const char **entry);
/* Reads the sizes of files named by digest only. E_MISSING_BLOBS lists those that the store doesn't
 * have; E_BODY_TOO_LARGE. */
enum err manifest_resolve(struct manifest *);
/* For texts that aren't UTF-8: sets the character set that they declare, in their rows too, or
 * warns. The store must have their bytes. */
enum err manifest_charsets(struct manifest *, struct file_row *rows, struct strs *warnings);
/* After a failure: returns E_MISSING_BLOBS if the store lost bytes of files that stay, else e. */
enum err manifest_lost(struct manifest *, enum err e);
/* Adds a warning for each ignored line of _redirects and _headers. The store must have their
 * bytes. */
enum err manifest_warnings(struct manifest *, struct strs *warnings);
/* Warns if the entry page links to a manifest in a way that sends no cookie, which a private page
 * needs. */
enum err manifest_link_look(struct manifest *, const char *entry, struct strs *warnings);
/* Reads vitrine.yaml from the store, which must have its bytes. *text is NULL if there is no such
 * file. E_INVALID if it is too large or isn't text in UTF-8. */
enum err manifest_declared(struct manifest *, const char **text);
/* Returns the request; if its name differs from the artifact's, a copy with the artifact's name,
 * and a warning. */
const struct publish_new *manifest_keep_name(
    struct ctx *, const struct publish_new *, const struct artifact *);
/* Sorts the items for which wanted() is true by digest, so that concurrent transactions lock rows
 * in one order. */
struct item **manifest_sorted(
    struct manifest *, bool (*wanted)(const struct manifest *, const struct item *), size_t *n);
#endif
