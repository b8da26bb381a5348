/* SPDX-License-Identifier: Apache-2.0
 * The files of one publish, from the request and its archive: checked one by one and together,
 * before anything of them counts. The bytes of an archive go to the store as they are read; nothing
 * names them until the publish succeeds. */
#ifndef VITRINE_MANIFEST_H
#define VITRINE_MANIFEST_H
#include "site/project.h"
#include "site/publish.h"
#include "store/object.h"

/* A file that is being published. */
struct item {
	const char *path, *mime;
	const char *bytes; /* NULL: named by digest, or already in the batch */
	size_t n;
	uint8_t sha256[SHA256_BYTES];
	int64_t size;
	bool by_digest, declared;
};

struct manifest {
	struct ctx *c;
	const struct publish_new *in;
	const char *user;
	const char *artifact_id; /* NULL: a new one */
	const int64_t *seen_no;  /* the only version of it that the user may see; NULL: all are */
	struct batch *batch;     /* where bytes go */
	struct item *items;
	size_t n, room;
	int64_t total;                /* bytes, after manifest_resolve() */
	struct object_writer *writer; /* of the archive's entry being read */
	struct packed_folder *folder; /* whose archive is read; NULL: it is taken as it is */
	bool passing;                 /* over an entry that is left out */
};

struct artifact;
/* E_INVALID, E_BODY_TOO_LARGE, E_FILE_TOO_LARGE. */
enum err manifest_read(struct manifest *, const struct upload *);
/* Adds the page of a lone file that is none, unless the request names the entry (base/lone.h).
 * After manifest_resolve(). */
enum err manifest_wrap(struct manifest *);
/* The entry page: as named, index.html, or the only .html file. E_INVALID lists the candidates. */
enum err manifest_entry(struct manifest *, const char **entry);
/* Sizes of the files that are named by digest only. E_MISSING_BLOBS lists those whose bytes are not
 * here; E_BODY_TOO_LARGE. */
enum err manifest_resolve(struct manifest *);
/* Gives texts that aren't UTF-8, and the row of each, the character set that they declare, or warns
 * of them; their bytes must be in the store. */
enum err manifest_charsets(struct manifest *, struct file_row *rows, struct strs *warnings);
/* Adds a warning for each ignored line of _redirects and _headers, whose bytes must be in the
 * store. */
enum err manifest_warnings(struct manifest *, struct strs *warnings);
/* Warns of an entry page that links to a manifest without the cookie that a private page needs. */
enum err manifest_link_look(struct manifest *, const char *entry, struct strs *warnings);
/* The request, or a copy with the artifact's name where it has another, of which it is warned. */
const struct publish_new *manifest_keep_name(
    struct ctx *, const struct publish_new *, const struct artifact *);
/* In order of their digests, so that concurrent transactions lock rows in one order. */
struct item **manifest_sorted(struct manifest *);
#endif
